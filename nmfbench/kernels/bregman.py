"""Coordinate descent for one row of a Bregman projection on a cone, and loops over rows.

Every row starts from strictly positive coefficients: at zero the reconstruction may vanish
where the data do not. Where that start leads to a worse point than the given one, the row is
solved again from the given one, so that no row ends worse than it began.
"""

import numpy as np
from numba import njit

__all__ = ["itakura_saito_rows", "kl_csr_rows", "kl_dense_rows"]

_NUMERIC = {"cache": True, "nogil": True, "error_model": "numpy"}
_FAST = _NUMERIC | {"fastmath": {"reassoc", "contract", "nsz", "arcp"}}
_KEEP = 0.9  # share of the given coefficients in the positive start
_EXACT = 1e-15  # a loss below this share of its scale is rounding
_HALVINGS = 30


@njit(**_FAST)
def _combine(y, w, A):
    """``y = w A``."""
    y[:] = 0.0
    for k in range(w.shape[0]):
        if w[k] != 0:
            a = A[k]
            for q in range(y.shape[0]):
                y[q] += w[k] * a[q]


@njit(**_NUMERIC)
def _positive_start(w, given, total, mass):
    """Mix the given coefficients with an equal share of the row's sum for each row of H."""
    r = w.shape[0]
    keep = _KEEP if given.any() else 0.0
    for k in range(r):
        w[k] = keep * given[k]
        if mass[k] > 0:
            w[k] += (1 - keep) * total / (r * mass[k])
        else:
            w[k] = 0.0


# -- Kullback-Leibler: only the support of the data row matters -------------------------------


@njit(**_FAST)
def _kl_loss(w, x, y, mass, floor):
    """Divergence, with the logarithm continued by its tangent below ``floor``."""
    loss = 0.0
    for k in range(w.shape[0]):
        loss += w[k] * mass[k]
    for q in range(x.shape[0]):
        lifted = max(y[q], floor)
        loss += x[q] * (np.log(x[q] / lifted) - 1 + (lifted - y[q]) / lifted)
    return loss


@njit(**_FAST)
def _kl_slopes(a, x, y, floor):
    """The sums of ``a x / y`` and ``a^2 x / y^2``."""
    first, second = 0.0, 0.0
    for q in range(x.shape[0]):
        share = a[q] / max(y[q], floor)
        first += share * x[q]
        second += share * share * x[q]
    return first, second


@njit(**_FAST)
def _kl_first_slope(a, x, y, step, floor):
    """The sum of ``a x / (y + step a)``."""
    total = 0.0
    for q in range(x.shape[0]):
        total += a[q] * x[q] / max(y[q] + step * a[q], floor)
    return total


@njit(**_NUMERIC)
def _kl_sweep(w, x, y, A, mass, floor):
    """One Newton step in each coefficient; the loss never rises.

    Along a coefficient the slope is increasing and concave. So a Newton step upwards stops short
    of the minimum. A step downwards may pass it, and is safe if the slopes at its two ends have
    a non-negative sum; otherwise the multiplicative step, which never harms, replaces it.
    """
    for k in range(w.shape[0]):
        if mass[k] == 0:
            continue
        a = A[k]
        first, second = _kl_slopes(a, x, y, floor)
        slope = mass[k] - first
        if slope == 0 or (slope > 0 and w[k] == 0):
            continue
        multiplicative = -w[k] * slope / mass[k]
        step = -slope / second if second > 0 else -w[k]
        if slope < 0:
            step = max(step, multiplicative)
        else:
            step = max(step, -w[k])
            if slope + mass[k] - _kl_first_slope(a, x, y, step, floor) < 0:
                step = multiplicative
        w[k] = max(w[k] + step, 0.0)
        for q in range(x.shape[0]):
            y[q] = max(y[q] + step * a[q], 0.0)


@njit(**_NUMERIC)
def _kl_descend(w, x, y, A, mass, floor, tol, max_iter):
    _combine(y, w, A)
    loss = _kl_loss(w, x, y, mass, floor)
    negligible = _EXACT * x.sum()
    for _ in range(max_iter):
        _kl_sweep(w, x, y, A, mass, floor)
        before, loss = loss, _kl_loss(w, x, y, mass, floor)
        if before - loss <= tol * before or loss <= negligible:
            break
    return loss


@njit(**_NUMERIC)
def _kl_row(w, start, x, y, A, mass, floor, tol, max_iter):
    """Solve one row, given its positive entries ``x`` and the same columns ``A`` of ``H``."""
    _combine(y, w, A)
    given = _kl_loss(w, x, y, mass, floor)
    _positive_start(start, w, x.sum(), mass)
    loss = _kl_descend(start, x, y, A, mass, floor, tol, max_iter)
    if loss <= given:
        w[:] = start
        return loss
    return min(given, _kl_descend(w, x, y, A, mass, floor, tol, max_iter))


@njit(**_NUMERIC)
def _kl_gather_and_solve(w, start, index, x, y, A, H, mass, floor, tol, max_iter, size):
    if size == 0:
        w[:] = 0.0
        return 0.0
    r = w.shape[0]
    used = A[: r * size].reshape(r, size)
    for k in range(r):
        for q in range(size):
            used[k, q] = H[k, index[q]]
    return _kl_row(w, start, x[:size], y[:size], used, mass, floor, tol, max_iter)


@njit(**_NUMERIC)
def kl_dense_rows(W, loss, X, H, floor, tol, max_iter):
    """Project the rows of a dense ``X``. ``W`` (the start) and ``loss`` are changed in place."""
    n, m = X.shape
    r = H.shape[0]
    mass = H.sum(axis=1)
    start = np.empty(r)
    index = np.empty(m, dtype=np.intp)
    x, y, A = np.empty(m), np.empty(m), np.empty(r * m)
    for i in range(n):
        size = 0
        for q in range(m):
            if X[i, q] > 0:
                index[size] = q
                x[size] = X[i, q]
                size += 1
        loss[i] = _kl_gather_and_solve(
            W[i], start, index, x, y, A, H, mass, floor, tol, max_iter, size
        )


@njit(**_NUMERIC)
def kl_csr_rows(W, loss, data, indices, indptr, H, floor, tol, max_iter):
    """Project the rows of a CSR matrix, in time proportional to its non-zero entries."""
    r, m = H.shape
    mass = H.sum(axis=1)
    start = np.empty(r)
    index = np.empty(m, dtype=np.intp)
    x, y, A = np.empty(m), np.empty(m), np.empty(r * m)
    for i in range(indptr.shape[0] - 1):
        size = 0
        for place in range(indptr[i], indptr[i + 1]):
            if data[place] > 0:
                index[size] = indices[place]
                x[size] = data[place]
                size += 1
        loss[i] = _kl_gather_and_solve(
            W[i], start, index, x, y, A, H, mass, floor, tol, max_iter, size
        )


# -- Itakura-Saito ----------------------------------------------------------------------------


@njit(**_FAST)
def _is_loss(x, y, floor):
    loss = 0.0
    for q in range(x.shape[0]):
        ratio = x[q] / max(y[q], floor)
        loss += ratio - np.log(ratio) - 1
    return loss


@njit(**_FAST)
def _is_slopes(a, x, y, floor):
    """Derivative along ``a``, and the curvature of the Taylor model of Li et al."""
    slope, curvature = 0.0, 0.0
    for q in range(x.shape[0]):
        inverse = 1 / max(y[q], floor)
        share = a[q] * inverse
        slope += share * (1 - x[q] * inverse)
        curvature += share * share
    return slope, curvature


@njit(**_FAST)
def _is_change(a, x, y, step, floor):
    """Loss at ``y + step a`` minus the loss at ``y``.

    Logarithms are taken of products of four ratios: a logarithm costs more than all the rest.
    """
    m = x.shape[0]
    change = 0.0
    for block in range(0, m - 3, 4):
        product = 1.0
        for q in range(block, block + 4):
            old, new = max(y[q], floor), max(y[q] + step * a[q], floor)
            ratio = new / old
            change += x[q] / new - x[q] / old
            product *= ratio
        change += np.log(product)
    for q in range(m - m % 4, m):
        old, new = max(y[q], floor), max(y[q] + step * a[q], floor)
        change += x[q] / new - x[q] / old + np.log(new / old)
    return change


@njit(**_NUMERIC)
def _is_sweep(w, x, y, A, mass, floor):
    """One Taylor step in each coefficient, halved until the loss does not rise."""
    total = 0.0
    for k in range(w.shape[0]):
        if mass[k] == 0:
            continue
        a = A[k]
        slope, curvature = _is_slopes(a, x, y, floor)
        step = max(-slope / curvature, -w[k])
        if step == 0:
            continue
        for _ in range(_HALVINGS):
            change = _is_change(a, x, y, step, floor)
            if change <= 0:
                total += change
                w[k] = max(w[k] + step, 0.0)
                for q in range(x.shape[0]):
                    y[q] = max(y[q] + step * a[q], 0.0)
                break
            step *= 0.5
    return total


@njit(**_NUMERIC)
def _is_descend(w, x, y, A, mass, floor, tol, max_iter):
    _combine(y, w, A)
    loss = _is_loss(x, y, floor)
    for _ in range(max_iter):
        change = _is_sweep(w, x, y, A, mass, floor)
        before = loss
        loss += change
        if -change <= tol * before or loss <= _EXACT * x.shape[0]:
            break
    _combine(y, w, A)
    return _is_loss(x, y, floor)


@njit(**_NUMERIC)
def itakura_saito_rows(W, loss, X, H, floor, tol, max_iter):
    """Project the rows of a dense ``X``, raised to ``floor``; as :func:`kl_dense_rows`."""
    n, m = X.shape
    r = H.shape[0]
    mass = H.sum(axis=1)
    start = np.empty(r)
    x, y = np.empty(m), np.empty(m)
    for i in range(n):
        w = W[i]
        total = 0.0
        for q in range(m):
            total += X[i, q]
            x[q] = max(X[i, q], floor)
        if total == 0:
            w[:] = 0.0
            loss[i] = 0.0
            continue
        _combine(y, w, H)
        given = _is_loss(x, y, floor)
        _positive_start(start, w, total, mass)
        loss[i] = _is_descend(start, x, y, H, mass, floor, tol, max_iter)
        if loss[i] <= given:
            w[:] = start
        else:
            loss[i] = min(given, _is_descend(w, x, y, H, mass, floor, tol, max_iter))
