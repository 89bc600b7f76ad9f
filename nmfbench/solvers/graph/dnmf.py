"""DNMF: factors that vary smoothly over a graph of the samples and one of the features."""

from dataclasses import dataclass

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_number
from nmfbench.optim import graphs
from nmfbench.optim.kernels.floored_ratio import graph_ratio
from nmfbench.optim.kernels.laplacian import neighbor_smoothness
from nmfbench.solvers.graph.base import csr, feature_affinity
from nmfbench.solvers.graph.gnmf import GNMF

__all__ = ["DNMF"]


@register_solver(
    "dnmf",
    name="DNMF",
    family="graph",
    reference="Shang, Jiao & Wang 2012",
    cost=("nmr",),
    monotone=True,
    properties=("features", "locality"),
)
@dataclass(eq=False, repr=False, kw_only=True)
class DNMF(GNMF):
    r"""Multiplicative updates for least squares with penalties of two graphs.

    .. math:: \min_{W,H\ge0} \|X-WH\|_F^2 + \alpha \operatorname{tr}(W^T L W)
              + \mu \operatorname{tr}(H L' H^T)

    with L the Laplacian of a graph of the samples with the affinity S and the degrees D, and
    L', S', D' the same of the graph that joins each feature to its nearest. One iteration
    updates H, then W with the new H:

    .. math:: H \leftarrow H \odot \frac{W^T X + \mu H S'}{W^T W H + \mu H D'}, \qquad
              W \leftarrow W \odot \frac{X H^T + \alpha S W}{W H H^T + \alpha D W}.

    Parameters
    ----------
    alpha : float, default=100
        Weight of the graph of the samples.
    alpha_features : float, default=100
        Weight :math:`\mu` of the graph of the features. With 0 this is GNMF.
    n_neighbors : int, default=5
        Of both graphs; see :func:`nmfbench.optim.graphs.knn_affinity`. Features are compared by
        their values in the scaled samples; features that are always zero are left out.
    affinity
        Of the samples; see :class:`~nmfbench.solvers.graph.base.BaseGraph`.
    normalize : bool, default=True
        Return components of unit length, with their lengths in W. This does not touch the fit:
        ``objective_`` is that of the factors before.
    n_components, random_state, scale, init, max_iter, tol
        See :class:`~nmfbench.solvers.graph.base.BaseScaled`.

    Notation
    --------
    Their X, U, V are our :math:`X^T`, :math:`H^T` and W, their :math:`\lambda` and :math:`\mu`
    our alpha and alpha_features.

    Cost
    ----
    Per iteration: two products of ``X`` with r vectors, :math:`O((n+m)r^2)`, and r operations
    per edge of the graphs.

    Notes
    -----
    The objective never rises, for the reason given in
    :class:`~nmfbench.solvers.graph.gnmf.GNMF`, which holds for either factor. As both are
    penalised, scale cannot escape from one to the other.

    Departures
    ----------
    As of :class:`~nmfbench.solvers.graph.gnmf.GNMF`.

    References
    ----------
    Shang, Jiao & Wang (2012), Graph dual regularization non-negative matrix factorization for
    co-clustering. Guo, Ding & Zhou (2014), Eq. (3) and Section 4, who compare with it.
    """

    alpha_features: float = 100.0

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.alpha_features, "alpha_features", at_least=0)

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.Ht = np.ascontiguousarray(s.Ht)  # whose rows are the nodes of a graph here
        s.feature_affinity = feature_affinity(s.X, self.n_neighbors)
        s.feature_degrees = graphs.degrees(s.feature_affinity)
        s.feature_sums, s.feature_ones = np.empty_like(s.Ht), np.ones(len(s.Ht))
        self._look_at_features(s)
        return s

    def _look_at_features(self, s):
        """The sums of the neighbours, which serve the next step on H, and the roughness."""
        S, sums = s.feature_affinity, s.feature_sums
        s.feature_rough = neighbor_smoothness(sums, s.Ht, s.feature_ones, *csr(S))

    def _improve_basis(self, s, cross, gram):
        d, weight = s.feature_degrees, self.alpha_features
        cross = np.ascontiguousarray(cross.T)
        graph_ratio(s.Ht, cross, s.Ht @ gram, s.feature_sums, d, weight)
        self._look_at_features(s)

    def _penalty(self, s):
        return super()._penalty(s) + self.alpha_features * s.feature_rough
