"""Codes of all test images of Yale B at once: the best non-negative coefficients on a basis."""

from functools import cache

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog, nnls

from benchmarks import QUICK, Benchmark, module
from benchmarks.data import low_rank

RANKS = [10, 50, 100]
TRAINING = 7  # images a person


class Codes(Benchmark):
    """2148 images of 32 x 32 pixels under three losses, clean and with 20 % salt and pepper."""

    params = (["manhattan", "frobenius", "kl"], RANKS, ["clean", "salt and pepper"])
    param_names = ("loss", "rank", "images")
    compared, reference = "loss", "frobenius"

    def setup(self, loss, rank, images):
        PROJECTIONS = module("optim", "projections").PROJECTIONS

        self.X, self.H = _images_and_basis(rank, images)
        self.project = PROJECTIONS[loss]
        self.project(self.X[:3], self.H)  # compiles

    def time_codes(self, loss, rank, images):
        self.project(self.X, self.H)


class LeastSquares(Benchmark):
    """The codes under the squared norm, of the clean images, against scipy's."""

    params = (["nmfbench", "scipy"], RANKS)
    param_names = ("what", "rank")
    compared, reference = "what", "scipy"

    def setup(self, what, rank):
        project_frobenius = module("optim", "projections").project_frobenius

        self.project = project_frobenius
        self.X, self.H = _images_and_basis(rank, "clean")
        self.project(self.X[:3], self.H)

    def time_codes(self, what, rank):
        if what == "nmfbench":
            self.project(self.X, self.H)
        else:
            basis = np.ascontiguousarray(self.H.T)
            np.array([nnls(basis, x)[0] for x in self.X])


class LeastDeviations(Benchmark):
    """The codes of four of the clean images under the l1 norm, against HiGHS."""

    params = (["nmfbench", "highs"], RANKS)
    param_names = ("what", "rank")
    compared, reference = "what", "highs"

    def setup(self, what, rank):
        project_manhattan = module("optim", "projections").project_manhattan

        self.project = project_manhattan
        X, self.H = _images_and_basis(rank, "clean")
        self.X = X[:: len(X) // 4][:4]
        self.project(self.X, self.H)
        m = self.X.shape[1]
        self.constraints = sp.csc_matrix(np.hstack([self.H.T, np.eye(m), -np.eye(m)]))
        self.cost = np.r_[np.zeros(len(self.H)), np.ones(2 * m)]

    def time_codes(self, what, rank):
        if what == "nmfbench":
            self.project(self.X, self.H)
        else:
            for x in self.X:
                linprog(self.cost, A_eq=self.constraints, b_eq=x, method="highs")


@cache
def _images_and_basis(rank, images):
    """Test images, and a basis from some iterations of mahnmf-hybrid on the training images."""
    from nmfbench import make_solver

    train, test = _split(images)
    if QUICK:
        rank = 2 + rank // 50
    params = {"n_components": rank, "max_iter": 12, "init": "uniform", "random_state": 0}
    try:
        solver = make_solver("mahnmf-hybrid", **params)
    except KeyError:
        raise NotImplementedError("this version has no mahnmf-hybrid") from None
    return test, np.ascontiguousarray(solver.fit(train).components_)


@cache
def _split(images):
    from nmfbench.datasets.base import DataMissingError, load_dataset

    rng = np.random.default_rng(10)
    if QUICK:
        X, y = low_rank(40, 60, 4), np.arange(40) % 2
        X = X / X.max()
    else:
        try:
            data = load_dataset("yaleb")
        except DataMissingError:
            data = load_dataset("yaleb", 0, stand_in=True)
        X, y = data.X, data.y
    train = np.zeros(len(X), dtype=bool)
    for person in np.unique(y):
        train[rng.choice(np.flatnonzero(y == person), TRAINING, replace=False)] = True
    if images == "salt and pepper":
        X = X.copy()
        flipped = rng.uniform(size=X.shape) < 0.2
        X[flipped] = rng.integers(0, 2, np.count_nonzero(flipped))
    return X[train], X[~train]
