"""SMRS: sparse modelling representative selection."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_choice, check_count, check_number
from nmfbench.solvers.bases.loop import State
from nmfbench.solvers.separable.base import BaseSeparable
from nmfbench.solvers.separable.row_sparse import active_set, admm, objective

_SHARE = 0.99  # of the total of row norms that representatives hold
_DISTANCES = 0.95  # of the total of its distances that a representative looks at in pruning


@register_solver(
    "smrs",
    name="SMRS",
    family="separable",
    reference="Elhamifar, Sapiro & Vidal 2012",
)
@dataclass(eq=False, repr=False, kw_only=True)
class SMRS(BaseSeparable):
    r"""Exemplars from a row-sparse self-representation.

    .. math:: \min_C\ \lambda\sum_i\|C_{i,:}\|_2 + \tfrac12\|Y-YC\|_F^2 \quad\text{s.t.}\quad
              \mathbf 1^TC=\mathbf 1^T,

    where Y are the centred points and :math:`\lambda=\lambda_{\max}/\alpha`. Points are ranked by
    the norms of their rows of C; points that make up 99% of the total are representatives, and the
    ones too near to a better one are pruned.

    For a fixed number q of exemplars, the first q survivors are taken; while there are fewer,
    :math:`\lambda` is halved. One iteration solves the programme for one :math:`\lambda`, and
    the objective recorded is the one of that :math:`\lambda`.

    Parameters
    ----------
    n_components : int, optional
        Number of exemplars q.
    alpha : float, default=5
        Useful values are 2 to 50; larger ones give more representatives.
    halvings : int, default=4
        How often :math:`\lambda` may be halved: with ``alpha=5``, down to ``alpha=80``.
    prune : bool, default=True
        Leave out representatives that are too near to a better one.
    solver : {"active-set", "admm"}, default="active-set"
        Two methods for the same programme; "admm" is the authors'.
    tol : float, default=1e-6
        Mean difference of the two copies of C in the ADMM (of either solver); the authors'
        value is 1e-7, which takes twice as long for an objective lower by a few millionths.
    max_iter : int, default=5000
        Most rounds of an ADMM, which makes more only while all rows of C are zero.

    Attributes
    ----------
    rankings_ : list of (survivors, pruned)
        For each :math:`\lambda`, in order, indices in rank order.
    filled_ : bool
        Survivors did not suffice, so that pruned ones (or points with a zero row) were added.
    alphas_ : list of float
        :math:`\lambda_{\max}/\lambda` of each programme.
    n_rounds_ : int
        Rounds of ADMM in all.

    Notation
    --------
    Their columns :math:`y_i` are our rows.

    Cost
    ----
    With n points, "admm" takes :math:`O(n^3)` for each of up to 5000 rounds; "active-set" takes
    :math:`O(s^3)` a round where s rows of C are not zero, and :math:`O(n^2s)` a few times.

    Departures
    ----------
    The default solver is not the authors', but reaches the optimum of the same convex
    programme. The halving of :math:`\lambda` and the filling are ours, as the method has no
    fixed number of exemplars.

    References
    ----------
    Elhamifar, Sapiro & Vidal (2012), See all by looking at a few, Eq. (9) and Section 4.2.
    """

    alpha: float = 5.0
    halvings: int = 4
    prune: bool = True
    solver: str = "active-set"
    tol: float = 1e-6
    max_iter: int = 5000

    def anchors_for(self, q):
        """The exemplars that a fit with ``n_components=q`` takes, in rank order.

        Parameters
        ----------
        q : int
            No more than the ``n_components`` of this fit.
        """
        return self._choose(self.rankings_, q)[0]

    def _choose(self, rankings, q):
        for survivors, _ in rankings:
            if len(survivors) >= q:
                return survivors[:q], False
        return np.concatenate(rankings[-1])[:q], True

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_choice(self.solver, "solver", ("active-set", "admm"))
        check_number(self.alpha, "alpha", above=0)
        check_count(self.halvings, "halvings", least=0)
        check_count(self.max_iter, "max_iter")
        check_number(self.tol, "tol", at_least=0)

    def _n_steps(self, r):
        return self.halvings + 1

    def _start(self, X, r, rng, factors):
        P = _centred_gram(X)
        lam_max = np.linalg.norm(P, axis=1).max()
        spread = lam_max > 1e-12 * max(np.trace(P), np.finfo(float).tiny) and len(P) > 1
        n = len(P)
        return State(
            r=r,
            P=P,
            alpha=self.alpha,
            lam=lam_max / self.alpha,
            rows=np.arange(n),
            C=np.full((n, n), 1 / n),  # every point is represented by the mean
            warm=None,
            rankings=[],
            alphas=[],
            n_rounds=0,
            spread=spread,
        )

    def _step(self, X, s):
        if s.rankings:
            s.alpha *= 2
            s.lam /= 2
        s.alphas.append(s.alpha)
        if not s.spread:  # all points are the same: any is a representative
            s.rankings.append((np.arange(1), np.arange(1, len(s.P))))
            return
        if self.solver == "admm":
            s.rows, s.C, n_rounds = admm(s.P, s.lam, s.alpha, self.tol, self.max_iter)
        else:
            s.warm = active_set(s.P, s.lam, self.tol, self.max_iter, s.warm)
            s.rows, s.C, n_rounds = s.warm.rows, s.warm.C, s.warm.n_rounds
        s.n_rounds += n_rounds
        norms = np.zeros(len(s.P))
        norms[s.rows] = np.linalg.norm(s.C, axis=1)
        ranked = np.argsort(-norms, kind="stable")
        enough = np.searchsorted(np.cumsum(norms[ranked]), _SHARE * norms.sum(), side="right")
        chosen = ranked[: enough + 1]
        survivors = chosen[_spread_out(s.P, chosen)] if self.prune else chosen
        s.rankings.append((survivors, ranked[~np.isin(ranked, survivors)]))

    def _objective(self, X, s):
        return float(objective(s.P, s.lam, s.rows, s.C))

    def _converged(self, s, trace):
        return not s.spread or len(s.rankings[-1][0]) >= s.r

    def _anchors(self, s):
        return self._choose(s.rankings, s.r)[0]

    def _finish(self, X, s):
        super()._finish(X, s)
        self.rankings_ = s.rankings
        self.filled_ = self._choose(s.rankings, s.r)[1]
        self.alphas_ = s.alphas
        self.n_rounds_ = s.n_rounds


def _centred_gram(X):
    """Inner products of the rows of X minus their mean, without making a sparse X dense."""
    X = X.astype(np.float64)
    P = (X @ X.T).toarray() if sp.issparse(X) else X @ X.T
    means = P.mean(axis=0)
    P -= means
    P -= means[:, None]
    P += means.mean()
    return P


def _spread_out(P, ranked):
    """Which of the ``ranked`` points stay when those near to a better one are dropped."""
    squares = P.diagonal()[ranked]
    gram = P[np.ix_(ranked, ranked)]
    distances = np.sqrt(np.maximum(squares + squares[:, None] - 2 * gram, 0))
    kept = np.ones(len(ranked), dtype=bool)
    for i in range(len(ranked)):
        if not kept[i]:
            continue
        farthest = np.argsort(-distances[i], kind="stable")
        running = np.cumsum(distances[i, farthest])
        last = np.searchsorted(running, _DISTANCES * running[-1], side="right")
        near = farthest[last:]
        kept[near[near > i]] = False
    return kept
