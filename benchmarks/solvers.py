"""Every registered solver on fixed data: CPU time and peak memory of a fit; how far some come."""

from functools import cache

import numpy as np
import scipy.sparse as sp

from benchmarks import QUICK, Benchmark
from benchmarks.data import CASES, factors
from benchmarks.registered import make, registered

RANK = 10 if QUICK else 20

PROGRESS = 0.02 if QUICK else 0.1
"""CPU seconds."""

TOO_SLOW = {
    ("hottopixx", "dense 1000x500"): "its unknown is a 1000 x 1000 matrix: it takes minutes",
}
"""(solver, case) -> why it is left out."""


@cache
def _compile(key, case):
    """Fit a corner of the data, so that all kernels are compiled for their type and layout."""
    solver = make(key, n_components=3, max_iter=2, random_state=0)
    solver.fit(_suited(solver, CASES[case]()[:30]))


def _suited(solver, X):
    """``X``; the inner products of its rows, or some columns, for solvers of such data."""
    if getattr(solver, "square", False):
        return X[:, : solver.n_components]
    return X @ X.T if getattr(solver, "symmetric", False) else X


class Fit(Benchmark):
    """A fit with default parameters, at rank 20."""

    params = (list(registered()), list(CASES))
    param_names = ("solver", "data")
    compared, reference = "solver", "spa"

    def setup(self, key, case):
        self.solver = make(key, n_components=RANK, random_state=0)
        self.X = CASES[case]()
        if (key, case) in TOO_SLOW:
            raise NotImplementedError(TOO_SLOW[key, case])
        if sp.issparse(self.X) and not getattr(self.solver, "accepts_sparse", True):
            raise NotImplementedError(f"{key} needs dense data")
        _compile(key, case)
        self.X = _suited(self.solver, self.X)

    def time_fit(self, key, case):
        self.solver.fit(self.X)

    def peakmem_fit(self, key, case):
        self.solver.fit(self.X)


class Progress(Benchmark):
    """The objective after a tenth of a CPU second, from given factors."""

    params = (["hals", "hals-her", "nenmf", "kl-mu", "kl-newton"], list(CASES)[1:])
    param_names = ("solver", "data")

    def setup(self, key, case):
        self.X = CASES[case]()
        self.start = dict(zip("WH", factors(*self.X.shape, RANK, self.X.mean()), strict=True))
        self.solver = make(key, n_components=RANK, tol=0, max_iter=3)
        self.solver.fit(self.X, **self.start)  # compiles

    def track_objective(self, key, case):
        """As a share of the objective at the start."""
        for n_iter in (3, 30):
            self.solver.set_params(max_iter=n_iter).fit(self.X, **self.start)
            rate = n_iter / self.solver.trace_["cpu_seconds"][-1]
        self.solver.set_params(max_iter=int(1.5 * PROGRESS * rate) + 1).fit(self.X, **self.start)
        trace = self.solver.trace_
        seconds, objectives = trace["cpu_seconds"], trace["objective"] / trace["objective"][0]
        return float(np.interp(PROGRESS, seconds, objectives))

    track_objective.unit = "of the objective at the start"
