"""MahNMF with an elastic net, by both methods, against quadratic programmes."""

import tracemalloc

import numpy as np
import pytest
from oracles_l1 import lad_optimum, ridge_lad_optimum

from nmfbench.solvers.manhattan.mahnmf_en import MahNMFEN
from nmfbench.solvers.manhattan.mahnmf_ogm import MahNMFOGM
from nmfbench.solvers.manhattan.smoothing import SmoothedLoss

R = 3


def problem(seed=0, n=20, m=15):
    rng = np.random.default_rng(seed)
    X = rng.random((n, R)) @ rng.random((R, m)) + rng.laplace(0, 0.1, (n, m)).clip(0)
    return X, rng.random((n, R)), rng.random((R, m))


def objective(X, W, H, lam):
    E = X - W @ H
    return np.abs(E).sum() + lam / 2 * np.sum(E**2)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("method", ["ogm", "rri"])
@pytest.mark.parametrize("lam", [0.01, 1.0])
def test_the_objective_has_both_terms(method, lam, dtype):
    """The objective is the loss plus half lam times the square, at the factors returned."""
    X, _, _ = problem()
    model = MahNMFEN(n_components=R, lam=lam, method=method, random_state=0, max_iter=25)
    W = model.fit_transform(X.astype(dtype))
    expected = objective(X, W, model.components_, lam)
    assert model.objective_ == pytest.approx(expected, rel=1e-5 if dtype == np.float32 else 1e-9)
    assert model.components_.dtype == W.dtype == dtype


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("lam", [0.0, 0.1, 10.0])
def test_the_objective_of_rri_never_rises(lam, dtype):
    """Every entry is set to a minimiser, so no iteration raises the objective."""
    rounding = 1e3 * np.finfo(dtype).eps
    for seed in range(3):
        X, W, H = problem(seed)
        model = MahNMFEN(n_components=R, lam=lam, method="rri", max_iter=50, tol=0)
        values = model.fit(X.astype(dtype), W=W, H=H).trace_["objective"]
        assert np.all(np.diff(values) <= rounding * values[:-1])
        assert values[-1] < 0.8 * values[0]


def test_without_ridge_it_is_the_plain_solver():
    """lam = 0 gives the plain solver's factors, bit for bit."""
    X, W, H = problem()
    model = MahNMFEN(n_components=R, lam=0.0, max_iter=8).fit(X, W=W, H=H)
    plain = MahNMFOGM(n_components=R, max_iter=8).fit(X, W=W, H=H)
    np.testing.assert_array_equal(model.components_, plain.components_)


@pytest.mark.parametrize("method", ["ogm", "rri"])
def test_factors_come_near_those_that_made_the_data(method):
    """The fit is within a tenth of the factors to which gross errors were added."""
    rng = np.random.default_rng(0)
    W, H = rng.dirichlet(np.full(R, 0.5), 40), rng.random((R, 30))
    X = W @ H + (rng.random((40, 30)) < 0.1)
    model = MahNMFEN(n_components=R, method=method, max_iter=200, tol=1e-4, random_state=0).fit(X)
    assert model.objective_ <= 1.1 * objective(X, W, H, 0.1)


@pytest.mark.against("mahnmf-en", "scipy.optimize")
@pytest.mark.parametrize("lam", [0.01, 0.1, 1.0])
def test_transform_is_optimal_and_proven_so(lam):
    """The objective of transform is that of a quadratic programme, and so is the bound."""
    X, _, _ = problem()
    model = MahNMFEN(n_components=R, lam=lam, random_state=0).fit(X)
    new, _, _ = problem(9, n=5)
    H = model.components_
    best = sum(ridge_lad_optimum(x, H, lam)[0] for x in new)
    assert objective(new, model.transform(new), H, lam) == pytest.approx(best, rel=1e-6)
    certificate = model.certificate(new)
    assert certificate["primal"] == pytest.approx(best, rel=1e-6)
    assert certificate["dual_bound"] == pytest.approx(best, rel=1e-6)
    assert 0 <= certificate["gap"] < 1e-6


def sub_problem_by_ogm(X, W, H, lam):
    """W after descents with less and less smoothing."""
    for mu in (1.0, 0.1, 0.01, 1e-3):
        model = MahNMFEN(
            lam=lam, mu0=mu, inner_tol=1e-6, inner_max_iter=20000, lipschitz="spectral"
        )
        W = model.represent(X, H, W)
    return W


def sub_problem_by_rri(X, W, H, lam):
    """W after as many sweeps as it takes until they lower nothing."""
    return MahNMFEN(lam=lam, method="rri").represent(X, H, W)


@pytest.mark.against("mahnmf-en", "scipy.optimize")
@pytest.mark.parametrize("lam", [0.1, 10.0])
def test_the_sub_problem_by_both_methods(lam):
    """OGM reaches the optimum of a quadratic programme; RRI stays above it, and not far."""
    X, W, H = problem(3, n=6)
    best = sum(ridge_lad_optimum(x, H, lam)[0] for x in X)
    assert objective(X, sub_problem_by_ogm(X, W, H, lam), H, lam) == pytest.approx(best, rel=1e-3)
    stuck = objective(X, sub_problem_by_rri(X, W, H, lam), H, lam)
    assert best * (1 - 1e-9) <= stuck <= 1.2 * best


@pytest.mark.against("mahnmf-en", "scipy.optimize")
def test_rri_can_stall_above_the_optimum():
    """A fixed point of the plain sweeps stays one with a small ridge."""
    H = np.array([[3.0, 1.0, 0.0], [3.0, 0.0, 0.5]])
    x, lam = np.array([[6.0, 0.0, 1.0]]), 0.1
    W = np.array([[1.0, 1.0]])
    found = sub_problem_by_rri(x, W, H, lam)
    optimum = ridge_lad_optimum(x[0], H, lam)[0]
    assert lad_optimum(x[0], H)[0] == pytest.approx(0, abs=1e-9)
    assert optimum == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(found, W)
    assert objective(x, found, H, lam) == pytest.approx(1.5 + lam / 2 * 1.25)
    # A larger ridge lets the sweeps go on, and stop again: they end at the optimum in the limit.
    found = sub_problem_by_rri(x, W, H, 1e3)
    np.testing.assert_allclose(found, [[0.002, 1.998]], rtol=1e-6)
    assert objective(x, found, H, 1e3) > 5e-3


@pytest.mark.parametrize("varies", ["W", "H"])
def test_the_gradient_of_the_smoothed_objective(varies):
    """Finite differences of the value agree with the gradient, and its constant covers it."""
    X, W, H = problem()
    factor, other = (W, H.T.copy()) if varies == "W" else (H.T.copy(), W)
    loss = SmoothedLoss(X, other, 0.2, np.empty_like(X), varies=varies, ridge=0.7)
    g, h = np.empty_like(factor), np.empty_like(factor)
    loss.gradient(factor, g)
    for i, k in ((0, 0), (5, 1), (14, 2)):
        sides = []
        for step in (1e-6, -1e-6):
            moved = factor.copy()
            moved[i, k] += step
            sides.append(loss.gradient(moved, h))
        assert (sides[0] - sides[1]) / 2e-6 == pytest.approx(g[i, k], rel=1e-4, abs=1e-6)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1.0, 100.0):
        move = size * rng.standard_normal(factor.shape)
        loss.gradient(factor + move, h)
        assert np.linalg.norm(h - g) <= loss.lipschitz * np.linalg.norm(move) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("params", "match"),
    [({"lam": -0.1}, "lam"), ({"lam": np.inf}, "lam"), ({"method": "cd"}, "method")],
)
def test_bad_parameters_are_refused(params, match):
    """A ridge or a method that makes no sense is refused by name."""
    with pytest.raises(ValueError, match=match):
        MahNMFEN(n_components=R, **params).fit(problem()[0])


@pytest.mark.parametrize("method", ["ogm", "rri"])
def test_zero_data_have_zero_factors_or_none(method):
    """An all-zero matrix is fitted exactly."""
    model = MahNMFEN(n_components=2, method=method, random_state=0)
    W = model.fit_transform(np.zeros((5, 4)))
    assert np.all(np.isfinite(W))
    np.testing.assert_allclose(W @ model.components_, 0, atol=1e-9)


@pytest.mark.parametrize("method", ["ogm", "rri"])
def test_a_fit_needs_the_memory_of_three_more_matrices(method):
    """At its peak a fit holds no more than X and three arrays of its size."""
    X = np.random.default_rng(0).random((400, 1500))
    few = {"inner_max_iter": 20, "max_iter": 2, "random_state": 0}
    model = MahNMFEN(n_components=2, method=method, **few)
    model.fit(X[:20])  # compiles
    tracemalloc.start()
    model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 3.1 * X.nbytes
