"""Starts of factorizations: the median, and more components than singular pairs."""

import numpy as np
import pytest
import scipy.sparse as sp

from nmfbench import make_solver
from nmfbench.optim.init import median, nndsvd, nndsvda, random


def frames(n=40, m=60, seed=0):
    """A still scene with noise, and in each frame an object somewhere."""
    rng = np.random.default_rng(seed)
    X = np.tile(rng.uniform(0.2, 0.8, m), (n, 1)) + rng.uniform(-0.02, 0.02, (n, m))
    X[np.arange(n), rng.integers(m, size=n)] = 1
    return X


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_median_comes_first_and_the_rest_is_small(dtype):
    """One component is the median with weights 1; the others add a few percent to it."""
    X = frames().astype(dtype)
    W, Ht = median(X, 3, np.random.default_rng(0))
    assert W.dtype == Ht.dtype == dtype
    assert W.flags.c_contiguous
    assert Ht.flags.c_contiguous
    np.testing.assert_array_equal(W[:, 0], 1)
    np.testing.assert_array_equal(Ht[:, 0], np.median(X, axis=0))
    assert (W[:, 1:] > 0).all()
    assert 0 < Ht[:, 1:].min() < Ht[:, 1:].max() <= 0.1 * X.mean()
    scaled = median(8 * X, 3, np.random.default_rng(0))
    np.testing.assert_allclose(scaled[0] @ scaled[1].T, 8 * W @ Ht.T, rtol=1e-6)


def test_one_component_draws_nothing():
    """Rank one is the median alone, whatever the seed."""
    state = np.random.default_rng(0)
    W, Ht = median(frames(), 1, state)
    assert W.shape == (40, 1)
    assert Ht.shape == (60, 1)
    assert state.random() == np.random.default_rng(0).random()


def test_sparse_data_have_the_median_of_dense_ones():
    """Zeros that are not stored count."""
    X = np.random.default_rng(0).poisson(0.9, (11, 8)).astype(float)
    for dense, sparse in zip(
        median(X, 2, np.random.default_rng(1)),
        median(sp.csr_matrix(X), 2, np.random.default_rng(1)),
        strict=True,
    ):
        np.testing.assert_allclose(sparse, dense, rtol=1e-12)


@pytest.mark.parametrize("key", ["mahnmf-rri", "mahnmf-ogm", "mahnmf-hybrid", "robust-nmf-admm"])
def test_solvers_start_at_the_median_and_do_not_end_above_it(key):
    """With one component the fit is at least as good as the median, and no component dies."""
    X = frames()
    still = np.abs(X - np.median(X, axis=0)).sum()
    model = make_solver(key, n_components=1, init="median", random_state=0).fit(X)
    assert model.trace_["objective"][0] == pytest.approx(still, rel=1e-9)
    assert model.objective_ <= still * (1 + 1e-9)
    assert model.n_dead_components_ == 0


def test_dark_data_start_without_a_median():
    """Where more than half of the entries are zero the median is too, and the rest still moves."""
    X = np.zeros((9, 5))
    X[:3] = 1
    _, Ht = median(X, 2, np.random.default_rng(0))
    assert not Ht[:, 0].any()
    model = make_solver("mahnmf-rri", n_components=2, init="median", random_state=0)
    np.testing.assert_allclose(model.fit_transform(X) @ model.components_, X, atol=1e-12)


@pytest.mark.parametrize("init", [nndsvd, nndsvda])
def test_components_beyond_the_singular_pairs_are_random(init):
    """The first components equal those at the largest rank with pairs; the others all differ."""
    X = frames(5, 8)
    few, many = (init(X, r, np.random.default_rng(0)) for r in (5, 9))
    drawn = random(X, 9, np.random.default_rng(0))
    for first, factor, others in zip(few, many, drawn, strict=True):
        assert factor.flags.c_contiguous
        np.testing.assert_array_equal(factor[:, :5], first)
        np.testing.assert_array_equal(factor[:, 5:], others[:, 5:])
