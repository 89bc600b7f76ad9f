"""Bregman projections of one row on a cone, and loops over rows.

At zero coefficients the reconstruction may vanish where the data do not. So a row starts from
the given coefficients mixed with positive ones, if these are better or the loss is not convex.
No row ends worse than it began.

Products of a few rows in cache make up most of a step: with vectors of 256 bits, as the reference
target has them, it takes 1.1 to 1.2 times as long as with 512.
"""

import numpy as np
from numba import njit

from nmfbench.optim.kernels.nnls import nnls_row

__all__ = ["itakura_saito_rows", "kl_csr_rows", "kl_dense_rows"]

_NUMERIC = {"cache": True, "nogil": True, "error_model": "numpy"}
_FAST = _NUMERIC | {"fastmath": {"reassoc", "contract", "nsz", "arcp"}}
_KEEP = 0.9  # share of the given coefficients in the positive start
_EXACT = 1e-15  # a loss below this share of its scale is rounding
_PROGRESS, _STALLS = 0.99, 5  # iteration ends after _STALLS steps that leave over this share,
_ROUNDING = 1e-13  # unless the loss falls; a gap or a fall below this share of the sum is none
_SMALLEST = 2.0**-1022  # ratios below it, of subnormal data, add nothing to a loss
_HALVINGS = 30
_SWEEPS = 4  # of coordinate descent before Newton's method
_NEWTON_TOL, _NEWTON_ITER = 1e-12, 10  # of the quadratic sub-problem; the latter times its size
_DAMPING = 1e-9  # of a row that stalls, relative to the diagonal of its quadratic model
_SECANTS = 30
_CURVATURE = 0.1  # least one of an entry under Itakura-Saito, in units of 1 / y^2
_BOUNDARY = 0.95  # share of the way to where an entry's reconstruction vanishes


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


@njit(**_FAST)
def _pull(first, A, ratio):
    """``first = A ratio``."""
    for k in range(A.shape[0]):
        a = A[k]
        total = 0.0
        for q in range(ratio.shape[0]):
            total += a[q] * ratio[q]
        first[k] = total


@njit(**_FAST)
def _scale(out, a, b):
    for q in range(out.shape[0]):
        out[q] = a[q] * b[q]


@njit(**_NUMERIC)
def _workspace(r, m):
    return (
        np.empty(r),
        np.empty(r, dtype=np.intp),
        np.empty(r * m),
        np.empty(m),
        np.empty(r),
        np.empty(r),
        np.empty(r),
        np.empty(r),
        np.empty((r, r)),
        np.empty(r),
        np.empty(r),
        np.empty(r, dtype=np.intp),
        np.empty(r, dtype=np.bool_),
    )


@njit(**_NUMERIC)
def _model_minimum(w, mass, A, root, damping, work):
    """Minimise the quadratic model with Hessian ``A diag(root^2) A'`` over ``w >= 0``.

    The first entry of ``work`` is minus the gradient at ``w``. The coefficients that take part are
    positive or want to be. Their number is returned; their places, minima and present values are
    in ``work``, and the change of the reconstruction.

    With more coefficients than entries the model is singular. ``damping``, a share of the diagonal,
    makes the minimum of such a model one that the active-set method finds.
    """
    descent, free, scaled, change, target, given, c, diagonal, L, g, z, support, refused = work
    size = root.shape[0]
    n = 0
    for k in range(w.shape[0]):
        if mass[k] > 0 and (w[k] > 0 or descent[k] > 0):
            free[n] = k
            n += 1
    rows = scaled[: n * size].reshape(n, size)
    for e in range(n):
        _scale(rows[e], A[free[e]], root)
        given[e] = w[free[e]]
        target[e] = given[e]
    G = np.dot(rows, rows.T)
    for e in range(n):
        diagonal[e] = np.sqrt(G[e, e])
        c[e] = descent[free[e]]
        G[e, e] *= 1 + damping
        for f in range(n):
            c[e] += G[e, f] * given[f]
    nnls_row(
        target[:n],
        c[:n],
        G,
        diagonal[:n],
        _NEWTON_TOL,
        _NEWTON_ITER * n,
        L[:n, :n],
        g[:n],
        z[:n],
        support[:n],
        refused[:n],
    )
    change[:size] = 0.0
    for e in range(n):
        d = target[e] - given[e]
        if d != 0:
            a = A[free[e]]
            for q in range(size):
                change[q] += d * a[q]
    return n


@njit(**_NUMERIC)
def _move(w, n, step, work):
    """Go this share of the way to the minimum of the model."""
    _, free, _, _, target, given = work[:6]
    for e in range(n):
        w[free[e]] = max(given[e] + step * (target[e] - given[e]), 0.0)


# -- Kullback-Leibler: only the support of the data row matters -------------------------------


@njit(**_FAST)
def _kl_loss(w, x, y, mass, floor):
    """Divergence, with the logarithm continued by its tangent below ``floor``."""
    loss = 0.0
    for k in range(w.shape[0]):
        loss += w[k] * mass[k]
    for q in range(x.shape[0]):
        lifted = max(y[q], floor)
        loss += x[q] * (np.log(max(x[q] / lifted, _SMALLEST)) - 1 + (lifted - y[q]) / lifted)
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


@njit(**_FAST)
def _kl_weights(ratio, root, x, y, floor):
    """``x / y``, and the square root of ``x / y^2``."""
    for q in range(x.shape[0]):
        lifted = max(y[q], floor)
        ratio[q] = x[q] / lifted
        root[q] = np.sqrt(x[q]) / lifted


@njit(**_NUMERIC)
def _kl_gap(w, first, mass, total):
    """Duality gap: no coefficients have a loss that is lower by more.

    ``d = x / y``, divided by a number that makes ``H d <= mass`` hold, is feasible for the dual
    problem, to maximise ``sum x log d``.
    """
    excess, gap = 1.0, 0.0
    for k in range(w.shape[0]):
        if mass[k] > 0:
            gap += w[k] * (mass[k] - first[k])
            excess = max(excess, first[k] / mass[k])
    return gap + total * np.log(excess)


@njit(**_FAST)
def _kl_slope_along(x, y, change, step, floor):
    """The sum of ``change x / (y + step change)``."""
    total = 0.0
    for q in range(x.shape[0]):
        total += change[q] * x[q] / max(y[q] + step * change[q], floor)
    return total


@njit(**_FAST)
def _longest(y, change):
    """The reciprocal of the step to where the first entry of ``y + step change`` vanishes."""
    inverse = 0.0
    for q in range(y.shape[0]):
        inverse = max(inverse, -change[q] / y[q] if y[q] > 0 else 0.0)
    return inverse


@njit(**_NUMERIC)
def _kl_newton(w, x, y, A, mass, root, floor, damping, work):
    """A step towards the minimum of the quadratic model over ``w >= 0``.

    The step is shortened until the loss is still falling at its end: being convex, it has then
    fallen all the way. Along directions that leave the reconstruction of the positive entries as it
    is only the mass falls, up to a bound. Returns the decrease that the slope at the start
    promised; 0 if no step was made.
    """
    first, free, _, change, target, given = work[:6]
    change = change[: x.shape[0]]
    for k in range(w.shape[0]):
        first[k] -= mass[k]
    n = _model_minimum(w, mass, A, root, damping, work)
    flat, slope, rounding = 0.0, 0.0, 0.0
    for e in range(n):
        d = target[e] - given[e]
        flat += d * mass[free[e]]
        slope -= d * first[free[e]]
        rounding += abs(d) * mass[free[e]]
    rounding *= _EXACT
    if slope >= -rounding:
        return 0.0
    step = min(1.0, _BOUNDARY / max(_longest(y, change), _BOUNDARY))
    for _ in range(_SECANTS):
        end = flat - _kl_slope_along(x, y, change, step, floor)
        if end <= rounding:
            break
        step *= slope / (slope - end)
    else:
        return 0.0
    _move(w, n, step, work)
    return -slope


@njit(**_NUMERIC)
def _kl_row(w, start, x, y, ratio, root, A, mass, floor, tol, max_iter, work):
    """Solve one row, given its positive entries ``x`` and the same columns ``A`` of ``H``.

    Returns its loss, its duality gap, and whether it ended within ``max_iter``.
    """
    total = x.sum()
    negligible = _EXACT * total
    _positive_start(start, w, total, mass)
    _combine(y, start, A)
    loss = _kl_loss(start, x, y, mass, floor)
    given = np.inf
    if w.any():
        _combine(y, w, A)
        given = _kl_loss(w, x, y, mass, floor)
    if loss <= given:
        for k in range(w.shape[0]):
            w[k] = start[k]
        _combine(y, w, A)
    loss = min(loss, given)
    first = work[0]
    least, stalled, fall, damping = np.inf, 0, 0.0, 0.0
    for iteration in range(max_iter + 1):
        # Until it may matter, ``loss`` is only an upper bound: logarithms are dear.
        _kl_weights(ratio, root, x, y, floor)
        _pull(first, A, ratio)
        gap = _kl_gap(w, first, mass, total)
        moves = gap <= _PROGRESS * least or fall > _ROUNDING * total
        stalled = 0 if moves or iteration <= _SWEEPS else stalled + 1
        least = min(least, gap)
        if gap <= max(tol * loss, negligible) or stalled >= _STALLS or iteration == max_iter:
            loss = _kl_loss(w, x, y, mass, floor)
            finished = gap <= max(tol * loss, negligible) or loss <= negligible
            if finished or stalled >= _STALLS or iteration == max_iter:
                return loss, gap, finished or gap <= _ROUNDING * total
        fall = 0.0
        if iteration >= _SWEEPS:
            fall = _kl_newton(w, x, y, A, mass, root, floor, damping, work)
        if iteration < _SWEEPS:
            _kl_sweep(w, x, y, A, mass, floor)
        elif fall == 0.0:  # as where the model is singular
            damping = _DAMPING
            before = _kl_loss(w, x, y, mass, floor)
            _kl_sweep(w, x, y, A, mass, floor)
            _combine(y, w, A)
            fall = before - _kl_loss(w, x, y, mass, floor)
        _combine(y, w, A)
    return loss, least, False


@njit(**_NUMERIC)
def _kl_gather_and_solve(
    w, start, index, x, y, ratio, root, A, H, mass, floor, tol, max_iter, size, work
):
    if size == 0:
        w[:] = 0.0
        return 0.0, 0.0, True
    r = w.shape[0]
    used = A[: r * size].reshape(r, size)
    for k in range(r):
        for q in range(size):
            used[k, q] = H[k, index[q]]
    views = x[:size], y[:size], ratio[:size], root[:size]
    x, y, ratio, root = views
    return _kl_row(w, start, x, y, ratio, root, used, mass, floor, tol, max_iter, work)


@njit(**_NUMERIC)
def kl_dense_rows(W, loss, gap, X, H, floor, tol, max_iter):
    """Project the rows of a dense ``X``, from ``W``, which is changed in place.

    Fills ``loss`` and ``gap``, the divergence of each row and how far it may be above the least,
    and returns the number of rows that used up ``max_iter``.
    """
    n, m = X.shape
    r = H.shape[0]
    mass = H.sum(axis=1)
    start = np.empty(r)
    index = np.empty(m, dtype=np.intp)
    x, y, A = np.empty(m), np.empty(m), np.empty(r * m)
    ratio, root = np.empty(m), np.empty(m)
    work = _workspace(r, m)
    unfinished = 0
    for i in range(n):
        size = np.intp(0)
        for q in range(m):
            if X[i, q] > 0:
                index[size] = q
                x[size] = X[i, q]
                size += 1
        loss[i], gap[i], finished = _kl_gather_and_solve(
            W[i], start, index, x, y, ratio, root, A, H, mass, floor, tol, max_iter, size, work
        )
        unfinished += not finished
    return unfinished


@njit(**_NUMERIC)
def kl_csr_rows(W, loss, gap, data, indices, indptr, H, floor, tol, max_iter):
    """As :func:`kl_dense_rows` for a CSR matrix, in time proportional to its non-zero entries."""
    r, m = H.shape
    mass = H.sum(axis=1)
    start = np.empty(r)
    index = np.empty(m, dtype=np.intp)
    x, y, A = np.empty(m), np.empty(m), np.empty(r * m)
    ratio, root = np.empty(m), np.empty(m)
    work = _workspace(r, m)
    unfinished = 0
    for i in range(indptr.shape[0] - 1):
        size = np.intp(0)
        for place in range(indptr[i], indptr[i + 1]):
            if data[place] > 0:
                index[size] = indices[place]
                x[size] = data[place]
                size += 1
        loss[i], gap[i], finished = _kl_gather_and_solve(
            W[i], start, index, x, y, ratio, root, A, H, mass, floor, tol, max_iter, size, work
        )
        unfinished += not finished
    return unfinished


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


@njit(**_FAST)
def _is_weights(residual, root, x, y, floor):
    """Minus the slope in each entry, and the square root of its curvature, kept positive."""
    for q in range(x.shape[0]):
        inverse = 1 / max(y[q], floor)
        ratio = x[q] * inverse
        residual[q] = (ratio - 1) * inverse
        root[q] = inverse * np.sqrt(max(2 * ratio - 1, _CURVATURE))


@njit(**_NUMERIC)
def _is_newton(w, x, y, A, mass, residual, root, floor, work):
    """A step towards the minimum of the quadratic model over ``w >= 0``, as far as the loss falls.

    The curvature of an entry is ``(2 x / y - 1) / y^2``, which may be negative; the model has a
    positive one instead. The step is halved until the loss does not rise. Returns the change of
    the loss, and whether the step was made as a whole.
    """
    direction = work[3]
    _is_weights(residual, root, x, y, floor)
    _pull(work[0], A, residual)
    n = _model_minimum(w, mass, A, root, 0.0, work)
    step = 1.0
    for _ in range(_HALVINGS):
        change = _is_change(direction, x, y, step, floor)
        if change <= 0:
            _move(w, n, step, work)
            return change, step == 1.0
        step *= 0.5
    return 0.0, False


@njit(**_NUMERIC)
def _is_descend(w, x, y, A, mass, residual, root, floor, tol, max_iter, work):
    _combine(y, w, A)
    loss = _is_loss(x, y, floor)
    for _ in range(max_iter):
        change, whole = _is_newton(w, x, y, A, mass, residual, root, floor, work)
        _combine(y, w, A)
        if not whole:
            change += _is_sweep(w, x, y, A, mass, floor)
            _combine(y, w, A)
        before = loss
        loss += change
        if -change <= tol * before or loss <= _EXACT * x.shape[0]:
            break
    return _is_loss(x, y, floor)


@njit(**_NUMERIC)
def itakura_saito_rows(W, loss, X, H, floor, tol, max_iter):
    """Project the rows of a dense ``X``, raised to ``floor``; as :func:`kl_dense_rows`."""
    n, m = X.shape
    r = H.shape[0]
    mass = H.sum(axis=1)
    start = np.empty(r)
    x, y, residual, root = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    settings = mass, residual, root, floor, tol, max_iter, _workspace(r, m)
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
        loss[i] = _is_descend(start, x, y, H, *settings)
        if loss[i] <= given:
            for k in range(r):
                w[k] = start[k]
        else:
            loss[i] = min(given, _is_descend(w, x, y, H, *settings))
