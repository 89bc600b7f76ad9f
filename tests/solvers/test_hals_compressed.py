"""HALS on data compressed by a random projection."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls

from nmfbench.optim import losses
from nmfbench.solvers.frobenius.hals_compressed import HALSCompressed, _LowRank
from nmfbench.solvers.frobenius.hals_her import HALSHER


def noisy(n=60, m=50, r=4, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, r)) @ rng.random((r, m)) + noise * rng.random((n, m))


def factors(n, m, r, seed=1):
    rng = np.random.default_rng(seed)
    return rng.random((n, r)) + 0.1, rng.random((r, m)) + 0.1


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_compressed_products_are_those_of_the_best_approximation(form):
    """Of data of low rank they are exact; else nearly as near as singular vectors come."""
    X = noisy(noise=0.0)
    rng = np.random.default_rng(0)
    A, B = rng.random((50, 3)), rng.random((3, 60))
    data = _LowRank(form(X), 4)
    np.testing.assert_allclose(data @ A, X @ A, rtol=1e-10)
    np.testing.assert_allclose(B @ data, B @ X, rtol=1e-10)
    X = noisy(noise=1.0)
    data = _LowRank(form(X), 14)
    missed = np.linalg.norm(X - data.Q @ data.B)
    assert missed <= 1.05 * np.linalg.norm(np.linalg.svd(X, compute_uv=False)[14:])


@pytest.mark.against("hals-compressed", "HALS-HER, where Q spans all of the data")
def test_with_as_many_directions_as_columns_it_is_hals_her():
    """Then the compressed data are the data: after its first iteration it is where HER is."""
    X = noisy()
    W, H = factors(60, 50, 4)
    options = {"n_components": 4, "tol": 0.0, "random_state": 0}
    ours = HALSCompressed(**options, max_iter=1, passes=12, oversampling=46).fit(X, W=W, H=H)
    theirs = HALSHER(**options, max_iter=12).fit(X, W=W, H=H)
    assert ours.n_compressed_ == 1
    np.testing.assert_allclose(ours.components_, theirs.components_, rtol=1e-6, atol=1e-8)
    assert ours.objective_ == pytest.approx(theirs.objective_, rel=1e-10)


@pytest.mark.against("hals-compressed", "Lawson & Hanson's NNLS at its end")
def test_ends_at_a_stationary_point_of_the_data_not_of_the_compressed_ones():
    """Few directions of noisy data: each factor is the exact one of the other."""
    X = noisy(noise=1.0)
    model = HALSCompressed(
        n_components=3, oversampling=1, max_iter=4000, tol=1e-12, init="random", random_state=0
    )
    W, H = model.fit_transform(X), model.components_
    assert 0 < model.n_compressed_ < model.n_iter_
    exact = np.array([nnls(H.T, row)[0] for row in X])
    assert losses.frobenius_sq(X, W, H.T) <= losses.frobenius_sq(X, exact, H.T) * (1 + 1e-6)
    exact = np.array([nnls(W, column)[0] for column in X.T])
    assert losses.frobenius_sq(X, W, H.T) <= losses.frobenius_sq(X, W, exact) * (1 + 1e-6)


@pytest.mark.parametrize("noise", [0.0, 0.1, 3.0])
@pytest.mark.parametrize("oversampling", [1, 30])
def test_the_objective_never_rises(noise, oversampling):
    """Iterations with compressed data that would raise it are undone."""
    X = noisy(noise=noise)
    for seed in range(5):
        W, H = factors(60, 50, 4, seed)
        model = HALSCompressed(
            n_components=4, oversampling=oversampling, tol=0.0, max_iter=60, random_state=seed
        )
        codes = model.fit_transform(X, W=W, H=H)
        trace = model.trace_["objective"]
        assert (np.diff(trace) <= 1e-9 * trace[:-1] + 1e-12).all()
        true = losses.frobenius_sq(X, codes, model.components_.T)
        assert trace[-1] == pytest.approx(true, rel=1e-8, abs=1e-9 * np.sum(X**2))


def test_from_a_start_that_is_optimal_nothing_is_lost():
    """Compression sees at once that it does not help, and the factors stay."""
    X = noisy(noise=1.0)
    best = HALSHER(n_components=3, tol=1e-13, max_iter=5000, random_state=0).fit(X)
    W, H = best.transform(X), best.components_
    before = losses.frobenius_sq(X, W, H.T)
    model = HALSCompressed(n_components=3, oversampling=1, max_iter=5, random_state=0)
    model.fit(X, W=W, H=H)
    assert model.objective_ <= before * (1 + 1e-12)


@pytest.mark.parametrize("name", ["passes", "oversampling"])
def test_counts_are_positive(name):
    """The error names the parameter."""
    with pytest.raises(ValueError, match=name):
        HALSCompressed(n_components=2, **{name: 0}).fit(noisy())
