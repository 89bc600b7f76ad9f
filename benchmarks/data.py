"""Fixed data: the same at every commit, whatever becomes of the package's own generators."""

from functools import cache

import numpy as np
import scipy.sparse as sp

from benchmarks import QUICK

__all__ = ["CASES", "FIG3", "corpus", "factors", "low_rank", "near_separable", "size"]

FIG3 = "fig3 210x200"


def size(*numbers):
    """Sizes, or an eighth of them for a quick run."""
    return tuple(max(number // 8, 12) if QUICK else number for number in numbers)


@cache
def near_separable(n, m, r, level):
    """Convex combinations of ``r`` of ``n`` samples, plus the positive part of Laplace noise of
    standard deviation ``level`` (Kumar & Sindhwani 2015, Section 5.1)."""
    rng = np.random.default_rng(1)
    anchors = rng.uniform(size=(r, m))
    weights = np.vstack([np.eye(r), rng.dirichlet(rng.uniform(size=r), size=n - r)])
    X = (weights @ anchors)[rng.permutation(n)]
    return X + np.maximum(rng.laplace(scale=level / np.sqrt(2), size=(n, m)), 0)


@cache
def low_rank(n, m, r):
    """A product of sparse non-negative factors of rank ``r``, with noise."""
    rng = np.random.default_rng(2)
    W = rng.exponential(size=(n, r)) * (rng.uniform(size=(n, r)) < 0.5)
    H = rng.exponential(size=(r, m)) * (rng.uniform(size=(r, m)) < 0.5)
    X = W @ H
    return X + 0.1 * X.mean() * np.abs(rng.standard_normal((n, m)))


@cache
def corpus(n, m, topics=20, length=60):
    """Word counts of ``n`` documents (CSR), made without a dense array: Zipf's law, and a
    vocabulary of its own for each topic."""
    rng = np.random.default_rng(3)
    topic = rng.integers(topics, size=n)
    words = 1 + rng.poisson(length * rng.lognormal(-0.2, 0.6, size=n))
    common = 1 / np.arange(3, m + 3)
    X = sp.csr_matrix((n, m))
    for t in range(topics):
        documents = np.flatnonzero(topic == t)
        own = np.zeros(m)
        chosen = rng.choice(m, max(m // 25, 2), replace=False)
        own[chosen] = 1 / np.arange(3, len(chosen) + 3)
        chances = (0.6 * common / common.sum() + 0.4 * own / own.sum()).cumsum()
        rows = np.repeat(documents, words[documents])
        draws = chances[-1] * rng.uniform(size=len(rows))
        columns = np.searchsorted(chances, draws, side="right")
        X = X + sp.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(n, m))
    X.sort_indices()
    return X


@cache
def factors(n, m, r, mean, seed=4):
    """Initial ``(W, H)`` whose product has about the given mean, for solvers to start from."""
    rng = np.random.default_rng(seed)
    scale = np.sqrt(mean / r)
    return scale * rng.uniform(0.5, 1.5, (n, r)), scale * rng.uniform(0.5, 1.5, (r, m))


CASES = {
    FIG3: lambda: near_separable(*size(210, 200), 10 if QUICK else 20, 0.5),
    "dense 1000x500": lambda: low_rank(*size(1000, 500), 20),
    "text 2000x4000": lambda: corpus(*size(2000, 4000)),
}
"""Data that every solver is fitted to, at rank 20 (10 in a quick run)."""
