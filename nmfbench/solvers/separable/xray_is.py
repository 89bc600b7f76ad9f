"""XRAY under the Itakura-Saito divergence."""

from dataclasses import dataclass

from nmfbench.core.registry import register_solver
from nmfbench.optim.projections.bregman import GENERATORS, fit_itakura_saito, project_itakura_saito
from nmfbench.solvers.separable.bregman_xray import BaseBregmanXRAY


@register_solver(
    "xray-is",
    name="XRAY-IS",
    family="separable",
    paper="robust-xray",
    reference="Kumar & Sindhwani 2015",
    cost=("nmr",),
    nested=True,
    monotone=True,
    version=2,
)
@dataclass(eq=False, repr=False, kw_only=True)
class XRAYIS(BaseBregmanXRAY):
    r"""XRAY for exponential data: the Itakura-Saito divergence (multiplicative noise).

    .. math:: \min_{A, W \ge 0} \sum_{ij} \frac{X_{ij}}{Y_{ij}} - \log \frac{X_{ij}}{Y_{ij}} - 1,
        \qquad Y = W X_A

    A step takes the row ``i`` with the largest divergence and then the anchor
    :math:`\arg\max_j (X_i / Y_i^2 - 1 / Y_i)^T x_j / p^T x_j`.

    Parameters
    ----------
    selection, p, first, floor, tol, max_sweeps
        As in :class:`BaseBregmanXRAY`. The data are raised to the floor too.

    Notation
    --------
    Their columns :math:`X_j` are our rows, their :math:`H` is our ``W.T``.

    Cost
    ----
    Per iteration: :math:`O(nmr^2)` at most for each step of the projection.

    Notes
    -----
    The divergence is not convex in ``Y``: each projection restarts from positive coefficients, and
    goes on from the last one where that is worse. So the objective never rises, but no projection
    need be the global minimum.

    Departures
    ----------
    The divergence is undefined at zero, so that data with zeros depend on the floor; sparse
    data are refused. Of the first anchor the paper says nothing.

    References
    ----------
    Kumar & Sindhwani (2015), Section 4.
    """

    accepts_sparse = False
    convex = False
    generator = GENERATORS["itakura-saito"]

    def _fit_rows(self, X, H, W0):
        return fit_itakura_saito(X, H, W0, **self._projection_settings)

    def _project(self, X):
        return project_itakura_saito(X, self.components_, **self._projection_settings)

    def _row_scale(self, s):
        return s.data.shape[1]

    def _data_floor(self, s):
        return s.floor
