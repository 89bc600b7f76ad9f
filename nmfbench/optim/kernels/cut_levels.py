r"""Levels at which columns are cut, by how much is cut off, or by what the levels sum to.

With :math:`\theta_k(\ell) = \sum_i [x_{ik} - \ell]_+` cut off from column k at the level
:math:`\ell`. Both :math:`\theta_k` and its inverse are convex, decreasing and piecewise linear, so
that Newton's method from the left ends on the right piece, exactly, in a few passes over ``X``
that all columns share. Nothing is sorted.
"""

import numpy as np
from numba import njit

__all__ = ["cut_levels", "cut_levels_to_sum"]


@njit(cache=True)
def _maxima(out, X):
    out[:] = 0.0
    for i in range(X.shape[0]):
        for k in range(X.shape[1]):
            out[k] = max(out[k], X[i, k])


@njit(cache=True)
def _cut(levels, sums, counts, X, tops, size):
    """Move ``levels`` to where ``size`` is cut off, from levels no higher than the maxima ``tops``.

    ``sums`` and ``counts`` become those of the entries at the levels and above, which are one or
    more: no level rises above the maximum by rounding.
    """
    n, r = X.shape
    first = moving = True
    while moving:
        sums[:] = 0.0
        counts[:] = 0.0
        for i in range(n):
            row = X[i]
            for k in range(r):
                above = row[k] >= levels[k]
                sums[k] += row[k] if above else 0.0
                counts[k] += 1.0 if above else 0.0
        moving = False
        for k in range(r):
            level = min(max((sums[k] - size) / counts[k], 0.0), tops[k])
            # A step from the right of the solution leads to its left, and all others up.
            if level > levels[k] or (first and level < levels[k]):
                levels[k] = level
                moving = True
        first = False


@njit(cache=True)
def cut_levels(levels, X, size):
    r"""``levels[k]`` such that :math:`\sum_i [x_{ik} - \ell_k]_+` is ``size``.

    Parameters
    ----------
    levels : ndarray of shape (r,), float64
        Overwritten; zero where the whole column sums to no more than ``size``.
    X : ndarray of shape (n, r), non-negative
    size : float, not negative
    """
    r = X.shape[1]
    tops, sums, counts = np.empty(r), np.empty(r), np.empty(r)
    _maxima(tops, X)
    levels[:] = 0.0
    _cut(levels, sums, counts, X, tops, size)


@njit(cache=True)
def cut_levels_to_sum(levels, X, total):
    """Levels that sum to ``total`` and cut the same off each column that does not vanish.

    Parameters
    ----------
    levels : ndarray of shape (r,), float64
        Overwritten; zero in the columns that vanish.
    X : ndarray of shape (n, r), non-negative
    total : float
        Positive, and less than the sum of the largest entries.
    """
    r = X.shape[1]
    tops, sums, counts = np.empty(r), np.empty(r), np.empty(r)
    _maxima(tops, X)
    levels[:] = tops
    size = 0.0
    while True:
        _cut(levels, sums, counts, X, tops, size)
        # The piece at ``size``, as a line, and where it meets ``total``.
        height = slope = 0.0
        for k in range(r):
            if levels[k] > 0.0:
                height += sums[k] / counts[k]
                slope += 1.0 / counts[k]
        better = (height - total) / slope
        if not better > size:
            return
        size = better
