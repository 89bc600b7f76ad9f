"""K-means of the scaled samples."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches
from sklearn.utils.extmath import row_norms

from nmfbench.core.registry import register_solver
from nmfbench.solvers.graph.clusterers import ClusteringByKMeans

__all__ = ["KMeans"]


@register_solver(
    "kmeans",
    name="K-means",
    family="graph",
    reference="Lloyd 1982; Arthur & Vassilvitskii 2007",
    cost=("nmr",),
    properties=("discriminability", "nontrivial"),
    wraps="scikit-learn",
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

    Notation
    --------
    The paper only names the method.

    Cost
    ----
    Per iteration: distances of n samples to r centres, :math:`O(nmr)`, for each start.

    Notes
    -----
    The objective never rises from iteration to iteration, but the trace has only the start, all
    samples around their mean, and the end. With more clusters than distinct samples some are
    empty.

    Departures
    ----------
    ``transform`` is non-negative least squares on the centres, as everywhere in this family,
    not membership.

    References
    ----------
    Guo, Ding & Zhou (2014), Section 4.1 and Tables 3-4, where it is the base method; Arthur &
    Vassilvitskii (2007), k-means++: the advantages of careful seeding.
    """

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.W[:, 0] = 1
        s.Ht[:, 0] = np.asarray(s.X.mean(axis=0)).ravel()
        return s

    def _sweep(self, X, s):
        self._cluster(X, s)

    def _value(self, X, s):
        if sp.issparse(X):
            squared = X.multiply(X).sum(dtype=np.float64)
            centres = np.einsum("jk,jk->k", s.Ht, s.Ht, dtype=np.float64)
            return max(float(squared - s.W.sum(axis=0, dtype=np.float64) @ centres), 0.0)
        centres = np.ascontiguousarray(s.Ht.T)
        blocks = gen_batches(len(X), max(1, _BLOCK // X.shape[1]))
        return sum(
            float(row_norms(X[b] - centres[s.labels[b]], squared=True).sum(dtype=np.float64))
            for b in blocks
        )


_BLOCK = 1 << 18  # entries of differences in memory at once
