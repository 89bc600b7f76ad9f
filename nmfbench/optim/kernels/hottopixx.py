"""Projection on the feasible set of Hottopixx, and its incremental epochs."""

import math

import numpy as np
from numba import njit

__all__ = ["project_diagonal_dominant", "sgd_epoch"]

_FAST = {"reassoc", "contract", "nsz"}


@njit(cache=True, fastmath=_FAST)
def _diagonal(row, i, a, x, tol):
    """Root in [0, 1] of ``x - sum_{j != i} (row_j - x)_+ = a``, and the number of active j.

    The left side is increasing, concave and piecewise linear: Newton's method ends after one
    step for each piece it crosses, and two when ``x`` comes from a nearby problem.
    """
    active = 0
    zero, one = row.dtype.type(0), row.dtype.type(1)
    for _ in range(row.shape[0] + 2):
        excess = zero
        active = 0
        for j in range(row.shape[0]):
            over = row[j] - x
            if over > 0:
                excess += over
                active += 1
        over = row[i] - x
        if over > 0:
            excess -= over
            active -= 1
        new = x - (x - excess - a) / (one + active)
        new = min(max(new, zero), one)
        step = abs(new - x)
        x = new
        if step <= tol:
            break
    return x, active


@njit(cache=True)
def _trace_at(Z, x, beta, tol):
    """Diagonals for the multiplier ``beta`` into ``x``; their sum, and minus its slope."""
    trace, slope = 0.0, 0.0
    for i in range(Z.shape[0]):
        x[i], active = _diagonal(Z[i], i, Z[i, i] - Z.dtype.type(beta), x[i], tol)
        trace += x[i]
        if 0 < x[i] < 1:
            slope += 1.0 / (1.0 + active)
    return trace, slope


@njit(cache=True)
def project_diagonal_dominant(Z, x, beta, r, tol):
    """Project on ``{0 <= B_ij <= B_ii <= 1}``, and on ``tr B = r`` too if ``r >= 0``, in place.

    Rows are independent given the multiplier ``beta`` of the trace. The trace is a decreasing,
    piecewise linear function of ``beta``: Newton's method, guarded by bisection.

    Parameters
    ----------
    Z : ndarray of shape (n, n)
        The point to project; becomes its projection ``B``.
    x : ndarray of shape (n,)
        A guess of the diagonal of ``B``; becomes that diagonal.
    beta : float
        A guess of the multiplier.
    r : int
        At most ``n``; negative for no constraint on the trace, and then ``beta`` is used.
    tol : float
        Error of the diagonal to accept.

    Returns
    -------
    beta : float
    """
    n = Z.shape[0]
    low, high, width = -np.inf, np.inf, 1.0
    trace, slope = _trace_at(Z, x, beta, tol)
    for _ in range(200 if r >= 0 else 0):
        if abs(trace - r) <= tol * n:
            break
        if trace > r:
            low = beta
        else:
            high = beta
        if slope > 0:
            new = beta + (trace - r) / slope
        else:  # flat: all diagonals are 0 or 1
            new = beta + math.copysign(width, trace - r)
            width *= 2
        if not low < new < high:
            new = 0.5 * (low + high)
        if new == beta:
            break
        beta = new
        trace, slope = _trace_at(Z, x, beta, tol)
    zero = Z.dtype.type(0)
    for i in range(n):
        top = x[i]
        for j in range(n):
            Z[i, j] = min(max(Z[i, j], zero), top)
        Z[i, i] = top
    return beta


@njit(cache=True, fastmath=_FAST)
def sgd_epoch(B, XT, order, step, drift, residual):
    """One step for each feature in ``order``, in place: Bittorf et al., Algorithm 4, line 4.

    Parameters
    ----------
    B : ndarray of shape (n, n)
    XT : ndarray of shape (m, n)
        A feature of all points in each row.
    order : ndarray of int of shape (m,)
    step : float
    drift : ndarray of shape (n,)
        ``step * mu * (beta + p)``, subtracted from the diagonal at each step.
    residual : ndarray of shape (n,)
        Buffer.
    """
    n = B.shape[0]
    for k in order:
        x = XT[k]
        for j in range(n):
            residual[j] = x[j]
        for i in range(n):
            if x[i] != 0:
                for j in range(n):
                    residual[j] -= x[i] * B[i, j]
        for j in range(n):
            # sign(0) = 0
            residual[j] = step * ((residual[j] > 0) - (residual[j] < 0))
        for i in range(n):
            if x[i] != 0:
                for j in range(n):
                    B[i, j] += x[i] * residual[j]
            B[i, i] -= drift[i]
