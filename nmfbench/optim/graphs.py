"""Neighbour graphs of the samples: affinity, Laplacian, smoothness. Always sparse."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances_chunked
from sklearn.utils import gen_batches
from sklearn.utils.extmath import row_norms

from nmfbench.core.validation import check_choice, check_count

__all__ = [
    "GraphCache",
    "check_affinity",
    "degrees",
    "knn_affinity",
    "laplacian",
    "laplacian_norm",
    "shared_graphs",
    "smoothness",
]

_ROUNDING = 1e-12  # of a squared distance made from products, relative to the squared norms
_BLOCK = 1 << 18  # entries of differences in memory at once
_MEBIBYTES = 16  # of distances in memory at once


class GraphCache:
    """The graphs used last, for fits to the same data, or what else is made of data alone.

    See :func:`shared_graphs`.

    Parameters
    ----------
    size : int, default=16
        Graphs kept: of the samples and of the features, for a few numbers of neighbours.
    """

    def __init__(self, size=16):
        self.size = size
        self.graphs = OrderedDict()  # the one used last is the last

    def get(self, key, make):
        """The graph of a key, which ``make`` makes if it is not there."""
        if key not in self.graphs:
            self.graphs[key] = make()
            if len(self.graphs) > self.size:
                self.graphs.popitem(last=False)
        self.graphs.move_to_end(key)
        return self.graphs[key]


_cache: ContextVar[GraphCache | None] = ContextVar("cache of graphs", default=None)


@contextmanager
def shared_graphs(cache: GraphCache):
    """While this context lasts, :func:`knn_affinity` takes graphs from ``cache``, and adds to it.

    For a grid of fits to the same data. What is timed should not be within: the first fit would
    pay for the others. Outside of such a context nothing is kept.
    """
    token = _cache.set(cache)
    try:
        yield
    finally:
        _cache.reset(token)


def knn_affinity(X, n_neighbors=5, *, weights="binary"):
    r"""Affinity of the graph that joins every sample to its nearest neighbours.

    Samples i and l are joined if either is among the ``n_neighbors`` nearest of the other in
    Euclidean distance. A sample is not its own neighbour, but its duplicates are. Ties go to the
    lower index, so the graph depends neither on the number of threads nor on rounding.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    n_neighbors : int, default=5
        No more than ``n_samples - 1`` are used, as there are no more.
    weights : {"binary", "heat"}, default="binary"
        1 for each edge, or :math:`\exp(-d^2/t)` with d its length and t the mean of
        :math:`d^2` over the edges.

    Returns
    -------
    S : CSR array of shape (n_samples, n_samples), float64
        Symmetric and non-negative, with a zero diagonal. A row has at least ``n_neighbors``
        entries, unless there are too few samples.

    Notes
    -----
    A matrix product of the cost :math:`O(n^2 m)` gives all distances, a block of rows at a time;
    only distances that rounding could confuse at the last place are recomputed.

    Examples
    --------
    >>> knn_affinity(np.array([[0.0], [1.0], [5.0]]), 1).toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    check_count(n_neighbors, "n_neighbors")
    check_choice(weights, "weights", ("binary", "heat"))
    n = X.shape[0]
    k = min(n_neighbors, n - 1)
    if k == 0:
        return sp.csr_array((n, n))
    X = X.astype(np.float64, copy=False)
    cache = _cache.get()
    if cache is None:
        return _knn_affinity(X, k, weights)
    key = (_digest(X), k, weights)
    return cache.get(key, lambda: _knn_affinity(X, k, weights)).copy()


def _digest(X):
    """Hash of samples; of sparse ones, also of how they are stored."""
    found = hashlib.blake2b(repr(X.shape).encode(), digest_size=16)
    parts: Any = (X.data, X.indices, X.indptr) if sp.issparse(X) else (np.ascontiguousarray(X),)
    for part in parts:
        found.update(part)
    return found.digest()


def _knn_affinity(X, k, weights):
    n = X.shape[0]
    neighbors = np.vstack(list(_nearest(X, k)))
    rows, cols = np.repeat(np.arange(n), k), neighbors.ravel()
    S = sp.csr_array((np.ones(n * k), (rows, cols)), shape=(n, n))
    S = S.maximum(S.T).tocsr()
    if weights == "heat":
        edges = S.tocoo()
        squared = _squared_distances(X, *edges.coords)
        S.data = np.exp(-squared / (squared.mean() or 1.0))
    return S


def _nearest(X, k):
    """Blocks of rows of the indices of the k nearest samples, the nearest first."""
    norms = row_norms(X, squared=True)
    largest = norms.max()

    def choose(D, start):
        i = np.arange(len(D))
        D[i, start + i] = np.inf
        last = np.partition(D, k - 1, axis=1)[:, k - 1]
        last += _ROUNDING * (norms[start + i] + largest)
        rows, cols = np.nonzero(last[:, None] >= D)
        exact = _squared_distances(X, start + rows, cols)
        rows, cols = np.array([rows, cols])[:, np.lexsort((cols, exact, rows))]
        first = np.searchsorted(rows, i)
        return cols[first[:, None] + np.arange(k)]

    return pairwise_distances_chunked(
        X, reduce_func=choose, metric="euclidean", squared=True, working_memory=_MEBIBYTES
    )


def _squared_distances(X, i, j):
    """Of pairs of rows, without cancellation."""
    found = np.empty(len(i))
    for block in gen_batches(len(i), max(1, _BLOCK // X.shape[1])):
        found[block] = row_norms(X[i[block]] - X[j[block]], squared=True)
    return found


def check_affinity(affinity, n_samples, *, diagonal=False):
    """Validate an affinity given by the user.

    Parameters
    ----------
    affinity : array-like or sparse matrix of shape (n_samples, n_samples)
        Symmetric and non-negative. A sample may have no neighbours.
    n_samples : int
    diagonal : bool, default=False
        Keep the diagonal. It does not matter to a Laplacian ``diag(degrees) - S``, but counts in
        the degrees, and so in a normalised one.

    Returns
    -------
    S : CSR array, float64, without explicit zeros

    Raises
    ------
    ValueError
        If it has another shape, or entries that are negative, not finite or not symmetric.
    """
    S = sp.csr_array(affinity, dtype=np.float64, copy=True)
    if S.shape != (n_samples, n_samples):
        raise ValueError(
            f"affinity has shape {S.shape}, but X has {n_samples} samples: pass "
            f"({n_samples}, {n_samples})."
        )
    if not np.isfinite(S.data).all():
        raise ValueError("affinity has NaN or infinite entries.")
    if S.nnz and S.data.min() < 0:
        raise ValueError(f"affinity has negative entries (smallest {S.data.min():.4g}).")
    difference = abs(S - S.T)
    if difference.nnz and difference.max() > 1e-8 * S.data.max():
        raise ValueError(
            f"affinity is not symmetric (largest difference {difference.max():.4g}). Pass "
            "(S + S.T) / 2, or the elementwise maximum of S and S.T."
        )
    S.sum_duplicates()
    if not diagonal:
        S.data[S.indices == np.repeat(np.arange(n_samples), np.diff(S.indptr))] = 0
    S.eliminate_zeros()
    return S


def degrees(S):
    """Sums of the rows of an affinity, of shape (n_samples,)."""
    return np.asarray(S.sum(axis=1)).ravel()


def laplacian(S):
    """``diag(degrees) - S``, a CSR array."""
    return (sp.diags_array(degrees(S)) - S).tocsr()


def laplacian_norm(S):
    r"""Upper bound of the spectral norm of the Laplacian: the largest sum of degrees of an edge.

    It is at most twice the largest degree, and the norm itself on a regular bipartite graph.

    References
    ----------
    Anderson & Morley (1985), Eigenvalues of the Laplacian of a graph.
    """
    if S.nnz == 0:
        return 0.0
    d = degrees(S)
    i, j = S.tocoo().coords
    return float((d[i] + d[j]).max())


def smoothness(S, W):
    r""":math:`\operatorname{tr}(W^T L W) = \frac12 \sum_{il} S_{il} \|w_i - w_l\|^2`.

    Parameters
    ----------
    S : CSR array of shape (n_samples, n_samples)
        Affinity, symmetric; L is its Laplacian.
    W : ndarray of shape (n_samples, r)

    Returns
    -------
    float
        Computed from the differences, so that it is never negative, and zero if W is constant.

    Examples
    --------
    >>> S = sp.csr_array([[0.0, 2.0], [2.0, 0.0]])
    >>> smoothness(S, np.array([[1.0, 1.0], [4.0, 1.0]]))
    18.0
    """
    if S.nnz == 0:
        return 0.0
    i, j = S.tocoo().coords
    total = 0.0
    for block in gen_batches(len(i), max(1, _BLOCK // W.shape[1])):
        difference = W[i[block]].astype(np.float64) - W[j[block]]
        total += np.einsum("e,ek,ek->", S.data[block], difference, difference)
    return 0.5 * float(total)
