"""Data-fit terms of a factorization ``X ~ W @ Ht.T``: ``(X, W, Ht) -> float``.

No loss carries a hidden factor of one half. Sparse ``X`` stays sparse; a loss that must visit
every entry of the reconstruction does so in blocks of rows.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from nmfbench.core.validation import canonical_csr
from nmfbench.optim.kernels.kl_dense import divergence
from nmfbench.optim.kernels.kl_sparse import reconstruct_entries

__all__ = ["LOSSES", "frobenius_sq", "itakura_saito", "kl", "manhattan"]

_BLOCK = 1 << 22  # entries of the reconstruction in memory at once


def _blocks(X, W, Ht):
    """Pairs (dense rows of X, the same rows of the reconstruction)."""
    rows = max(1, _BLOCK // max(1, X.shape[1]))
    for block in gen_batches(X.shape[0], rows):
        dense = X[block].toarray() if sp.issparse(X) else X[block]
        yield dense, W[block] @ Ht.T


def frobenius_sq(X, W, Ht):
    """Squared Frobenius norm of ``X - W @ Ht.T``."""
    if sp.issparse(X):
        cross = float(np.sum((X @ Ht) * W))
        gram = float(np.sum((W.T @ W) * (Ht.T @ Ht)))
        return float(X.multiply(X).sum()) - 2 * cross + gram
    return float(sum(np.sum((x - y) ** 2, dtype=np.float64) for x, y in _blocks(X, W, Ht)))


def manhattan(X, W, Ht):
    """Sum of the absolute values of ``X - W @ Ht.T``.

    Sparse ``X`` costs ``O(r nnz(X) + (n + m) r)`` if no entry of the factors is negative: at its
    zeros the absolute values are the values themselves.
    """
    if sp.issparse(X) and min(W.min(initial=0), Ht.min(initial=0)) >= 0:
        X, W, Ht = canonical_csr(X), W.astype(np.float64), Ht.astype(np.float64)
        y = np.empty(X.nnz)
        reconstruct_entries(y, X.indices, X.indptr, W, np.ascontiguousarray(Ht))
        beside = W.sum(axis=0) @ Ht.sum(axis=0) - y.sum()
        return float(np.abs(X.data - y).sum() + max(beside, 0.0))
    return float(sum(np.sum(np.abs(x - y), dtype=np.float64) for x, y in _blocks(X, W, Ht)))


def kl(X, W, Ht):
    """Generalised Kullback-Leibler divergence, with ``0 log 0 = 0``.

    Infinite where the reconstruction is zero and ``X`` is not. Sparse ``X`` costs
    ``O(r nnz(X) + (n + m) r)``.
    """
    if sp.issparse(X):
        return _kl_sparse(X, W.astype(np.float64, copy=False), Ht.astype(np.float64, copy=False))
    return float(sum(divergence(x, y) for x, y in _blocks(X, W, Ht)))


def _kl_sparse(X, W, Ht):
    X = canonical_csr(X)
    x, y = X.data.astype(np.float64, copy=False), np.empty(X.nnz)
    reconstruct_entries(y, X.indices, X.indptr, W, Ht)
    if not y.all():
        return float("inf")
    with np.errstate(over="ignore", under="ignore"):
        logs = x / y
    odd = np.flatnonzero((logs == 0) | np.isinf(logs))
    logs[odd] = 1
    np.log(logs, out=logs)
    logs[odd] = np.log(x[odd]) - np.log(y[odd])
    return float(x @ logs - x.sum() + W.sum(axis=0) @ Ht.sum(axis=0))


def itakura_saito(X, W, Ht, floor=0.0):
    """Itakura-Saito divergence, after ``X`` and the reconstruction are raised to ``floor``.

    It is undefined at zero, so data with zeros need a positive ``floor``.
    """
    total = 0.0
    for x, y in _blocks(X, W, Ht):
        ratio = np.maximum(x, floor) / np.maximum(y, floor)
        total += np.sum(ratio - np.log(ratio) - 1, dtype=np.float64)
    return float(total)


LOSSES = {
    "frobenius": frobenius_sq,
    "manhattan": manhattan,
    "kl": kl,
    "itakura-saito": itakura_saito,
}
