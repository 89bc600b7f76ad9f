"""Common properties of the graph family: scaling, graph, floors, degenerate data."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from nmfbench.core.registry import solvers
from nmfbench.optim import graphs
from nmfbench.solvers.graph.base import BaseGraph, BaseScaled, gentle_step, unit_components

KEYS = [
    key
    for key in solvers
    if solvers[key].info["family"] == "graph" and issubclass(solvers[key].target, BaseScaled)
]
WITH_GRAPH = [key for key in KEYS if issubclass(solvers[key].target, BaseGraph)]
N, M, R = 18, 12, 3

# Options to try besides the defaults; with those given, monotone or not as they promise.
OPTIONS = {
    "anp": [
        {"normalize": False},
        {"normalize": False, "lam1": 1e3, "lam2": 1e-2},
        {"normalize": False, "lam1": 1e3, "split": "factors"},
        {"normalize": False, "lam1": 10.0, "v_update": "balanced"},
        {"normalize": False, "lam1": 10.0, "v_update": "root"},
    ],
    "dnmf": [{"alpha": 0.1, "alpha_features": 1.0}, {"alpha": 1e3, "alpha_features": 0.0}],
    "drcc": [
        {"normalize": False},
        {"normalize": False, "alpha": 1e3, "alpha_features": 0.0},
        {"normalize": False, "alpha": 0.0, "alpha_features": 1e3},
    ],
    "gnmf": [{"alpha": 0.0}, {"alpha": 0.1}, {"alpha": 1e4}],
    "ignmf": [
        {"constraint": "penalty"},
        {"constraint": "penalty", "alpha": 0.1, "xi": 1e4},
        {"constraint": "penalty", "alpha": 1e4, "xi": 1.0},
        {"constraint": "penalty", "alpha": 0.0, "xi": 0.0},
    ],
    "nlcf": [{"mu": 0.0}, {"mu": 1.0}, {"mu": 1e3}],
    "nsdr": [
        {"split": "factors"},
        {"lam": 0.0},
        {"lam": 1e6, "ridge": 1e-3},
        {"lam": 1e4, "xi": 0.0, "split": "factors"},
        {"xi": 1e-2},
        {"xi": 1e6},
    ],
    "rcc": [
        {"normalize": False},
        {"normalize": False, "alpha": 1e3, "alpha_features": 0.0, "lam": "mad"},
        {"normalize": False, "alpha": 0.0, "alpha_features": 1e3, "lam": np.inf},
        {"normalize": False, "alpha": 0.01, "lam": 0.01},
    ],
    "rnmfd": [
        {"v_update": "root"},
        {"beta": 1e4, "lam": "mad"},
        {"alpha": 1e4, "beta": 1.0},
        {"alpha": 1e4, "laplacian": "sym", "lam": np.inf},
        {"alpha": 0.0, "beta": 0.0, "lam": 1e-3},
    ],
}
VARIANTS = [(key, options) for key in OPTIONS if key in KEYS for options in OPTIONS[key]]


def points(seed=0):
    """Samples near three rays, some entries of them zero."""
    rng = np.random.default_rng(seed)
    X = np.repeat(np.eye(R), N // R, axis=0) + 0.3 * rng.random((N, R))
    return X @ rng.random((R, M)) * (rng.random((N, M)) < 0.9)


def degenerate():
    """Data that are the edge of something, by name."""
    rng = np.random.default_rng(3)
    zeros = points()
    zeros[[2, 9]] = 0
    zeros[:, [0, 5, 11]] = 0
    yield "noise", rng.random((N, M))
    yield "sparse", rng.random((N, M)) * (rng.random((N, M)) < 0.2)
    yield "zero samples and features", zeros
    yield "duplicates", np.repeat(rng.random((4, M)), 4, axis=0)
    yield "all equal", np.ones((N, M))
    yield "collinear", np.outer(rng.random(N), rng.random(M))
    yield "exact", rng.random((N, R)) @ rng.random((R, M))
    yield "fewer samples than neighbours", rng.random((4, M))
    yield "all zero", np.zeros((6, 5))
    yield "tiny", 1e-59 * points()
    yield "huge", 1e59 * points()


DEGENERATE = dict(degenerate())
# All data with the defaults, and a third of them with each of the other options.
DESCENTS = [
    (key, {}, name) for key in KEYS if solvers[key].info["monotone"] for name in DEGENERATE
] + [
    (*variant, name) for i, variant in enumerate(VARIANTS) for name in list(DEGENERATE)[i % 3 :: 3]
]


def make(key, **params):
    return solvers[key].target(**{"n_components": R, "random_state": 0} | params)


def fitted(key, X, **params):
    """A fit, its factors checked."""
    model = make(key, **params)
    W = model.fit_transform(X)
    assert W.shape == (X.shape[0], model.components_.shape[0])
    for factor in (W, model.components_):
        assert np.isfinite(factor).all()
        assert model.signed or (factor >= 0).all()
    assert np.isfinite(model.trace_["objective"]).all()
    return model, W


def new_points():
    return points(seed=1)[:5] * np.arange(1.0, 6)[:, None]


@pytest.mark.parametrize("key", KEYS)
def test_the_data_are_scaled_as_asked(key):
    """Each scale gives the fit of data scaled by hand, of new data too."""
    X = points() * np.random.default_rng(2).uniform(0.1, 9, (N, 1))
    by_hand = {"unit": normalize(X), "max": X / X.max(), "none": X}
    new = {"unit": normalize(new_points()), "max": new_points() / X.max(), "none": new_points()}
    for scale, scaled in by_hand.items():
        model, W = fitted(key, X, scale=scale, max_iter=20)
        expected, expected_W = fitted(key, scaled, scale="none", max_iter=20)
        np.testing.assert_allclose(W, expected_W, rtol=1e-5, atol=1e-9)
        np.testing.assert_allclose(model.components_, expected.components_, rtol=1e-5, atol=1e-9)
        found, wanted = model.transform(new_points()), expected.transform(new[scale])
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-7)
    with pytest.raises(ValueError, match="scale must be one of"):
        make(key, scale="l1").fit(X)


@pytest.mark.parametrize("key", KEYS)
def test_zero_features_change_nothing(key):
    """Features that are zero in every sample get the component 0, and the rest does not notice."""
    X = points()
    wide = np.zeros((N, M + 3))
    kept = np.delete(np.arange(M + 3), [0, 4, 9])
    wide[:, kept] = X
    (model, W), (expected, expected_W) = (fitted(key, data, max_iter=15) for data in (wide, X))
    np.testing.assert_array_equal(model.components_[:, [0, 4, 9]], 0)
    np.testing.assert_allclose(model.components_[:, kept], expected.components_, rtol=1e-6)
    np.testing.assert_allclose(W, expected_W, rtol=1e-6)
    if solvers[key].target.takes_factors:
        rng = np.random.default_rng(4)
        W0, H0 = rng.random((N, R)), rng.random((R, M + 3))
        a = make(key, max_iter=15).fit(wide, W=W0, H=H0)
        b = make(key, max_iter=15).fit(X, W=W0, H=H0[:, kept])
        np.testing.assert_allclose(a.components_[:, kept], b.components_, rtol=1e-6)


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("key", KEYS)
def test_degenerate_data_have_finite_factors(key, name):
    """No data break the fit: not zeros, duplicates or equal samples, for any rank or scale."""
    X = DEGENERATE[name]
    turn = 1 if list(DEGENERATE).index(name) % 2 else -1
    for r, scale in zip((1, min(X.shape)), ("unit", "max")[::turn], strict=True):
        model, _ = fitted(key, X, n_components=r, scale=scale, max_iter=10)
        zero = ~X.any(axis=1)
        if not model.signed:
            np.testing.assert_allclose(model.transform(X)[zero] @ model.components_, 0)


@pytest.mark.parametrize(("key", "options", "name"), DESCENTS)
def test_what_is_proved_to_descend_descends(key, options, name):
    """No sweep raises the objective by more than rounding, whatever data and options."""
    X = DEGENERATE[name]
    for scale in ("unit", "max"):
        model, _ = fitted(key, X, scale=scale, max_iter=60, tol=0.0, **options)
        objective = model.trace_["objective"]
        slack = 1e-14 * X.shape[0] * (1 + objective[0])
        for before, after in pairwise(objective):
            assert after <= before * (1 + 1e-9) + slack


@pytest.mark.parametrize("key", WITH_GRAPH)
def test_the_graph_is_that_of_the_scaled_samples(key):
    """A graph given is used; the one made joins ``n_neighbors`` after scaling."""
    X = points() * np.random.default_rng(2).uniform(0.1, 9, (N, 1))
    target = solvers[key].target
    params = {"n_neighbors": 2, "max_iter": 10}
    S = graphs.knn_affinity(normalize(X), 2, weights=getattr(target, "edge_weights", "binary"))
    raw = graphs.knn_affinity(X, 2)
    made, _ = fitted(key, X, **params)
    given, _ = fitted(key, X, **params, affinity=S.toarray())
    other, _ = fitted(key, X, **params, affinity=raw)
    np.testing.assert_allclose(given.trace_["objective"], made.trace_["objective"], rtol=1e-6)
    assert abs(other.objective_ / made.objective_ - 1) > 1e-4
    for p in (N - 1, N, 10 * N):  # all the others are neighbours
        most, _ = fitted(key, X, n_neighbors=p, max_iter=10)
        if p == N - 1:
            all_joined = most.objective_
        assert most.objective_ == all_joined


@pytest.mark.parametrize("key", WITH_GRAPH)
def test_samples_without_neighbours_are_fitted(key):
    """A graph may leave samples alone, or have no edge at all."""
    X = points()
    S = graphs.knn_affinity(X, 2).toarray()
    S[:4] = S[:, :4] = 0
    for affinity in (S, sp.csr_array(S), np.zeros((N, N))):
        fitted(key, X, affinity=affinity)


@pytest.mark.parametrize("key", WITH_GRAPH)
def test_graphs_that_make_no_sense_are_refused(key):
    """Neighbours below one, and an affinity of the wrong shape or sign or asymmetric."""
    X = points()
    refused = {
        "n_neighbors": [{"n_neighbors": 0}],
        "affinity has shape": [{"affinity": np.zeros((3, 3))}],
        "negative entries": [{"affinity": -np.ones((N, N))}],
        "not symmetric": [{"affinity": np.triu(np.ones((N, N)))}],
    }
    for match, cases in refused.items():
        for params in cases:
            with pytest.raises(ValueError, match=match):
                make(key, **params).fit(X)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("key", KEYS)
def test_no_entry_is_left_at_the_floor(key, dtype):
    """Entries that an update has driven to the floor are returned as zeros."""
    X = DEGENERATE["sparse"].astype(dtype)
    model, W = fitted(key, X, max_iter=200, tol=0.0)
    for factor in (np.abs(W), np.abs(model.components_)):
        largest = factor.max(initial=0)
        # Moving lengths between factors may scale what is left.
        assert not ((factor > 0) & (factor < 1e-13 * min(largest, 1))).any()


@pytest.mark.parametrize("key", [key for key in KEYS if solvers[key].target.takes_factors])
def test_a_fit_stops_when_the_objective_stands_still(key):
    """The last step changed the objective by no more than a share of it, those before by more."""
    model, _ = fitted(key, points(), tol=1e-2, max_iter=500)
    assert model.stop_reason_ == "converged"
    objective = model.trace_["objective"]
    changes = np.abs(np.diff(objective)) / objective[:-1]
    assert changes[-1] <= 1e-2
    assert (changes[:-1] > 1e-2).all()


@pytest.mark.parametrize("key", [key for key in KEYS if solvers[key].target.accepts_sparse])
def test_sparse_and_dense_data_agree(key):
    """CSR data give the trace of dense data, in either precision."""
    X = points()
    for dtype, rtol in ((np.float64, 1e-9), (np.float32, 1e-4)):
        dense, _ = fitted(key, X.astype(dtype), max_iter=10)
        sparse, same = fitted(key, sp.csr_matrix(X, dtype=dtype), max_iter=10)
        assert same.dtype == sparse.components_.dtype == dtype
        expected = dense.trace_["objective"]
        np.testing.assert_allclose(sparse.trace_["objective"], expected, rtol=rtol)


@pytest.mark.parametrize("key", KEYS)
def test_fits_are_blind_to_what_the_caller_does_next(key):
    """Nothing fitted is a view of the data, and data are not changed."""
    for scale in ("unit", "max", "none"):
        X = points()
        model, W = fitted(key, X, scale=scale, max_iter=5)
        np.testing.assert_array_equal(X, points())
        assert not np.shares_memory(X, W)
        assert not np.shares_memory(X, model.components_)


def test_unit_components_keep_the_product():
    """Rows get length one, but for zero rows, and the product stays."""
    rng = np.random.default_rng(0)
    W, H = rng.random((6, 3)), rng.random((3, 5))
    H[1] = 0
    product = W @ H
    unit_components(H, W)
    np.testing.assert_allclose(np.linalg.norm(H, axis=1), [1, 0, 1])
    np.testing.assert_allclose(W @ H, product)


@pytest.mark.parametrize(("goal", "power"), [(17.0, 1.0), (3.9, 0.5), (1.5, 0.25)])
def test_the_gentle_step_takes_the_largest_exponent_that_descends(goal, power):
    """A step from 1 to ``16 ** power`` is taken if it ends no farther from the goal, in logs."""
    factor, out, ones = np.ones((2, 1)), np.empty((2, 1)), np.ones((2, 1))

    def value(v):
        return float(np.sum(np.log(v / goal) ** 2))

    assert gentle_step(out, factor, 16 * ones, ones, value) == power
    np.testing.assert_allclose(out, 16**power)
    assert value(out) <= value(factor)
