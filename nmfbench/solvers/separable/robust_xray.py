"""RobustXRAY: near-separable factorization under the l1 loss."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog
from sklearn.base import clone

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_choice, check_count, check_number
from nmfbench.optim.projections.manhattan import (
    ManhattanCone,
    certify_manhattan,
    fit_manhattan,
    project_manhattan,
    warn_if_unfinished,
)
from nmfbench.solvers.bases.loop import State
from nmfbench.solvers.separable.base import BaseSeparable
from nmfbench.solvers.separable.xray import draw_p

_OUTSIDE = 1e-6  # tau_0: residual norms below this share of the largest row norm are zero
_TIE = 1e-12  # scores, and normalised points, this close (relative) count as equal
_ZERO = 1e-9  # residuals below this share of the row's largest entry are zero
_EQUALITY = 1e-6  # slack of the LP's constraints, the anchors divided by their norms


@register_solver(
    "robust-xray",
    name="RobustXRAY",
    family="separable",
    paper="robust-xray",
    reference="Kumar & Sindhwani 2015",
    monotone=True,
    nested=True,
)
@dataclass(eq=False, repr=False, kw_only=True)
class RobustXRAY(BaseSeparable):
    r"""Grow the cone of the anchors until its l1 distance from the rows is small.

    .. math:: \min_{A, W \ge 0} \|X - W X_A\|_1

    A step takes a row ``i`` outside the cone, a sub-gradient :math:`D_i` of its distance, the
    anchor :math:`\arg\max_j D_i^T x_j / p^T x_j`, and projects all rows on the larger cone.

    Parameters
    ----------
    selection : {"max", "rand"}, default="max"
        The exterior row: the worst fitted (3.2), or any outside the cone (3.1).
    dual : {"minus_one", "multiplier"}, default="minus_one"
        The sub-gradient where the residual is zero. ``"minus_one"`` is the paper's: -1, and a
        linear programme where that fails Lemma 3.2. ``"multiplier"`` is the one that the
        projection ends with, which satisfies both lemmas without a further programme.
    p : array-like of shape (n_features,), optional
        Positive vector of (3.3); ``1 + U(0, 1e-5)`` by default (Remark 3).
    first : {"paper", "l2"}, default="paper"
        The first anchor. The paper's is the minimiser of a random linear function (that of
        ``p``) of the rows divided by their sums, and depends on the seed; ``"l2"`` is the
        longest of these rows: an extreme point too, and always the same.
    min_share : float, default=0.0
        Rows whose sum is below this share of the mean sum are no anchors. The paper has no
        such rule. In a video, nearly black pixels are extreme because of their noise.
    refits
        See :class:`~nmfbench.solvers.separable.base.BaseSeparable`.
    max_iter : int, default=100000
        Most pivots of the simplex method for one row and one anchor: a safeguard.

    Attributes
    ----------
    n_selections_ : int
        Anchors chosen by a sub-gradient (all, but for ties and ``first="l2"``).
    n_lp_calls_, n_lp_failures_ : int
        How often the linear programme was needed (Remark 1), and was infeasible to rounding.
    projection_iterations_ : int
        Pivots of all projections.

    Notation
    --------
    Their columns :math:`X_j` are our rows, their :math:`H` is our ``W.T``.

    Cost
    ----
    Per iteration: a few pivots of a simplex method for each row, each ``n_features`` times the
    row's anchors.

    Notes
    -----
    The objective never rises.

    Several rows can share the best score (Remark 2). Copies of an anchor, up to scale, are one
    point, the first. Other tied rows lie on a face of the cone, whose extreme points are found
    by the same algorithm and become the next anchors.

    Departures
    ----------
    The paper projects by ADMM to a tolerance. We solve each row's linear programme exactly, by a
    simplex method that continues from the vertex of the last step. Rows that a new anchor cannot
    serve are left alone; on text these are nearly all.

    References
    ----------
    Kumar & Sindhwani (2015), Near-separable non-negative matrix factorization with l1 and
    Bregman loss functions, Algorithm 1.

    Examples
    --------
    >>> X = np.array([[4.0, 0.0], [1.0, 1.0], [0.0, 2.0], [2.0, 1.0]])
    >>> sorted(int(j) for j in RobustXRAY(n_components=2, random_state=0).fit(X).anchor_indices_)
    [0, 2]
    """

    selection: str = "max"
    dual: str = "minus_one"
    p: Any = None
    first: str = "paper"
    min_share: float = 0.0
    max_iter: int = 100_000

    def _project(self, X):
        return project_manhattan(X, self._basis(X))

    def _certify(self, X):
        return certify_manhattan(X, self.components_.astype(np.float64))

    def _first_weights(self, X, H, s):
        return s.cone.W, s.cone.norms.sum()

    def _fit_factor(self, X, H, W0):
        return fit_manhattan(X, H, W0, max_iter=self.max_iter)

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_choice(self.selection, "selection", ("max", "rand"))
        check_choice(self.dual, "dual", ("minus_one", "multiplier"))
        check_choice(self.first, "first", ("paper", "l2"))
        check_number(self.min_share, "min_share", at_least=0, at_most=1)
        check_count(self.max_iter, "max_iter")

    def _warm_up(self, X):
        if self.p is None:
            super()._warm_up(X)
        else:  # it has the wrong length for the tiny fit
            clone(self).set_params(p=None)._warm_up(X)

    def _start(self, X, r, rng, factors):
        self._require_a_nonzero_row(X)
        data = X.astype(np.float64, copy=False)
        p = draw_p(self.p, X.shape[1], rng)
        cone = ManhattanCone(data, r, max_iter=self.max_iter)
        heights = data @ p
        return State(
            data=data,
            r=r,
            rng=rng,
            p=p,
            anchors=[],
            pending=[],
            cone=cone,
            sums=cone.norms.copy(),
            heights=heights,
            available=(heights > 0) & (cone.norms >= self.min_share * cone.norms.mean()),
            threshold=_OUTSIDE * cone.norms.max(),
            exhausted=False,
            n_selections=0,
            n_lp_calls=0,
            n_lp_failures=0,
            unfinished=0,
        )

    def _step(self, X, s):
        if not s.pending:
            s.pending = self._select(s)
        if s.pending:
            j = s.pending.pop(0)
            s.anchors.append(j)
            s.cone.extend(_rows(s.data, [j]))
            s.unfinished += s.cone.unfinished
        outside = s.available & (s.cone.norms > s.threshold)
        s.exhausted = not (s.pending or outside.any())

    def _select(self, s):
        """The next anchors: one, or several if they tie."""
        if not s.anchors and self.first == "l2":
            return _extreme_points(s, np.flatnonzero(s.available), 1)
        i = self._exterior(s)
        D = self._subgradient(s, i)
        s.n_selections += 1
        tied = _best(s.data @ D, s.heights, np.flatnonzero(s.available))
        if len(tied) == 1:
            s.available[tied] = False
            return [int(tied[0])]
        return _extreme_points(s, tied, s.r - len(s.anchors))

    def _exterior(self, s):
        norms = np.where(s.available, s.cone.norms, 0.0)
        if self.selection == "rand":
            return int(s.rng.choice(np.flatnonzero(norms > s.threshold)))
        return int(np.argmax(norms >= norms.max() * (1 - _TIE)))  # the first of equals

    def _subgradient(self, s, i):
        """``D_i`` (Section 3.1): signs of the residual, and a choice where it is zero."""
        if self.dual == "multiplier":
            return s.cone.dual(i)
        x = _rows(s.data, [i]).ravel()
        R = s.cone.residual(i)
        zero = np.abs(R) <= _ZERO * x.max()
        D = np.where(zero, -1.0, np.sign(R))
        if D @ x > _TIE * s.sums[i]:  # Lemma 3.2; 3.1 holds if it can
            return D
        s.n_lp_calls += 1
        H = _rows(s.data, s.anchors) / s.sums[s.anchors, None]
        u = _subgradient_lp(H[:, zero], H @ np.where(zero, 0.0, D), s.cone.W[i] > 0)
        s.n_lp_failures += u is None
        D[zero] = 0.0 if u is None else u
        return D

    def _objective(self, X, s):
        return s.cone.norms.sum()

    def _finish(self, X, s):
        super()._finish(X, s)
        self.n_selections_ = s.n_selections
        self.n_lp_calls_ = s.n_lp_calls
        self.n_lp_failures_ = s.n_lp_failures
        self.projection_iterations_ = s.cone.pivots
        warn_if_unfinished(s.unfinished, self.max_iter)


def _rows(X, indices):
    return X[indices].toarray() if sp.issparse(X) else X[indices]


def _rows_scaled(X, indices, factors):
    if sp.issparse(X):
        return sp.csr_matrix(sp.diags_array(factors) @ X[indices])
    return X[indices] * factors[:, None]


def _subgradient_lp(H, fixed, support):
    """The LP of Remark 1 for the free entries ``u``, or None if it is infeasible.

    Minimise ``sum(u)`` over ``|u| <= 1`` with ``H @ u + fixed`` zero on the support of the
    coefficients, and not positive elsewhere; each to a slack.
    """
    A = np.vstack([H, -H[support]])
    b = np.concatenate([_EQUALITY - fixed, (_EQUALITY + fixed)[support]])
    result = linprog(np.ones(H.shape[1]), A_ub=A, b_ub=b, bounds=(-1, 1), method="highs")
    return result.x if result.status == 0 else None


def _best(numerators, heights, candidates):
    """The candidates whose scores (3.3) tie for the best."""
    scores = numerators[candidates] / heights[candidates]
    return candidates[scores >= scores.max() - _TIE * np.abs(scores).max()]


def _extreme_points(s, tied, limit):
    """The anchors among the ``tied`` rows, at most ``limit``: the algorithm on these alone.

    The longest row comes first, after division by its sum, and breaks the ties within the tie:
    a convex function is largest at an extreme point. Copies of an anchor are used up with it,
    and the first of them stands for all.
    """
    Y = _rows_scaled(s.data, tied, 1 / s.sums[tied])
    squares = Y.multiply(Y) if sp.issparse(Y) else Y * Y
    lengths = np.asarray(squares.sum(axis=1)).ravel()
    heights = Y @ s.p
    free = np.ones(len(tied), dtype=bool)
    cone, chosen = None, []
    while True:
        best = np.flatnonzero(free)
        if cone is not None:
            norms = np.where(free, cone.norms, 0.0)
            i = int(np.argmax(norms))
            if norms[i] <= _OUTSIDE:
                return chosen
            best = _best(Y @ cone.dual(i), heights, best)
        j = _best(lengths, np.ones(len(tied)), best)[0]
        point = _rows(Y, [j])
        copies = free & (np.abs(lengths - lengths[j]) <= 4 * _TIE * lengths[j])
        for k in np.flatnonzero(copies):
            copies[k] = np.abs(_rows(Y, [k]) - point).max() <= _TIE * point.max()
        free &= ~copies
        s.available[tied[copies]] = False
        chosen.append(int(tied[copies][0]))
        if len(chosen) == limit or not free.any():
            return chosen
        cone = cone or ManhattanCone(Y, limit)
        cone.extend(point)
