"""Projections of rows on the simplex and on a box, and passes of exact row updates with them."""

import numpy as np
from numba import njit

__all__ = ["project_row", "project_rows", "row_sweeps"]


@njit(cache=True, nogil=True)
def project_row(x):
    """Project ``x`` on the simplex, in place: non-negative entries of sum 1.

    The threshold is that of the entries above it, whose number falls until it is right; an entry
    that was left out never comes back (Michelot 1986). No sorting: a few passes over ``x``.
    """
    n = x.shape[0]
    # Adding a number to all entries changes nothing; with the largest at 0 no digits cancel.
    largest = x[0]
    for i in range(1, n):
        largest = max(largest, x[i])
    for i in range(n):
        x[i] -= largest
    above, threshold = n + 1, -1.0
    while True:
        total, count = 0.0, 0
        for i in range(n):
            if x[i] > threshold:
                total += x[i]
                count += 1
        if count >= above or count == 0:  # rounding must not bring an entry back; NaN have none
            break
        above = count
        threshold = (total - 1.0) / count
    for i in range(n):
        x[i] = max(x[i] - threshold, 0.0)


@njit(cache=True, nogil=True)
def project_rows(H, low, high):
    """Project the rows of ``H`` on the simplex or, if ``low < high``, its entries on a box."""
    r, m = H.shape
    for k in range(r):
        if low < high:
            for i in range(m):
                H[k, i] = min(max(H[k, i], low), high)
        else:
            project_row(H[k])


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def row_sweeps(H, A, B, max_sweeps, tol):
    r"""Minimise :math:`\frac12 tr(H^T A H) - tr(H^T B)` row by row, rows on the simplex.

    Each update is exact: the Hessian of a row is a multiple of the identity, so that the projected
    minimiser is the constrained one. Rows with ``A[k, k] = 0`` stay.

    Parameters
    ----------
    H : ndarray of shape (r, m), changed in place
    A : ndarray of shape (r, r), symmetric
    B : ndarray of shape (r, m)
    max_sweeps : int
    tol : float
        Stop after a sweep that moves H by no more than this share of its norm.

    Returns
    -------
    int
        Sweeps made.
    """
    r, m = H.shape
    row = np.empty(m)
    for sweep in range(max_sweeps):
        moved = 0.0
        size = 0.0
        for k in range(r):
            if A[k, k] <= 0:
                continue
            for i in range(m):
                row[i] = B[k, i]
            for j in range(r):
                if j != k and A[k, j] != 0:
                    weight = A[k, j]
                    for i in range(m):
                        row[i] -= weight * H[j, i]
            for i in range(m):
                row[i] /= A[k, k]
            project_row(row)
            for i in range(m):
                change = row[i] - H[k, i]
                moved += change * change
                size += row[i] * row[i]
                H[k, i] = row[i]
        if moved <= tol * tol * size:
            return sweep + 1
    return max_sweeps
