"""Slow, obvious solutions of the convex programmes of Hottopixx and SMRS, for small sizes."""

import numpy as np
from scipy.optimize import linprog, minimize


def project_diagonal_dominant_qp(Z, r):
    """The nearest B to Z with 0 <= B_ij <= B_ii <= 1 and tr B = r, by a generic solver."""
    n = len(Z)
    rows = []
    for i in range(n):
        for j in range(n):
            if i != j:
                row = np.zeros((n, n))
                row[i, i], row[i, j] = 1, -1
                rows.append(row.ravel())
    rows = np.array(rows).reshape(-1, n * n)
    trace = np.eye(n).ravel()
    found = minimize(
        lambda b: np.sum((b - Z.ravel()) ** 2),
        np.eye(n).ravel() * r / n,
        jac=lambda b: 2 * (b - Z.ravel()),
        bounds=[(0, 1)] * (n * n),
        constraints=[
            {"type": "eq", "fun": lambda b: trace @ b - r, "jac": lambda b: trace},
            {"type": "ineq", "fun": lambda b: rows @ b, "jac": lambda b: rows},
        ],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return found.x.reshape(n, n)


def hottopixx_lp(X, p, r, eps=None):
    """Hottopixx for the columns of X, by HiGHS.

    The Lagrangian form if ``eps`` is None; otherwise the programme of the paper, in which no
    column of X - X B has an l1 norm above ``2 eps``.

    Returns
    -------
    B, value
    """
    m, n = X.shape
    n_b, n_e = n * n, m * n  # B row by row, then E >= |X - X B| row by row
    fit = np.kron(X, np.eye(n))
    A = [np.hstack([fit, -np.eye(n_e)]), np.hstack([-fit, -np.eye(n_e)])]
    b = [X.ravel(), -X.ravel()]
    for i in range(n):
        block = np.zeros((n, n_b + n_e))
        for j in range(n):
            block[j, i * n + j] += 1
            block[j, i * n + i] -= 1
        A.append(block)
        b.append(np.zeros(n))
    if eps is not None:
        A.append(np.hstack([np.zeros((n, n_b)), np.tile(np.eye(n), m)]))
        b.append(np.full(n, 2 * eps))
    cost = np.concatenate([np.diag(p).ravel(), np.full(n_e, 1.0 if eps is None else 0.0)])
    trace = np.concatenate([np.eye(n).ravel(), np.zeros(n_e)])
    found = linprog(
        cost,
        A_ub=np.vstack(A),
        b_ub=np.concatenate(b),
        A_eq=trace[None],
        b_eq=[r],
        bounds=[(0, 1)] * n_b + [(0, None)] * n_e,
        method="highs",
    )
    assert found.status == 0, found.message
    return found.x[:n_b].reshape(n, n), found.fun


def smrs_smooth(Y, lam):
    """The programme of SMRS for the columns of Y, by L-BFGS on a slightly rounded norm.

    The constraint is removed by elimination of the last row; the rounding adds less than
    ``1e-7 n lam`` to the objective.
    """
    n = Y.shape[1]

    def full(free):
        top = free.reshape(n - 1, n)
        return np.vstack([top, 1 - top.sum(axis=0)])

    def value(free):
        C = full(free)
        norms = np.sqrt((C**2).sum(axis=1) + 1e-14)
        R = Y @ C - Y
        gradient = lam * C / norms[:, None] + Y.T @ R
        return lam * norms.sum() + 0.5 * (R**2).sum(), (gradient[:-1] - gradient[-1]).ravel()

    found = minimize(
        value,
        np.full((n - 1) * n, 1 / n),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 20000, "maxfun": 40000, "ftol": 1e-15, "gtol": 1e-9},
    )
    return full(found.x), found.fun
