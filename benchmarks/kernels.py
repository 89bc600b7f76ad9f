"""The inner operations, in both precisions."""

import numpy as np

from benchmarks import Benchmark, module
from benchmarks.data import near_separable, size

DTYPES = ["float64", "float32"]


class Projection(Benchmark):
    """400 rows on the cone of 20 anchors: anew, or when the last anchor has just been added."""

    params = (["frobenius", "itakura-saito", "kl", "manhattan"], ["cold", "warm"], DTYPES)
    param_names = ("loss", "start", "dtype")
    compared, reference = "start", "cold"

    def setup(self, loss, start, dtype):
        PROJECTIONS = module("optim", "projections").PROJECTIONS

        (n,) = size(400)
        X = near_separable(420, 200, 20, 0.5).astype(dtype)
        X, H = X[:n], X[-20:]
        project = PROJECTIONS[loss]
        project(X[:5], H)  # compiles
        if start == "cold":
            self.run = lambda: project(X, H)
        elif loss == "manhattan":
            cone = _cone(X, H[:-1])
            self.run = lambda: cone.extend(H[-1:])
        else:
            before = np.column_stack([project(X, H[:-1]), np.zeros(n, dtype)])
            self.run = lambda: project(X, H, W0=before)

    def time_project(self, loss, start, dtype):
        self.run()


def _cone(X, H):
    manhattan = module("optim", "projections").manhattan

    if not hasattr(manhattan, "ManhattanCone"):
        raise NotImplementedError("this version has no l1 projection that grows by an anchor")
    cone = manhattan.ManhattanCone(X, len(H) + 1)
    cone.extend(H)
    return cone


class FactorUpdate(Benchmark):
    """One update of a tall factor, 20000 x 20, from Gram products."""

    params = (["hals", "multiplicative"], DTYPES)
    param_names = ("rule", "dtype")
    compared, reference = "dtype", "float64"

    def setup(self, rule, dtype):
        rng = np.random.default_rng(6)
        (n,) = size(20000)
        self.factor = rng.uniform(size=(n, 20)).astype(dtype)
        other = rng.uniform(size=(100, 20)).astype(dtype)
        self.gram = other.T @ other
        self.cross = self.factor @ self.gram * rng.uniform(0.5, 1.5, (n, 20)).astype(dtype)
        self.update = {"hals": _hals, "multiplicative": _multiplicative}[rule]
        self.update(self.factor[:5].copy(), self.cross[:5], self.gram)

    def time_update(self, rule, dtype):
        self.update(self.factor, self.cross, self.gram)


def _hals(factor, cross, gram):
    hals_sweeps = module("optim", "kernels.hals").hals_sweeps

    hals_sweeps(factor, cross, gram, 5)


def _multiplicative(factor, cross, gram):
    ratio_update = module("optim", "kernels.multiplicative").ratio_update

    ratio_update(factor, cross, factor @ gram)


class DiagonalDominance(Benchmark):
    """The projection on Hottopixx's feasible set for 400 points, with the trace fixed."""

    params = (DTYPES,)
    param_names = ("dtype",)
    compared, reference = "dtype", "float64"

    def setup(self, dtype):
        try:
            self.project = module("optim", "kernels.hottopixx").project_diagonal_dominant
        except ImportError:
            raise NotImplementedError("this version has no such projection") from None
        rng = np.random.default_rng(7)
        (n,) = size(400)
        self.Z = rng.normal(0, 0.1, size=(n, n)).astype(dtype)
        self.guess = np.zeros(n, dtype)
        self.tol = 1e-6
        self.project(self.Z[:20, :20].copy(), self.guess[:20].copy(), 0.0, 2, self.tol)

    def time_project(self, dtype):
        self.project(self.Z, self.guess, 0.0, 20, self.tol)
