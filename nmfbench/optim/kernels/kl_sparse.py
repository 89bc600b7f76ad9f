"""Kullback-Leibler divergence of sparse data: one pass over what is not zero.

Nothing is stored for the entries of the reconstruction but a row of them: each is computed where it
is needed, four at a time, as a loop over few components costs more than what it adds up.
"""

import numpy as np
from numba import njit

__all__ = ["kl_update_rows", "longest", "pull_of_row", "reconstruct_entries"]

_FAST = {"reassoc", "contract", "nsz"}


@njit(cache=True, fastmath=_FAST)
def _dot(a, b):
    total = a.dtype.type(0)
    for k in range(a.shape[0]):
        total += a[k] * b[k]
    return total


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def pull_of_row(y, pull, w, x, places, other):
    """The reconstruction of a row's entries, and the sums of the data over it, in one pass.

    Parameters
    ----------
    y : ndarray, at least as long as ``x``
        Overwritten by ``other[places] @ w``.
    pull : ndarray of shape (r,)
        Overwritten by ``other[places].T @ (x / y)``.
    w : ndarray of shape (r,)
    x, places : ndarray
        Entries of the row, and their columns.
    other : ndarray of shape (m, r)
    """
    r, n, zero = w.shape[0], x.shape[0], w.dtype.type(0)
    pull[:] = zero
    j = 0
    while j + 4 <= n:
        a, b = other[places[j]], other[places[j + 1]]
        c, d = other[places[j + 2]], other[places[j + 3]]
        of_a, of_b, of_c, of_d = zero, zero, zero, zero
        for k in range(r):
            of_a += w[k] * a[k]
            of_b += w[k] * b[k]
            of_c += w[k] * c[k]
            of_d += w[k] * d[k]
        y[j], y[j + 1], y[j + 2], y[j + 3] = of_a, of_b, of_c, of_d
        of_a, of_b = x[j] / of_a, x[j + 1] / of_b
        of_c, of_d = x[j + 2] / of_c, x[j + 3] / of_d
        for k in range(r):
            pull[k] += (of_a * a[k] + of_b * b[k]) + (of_c * c[k] + of_d * d[k])
        j += 4
    while j < n:
        a = other[places[j]]
        y[j] = _dot(w, a)
        of_a = x[j] / y[j]
        for k in range(r):
            pull[k] += of_a * a[k]
        j += 1


@njit(cache=True, fastmath=_FAST)
def _scale(row, numerator, inverse, floor):
    for k in range(row.shape[0]):
        row[k] = max(row[k] * numerator[k] * inverse[k], floor)


@njit(cache=True)
def kl_update_rows(factor, data, indices, indptr, other, inverse, floor):
    """The multiplicative update of one factor, in place: a row of it for a row of the data.

    Parameters
    ----------
    factor : ndarray of shape (n, r), positive
    data, indices, indptr : ndarray
        CSR data of shape (n, m).
    other : ndarray of shape (m, r), positive
    inverse : ndarray of shape (r,)
        One over the column sums of ``other``.
    floor : float
        In the dtype of ``factor``. No entry becomes smaller.
    """
    numerator = np.empty(factor.shape[1], factor.dtype)
    y = np.empty(longest(indptr), factor.dtype)
    for i in range(factor.shape[0]):
        entries = slice(indptr[i], indptr[i + 1])
        pull_of_row(y, numerator, factor[i], data[entries], indices[entries], other)
        _scale(factor[i], numerator, inverse, floor)


@njit(cache=True)
def longest(indptr):
    """Most entries of a row."""
    most = 0
    for i in range(indptr.shape[0] - 1):
        most = max(most, indptr[i + 1] - indptr[i])
    return most


@njit(cache=True)
def reconstruct_entries(out, indices, indptr, W, Ht):
    """``W @ Ht.T`` at the places of a CSR matrix, written to ``out`` (n_entries,)."""
    for i in range(W.shape[0]):
        for e in range(indptr[i], indptr[i + 1]):
            out[e] = _dot(W[i], Ht[indices[e]])
