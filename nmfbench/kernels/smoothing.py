"""The smoothed l1 loss, on the residual of a factorization."""

import numpy as np
from numba import njit

__all__ = ["smooth_residual"]


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def smooth_residual(fitted, X, thresholds, by_rows, ridge):
    r"""Turn fitted values into the gradient of the loss in them, in place; return the loss.

    The loss of a residual ``e`` is :math:`\max_{|u| \le 1} u e - \kappa u^2 / 2`, the Huber
    function of threshold :math:`\kappa`, plus ``ridge / 2`` times its square. It is attained
    at ``u = clip(e / kappa, -1, 1)``.

    Parameters
    ----------
    fitted : ndarray of shape (n, m)
        In: ``W @ Ht.T``. Out: ``u + ridge * e``.
    X : ndarray of shape (n, m)
    thresholds : ndarray of shape (n,) or (m,)
        Thresholds, one for each row if ``by_rows`` and for each column otherwise; positive.
    by_rows : bool
    ridge : float

    Returns
    -------
    float
    """
    n, m = X.shape
    total = 0.0
    one = fitted.dtype.type(1)
    lam = fitted.dtype.type(ridge)
    half = fitted.dtype.type(0.5)
    for i in range(n):
        subtotal = 0.0
        for j in range(m):
            kappa = thresholds[i] if by_rows else thresholds[j]
            e = fitted[i, j] - X[i, j]
            u = min(max(e / kappa, -one), one)
            subtotal += u * (e - half * kappa * u) + half * lam * e * e
            fitted[i, j] = u + lam * e
        total += subtotal
    return np.float64(total)
