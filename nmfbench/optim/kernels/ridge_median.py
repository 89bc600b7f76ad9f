r"""Weighted medians that a quadratic pulls at, over the rows of a factor and its residual.

Guan et al. (2012), Theorem 3: the minimiser of :math:`\sum_i a_i |x - p_i| + \frac q2 (x - c)^2`
is the median of the N points and the N + 1 zeros of the slopes between them. It is selected here
in linear time, without sorting.
"""

import numpy as np
from numba import njit

from nmfbench.optim.kernels.weighted_median import (
    _gather,
    _mass_below,
    _pivot,
    _signed_masses,
    _subtract,
)

__all__ = ["elastic_sweep", "graph_sweep", "ridge_median", "select_minimum"]

_SHORT = 24  # up to this number of points are sorted by insertion


@njit(cache=True, nogil=True)
def select_minimum(points, weights, count, below, total, slope, ridge):
    """Where ``sum a |x - p| + ridge / 2 x^2 + slope x`` is least; the left-most such point.

    The first ``count`` points are candidates, in any order, and are reordered, their weights with
    them. Points left out lie to the left, with the weight ``below``, or to the right; ``total`` is
    the weight of all.
    """
    lo, hi = 0, count
    smaller, larger = -np.inf, np.inf  # the last points found too small, and not too small
    while hi - lo > _SHORT:
        pivot = _pivot(points[lo:hi], hi - lo)
        middle = lo
        left, equal = 0.0, 0.0
        for a in range(lo, hi):  # always swapped, so that there is no branch to mispredict
            p, w = points[a], weights[a]
            points[a], weights[a] = points[middle], weights[middle]
            points[middle], weights[middle] = p, w
            middle += p < pivot
            left += w if p < pivot else 0.0
            equal += w if p == pivot else 0.0
        before = ridge * pivot + slope - total + 2.0 * (below + left)  # the slope left of it
        if before >= 0.0:
            larger, hi = pivot, middle
        elif before + 2.0 * equal >= 0.0:
            return np.float64(pivot)
        else:
            smaller, lo = pivot, middle
            below += left + equal
            for a in range(lo, hi):
                p, w = points[a], weights[a]
                points[a], weights[a] = points[lo], weights[lo]
                points[lo], weights[lo] = p, w
                lo += p == pivot
    for a in range(lo + 1, hi):
        p, w, b = points[a], weights[a], a - 1
        while b >= lo and points[b] > p:
            points[b + 1], weights[b + 1] = points[b], weights[b]
            b -= 1
        points[b + 1], weights[b + 1] = p, w
    for a in range(lo, hi):
        before = ridge * points[a] + slope - total + 2.0 * below
        if before >= 0.0:
            larger = points[a]
            break
        below += weights[a]
        if before + 2.0 * weights[a] >= 0.0:
            return np.float64(points[a])
        smaller = points[a]
    if ridge > 0.0:
        # Between two points the slope is linear, and vanishes here, but for rounding.
        return min(max((total - 2.0 * below - slope) / ridge, smaller), larger)
    if np.isfinite(larger):
        return np.float64(larger)
    return np.float64(smaller) if np.isfinite(smaller) else 0.0


@njit(cache=True, nogil=True)
def ridge_median(points, weights, ridge, centre, upper):
    r"""The minimiser of :math:`\sum_i a_i |x - p_i| + \frac q2 (x - c)^2` on ``[0, upper]``.

    Parameters
    ----------
    points, weights : ndarray of shape (N,)
        p and a; weights are not negative.
    ridge, centre : float
        q, not negative, and c. Without a ridge this is the weighted median, the left-most where
        there are several.
    upper : float
        Infinite for no bound.

    Returns
    -------
    float
        NaN if there are neither weights nor a ridge.
    """
    total = 0.0
    n = np.intp(0)
    p, a = np.empty_like(points), np.empty_like(weights)
    for i in range(points.shape[0]):
        if weights[i] > 0:
            p[n], a[n] = points[i], weights[i]
            total += weights[i]
            n += 1
    if n == 0:
        if ridge == 0.0:
            return np.nan
        return min(max(centre, 0.0), upper)
    slope = -ridge * centre if ridge > 0.0 else 0.0
    return min(max(select_minimum(p, a, n, 0.0, total, slope, ridge), 0.0), upper)


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _signs(e, b):
    """Weights of the positive and of the negative residuals, and ``b @ e``."""
    plus = 0.0
    minus = 0.0
    product = 0.0
    zero = e.dtype.type(0)
    for j in range(e.shape[0]):
        plus += b[j] if e[j] > zero else zero
        minus += b[j] if e[j] < zero else zero
        product += np.float64(b[j] * e[j])
    return plus, minus, product


@njit(cache=True, nogil=True)
def _shift(value, e, b, inverse, total, plus, minus, slope, ridge, points, weights):
    """How far to move a coordinate at ``value`` >= 0, for which its residual is ``e``.

    Minimises ``sum |e - t b| + ridge / 2 t^2 + slope t`` over ``t >= -value``. The first pivot is
    zero, and the second is ``-value``: their slopes need no division.
    """
    zero, infinity = e.dtype.type(0), e.dtype.type(np.inf)
    if slope + total - 2.0 * plus < 0.0:
        n = _gather(e, b, inverse, zero, infinity, points, weights)
        return max(select_minimum(points, weights, n, total - plus, total, slope, ridge), 0.0)
    before = slope + 2.0 * minus - total
    if value <= 0 or before < 0.0 or (before == 0.0 and ridge > 0.0):
        return 0.0
    below = _mass_below(e, b, inverse, -value)
    if slope - ridge * value - total + 2.0 * below >= 0.0:
        return -np.float64(value)
    n = _gather(e, b, inverse, -value, zero, points, weights)
    shift = select_minimum(points, weights, n, below, total, slope, ridge)
    return min(max(shift, -np.float64(value)), 0.0)


@njit(cache=True, nogil=True)
def _prepare(B):
    """Reciprocals of the basis, finite where it is zero, the sums of its rows, and buffers."""
    r, m = B.shape
    inverse, totals = np.zeros_like(B), np.zeros(r)
    for k in range(r):
        for j in range(m):
            totals[k] += B[k, j]
            if B[k, j] > 0:
                inverse[k, j] = 1 / B[k, j]
    return inverse, totals, np.empty(m, B.dtype), np.empty(m, B.dtype)


@njit(cache=True, nogil=True)
def _move(f, k, e, b, shift):
    """Move the coordinate, and the residual with it."""
    if shift != 0.0:
        old = f[k]
        f[k] = max(old + f.dtype.type(shift), f.dtype.type(0))
        _subtract(e, b, f[k] - old)


@njit(cache=True, nogil=True)
def elastic_sweep(F, R, B, lam):
    r"""Lower ``||R||_1 + lam / 2 ||R||^2`` over each entry of ``F >= 0`` in turn, exactly.

    Parameters
    ----------
    F : ndarray of shape (n, r)
        Non-negative; modified in place.
    R : ndarray of shape (n, m)
        ``X - F @ B``; kept so.
    B : ndarray of shape (r, m), non-negative
        The coordinates of a zero row stay as they are.
    lam : float
        With 0, a sweep of weighted medians.

    Notes
    -----
    Theorem 3 with weights b, points z / b, ``q = lam b @ b`` and ``c = b @ z / b @ b``, where z
    is the residual without the component. Its cost is that of ``n m r``.
    """
    n, r = F.shape
    inverse, totals, points, weights = _prepare(B)
    squares = np.empty(r)
    for k in range(r):
        _, _, squares[k] = _signs(B[k], B[k])
    for i in range(n):
        f, e = F[i], R[i]
        for k in range(r):
            if totals[k] > 0.0:
                b = B[k]
                plus, minus, product = _signs(e, b)
                slope, ridge = -lam * product, lam * squares[k]
                shift = _shift(
                    f[k], e, b, inverse[k], totals[k], plus, minus, slope, ridge, points, weights
                )
                _move(f, k, e, b, shift)


@njit(cache=True, nogil=True)
def graph_sweep(F, R, B, order, indptr, indices, affinity, penalty):
    r"""Lower ``||R||_1 + 1/2 sum_k penalty_k f_k' L f_k`` over each entry of ``F`` in turn.

    Parameters
    ----------
    F : ndarray of shape (n, r)
        Non-negative; modified in place. Its columns are the f.
    R : ndarray of shape (n, m)
        ``X - F @ B``; kept so.
    B : ndarray of shape (r, m), non-negative
    order : ndarray of shape (n,)
        Rows in the order of their turns: each sees what those before it have become.
    indptr, indices, affinity : ndarray
        Symmetric affinity in CSR, with a zero diagonal; L is its Laplacian. A row without
        neighbours takes its weighted medians.
    penalty : ndarray of shape (r,), float64

    Notes
    -----
    Theorem 3 with ``q`` = penalty times degree, and ``c`` the mean of the neighbours
    (Guan et al. 2012, Eqs. (36)-(37)).
    """
    r = B.shape[0]
    inverse, totals, points, weights = _prepare(B)
    pull = np.empty(r)
    for i in order:
        f, e = F[i], R[i]
        degree = 0.0
        pull[:] = 0.0
        for a in range(indptr[i], indptr[i + 1]):
            degree += affinity[a]
            neighbor = F[indices[a]]
            for k in range(r):
                pull[k] += affinity[a] * neighbor[k]
        for k in range(r):
            ridge = penalty[k] * degree
            slope = penalty[k] * (degree * f[k] - pull[k])
            b = B[k]
            if totals[k] > 0.0:
                plus, minus = _signed_masses(e, b)
                shift = _shift(
                    f[k], e, b, inverse[k], totals[k], plus, minus, slope, ridge, points, weights
                )
                _move(f, k, e, b, shift)
            elif ridge > 0.0:
                f[k] = max(pull[k] / degree, 0.0)
