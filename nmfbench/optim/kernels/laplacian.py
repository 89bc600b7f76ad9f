"""Terms that a graph of the samples adds to updates and objective, in single passes."""

from numba import njit

__all__ = ["add_penalties", "neighbor_smoothness"]


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


@njit(cache=True, fastmath={"contract"})
def add_penalties(numerator, denominator, cross, W, sums, degrees, alpha, pull):
    r"""Both parts of the gradient of a penalised least-squares fit, without temporary arrays.

    .. math:: \text{numerator} = C + \alpha SW + \gamma W, \qquad
              \text{denominator} \mathrel{+}= \alpha DW

    Parameters
    ----------
    numerator : ndarray of shape (n, r)
        Overwritten.
    denominator : ndarray of shape (n, r)
        Modified in place.
    cross, W, sums : ndarray of shape (n, r)
        C, W, SW.
    degrees : ndarray of shape (n,)
        The diagonal of D.
    alpha, pull : float
        :math:`\alpha` and :math:`\gamma`.
    """
    kind = W.dtype.type
    a, g = kind(alpha), kind(pull)
    for i in range(W.shape[0]):
        above, below, c, w, s = numerator[i], denominator[i], cross[i], W[i], sums[i]
        d = kind(alpha * degrees[i])
        for k in range(W.shape[1]):
            above[k] = c[k] + a * s[k] + g * w[k]
            below[k] += d * w[k]
