"""Non-negative least squares: exact, whatever the basis and the start."""

import functools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles_bregman import nnls_rows
from scipy.optimize import minimize

from nmfbench.optim.projections.frobenius import (
    certify_frobenius,
    frobenius_lower_bound,
    project_frobenius,
)
from nmfbench.optim.projections.manhattan import project_manhattan


def losses(X, W, H):
    return ((X - W @ H) ** 2).sum(axis=1)


BASES = {
    "uniform": lambda rng: rng.random((20, 60)),
    "correlated": lambda rng: 1 + 0.1 * rng.random((20, 60)),
    "wide": lambda rng: rng.random((150, 200)),
    "more rows than features": lambda rng: rng.random((80, 50)),
    "signed": lambda rng: rng.standard_normal((30, 60)),
    "badly scaled": lambda rng: rng.random((20, 60)) * 10.0 ** rng.integers(-8, 8, (20, 1)),
}


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("signed", [False, True])
def test_equals_scipy_row_by_row(basis, signed):
    """The projection is that of scipy's nnls, for strongly correlated bases too."""
    rng = np.random.default_rng(0)
    H = BASES[basis](rng)
    X = rng.standard_normal((25, H.shape[1])) if signed else rng.random((25, H.shape[1]))
    W, expected = project_frobenius(X, H), nnls_rows(X, H)
    scale = np.linalg.norm(H, axis=1)
    np.testing.assert_allclose(W * scale, expected * scale, atol=1e-8, rtol=1e-8)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 10_000),
    r=st.integers(1, 12),
    m=st.integers(1, 12),
    rank=st.integers(1, 12),
    copies=st.integers(0, 3),
    zeros=st.integers(0, 2),
)
def test_no_basis_is_too_degenerate(seed, r, m, rank, copies, zeros):
    """Dependent, equal, proportional and zero rows of H leave the loss optimal."""
    rng = np.random.default_rng(seed)
    H = rng.integers(0, 4, (r, min(rank, r))) @ rng.integers(0, 4, (min(rank, r), m))
    H = np.vstack([H, *(k * H[:1] for k in range(1, copies + 1)), np.zeros((zeros, m))])
    X = rng.integers(0, 5, (6, m)).astype(float)
    W = project_frobenius(X, H.astype(float))
    best = losses(X, nnls_rows(X, H.astype(float)), H)
    assert (W >= 0).all()
    assert (losses(X, W, H) <= best + 1e-9 * (1 + (X**2).sum(axis=1))).all()


def test_zero_rows_of_the_basis_get_the_coefficient_zero():
    """A zero row of H is left alone, wherever the projection starts."""
    rng = np.random.default_rng(0)
    X, H = rng.random((8, 10)), rng.random((4, 10))
    H[2] = 0
    assert not project_frobenius(X, H)[:, 2].any()
    assert not project_frobenius(X, H, np.ones((8, 4)))[:, 2].any()


def test_zero_rows_of_the_data_have_zero_coefficients():
    """A zero row of X is projected on the apex of the cone."""
    H = np.random.default_rng(0).random((3, 5))
    assert not project_frobenius(np.zeros((2, 5)), H, np.ones((2, 3))).any()


@pytest.mark.parametrize("start", ["solution", "ones", "far", "wrong support"])
def test_the_start_does_not_change_the_answer(start):
    """Warm or cold, the answer is the same, and the start is not overwritten."""
    rng = np.random.default_rng(1)
    X, H = rng.random((30, 40)), rng.random((15, 40))
    cold = project_frobenius(X, H)
    W0 = {
        "solution": cold.copy(),
        "ones": np.ones_like(cold),
        "far": 1e6 * rng.random(cold.shape),
        "wrong support": (cold == 0) * 1.0,
    }[start]
    kept = W0.copy()
    np.testing.assert_allclose(project_frobenius(X, H, W0), cold, atol=1e-10)
    np.testing.assert_array_equal(W0, kept)


def test_no_nudge_improves_the_answer():
    """The problem is convex: random feasible steps never lower the loss."""
    rng = np.random.default_rng(2)
    X, H = rng.random((5, 20)), rng.random((8, 20))
    W = project_frobenius(X, H)
    for size in (1e-1, 1e-3, 1e-5):
        for _ in range(20):
            nudged = np.maximum(W + size * rng.standard_normal(W.shape), 0)
            assert (losses(X, nudged, H) >= losses(X, W, H)).all()


def test_sparse_data_give_the_dense_answer():
    """CSR data are projected without being made dense, to the same coefficients."""
    rng = np.random.default_rng(3)
    X = rng.random((20, 30)) * (rng.random((20, 30)) < 0.2)
    H = rng.random((5, 30))
    np.testing.assert_allclose(
        project_frobenius(sp.csr_matrix(X), H), project_frobenius(X, H), atol=1e-12
    )


def test_single_precision_data_are_projected_in_double():
    """float32 data give float32 coefficients, accurate to float32."""
    rng = np.random.default_rng(4)
    X, H = rng.random((20, 50), dtype=np.float32), 1 + rng.random((10, 50), dtype=np.float32)
    W = project_frobenius(X, H)
    assert W.dtype == np.float32
    np.testing.assert_allclose(W, nnls_rows(X.astype(float), H.astype(float)), atol=1e-5)


@pytest.mark.parametrize("project", [project_frobenius, project_manhattan])
def test_coefficients_beyond_single_precision_become_its_largest_number(project):
    """A row of the basis that is nearly 0 needs more than float32 can hold: not infinity."""
    X, H = np.ones((2, 3), np.float32), np.full((1, 3), 1e-42, np.float32)
    W = project(X, H)
    assert W.dtype == np.float32
    assert (np.finfo(np.float32).max == W).all()
    np.testing.assert_allclose(project(X.astype(float), H) * H, X, rtol=1e-6)


def test_wrong_shapes_are_refused():
    """A basis with other features, or a start of another shape, is an error that says so."""
    X = np.ones((3, 4))
    with pytest.raises(ValueError, match=r"H has shape \(2, 5\), but X has 4"):
        project_frobenius(X, np.ones((2, 5)))
    with pytest.raises(ValueError, match="W0 has shape"):
        project_frobenius(X, np.ones((2, 4)), np.ones((3, 3)))


# -- certificates -----------------------------------------------------------------------------


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("basis", BASES)
def test_certificates_hold_scipys_optimum(basis, signed):
    """It is between the bound and the loss attained, and these are next to each other."""
    rng = np.random.default_rng(5)
    H = BASES[basis](rng)
    X = rng.standard_normal((25, H.shape[1])) if signed else rng.random((25, H.shape[1]))
    found, size = certify_frobenius(X, H), np.sum(X**2)
    best = losses(X, nnls_rows(X, H), H).sum()
    assert found["dual_bound"] - 1e-12 * size <= best <= found["primal"] + 1e-12 * size
    expected = (found["primal"] - found["dual_bound"]) / size
    assert found["gap"] == pytest.approx(max(expected, 0), abs=1e-15)
    assert found["gap"] < 1e-10
    assert found["primal"] == pytest.approx(losses(X, project_frobenius(X, H), H).sum())


@pytest.mark.parametrize("basis", BASES)
def test_certificates_tell_worse_coefficients(basis):
    """The farther from the optimum, the larger the gap; it is never less than what is lost."""
    rng = np.random.default_rng(6)
    H = BASES[basis](rng)
    X = rng.random((25, H.shape[1]))
    W, size = project_frobenius(X, H), np.sum(X**2)
    best, gaps = losses(X, W, H).sum(), []
    for factor in (1, 1.001, 1.1, 2):
        found = certify_frobenius(X, H, factor * W)
        lost = (losses(X, factor * W, H).sum() - best) / size
        assert found["gap"] >= lost - 1e-12
        gaps.append(found["gap"])
    assert gaps == sorted(set(gaps))


def test_certificates_of_degenerate_bases_are_tight():
    """Zero, equal, proportional and summed rows, and more of them than features."""
    rng = np.random.default_rng(7)
    H = rng.random((5, 8))
    H = np.vstack([H, H[:2], 1e6 * H[:1], H[:1] + H[1:2], H[:2] * (1 + 1e-8), np.zeros((2, 8))])
    exact = rng.random((6, len(H))) @ H
    for X in (rng.random((6, 8)), exact, np.eye(8), np.zeros((3, 8))):
        assert certify_frobenius(X, H)["gap"] < 1e-11
    assert certify_frobenius(np.ones((2, 3)), np.zeros((2, 3))) == {
        "primal": 6,
        "dual_bound": 6,
        "gap": 0,
    }


OPTIONS = {
    "plain": {},
    "price": {"price": 0.7},
    "ridge": {"ridge": 0.3},
    "ridge and price": {"ridge": 0.3, "price": 0.4},
    "Huber": {"limit": 0.4},
    "signed": {"signed": True},
    "signed, ridge": {"signed": True, "ridge": 0.3},
}


def penalised(x, w, H, *, price=0.0, ridge=0.0, limit=np.inf, signed=False):
    """The objective at the coefficients of a row, and its gradient."""
    e = np.concatenate([x - w @ H, -np.sqrt(ridge) * w])
    inner = np.minimum(np.abs(e), limit / 2)
    slopes = 2 * np.sign(e) * inner
    gradient = price - slopes[: len(x)] @ H.T - np.sqrt(ridge) * slopes[len(x) :]
    return np.sum(inner * (2 * np.abs(e) - inner)) + price * w.sum(), gradient


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_certificates_of_penalised_problems_hold_the_optimum_of_another_solver(options):
    """L-BFGS-B finds nothing below the bound, and comes near to it; so do bounds of its answer."""
    rng = np.random.default_rng(8)
    X, H = rng.random((5, 12)), rng.random((4, 12))
    bounds = [(None if options.get("signed") else 0, None)] * len(H)
    tight = {"ftol": 1e-15, "gtol": 1e-11}
    W, best = np.zeros((5, 4)), 0.0
    for i, x in enumerate(X):
        objective = functools.partial(penalised, x, H=H, **options)
        found = minimize(objective, W[i], jac=True, bounds=bounds, method="L-BFGS-B", options=tight)
        W[i], best = found.x, best + found.fun
    found = certify_frobenius(X, H, W, **options)
    assert found["primal"] == pytest.approx(best, rel=1e-12)
    assert found["dual_bound"] == pytest.approx(best, rel=1e-4)
    for other in (W, W + 0.1, np.zeros_like(W)):
        assert certify_frobenius(X, H, other, **options)["dual_bound"] <= best * (1 + 1e-12)


@pytest.mark.parametrize("name", [name for name in OPTIONS if "ridge" not in name])
def test_no_dual_point_gives_a_bound_above_the_optimum(name):
    """Random slopes, far too large and not feasible, are made feasible."""
    rng = np.random.default_rng(9)
    X, H = rng.random((5, 12)), rng.random((4, 12))
    primal = certify_frobenius(X, H, rng.random((5, 4)), **OPTIONS[name])["primal"]
    for scale in (1e-3, 1, 1e3):
        D = scale * rng.standard_normal(X.shape)
        bounds = frobenius_lower_bound(X, H, D, **OPTIONS[name])
        assert (bounds >= 0).all()
        assert bounds.sum() <= primal


def test_there_is_no_bound_where_no_half_space_holds_the_basis():
    """Two opposite rows: coefficients can be as large as they like, and nothing is promised."""
    H = np.array([[1.0, 0.0], [-1.0, 0.0]])
    found = certify_frobenius(np.array([[1.0, 2.0]]), H)
    assert found["primal"] == 4
    assert found["dual_bound"] == 0


def test_certificates_of_sparse_and_single_precision_data_are_those_of_dense_data():
    """A block of rows at a time is made dense, and all sums are in double precision."""
    rng = np.random.default_rng(10)
    X = rng.random((40, 30), dtype=np.float32) * (rng.random((40, 30)) < 0.3)
    H = rng.random((4, 30), dtype=np.float32)
    dense = certify_frobenius(X.astype(np.float64), H)
    assert certify_frobenius(X, H) == pytest.approx(dense, rel=1e-12, abs=1e-15)
    assert certify_frobenius(sp.csr_matrix(X), H) == pytest.approx(dense, rel=1e-12, abs=1e-15)
