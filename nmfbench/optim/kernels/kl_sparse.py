"""Kullback-Leibler divergence of sparse data: one pass over what is not zero.

Nothing is stored for the entries of the reconstruction: each is computed where it is needed.
"""

from numba import njit

__all__ = ["kl_update_rows", "reconstruct_entries"]

_FAST = {"reassoc", "contract", "nsz"}


@njit(cache=True, fastmath=_FAST)
def _dot(a, b):
    total = a.dtype.type(0)
    for k in range(a.shape[0]):
        total += a[k] * b[k]
    return total


@njit(cache=True, fastmath=_FAST)
def _add(out, scale, a):
    for k in range(out.shape[0]):
        out[k] += scale * a[k]


@njit(cache=True, fastmath=_FAST)
def _scale(row, numerator, inverse, floor):
    for k in range(row.shape[0]):
        row[k] = max(row[k] * numerator[k] * inverse[k], floor)


@njit(cache=True, error_model="numpy")
def kl_update_rows(factor, data, indices, indptr, other, inverse, floor, numerator):
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
    numerator : ndarray of shape (r,)
        Overwritten.
    """
    for i in range(factor.shape[0]):
        row = factor[i]
        numerator[:] = 0
        for e in range(indptr[i], indptr[i + 1]):
            partner = other[indices[e]]
            _add(numerator, data[e] / _dot(row, partner), partner)
        _scale(row, numerator, inverse, floor)


@njit(cache=True)
def reconstruct_entries(out, indices, indptr, W, Ht):
    """``W @ Ht.T`` at the places of a CSR matrix, written to ``out`` (n_entries,)."""
    for i in range(W.shape[0]):
        for e in range(indptr[i], indptr[i + 1]):
            out[e] = _dot(W[i], Ht[indices[e]])
