"""Every registered solver on fixed data: CPU time and peak memory of a fit."""

from functools import cache

import scipy.sparse as sp

from benchmarks import QUICK, Benchmark
from benchmarks.data import CASES
from benchmarks.registered import make, registered

RANK = 10 if QUICK else 20

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
