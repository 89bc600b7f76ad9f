"""Ours and others' on the same task: time to one objective, and kernels against their oracles."""

from functools import cache

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog, nnls

from benchmarks import QUICK, Benchmark, module
from benchmarks.data import corpus, factors, low_rank, near_separable, size
from benchmarks.registered import make, registered
from benchmarks.text import COLLECTIONS, training_half

# name -> (data, rank, iterations of the long run)
PROBLEMS = {
    "dense 500x300 r=20": (lambda: low_rank(*size(500, 300), 20), 20, 100),
    "dense 2000x1000 r=40": (lambda: low_rank(*size(2000, 1000), 40), 40, 100),
    "sparse 3000x5000 r=20": (lambda: corpus(*size(3000, 5000)), 20, 120),
}
if QUICK:
    PROBLEMS = {name: (data, 5, 60) for name, (data, _, _) in PROBLEMS.items()}

FROBENIUS = [
    key
    for key, family in registered().items()
    if (family == "frobenius" and key != "sym-mu") or key == "sklearn-cd"
]
"""The iterative solvers of ``min ||X - W H||_F^2``."""

SEEDS = (4, 5, 6)
"""Of the starts."""


DTYPES = ["float64", "float32"]


class ToObjective(Benchmark):
    """Time to an objective that is within a factor of the best that any solver reaches.

    All start from the same factors, three times, as luck with a start can halve the iterations.
    A long run of each counts how many it needs; what is timed are fits of just so many, with
    ``tol=0``, the same for ours and for scikit-learn's. Such a fit ends at the factors that the
    long run passed through.
    """

    params = (FROBENIUS, list(PROBLEMS), [1.01, 1.001])
    param_names = ("solver", "problem", "factor")
    compared, reference = "solver", "sklearn-cd"
    version = "2"

    def setup_cache(self):
        """(solver, problem, factor) -> iterations from each start, where all reach the factor."""
        needed = {}
        for problem in PROBLEMS:
            runs = {}
            for key in FROBENIUS:
                try:
                    runs[key] = [_long_run(key, problem, seed) for seed in SEEDS]
                except NotImplementedError:
                    continue
            best = [min(map(np.min, objectives)) for objectives in zip(*runs.values(), strict=True)]
            for key, objectives in runs.items():
                for factor in self.params[2]:
                    found = _iterations(objectives, best, factor)
                    if found is not None:
                        needed[key, problem, factor] = found
        return needed

    setup_cache.timeout = 600

    def setup(self, needed, key, problem, factor):
        if (key, problem, factor) not in needed:
            raise NotImplementedError(f"{key} does not get within {factor} of the best objective")
        self.fits = []
        for seed, n_iter in zip(SEEDS, needed[key, problem, factor], strict=True):
            X, W, H = _start(problem, seed)
            self.fits.append((_solver(key, W.shape[1], n_iter), X, W, H))
        _warm_up(key, problem)

    def time_to_objective(self, needed, key, problem, factor):
        for solver, X, W, H in self.fits:
            solver.fit(X, W=W, H=H)


def _iterations(runs, best, factor):
    """Iterations that each run needs to come within a factor of the best; None if one does not."""
    reached = [np.flatnonzero(run <= factor * b) for run, b in zip(runs, best, strict=True)]
    return [int(at[0]) + 1 for at in reached] if all(at.size for at in reached) else None


@cache
def _start(problem, seed=SEEDS[0]):
    data, r, _ = PROBLEMS[problem]
    X = data()
    return X, *factors(*X.shape, r, X.mean(), seed)


def _solver(key, r, n_iter):
    return make(key, n_components=r, max_iter=n_iter, tol=0)


@cache
def _warm_up(key, problem):
    X, W, H = _start(problem)
    _solver(key, W.shape[1], 1).fit(X, W=W, H=H)


def _long_run(key, problem, seed=SEEDS[0]):
    """The objective after each iteration.

    From the trace of one fit, or, for a solver that has the start and the end only, from fits
    of one iteration, which depend on the factors alone.
    """
    X, W, H = _start(problem, seed)
    n_iter = PROBLEMS[problem][2]
    if key != "sklearn-cd":
        return _solver(key, W.shape[1], n_iter).fit(X, W=W, H=H).trace_["objective"][1:]
    solver = _solver(key, W.shape[1], 1)
    total = X.multiply(X).sum() if sp.issparse(X) else np.vdot(X, X)
    objectives = np.empty(n_iter)
    for i in range(n_iter):
        W = solver.fit_transform(X, W=W, H=H)
        H = solver.components_
        cross = np.vdot(X @ H.T, W)
        objectives[i] = total - 2 * cross + np.vdot(W.T @ W, H @ H.T)
    return objectives


class KullbackLeibler(Benchmark):
    """Ten multiplicative updates for the Kullback-Leibler divergence, from one start.

    The iterates agree to rounding. Iterations alone are timed, without checks and objectives of
    ours; scikit-learn's ten come with one evaluation of its error.
    """

    params = (["kl-mu", "sklearn-mu"], ["dense 2000x1000", "sparse 3000x5000"], DTYPES)
    param_names = ("solver", "data", "dtype")
    compared, reference = "solver", "sklearn-mu"
    n_iter = 10

    def setup(self, key, data, dtype):
        self.solver = make(key, n_components=20, max_iter=self.n_iter, tol=0)
        self.X, W, H = _kl_start(data, dtype)
        self.solver.fit(self.X[:50, :50], W=W[:50], H=H[:, :50])  # compiles
        self.state = self.solver._start(self.X, 20, None, (W.copy(), H.T.copy()))

    def time_ten_iterations(self, key, data, dtype):
        for _ in range(self.solver._n_steps(20)):
            self.solver._step(self.X, self.state)


@cache
def _kl_start(data, dtype):
    X = low_rank(*size(2000, 1000), 40) if "dense" in data else corpus(*size(3000, 5000))
    W, H = factors(*X.shape, 20, X.mean())
    return X.astype(dtype), W.astype(dtype), H.astype(dtype)


class KullbackLeiblerToObjective(Benchmark):
    """Time to a Kullback-Leibler divergence of text within a factor of the best of either solver.

    From three starts, as :class:`ToObjective`. Iterations alone are timed: logarithms of the
    objective cost as much.
    """

    params = (["kl-mu", "kl-newton"], list(COLLECTIONS), [1.1] if QUICK else [1.01, 1.001])
    param_names = ("solver", "collection", "factor")
    compared, reference = "solver", "kl-mu"
    n_iter = {"kl-mu": 20 if QUICK else 1000, "kl-newton": 6 if QUICK else 130}

    def setup_cache(self):
        """(solver, collection, factor) -> iterations from each start, where all reach it."""
        needed = {}
        for collection in self.params[1]:
            runs = {}
            for key in self.params[0]:
                try:
                    runs[key] = [self._run(key, collection, seed) for seed in SEEDS]
                except NotImplementedError:
                    continue
            best = [min(map(np.min, objectives)) for objectives in zip(*runs.values(), strict=True)]
            for key, objectives in runs.items():
                for factor in self.params[2]:
                    found = _iterations(objectives, best, factor)
                    if found is not None:
                        needed[key, collection, factor] = found
        return needed

    setup_cache.timeout = 600

    def setup(self, needed, key, collection, factor):
        if (key, collection, factor) not in needed:
            raise NotImplementedError(f"{key} does not get within {factor} of the best objective")
        self.runs = []
        for seed, n_iter in zip(SEEDS, needed[key, collection, factor], strict=True):
            X, W, H = _text_start(collection, seed)
            self.runs.append((make(key, n_components=20, tol=0), n_iter, X, W, H))
        make(key, n_components=2, max_iter=2, random_state=0).fit(X[:50])  # compiles

    def _run(self, key, collection, seed):
        X, W, H = _text_start(collection, seed)
        solver = make(key, n_components=20, max_iter=self.n_iter[key], tol=0)
        return solver.fit(X, W=W, H=H).trace_["objective"][1:]

    def time_to_objective(self, needed, key, collection, factor):
        for solver, n_iter, X, W, H in self.runs:
            state = solver._start(X, 20, None, (W.copy(), H.T.copy()))
            for _ in range(n_iter):
                solver._step(X, state)


@cache
def _text_start(collection, seed):
    X = training_half(collection).astype(np.float64)
    return X, *factors(*X.shape, 20, X.mean(), seed)


class SuccessiveProjections(Benchmark):
    """SPA against the products of the data with a vector that it cannot do without."""

    params = (["spa", "products"], ["dense 2000x1000", "sparse 3000x5000"])
    param_names = ("what", "data")
    compared, reference = "what", "products"
    anchors = 5 if QUICK else 20

    def setup(self, what, data):
        self.X = low_rank(*size(2000, 1000), 40) if "dense" in data else corpus(*size(3000, 5000))
        self.vectors = np.random.default_rng(5).uniform(size=(self.anchors, self.X.shape[1]))
        self.solver = make("spa", n_components=self.anchors)
        self.solver.fit(self.X)

    def time_anchors(self, what, data):
        if what == "spa":
            self.solver.fit(self.X)
        else:
            for vector in self.vectors:
                self.X @ vector


class LeastSquares(Benchmark):
    """Non-negative least squares for 400 rows and 20 anchors, to full accuracy."""

    params = (["nmfbench", "scipy"],)
    param_names = ("what",)
    compared, reference = "what", "scipy"

    def setup(self, what):
        project_frobenius = module("optim", "projections").project_frobenius

        self.project = project_frobenius
        self.X, self.H = _cone(400)
        self.project(self.X[:5], self.H)

    def time_project(self, what):
        if what == "nmfbench":
            self.project(self.X, self.H)
        else:
            np.array([nnls(self.H.T, x)[0] for x in self.X])


class LeastDeviations(Benchmark):
    """Least absolute deviations for 20 rows and 20 anchors: ours against HiGHS."""

    params = (["nmfbench", "highs"],)
    param_names = ("what",)
    compared, reference = "what", "highs"

    def setup(self, what):
        project_manhattan = module("optim", "projections").project_manhattan

        self.project = project_manhattan
        self.X, self.H = _cone(20)
        self.project(self.X[:5], self.H)
        r, m = self.H.shape
        self.constraints = sp.csc_matrix(np.hstack([self.H.T, np.eye(m), -np.eye(m)]))
        self.cost = np.r_[np.zeros(r), np.ones(2 * m)]

    def time_project(self, what):
        if what == "nmfbench":
            self.project(self.X, self.H)
        else:
            for x in self.X:
                linprog(self.cost, A_eq=self.constraints, b_eq=x, method="highs")


def _cone(n):
    """``n`` noisy rows and 20 of their anchors."""
    X = near_separable(420, 200, 20, 0.5)
    return X[:n], X[-20:]
