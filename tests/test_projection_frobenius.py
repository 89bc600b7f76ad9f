"""Non-negative least squares: exact, whatever the basis and the start."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles_bregman import nnls_rows

from nmfbench.optim.projections import project_frobenius


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


def test_wrong_shapes_are_refused():
    """A basis with other features, or a start of another shape, is an error that says so."""
    X = np.ones((3, 4))
    with pytest.raises(ValueError, match="H has 5 features, but X has 4"):
        project_frobenius(X, np.ones((2, 5)))
    with pytest.raises(ValueError, match="W0 has shape"):
        project_frobenius(X, np.ones((2, 4)), np.ones((3, 3)))
