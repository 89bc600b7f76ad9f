"""MahNMF in a box, by rank-one residual iteration."""

from dataclasses import dataclass

from nmfbench.core.registry import register_solver
from nmfbench.solvers.manhattan.box import BaseBoxed
from nmfbench.solvers.manhattan.rri import BaseRRI


@register_solver(
    "mahnmf-bc-rri",
    name="MahNMF-BC (RRI)",
    family="manhattan",
    paper="mahnmf",
    reference="Guan et al. 2012",
    cost=("nmr",),
    monotone=True,
)
@dataclass(eq=False, repr=False, kw_only=True)
class MahNMFBCRRI(BaseBoxed, BaseRRI):
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

    Notation
    --------
    The paper's V, W, H are our X.T, Ht, W.T.

    Cost
    ----
    Per iteration: :math:`O(nmr)` expected; memory for two residuals. On sparse data
    :math:`O(r\,\mathrm{nnz}(X) + (n+m)r)`.

    Notes
    -----
    The objective never rises; fixed points are coordinate-wise optima, as without a box. Both
    factors are bounded, so components are not rescaled.

    Departures
    ----------
    ``transform`` and ``certificate`` are exact, by a simplex method that makes sparse rows dense, a
    block at a time.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 4.1.
    """

    def _bound(self):
        return self.upper
