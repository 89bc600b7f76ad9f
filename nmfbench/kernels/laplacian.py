"""Sums over the neighbours in a graph, with the smoothness that they make up."""

from numba import njit

__all__ = ["neighbor_smoothness"]


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def neighbor_smoothness(out, W, scale, indptr, indices, data):
    r"""``out = diag(q) S diag(q) W``, and the smoothness of ``diag(q) W``, in one pass.

    Parameters
    ----------
    out : ndarray of shape (n, r)
        Overwritten. Not ``W``.
    W : ndarray of shape (n, r)
    scale : ndarray of shape (n,)
        q: ones for the Laplacian, inverse roots of the degrees for the normalised one.
    indptr, indices, data : ndarray
        The affinity S, a CSR array, symmetric.

    Returns
    -------
    float
        :math:`\frac12\sum_{il}S_{il}\|q_i w_i - q_l w_l\|^2`. It is made of the differences, so
        it is never negative, and zero where W is constant. Edges are summed in float64.
    """
    n, r = W.shape
    kind = W.dtype.type
    total = 0.0
    for i in range(n):
        sums, w, q = out[i], W[i], kind(scale[i])
        for k in range(r):
            sums[k] = kind(0)
        for e in range(indptr[i], indptr[i + 1]):
            neighbor, p = W[indices[e]], kind(scale[indices[e]])
            share, square = kind(data[e]) * q * p, kind(0)
            for k in range(r):
                sums[k] += share * neighbor[k]
                difference = q * w[k] - p * neighbor[k]
                square += difference * difference
            total += data[e] * square
    return 0.5 * total
