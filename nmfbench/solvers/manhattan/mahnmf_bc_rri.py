"""MahNMF in a box, by rank-one residual iteration."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.projections.manhattan_box import certify_manhattan_box, project_manhattan_box
from nmfbench.registry import register_solver
from nmfbench.solvers.manhattan.rri import BaseRRI


@register_solver(
    "mahnmf-bc-rri",
    name="MahNMF-BC (RRI)",
    family="manhattan",
    paper="mahnmf",
    reference="Guan et al. 2012",
    monotone=True,
)
@dataclass(eq=False, repr=False, kw_only=True)
class MahNMFBCRRI(BaseRRI):
    r"""Rank-one residual iteration for :math:`\min \|X-WH\|_1` over :math:`0\le W,H\le b`.

    The weighted median of MahNMF (RRI), cut to [0, b], which is exact by convexity.

    Parameters
    ----------
    upper : float, default=1.0
        The bound b, positive. The default suits data in [0, 1].
    inner_sweeps, inner_tol, median, revive
        See :class:`~nmfbench.solvers.manhattan.rri.BaseRRI`.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.manhattan.base.BaseManhattan`. Starts are clipped to the box.

    Notes
    -----
    *Paper notation:* the paper's V, W, H are our X.T, Ht, W.T.

    Cost per iteration: :math:`O(nmr)` expected; memory for two residuals.

    The objective never rises; fixed points are coordinate-wise optima, as without a box. Both
    factors are bounded, so components are not rescaled.

    *Departures.* ``transform`` and ``certificate`` are exact, by a simplex method.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 4.1.
    """

    upper: float = 1.0

    rescaled: ClassVar[bool] = False

    def _bound(self):
        return self.upper

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        if not self.upper > 0:
            raise ValueError(
                f"upper must be positive, got {self.upper}: the factors have entries between 0 "
                "and upper."
            )

    def _project(self, X):
        return project_manhattan_box(X, self._basis(X), self.upper)

    def _certify(self, X):
        if not np.isfinite(self.upper):
            return super()._certify(X)
        return certify_manhattan_box(X, self.components_, self.upper)
