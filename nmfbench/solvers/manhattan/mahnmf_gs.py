"""MahNMF-GS: groups of features, or of samples, that share components."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_choice, check_groups, check_number
from nmfbench.optim.projections.manhattan_box import certify_manhattan_box, project_manhattan_box
from nmfbench.optim.proximal import GroupBall, GroupPenalty, group_norm, group_norms
from nmfbench.solvers.bases.loop import UNFINISHED
from nmfbench.solvers.manhattan.smoothed import BaseSmoothed
from nmfbench.solvers.manhattan.smoothing import Box


@register_solver(
    "mahnmf-gs",
    name="MahNMF-GS",
    family="manhattan",
    paper="mahnmf",
    reference="Guan et al. 2012",
    cost=("nmr",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class MahNMFGS(BaseSmoothed):
    r"""Group sparsity: each group of features, such as a view, uses few components.

    With :math:`\Omega_p(H_g) = \sum_k \|H_{k,g}\|_p` for the group g of features, and
    :math:`\Omega_p(W_g) = \sum_k \|W_{g,k}\|_p` for groups of samples, minimise over
    :math:`W, H \ge 0`

    .. math:: \|X-WH\|_1 \quad \text{subject to} \quad
              \Omega_p(H_g) \le \gamma_g, \; \Omega_p(W_g) \le \lambda_g

    or, as ``form="penalty"``,

    .. math:: \|X-WH\|_1 + \alpha\sum_g\Omega_p(H_g) + \beta\sum_g\Omega_p(W_g).

    Parameters
    ----------
    groups : array-like of n_features labels, or list of index lists or slices, optional
        Groups of features, which partition them. By default all are one group.
    sample_groups : array-like of n_samples labels, or list of index lists or slices, optional
        Groups of samples. If None, the constraint form leaves W without any, and the penalty
        form takes all samples as one.
    form : {"constraint", "penalty"}, default="constraint"
    p : {2, "inf"}, default="inf"
        Which norm; ``float("inf")`` will do too.
    bound : float, default=0.5
        For the constraint form: the radii :math:`\gamma_g` and :math:`\lambda_g`, as a share of
        the norms at the start.
    alpha, beta : float, default=1.0 and 0.0
        For the penalty form: weights on the side of the features and on that of the samples. The
        loss they compete with grows with the number of entries of ``X``.
    upper : float, default=1.0
        Bounds the entries of a factor that has neither constraint nor penalty, positive.
    mu0, decay, lipschitz, stop, inner_max_iter, inner_tol, monotone, restart, safeguard
        See :class:`~nmfbench.solvers.manhattan.smoothed.BaseSmoothed`.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.manhattan.base.BaseManhattan`.

    Attributes
    ----------
    group_norms_ : ndarray of shape (n_groups, n_components)
        :math:`\|H_{k,g}\|_p`; zero where a group does without a component.
    bounds_ : ndarray of shape (n_groups,)
        :math:`\gamma_g`; infinite in the penalty form.

    Notation
    --------
    The paper's V, W, H are our X.T, Ht, W.T. Its groups of columns of W are groups of our
    columns of H.

    Cost
    ----
    Per iteration: two products of ``X`` 's size with r vectors for each inner gradient. The
    projections take O(m r), and O(m r log m) for p infinity, of which no sum is over samples.

    Notes
    -----
    The objective may rise, unless ``safeguard``; the best factors met are kept. Columns of H are
    independent given W, so that all groups take one step together, with one step size.
    ``transform`` and ``certificate`` are exact. New samples are in no group: their representation
    has the least loss, under ``upper`` if that bounds W.

    Departures
    ----------
    Where only one factor is constrained or penalised, shrinking it and growing the other makes
    the problem that of plain MahNMF, which the text does not say; hence ``upper``. With
    ``upper=inf`` that escape is open. For the same reason a start whose free factor leaves the
    box is scaled into it, component by component, which moves the scale to the other. The text
    projects absolute values; a negative entry must become 0 instead. The share that the text
    takes of the norm at the start is lost.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 4.3, Eqs. (40)-(57).
    """

    groups: Any = None
    sample_groups: Any = None
    form: str = "constraint"
    p: int | float | str = "inf"
    bound: float = 0.5
    alpha: float = 1.0
    beta: float = 0.0
    upper: float = 1.0

    loss: ClassVar[str | None] = None
    rescaled: ClassVar[bool] = False
    unlike_transform: ClassVar[str | None] = UNFINISHED

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_choice(self.form, "form", ("constraint", "penalty"))
        if self.p not in (2, "inf", np.inf):
            raise ValueError(f"p must be 2 or 'inf', got {self.p!r}.")
        check_number(self.bound, "bound", above=0)
        for name in ("alpha", "beta"):
            check_number(getattr(self, name), name, at_least=0)
        check_number(self.upper, "upper", above=0, finite=False)

    def _tiny_problem(self):
        params, X = super()._tiny_problem()
        harmless = {"groups": None, "sample_groups": None, "bound": 1.0, "alpha": 1e-3, "beta": 0.0}
        return params | harmless, X

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        features = check_groups(self.groups, X.shape[1])
        samples = check_groups(self.sample_groups, X.shape[0], name="sample_groups", of="samples")
        if rng is not None:  # not for a single sub-problem, whose basis stays as it is
            for free, other, bounded in (
                (s.W, s.Ht, self._boxes("W")),
                (s.Ht, s.W, self._boxes("H") and not self._boxes("W")),
            ):
                if bounded:
                    excess = np.maximum(free.max(axis=0) / self.upper, 1).astype(X.dtype)
                    free /= excess
                    other *= excess
        s.proxes = {
            "W": self._prox_of(s.W, samples, self.beta, self._boxes("W")),
            "H": self._prox_of(s.Ht, features, self.alpha, self._boxes("H")),
        }
        if rng is not None:
            s.proxes["W"](s.W, 0.0)
            s.proxes["H"](s.Ht, 0.0)
        s.features = features
        return s

    def _boxes(self, factor):
        """Whether ``upper`` bounds the factor, as nothing else does."""
        if self.form == "penalty":
            return not (self.beta if factor == "W" else self.alpha)
        return factor == "W" and self.sample_groups is None

    def _prox_of(self, factor, groups, weight, boxed):
        if boxed:
            return Box(self.upper)
        p = float(self.p)
        if self.form == "penalty":
            return GroupPenalty(groups, p, weight)
        return GroupBall(groups, p, [self.bound * group_norm(factor[g], p) for g in groups])

    def _prox(self, s, varies):
        return s.proxes[varies]

    def _descend(self, X, s, varies, mu):
        start, other = (s.W, s.Ht) if varies == "W" else (s.Ht, s.W)
        if isinstance(s.proxes[varies], GroupPenalty) and not other.any():
            return np.zeros_like(start)
        return super()._descend(X, s, varies, mu)

    def _objective(self, X, s):
        total = super()._objective(X, s)
        for factor, prox in ((s.W, s.proxes["W"]), (s.Ht, s.proxes["H"])):
            if isinstance(prox, GroupPenalty):
                total += prox.value(factor)
        return total

    def _finish(self, X, s):
        super()._finish(X, s)
        self.group_norms_ = group_norms(s.Ht, s.features, float(self.p))
        ball = s.proxes["H"]
        free = np.full(len(s.features), np.inf)
        self.bounds_ = np.array(ball.radii) if isinstance(ball, GroupBall) else free

    def _project(self, X):
        if not self._boxes("W"):
            return super()._project(X)
        return project_manhattan_box(X, self._basis(X), self.upper)

    def _certify(self, X):
        if not self._boxes("W") or not np.isfinite(self.upper):
            return super()._certify(X)
        return certify_manhattan_box(X, self.components_, self.upper)
