"""The piecewise points of RRI, gathered as a sweep does, and sorted or not: for timing alone."""

import numpy as np
from numba import njit

__all__ = ["gather_and_sort"]


@njit(cache=True, nogil=True)
def gather_and_sort(residual, inverse, sort):
    """Gather the points of every coordinate, and sort them as a sweep by sorting does.

    Parameters
    ----------
    residual : ndarray of shape (n, m)
    inverse : ndarray of shape (r, m)
        Reciprocals of the basis.
    sort : bool
        With False the points are gathered only.

    Returns
    -------
    float
        A sum that depends on all of it, so that nothing is optimised away.
    """
    n, m = residual.shape
    points = np.empty(m, residual.dtype)
    total = 0.0
    for k in range(inverse.shape[0]):
        v = inverse[k]
        for i in range(n):
            e = residual[i]
            for j in range(m):
                points[j] = e[j] * v[j]
            if sort:
                order = np.argsort(points)
                total += points[order[m // 2]]
            else:
                total += points[m // 2]
    return total
