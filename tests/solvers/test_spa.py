"""SPA: the naive algorithm's anchors, without its residual matrix."""

import numpy as np
import pytest
import scipy.sparse as sp
from oracles_bregman import spa as naive_spa

from nmfbench import make_solver


def separable(seed=0, r=8, m=40, n=60):
    """Noiseless rows in the convex hull of r anchors; returns the anchors' indices too."""
    rng = np.random.default_rng(seed)
    W = np.vstack([np.eye(r), rng.dirichlet(rng.random(r), n - r)])
    order = rng.permutation(n)
    return (W @ rng.random((r, m)))[order], set(np.argsort(order)[:r])


@pytest.mark.against("spa", "the algorithm as published, in oracles_bregman")
@pytest.mark.parametrize("seed", range(5))
def test_same_anchors_as_the_residual_matrix(seed):
    """Updating squared norms alone selects what an explicit residual matrix selects."""
    X = np.random.default_rng(seed).random((50, 30))
    np.testing.assert_array_equal(
        make_solver("spa", n_components=20).fit(X).anchor_indices_, naive_spa(X, 20)
    )


def test_the_objective_is_the_distance_from_the_span():
    """The trace holds the squared distance of the rows from the span of the anchors."""
    X = np.random.default_rng(0).random((30, 20))
    s = make_solver("spa", n_components=6).fit(X)
    for k in range(7):
        A = X[s.anchor_indices_[:k]]
        residual = X - X @ np.linalg.pinv(A) @ A if k else X
        np.testing.assert_allclose(s.trace_["objective"][k], (residual**2).sum(), rtol=1e-9)
    assert (np.diff(s.trace_["objective"]) <= 0).all()


@pytest.mark.against("spa", "planted anchors")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("seed", range(3))
def test_noiseless_anchors_are_found(seed, dtype):
    """All anchors, and no more: the data are exhausted, even if ``n_components`` is larger."""
    X, anchors = separable(seed)
    s = make_solver("spa", n_components=20).fit(X.astype(dtype))
    assert set(s.anchor_indices_) == anchors
    assert s.stop_reason_ == "converged"
    assert s.components_.dtype == dtype


def test_copies_of_an_anchor_are_one_point():
    """Of equal rows, and with normalisation of proportional ones, one is taken."""
    X, anchors = separable()
    copies = np.vstack([X, X[sorted(anchors)]])
    found = make_solver("spa", n_components=16).fit(copies).anchor_indices_
    assert set(found) == anchors
    scaled = np.vstack([X, 3 * X[sorted(anchors)], np.zeros((2, X.shape[1]))])
    s = make_solver("spa", n_components=16, normalize=True).fit(scaled)
    assert len(s.anchor_indices_) == 8
    back = dict(zip(range(60, 68), sorted(anchors), strict=True))
    assert {back.get(j, j) for j in s.anchor_indices_} == anchors


def test_near_ties_go_to_the_longest_row():
    """Residuals that differ by rounding do not decide: the norm of the row does."""
    X = np.array([[2.0, 0, 0], [1.0, 1.0, 0], [0, 1 - 1e-9, 0]])
    np.testing.assert_array_equal(make_solver("spa", n_components=2).fit(X).anchor_indices_, [0, 1])


@pytest.mark.parametrize("normalize", [False, True])
def test_sparse_data_and_nested_fits(normalize):
    """CSR data give the dense anchors, and a smaller fit the first anchors of a larger one."""
    rng = np.random.default_rng(3)
    X = rng.random((40, 60)) * (rng.random((40, 60)) < 0.3)
    X[5] = 0
    fits = [
        make_solver("spa", n_components=r, normalize=normalize).fit(data).anchor_indices_
        for r, data in ((12, X), (12, sp.csr_matrix(X)), (5, X))
    ]
    np.testing.assert_array_equal(fits[0], fits[1])
    np.testing.assert_array_equal(fits[0][:5], fits[2])


@pytest.mark.against("spa", "the algorithm as published, in oracles_bregman")
def test_ill_conditioned_rows_are_told_apart():
    """Anchors far below the largest row are found, although updated norms lose their digits."""
    X = np.diag(10.0 ** -np.arange(7)) + 0.0
    X = np.vstack([X, 0.5 * (X[:-1] + X[1:])])
    s = make_solver("spa", n_components=7).fit(X)
    assert set(s.anchor_indices_) == set(naive_spa(X, 7))


def test_all_zero_data_are_refused():
    """Without a row that is not zero there is no anchor."""
    with pytest.raises(ValueError, match="X is all zero: there is no row to choose"):
        make_solver("spa", n_components=2).fit(np.zeros((4, 3)))
