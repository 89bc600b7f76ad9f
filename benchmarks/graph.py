"""Sweeps of the graph family: against the products they need, and against scikit-learn's MU."""

from functools import cache

import numpy as np

from benchmarks import QUICK, Benchmark
from benchmarks.data import factors, size
from benchmarks.registered import make

# name -> (samples, features, rank): two sets of the tables, and a larger one
SHAPES = {
    "orl 400x1024 r=40": (*size(400, 1024), 40),
    "mnist 1000x784 r=10": (*size(1000, 784), 10),
    "2000x1000 r=40": (*size(2000, 1000), 40),
}
if QUICK:
    SHAPES = {name: (n, m, 5) for name, (n, m, _) in SHAPES.items()}
DTYPES = ["float64", "float32"]


@cache
def _problem(shape, dtype):
    """Noisy samples of unit length around ``r`` of them, and factors to start from."""
    n, m, r = SHAPES[shape]
    rng = np.random.default_rng(10)
    X = rng.uniform(size=(r, m))[rng.integers(r, size=n)] + 0.5 * rng.uniform(size=(n, m))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    W, H = factors(n, m, r, X.mean())
    return X.astype(dtype), W.astype(dtype), H.astype(dtype)


def _prepared(key, shape, dtype, n_iter):
    """A solver and its state before the first iteration; its kernels are compiled."""
    X, W, H = _problem(shape, dtype)
    solver = make(key, n_components=W.shape[1], max_iter=n_iter, tol=0, scale="none")
    _compile(key, shape, dtype)
    return solver, X, solver._start(X, W.shape[1], None, (W.copy(), H.T.copy()))


@cache
def _compile(key, shape, dtype):
    X, W, H = _problem(shape, dtype)
    make(key, n_components=W.shape[1], max_iter=1, scale="none").fit(X, W=W, H=H)


class Sweep(Benchmark):
    """Ten iterations of RNMFD, and as often the three products that it cannot do without.

    Its iterations yield the objective too, as the pass over the residual sums it up.
    """

    params = (["rnmfd", "products"], list(SHAPES), DTYPES)
    param_names = ("what", "data", "dtype")
    compared, reference = "what", "products"
    n_iter = 10

    def setup(self, what, data, dtype):
        self.solver, self.X, self.state = _prepared("rnmfd", data, dtype, self.n_iter)
        self.fitted = np.empty_like(self.X)

    def time_ten_iterations(self, what, data, dtype):
        X, s = self.X, self.state
        for _ in range(self.n_iter):
            if what == "rnmfd":
                self.solver._step(X, s)
                self.solver._objective(X, s)
            else:
                s.W.T @ X
                X @ s.H.T
                np.matmul(s.W, s.H, out=self.fitted)


class MultiplicativeUpdates(Benchmark):
    """Ten iterations for the squared error, with a graph and without, and scikit-learn's.

    Iterations alone are timed, without checks and objectives of ours; scikit-learn's come with
    one evaluation of its error. With the same order of updates and no graph the iterates agree.
    """

    params = (["mu", "gnmf", "scikit-learn"], list(SHAPES), DTYPES)
    param_names = ("solver", "data", "dtype")
    compared, reference = "solver", "scikit-learn"
    n_iter = 10

    def setup(self, key, data, dtype):
        if key == "scikit-learn":
            try:
                from sklearn.decomposition._nmf import _fit_multiplicative_update
            except ImportError:
                raise NotImplementedError("this scikit-learn has no such function") from None
            X, W, H = _problem(data, dtype)
            W, H = W.copy(), H.copy()  # modified in place
            limits = {"beta_loss": "frobenius", "max_iter": self.n_iter, "tol": 0}
            self.run = lambda: _fit_multiplicative_update(X, W, H, **limits)
        else:
            solver, X, state = _prepared(key, data, dtype, self.n_iter)
            self.run = lambda: [solver._step(X, state) for _ in range(self.n_iter)]

    def time_ten_iterations(self, key, data, dtype):
        self.run()
