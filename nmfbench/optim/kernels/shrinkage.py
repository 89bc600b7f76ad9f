"""Soft thresholds fused with what the methods of multipliers do around them: one pass each."""

import numpy as np
from numba import njit

__all__ = ["shrink_remainder", "step_dual", "step_residual"]


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def shrink_remainder(L, S, X, Y, threshold, scale):
    r"""The sparse part that fits best beside ``L``, and what is left for the low-rank part.

    .. math:: S = \mathcal S_t(X - L + sY), \qquad L \leftarrow X - S + sY

    Parameters
    ----------
    L : ndarray of shape (n, m)
        In: the low-rank part. Out: the matrix that the next one is made from.
    S : ndarray of shape (n, m)
        Overwritten.
    X, Y : ndarray of shape (n, m)
        Data and multiplier.
    threshold, scale : float
        t and s.
    """
    n, m = X.shape
    t, s = X.dtype.type(threshold), X.dtype.type(scale)
    for i in range(n):
        for j in range(m):
            target = X[i, j] + s * Y[i, j]
            v = target - L[i, j]
            sparse = v - min(max(v, -t), t)
            S[i, j] = sparse
            L[i, j] = target - sparse


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def step_dual(Y, X, L, S, mu):
    """``Y += mu * (X - L - S)`` in place; return the squared Frobenius norm of ``X - L - S``."""
    n, m = X.shape
    step = X.dtype.type(mu)
    total = 0.0
    for i in range(n):
        subtotal = 0.0
        for j in range(m):
            e = X[i, j] - L[i, j] - S[i, j]
            Y[i, j] += step * e
            subtotal += e * e
        total += subtotal
    return np.float64(total)


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def step_residual(fitted, U, X, threshold, scale):
    r"""The residual's part of an ADMM iteration for an l1 loss, and its value, in one pass.

    With :math:`E = X - F` for the fitted values F, and the scaled multiplier U,

    .. math:: U \leftarrow sU, \quad Z = \mathcal S_t(E - U), \quad U \leftarrow U - E + Z, \quad
              F \leftarrow X - Z - U.

    Since v and its soft threshold differ by v clipped to [-t, t], the new U is minus the clipped
    ``E - U``, and Z need not be kept.

    Parameters
    ----------
    fitted : ndarray of shape (n, m)
        In: the fitted values. Out: the target of the next least-squares fit.
    U : ndarray of shape (n, m)
        Modified in place.
    X : ndarray of shape (n, m)
    threshold, scale : float
        t and s. U is the multiplier times t, so s is the ratio of t to what it was before.

    Returns
    -------
    float
        The l1 norm of E, that is the loss of the fitted values that came in.
    """
    n, m = X.shape
    t, s = X.dtype.type(threshold), X.dtype.type(scale)
    total = 0.0
    for i in range(n):
        subtotal = 0.0
        for j in range(m):
            e = X[i, j] - fitted[i, j]
            subtotal += abs(e)
            v = e - s * U[i, j]
            clipped = min(max(v, -t), t)
            U[i, j] = -clipped
            fitted[i, j] = X[i, j] - v + 2 * clipped
        total += subtotal
    return np.float64(total)
