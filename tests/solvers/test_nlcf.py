"""NLCF: objective, the step against its definition, special and limiting cases."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from nmfbench.optim.kernels.floored_ratio import FLOOR
from nmfbench.solvers.graph.gnmf import GNMF
from nmfbench.solvers.graph.nlcf import NLCF

N, M, R = 12, 9, 3


def problem(seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((N, M)), rng.random((N, R)), rng.random((R, M))


def objective(X, W, H, mu):
    """From the definition, sample by sample and component by component."""
    cost = sum(W[i, k] * np.sum((H[k] - X[i]) ** 2) for i in range(len(X)) for k in range(len(H)))
    return np.sum((X - W @ H) ** 2) + mu * cost


@pytest.mark.against("nlcf", "scipy.optimize.approx_fprime")
@pytest.mark.parametrize("mu", [0.0, 0.1, 10.0])
def test_a_sweep_is_a_step_along_the_gradient(mu):
    """Either factor moves by minus the gradient, times itself over twice the denominator."""
    X, W, H = problem()
    model = NLCF(n_components=R, mu=mu, max_iter=1, scale="none")
    new_W = model.fit_transform(X, W=W, H=H)
    new_H = model.components_

    def value(W, H):
        return objective(X, W, H, mu)

    slope = approx_fprime(H.ravel(), lambda h: value(W, h.reshape(R, M)), 1e-7).reshape(R, M)
    below = W.T @ W @ H + mu * W.sum(axis=0)[:, None] * H
    np.testing.assert_allclose(new_H, H - H / (2 * below) * slope, atol=2e-5)
    slope = approx_fprime(W.ravel(), lambda w: value(w.reshape(N, R), new_H), 1e-7).reshape(N, R)
    squares = np.sum(X**2, axis=1)[:, None] + np.sum(new_H**2, axis=1)
    below = W @ new_H @ new_H.T + mu / 2 * squares
    np.testing.assert_allclose(new_W, W - W / (2 * below) * slope, atol=2e-5)
    assert model.trace_["objective"][0] == pytest.approx(value(W, H))
    assert model.objective_ == pytest.approx(value(new_W, new_H))


@pytest.mark.against("nlcf", "the conditions of an optimum")
def test_it_ends_where_the_gradient_vanishes():
    """At the limit, slopes vanish or entries do, and no slope is negative."""
    X, W, H = problem(3)
    mu = 0.1
    model = NLCF(n_components=R, mu=mu, max_iter=5000, tol=0, scale="none")
    W = model.fit_transform(X, W=W, H=H)
    H = model.components_
    distances = np.sum((X[:, None] - H) ** 2, axis=2)
    slope_W = 2 * (W @ H - X) @ H.T + mu * distances
    slope_H = 2 * W.T @ (W @ H - X) + 2 * mu * (W.sum(axis=0)[:, None] * H - W.T @ X)
    for factor, slope in ((W, slope_W), (H, slope_H)):
        assert np.abs(factor * slope).max() < 1e-6
        assert slope.min() > -1e-5
    assert (W == 0).any()


def test_without_weight_it_is_plain_nmf():
    """With mu = 0 the sweeps equal GNMF's without its graph."""
    X, W, H = problem()
    found = NLCF(n_components=R, mu=0, max_iter=30, tol=0)
    expected = GNMF(n_components=R, alpha=0, max_iter=30, tol=0, normalize=False)
    np.testing.assert_allclose(
        found.fit_transform(X, W=W, H=H), expected.fit_transform(X, W=W, H=H), rtol=1e-9
    )
    np.testing.assert_allclose(found.components_, expected.components_, rtol=1e-9)


def test_where_the_penalty_is_all_components_are_means():
    """With a huge weight, one step takes each component to the mean of its samples."""
    X, W, H = problem()
    model = NLCF(n_components=R, mu=1e9, max_iter=1, scale="none").fit(X, W=W, H=H)
    np.testing.assert_allclose(model.components_, W.T @ X / W.sum(axis=0)[:, None], rtol=1e-7)


def test_a_large_weight_empties_the_representation():
    """Only samples on which a component lies keep any; using none costs less than a far one."""
    X, W, H = problem()
    W = NLCF(n_components=R, mu=1e3).fit_transform(X, W=W, H=H)
    assert (W.max(axis=1) > 1e-3).sum() <= R


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_penalty_near_zero_keeps_its_digits(dtype):
    """Where components are the samples, the objective is what little is left of it."""
    rng = np.random.default_rng(0)
    H = rng.random((2, 40)).astype(dtype)
    X = np.repeat(H, 5, axis=0)
    W = np.repeat(np.eye(2, dtype=dtype), 5, axis=0)
    floored = np.maximum(W, FLOOR)  # which counts here
    nudge = 1e-8 if dtype == np.float64 else 1e-5
    nudged = (H * (1 + nudge * rng.random(H.shape))).astype(dtype)
    model = NLCF(n_components=2, mu=1e3, max_iter=1, scale="none").fit(X, W=W, H=nudged)
    exact = objective(*(a.astype(np.float64) for a in (X, floored, nudged)), 1e3)
    assert model.trace_["objective"][0] == pytest.approx(exact, rel=1e-3)


def test_a_weight_that_makes_no_sense_is_refused():
    """mu is finite and not negative."""
    with pytest.raises(ValueError, match="mu must be a finite number"):
        NLCF(n_components=R, mu=-1).fit(problem()[0])
