"""The hybrid of smoothing and weighted medians, against the two that it is made of."""

import tracemalloc

import numpy as np
import pytest

from nmfbench import make_solver
from nmfbench.optim import losses
from nmfbench.solvers.manhattan.mahnmf_rri import MahNMFRRI


def data(dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((60, 5)) @ rng.random((5, 40))
    X += 2 * rng.random(X.shape) * (rng.random(X.shape) < 0.1)  # a tenth is corrupted
    return X.astype(dtype)


def start(X, r, seed=0):
    rng = np.random.default_rng(seed)
    scale = np.sqrt(4 * X.mean() / r)
    return {"W": scale * rng.random((len(X), r)), "H": scale * rng.random((r, X.shape[1]))}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_objective_never_rises_in_either_phase(seed, dtype):
    """Rounds and sweeps alike, down to the smallest smoothing, whatever its first value."""
    X = data(dtype, seed)
    for smoothing in (0.1, 30.0):
        model = make_solver(
            "mahnmf-hybrid", n_components=5, tol=0, random_state=seed, smoothing=smoothing
        ).fit(X)
        objective = model.trace_["objective"]
        assert np.all(np.diff(objective) <= 1e-5 * objective[:-1])
        assert 1 < model.n_smoothing_ < model.n_iter_


def test_it_ends_below_both_methods_from_the_same_start():
    """At convergence its objective is below that of sweeps alone and of the paper's smoothing."""
    X = data()
    found = {
        key: make_solver(key, n_components=5, max_iter=100, tol=1e-5).fit(X, **start(X, 5))
        for key in ("mahnmf-rri", "mahnmf-ogm", "mahnmf-hybrid")
    }
    hybrid = found.pop("mahnmf-hybrid").objective_
    assert hybrid < 0.999 * min(model.objective_ for model in found.values())


@pytest.mark.against("mahnmf-hybrid", "planted factors")
def test_it_finds_the_factors_behind_corrupted_entries():
    """Exact low rank but for a few large errors: nearly all of the clean product is found."""
    rng = np.random.default_rng(4)
    clean = rng.random((80, 3)) @ rng.random((3, 60))
    X = clean + 5 * (rng.random(clean.shape) < 0.05)
    model = make_solver("mahnmf-hybrid", n_components=3, tol=1e-6, random_state=0)
    fitted = model.fit_transform(X) @ model.components_
    error = np.abs(fitted - clean)
    assert np.median(error) < 1e-5
    assert np.mean(error > 1e-3) < 0.05
    assert model.objective_ <= 1.001 * np.abs(X - clean).sum()


def test_the_tolerance_ends_the_rounds_and_then_the_sweeps():
    """Sweeps follow the rounds, and are what the run ends with; none lowers the end much more."""
    X = data()
    model = make_solver("mahnmf-hybrid", n_components=5, random_state=0)
    W = model.fit_transform(X)
    assert model.stop_reason_ == "converged"
    assert 10 <= model.n_smoothing_ < model.n_iter_
    assert losses.manhattan(X, W, np.ascontiguousarray(model.components_.T)) == pytest.approx(
        model.objective_, rel=1e-9
    )
    more = MahNMFRRI(n_components=5, max_iter=3).fit(X, W=W, H=model.components_)
    assert more.objective_ <= model.objective_
    assert more.objective_ >= 0.99 * model.objective_


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_scaling_data_and_start_scales_the_fit(scale):
    """No smoothing is absolute: scaled data, and factors scaled against each other, are as good."""
    X = data()
    options = {"n_components": 5, "max_iter": 30, "tol": 0}
    given = start(X, 5)
    plain = make_solver("mahnmf-hybrid", **options).fit(X, **given).trace_["objective"]
    scaled = {"W": scale * given["W"], "H": given["H"]}
    larger = make_solver("mahnmf-hybrid", **options).fit(scale * X, **scaled).trace_["objective"]
    np.testing.assert_allclose(larger, scale * plain, rtol=1e-3)
    scaled = {"W": scale * given["W"], "H": given["H"] / scale}
    moved = make_solver("mahnmf-hybrid", **options).fit(X, **scaled).trace_["objective"]
    np.testing.assert_allclose(moved, plain, rtol=1e-3)


def test_data_without_a_residual_are_left_alone():
    """From an exact fit, and from zero data, the objective is zero and stays so."""
    given = start(data(), 3)
    exact = given["W"] @ given["H"]
    model = make_solver("mahnmf-hybrid", n_components=3, max_iter=12).fit(exact, **given)
    assert model.objective_ <= 1e-10 * exact.sum()
    with pytest.warns(UserWarning, match="all components are zero|zero"):
        zero = make_solver("mahnmf-hybrid", n_components=2, random_state=0, max_iter=12).fit(
            data(), W=np.zeros((60, 2)), H=np.zeros((2, 40))
        )
    assert zero.objective_ == pytest.approx(data().sum())
    assert np.isfinite(zero.components_).all()


def test_a_fit_takes_two_arrays_of_the_size_of_the_data():
    """Fitted values or residual, and its transpose for the sweeps; nothing else, however long."""
    X = np.random.default_rng(0).random((600, 500))
    model = make_solver("mahnmf-hybrid", n_components=3, random_state=0, max_iter=30, tol=0.05)
    model.fit(X[:40])  # compiles
    assert model.n_smoothing_ < model.n_iter_
    tracemalloc.start()
    model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.n_smoothing_ < model.n_iter_
    assert peak < 3 * X.nbytes


@pytest.mark.parametrize(("option", "bad"), [("smoothing", 0.0), ("inner_max_iter", 0)])
def test_bad_parameters_are_refused(option, bad):
    """A parameter that makes no sense is refused by name."""
    with pytest.raises(ValueError, match=option):
        make_solver("mahnmf-hybrid", **{option: bad}).fit(data())
