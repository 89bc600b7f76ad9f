"""LNMF: objective, the step against its definition, robustness to whole samples."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from nmfbench.optim.kernels.row_norms import row_distances
from nmfbench.solvers.graph.gnmf import GNMF
from nmfbench.solvers.graph.lnmf import LNMF

N, M, R = 12, 9, 3


def problem(seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((N, M)), rng.random((N, R)), rng.random((R, M))


def objective(X, W, H):
    return np.linalg.norm(X - W @ H, axis=1).sum()


@pytest.mark.against("lnmf", "scipy.optimize.approx_fprime")
def test_a_sweep_is_a_step_along_the_gradient():
    """Either factor moves by minus the gradient, times itself over the denominator."""
    X, W, H = problem()
    model = LNMF(n_components=R, max_iter=1, scale="none", normalize=False)
    new_W = model.fit_transform(X, W=W, H=H)
    new_H = model.components_
    slope = approx_fprime(H.ravel(), lambda h: objective(X, W, h.reshape(R, M)), 1e-7)
    omega = 1 / np.linalg.norm(X - W @ H, axis=1)[:, None]
    below = (omega * W).T @ W @ H
    np.testing.assert_allclose(new_H, H - H / below * slope.reshape(R, M), atol=2e-5)
    slope = approx_fprime(W.ravel(), lambda w: objective(X, w.reshape(N, R), new_H), 1e-7)
    omega = 1 / np.linalg.norm(X - W @ new_H, axis=1)[:, None]  # it cancels
    below = omega * (W @ new_H @ new_H.T)
    np.testing.assert_allclose(new_W, W - W / below * slope.reshape(N, R), atol=2e-5)
    assert model.trace_["objective"][0] == pytest.approx(objective(X, W, H))
    assert model.objective_ == pytest.approx(objective(X, new_W, new_H))


@pytest.mark.against("lnmf", "scipy.optimize.minimize")
def test_rank_one_is_as_good_as_a_general_minimiser():
    """With one component the optimum is that of BFGS on the best ray of many starts."""
    X, _, _ = problem()

    def value(h):
        h = np.abs(h) / np.linalg.norm(h)
        return np.linalg.norm(X - np.outer(X @ h, h), axis=1).sum()

    starts = np.random.default_rng(1).random((5, M))
    best = min(minimize(value, h, tol=1e-10).fun for h in starts)
    model = LNMF(n_components=1, max_iter=5000, tol=1e-14, scale="none", random_state=0).fit(X)
    assert model.objective_ == pytest.approx(best, rel=1e-6)


def test_a_few_samples_off_a_ray_do_not_bend_it():
    """Collinear samples are fitted exactly beside gross ones, which bend least squares."""
    rng = np.random.default_rng(0)
    ray = rng.random(M)
    X = np.outer(rng.uniform(1, 2, 20), ray)
    X[:3] = 0
    X[:3, 0] = 2
    cosine = {}
    for name, model in (
        ("lengths", LNMF(n_components=1, scale="none", max_iter=2000, tol=0, random_state=0)),
        ("squares", GNMF(n_components=1, alpha=0, scale="none", max_iter=2000, random_state=0)),
    ):
        h = model.fit(X).components_[0]
        cosine[name] = h @ ray / np.linalg.norm(h) / np.linalg.norm(ray)
    assert cosine["lengths"] > 1 - 1e-9
    assert cosine["squares"] < 1 - 1e-4


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_row_distances_are_the_lengths_of_rows(dtype):
    """In double precision, whatever that of the data."""
    rng = np.random.default_rng(0)
    X, Y = rng.random((2, 7, 5)).astype(dtype)
    out = np.empty(7)
    row_distances(out, X, Y)
    expected = np.linalg.norm(X.astype(np.float64) - Y, axis=1)
    np.testing.assert_allclose(out, expected, rtol=1e-14)
