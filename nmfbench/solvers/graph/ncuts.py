"""Normalised cuts: spectral clustering of the neighbour graph alone."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_choice
from nmfbench.optim import graphs
from nmfbench.solvers.graph.base import BaseGraph
from nmfbench.solvers.graph.clusterers import ClusteringByKMeans
from nmfbench.solvers.graph.spectral import spectral_rows, spectral_vectors

__all__ = ["Cut", "NCuts", "best_cut", "normalized_cut", "recursive_cuts"]

_THRESHOLDS = 20  # of an eigenvector, evenly spaced
_NO_DEGREE = 1e-10


@register_solver(
    "ncuts",
    name="Ncuts",
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

    The older form cuts the graph in two, and then its parts, each by one eigenvector.

    Parameters
    ----------
    mode : {"vectors", "recursive"}, default="vectors"
        K-means of r eigenvectors; or cuts in two, one after the other, see
        :func:`recursive_cuts`. These use neither ``n_init``, ``init``, ``max_iter`` nor ``tol``.
    self_similarity : bool, default=False
        Keep the diagonal of ``affinity``, which counts in the degrees; otherwise it is dropped.
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
    each iteration of K-means. No dense n x n array beyond a few hundred samples. Recursive cuts
    need the second eigenvector of each of up to 2r - 2 parts, and one product of its S with 20
    vectors.

    Notes
    -----
    ``fit_transform`` gives the indicator of the clusters, and ``components_`` are the means of
    their scaled samples.

    Nothing is promised of the normalised cut: eigenvectors solve the relaxation, and K-means or
    thresholds round them. ``n_iter_`` is that of K-means, or the number of parts cut out.

    Departures
    ----------
    The eigenvectors of connected components are taken as they are known to be. A graph with
    more components than clusters can choose any r of them at no cost; the components of largest
    volume are taken, and the others go together. A sample without neighbours has a zero row, and
    does not matter to the cut.

    Shi & Malik stop cutting at a bound of the cut or at an unstable eigenvector; here the number
    of clusters is given, as for Guan et al. (2012), and the part that costs least is cut next. A
    part without edges is never cut, so that there may be fewer clusters.

    References
    ----------
    Shi & Malik (2000), Normalized cuts and image segmentation, Section 3: recursive cuts; Ng,
    Jordan & Weiss (2001), On spectral clustering: analysis and an algorithm: r eigenvectors. Not
    in the tables of Guo, Ding & Zhou (2014).
    """

    mode: str = "vectors"
    self_similarity: bool = False  # type: ignore[misc]  # of the base a constant

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_choice(self.mode, "mode", ("vectors", "recursive"))

    def _sweep(self, X, s):
        r = s.W.shape[1]
        if self.mode == "recursive":
            labels = recursive_cuts(s.affinity, r, s.rng)
            s.n_iter = int(labels.max()) + 1
            self._assign(labels, s)
        else:
            self._cluster(spectral_rows(s.affinity, r, s.rng), s)

    def _converged(self, s, trace):
        return self.mode == "recursive" or super()._converged(s, trace)

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


class Cut(NamedTuple):
    """A cut of a graph in two.

    Attributes
    ----------
    value : float
        Normalised cut, infinite if there is none.
    side : ndarray of bool of shape (n_samples,)
        Samples that are not with the first.
    """

    value: float
    side: np.ndarray


def best_cut(S, rng):
    r"""Cut a graph in two where its second eigenvector says.

    With v the eigenvector of the second smallest eigenvalue of the normalised Laplacian, the
    sides are :math:`D^{-1/2} v \le t` and :math:`> t`, at the best of 20 thresholds t, evenly
    spaced between the smallest and the largest entry.

    Parameters
    ----------
    S : CSR array of shape (n_samples, n_samples)
        Symmetric and non-negative.
    rng : Generator
        Starts the Lanczos iteration.

    Returns
    -------
    Cut
        A part without edges has none. Of a graph that is not connected it costs nothing.

    References
    ----------
    Shi & Malik (2000), Normalized cuts and image segmentation, Section 3.1.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> path = sp.csr_array(np.diag([9.0, 1.0, 9.0], 1) + np.diag([9.0, 1.0, 9.0], -1))
    >>> value, side = best_cut(path, np.random.default_rng(0))
    >>> round(value, 4), side.astype(int)
    (0.1053, array([0, 0, 1, 1]))
    """
    n = S.shape[0]
    d = graphs.degrees(S)
    if n < 2 or not d.any():
        return Cut(np.inf, np.zeros(n, dtype=bool))
    y = spectral_vectors(S, 2, rng)[:, 1] / np.sqrt(np.maximum(d, _NO_DEGREE))
    thresholds = np.linspace(y.min(), y.max(), _THRESHOLDS + 2)[1:-1]
    sides = (y[:, None] > thresholds).astype(np.float64)
    volume = d @ sides
    within = np.einsum("ij,ij->j", sides, S @ sides)
    cut = np.maximum(volume - within, 0)  # never below 0 by rounding
    values = sum(
        np.where(part > 0, cut / np.where(part > 0, part, 1), 1)
        for part in (volume, d.sum() - volume)
    )
    values = np.where(sides.any(axis=0), values, np.inf)
    best = values.argmin()
    side = sides[:, best] > 0
    return Cut(float(values[best]), side ^ side[0])


def recursive_cuts(S, k, rng):
    """Cut a graph into ``k`` parts, one cut after the other, each time where it costs least.

    The cost of cutting a part is the normalised cut of :func:`best_cut` within it.

    Parameters
    ----------
    S : CSR array of shape (n_samples, n_samples)
        Symmetric and non-negative.
    k : int
    rng : Generator

    Returns
    -------
    labels : ndarray of int of shape (n_samples,)
        Below ``k``; in the order of the cuts, in which the side of the first sample keeps its
        label. There are fewer where no part has edges any more.

    References
    ----------
    Shi & Malik (2000), Normalized cuts and image segmentation, Section 3.
    """
    labels = np.zeros(S.shape[0], dtype=np.int32)
    cuts = [best_cut(S, rng)] if k > 1 else []
    for new in range(1, k):
        cheapest = int(np.argmin([cut.value for cut in cuts]))
        if cuts[cheapest].value == np.inf:
            break
        labels[np.flatnonzero(labels == cheapest)[cuts[cheapest].side]] = new
        if new == k - 1:
            break
        parts = (np.flatnonzero(labels == label) for label in (cheapest, new))
        cuts[cheapest], other = (best_cut(S[part][:, part], rng) for part in parts)
        cuts.append(other)
    return labels
