"""Lengths of the rows of a residual."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["row_distances"]


@njit(cache=True)
def row_distances(out, X, Y):
    """``out[i] = ||X[i] - Y[i]||``, in float64, in one pass over both.

    Parameters
    ----------
    out : ndarray of shape (n,), float64
    X, Y : ndarray of shape (n, m)
    """
    for i in range(X.shape[0]):
        total = 0.0
        for j in range(X.shape[1]):
            difference = np.float64(X[i, j]) - np.float64(Y[i, j])
            total += difference * difference
        out[i] = np.sqrt(total)
