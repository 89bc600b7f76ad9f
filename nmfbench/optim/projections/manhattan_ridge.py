r"""Least absolute deviations with a ridge on the residual.

.. math:: \min_{W \ge 0} \|X - W H\|_1 + \tfrac\lambda2 \|X - W H\|_F^2

A quadratic programme for each row of ``X``, solved by a primal-dual interior-point method that
takes its steps for many rows at once, with matrix products. Every iterate proves how far from
the optimum it is.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import gen_batches

from nmfbench.core.validation import check_number, check_projection, in_precision_of
from nmfbench.optim.projections.certificate import as_certificate

__all__ = ["certify_manhattan_ridge", "project_manhattan_ridge", "ridge_lower_bound"]

_BLOCK = 1 << 19  # entries of X, and of products of basis rows, at work at once
_ZERO = 1e-9  # share of the largest contribution below which a coefficient is zero
_FLOOR = 1e-3  # share of the objective of W = 0 that counts as no error
_BOUNDARY = 0.995  # share of the way to the boundary
_DEPENDENT = 1e-13  # share of the diagonal that keeps the normal equations regular


def project_manhattan_ridge(X, H, lam, *, tol=1e-7, max_iter=60, return_dual=False):
    r"""Minimise :math:`\|X - W H\|_1 + \frac\lambda2 \|X - W H\|_F^2` over ``W >= 0``.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), non-negative
    H : ndarray of shape (r, n_features), non-negative
        Rows may be zero, repeated or dependent.
    lam : float
        Not negative.
    tol : float, default=1e-7
        Gap between objective and lower bound to accept in a row, relative to the objective or to
        1e-3 of the objective of ``W = 0``, whichever is larger. Rounding allows about 1e-8.
    max_iter : int, default=60
        Most steps; some 15 are usual. A row that is not within ``tol`` then keeps its best
        coefficients, and a ConvergenceWarning is given.
    return_dual : bool, default=False

    Returns
    -------
    W : ndarray of shape (n_samples, r), non-negative, in the precision of ``X``
    D : ndarray of shape (n_samples, n_features), only if ``return_dual``
        From which :func:`ridge_lower_bound` makes its bounds.

    Notes
    -----
    Works in float64. A step costs :math:`O(n m r^2 / 2)`, in one matrix product for a block of
    rows. Predictor and corrector are Mehrotra's; the residual is split into its positive and its
    negative part.

    Examples
    --------
    Any value between two is a median of both; the square selects their mean:

    >>> float(project_manhattan_ridge(np.array([[1.0, 3.0]]), np.ones((1, 2)), 1.0).round(6)[0, 0])
    2.0
    """
    H = np.asarray(H, dtype=np.float64)
    X = check_projection(X, H)
    check_number(lam, "lam", at_least=0)
    W = np.zeros((X.shape[0], H.shape[0]))
    D = np.zeros(X.shape) if return_dual else None
    unfinished = 0
    for block in gen_batches(X.shape[0], max(1, _BLOCK // X.shape[1])):
        x = X[block].astype(np.float64)
        W[block], dual, failed = _solve(x, H, lam, tol, max_iter)
        unfinished += failed
        if D is not None:
            D[block] = dual
    if unfinished:
        warnings.warn(
            f"{unfinished} projections of a row are not within tol={tol} after max_iter="
            f"{max_iter} steps; the best coefficients found are kept.",
            ConvergenceWarning,
            stacklevel=2,
        )
    W = in_precision_of(X, W)
    return (W, D) if return_dual else W


def ridge_lower_bound(X, H, D, lam):
    r"""A lower bound of the optimum for each row, from any ``D``.

    ``D`` is moved down, row by row, until :math:`D H^T \le 0`, which it can be as ``H`` is not
    negative. By weak duality no representation then goes below

    .. math:: \langle D, X \rangle - \frac{1}{2 \lambda} \| (|D| - 1)_+ \|_F^2 .

    Without a ridge ``D`` is also shrunk until :math:`|D| \le 1`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), non-negative
    H : ndarray of shape (r, n_features), non-negative
    D : ndarray of shape (n_samples, n_features)
    lam : float

    Returns
    -------
    bounds : ndarray of shape (n_samples,)
    """
    H, D = np.asarray(H, dtype=np.float64), np.asarray(D, dtype=np.float64)
    return _bounds(X, H, D, np.full(len(X), float(lam)))


def certify_manhattan_ridge(X, H, lam, *, tol=1e-7):
    """How near the projection of ``X`` on the cone of ``H`` is to the optimum, with proof.

    Returns
    -------
    dict
        ``primal``, the objective of :func:`project_manhattan_ridge`; ``dual_bound``, a number
        that no representation can go below; ``gap``, their difference relative to the objective
        of ``W = 0``.
    """
    primal = bound = unexplained = 0.0
    for block in gen_batches(X.shape[0], max(1, _BLOCK // X.shape[1])):
        x = X[block].astype(np.float64)
        W, D = project_manhattan_ridge(x, H, lam, tol=tol, return_dual=True)
        primal += float(_objectives(x - W @ H, lam).sum())
        unexplained += float(_objectives(x, lam).sum())
        bound += float(ridge_lower_bound(x, H, D, lam).sum())
    return as_certificate(primal, bound, unexplained)


def _objectives(E, lam):
    return np.abs(E).sum(axis=1) + 0.5 * lam * np.einsum("ij,ij->i", E, E)


def _bounds(X, H, D, lam):
    """:func:`ridge_lower_bound` with a ``lam`` for each row: all positive, or all zero."""
    masses = H.sum(axis=1)
    used = masses > 0
    excess = (D @ H[used].T / masses[used]).max(axis=1, initial=0.0)
    D = D - excess[:, None]
    if not lam.any():
        D /= np.maximum(np.abs(D).max(axis=1), 1.0)[:, None]
    bounds = np.einsum("ij,ij->i", D, X)
    if lam.all():
        beyond = np.maximum(np.abs(D) - 1, 0)
        bounds -= np.einsum("ij,ij->i", beyond, beyond) / (2 * lam)
    return np.maximum(bounds, 0.0)


def _solve(X, H, lam, tol, max_iter):
    """Coefficients, duals, and the number of rows that are not within ``tol``."""
    n, r = X.shape[0], H.shape[0]
    W, D = np.zeros((n, r)), 1 + lam * X
    masses = H.sum(axis=1)
    used = np.flatnonzero(masses > 0)
    rows = np.flatnonzero(X.any(axis=1))  # a zero row is represented by zero
    if not len(used) or not len(rows):
        return W, D, 0
    # Rows of the basis with unit sum and a point with mean 1 make all quantities of order one.
    basis = H[used] / masses[used, None]
    units = X[rows].mean(axis=1)
    points = X[rows] / units[:, None]
    found, D[rows], failed = _interior_point(points, basis, lam * units, tol, max_iter)
    W[np.ix_(rows, used)] = found * (units[:, None] / masses[used])
    return W, D, failed


def _interior_point(X, H, lam, tol, max_iter):
    """:func:`_solve` for scaled data, with a ``lam`` for each row.

    With the residual split into p - n, both positive, and a dual t of its absolute value, the
    optimality conditions are ``X = W H + p - n``, ``z = -(t + lam (p - n)) H' >= 0``, and that the
    products w z, p (1 - t) and n (1 + t) vanish. They are made equal to a falling number.
    """
    (b, m), r = X.shape, H.shape[0]
    n_products = r + 2 * m
    W_best, D_best = np.zeros((b, r)), np.zeros((b, m))
    best = np.full(b, np.inf)
    bound = np.zeros(b)
    floor = _FLOOR * _objectives(X, lam)
    at = np.arange(b)  # which rows are still at work
    lam = lam[:, None]
    w = np.repeat(X.sum(axis=1)[:, None] / r, r, axis=1)
    e = X - w @ H
    p, n, z = np.maximum(e, 0) + 0.5, np.maximum(-e, 0) + 0.5, np.full((b, r), 0.5)
    up, down = 1 - 0.5 * np.tanh(e), 1 + 0.5 * np.tanh(e)  # 1 - t and 1 + t
    for step in range(max_iter + 1):
        # How good are these? The coefficients are feasible in any case.
        snapped = np.where(w > _ZERO * w.max(axis=1, keepdims=True), w, 0)
        values = _objectives(X - snapped @ H, lam[:, 0])
        y = 0.5 * (down - up) + lam * (p - n)
        bounds = _bounds(X, H, y, lam[:, 0])
        better = values < best[at]
        best[at[better]], W_best[at[better]] = values[better], snapped[better]
        tighter = bounds > bound[at]
        bound[at[tighter]], D_best[at[tighter]] = bounds[tighter], y[tighter]
        unfinished = best[at] - bound[at] > tol * np.maximum(best[at], floor[at])
        if step == max_iter or not unfinished.any():
            break
        if not unfinished.all():
            X, lam, w, p, n, z, up, down, y, at = (
                a[unfinished] for a in (X, lam, w, p, n, z, up, down, y, at)
            )

        point = w, p, n, z, up, down
        residuals = X - w @ H - p + n, -z - y @ H.T
        G = _gram(up * down / (p * down + n * up) + lam, H)
        # Dependent rows of the basis leave no more than rounding on the diagonal.
        diagonal = np.arange(r), np.arange(r)
        G[:, *diagonal] = (1 + _DEPENDENT) * G[:, *diagonal] + z / w
        products = w * z, p * up, n * down
        mu = _total(products) / n_products
        change = _direction(point, G, H, lam, residuals, [-a for a in products])
        dw, dp, dn, dz, dup, ddown = change
        length = _longest(point, change)
        w1, p1, n1, z1, up1, down1 = _moved(point, change, length)
        aim = mu * (_total((w1 * z1, p1 * up1, n1 * down1)) / n_products / mu) ** 3
        second_order = dw * dz, dp * dup, dn * ddown
        targets = [aim - a - b for a, b in zip(products, second_order, strict=True)]
        change = _direction(point, G, H, lam, residuals, targets)
        length = np.minimum(_BOUNDARY * _longest(point, change), 1)
        w, p, n, z, up, down = _moved(point, change, length)
    return W_best, D_best, int(np.count_nonzero(unfinished))


def _direction(point, G, H, lam, residuals, targets):
    """Newton's direction: the products change by ``targets``, the equations by ``residuals``."""
    w, p, n, z, up, down = point
    rw, rp, rn = targets
    primal, dual = residuals
    split = rp / up - rn / down
    d = p / up + n / down
    right = rw / w - dual + ((primal - split) / d + lam * primal) @ H.T
    dw = np.linalg.solve(G, right[:, :, None])[:, :, 0]
    dt = (primal - dw @ H - split) / d
    return dw, (rp + p * dt) / up, (rn - n * dt) / down, (rw - z * dw) / w, -dt, dt


def _longest(point, change):
    """The longest step of each row, at most 1 / _BOUNDARY, that keeps everything positive."""
    falls = [(-c / a).max(axis=1, keepdims=True) for a, c in zip(point, change, strict=True)]
    return 1 / np.maximum(np.max(falls, axis=0), _BOUNDARY)


def _moved(point, change, length):
    return tuple(a + length * c for a, c in zip(point, change, strict=True))


def _total(arrays):
    return sum(a.sum(axis=1, keepdims=True) for a in arrays)


def _gram(weights, H):
    """``H diag(weights_i) H'`` for every row i of the weights."""
    r, m = H.shape
    i, j = np.triu_indices(r)
    entries = np.zeros((len(weights), len(i)))
    for features in gen_batches(m, max(1, _BLOCK // len(i))):
        part = H[:, features]
        entries += weights[:, features] @ (part[i] * part[j]).T
    G = np.empty((len(weights), r, r))
    G[:, i, j] = entries
    G[:, j, i] = entries
    return G
