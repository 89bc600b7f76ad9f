"""The smoothed l1 loss on the residual of a factorization, and a step of its minimisation."""

import numpy as np
from numba import njit

__all__ = [
    "absolute_residual",
    "average_points",
    "optimal_step",
    "smooth_residual",
    "two_points",
]

_FAST = {"reassoc", "contract", "nsz"}  # sums may be reordered into lanes; infinities stay true


@njit(cache=True)
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
        Thresholds, one for each row if ``by_rows`` and for each column otherwise; positive, with
        a reciprocal that does not overflow.
    by_rows : bool
    ridge : float

    Returns
    -------
    loss, linear : float
        The loss, and the sum of ``(u + ridge * e) * e``, which a dual bound is made of. A row is
        summed in its own precision, rows in float64.
    """
    n, m = X.shape
    lam = fitted.dtype.type(ridge)
    kappa, inverse = np.empty(m, fitted.dtype), np.empty(m, fitted.dtype)
    if not by_rows:
        for j in range(m):
            kappa[j], inverse[j] = thresholds[j], 1 / thresholds[j]
    loss, linear = 0.0, 0.0
    for i in range(n):
        if by_rows:
            kappa[:], inverse[:] = thresholds[i], 1 / thresholds[i]
        product, excess, square = _smooth(fitted[i], X[i], kappa, inverse, lam)
        loss += product - 0.5 * excess + 0.5 * ridge * square
        linear += product + ridge * square
    return loss, linear


@njit(cache=True, fastmath=_FAST)
def _smooth(fitted, x, kappa, inverse, ridge):
    one = fitted.dtype.type(1)
    product = excess = square = fitted.dtype.type(0)
    for j in range(x.shape[0]):
        e = fitted[j] - x[j]
        u = min(max(e * inverse[j], -one), one)
        product += u * e
        excess += kappa[j] * u * u
        square += e * e
        fitted[j] = u + ridge * e
    return product, excess, square


@njit(cache=True, fastmath=_FAST)
def absolute_residual(fitted, X):
    """Sum of the absolute values of ``fitted - X``; a row in its own precision."""
    n, m = X.shape
    total = 0.0
    for i in range(n):
        f, x = fitted[i], X[i]
        subtotal = fitted.dtype.type(0)
        for j in range(m):
            subtotal += abs(f[j] - x[j])
        total += subtotal
    return total


@njit(cache=True, fastmath=_FAST)
def optimal_step(X, g, total, start, Y, length, k, upper):
    r"""Steps (17), (18) and (21) of the optimal gradient method in a box, in one pass.

    Parameters
    ----------
    X : ndarray of shape (n, r)
        In: :math:`X_k`. Out: :math:`X_{k+1}`.
    g : ndarray of shape (n, r)
        The gradient at :math:`X_k`.
    total : ndarray of shape (n, r)
        Weighted sum of the gradients so far, to which this one is added.
    start : ndarray of shape (n, r)
        The centre of the prox-function.
    Y : ndarray of shape (n, r)
        Out: :math:`Y_k`.
    length : float
        Of a gradient step.
    k : int
    upper : float
        Entries stay between zero and this.

    Returns
    -------
    square, slope : float
        :math:`\|X_k - Y_k\|^2` and :math:`\langle g, X_{k+1} - X_k \rangle`.
    """
    kind = X.dtype.type
    zero, top, step = kind(0), kind(upper), kind(length)
    weight, old, new = kind((k + 1) / 2), kind((k + 1) / (k + 3)), kind(2 / (k + 3))
    square, slope = 0.0, 0.0
    for i in range(X.shape[0]):
        xs, gs, ts, cs, ys = X[i], g[i], total[i], start[i], Y[i]
        for a in range(X.shape[1]):
            x = xs[a]
            y = min(max(x - step * gs[a], zero), top)
            t = ts[a] + weight * gs[a]
            z = min(max(cs[a] - step * t, zero), top)
            after = new * z + old * y
            square += (x - y) * (x - y)
            slope += gs[a] * (after - x)
            ts[a], ys[a], xs[a] = t, y, after
    return square, slope


@njit(cache=True)
def two_points(X, g, total, start, Y, Z, length, k):
    r"""Points of which :math:`Y_k` and :math:`Z_k` are the proximal points, in one pass.

    .. math:: Y = X_k - \ell g, \qquad Z = X_0 - \ell \sum_{i \le k} \tfrac{i+1}{2} g_i

    Parameters
    ----------
    X, g : ndarray of shape (n, r)
        :math:`X_k` and the gradient there.
    total : ndarray of shape (n, r)
        Weighted sum of the gradients so far, to which this one is added.
    start : ndarray of shape (n, r)
        The centre of the prox-function.
    Y, Z : ndarray of shape (n, r)
        Out.
    length : float
        Of a gradient step.
    k : int
    """
    kind = X.dtype.type
    step, weight = kind(-length), kind((k + 1) / 2)
    for i in range(X.shape[0]):
        xs, gs, ts, cs, ys, zs = X[i], g[i], total[i], start[i], Y[i], Z[i]
        for a in range(X.shape[1]):
            ys[a] = gs[a] * step + xs[a]
            ts[a] = ts[a] + weight * gs[a]
            zs[a] = ts[a] * step + cs[a]


@njit(cache=True)
def average_points(X, Y, Z, difference, k):
    """``X`` becomes the average of :math:`Y_k` and :math:`Z_k` (Eq. (21)), ``Z`` its change.

    Parameters
    ----------
    X, Y, Z : ndarray of shape (n, r)
    difference : ndarray of shape (n, r)
        Out: ``X - Y``, of the old X.
    k : int
    """
    kind = X.dtype.type
    old, new = kind((k + 1) / (k + 3)), kind(2 / (k + 3))
    for i in range(X.shape[0]):
        xs, ys, zs, ds = X[i], Y[i], Z[i], difference[i]
        for a in range(X.shape[1]):
            x, y = xs[a], ys[a]
            ds[a] = x - y
            after = zs[a] * new + old * y
            zs[a] = after - x
            xs[a] = after
