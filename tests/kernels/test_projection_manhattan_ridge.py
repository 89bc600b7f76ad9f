"""Least absolute deviations with a ridge against quadratic programmes, and its certificates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles_l1 import lad_optima, ridge_lad_optimum
from sklearn.exceptions import ConvergenceWarning

from nmfbench.optim.projections.frobenius import project_frobenius
from nmfbench.optim.projections.manhattan_ridge import (
    certify_manhattan_ridge,
    project_manhattan_ridge,
    ridge_lower_bound,
)


def problem(kind, seed=0, n=4, k=4, m=15):
    rng = np.random.default_rng([seed, len(kind)])
    H, X = rng.random((k, m)), rng.random((n, m))
    if kind == "correlated":
        X = rng.random((n, k)) @ H + rng.laplace(0, 0.1, (n, m)).clip(0)
    elif kind == "sparse":
        H, X = H * (rng.random((k, m)) < 0.3), X * (rng.random((n, m)) < 0.4)
    elif kind == "zero rows":
        H[0], X[0], X[:, 3] = 0, 0, 0
    elif kind == "repeated basis":
        H = np.vstack([H, H[:2], 3 * H[:1]])
    elif kind == "exact fit":
        X = rng.random((n, k)) @ H
    elif kind == "counts":
        H, X = rng.integers(0, 3, (k, m)) * 1.0, rng.integers(0, 4, (n, m)) * 1.0
    elif kind == "one feature":
        H, X = H[:, :1].copy(), X[:, :1].copy()
    elif kind == "more basis rows than features":
        H = rng.random((20, m))
    elif kind == "nearly dependent":
        H = H[:1] + 1e-6 * rng.random((k, m))
    return X, H


KINDS = [
    "dense",
    "correlated",
    "sparse",
    "zero rows",
    "repeated basis",
    "exact fit",
    "counts",
    "one feature",
    "more basis rows than features",
    "nearly dependent",
]


def objectives(X, W, H, lam):
    E = X - W @ H
    return np.abs(E).sum(axis=1) + lam / 2 * (E**2).sum(axis=1)


@pytest.mark.parametrize("lam", [0.01, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_objective_equals_that_of_a_quadratic_programme(kind, lam):
    """Row by row the optimum is that of a generic solver, to 1e-6 of it, and so is the bound."""
    X, H = problem(kind)
    W, D = project_manhattan_ridge(X, H, lam, return_dual=True)
    assert W.shape == (len(X), len(H))
    assert W.min() >= 0
    expected = np.array([ridge_lad_optimum(x, H, lam)[0] for x in X])
    slack = 1e-6 * (expected + 1e-3 * X.sum(axis=1))
    assert np.all(np.abs(objectives(X, W, H, lam) - expected) <= slack)
    assert np.all(np.abs(ridge_lower_bound(X, H, D, lam) - expected) <= slack)


@pytest.mark.parametrize("kind", KINDS)
def test_without_ridge_it_is_the_plain_projection(kind):
    """With lam = 0 the optimum is that of the linear programme."""
    X, H = problem(kind)
    W, D = project_manhattan_ridge(X, H, 0.0, return_dual=True)
    optima = lad_optima(X, H)
    slack = 1e-6 * (optima + 1e-3 * X.sum(axis=1))
    assert np.all(np.abs(objectives(X, W, H, 0.0) - optima) <= slack)
    assert np.all(ridge_lower_bound(X, H, D, 0.0) >= optima - slack)


def test_a_large_ridge_gives_least_squares():
    """As lam grows, the coefficients tend to the Frobenius projection."""
    X, H = problem("correlated")
    np.testing.assert_allclose(
        project_manhattan_ridge(X, H, 1e8, tol=1e-12), project_frobenius(X, H), atol=1e-4
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tol", [1e-2, 1e-7])
def test_the_certificate_closes(kind, tol):
    """The bound is below the objective, and within the tolerance of it."""
    X, H = problem(kind)
    certificate = certify_manhattan_ridge(X, H, 0.1, tol=tol)
    W = project_manhattan_ridge(X, H, 0.1, tol=tol)
    best = certificate["primal"]
    assert best == pytest.approx(objectives(X, W, H, 0.1).sum())
    assert certificate["dual_bound"] <= best
    assert best - certificate["dual_bound"] <= 2 * tol * max(best, 1e-3 * X.sum())


@given(seed=st.integers(0, 10**6), size=st.floats(0, 3), lam=st.sampled_from([0.0, 0.01, 1.0]))
@settings(max_examples=40, deadline=None)
def test_lower_bound_is_never_above_the_optimum(seed, size, lam):
    """Whatever D is given, the bound made from it stays below the optimum."""
    rng = np.random.default_rng(seed)
    X, H = problem(KINDS[seed % len(KINDS)], seed, n=2)
    W, D = project_manhattan_ridge(X, H, lam, return_dual=True)
    best = objectives(X, W, H, lam)
    slack = 1e-10 * X.sum()
    for candidate in (D, D + size * rng.standard_normal(D.shape), 5 * rng.uniform(-1, 1, D.shape)):
        assert np.all(ridge_lower_bound(X, H, candidate, lam) <= best + slack)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_no_random_nudge_improves_the_answer(seed):
    """The problem is convex: a small non-negative change of W cannot lower the objective."""
    rng = np.random.default_rng(seed)
    X, H = problem(KINDS[seed % len(KINDS)], seed, n=3)
    W = project_manhattan_ridge(X, H, 0.3)
    best = objectives(X, W, H, 0.3)
    for size in (1e-3, 0.1):
        nudged = np.maximum(W + size * rng.standard_normal(W.shape), 0)
        slack = 1e-7 * np.maximum(best, 1e-2 * X.sum(axis=1))
        assert np.all(objectives(X, nudged, H, 0.3) >= best - slack)


def test_blocks_of_rows_and_features_change_nothing(monkeypatch):
    """The number of rows done at once is a matter of memory only."""
    X, H = problem("correlated", n=30)
    whole = project_manhattan_ridge(X, H, 0.1)
    monkeypatch.setattr("nmfbench.optim.projections.manhattan_ridge._BLOCK", 64)
    np.testing.assert_allclose(project_manhattan_ridge(X, H, 0.1), whole, atol=1e-6)


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_units_do_not_matter(scale):
    """Data in other units, with lam in the inverse unit, give the same answer in those units."""
    X, H = problem("correlated")
    W = project_manhattan_ridge(X, H, 0.5)
    np.testing.assert_allclose(
        project_manhattan_ridge(scale * X, H, 0.5 / scale), scale * W, rtol=1e-5, atol=1e-6 * scale
    )
    np.testing.assert_allclose(
        project_manhattan_ridge(X, scale * H, 0.5), W / scale, rtol=1e-5, atol=1e-6 / scale
    )


def test_single_precision_is_computed_in_double():
    """float32 data give a float32 representation that is as good as its digits."""
    X, H = problem("correlated")
    W = project_manhattan_ridge(X.astype(np.float32), H.astype(np.float32), 0.1)
    assert W.dtype == np.float32
    expected = objectives(X, project_manhattan_ridge(X, H, 0.1), H, 0.1)
    np.testing.assert_allclose(objectives(X, W, H, 0.1), expected, rtol=1e-5)


@pytest.mark.parametrize("shape", [(0, 7), (3, 7)])
def test_empty_and_zero_bases_give_zero(shape):
    """Without a usable basis row the representation is zero, and proven the best."""
    X = np.random.default_rng(0).random((4, 7))
    assert not project_manhattan_ridge(X, np.zeros(shape), 0.1).any()
    certificate = certify_manhattan_ridge(X, np.zeros(shape), 0.1)
    assert certificate["gap"] < 1e-12
    assert certificate["primal"] == pytest.approx(X.sum() + 0.05 * np.sum(X**2))


def test_max_iter_keeps_the_best_and_warns():
    """Rows that run out of steps are still feasible, and the caller is warned."""
    X, H = problem("correlated")
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        W = project_manhattan_ridge(X, H, 0.1, max_iter=2)
    assert W.min() >= 0


def test_bad_input_is_refused():
    """H and X must have the same features, and lam a sign."""
    with pytest.raises(ValueError, match="H has shape"):
        project_manhattan_ridge(np.ones((2, 3)), np.ones((1, 4)), 0.1)
    with pytest.raises(ValueError, match="lam"):
        project_manhattan_ridge(np.ones((2, 3)), np.ones((1, 3)), -0.1)
