"""MahNMF in a box, by smoothing: every sub-problem ends with a proof of how good it is."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_count
from nmfbench.solvers.bases.loop import UNFINISHED
from nmfbench.solvers.manhattan.box import BaseBoxed
from nmfbench.solvers.manhattan.smoothed import BaseSmoothed
from nmfbench.solvers.manhattan.smoothing import Box, DualityGap


@register_solver(
    "mahnmf-bc-ogm",
    name="MahNMF-BC (OGM)",
    family="manhattan",
    paper="mahnmf",
    reference="Guan et al. 2012",
    cost=("nmr",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class MahNMFBCOGM(BaseBoxed, BaseSmoothed):
    r"""Smoothing method for :math:`\min \|X-WH\|_1` over :math:`0\le W,H\le b`.

    Parameters
    ----------
    upper : float, default=1.0
        The bound b, positive. The default suits data in [0, 1].
    stop : {"gap", "gradient", "objective"}, default="gap"
        What ends a sub-problem: the duality gap, which a box makes computable, or what ends those
        of :class:`~nmfbench.solvers.manhattan.mahnmf_ogm.MahNMFOGM`.
    inner_tol : float, default=1e-2
        With ``stop="gap"``, the objective of a sub-problem may be this share above a lower bound
        of its minimum, and a quarter of the error of smoothing in addition.
    check_every : int, optional
        Steps from one look at the objective, or at the gap, to the next; by default 1, or 10.
    mu0, decay, lipschitz, inner_max_iter, monotone, restart, safeguard
        See :class:`~nmfbench.solvers.manhattan.smoothed.BaseSmoothed`.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.manhattan.base.BaseManhattan`. Starts are clipped to the box.

    Notation
    --------
    The paper's V, W, H are our X.T, Ht, W.T.

    Cost
    ----
    Per iteration: two products of ``X`` 's size with r vectors for each inner gradient, and one
    more for each look at the gap. The averaged dual variable of Eq. (25) takes no memory of its
    own.

    Notes
    -----
    The objective may rise. Both factors are bounded, so components are not rescaled.

    Departures
    ----------
    A sub-problem may leave, beyond ``inner_tol``, a quarter of the error :math:`\mu n D / 2`
    that smoothing makes (Theorem 1): early ones, much smoothed, would never end otherwise.
    ``transform`` and ``certificate`` are exact, by a simplex method. With ``stop="gap"`` there
    is no ``restart``, as the average begins at the start.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 4.1, Eqs. (25)-(31).
    """

    stop: str = "gap"
    check_every: int | None = None  # type: ignore[misc]  # of the base a constant

    _stops: ClassVar[tuple] = ("gap", *BaseSmoothed._stops)
    unlike_transform: ClassVar[str | None] = UNFINISHED

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_count(self.check_every, "check_every", optional=True)
        if self.stop == "gap" and not np.isfinite(self.upper):
            raise ValueError("upper is infinite, so there is no duality gap: use stop='gradient'.")
        if self.stop == "gap" and self.restart:
            raise ValueError("restart=True needs stop='gradient' or stop='objective'.")

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        np.minimum(s.W, self.upper, out=s.W)
        if rng is not None:  # the basis of a single sub-problem stays as it is
            np.minimum(s.Ht, self.upper, out=s.Ht)
        return s

    def _prox(self, s, varies):
        return Box(self.upper)

    def _stop_of(self, loss, s):
        if self.stop != "gap":
            return super()._stop_of(loss, s)
        return DualityGap(loss, self.upper, self.inner_tol, slack=loss.smoothing_error / 4)
