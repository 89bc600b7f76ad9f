"""Smoothing of the l1 loss: its gradient, and the solvers of ``||X - W H||_1`` by their results."""

from functools import cache

import numpy as np

from benchmarks import QUICK, Benchmark
from benchmarks.data import factors, low_rank, size
from benchmarks.registered import make


class Gradient(Benchmark):
    """One gradient over a factor, 2000 x 1000 with r = 50, and the two products that it needs."""

    params = (["float64", "float32", "products, float64", "products, float32"], ["W", "H"])
    param_names = ("what", "varies")
    compared, reference = "what", "float64"
    shape = (*size(2000, 1000), 50)

    def setup(self, what, varies):
        try:
            from nmfbench.solvers.manhattan.smoothing import SmoothedLoss
        except ImportError:
            raise NotImplementedError("this version has no smoothing") from None
        dtype = what.removeprefix("products, ")
        n, m, r = self.shape
        rng = np.random.default_rng(8)
        X = rng.uniform(size=(n, m)).astype(dtype)
        W, Ht = (rng.uniform(0, np.sqrt(2 / r), (k, r)).astype(dtype) for k in (n, m))
        factor, other = (W, Ht) if varies == "W" else (Ht, W)
        fitted, out = np.empty_like(X), np.empty_like(factor)
        loss = SmoothedLoss(X, other, 0.05, fitted, varies=varies)

        def products():
            np.matmul(W, Ht.T, out=fitted)
            np.matmul(fitted if varies == "W" else fitted.T, other, out=out)

        self.run = products if what.startswith("products") else lambda: loss.gradient(factor, out)
        self.run()

    def time_gradient(self, what, varies):
        self.run()


@cache
def _uniform():
    return np.random.default_rng(9).uniform(size=size(500, 100))


PROBLEMS = {
    "uniform 500x100 r=50": (_uniform, 50),
    "low rank 500x300 r=20": (lambda: low_rank(*size(500, 300), 20), 20),
}
# name -> (key, parameters, iterations of the long run)
SOLVERS = {
    "mahnmf-hybrid": ("mahnmf-hybrid", {}, 60),
    "mahnmf-rri": ("mahnmf-rri", {}, 30),
    "mahnmf-ogm": ("mahnmf-ogm", {}, 8),
    "mahnmf-ogm, spectral": ("mahnmf-ogm", {"lipschitz": "spectral"}, 10),
}
if QUICK:
    PROBLEMS = {name: (data, 5) for name, (data, _) in PROBLEMS.items()}


class Crossover(Benchmark):
    """Time to an objective that is within a factor of the best of all long runs.

    All start from the same factors. A long run counts the iterations that a solver needs, and
    what is timed is a fit of just so many. A solver that does not get there is left out.
    """

    params = (list(SOLVERS), list(PROBLEMS), [1.5, 1.2, 1.01])
    param_names = ("solver", "problem", "factor")
    compared, reference = "solver", "mahnmf-hybrid"

    def setup_cache(self):
        """(solver, problem, factor) -> iterations needed, where the factor was reached."""
        needed = {}
        for problem in PROBLEMS:
            runs = {}
            for name, (_, _, n_iter) in SOLVERS.items():
                try:
                    runs[name] = _fit(name, problem, n_iter).trace_["objective"]
                except NotImplementedError:
                    continue
            best = min((objective.min() for objective in runs.values()), default=0)
            for name, objective in runs.items():
                for factor in self.params[2]:
                    reached = np.flatnonzero(objective <= factor * best)
                    if reached.size:
                        needed[name, problem, factor] = max(int(reached[0]), 1)
        return needed

    setup_cache.timeout = 600

    def setup(self, needed, name, problem, factor):
        if (name, problem, factor) not in needed:
            raise NotImplementedError(f"{name} does not get within {factor} of the best objective")
        _warm_up(name, problem)

    def time_to_objective(self, needed, name, problem, factor):
        _fit(name, problem, needed[name, problem, factor])


@cache
def _start(problem):
    data, r = PROBLEMS[problem]
    X = data()
    return X, *factors(*X.shape, r, X.mean())


def _fit(name, problem, n_iter):
    X, W, H = _start(problem)
    key, params, _ = SOLVERS[name]
    solver = make(key, n_components=W.shape[1], max_iter=n_iter, tol=0, **params)
    return solver.fit(X, W=W, H=H)


@cache
def _warm_up(name, problem):
    _fit(name, problem, 1)
