"""KL-MU and IS-MU against scikit-learn's updates, and what they owe by themselves."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import rel_entr
from sklearn.base import clone
from sklearn.decomposition import NMF

from nmfbench.optim import losses
from nmfbench.optim.kernels.kl_sparse import kl_update_rows, reconstruct_entries
from nmfbench.solvers.divergence import base
from nmfbench.solvers.divergence.is_mu import ISMU
from nmfbench.solvers.divergence.kl_mu import KLMU

SOLVERS = [KLMU, ISMU]
BETA = {KLMU: "kullback-leibler", ISMU: "itakura-saito"}


def noisy(n=30, m=20, r=4, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, r)) @ rng.random((r, m)) + noise * rng.random((n, m))


def counts(n=40, m=30, seed=0):
    return np.random.default_rng(seed).poisson(0.7, (n, m)).astype(float)


def factors(n, m, r, seed=1):
    rng = np.random.default_rng(seed)
    return rng.random((n, r)) + 0.1, rng.random((r, m)) + 0.1


def theirs(X, W, H, beta, n_iter):
    model = NMF(
        n_components=W.shape[1],
        init="custom",
        solver="mu",
        beta_loss=beta,
        max_iter=n_iter,
        tol=0,
    )
    return model.fit_transform(X, W=W.copy(), H=H.copy()), model.components_


@pytest.mark.against(("is-mu", "kl-mu"), "sklearn.decomposition.NMF")
@pytest.mark.parametrize("cls", SOLVERS)
@pytest.mark.parametrize("n_iter", [1, 60])
def test_iterates_are_those_of_scikit_learn(cls, n_iter):
    """From one start and in one update order, factors are scikit-learn's to rounding."""
    X = noisy()
    W, H = factors(30, 20, 4)
    model = cls(n_components=4, max_iter=n_iter, tol=0)
    expected = theirs(X, W, H, BETA[cls], n_iter)
    np.testing.assert_allclose(model.fit_transform(X, W=W, H=H), expected[0], atol=1e-9)
    np.testing.assert_allclose(model.components_, expected[1], atol=1e-9)


@pytest.mark.against("kl-mu", "sklearn.decomposition.NMF")
def test_iterates_on_sparse_data_are_those_of_scikit_learn():
    """The pass over non-zero entries gives scikit-learn's factors, as on dense data."""
    X = counts()
    X[[3, 7]] = 0
    X[:, 5] = 0
    W, H = factors(40, 30, 3)
    expected = theirs(sp.csr_matrix(X), W, H, "kullback-leibler", 30)
    for data in (X, sp.csr_matrix(X)):
        model = KLMU(n_components=3, max_iter=30, tol=0)
        np.testing.assert_allclose(model.fit_transform(data, W=W, H=H), expected[0], atol=1e-9)
        np.testing.assert_allclose(model.components_, expected[1], atol=1e-9)


@pytest.mark.parametrize("cls", SOLVERS)
def test_blocks_of_rows_do_not_matter(cls, monkeypatch):
    """Factors are the same whether X is taken whole or three rows at a time."""
    X = noisy()
    W, H = factors(30, 20, 4)
    whole = cls(n_components=4, max_iter=20, tol=0).fit(X, W=W, H=H)
    monkeypatch.setattr(base, "_BLOCK", 3 * 20 * 8)
    parts = cls(n_components=4, max_iter=20, tol=0).fit(X, W=W, H=H)
    np.testing.assert_allclose(parts.components_, whole.components_, rtol=1e-10)


@pytest.mark.against(("is-mu", "kl-mu"), "known factors")
@pytest.mark.parametrize("cls", SOLVERS)
def test_known_factorizations_are_reached(cls):
    """Data of low non-negative rank are reconstructed closely, at any scale."""
    for scale in (1e-8, 1e8):
        X = scale * (noisy(noise=0) + 0.1)
        model = cls(n_components=5, init="random", max_iter=2000, tol=0, random_state=0).fit(X)
        assert model.objective_ < 1e-4 * model.trace_["objective"][0]


def test_the_heuristic_exponent_is_faster():
    """With exponent 1 each Itakura-Saito step is the square of the proved one, and gains more."""
    X = noisy()
    W, H = factors(30, 20, 4)
    one = {mm: ISMU(n_components=4, max_iter=1, tol=0, mm=mm) for mm in (True, False)}
    after = {mm: one[mm].fit_transform(X, W=W, H=H) for mm in one}
    np.testing.assert_allclose(after[False] / W, (after[True] / W) ** 2, rtol=1e-10)
    runs = {mm: ISMU(n_components=4, max_iter=50, tol=0, mm=mm).fit(X, W=W, H=H) for mm in one}
    assert np.all(np.diff(runs[True].trace_["objective"]) <= 0)
    assert runs[False].objective_ < runs[True].objective_


@pytest.mark.parametrize("cls", SOLVERS)
def test_zeros_of_the_start_are_not_final(cls):
    """A start with zeros, even a dead component, gives a finite fit that still descends."""
    X = noisy()
    W, H = factors(30, 20, 4)
    W[:, 1] = 0
    W[3] = 0
    H[2] = 0
    model = cls(n_components=4, max_iter=60, tol=0)
    W = model.fit_transform(X, W=W, H=H)
    objectives = model.trace_["objective"]
    assert np.isfinite(objectives).all()
    assert np.all(np.diff(objectives) <= 1e-12 * objectives[0])
    assert W.min() > 0
    assert model.components_.min() > 0
    np.testing.assert_allclose(W[3] @ model.components_, X[3], rtol=0.5)


@pytest.mark.parametrize("cls", SOLVERS)
def test_zero_rows_and_columns_of_data_are_reconstructed_as_zero(cls):
    """Where X has rows or columns of zeros, the reconstruction is zero up to the floor."""
    X = noisy()
    X[[2, 5]] = 0
    X[:, 7] = 0
    model = cls(n_components=3, max_iter=600, tol=0, random_state=0)
    reconstruction = model.fit_transform(X) @ model.components_
    assert np.isfinite(model.trace_["objective"]).all()
    assert reconstruction[[2, 5]].max() < 1e-6
    assert reconstruction[:, 7].max() < 1e-6


def test_the_floor_is_relative_and_reported():
    """Itakura-Saito raises data to a share of their mean, says to what, and scales with them."""
    X = counts()
    model = ISMU(n_components=3, init="random", max_iter=50, random_state=0)
    fits = [clone(model).fit(c * X) for c in (1, 1e3)]
    assert fits[0].floor_ == pytest.approx(1e-9 * X.mean())
    assert fits[1].floor_ == pytest.approx(1e3 * fits[0].floor_)
    assert fits[1].objective_ == pytest.approx(fits[0].objective_, rel=1e-6)
    W = model.fit_transform(X)
    exact = losses.itakura_saito(X, W, model.components_.T, model.floor_)
    assert model.objective_ == pytest.approx(exact)


@pytest.mark.parametrize("cls", SOLVERS)
def test_transform_improves_on_the_last_iterate(cls):
    """With the basis fixed, no update of W goes below transform."""
    X = noisy()
    model = cls(n_components=4, max_iter=10, random_state=0)
    W = model.fit_transform(X)
    Ht = np.ascontiguousarray(model.components_.T)
    loss = losses.LOSSES[cls.loss]
    assert loss(X, model.transform(X), Ht) <= loss(X, W, Ht)


def test_labels_that_stay_stop_the_fit():
    """With stop="labels" the fit ends after ``patience`` iterations without a change."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 10)
    X = np.kron(np.eye(3), np.ones((10, 8))) + 0.1 * rng.random((30, 24)) + 0.01
    W, H = factors(30, 24, 3)
    model = KLMU(n_components=3, max_iter=2000, tol=0, stop="labels", patience=15)
    codes = model.fit_transform(X, W=W, H=H)
    labels = np.argmax(codes * model.components_.sum(axis=1), axis=1)
    assert model.stop_reason_ == "converged"
    assert 15 < model.n_iter_ < 2000
    assert len(set(zip(truth, labels, strict=True))) == 3
    # One less and it had not been long enough; and labels had changed before that.
    seen = []
    for n_iter in range(model.n_iter_ - 16, model.n_iter_ + 1):
        short = KLMU(n_components=3, max_iter=max(n_iter, 1), tol=0)
        codes = short.fit_transform(X, W=W, H=H)
        seen.append(np.argmax(codes * short.components_.sum(axis=1), axis=1))
    assert all(np.array_equal(at, seen[-1]) for at in seen[1:])
    assert model.n_iter_ == 16 or not np.array_equal(seen[0], seen[-1])


def test_sparse_data_need_memory_for_what_is_not_zero():
    """A sparse fit allocates a few times X, far less than entries times rank."""
    X = sp.random(3000, 2000, density=0.02, format="csr", random_state=0)
    X.data += 0.1
    r = 50
    W, H = factors(3000, 2000, r)
    KLMU(n_components=r, max_iter=1, tol=0).fit(X, W=W, H=H)
    tracemalloc.start()
    KLMU(n_components=r, max_iter=2, tol=0).fit(X, W=W, H=H)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    size_of_factors = W.nbytes + H.nbytes
    assert peak < 5 * (X.data.nbytes + X.indices.nbytes) + 4 * size_of_factors
    assert peak < X.nnz * r * 8 / 2


def test_dense_data_need_a_block_of_the_reconstruction():
    """Iterations on dense data allocate nothing of the size of X."""
    X = noisy(2000, 500)
    model = KLMU(n_components=4, random_state=0)
    s = model._start(X, 4, np.random.default_rng(0), None)
    tracemalloc.start()
    model._step(X, s)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes / 10


@pytest.mark.parametrize("sparse", [False, True])
def test_the_divergence_is_that_of_scipy(sparse):
    """losses.kl equals scipy's, with zeros in the data, explicit ones too, and zeros in W H."""
    X = counts()
    W, H = factors(40, 30, 3)
    Y = W @ H
    data = X
    if sparse:
        data = sp.csr_matrix(X)
        data.data[:5] = 0
        X = data.toarray()
    expected = np.sum(rel_entr(X, Y) - X + Y)
    assert losses.kl(data, W, np.ascontiguousarray(H.T)) == pytest.approx(expected)
    W[X.any(axis=1).argmax()] = 0
    assert losses.kl(data, W, np.ascontiguousarray(H.T)) == np.inf


def test_entries_of_a_reconstruction():
    """The compiled product at the places of a sparse matrix is the product there."""
    X = sp.csr_matrix(counts())
    W, H = factors(40, 30, 3)
    found = np.empty(X.nnz)
    reconstruct_entries(found, X.indices, X.indptr, W, np.ascontiguousarray(H.T))
    rows, columns = X.nonzero()
    np.testing.assert_allclose(found, (W @ H)[rows, columns])


@pytest.mark.parametrize("cls", SOLVERS)
@pytest.mark.parametrize(("name", "value"), [("stop", "never"), ("patience", 0), ("tol", -1.0)])
def test_parameters_out_of_range_are_named(cls, name, value):
    """A parameter that makes no sense is refused by name."""
    with pytest.raises(ValueError, match=name):
        cls(n_components=2, **{name: value}).fit(np.ones((4, 3)))


def test_a_floor_must_be_positive():
    """Itakura-Saito without a floor is undefined at zero, and refused."""
    with pytest.raises(ValueError, match="floor"):
        ISMU(n_components=2, floor=0.0).fit(np.ones((4, 3)))


@pytest.mark.parametrize("cls", SOLVERS)
def test_zero_data_survive(cls):
    """An all-zero matrix gives finite factors whose product is negligible."""
    model = cls(n_components=2, random_state=0)
    W = model.fit_transform(np.zeros((6, 5)))
    assert np.isfinite(W).all()
    assert np.max(W @ model.components_) < 1e-6


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_subnormal_entries_leave_the_objective_finite(form):
    """An entry whose ratio to its reconstruction is no number adds what it has to add."""
    X, (W, H) = counts(), factors(40, 30, 3)
    expected = losses.kl(form(X), W, H.T)
    X[X == 0] = 5e-324
    assert losses.kl(form(X), W, H.T) == pytest.approx(expected, rel=1e-12)
    assert losses.kl(form(np.ones((1, 1))), np.full((1, 1), 5e-324), np.ones((1, 1))) > 700
    model = KLMU(n_components=3, init="random", random_state=0, max_iter=20).fit(form(X))
    assert np.isfinite(model.objective_)
    assert np.isfinite(model.certificate(form(X))["primal"])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("r", [1, 7, 20])
def test_rows_of_any_length_are_updated(r, dtype):
    """Rows of no entry, of one, and of no multiple of four are updated as dense ones."""
    rng = np.random.default_rng(r)
    X = np.zeros((12, 30), dtype)
    for i in range(12):
        X[i, rng.choice(30, i, replace=False)] = rng.random(i) + 0.1
    W, Ht = (rng.random((n, r)).astype(dtype) + dtype(0.1) for n in (12, 30))
    expected = np.maximum(W * ((X / (W @ Ht.T)) @ Ht) / Ht.sum(axis=0), dtype(1e-9))
    csr, inverse = sp.csr_matrix(X), 1 / Ht.sum(axis=0)
    kl_update_rows(W, csr.data, csr.indices, csr.indptr, Ht, inverse, dtype(1e-9))
    np.testing.assert_allclose(W, expected, rtol=2e-5 if dtype == np.float32 else 1e-12)
