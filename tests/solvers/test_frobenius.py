"""Iterative Frobenius solvers and their starts, against scikit-learn and closed forms."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls
from sklearn.decomposition._nmf import _fit_multiplicative_update, _initialize_nmf

from nmfbench.optim import losses
from nmfbench.optim.init import nndsvd, nndsvda, random
from nmfbench.optim.kernels.hals import hals_sweeps
from nmfbench.optim.kernels.multiplicative import ratio_update
from nmfbench.optim.projections import project_frobenius
from nmfbench.solvers.frobenius.hals import HALS
from nmfbench.solvers.frobenius.mu import MU
from nmfbench.solvers.frobenius.nenmf import NeNMF, optimal_gradient_nnls
from nmfbench.solvers.peers.sklearn_cd import SklearnCD

SOLVERS = [MU, HALS, NeNMF, SklearnCD]


def noisy(n=30, m=20, r=4, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, r)) @ rng.random((r, m)) + noise * rng.random((n, m))


def factors(n, m, r, seed=1):
    rng = np.random.default_rng(seed)
    return rng.random((n, r)) + 0.1, rng.random((r, m)) + 0.1


def test_random_start_has_the_scale_of_scikit_learn():
    """The mean of the start is that of scikit-learn's, and its product has the scale of X."""
    X = noisy(400, 300)
    W, Ht = random(X, 5, np.random.default_rng(0))
    theirs, H = _initialize_nmf(X, 5, init="random", random_state=0)
    assert W.mean() == pytest.approx(theirs.mean(), rel=0.1)
    assert Ht.mean() == pytest.approx(H.mean(), rel=0.1)


@pytest.mark.parametrize(("ours", "name"), [(nndsvd, "nndsvd"), (nndsvda, "nndsvda")])
@pytest.mark.parametrize("shape", [(30, 20), (120, 90)])
def test_nndsvd_agrees_with_scikit_learn(ours, name, shape):
    """Of data up to 1, start and product are scikit-learn's, whose SVD is approximate."""
    X = noisy(*shape)
    X /= X.max()
    W, Ht = ours(X, 4, np.random.default_rng(0))
    theirs, H = _initialize_nmf(X, 4, init=name, random_state=0)
    np.testing.assert_allclose(W @ Ht.T, theirs @ H, rtol=1e-3, atol=1e-3)
    sparse = ours(sp.csr_matrix(X), 4, np.random.default_rng(0))
    np.testing.assert_allclose(W @ Ht.T, sparse[0] @ sparse[1].T, atol=1e-9)


def test_nndsvd_of_deficient_data():
    """Components beyond the rank of X are zero, and zero data give zero factors."""
    X = np.outer(np.arange(1.0, 6), np.arange(1.0, 5))
    W, Ht = nndsvd(X, 3, np.random.default_rng(0))
    np.testing.assert_allclose(W @ Ht.T, X)
    assert not W[:, 1:].any()
    for factor in nndsvda(np.zeros((4, 3)), 2, np.random.default_rng(0)):
        assert not factor.any()


@pytest.mark.against("mu", "sklearn.decomposition.NMF")
def test_mu_agrees_with_scikit_learn():
    """From one start and in one update order, MU is scikit-learn's to rounding."""
    X = noisy()
    W, H = factors(30, 20, 4)
    theirs = _fit_multiplicative_update(X, W.copy(), H.copy(), "frobenius", max_iter=60, tol=0)
    model = MU(n_components=4, max_iter=60, tol=0)
    np.testing.assert_allclose(model.fit_transform(X, W=W, H=H), theirs[0], rtol=1e-10)
    np.testing.assert_allclose(model.components_, theirs[1], rtol=1e-10)


def test_ratio_update_keeps_entries_without_a_denominator():
    """Zero over zero leaves an entry as it is."""
    factor = np.array([[2.0, 3.0, 0.0]])
    ratio_update(factor, np.array([[1.0, 0.0, 1.0]]), np.array([[4.0, 0.0, 2.0]]))
    np.testing.assert_array_equal(factor, [[0.5, 3.0, 0.0]])


def test_hals_sweeps_are_exact_minimisations_of_columns():
    """The compiled sweeps equal the update of Cichocki & Phan, a column at a time."""
    X = noisy()
    W, H = factors(30, 20, 4)
    expected = W.copy()
    for _ in range(3):
        for k in range(4):
            rest = X - np.delete(expected, k, axis=1) @ np.delete(H, k, axis=0)
            expected[:, k] = np.maximum(rest @ H[k] / (H[k] @ H[k]), 0)
    hals_sweeps(W, X @ H.T, H @ H.T, 3)
    np.testing.assert_allclose(W, expected, atol=1e-12)


def test_many_hals_sweeps_reach_the_projection():
    """With H fixed, sweeps converge to non-negative least squares."""
    X = noisy()
    W, H = factors(30, 20, 4)
    hals_sweeps(W, X @ H.T, H @ H.T, 3000)
    np.testing.assert_allclose(W, project_frobenius(X, H), atol=1e-8)


@pytest.mark.parametrize("r", [1, 7, 8, 21])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_hals_sweeps_serve_any_rank_and_number_of_rows(r, dtype):
    """Blocks that are not full, and ranks that are no multiple of eight, change nothing."""
    X = noisy(137, 30, r)
    W, H = factors(137, 30, r)
    gram, cross = H @ H.T, X @ H.T
    expected = W.copy()
    for k in range(r):
        slope = expected @ gram[k] - cross[:, k]
        expected[:, k] = np.maximum(expected[:, k] - slope / gram[k, k], 0)
    found = W.astype(dtype)
    hals_sweeps(found, cross.astype(dtype), gram.astype(dtype), 1)
    np.testing.assert_allclose(found, expected, atol=1e-12 if dtype == np.float64 else 1e-4)


@pytest.mark.against("hals", "sklearn.decomposition.NMF")
@pytest.mark.parametrize("n_iter", [1, 60])
@pytest.mark.parametrize("sparse", [False, True])
def test_one_sweep_of_hals_is_coordinate_descent(n_iter, sparse):
    """From one start, HALS with a sweep is scikit-learn's coordinate descent to rounding."""
    X = sp.csr_matrix(noisy()) if sparse else noisy()
    W, H = factors(30, 20, 4)
    ours = HALS(n_components=4, sweeps=1, max_iter=n_iter, tol=0)
    theirs = SklearnCD(n_components=4, max_iter=n_iter, tol=0)
    found, expected = (model.fit_transform(X, W=W, H=H) for model in (ours, theirs))
    np.testing.assert_allclose(found, expected, atol=1e-10)
    np.testing.assert_allclose(ours.components_, theirs.components_, atol=1e-10)


@pytest.mark.against(("hals", "nenmf"), "sklearn.decomposition.NMF")
@pytest.mark.parametrize("cls", [HALS, NeNMF])
def test_solvers_end_as_low_as_scikit_learn(cls):
    """From one start, HALS and NeNMF end as low as scikit-learn's coordinate descent."""
    X = noisy(60, 40, 5)
    W, H = factors(60, 40, 5)
    ours = cls(n_components=5, max_iter=3000, tol=1e-8).fit(X, W=W, H=H)
    theirs = SklearnCD(n_components=5, max_iter=3000, tol=1e-6).fit(X, W=W, H=H)
    assert ours.objective_ == pytest.approx(theirs.objective_, rel=1e-3)


def nnls_problem(dtype=np.float64):
    X = noisy()
    W, H = factors(30, 20, 4)
    return X, H, W.astype(dtype), (X @ H.T).astype(dtype), (H @ H.T).astype(dtype)


@pytest.mark.against("nenmf", "scipy.optimize.nnls", part="optimal_gradient_nnls")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_optimal_gradient_method_solves_the_sub_problem(dtype):
    """With H fixed, NeNMF's inner loop reaches non-negative least squares, and says how near."""
    X, H, W, cross, gram = nnls_problem(dtype)
    expected = np.array([nnls(H.T, x)[0] for x in X])
    precision = 1e-9 if dtype == np.float64 else 1e-4
    n_iter, violation = optimal_gradient_nnls(W, cross, gram, precision)
    assert 10 < n_iter < 1000
    assert violation <= precision
    np.testing.assert_allclose(W, expected, atol=1e2 * precision)
    slope = W @ gram - cross
    projected = np.where(W > 0, slope, np.minimum(slope, 0))
    assert violation == pytest.approx(np.linalg.norm(projected), rel=1e-3, abs=10 * precision)


@pytest.mark.against("nenmf", "scipy.optimize.nnls", part="optimal_gradient_nnls")
def test_the_optimal_gradient_method_keeps_its_rate():
    """After k steps the gap is at most 2 L ||F - F*||^2 / (k + 1)^2 (Beck & Teboulle 2009)."""
    X, H, W, cross, gram = nnls_problem()
    best = np.array([nnls(H.T, x)[0] for x in X])
    gap = [
        0.5 * (losses.frobenius_sq(X, F, H.T) - losses.frobenius_sq(X, best, H.T))
        for F in (_after(k, W, cross, gram) for k in range(1, 40))
    ]
    bound = 2 * np.linalg.norm(gram, 2) * np.sum((W - best) ** 2) / np.arange(2, 41) ** 2
    assert np.all(gap <= bound + 1e-12)


def test_a_step_of_the_optimal_gradient_method():
    """Two steps equal the paper's, written out: the momentum starts with the second point."""
    _, _, W, cross, gram = nnls_problem()
    L = np.linalg.norm(gram, 2)
    F, Y, alpha = W, W, 1.0
    for _ in range(4):
        new = np.maximum(Y - (Y @ gram - cross) / L, 0)
        grown = (1 + np.sqrt(4 * alpha**2 + 1)) / 2
        F, Y, alpha = new, new + (alpha - 1) / grown * (new - F), grown
    np.testing.assert_allclose(_after(4, W, cross, gram), F, rtol=1e-10, atol=1e-12)


def _after(k, W, cross, gram):
    W = W.copy()
    assert optimal_gradient_nnls(W, cross, gram, 0.0, k)[0] == k
    return W


def test_nenmf_stops_at_its_share_of_the_projected_gradient():
    """It stops at the first iteration where both factors meet the promise, and not before."""
    X = noisy()
    W, H = factors(30, 20, 4)

    def violation(W, Ht):
        in_W, in_H = W @ (Ht.T @ Ht) - X @ Ht, Ht @ (W.T @ W) - X.T @ W
        parts = [np.where(F > 0, g, np.minimum(g, 0)) for F, g in ((W, in_W), (Ht, in_H))]
        return np.hypot(*(np.linalg.norm(part) for part in parts))

    model = NeNMF(n_components=4, max_iter=1000, tol=1e-3)
    last = model.fit_transform(X, W=W, H=H)
    assert model.stop_reason_ == "converged"
    assert 1 < model.n_iter_ < 1000
    assert model.n_inner_.shape == (model.n_iter_, 2)
    assert model.n_inner_.max() == model.max_inner
    first = violation(W, H.T)
    assert violation(last, model.components_.T) <= 1e-3 * first
    short = NeNMF(n_components=4, max_iter=model.n_iter_ - 1, tol=1e-3)
    assert violation(short.fit_transform(X, W=W, H=H), short.components_.T) > 1e-3 * first
    assert short.stop_reason_ == "max_iter"


@pytest.mark.against(("hals", "mu", "nenmf", "sklearn-cd"), "known factors")
@pytest.mark.parametrize("cls", SOLVERS)
@pytest.mark.parametrize("init", ["nndsvda", "random"])
def test_a_known_factorization_is_reached(cls, init):
    """Data of low non-negative rank are reconstructed closely."""
    X = noisy(noise=0)
    model = cls(n_components=4, init=init, max_iter=5000, tol=1e-7, random_state=0).fit(X)
    assert model.objective_ < 1e-3 * np.sum(X**2)


@pytest.mark.against(("hals", "mu", "nenmf", "sklearn-cd"), "the leading singular pair")
@pytest.mark.parametrize("cls", SOLVERS)
def test_rank_one_is_the_leading_singular_pair(cls):
    """With one component the optimum is known: the leading singular pair is non-negative."""
    X = noisy()
    model = cls(n_components=1, init="random", random_state=0, max_iter=500, tol=1e-12).fit(X)
    sigma = np.linalg.svd(X, compute_uv=False)
    assert model.objective_ == pytest.approx(np.sum(sigma[1:] ** 2), rel=1e-6)


@pytest.mark.parametrize("cls", SOLVERS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_data_give_the_same_factors(cls, dtype):
    """CSR and dense data give one result."""
    rng = np.random.default_rng(0)
    X = (noisy() * (rng.random((30, 20)) < 0.3)).astype(dtype)
    W, H = (F.astype(dtype) for F in factors(30, 20, 3))
    a = cls(n_components=3, max_iter=20, tol=0).fit(X, W=W, H=H)
    b = cls(n_components=3, max_iter=20, tol=0).fit(sp.csr_matrix(X), W=W, H=H)
    np.testing.assert_allclose(
        a.components_, b.components_, rtol=2e-2 if dtype == np.float32 else 1e-8
    )
    assert a.objective_ == pytest.approx(b.objective_, rel=1e-5)


@pytest.mark.parametrize("cls", SOLVERS)
def test_zero_rows_and_columns_stay_zero(cls):
    """Where X has rows or columns of zeros, so has the reconstruction."""
    X = noisy()
    X[[2, 5]] = 0
    X[:, 7] = 0
    model = cls(n_components=3, max_iter=2000, tol=1e-8, random_state=0)
    reconstruction = model.fit_transform(X) @ model.components_
    assert np.all(np.isfinite(reconstruction))
    assert reconstruction[[2, 5]].max() < 1e-2
    assert reconstruction[:, 7].max() < 1e-2


@pytest.mark.parametrize("cls", [MU, HALS, NeNMF])
def test_dead_components_do_no_harm(cls):
    """A start with zero components gives finite factors and a falling objective."""
    X = noisy()
    W, H = factors(30, 20, 4)
    W[:, 1] = 0
    H[2] = 0
    model = cls(n_components=4, max_iter=30, tol=0).fit(X, W=W, H=H)
    assert np.all(np.isfinite(model.components_))
    assert np.all(np.diff(model.trace_["objective"]) <= 1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_the_objective_from_gram_products_is_accurate(dtype, noise):
    """The cheap objective keeps its digits, even where it is tiny against X."""
    X = noisy(noise=noise).astype(dtype)
    model = HALS(n_components=4, max_iter=300, tol=0, init="random", random_state=0)
    W = model.fit_transform(X)
    exact = losses.frobenius_sq(*(F.astype(float) for F in (X, W, model.components_.T)))
    assert model.objective_ == pytest.approx(exact, rel=1e-3, abs=1e-12 * float(np.sum(X**2)))


@pytest.mark.against("hals", "the conditions of an optimum")
def test_transform_is_the_best_representation():
    """No random nudge of the transform lowers the loss."""
    X = noisy()
    model = HALS(n_components=4, random_state=0).fit(X)
    new = noisy(seed=3)
    W, Ht = model.transform(new), np.ascontiguousarray(model.components_.T)
    best = losses.frobenius_sq(new, W, Ht)
    rng = np.random.default_rng(0)
    for _ in range(50):
        nudged = np.maximum(W + 1e-3 * rng.normal(size=W.shape), 0)
        assert losses.frobenius_sq(new, nudged, Ht) >= best


@pytest.mark.parametrize("cls", SOLVERS)
@pytest.mark.parametrize(("name", "value"), [("init", "best"), ("max_iter", 0), ("tol", -1.0)])
def test_parameters_out_of_range_are_named(cls, name, value):
    """A parameter that makes no sense is refused by name."""
    with pytest.raises(ValueError, match=name):
        cls(n_components=2, **{name: value}).fit(np.ones((4, 3)))


@pytest.mark.parametrize(("cls", "name"), [(HALS, "sweeps"), (NeNMF, "max_inner")])
def test_passes_must_be_positive(cls, name):
    """HALS without a sweep, and NeNMF without an inner iteration, are refused."""
    with pytest.raises(ValueError, match=name):
        cls(n_components=2, **{name: 0}).fit(np.ones((4, 3)))
