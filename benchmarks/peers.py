"""Ours and others' on the same task: time to one objective, and kernels against their oracles."""

from functools import cache

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog, nnls

from benchmarks import QUICK, Benchmark
from benchmarks.data import corpus, factors, low_rank, near_separable, size
from benchmarks.registered import make, registered

# name -> (data, rank, iterations of the long run)
PROBLEMS = {
    "dense 500x300 r=20": (lambda: low_rank(*size(500, 300), 20), 20, 200),
    "dense 2000x1000 r=40": (lambda: low_rank(*size(2000, 1000), 40), 40, 100),
    "sparse 3000x5000 r=20": (lambda: corpus(*size(3000, 5000)), 20, 200),
}
if QUICK:
    PROBLEMS = {name: (data, 5, 60) for name, (data, _, _) in PROBLEMS.items()}

FROBENIUS = [
    key for key, family in registered().items() if family == "frobenius" or key == "sklearn-cd"
]
"""The iterative solvers of ``min ||X - W H||_F^2``."""


class ToObjective(Benchmark):
    """Time to an objective that is within a factor of the best that any solver reaches.

    All start from the same factors. A long run of each, one iteration a call, counts the
    iterations that it needs; what is timed is one fit of just so many, with ``tol=0``, the same
    for ours and for scikit-learn's. Such a fit ends at the factors that the long run passed
    through, because an iteration depends on the factors alone.
    """

    params = (FROBENIUS, list(PROBLEMS), [1.01, 1.001])
    param_names = ("solver", "problem", "factor")
    compared, reference = "solver", "sklearn-cd"
    version = "1"

    def setup_cache(self):
        """(solver, problem, factor) -> iterations needed, where the factor was reached."""
        needed = {}
        for problem, (_, _, n_iter) in PROBLEMS.items():
            runs = {}
            for key in FROBENIUS:
                try:
                    runs[key] = _long_run(key, problem, n_iter)
                except NotImplementedError:
                    continue
            best = min(objectives.min() for objectives in runs.values())
            for key, objectives in runs.items():
                for factor in self.params[2]:
                    reached = np.flatnonzero(objectives <= factor * best)
                    if reached.size:
                        needed[key, problem, factor] = int(reached[0]) + 1
        return needed

    setup_cache.timeout = 600

    def setup(self, needed, key, problem, factor):
        if (key, problem, factor) not in needed:
            raise NotImplementedError(f"{key} does not get within {factor} of the best objective")
        self.X, self.W, self.H = _start(problem)
        self.solver = _solver(key, self.W.shape[1], needed[key, problem, factor])
        _warm_up(key, problem)

    def time_to_objective(self, needed, key, problem, factor):
        self.solver.fit(self.X, W=self.W, H=self.H)


@cache
def _start(problem):
    data, r, _ = PROBLEMS[problem]
    X = data()
    return X, *factors(*X.shape, r, X.mean())


def _solver(key, r, n_iter):
    return make(key, n_components=r, max_iter=n_iter, tol=0)


@cache
def _warm_up(key, problem):
    X, W, H = _start(problem)
    _solver(key, W.shape[1], 1).fit(X, W=W, H=H)


def _long_run(key, problem, n_iter):
    """The objective after each iteration, computed in one way for all solvers."""
    X, W, H = _start(problem)
    solver = _solver(key, W.shape[1], 1)
    total = X.multiply(X).sum() if sp.issparse(X) else np.vdot(X, X)
    objectives = np.empty(n_iter)
    for i in range(n_iter):
        W = solver.fit_transform(X, W=W, H=H)
        H = solver.components_
        cross = np.vdot(X @ H.T, W)
        objectives[i] = total - 2 * cross + np.vdot(W.T @ W, H @ H.T)
    return objectives


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
        from nmfbench.projections import project_frobenius

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
        from nmfbench.projections import project_manhattan

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
