"""Normalised cuts: spectral clustering of the neighbour graph alone."""

from dataclasses import dataclass

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.solvers.graph.base import BaseGraph
from nmfbench.solvers.graph.clusterers import ClusteringByKMeans
from nmfbench.solvers.graph.spectral import spectral_rows

__all__ = ["NCuts", "normalized_cut"]


@register_solver(
    "ncuts",
    name="NCuts",
    family="graph",
    reference="Shi & Malik 2000; Ng, Jordan & Weiss 2001",
    cost=("nrr",),
    properties=("locality", "discriminability", "nontrivial"),
    wraps="scikit-learn",
)
@dataclass(eq=False, repr=False, kw_only=True)
class NCuts(ClusteringByKMeans, BaseGraph):
    r"""Spectral clustering: a relaxed normalised cut of the graph of the samples.

    .. math:: \min_{C_1,\dots,C_r} \sum_k \frac{\operatorname{cut}(C_k)}{\operatorname{vol}(C_k)}
              = r - \max \operatorname{tr} F^T D^{-1/2} S D^{-1/2} F,

    where the columns of F are :math:`D^{1/2}` times the indicators of the clusters, with unit
    norm. Relaxed to orthonormal columns, F is made of the eigenvectors of the r smallest
    eigenvalues of the normalised Laplacian; K-means of its rows, which get unit norm, gives the
    clusters. What a solver of this family adds to its graph shows against this one.

    Parameters
    ----------
    n_neighbors, affinity
        See :class:`~nmfbench.solvers.graph.base.BaseGraph`.
    n_components, random_state, scale, n_init, init, max_iter, tol
        See :class:`~nmfbench.solvers.graph.clusterers.ClusteringByKMeans`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), of int
    objective_ : float
        The normalised cut, in which a cluster without edges counts 1: so one cluster of all has
        r - 1, which is also what a random partition has on average.

    Notation
    --------
    Shi & Malik's W, D are our S, D.

    Cost
    ----
    Some products of the sparse S with a vector for each eigenvector, and :math:`O(nr^2)` for
    each iteration of K-means. No dense n x n array beyond a few hundred samples.

    Notes
    -----
    ``fit_transform`` gives the indicator of the clusters, and ``components_`` are the means of
    their scaled samples.

    Nothing is promised of the normalised cut: eigenvectors solve the relaxation, and K-means
    rounds them.

    Departures
    ----------
    The eigenvectors of connected components are taken as they are known to be. A graph with
    more components than clusters has any choice of r of them at no cost; those of largest
    volume are taken, and the others go together. A sample without neighbours has a zero row,
    and does not matter to the cut.

    References
    ----------
    Shi & Malik (2000), Normalized cuts and image segmentation; Ng, Jordan & Weiss (2001), On
    spectral clustering: analysis and an algorithm. Not in the tables of Guo, Ding & Zhou (2014).
    """

    def _sweep(self, X, s):
        self._cluster(spectral_rows(s.affinity, s.W.shape[1], s.rng), s)

    def _value(self, X, s):
        return normalized_cut(s.affinity, s.labels, s.W.shape[1])


def normalized_cut(S, labels, k):
    """Sum over ``k`` clusters of the share of their volume that edges to others have.

    A cluster without edges, such as an empty one, counts 1.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> S = sp.csr_array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> round(normalized_cut(S, np.array([0, 0, 1]), 2), 4)
    1.3333
    """
    i, j = S.tocoo().coords
    volume = np.bincount(labels[i], weights=S.data, minlength=k)
    within = np.bincount(labels[i], weights=S.data * (labels[i] == labels[j]), minlength=k)
    return float(k - (within / np.where(volume > 0, volume, 1)).sum())
