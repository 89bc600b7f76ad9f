"""The norms of the differences along the edges of a graph, and the quadratic that lies on them."""

import numpy as np
from numba import njit

__all__ = ["pull_along_edges"]


@njit(cache=True)
def pull_along_edges(indptr, indices, data, V, squared_floor, pulled, degrees):
    r"""The sum of the norms of the differences along edges, and the graph that bounds it.

    .. math:: \sum_{i<j} S_{ij} \omega_{ij}, \qquad
              \omega_{ij} = \sqrt{\|v_i - v_j\|^2 + \varepsilon}

    As a function of V it lies below :math:`\operatorname{tr}(V^T \tilde L V)` plus a constant,
    where :math:`\tilde L` is the Laplacian of :math:`\tilde S_{ij} = S_{ij} / (2 \omega_{ij})`
    with the present :math:`\omega`, and touches it at the present V.

    Parameters
    ----------
    indptr, indices, data : ndarray
        CSR affinity, symmetric and without a diagonal.
    V : ndarray of shape (n, r)
    squared_floor : float
        epsilon, so that equal neighbours have a weight.
    pulled : ndarray of shape (n, r)
        Becomes :math:`\tilde S V`.
    degrees : ndarray of shape (n,), float64
        Becomes the row sums of :math:`\tilde S`.

    Returns
    -------
    float
        The sum of the norms, each edge once.
    """
    n, r = V.shape
    total = 0.0
    row = np.empty(r)
    for i in range(n):
        row[:] = 0.0
        degree = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            squared = squared_floor
            for k in range(r):
                difference = np.float64(V[i, k]) - np.float64(V[j, k])
                squared += difference * difference
            norm = np.sqrt(squared)
            weight = data[e] / (2.0 * norm)
            total += data[e] * norm
            degree += weight
            for k in range(r):
                row[k] += weight * V[j, k]
        degrees[i] = degree
        for k in range(r):
            pulled[i, k] = row[k]
    return total / 2.0
