"""XRAY under the Kullback-Leibler divergence."""

from dataclasses import dataclass

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.optim.projections.bregman import GENERATORS, certify_kl, fit_kl, project_kl
from nmfbench.solvers.separable.bregman_xray import BaseBregmanXRAY


@register_solver(
    "xray-kl",
    name="XRAY-KL",
    family="separable",
    paper="robust-xray",
    reference="Kumar & Sindhwani 2015",
    cost=("nmr",),
    nested=True,
    monotone=True,
    version=2,
)
@dataclass(eq=False, repr=False, kw_only=True)
class XRAYKL(BaseBregmanXRAY):
    r"""XRAY for counts: the generalised Kullback-Leibler divergence (Poisson noise).

    .. math:: \min_{A, W \ge 0} \sum_{ij} X_{ij} \log \frac{X_{ij}}{Y_{ij}} - X_{ij} + Y_{ij},
        \qquad Y = W X_A

    A step takes the row ``i`` with the largest divergence and then the anchor
    :math:`\arg\max_j (X_i / Y_i - 1)^T x_j / p^T x_j`.

    Parameters
    ----------
    tol : float, default=1e-10
        Duality gap at which the projection of a row stops, relative to its divergence.
    selection, p, first, floor, max_sweeps
        As in :class:`BaseBregmanXRAY`.

    Notation
    --------
    Their columns :math:`X_j` are our rows, their :math:`H` is our ``W.T``.

    Cost
    ----
    Per iteration: ``O(r nnz(X))`` for each sweep of the projection.

    Notes
    -----
    The projection is convex, and no row of it ends worse than the last one left it: the
    objective never rises.

    Departures
    ----------
    Where no anchor covers an entry of ``X`` the divergence is infinite; below the floor, its
    logarithm is continued by its tangent. Of the first anchor the paper says nothing.

    References
    ----------
    Kumar & Sindhwani (2015), Section 4.
    """

    tol: float = 1e-10

    generator = GENERATORS["kl"]

    def _fit_rows(self, X, H, W0):
        return fit_kl(X, H, W0, **self._projection_settings)

    def _project(self, X):
        return project_kl(X, self.components_, **self._projection_settings)

    def _certify(self, X):
        return certify_kl(X, self.components_, **self._projection_settings)

    def _row_scale(self, s):
        return np.asarray(s.data.sum(axis=1)).ravel()
