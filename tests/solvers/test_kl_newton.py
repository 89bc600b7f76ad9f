"""Newton steps on the Kullback-Leibler divergence: their kernel, and the solver."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize_scalar
from scipy.special import rel_entr

from nmfbench.optim import losses
from nmfbench.optim.kernels.kl_newton import kl_newton_csr, kl_newton_dense
from nmfbench.solvers.divergence.kl_mu import KLMU
from nmfbench.solvers.divergence.kl_newton import KLNewton

FLOOR = 1e-12


def counts(n=40, m=30, seed=0):
    return np.random.default_rng(seed).poisson(0.7, (n, m)).astype(float)


def factors(n, m, r, seed=1):
    rng = np.random.default_rng(seed)
    return rng.random((n, r)) + 0.1, rng.random((r, m)) + 0.1


def sweep(X, W, H, n_sweeps=1, form="dense"):
    """``W`` after sweeps of the kernel."""
    W, r, floor = W.copy(), len(H), W.dtype.type(FLOOR)
    masses = H.sum(axis=1)
    if form == "dense":
        Y, active = W @ H, np.empty(r + 1, np.intp)
        kl_newton_dense(W, X, Y, (X / Y) @ H.T, H, masses, floor, n_sweeps, active)
        return W
    X, Ht = sp.csr_matrix(X), np.ascontiguousarray(H.T)
    kl_newton_csr(W, X.data, X.indices, X.indptr, Ht, masses, floor, n_sweeps)
    return W


def divergences(X, W, H):
    """The divergence of each row."""
    Y = W @ H
    return np.sum(rel_entr(X, Y) - X + Y, axis=1)


@pytest.mark.parametrize("form", ["dense", "csr"])
def test_sweeps_lead_to_the_optimum_over_a_factor(form):
    """Many sweeps end where no coefficient has a slope, or is at the floor with a positive one."""
    X = counts()
    X[:, 4] = 0
    W, H = factors(40, 30, 4)
    for _ in range(40):
        W = sweep(X, W, H, 50, form)
    slopes = H.sum(axis=1) - (X / (W @ H)) @ H.T
    assert (W <= FLOOR).any()
    assert np.abs(slopes[W > FLOOR]).max() < 1e-7
    assert slopes[W <= FLOOR].min() > -1e-7


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_of_any_length_have_the_steps_of_dense_ones(dtype):
    """Rows that are shorter than a vector, longer, or empty are filled up without a trace."""
    rng = np.random.default_rng(2)
    X = np.zeros((40, 70), dtype)
    for i in range(40):
        X[i, rng.choice(70, i, replace=False)] = rng.random(i) + 0.1
    W, H = (factor.astype(dtype) for factor in factors(40, 70, 5))
    found, expected = (sweep(X, W, H, 2, form) for form in ("csr", "dense"))
    np.testing.assert_allclose(found, expected, rtol=1e-3 if dtype == np.float32 else 1e-10)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_no_step_raises_the_divergence(scale):
    """From starts as bad as one may be given, the divergence of no row rises in a sweep."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        X = rng.poisson(0.5, (12, 9)) * 10.0 ** rng.uniform(-4, 4, (12, 9))
        W, H = 10.0 ** rng.uniform(-8, 4, (12, 3)), 10.0 ** rng.uniform(-6, 2, (3, 9))
        X, W = scale * X, np.maximum(scale * W, FLOOR)
        before = divergences(X, W, H)
        for _ in range(5):
            W = sweep(X, W, H, 1)
            after = divergences(X, W, H)
            assert np.all(after <= before + 1e-11 * (before + X.sum(axis=1) + (W @ H).sum(axis=1)))
            before = after


def test_one_coefficient_becomes_the_minimiser():
    """With one component the first step is exact, as scipy's search in one dimension finds."""
    X = counts(20, 15) + 0.1
    W, H = factors(20, 15, 1)
    found = sweep(X, W, H, 30)
    for x, w in zip(X, found[:, 0], strict=True):
        best = minimize_scalar(
            lambda a, x=x: divergences(x[None], np.array([[a]]), H)[0],
            bounds=(1e-9, 100),
            method="bounded",
            options={"xatol": 1e-9},
        )
        assert w == pytest.approx(best.x, rel=1e-5)


def test_a_step_upwards_stops_short_of_the_minimum_and_goes_beyond_newtons():
    """The step lies between Newton's and the minimum along the coordinate."""
    X, (W, H) = counts(30, 12) + 0.01, factors(30, 12, 1)
    W *= 0.1
    Y = W @ H
    share = H / Y
    newton = W[:, 0] + ((X * share).sum(axis=1) - H.sum()) / (X * share**2).sum(axis=1)
    found, best = sweep(X, W, H, 1)[:, 0], X.sum(axis=1) / H.sum()
    assert np.all(found >= newton * (1 - 1e-12))
    assert np.all(found <= best * (1 + 1e-12))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_and_dense_data_have_the_same_iterates(dtype):
    """Both kernels make the same steps, in the precision of the data."""
    X = counts().astype(dtype)
    X[[3, 7]] = 0
    X[:, 5] = 0
    W, H = (factor.astype(dtype) for factor in factors(40, 30, 3))
    fits = []
    for data in (X, sp.csr_matrix(X)):
        model = KLNewton(n_components=3, max_iter=10, tol=0)
        fits.append((model.fit_transform(data, W=W, H=H), model.components_))
    tol = 1e-9 if dtype == np.float64 else 2e-3
    for found, wanted in zip(*fits, strict=True):
        assert found.dtype == dtype
        np.testing.assert_allclose(found, wanted, atol=tol)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_step_that_cancels_a_reconstruction_leaves_numbers(dtype):
    """Where the data are zero, and what is left of it is lost beside the component that falls."""
    floor = dtype(1e-14)
    X, W = np.array([[1, 0]], dtype), np.ones((1, 2), dtype)
    H = np.array([[0, 1], [1, np.finfo(dtype).eps / 100]], dtype)
    masses, pull = H.sum(axis=1), (X / (W @ H)) @ H.T
    kl_newton_dense(W, X, W @ H, pull, H, masses, floor, 2, np.empty(3, np.intp))
    np.testing.assert_allclose(W, [[floor, 1]], rtol=1e-6)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_objective_never_rises_and_ends_below_multiplicative_updates(form, dtype):
    """From one start it falls in every iteration, and below what twice as many updates reach."""
    X = form(counts(60, 50).astype(dtype))
    W, H = (factor.astype(dtype) for factor in factors(60, 50, 5))
    newton = KLNewton(n_components=5, max_iter=100, tol=0).fit(X, W=W, H=H)
    multiplicative = KLMU(n_components=5, max_iter=200, tol=0).fit(X, W=W, H=H)
    trace = newton.trace_["objective"]
    assert np.diff(trace).max() <= np.finfo(dtype).eps * 10 * trace[0]
    assert newton.objective_ < multiplicative.objective_


@pytest.mark.against("kl-newton", "the projection with a certificate")
def test_a_given_basis_gives_the_coefficients_of_the_exact_projection():
    """Sweeps over W alone reach what the projection with a certificate finds."""
    X, (W, H) = counts(), factors(40, 30, 4)
    model = KLNewton(n_components=4, max_iter=20, random_state=0).fit(X)
    H = model.components_
    for _ in range(20):
        W = sweep(X, W, H, 50)
    exact = model.certificate(X)["primal"]
    assert divergences(X, W, H).sum() == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_degenerate_data_survive(form):
    """Empty rows and columns, one component, tiny and huge entries, zeros in the start."""
    X = counts(12, 9)
    X[[0, 5]] = 0
    X[:, 3] = 0
    X[1, 1], X[2, 2] = 1e-300, 1e9
    for r in (1, 3):
        W, H = factors(12, 9, r)
        W[:, 0] = 0
        H[0, :4] = 0
        model = KLNewton(n_components=r, max_iter=60, tol=0)
        reconstruction = model.fit_transform(form(X), W=W, H=H) @ model.components_
        assert np.isfinite(reconstruction).all()
        assert np.all(np.diff(model.trace_["objective"]) <= 1e-9 * model.trace_["objective"][0])
        assert reconstruction[[0, 5]].max() < 1e-8 * X.max()
        assert reconstruction[:, 3].max() < 1e-8 * X.max()
    model = KLNewton(n_components=2, random_state=0)
    W = model.fit_transform(form(np.zeros((6, 5))))
    assert np.max(W @ model.components_) < 1e-6


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("power", [-180, -60, 60, 180])
def test_the_unit_of_the_data_does_not_matter(form, power):
    """Data times an even power of two have the same iterates, times its root: nothing rounds."""
    X, (W, H) = counts(), factors(40, 30, 3)
    unit = KLNewton(n_components=3, max_iter=8, tol=0).fit(form(X), W=W, H=H)
    root = 2.0 ** (power // 2)
    model = KLNewton(n_components=3, max_iter=8, tol=0)
    model.fit(form(X * root**2), W=W * root, H=H * root)
    np.testing.assert_allclose(model.components_, unit.components_ * root, rtol=1e-12)
    np.testing.assert_allclose(model.trace_["objective"] / root**2, unit.trace_["objective"])


def test_blocks_of_rows_do_not_matter(monkeypatch):
    """Factors are the same whether X is taken whole or a few rows at a time."""
    X, (W, H) = counts() + 0.1, factors(40, 30, 4)
    whole = KLNewton(n_components=4, max_iter=10, tol=0).fit(X, W=W, H=H)
    monkeypatch.setattr("nmfbench.solvers.divergence.base._BLOCK", 3 * 30 * 8)
    parts = KLNewton(n_components=4, max_iter=10, tol=0).fit(X, W=W, H=H)
    np.testing.assert_allclose(parts.components_, whole.components_, rtol=1e-8)


def test_sparse_data_need_memory_for_what_is_not_zero():
    """An iteration on sparse data allocates little beside the factors.

    They are large enough for the buffer of 64 kB that older numpy has for a sum.
    """
    X = sp.random(6000, 4000, density=0.005, format="csr", random_state=0)
    X.data += 0.1
    W, H = factors(6000, 4000, 20)
    model = KLNewton(n_components=20)
    s = model._start(X, 20, None, (W, np.ascontiguousarray(H.T)))
    model._step(X, s)
    tracemalloc.start()
    model._step(X, s)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < W.nbytes / 10


def test_the_objective_is_that_of_the_reconstruction():
    """The last objective of the trace is the divergence of the product of the factors."""
    X, (W, H) = counts(), factors(40, 30, 3)
    model = KLNewton(n_components=3, max_iter=7, tol=0)
    W = model.fit_transform(X, W=W, H=H)
    assert model.objective_ == pytest.approx(divergences(X, W, model.components_).sum())
    assert losses.kl(X, W, model.components_.T) == pytest.approx(model.objective_)


def test_a_number_of_sweeps_must_be_positive():
    """No sweep at all is refused by name."""
    with pytest.raises(ValueError, match="sweeps"):
        KLNewton(n_components=2, sweeps=0).fit(np.ones((4, 3)))
