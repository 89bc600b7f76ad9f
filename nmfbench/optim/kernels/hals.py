"""Hierarchical alternating least squares on Gram products."""

import numpy as np
from numba import njit

__all__ = ["extrapolate", "hals_sweeps"]

_BYTES = 512  # of one component in a block of rows: all of a block stays in the cache


@njit(cache=True)
def hals_sweeps(factor, cross, gram, n_sweeps):
    """Exact minimisation over one component after the other, ``n_sweeps`` times, in place.

    The problem is ``min ||X - factor @ other.T||^2`` over ``factor >= 0``. Its rows are
    independent, so a block of them makes all its sweeps while it is in cache. Blocks are
    transposed: an operation on one row is done on many at once, with no sum across a vector.

    Parameters
    ----------
    factor : ndarray of shape (n, r)
        Modified in place.
    cross : ndarray of shape (n, r)
        ``X @ other``.
    gram : ndarray of shape (r, r)
        ``other.T @ other``. A component with a zero on its diagonal is left as it is.
    n_sweeps : int
    """
    n, r = factor.shape
    width = _BYTES // factor.itemsize
    block = np.zeros((r, width), factor.dtype)
    target = np.zeros((r, width), factor.dtype)
    slope = np.empty(width, factor.dtype)
    step = np.zeros(r, factor.dtype)
    tiny = np.finfo(factor.dtype).tiny
    for k in range(r):
        if gram[k, k] >= tiny:
            step[k] = 1 / gram[k, k]
    for first in range(0, n, width):
        size = min(width, n - first)
        for i in range(size):
            for k in range(r):
                block[k, i] = factor[first + i, k]
                target[k, i] = cross[first + i, k]
        for _ in range(n_sweeps):
            _sweep(block, target, gram, step, slope)
        for i in range(size):
            for k in range(r):
                factor[first + i, k] = block[k, i]


@njit(cache=True, fastmath={"contract", "nsz"}, error_model="numpy")
def _sweep(block, target, gram, step, slope):
    r, width = block.shape
    zero = block.dtype.type(0)
    for k in range(r):
        g = gram[k]
        slope[:] = target[k]
        j = 0
        while j + 8 <= r:  # eight at a time: one load and store of the slope for all of them
            g0, g1, g2, g3 = g[j], g[j + 1], g[j + 2], g[j + 3]
            g4, g5, g6, g7 = g[j + 4], g[j + 5], g[j + 6], g[j + 7]
            b0, b1, b2, b3 = block[j], block[j + 1], block[j + 2], block[j + 3]
            b4, b5, b6, b7 = block[j + 4], block[j + 5], block[j + 6], block[j + 7]
            for i in range(width):
                low = g0 * b0[i] + g1 * b1[i] + g2 * b2[i] + g3 * b3[i]
                high = g4 * b4[i] + g5 * b5[i] + g6 * b6[i] + g7 * b7[i]
                slope[i] -= low + high
            j += 8
        while j < r:
            g0, b0 = g[j], block[j]
            for i in range(width):
                slope[i] -= g0 * b0[i]
            j += 1
        b, s = block[k], step[k]
        for i in range(width):
            b[i] = max(b[i] + s * slope[i], zero)


@njit(cache=True, fastmath={"contract", "nsz"})
def extrapolate(out, now, before, beta):
    """``out = max(now + beta (now - before), 0)``, in one pass.

    Parameters
    ----------
    out, now, before : ndarray of shape (n, r)
    beta : float, in the precision of the arrays
    """
    zero = now.dtype.type(0)
    for i in range(now.shape[0]):
        for k in range(now.shape[1]):
            out[i, k] = max(now[i, k] + beta * (now[i, k] - before[i, k]), zero)
