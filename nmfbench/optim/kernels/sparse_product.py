"""The product of a sparse matrix with a few columns."""

from numba import njit

__all__ = ["sparse_product"]


@njit(cache=True, nogil=True)
def sparse_product(indptr, indices, data, factor, out):
    """``out = A @ factor`` for a CSR matrix A, bit by bit as scipy has it, and faster.

    Parameters
    ----------
    indptr, indices, data : ndarray
        A, of shape (n, m).
    factor : ndarray of shape (m, r)
        In the precision of ``data``.
    out : ndarray of shape (n, r)

    Notes
    -----
    Four columns at a time are summed in registers. The entries of a row are taken in their order.
    """
    r = factor.shape[1]
    whole = r - r % 4
    for i in range(out.shape[0]):
        first, last = indptr[i], indptr[i + 1]
        for k in range(0, whole, 4):
            a = b = c = d = out.dtype.type(0)
            for e in range(first, last):
                share, row = data[e], factor[indices[e]]
                a += share * row[k]
                b += share * row[k + 1]
                c += share * row[k + 2]
                d += share * row[k + 3]
            out[i, k], out[i, k + 1], out[i, k + 2], out[i, k + 3] = a, b, c, d
        for k in range(whole, r):
            a = out.dtype.type(0)
            for e in range(first, last):
                a += data[e] * factor[indices[e], k]
            out[i, k] = a
