"""Slow, obvious versions of what the separable solvers compute."""

import numpy as np
from scipy.optimize import minimize, nnls


def nnls_rows(X, H):
    """Non-negative least squares row by row, by scipy."""
    return np.array([nnls(H.T, x, maxiter=10_000)[0] for x in X])


def spa(X, r):
    """SPA with an explicit residual matrix; ties go to the longest row."""
    R, anchors = X.copy(), []
    for _ in range(r):
        norms = (R**2).sum(axis=1)
        tied = np.flatnonzero(norms >= norms.max() * (1 - 1e-6))
        j = int(tied[np.argmax((X[tied] ** 2).sum(axis=1))])
        u = R[j] / np.linalg.norm(R[j])
        R = R - np.outer(R @ u, u)
        anchors.append(j)
    return anchors


def multiplicative_kl(X, H, n_iter):
    """The multiplicative rule of KL-NMF with ``H`` fixed: monotone."""
    W = np.ones((X.shape[0], H.shape[0]))
    for _ in range(n_iter):
        W *= (X / np.maximum(W @ H, 1e-300)) @ H.T / H.sum(axis=1)
    return W


def multiplicative_itakura_saito(X, H, n_iter):
    """The multiplicative rule of IS-NMF with ``H`` fixed: monotone with the exponent 1/2."""
    W = np.ones((X.shape[0], H.shape[0]))
    for _ in range(n_iter):
        Y = W @ H
        W *= np.sqrt((X / Y**2) @ H.T / ((1 / Y) @ H.T))
    return W


def best_of_starts(x, H, generator, rng, n_starts=5):
    """Smallest divergence of ``x`` from the cone of ``H`` that L-BFGS-B finds."""

    def loss(w):
        y = np.maximum(w @ H, 1e-12)
        return generator.divergence(x, y).sum(), -H @ generator.weighted_residual(x, y)

    starts = rng.random((n_starts, H.shape[0]))
    options = {"maxiter": 2000, "ftol": 1e-14, "gtol": 1e-10}
    fits = [
        minimize(loss, w, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(w), options=options)
        for w in starts
    ]
    return min(fit.fun for fit in fits)
