"""HALS with extrapolation and restarts."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls

from nmfbench.datasets.base import load_dataset
from nmfbench.optim import losses
from nmfbench.optim.kernels.hals import hals_sweeps, hals_sweeps_ahead
from nmfbench.solvers.frobenius import hals_her
from nmfbench.solvers.frobenius.hals import HALS
from nmfbench.solvers.frobenius.hals_her import HALSHER


def noisy(n=40, m=30, r=4, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, r)) @ rng.random((r, m)) + noise * rng.random((n, m))


def factors(n, m, r, seed=1):
    rng = np.random.default_rng(seed)
    return rng.random((n, r)) + 0.1, rng.random((r, m)) + 0.1


def sweeps(F, X, B, n_sweeps):
    """Coordinate descent on ``||X - F B||^2``, entry by entry."""
    F = F.copy()
    for _ in range(n_sweeps):
        for k in range(len(B)):
            rest = X - F @ B + np.outer(F[:, k], B[k])
            F[:, k] = np.maximum(rest @ B[k] / (B[k] @ B[k]), 0)
    return F


def by_the_paper(X, W, H, n_iter, n_sweeps, beta):
    """Ang & Gillis's Algorithm 3 with residuals formed, and the best pair that it meets."""
    Wy, Hy, bound, before, error = W, H, 1.0, beta, np.inf
    best, pair, restarts = np.inf, None, 0
    for _ in range(n_iter):
        W_new = sweeps(Wy, X, Hy, n_sweeps)
        Wy = np.maximum(W_new + beta * (W_new - W), 0)
        H_new = sweeps(Hy.T, X.T, Wy.T, n_sweeps).T
        last, error = error, np.linalg.norm(X - Wy @ H_new) ** 2
        if error < best:
            best, pair = error, (Wy, H_new)
        if error > last:
            Wy, Hy = W, H
            bound, before, beta = before, beta, beta / 1.5
            restarts += 1
        else:
            Hy = np.maximum(H_new + beta * (H_new - H), 0)
            W, H = W_new, H_new
            before, beta, bound = beta, min(bound, 1.02 * beta), min(1, 1.005 * bound)
    return best, pair, restarts


@pytest.mark.against("hals-her", "the algorithm with residuals formed, entry by entry")
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_iterates_are_those_of_the_algorithm(form):
    """Best pair, its error and the number of restarts equal a slow implementation's."""
    X = noisy()
    W, H = factors(40, 30, 4)
    model = HALSHER(n_components=4, sweeps=2, max_iter=60, tol=0, extrapolation=0.7)
    codes = model.fit_transform(form(X), W=W, H=H)
    best, pair, restarts = by_the_paper(X, W, H, 60, 2, 0.7)
    assert model.n_restarts_ == restarts > 0
    assert model.objective_ == pytest.approx(best, rel=1e-9)
    np.testing.assert_allclose(codes, pair[0], atol=1e-7)
    np.testing.assert_allclose(model.components_, pair[1], atol=1e-7)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_long_fits_of_exact_data_keep_the_scale_of_components(monkeypatch, dtype):
    """Extrapolation would let one half of a component grow, and the other fall, without bound."""
    X = load_dataset("mixed-spectra", np.random.default_rng(15), n_components=5, purity=0.8).X
    model = HALSHER(n_components=5, init="random", random_state=15, max_iter=800, tol=0)
    fits = {}
    for drift in (64, 1000):
        monkeypatch.setattr(hals_her, "_DRIFT", drift)
        W = model.fit_transform(X.astype(dtype))
        fits[drift] = model.objective_, W @ model.components_
        sizes = np.log2(np.linalg.norm(W, axis=0) / np.linalg.norm(model.components_, axis=1))
        assert (np.abs(sizes).max() < 35) == (drift == 64)
        if dtype == np.float32:  # which overflows without
            return
    assert fits[64][0] == fits[1000][0]
    np.testing.assert_allclose(fits[64][1], fits[1000][1], rtol=1e-12)


def test_without_extrapolation_it_is_hals():
    """With 0 the iterates equal HALS's, to the bit."""
    X = noisy()
    W, H = factors(40, 30, 4)
    fits = [
        cls(n_components=4, max_iter=30, tol=0, **params).fit(X, W=W, H=H)
        for cls, params in ((HALS, {}), (HALSHER, {"extrapolation": 0.0}))
    ]
    np.testing.assert_array_equal(fits[0].components_, fits[1].components_)
    assert fits[1].n_restarts_ == 0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_objective_is_that_of_the_best_pair_and_never_rises(dtype):
    """The trace falls although iterates restart, and ends at the error of the pair returned."""
    X = noisy(seed=3).astype(dtype)
    W, H = (factor.astype(dtype) for factor in factors(40, 30, 6))
    model = HALSHER(n_components=6, max_iter=200, tol=0)
    W = model.fit_transform(X, W=W, H=H)
    trace = model.trace_["objective"]
    assert model.n_restarts_ > 0
    assert np.diff(trace).max() <= 10 * np.finfo(dtype).eps * np.vdot(X, X)
    exact = losses.frobenius_sq(X, W, model.components_.T)
    assert model.objective_ == pytest.approx(exact, rel=1e-5 if dtype == np.float32 else 1e-9)


def test_it_is_ahead_where_hals_is_slow():
    """From one start it reaches in two thirds of the iterations what HALS does."""
    rng = np.random.default_rng(0)
    X = rng.random((80, 60)) ** 3
    for seed in range(3):
        W, H = factors(80, 60, 12, seed)
        plain = HALS(n_components=12, max_iter=300, tol=0).fit(X, W=W, H=H)
        ahead = HALSHER(n_components=12, max_iter=300, tol=0).fit(X, W=W, H=H)
        needed = np.flatnonzero(ahead.trace_["objective"] <= plain.objective_)
        assert needed.size
        assert needed[0] <= 200


def test_a_solution_is_stationary():
    """A long fit ends where each row is its non-negative least squares."""
    X = noisy(20, 15, 3)
    model = HALSHER(n_components=3, max_iter=3000, tol=0, random_state=0)
    W = model.fit_transform(X)
    for x, w in zip(X, W, strict=True):
        np.testing.assert_allclose(nnls(model.components_.T, x)[0], w, atol=1e-4)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_degenerate_data_survive(form):
    """Empty rows and columns, one component, dead components, exact and zero data."""
    X = noisy(12, 9)
    X[[0, 5]] = 0
    X[:, 3] = 0
    for r in (1, 3):
        W, H = factors(12, 9, r)
        W[:, -1] = 0
        model = HALSHER(n_components=r, max_iter=80, tol=0)
        reconstruction = model.fit_transform(form(X), W=W, H=H) @ model.components_
        assert np.isfinite(model.trace_["objective"]).all()
        assert reconstruction[[0, 5]].max() < 1e-12
        assert reconstruction[:, 3].max() < 1e-12
    exact = noisy(12, 9, 2, noise=0)
    model = HALSHER(n_components=2, max_iter=2000, tol=0, random_state=0).fit(form(exact))
    assert model.objective_ < 1e-8 * np.vdot(exact, exact)
    zero = HALSHER(n_components=2, random_state=0).fit(form(np.zeros((6, 5))))
    assert zero.objective_ == 0


def test_a_restart_does_not_end_the_fit():
    """With a loose tolerance the fit goes on after a restart, and ends later."""
    X = noisy(seed=5)
    W, H = factors(40, 30, 4)
    model = HALSHER(n_components=4, max_iter=500, tol=1e-5, extrapolation=0.9).fit(X, W=W, H=H)
    assert model.stop_reason_ == "converged"
    assert model.n_restarts_ > 0
    trace = model.trace_["objective"]
    assert (np.diff(trace)[:-1] == 0).any()


def test_without_a_tolerance_the_fit_goes_on():
    """Iterations that improve on the one before, but not on the best, do not end the fit."""
    X = noisy(seed=7)
    for extrapolation in (0.2, 0.5, 0.95):
        model = HALSHER(n_components=6, max_iter=120, tol=0, extrapolation=extrapolation)
        assert model.fit(X).n_iter_ == 120
        assert model.n_restarts_ > 0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n", "r"), [(1, 1), (64, 9), (150, 20)])
def test_the_kernel_goes_on_along_the_last_change_and_stops_at_zero(n, r, dtype):
    """Sweeps equal those in place, to the bit; going on may overwrite where they began."""
    rng = np.random.default_rng(n)
    begin, before, cross = (rng.random((n, r)).astype(dtype) for _ in range(3))
    other = rng.random((30, r)).astype(dtype)
    gram, beta = other.T @ other, dtype(0.7)
    swept = begin.copy()
    hals_sweeps(swept, cross, gram, 2)
    now, ahead = np.empty_like(begin), begin.copy()
    linear = hals_sweeps_ahead(now, ahead, ahead, before, cross, gram, 2, beta)
    assert linear == pytest.approx(np.sum(cross.astype(float) * now), rel=1e-12)
    np.testing.assert_array_equal(now, swept)
    expected = np.maximum(swept + beta * (swept - before), 0)
    np.testing.assert_allclose(ahead, expected, rtol=0, atol=4 * np.finfo(dtype).eps)
    assert (ahead == 0).any() or n == 1


@pytest.mark.parametrize(("name", "value"), [("sweeps", 0), ("extrapolation", 1.0)])
def test_parameters_out_of_range_are_named(name, value):
    """A parameter that makes no sense is refused by name."""
    with pytest.raises(ValueError, match=name):
        HALSHER(n_components=2, **{name: value}).fit(np.ones((4, 3)))
