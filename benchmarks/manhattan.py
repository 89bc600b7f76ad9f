"""Weighted medians: sweeps over both factors by selecting and by sorting, alone and in parallel,
and over sparse data."""

import time
from functools import cache

import numpy as np

from benchmarks import Benchmark
from benchmarks.data import corpus, low_rank, size

CASES = ["500x100 r=50", "1024x266 r=50", "2000x500 r=20"]
DTYPES = ["float64", "float32"]
STATES = {"first": 0, "later": 5}
"""Iterations before the one that is timed. Few shifts are zero in the first; later, many are."""


def shape_of(case):
    """Rows, columns and rank, which is kept in a quick run."""
    shape, r = case.split(" r=")
    return (*size(*map(int, shape.split("x"))), int(r))


@cache
def _state(case, dtype, iterations):
    """Residual, ``W`` and ``Ht`` after iterations from a fixed start, to be copied."""
    n, m, r = shape_of(case)
    X = low_rank(n, m, r // 2)
    X = (X / X.max()).astype(dtype)
    rng = np.random.default_rng(8)
    W, Ht = (rng.uniform(0, 2 * np.sqrt(X.mean() / r), (k, r)).astype(dtype) for k in (n, m))
    residual = X - W @ Ht.T
    for _ in range(iterations):
        residual = _iteration(residual, W, Ht)
    return residual, W, Ht


def _iteration(residual, W, Ht, **options):
    """One sweep over each factor, in place; the residual comes back."""
    from nmfbench.solvers.manhattan.rri import improve

    improve(residual, W, Ht, **options)
    residual = np.ascontiguousarray(residual.T)
    improve(residual, Ht, W, **options)
    return np.ascontiguousarray(residual.T)


def _prepared(case, dtype, iterations, **options):
    """One iteration, compiled, from a copy of the state after some."""
    try:
        from nmfbench.solvers.manhattan import rri  # noqa: F401
    except ImportError:
        raise NotImplementedError("this version has no rank-one residual iteration") from None
    residual, W, Ht = _state(case, dtype, iterations)
    _iteration(residual[:5, :5].copy(), W[:5].copy(), Ht[:5].copy(), **options)
    state = residual.copy(), W.copy(), Ht.copy()
    return lambda: _iteration(*state, **options)


class Median(Benchmark):
    """Selecting the median against sorting the points, as the paper does."""

    params = (["select", "sort"], CASES, list(STATES), DTYPES)
    param_names = ("median", "case", "state", "dtype")
    compared, reference = "median", "sort"
    number = 1  # an iteration changes the state that the set-up copies

    def setup(self, median, case, state, dtype):
        self.run = _prepared(case, dtype, STATES[state], median=median)

    def time_iteration(self, median, case, state, dtype):
        self.run()


class Threads(Benchmark):
    """Wall seconds of one thread and of two, which share out the rows."""

    params = (["1", "2"], CASES[1:])
    param_names = ("threads", "case")
    compared, reference = "threads", "1"
    timer = time.perf_counter
    number = 1

    def setup(self, threads, case):
        self.run = _prepared(case, "float64", STATES["first"], threads=int(threads))

    def time_iteration(self, threads, case):
        self.run()


class SparseSweep(Benchmark):
    """An iteration on text of which some percent are not zero, against the same data dense."""

    params = (["sparse", "dense"], ["random", "documents"])
    param_names = ("data", "start")
    compared, reference = "data", "dense"

    def setup(self, data, start):
        try:
            from nmfbench.solvers.manhattan.rri import improve_sparse
        except ImportError:
            raise NotImplementedError("this version has no sweeps over sparse data") from None
        X, W, Ht = _text_start(start)
        if data == "sparse":
            by_column = X.T.tocsr()
            self.run = lambda W, Ht: (improve_sparse(X, W, Ht), improve_sparse(by_column, Ht, W))
        else:
            X = X.toarray()
            self.run = lambda W, Ht: _iteration(X - W @ Ht.T, W, Ht)
        self.start = W, Ht
        self.run(W.copy(), Ht.copy())

    def time_iteration(self, data, start):
        W, Ht = self.start
        self.run(W.copy(), Ht.copy())


@cache
def _text_start(start):
    """Counts, and factors: random ones, or documents as components."""
    X = corpus(*size(2000, 8000))
    rng = np.random.default_rng(9)
    scale = 2 * np.sqrt(X.mean() / 20)
    W, Ht = (rng.uniform(0, scale, (n, 20)) for n in X.shape)
    if start == "documents":
        chosen = rng.choice(X.shape[0], 20, replace=False)
        Ht = np.ascontiguousarray(X[chosen].toarray().T)
    return X, W, Ht
