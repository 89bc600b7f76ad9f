"""The Kullback-Leibler divergence in one pass: its logarithms cost more than the products."""

import math

import numpy as np
from numba import njit

__all__ = ["divergence"]


@njit(cache=True)
def _log_ratio(x, y):
    """``log(x / y)`` of positive numbers, also where the ratio is too small or large a number."""
    ratio = x / y
    return math.log(ratio) if 0 < ratio < np.inf else math.log(x) - math.log(y)


@njit(cache=True)
def divergence(X, Y):
    """Sum of ``x log(x / y) - x + y`` over the entries, in float64, with ``0 log 0 = 0``.

    Infinite where an entry of ``Y`` is zero and that of ``X`` is not.
    """
    total = 0.0
    for i in range(X.shape[0]):
        of_row = 0.0  # summed row by row, so that rounding grows with the root of the size
        for j in range(X.shape[1]):
            x, y = X[i, j], Y[i, j]
            if x > 0:
                if y <= 0:
                    return np.inf
                of_row += x * _log_ratio(x, y) - x
            of_row += y
        total += of_row
    return total
