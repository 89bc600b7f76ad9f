"""Slow, obvious versions of the l1 problems: linear programmes and a weighted median."""

import numpy as np
from scipy.optimize import linprog, minimize


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


def ridge_lad_optimum(x, H, lam):
    """``min ||e||_1 + lam / 2 ||e||_2^2``, ``e = x - w H``, over ``w >= 0``, by a generic solver.

    A quadratic programme: e is the difference of its positive and its negative part.
    """
    k, m = H.shape
    A = np.hstack([H.T, np.eye(m), -np.eye(m)])
    unit = (x.sum() + lam / 2 * x @ x) or 1.0

    def value(v):
        p, n = v[k : k + m], v[k + m :]
        slope = lam * (p - n)
        gradient = np.concatenate([np.zeros(k), 1 + slope, 1 - slope])
        return (np.sum(p + n) + lam / 2 * np.sum((p - n) ** 2)) / unit, gradient / unit

    found = minimize(
        value,
        np.concatenate([np.zeros(k), x, np.zeros(m)]),
        jac=True,
        bounds=[(0, None)] * (k + 2 * m),
        constraints={"type": "eq", "fun": lambda v: A @ v - x, "jac": lambda v: A},
        method="SLSQP",
        options={"ftol": 1e-11, "maxiter": 1000},
    )
    assert found.success, found.message
    w = np.maximum(found.x[:k], 0)
    e = x - w @ H
    return np.abs(e).sum() + lam / 2 * e @ e, w


def manifold_lad_optimum(X, H, L, beta):
    """``min ||X - W H||_1 + beta / 2 tr(W' L W)`` over ``W >= 0``, by a generic solver."""
    (n, m), k = X.shape, len(H)
    size = n * m
    A = np.hstack([np.kron(np.eye(n), H.T), np.eye(size), -np.eye(size)])

    def value(v):
        W = v[: n * k].reshape(n, k)
        pull = beta * L @ W
        gradient = np.concatenate([pull.ravel(), np.ones(2 * size)])
        return (v[n * k :].sum() + np.sum(pull * W) / 2) / X.sum(), gradient / X.sum()

    found = minimize(
        value,
        np.concatenate([np.zeros(n * k), X.ravel(), np.zeros(size)]),
        jac=True,
        bounds=[(0, None)] * A.shape[1],
        constraints={"type": "eq", "fun": lambda v: A @ v - X.ravel(), "jac": lambda v: A},
        method="SLSQP",
        options={"ftol": 1e-11, "maxiter": 1000},
    )
    assert found.success, found.message
    W = np.maximum(found.x[: n * k], 0).reshape(n, k)
    return np.abs(X - W @ H).sum() + beta / 2 * np.sum(W * (L @ W)), W


def box_optima(X, H, upper):
    """``min ||x - w H||_1`` over ``0 <= w <= upper`` for each row, by HiGHS."""
    k, m = H.shape
    A = np.hstack([H.T, np.eye(m), -np.eye(m)])
    cost = np.concatenate([np.zeros(k), np.ones(2 * m)])
    bounds = [(0, b) for b in np.broadcast_to(upper, k)] + [(0, None)] * (2 * m)
    results = [linprog(cost, A_eq=A, b_eq=x, bounds=bounds, method="highs") for x in X]
    assert all(result.status == 0 for result in results)
    return np.array([result.fun for result in results])
