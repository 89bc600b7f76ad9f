"""INMF: incremental NMF by multiplicative updates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_count, check_number
from nmfbench.optim.kernels.incremental import incremental_updates
from nmfbench.optim.kernels.pair_sums import add_pair
from nmfbench.solvers.online.base import BaseOnline


@register_solver(
    "inmf",
    name="INMF",
    family="online",
    reference="Bucak & Gunsel 2009",
    cost=("nmrr",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class INMF(BaseOnline):
    r"""Incremental NMF: multiplicative updates of the latest coefficients and of the bases.

    .. math:: \min_{W\ge0} E_v \min_{h\ge0} \tfrac12 \|v - Wh\|^2

    With the sums :math:`A = \sum hh^T` and :math:`B = \sum vh^T` of the past, a sample v makes

    .. math:: h \leftarrow h \odot \frac{W^T v}{W^T W h}, \quad
              W \leftarrow W \odot \frac{S_o B + S_n v h^T}{S_o W A + S_n W h h^T}

    until W rests, and then joins the sums. W is not normalised, and its zeros stay.

    Parameters
    ----------
    weights : (float, float), default=(1.0, 1.0)
        :math:`S_o` and :math:`S_n`, of the past and of the new sample.
    tol : float, default=1e-4
        Stop when an update moves W by no more than this share of its norm.
    max_iter_inner : int, default=200
        Inner iterations of a step, at most.
    n_components, random_state, init, n_epochs
        See :class:`~nmfbench.solvers.online.base.BaseOnline`.

    Attributes
    ----------
    floored_denominators_ : int
        Denominators that were zero, or as good as.

    Notation
    --------
    Guan et al.'s W, V are our ``components_.T``, ``X.T``.

    Cost
    ----
    A sample: :math:`O(mr^2)` for each inner iteration.

    Departures
    ----------
    Denominators are floored at 1e-12, where the published updates fail. The weights are the ones in
    Guan et al.'s experiments, although Eq. (39) has them sum to one.

    References
    ----------
    Bucak & Gunsel (2009), Incremental subspace learning via NMF.
    Guan et al. (2012), Online NMF with robust stochastic approximation, Eqs. (39), (40).
    """

    weights: tuple[float, float] = (1.0, 1.0)
    tol: float = 1e-4
    max_iter_inner: int = 200

    on_simplex: ClassVar[bool] = False
    floor: ClassVar[float] = 1e-12
    """Denominators are no smaller."""

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        if np.shape(self.weights) != (2,):
            raise ValueError(f"weights must be two numbers, got {self.weights!r}.")
        check_number(self.weights[0], "weights[0]", at_least=0)
        check_number(self.weights[1], "weights[1]", above=0)
        check_number(self.tol, "tol", at_least=0)
        check_count(self.max_iter_inner, "max_iter_inner")

    def _prepare(self, s):
        r, m = s.H.shape
        s.A, s.B, s.floored = np.zeros((r, r)), np.zeros((r, m)), 0

    def _learn(self, V, s):
        (v,) = V
        if not v.any():
            return np.zeros((1, len(s.H)))
        h = np.full(len(s.H), v.sum() / max(s.H.sum(), self.floor))
        old, new = self.weights
        steps, floored = incremental_updates(
            s.H, h, v, s.A, s.B, old, new, self.tol, self.max_iter_inner, self.floor
        )
        s.inner += steps
        s.floored += floored
        add_pair(s.A, s.B, h, v)
        return h[None]

    def _expose(self, X, s):
        super()._expose(X, s)
        self.floored_denominators_ = s.floored
