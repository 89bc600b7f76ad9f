"""Hierarchical alternating least squares on Gram products.

A block of rows is in cache, so that arithmetic is what costs: with the products of OpenBLAS a fit
takes 1.05 to 1.1 times as long with vectors of 256 bits, as the reference target has them, as with
512.
"""

import numpy as np
from numba import njit

__all__ = ["hals_sweeps", "hals_sweeps_ahead"]

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
    block, target, slope, step = _room(gram)
    width = slope.shape[0]
    for first in range(0, n, width):
        size = min(width, n - first)
        _load(block, target, factor, cross, first, size)
        for _ in range(n_sweeps):
            _sweep(block, target, gram, step, slope)
        for i in range(size):
            for k in range(r):
                factor[first + i, k] = block[k, i]


@njit(cache=True, fastmath={"contract", "nsz"})
def hals_sweeps_ahead(now, ahead, begin, before, cross, gram, n_sweeps, beta):
    """Sweeps of :func:`hals_sweeps` from ``begin`` to ``now``, and an extrapolation of these.

    In the same pass over the rows, as the time of one over arrays this long is that of memory.

    Parameters
    ----------
    now : ndarray of shape (n, r)
        Overwritten by ``begin`` after the sweeps.
    ahead : ndarray of shape (n, r)
        Overwritten by ``max(now + beta (now - before), 0)``; may be ``begin``.
    begin, before : ndarray of shape (n, r)
    cross, gram, n_sweeps
        As in :func:`hals_sweeps`.
    beta : float, in the precision of the arrays

    Returns
    -------
    float
        Sum of ``cross * now``, in double precision.
    """
    n, r = now.shape
    zero = now.dtype.type(0)
    block, target, slope, step = _room(gram)
    width = slope.shape[0]
    linear = np.zeros(width)
    for first in range(0, n, width):
        size = min(width, n - first)
        _load(block, target, begin, cross, first, size)
        for _ in range(n_sweeps):
            _sweep(block, target, gram, step, slope)
        for k in range(r):
            for i in range(size):
                linear[i] += np.float64(block[k, i]) * np.float64(target[k, i])
        for i in range(size):
            for k in range(r):
                value = block[k, i]
                now[first + i, k] = value
                ahead[first + i, k] = max(value + beta * (value - before[first + i, k]), zero)
    return linear.sum()


@njit(cache=True)
def _room(gram):
    """Blocks of a factor and of its target, a slope, and the inverse diagonal of ``gram``."""
    r, width = gram.shape[0], _BYTES // gram.itemsize
    block = np.zeros((r, width), gram.dtype)
    target = np.zeros((r, width), gram.dtype)
    slope = np.empty(width, gram.dtype)
    step = np.zeros(r, gram.dtype)
    tiny = np.finfo(gram.dtype).tiny
    for k in range(r):
        if gram[k, k] >= tiny:
            step[k] = 1 / gram[k, k]
    return block, target, slope, step


@njit(cache=True)
def _load(block, target, factor, cross, first, size):
    for i in range(size):
        for k in range(block.shape[0]):
            block[k, i] = factor[first + i, k]
            target[k, i] = cross[first + i, k]


@njit(cache=True, fastmath={"contract", "nsz"}, error_model="numpy")
def _sweep(block, target, gram, step, slope):
    r, width = block.shape
    zero = block.dtype.type(0)
    for k in range(r):
        g = gram[k]
        for i in range(width):
            slope[i] = target[k, i]
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
