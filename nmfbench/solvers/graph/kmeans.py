"""K-means of the scaled samples."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import mean_variance_axis

from nmfbench.registry import register_solver
from nmfbench.solvers.graph.clusterers import ClusteringByKMeans

__all__ = ["KMeans"]


@register_solver(
    "kmeans",
    name="K-means",
    family="graph",
    reference="Lloyd 1982; Arthur & Vassilvitskii 2007",
)
@dataclass(eq=False, repr=False, kw_only=True)
class KMeans(ClusteringByKMeans):
    r""":class:`sklearn.cluster.KMeans` of the scaled samples, as a factorization.

    .. math:: \min_{W,H} \|X-WH\|_F^2, \qquad W \in \{0,1\}^{n\times r}, \quad W 1 = 1

    The rows of H, ``components_``, are the centres, and W says to which a sample belongs.

    Parameters
    ----------
    n_components, random_state, scale, n_init, init, max_iter, tol
        See :class:`~nmfbench.solvers.graph.clusterers.ClusteringByKMeans`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), of int

    Notes
    -----
    *Paper notation:* the paper only names the method.

    Cost per iteration: distances of n samples to r centres, :math:`O(nmr)`, for each start.

    The objective never rises from iteration to iteration, but the trace has only the start, all
    samples around their mean, and the end. With more clusters than distinct samples some are
    empty.

    *Departures.* ``transform`` is non-negative least squares on the centres, as everywhere in
    this family, not membership.

    References
    ----------
    Guo, Ding & Zhou (2014), Section 4.1 and Tables 3-4, where it is the base method; Arthur &
    Vassilvitskii (2007), k-means++: the advantages of careful seeding.
    """

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        if sp.issparse(s.X):
            variances = mean_variance_axis(s.X.astype(np.float64), axis=0)[1]
        else:
            variances = s.X.var(axis=0, dtype=np.float64)
        s.value = float(s.X.shape[0] * variances.sum())
        return s

    def _sweep(self, X, s):
        model = self._cluster(X, s)
        s.Ht = np.ascontiguousarray(model.cluster_centers_.T)
        s.value = float(model.inertia_)

    def _value(self, X, s):
        return s.value
