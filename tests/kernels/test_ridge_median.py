"""Theorem 3 of Guan et al. (2012) against the definition, and the sweeps built on it."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles_l1 import weighted_median_coefficient
from scipy.optimize import minimize_scalar

from nmfbench.optim import graphs, losses
from nmfbench.optim.kernels.ridge_median import elastic_sweep, graph_sweep, ridge_median


def value(x, p, a, q, c):
    """The function of Theorem 3."""
    return np.sum(a * np.abs(x - p)) + q / 2 * (x - c) ** 2


def by_search(p, a, q, c):
    """Its minimiser, from all points and all zeros of the slopes between them."""
    order = np.argsort(p)
    p, a = p[order], a[order]
    before = np.concatenate([[0.0], np.cumsum(a)])
    zeros = c + (before[-1] - 2 * before) / q
    return min(np.concatenate([p, zeros]), key=lambda x: value(x, p, a, q, c))


def by_median(p, a, q, c):
    """Its minimiser, by the statement of the theorem: a median of 2 N + 1 numbers."""
    order = np.argsort(p)
    before = np.concatenate([[0.0], np.cumsum(a[order])])
    return np.median(np.concatenate([p, c + (before[-1] - 2 * before) / q]))


numbers = st.integers(-8, 8).map(float)  # so that ties are common and arithmetic exact


@given(
    pairs=st.lists(st.tuples(numbers, st.integers(0, 5).map(float)), min_size=1, max_size=12),
    ridge=st.sampled_from([0.25, 1.0, 2.0, 64.0]),
    centre=st.integers(-60, 60).map(float),
)
@settings(max_examples=300, deadline=None)
def test_theorem_3(pairs, ridge, centre):
    """The median of points and zeros, the search over intervals and the kernel agree."""
    p, a = np.array(pairs).T.copy()
    # The kernel clips at zero, so the problem is moved to the right of it.
    found = ridge_median(p + 1000, a, ridge, centre + 1000, np.inf) - 1000
    assert found == by_search(p, a, ridge, centre)
    used = a > 0
    assert found == by_median(p[used], a[used], ridge, centre)
    box = ridge_median(p, a, ridge, centre, 2.0)
    best = min(max(found, 0.0), 2.0)
    assert box == pytest.approx(best, abs=1e-12)
    grid = np.linspace(0, 2, 201)
    assert value(box, p, a, ridge, centre) <= min(value(x, p, a, ridge, centre) for x in grid) + (
        1e-9
    )


@pytest.mark.parametrize(
    ("centre", "expected"),
    [
        (-20.0, -16.0),  # t_0 = c + A / q, left of all points
        (20.0, 16.0),  # t_N = c - A / q, right of all points
        (1.0, 1.0),  # t_1, between two points
        (-5.0, -3.0),  # the first point, where the slope jumps over zero
        (-7.0, -3.0),  # t_0 is the first point
        (9.0, 5.0),  # t_N is the last
        (3.0, 3.0),
    ],
)
def test_both_ends_and_the_middle(centre, expected):
    """Minimisers left of all points, right of all, on a point and between two."""
    p, a = np.array([5.0, -3.0]), np.array([1.0, 1.0])
    assert ridge_median(p + 100, a, 0.5, centre + 100, np.inf) == expected + 100


def test_without_ridge_it_is_the_left_most_weighted_median():
    """q = 0 gives the weighted median; q -> 0 tends to one of the weighted medians."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        h, x = rng.integers(0, 4, 9) * 1.0, rng.integers(0, 5, 9) * 1.0
        if not h.any():
            continue
        used = h > 0
        points = x[used] / h[used]
        found = ridge_median(points, h[used], 0.0, np.nan, np.inf)
        order = np.argsort(points)
        total = np.cumsum(h[used][order])
        assert found == points[order][np.argmax(2 * total >= total[-1])]
        assert np.abs(x - found * h).sum() == pytest.approx(
            np.abs(x - weighted_median_coefficient(x, h) * h).sum()
        )
        near = ridge_median(points, h[used], 1e-9, 1.0, np.inf)
        assert np.abs(x - near * h).sum() == pytest.approx(np.abs(x - found * h).sum())


def test_without_weights_the_centre_is_best():
    """All a = 0: the centre, clipped; and nothing to say without a ridge either."""
    p = np.array([1.0, 2.0])
    assert ridge_median(p, np.zeros(2), 2.0, 0.7, np.inf) == 0.7
    assert ridge_median(p, np.zeros(2), 2.0, 0.7, 0.5) == 0.5
    assert ridge_median(p, np.zeros(2), 2.0, -0.7, np.inf) == 0.0
    assert np.isnan(ridge_median(p, np.zeros(2), 0.0, 0.7, np.inf))


@pytest.mark.parametrize("n", [1, 2, 1000])
def test_long_lists_against_a_general_search(n):
    """Bounded scalar minimisation finds nothing better."""
    rng = np.random.default_rng(n)
    for q in (1e-3, 1.0, n * 10.0):
        p, a, c = rng.gamma(1, size=n), rng.random(n), rng.gamma(2)
        found = ridge_median(p, a, q, c, np.inf)
        best = minimize_scalar(value, bounds=(0, 20), args=(p, a, q, c), method="bounded")
        assert value(found, p, a, q, c) <= best.fun + 1e-9


def problem(kind, n=9, m=14, r=4, seed=0):
    rng = np.random.default_rng([seed, len(kind)])
    F, B = rng.random((n, r)), rng.random((r, m))
    X = rng.random((n, r)) @ rng.random((r, m)) + rng.laplace(0, 0.2, (n, m)).clip(0)
    if kind == "integers":
        F, B, X = (np.floor(4 * A) for A in (F, B, X))
    elif kind == "zeros":
        F, B, X = (A * (rng.random(A.shape) < 0.5) for A in (F, B, X))
        B[1], X[3], X[:, 2] = 0, 0, 0
    elif kind == "exact":
        X = F @ B
    return X, F, B


KINDS = ["dense", "integers", "zeros", "exact"]


def slow_sweep(F, X, B, ridge, centre, order):
    """Theorem 3 for one coordinate after the other; ``ridge`` and ``centre`` are functions."""
    for i in order:
        for k in range(len(B)):
            z = X[i] - F[i] @ B + F[i, k] * B[k]
            b = B[k] > 0
            found = ridge_median(z[b] / B[k, b], B[k, b], ridge(i, k), centre(F, i, k, z), np.inf)
            F[i, k] = F[i, k] if np.isnan(found) else found
    return F


def elastic(X, F, B, lam):
    E = X - F @ B
    return np.abs(E).sum() + lam / 2 * np.sum(E**2)


@pytest.mark.parametrize("lam", [0.0, 0.1, 10.0])
@pytest.mark.parametrize("kind", KINDS)
def test_an_elastic_sweep_minimises_over_one_coordinate_after_the_other(kind, lam):
    """The compiled sweep is the slow one; it never rises; the residual follows the factor."""
    X, F, B = problem(kind)
    expected, R = F.copy(), X - F @ B
    squares = np.sum(B**2, axis=1)
    last = np.inf
    for _ in range(4):
        elastic_sweep(F, R, B, lam)
        expected = slow_sweep(
            expected,
            X,
            B,
            lambda i, k: lam * squares[k],
            lambda F, i, k, z: B[k] @ z / max(squares[k], 1e-300),
            range(len(X)),
        )
        now = elastic(X, F, B, lam)
        np.testing.assert_allclose(R, X - F @ B, atol=1e-13)
        assert F.min() >= 0
        assert now <= last * (1 + 1e-13)
        assert now == pytest.approx(elastic(X, expected, B, lam), rel=1e-12)
        if kind == "dense":  # elsewhere rounding decides ties
            np.testing.assert_allclose(F, expected, atol=1e-9)
        last = now


@pytest.mark.parametrize("kind", KINDS)
def test_single_precision_gives_the_sweep_of_double(kind):
    """In float32 the objective is the same to the digits there are."""
    for lam in (0.0, 0.5):
        X, F, B = problem(kind)
        x, f, b = (A.astype(np.float32) for A in (X, F, B))
        R, residual = X - F @ B, x - f @ b
        for _ in range(2):
            elastic_sweep(F, R, B, lam)
            elastic_sweep(f, residual, b, lam)
        assert elastic(X, f, B, lam) == pytest.approx(
            elastic(X, F, B, lam), rel=1e-4, abs=1e-5 * X.sum()
        )
        np.testing.assert_allclose(residual, X - f @ B, atol=1e-5 * X.max())


@pytest.mark.parametrize("kind", KINDS)
def test_a_graph_sweep_minimises_over_one_coordinate_after_the_other(kind):
    """The compiled sweep is the slow one, rows in the given order, and never rises."""
    X, F, B = problem(kind, n=11)
    rng = np.random.default_rng(3)
    A = np.triu(rng.integers(0, 3, (11, 11)) * (rng.random((11, 11)) < 0.3), 1) * 1.0
    A[:, 5] = A[5] = 0  # isolated
    A += A.T
    S, degree = sp.csr_array(A), A.sum(axis=1)
    penalty, order = np.array([0.5, 2.0, 0.0, 0.125]), rng.permutation(11)
    expected, R = F.copy(), X - F @ B
    last = np.inf
    for _ in range(4):
        graph_sweep(F, R, B, order, S.indptr, S.indices, S.data, penalty)
        expected = slow_sweep(
            expected,
            X,
            B,
            lambda i, k: penalty[k] * degree[i],
            lambda F, i, k, z: A[i] @ F[:, k] / max(degree[i], 1e-300),
            order,
        )
        now, then = (
            losses.manhattan(X, G, np.ascontiguousarray(B.T))
            + 0.5 * graphs.smoothness(S, G * np.sqrt(penalty))
            for G in (F, expected)
        )
        np.testing.assert_allclose(R, X - F @ B, atol=1e-13)
        assert F.min() >= 0
        assert now <= last * (1 + 1e-13)
        assert now == pytest.approx(then, rel=1e-12)
        if kind == "dense":
            np.testing.assert_allclose(F, expected, atol=1e-9)
        last = now


def test_a_component_without_basis_follows_its_neighbours():
    """Where the basis is zero, only the graph speaks: the mean of the neighbours."""
    A = sp.csr_array(np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    F, B = np.array([[5.0], [1.0], [3.0]]), np.zeros((1, 4))
    graph_sweep(F, np.ones((3, 4)), B, np.arange(3), A.indptr, A.indices, A.data, np.ones(1))
    np.testing.assert_array_equal(F, np.full((3, 1), 2.0))


def test_weights_near_the_smallest_number_do_no_harm():
    """A basis so small that the best coefficient overflows leaves the factor finite."""
    B = np.full((1, 5), 1e-310)
    F, X = np.ones((2, 1)), np.ones((2, 5))
    elastic_sweep(F, X - F @ B, B, 0.0)
    assert np.isfinite(F).all()
