"""The online family: samples of a stream against scikit-learn's, and the steps they are made of."""

import copy
import warnings
from functools import cache

import numpy as np
from numba import njit
from sklearn.decomposition import MiniBatchDictionaryLearning, MiniBatchNMF

from benchmarks import QUICK, Benchmark, module
from benchmarks.data import low_rank, size
from benchmarks.registered import make

# name -> (data set, rank)
STREAMS = {"cbcl r=50": ("cbcl", 50), "mnist r=40": ("mnist", 40)}
ONE_SWEEP = "omf, one sweep"
SOLVERS = {ONE_SWEEP: ("omf", {"n_sweeps": 1}), "mor-nmf": ("mor-nmf", {})}
PEER = "scikit-learn"


@cache
def _stream(name):
    """500 samples of unit norm in random order, and bases of unit sum to start from."""
    (n,) = size(500)
    data, r = STREAMS[name]
    X, r = (low_rank(4 * n, 40, 4), 4) if QUICK else (_load(data), r)
    rng = np.random.default_rng(12)
    X = X[rng.permutation(len(X))[:n]]
    X = X / np.linalg.norm(X, axis=1, keepdims=True)
    H = rng.random((r, X.shape[1]))
    return X, H / H.sum(axis=1, keepdims=True)


def _load(data):
    from nmfbench.datasets.base import DataMissingError, load_dataset

    try:
        return load_dataset(data).X
    except DataMissingError:
        raise NotImplementedError(f"the data of {data!r} are not here") from None


def _online(key, H, **params):
    """A solver that has compiled its kernels and seen no sample."""
    solver = make(key, n_components=len(H), random_state=0, init=H, **params)
    copy.copy(solver).partial_fit(H[:1])
    return solver


class Samples(Benchmark):
    """One pass over 500 samples, one after the other, from the same bases.

    scikit-learn's come from ``MiniBatchDictionaryLearning``, non-negative, without a penalty,
    by coordinate descent, with batches of one sample. They are one call of ``fit``, which gives
    the bits of ``partial_fit`` sample by sample and is faster.
    """

    params = ([*SOLVERS, PEER], list(STREAMS))
    param_names = ("solver", "data")
    compared, reference = "solver", PEER

    def setup(self, name, data):
        X, H = _stream(data)
        if name == PEER:
            model = MiniBatchDictionaryLearning(
                len(H),
                alpha=0.0,
                fit_algorithm="cd",
                positive_code=True,
                positive_dict=True,
                batch_size=1,
                max_iter=1,
                shuffle=False,
                tol=0.0,
                max_no_improvement=None,
                dict_init=H / np.linalg.norm(H, axis=1, keepdims=True),
                random_state=0,
            )
            self.run = lambda: model.fit(X)
        else:
            key, params = SOLVERS[name]
            model = _online(key, H, **params)
            self.run = lambda: model.partial_fit(X)

    def time_pass(self, name, data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn's on alpha = 0, a thousand times
            self.run()


# name -> parameters of MiniBatchNMF; by default a batch has 1024 samples, here all of them
PEERS = {
    "batches of 1, 2 passes": {"batch_size": 1, "forget_factor": 1.0, "max_iter": 2},
    "batches of 50, 20 passes": {"batch_size": 50, "forget_factor": 1.0, "max_iter": 20},
    "default, 5 passes": {"max_iter": 5},
    "default, 200 passes": {"max_iter": 200},
}


class EqualCost(Benchmark):
    r"""Time to the mean cost at which scikit-learn's ``MiniBatchNMF`` ends.

    The cost is :math:`F_n(W) = \frac1n \sum_i \min_{h\ge0} \frac12 \|v_i - Wh\|^2` over all 500
    samples with exact coefficients. The peer makes a number of passes, its stop rules off. OMF is
    given the samples from the same bases, five at a time, until its cost is no higher: in
    ``setup``, where all costs are evaluated. Timed are the peer's fit, and one call of
    ``partial_fit`` with as many samples as OMF was found to need.
    """

    params = ([ONE_SWEEP, PEER], list(STREAMS), list(PEERS))
    param_names = ("solver", "data", "peer")
    compared, reference = "solver", PEER

    def setup(self, name, data, peer):
        X, H = _stream(data)
        if name == PEER:
            self.run = lambda: _peer_fit(data, peer)
        else:
            n_samples = _samples_needed(data, peer)
            model = _online("omf", H, n_sweeps=1)
            self.run = lambda: model.partial_fit(X[:n_samples])

    def time_to_cost(self, name, data, peer):
        self.run()


def _peer_fit(data, peer):
    """Bases of the peer. Coefficients start equal, at the scale of the data."""
    X, H = _stream(data)
    n, r = len(X), len(H)
    W = np.full((n, r), X.sum() / (n * r))
    model = MiniBatchNMF(r, init="custom", tol=0.0, max_no_improvement=None, **PEERS[peer])
    model.fit_transform(X, W=W, H=H.copy())
    return model.components_


@cache
def _samples_needed(data, peer):
    X, H = _stream(data)
    level = _mean_cost(X, _peer_fit(data, peer))
    model = _online("omf", H, n_sweeps=1)
    for end in range(5, len(X) + 1, 5):
        model.partial_fit(X[end - 5 : end])
        if _mean_cost(X, model.components_) <= level:
            return end
    raise NotImplementedError("OMF's cost does not fall as low in one pass")


def _mean_cost(X, H):
    project = module("optim", "projections").project_frobenius

    return 0.5 * np.sum((X - project(X, H) @ H) ** 2) / len(X)


class InnerStep(Benchmark):
    """Inner steps of Algorithm 2 on the simplex, and their two passes over the bases.

    Five times 100 steps from where MOR-NMF is after 200 samples, with its buffer, at the default
    step size. The passes are a plain compiled loop: the model of a sample, and an
    update of rank one.
    """

    params = (["steps", "passes"], list(STREAMS))
    param_names = ("what", "data")
    compared, reference = "what", "passes"
    calls, steps = 5, 100

    def setup(self, what, data):
        H, buffer = _buffered(data)
        run = _steps if what == "steps" else _passes
        draws = np.random.default_rng(13).random(self.steps)
        self.run = lambda: run(H.copy(), *buffer, draws)
        self.run()  # compiles

    def time_steps(self, what, data):
        for _ in range(self.calls):
            self.run()


@cache
def _buffered(data):
    """Bases of MOR-NMF, samples and coefficients of its buffer, and its largest gradient."""
    X, H = _stream(data)
    state = _online("mor-nmf", H).partial_fit(X[:200])._state
    return state.H, (state.V[: state.held], state.C[: state.held], state.largest)


def _steps(H, V, C, largest, draws):
    averaged_gradient = module("optim", "kernels.averaged_gradient").averaged_gradient

    length = 0.1 * np.sqrt(2 * len(H))
    averaged_gradient(
        H, V, C, np.arange(len(V)), draws, length, largest, 0.0, 0.0, 0.0, 0.0, 0.0, np.inf
    )


@njit
def _passes(H, V, C, largest, draws):
    r, m = H.shape
    model = np.empty(m)
    for step in range(len(draws)):
        h = C[step % len(C)]
        model[:] = 0.0
        for k in range(r):
            for i in range(m):
                model[i] += h[k] * H[k, i]
        for k in range(r):
            for i in range(m):
                H[k, i] -= 1e-9 * h[k] * model[i]


class Tenths(Benchmark):
    """The tenths of a stream of 2500 samples through MOR-NMF, 30 inner steps a sample.

    Their number is fixed, since by default it falls along the stream and would hide a cost that
    grows.
    """

    params = (list(range(1, 11)),)
    param_names = ("tenth",)
    compared, reference = "tenth", 1

    def setup(self, tenth):
        solver, self.X = _tenths()[tenth - 1]
        self.solver = copy.deepcopy(solver)

    def time_tenth(self, tenth):
        self.solver.partial_fit(self.X)


@cache
def _tenths():
    """Of five passes over the samples: the solver at the start of each tenth, and its samples."""
    X, H = _stream("cbcl r=50")
    solver = _online("mor-nmf", H, tol=0.0, max_iter_inner=30)
    rng = np.random.default_rng(14)
    order = np.concatenate([rng.permutation(len(X)) for _ in range(5)])
    found = []
    for rows in np.array_split(order, 10):
        found.append((copy.deepcopy(solver), X[rows]))
        solver.partial_fit(X[rows])
    return found
