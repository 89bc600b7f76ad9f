"""Bregman projections: descent, optimality, and the divergences themselves."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from oracles_bregman import best_of_starts, multiplicative_itakura_saito, multiplicative_kl
from scipy.optimize import approx_fprime
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from nmfbench.optim import losses
from nmfbench.optim.projections import project_itakura_saito, project_kl
from nmfbench.optim.projections.bregman import GENERATORS, _fit_kl, certify_kl, fit_kl
from nmfbench.solvers.divergence.kl_mu import KLMU

PROJECT = {"kl": project_kl, "itakura-saito": project_itakura_saito}
MULTIPLICATIVE = {"kl": multiplicative_kl, "itakura-saito": multiplicative_itakura_saito}
TIGHT = {"tol": 1e-14, "max_iter": 20_000}
LOSSES = pytest.mark.parametrize("loss", PROJECT)


def noisy(loss, seed=0, n=12, m=40, r=5):
    """Data off the cone: Poisson for KL, exponential for IS."""
    rng = np.random.default_rng(seed)
    H = rng.random((r, m)) + 0.05
    mean = rng.random((n, r)) @ H
    X = rng.poisson(4 * mean).astype(float) if loss == "kl" else rng.exponential(mean)
    return X, H


def row_losses(loss, X, W, H):
    return np.array([losses.LOSSES[loss](x[None], w[None], H.T) for x, w in zip(X, W, strict=True)])


@pytest.mark.parametrize("name", GENERATORS)
def test_divergences_follow_from_their_generator(name):
    """The divergence is phi(x) - phi(y) - phi'(y) (x - y), and phi' and phi'' its derivatives."""
    g = GENERATORS[name]
    x, y = np.random.default_rng(0).uniform(0.1, 3, (2, 50))
    np.testing.assert_allclose(
        g.divergence(x, y), g.phi(x) - g.phi(y) - g.d1(y) * (x - y), atol=1e-12
    )
    h = 1e-6
    np.testing.assert_allclose(g.d1(y), (g.phi(y + h) - g.phi(y - h)) / (2 * h), rtol=1e-6)
    np.testing.assert_allclose(g.d2(y), (g.d1(y + h) - g.d1(y - h)) / (2 * h), rtol=1e-6)
    np.testing.assert_allclose(g.weighted_residual(x, y), g.d2(y) * (x - y), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", GENERATORS)
def test_weighted_residuals_are_minus_the_gradient(name):
    """The selection weights agree with finite differences of the divergence."""
    g = GENERATORS[name]
    x, y = np.random.default_rng(1).uniform(0.5, 2, (2, 6))
    gradient = approx_fprime(y, lambda y: g.divergence(x, y).sum(), 1e-7)
    np.testing.assert_allclose(g.weighted_residual(x, y), -gradient, rtol=1e-4, atol=1e-5)


@LOSSES
def test_is_at_least_as_good_as_multiplicative_updates(loss):
    """A projection ends no higher than many multiplicative updates."""
    X, H = noisy(loss)
    found = row_losses(loss, X, PROJECT[loss](X, H, **TIGHT), H)
    slow = row_losses(loss, X, MULTIPLICATIVE[loss](X, H, 3000), H)
    assert (found <= slow * (1 + 1e-7)).all()
    assert (row_losses(loss, X, PROJECT[loss](X, H), H) <= slow * 1.005).all()  # default stop


@LOSSES
def test_is_as_good_as_a_generic_solver(loss):
    """L-BFGS-B from several starts finds nothing better."""
    X, H = noisy(loss, seed=1, n=6)
    X = np.maximum(X, 1e-3)
    rng = np.random.default_rng(0)
    found = row_losses(loss, X, PROJECT[loss](X, H, **TIGHT), H)
    best = [best_of_starts(x, H, GENERATORS[loss], rng) for x in X]
    np.testing.assert_allclose(found, best, rtol=1e-5)


@LOSSES
def test_stationary_where_it_stops(loss):
    """The weighted residual makes no acute angle with H, and a right one with its support."""
    X, H = noisy(loss, seed=2)
    W = PROJECT[loss](X, H, **TIGHT)
    Y = W @ H
    slopes = GENERATORS[loss].weighted_residual(X, Y) @ H.T
    scale = np.abs(GENERATORS[loss].weighted_residual(X, Y)) @ H.T
    assert (slopes <= 1e-5 * scale).all()
    assert (np.abs(slopes[W > 1e-6]) <= 1e-5 * scale[W > 1e-6]).all()


@LOSSES
@pytest.mark.parametrize("max_iter", [1, 2, 5])
def test_the_loss_never_rises(loss, max_iter):
    """More sweeps, or a given start, never raise the loss of a row."""
    X, H = noisy(loss, seed=3)
    rng = np.random.default_rng(0)
    for W0 in (10 ** rng.uniform(-6, 3, (12, 5)), PROJECT[loss](X, H, **TIGHT)):
        before = row_losses(loss, X, W0, H)
        for sweeps in (max_iter, 2 * max_iter):
            W = PROJECT[loss](X, H, W0, tol=0, max_iter=sweeps)
            after = row_losses(loss, X, W, H)
            assert (after <= before * (1 + 1e-12)).all()


@LOSSES
def test_exact_data_are_recovered(loss):
    """Rows inside the cone are reproduced, and zero rows get zero coefficients."""
    rng = np.random.default_rng(4)
    H, W = rng.random((4, 30)), rng.random((10, 4))
    W[3] = 0
    found = PROJECT[loss](W @ H, H, tol=0, max_iter=3000)
    np.testing.assert_allclose(found, W, atol=1e-5)
    assert not found[3].any()


@LOSSES
def test_scaling_the_data_scales_the_answer(loss):
    """Both problems, floors included, are equivariant: X -> c X gives W -> c W."""
    X, H = noisy(loss, seed=5)
    np.testing.assert_allclose(
        PROJECT[loss](1024 * X, H), 1024 * PROJECT[loss](X, H), rtol=1e-6, atol=1e-6
    )


@LOSSES
def test_degenerate_bases_and_single_precision(loss):
    """Zero and equal rows of H do no harm, and float32 data give float32 coefficients."""
    X, H = noisy(loss, seed=6)
    H[1], H[2] = 0, H[0]
    W = PROJECT[loss](X, H)
    assert np.isfinite(W).all()
    assert not W[:, 1].any()
    single = PROJECT[loss](X.astype(np.float32), H.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(
        row_losses(loss, X, single.astype(float), H), row_losses(loss, X, W, H), rtol=1e-3
    )


def test_sparse_counts_give_the_dense_answer():
    """On CSR data only the support is visited, and the coefficients are the same."""
    rng = np.random.default_rng(7)
    X = rng.poisson(0.3, (30, 50)).astype(float)
    X[4] = 0
    H = rng.random((6, 50)) * (rng.random((6, 50)) < 0.4)
    np.testing.assert_allclose(project_kl(sp.csr_matrix(X), H), project_kl(X, H), rtol=1e-12)


def lower_bounds(X, W, H):
    """The dual objective of a feasible point made from the coefficients."""
    D = np.divide(X, W @ H, out=np.zeros_like(X), where=X > 0)
    D /= np.maximum((D @ H.T / H.sum(axis=1)).max(axis=1), 1)[:, None]
    assert ((D @ H.T) / H.sum(axis=1)).max() <= 1 + 1e-12
    return (X * np.log(np.where(X > 0, D, 1))).sum(axis=1)


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-10])
@pytest.mark.parametrize("kind", ["counts", "images"])
def test_kl_ends_within_its_tolerance_of_the_optimum(kind, tol):
    """A feasible dual point proves each loss to be within ``tol`` of any other."""
    X, H = noisy("kl", seed=9)
    if kind == "images":  # many zeros in the basis, and values at both ends of the range
        rng = np.random.default_rng(9)
        H = rng.random((12, 90)) * (rng.random((12, 90)) < 0.5)
        X = (rng.random((15, 12)) @ H / 3).clip(0, 1)
        X[rng.random(X.shape) < 0.2] = 0
        X[rng.random(X.shape) < 0.2] = 1
    starts = (None, np.random.default_rng(0).exponential(size=(len(X), len(H))))
    for form in (np.asarray, sp.csr_matrix):
        for W0 in starts:
            W = project_kl(form(X), H, W0, tol=tol)
            losses_ = row_losses("kl", X, W, H)
            assert (losses_ - lower_bounds(X, W, H) <= tol * losses_ + 1e-14 * X.sum(1)).all()


@pytest.mark.parametrize("seed", [0, 3])
def test_kl_goes_on_while_the_loss_falls_though_the_gap_does_not(seed):
    """Each digit ends at the optimum of parts of a few others: early gaps may be low by chance."""
    X = load_digits().data / 16
    few = X[np.random.default_rng(seed).permutation(len(X))[:100]]
    model = KLMU(n_components=10, init="random", random_state=seed, max_iter=200).fit(few)
    W = project_kl(X, model.components_)  # else a warning, which is an error here
    best = project_kl(X, model.components_, tol=0, max_iter=1000)
    np.testing.assert_allclose(W, best, atol=1e-5 * best.max())


@pytest.mark.parametrize("max_iter", [1, 3, 60])
def test_the_certificate_of_kl_is_the_dual_objective_written_out(max_iter):
    """Also of a projection that is cut short, whose gap is larger."""
    X, H = noisy("kl", seed=11)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        W = project_kl(X, H, tol=1e-12, max_iter=max_iter)
    found = certify_kl(X, H, tol=1e-12, max_iter=max_iter)
    bounds = lower_bounds(X, W, H)
    assert found["primal"] == pytest.approx(row_losses("kl", X, W, H).sum(), rel=1e-12)
    assert found["dual_bound"] == pytest.approx(np.maximum(bounds, 0).sum(), rel=1e-10)
    assert found["gap"] == (found["primal"] - found["dual_bound"]) / X.sum()
    assert (found["gap"] < 1e-12) == (max_iter == 60)
    assert certify_kl(sp.csr_matrix(X), H, tol=1e-12, max_iter=max_iter) == pytest.approx(found)


@pytest.mark.parametrize("few", range(4))
def test_kl_with_more_components_than_entries_is_optimal_or_says_so(few):
    """Short rows with many ties: no multiplicative update finds better in silence."""
    for seed in range(25):
        rng = np.random.default_rng([few, seed])
        k, m = rng.integers(2, 12), rng.integers(3, 12)
        H, X = rng.random((k, m)), rng.random((4, m))
        if few:
            H, X = H * (rng.random((k, m)) < 0.6), X * (rng.random((4, m)) < 0.4)
        if few == 3:
            X = np.ceil(4 * X)
        H = H[H.any(axis=1)]
        X = X[X.any(axis=1) & ~X[:, ~H.any(axis=0)].any(axis=1)]
        if not X.size or not H.size:
            continue
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = row_losses("kl", X, project_kl(X, H, tol=1e-12), H)
        slow = row_losses("kl", X, multiplicative_kl(X, H, 3000), H)
        assert caught or np.all(found <= slow + 1e-9 * X.sum(axis=1))


def test_kl_from_its_own_answer_stays_there():
    """A warm start ends where it began, also if a coefficient is wrongly at zero."""
    X, H = noisy("kl", seed=10)
    W = project_kl(X, H, tol=1e-12)
    np.testing.assert_allclose(project_kl(X, H, W, tol=1e-12), W, atol=1e-5)
    np.testing.assert_allclose(
        project_kl(X, H, W * [1, 0, 1, 1, 1], tol=1e-12), W, rtol=1e-4, atol=1e-5
    )


def test_kl_says_so_when_it_runs_out_of_steps():
    """A row that meets ``max_iter`` is feasible, and the caller is warned."""
    X, H = noisy("kl")
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        W = project_kl(X, H, max_iter=1)
    assert W.min() >= 0


def test_entries_that_no_basis_row_covers_do_not_spoil_kl():
    """Where H is zero and X is not, the other entries still decide the coefficients."""
    rng = np.random.default_rng(8)
    X, H = rng.random((5, 10)), rng.random((3, 10))
    H[:, 0] = 0
    np.testing.assert_allclose(
        project_kl(X, H, **TIGHT), project_kl(X[:, 1:], H[:, 1:], **TIGHT), atol=1e-6
    )


def test_itakura_saito_refuses_sparse_data():
    """The divergence is undefined at zero."""
    with pytest.raises(TypeError, match="undefined at zero"):
        project_itakura_saito(sp.csr_matrix(np.eye(3)), np.ones((1, 3)))


@LOSSES
def test_wrong_shapes_are_refused(loss):
    """A basis with other features, or a start of another shape, is an error that says so."""
    X = np.ones((3, 4))
    with pytest.raises(ValueError, match=r"H has shape \(2, 5\), but X has 4"):
        PROJECT[loss](X, np.ones((2, 5)))
    with pytest.raises(ValueError, match="W0 has shape"):
        PROJECT[loss](X, np.ones((2, 4)), np.ones((3, 3)))


def test_entries_given_twice_are_their_sum():
    """A CSR matrix with many duplicates in a row gives the answer of the matrix that it is."""
    rng = np.random.default_rng(12)
    H, rows = rng.random((4, 9)), np.repeat(np.arange(3), 200)
    columns = rng.integers(0, 9, rows.size)
    X = sp.csr_matrix((3, 9))
    X.data, X.indices = rng.random(rows.size), columns.astype(np.int32)
    X.indptr = np.arange(0, rows.size + 1, 200, dtype=np.int32)
    dense = X.toarray()
    np.testing.assert_allclose(project_kl(X, H), project_kl(dense, H), rtol=1e-8)
    np.testing.assert_allclose(fit_kl(X, H)[1], fit_kl(dense, H)[1], rtol=1e-8)
    assert certify_kl(X, H) == pytest.approx(certify_kl(dense, H))
    assert certify_kl(X.copy().tocsc(), H) == pytest.approx(certify_kl(dense, H))
    assert losses.kl(X, np.ones((3, 4)), H.T) == pytest.approx(
        losses.kl(dense, np.ones((3, 4)), H.T)
    )


@LOSSES
def test_outside_its_domain_a_projection_is_an_error(loss):
    """Signed, infinite or vanishing data or bases are refused, with the parameter named."""
    X, H = noisy(loss)
    wrong = {"NaN or infinite": np.nan, "Negative values": -1.0}
    for message, value in wrong.items():
        for name in "XH":
            arrays = {"X": X.copy(), "H": H.copy()}
            arrays[name][1, 2] = value
            with pytest.raises(ValueError, match=f"{message}.*{name}|{name} has {message}"):
                PROJECT[loss](**arrays)
    with pytest.raises(ValueError, match="largest magnitude in X"):
        PROJECT[loss](X * 1e-300, H)
    with pytest.raises(ValueError, match="largest magnitude in H"):
        PROJECT[loss](X, H * 1e-300)


def singular_rows(seed):
    """Rows with few positive entries, on bases whose entries may span six orders of magnitude."""
    rng = np.random.default_rng([17, seed])
    r, m = rng.integers(1, 12, 2)
    H, X = rng.random((r, m)), rng.random((6, m))
    if seed % 4:
        H *= rng.random(H.shape) < rng.uniform(0.2, 1)
        X *= rng.random(X.shape) < rng.uniform(0.2, 1)
    if seed % 4 == 2:
        X, H = np.ceil(5 * X), np.ceil(3 * H)
    if seed % 4 == 3:
        X, H = X * 10 ** rng.uniform(-4, 4, X.shape), H * 10 ** rng.uniform(-3, 3, H.shape)
    H = H[H.any(axis=1)]
    return X[X.any(axis=1) & ~(X[:, ~H.any(axis=0)] > 0).any(axis=1)], H


SINGULAR = (31, 223, 255, 305, 319, 463, 929, 1231, 1289)


@pytest.mark.parametrize("seed", SINGULAR)
def test_kl_is_solved_where_the_model_of_newton_is_singular(seed):
    """Fewer positive entries than coefficients: the proof, within the usual steps."""
    X, H = singular_rows(seed)
    project_kl(X, H)  # else a warning, which is an error here


@pytest.mark.slow
def test_kl_is_solved_in_all_but_one_of_ten_thousand_rows():
    """Random rows of all kinds; a row that is not solved is reported as unfinished."""
    rows = unfinished = 0
    for seed in range(4000):
        X, H = singular_rows(seed)
        if len(X) and len(H):
            rows += len(X)
            unfinished += _fit_kl(X, H, None, 1e-10, 60, 1e-9)[-1]
    assert rows > 15_000
    assert unfinished <= rows / 2000


def itakura_saito_slopes(X, W, H, floor):
    """How far each row is from stationary, as a share of the terms that cancel."""
    x, y = np.maximum(X, floor), np.maximum(W @ H, floor)
    downhill = ((x - y) / y**2) @ H.T / np.maximum(((x + y) / y**2) @ H.T, 1e-300)
    used = W * H.max(axis=1) > 1e-8 * y.max(axis=1, keepdims=True)
    return np.maximum(downhill, np.abs(downhill) * used).max(axis=1)


def singular_slopes(seeds):
    slopes = []
    for seed in seeds:
        X, H = singular_rows(seed)
        if len(X) and len(H):
            W = project_itakura_saito(X, H, tol=1e-10, max_iter=1000)
            slopes.append(itakura_saito_slopes(X, W, H, 1e-9 * X.mean()))
    return np.concatenate(slopes)


def test_itakura_saito_is_stationary_where_the_model_of_newton_is_singular():
    """Fewer entries than coefficients, or entries of many magnitudes."""
    assert singular_slopes(range(100)).max() < 1e-3


@pytest.mark.slow
def test_itakura_saito_is_stationary_in_all_but_one_of_two_thousand_rows():
    """Random rows of all kinds."""
    slopes = singular_slopes(range(2000))
    assert len(slopes) > 7500
    assert np.mean(slopes > 1e-3) <= 1 / 2000
