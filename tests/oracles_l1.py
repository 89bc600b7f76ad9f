"""Slow, obvious versions of the l1 problems: linear programmes and a weighted median."""

import numpy as np
from scipy.optimize import linprog


def lad_optimum(x, H):
    """``min ||x - w H||_1`` over ``w >= 0`` for one row, by HiGHS: the optimum and ``w``."""
    k, m = H.shape
    A = np.hstack([H.T, np.eye(m), -np.eye(m)])
    cost = np.concatenate([np.zeros(k), np.ones(2 * m)])
    result = linprog(cost, A_eq=A, b_eq=x, bounds=(0, None), method="highs")
    assert result.status == 0, result.message
    return result.fun, result.x[:k]


def lad_optima(X, H):
    """Optimal objectives of all rows."""
    return np.array([lad_optimum(x, H)[0] for x in X])


def weighted_median_coefficient(x, h):
    """The best single coefficient, by trying every ratio and zero."""
    used = h > 0
    candidates = np.concatenate([[0.0], x[used] / h[used]])
    return min(candidates, key=lambda w: np.abs(x - w * h).sum())
