r"""The convex programme of SMRS, from a Gram matrix: published ADMM, and an active-set method.

.. math:: \min_C\ \lambda\sum_i\|C_{i,:}\|_2 + \tfrac12\operatorname{tr}(I-C)^TP(I-C)
          \quad\text{s.t.}\quad \mathbf 1^TC = \mathbf 1^T,

where P is the Gram matrix of *centred* points, so that ``P @ 1 = 0``. Rounds are counted out only
when a row of C is not zero, which the constraint sees to: without one there is no ranking.
"""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace

import numpy as np

__all__ = ["active_set", "admm", "objective"]

_RELAX = 1.6  # over-relaxation of the inner ADMM
_LOOSE = 100.0  # while rows are still missing, solve to this multiple of the tolerance
_VIOLATION = 1e-4  # relative violation of the optimality condition of a row to accept
_NEARLY = 0.9  # a zero row whose gradient is this share of lambda stays in the active set


def objective(P, lam, rows, C):
    """The objective, where ``C`` has the given ``rows`` of a matrix that is zero elsewhere."""
    return lam * np.linalg.norm(C, axis=1).sum() + 0.5 * _residual(P, rows, C)[0]


def _residual(P, rows, C):
    """Traces of ``(I - C)^T P (I - C)`` and of ``P (I - C)``."""
    linear = np.einsum("ij,ij->", P[rows], C)
    square = np.einsum("ij,ij->", P[np.ix_(rows, rows)] @ C, C)
    trace = np.trace(P)
    return trace - 2 * linear + square, trace - linear


def admm(P, lam, alpha, tol, max_iter):
    """Elhamifar et al.'s own iteration, with their penalties and their stop.

    Returns
    -------
    rows, C : the rows that are not zero, and their values
    n_rounds : int
    """
    n = len(P)
    mu1, mu2 = 1 / lam, alpha
    inverse = np.linalg.inv(mu1 * P + mu2 * (np.eye(n) + 1))
    fixed = mu1 * P + mu2
    C, L2, l3 = np.zeros((n, n)), np.zeros((n, n)), np.zeros(n)
    for n_rounds in count(1):
        Z = inverse @ (fixed + mu2 * C - L2 + l3)
        C = Z + L2 / mu2
        C *= _shrinkage(C, 1 / mu2)[:, None]
        L2 += mu2 * (Z - C)
        off = 1 - Z.sum(axis=0)
        l3 += mu2 * off
        still = np.abs(Z - C).mean() <= tol and np.abs(off).mean() <= tol
        if still or (n_rounds >= max_iter and C.any()):
            break
    rows = np.flatnonzero(C.any(axis=1))
    return rows, C[rows], n_rounds


def _shrinkage(A, threshold):
    norms = np.linalg.norm(A, axis=1)
    return np.maximum(1 - threshold / np.maximum(norms, np.finfo(float).tiny), 0)


def active_set(P, lam, tol, max_iter, warm=None):
    """The same programme, solved on a growing set of rows.

    Two facts make it cheap and exact. Row norms do not change when C is multiplied by an
    orthogonal matrix from the right, and C is a combination of the rows of ``P[rows]`` and of
    the vector of ones; so on s rows the problem is one of s by s + 1 numbers, instead of s by n.
    And a row is zero at the optimum if its gradient is shorter than lambda: one product with P
    tells which rows are missing, and bounds the duality gap.

    Parameters
    ----------
    P : ndarray of shape (n, n)
    lam : float
    tol, max_iter : float, int
        Of the inner ADMM: mean difference of its two copies of C.
    warm : result of an earlier call, optional
        At another ``lam``.

    Returns
    -------
    namespace with ``rows``, ``C`` (their values), ``gap`` (objective minus a lower bound),
    ``n_rounds``, and what a warm start needs.
    """
    n = len(P)
    if warm is None:
        rows = np.sort(np.argsort(-np.linalg.norm(P, axis=1), kind="stable")[:30])
        C, U, rho = np.full((len(rows), n), 1 / len(rows)), np.zeros((len(rows), n)), None
    else:
        rows, C, U, rho = warm.rows, warm.C, warm.U, warm.rho
    total, loose = 0, True
    while True:
        C, U, rho, n_rounds = _on_rows(
            P, rows, lam, C, U, rho, tol * (_LOOSE if loose else 1), max_iter
        )
        total += n_rounds
        norms = np.linalg.norm(C, axis=1)
        used = norms > 0
        gradient = P - P[:, rows] @ C
        # Multiplier of the constraint: on rows in use, gradient + nu = lambda C_i / |C_i|.
        nu = (lam * C[used] / norms[used, None] - gradient[rows[used]]).mean(axis=0)
        gradient += nu
        size = np.linalg.norm(gradient, axis=1)
        outside = size.copy()
        outside[rows] = 0
        missing = np.flatnonzero(outside > lam * (1 + (10 if loose else 1) * _VIOLATION))
        if not len(missing) and not loose:
            break
        loose = bool(len(missing))
        missing = missing[np.argsort(-outside[missing], kind="stable")][: max(100, len(rows))]
        kept = used | (size[rows] > _NEARLY * lam)  # dropping a row too early makes a cycle
        rows = np.concatenate([rows[kept], missing])
        order = np.argsort(rows)
        rows = rows[order]
        C = np.vstack([C[kept], np.zeros((len(missing), n))])[order]
        # At the optimum rho U is the gradient, cut to length lambda.
        fresh = gradient[missing] * (lam / rho / size[missing, None])
        U = np.vstack([U[kept], fresh])[order]
    scale = min(1.0, lam / size.max())  # makes gradient and multiplier feasible for the dual
    square, linear = _residual(P, rows, C)
    bound = scale * (linear + nu.sum()) - 0.5 * scale**2 * square
    value = lam * norms.sum() + 0.5 * square
    return SimpleNamespace(
        rows=rows[used],
        C=C[used],
        U=U[used],
        rho=rho,
        objective=value,
        gap=value - bound,
        n_rounds=total,
    )


def _on_rows(P, rows, lam, C, U, rho, tol, max_iter):
    """ADMM on ``min lam sum |D_i| + 1/2 <D, G D> - <T, D>``, the sums of columns being fixed.

    D and T are C and P[rows] in an orthonormal basis of the rows of P[rows], followed by the
    constant vector, which is orthogonal to them.
    """
    n, s = P.shape[0], len(rows)
    PA, G = P[rows], P[np.ix_(rows, rows)]
    values, vectors = np.linalg.eigh(PA @ PA.T)
    used = values > 1e-13 * values[-1]
    roots = np.sqrt(values[used])
    basis = np.vstack([(vectors[:, used] / roots).T @ PA, np.full((1, n), 1 / np.sqrt(n))])
    T = np.hstack([vectors[:, used] * roots, np.zeros((s, 1))])
    sums = np.zeros(len(basis))
    sums[-1] = np.sqrt(n)
    D, U = C @ basis.T, U @ basis.T
    values, vectors = np.linalg.eigh(G)

    def factor(rho):
        inverse = (vectors / (np.maximum(values, 0) + rho)) @ vectors.T
        ones = inverse.sum(axis=1)
        return inverse, ones / ones.sum()

    rho = np.trace(G) / s if rho is None else rho
    inverse, ones = factor(rho)
    for n_rounds in count(1):
        Z = inverse @ (T + rho * (D - U))
        Z += np.outer(ones, sums - Z.sum(axis=0))  # exactly on the constraint
        before = D
        A = _RELAX * Z + (1 - _RELAX) * D + U
        D = A * _shrinkage(A, lam / rho)[:, None]
        U = A - D
        if n_rounds % 10 == 0:
            primal, dual = np.abs(Z - D).mean(), np.abs(D - before).mean()
            if primal <= tol and dual <= tol:
                break
            if n_rounds in (20, 40, 80) or n_rounds % 100 == 0:
                # Residual balancing, with each residual relative to its own variable.
                ratio = np.sqrt(
                    primal * np.abs(U).mean() / max(dual * np.abs(D).mean(), np.finfo(float).tiny)
                )
                if not 0.5 < ratio < 2:
                    change = np.clip(ratio, 0.1, 10)
                    rho *= change
                    U = U / change
                    inverse, ones = factor(rho)
        if n_rounds >= max_iter and D.any():
            break
    return D @ basis, U @ basis, rho, n_rounds
