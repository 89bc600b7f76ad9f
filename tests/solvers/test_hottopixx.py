"""Hottopixx against generic convex solvers, and on data whose anchors are known."""

import numpy as np
import pytest
from oracles_convex import hottopixx_lp, project_diagonal_dominant_qp
from scipy.optimize import linprog

from nmfbench.optim.kernels.hottopixx import project_diagonal_dominant, sgd_epoch
from nmfbench.solvers.separable.hottopixx import Hottopixx, _lower_bound


def separable(rng, n, m, r, noise=0.0):
    """Points in rows, of which a random r span the others; also which ones."""
    weights = np.vstack([np.eye(r), rng.dirichlet(np.ones(r), n - r)])
    X = weights @ rng.random((r, m)) + noise * rng.random((n, m))
    order = rng.permutation(n)
    return X[order], set(np.flatnonzero(order < r).tolist())


def columns(X):
    """Input of the programme: points in columns that sum to one."""
    return (X / X.sum(axis=1, keepdims=True)).T


@pytest.mark.parametrize("seed", range(20))
def test_projection_agrees_with_a_quadratic_programme(seed):
    """The projection is the nearest point of the feasible set."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    r = int(rng.integers(1, n + 1))
    Z = rng.normal(size=(n, n)) * rng.choice([0.3, 1.0, 3.0])
    B, x = Z.copy(), np.zeros(n)
    project_diagonal_dominant(B, x, float(rng.normal(scale=3)), r, 1e-13)
    assert abs(np.trace(B) - r) < 1e-9
    assert np.all(np.diag(B) == x)
    assert np.all((B >= 0) & (B.diagonal()[:, None] >= B) & (B.diagonal()[:, None] <= 1))
    np.testing.assert_allclose(B, project_diagonal_dominant_qp(Z, r), atol=2e-5)


def test_projection_is_idempotent_and_ignores_its_guesses():
    """Projecting twice changes nothing, and the start of the search does not matter."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(30, 30))
    B, x = Z.copy(), np.zeros(30)
    project_diagonal_dominant(B, x, 0.0, 7, 1e-13)
    again = B.copy()
    project_diagonal_dominant(again, x.copy(), 0.0, 7, 1e-13)
    np.testing.assert_allclose(again, B, atol=1e-10)
    other = Z.copy()
    project_diagonal_dominant(other, rng.random(30), 50.0, 7, 1e-13)
    np.testing.assert_allclose(other, B, atol=1e-10)


def test_projection_without_a_trace():
    """With a negative r, rows are projected one by one for the given multiplier."""
    B = np.array([[0.2, 0.8, -1.0], [0.0, 3.0, 5.0], [0.0, 0.0, -1.0]])
    project_diagonal_dominant(B, np.zeros(3), 0.0, -1, 1e-13)
    np.testing.assert_allclose(B, [[0.5, 0.5, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]])


@pytest.mark.against("hottopixx", "scipy.optimize.linprog")
@pytest.mark.parametrize(
    ("n", "m", "r", "noise"), [(8, 6, 3, 0.3), (15, 5, 4, 0.5), (10, 12, 2, 0.0)]
)
def test_exact_solver_reaches_the_linear_programme(n, m, r, noise):
    """Objective and lower bound close on the optimum that HiGHS finds."""
    rng = np.random.default_rng(n)
    X, _ = separable(rng, n, m, r, noise)
    model = Hottopixx(n_components=r, tol=1e-6, max_iter=3000, random_state=3).fit(X)
    p = 1e-3 * np.random.default_rng(3).permutation(np.arange(1, n + 1)) / n
    _, value = hottopixx_lp(columns(X), p, r)
    assert model.stop_reason_ == "converged"
    assert value - 1e-9 <= model.objective_ <= value + 1e-5 * n
    assert model.objective_ - model.dual_gap_ <= value + 1e-9
    assert model.diagonal_.sum() == pytest.approx(r)


def test_lower_bound_is_the_least_value_of_the_lagrangian():
    """The dual bound equals a linear programme over the feasible set."""
    rng = np.random.default_rng(1)
    X, V, p = rng.random((4, 5)), rng.uniform(-1, 1, (4, 5)), rng.random(5)
    # Minimise <p, diag B> - <V, X B> + <V, X> over the feasible set.
    rows = []
    for i in range(5):
        for j in range(5):
            if i != j:
                row = np.zeros((5, 5))
                row[i, j], row[i, i] = 1, -1
                rows.append(row.ravel())
    cost = (np.diag(p) - X.T @ V).ravel()
    found = linprog(
        cost,
        A_ub=np.array(rows),
        b_ub=np.zeros(20),
        A_eq=np.eye(5).ravel()[None],
        b_eq=[2],
        bounds=(0, 1),
    )
    expected = found.fun + np.sum(V * X)
    assert _lower_bound(X, np.ascontiguousarray(X.T), V, p, 2) == pytest.approx(expected)


@pytest.mark.against("hottopixx", "scipy.optimize.linprog")
@pytest.mark.parametrize("seed", range(3))
def test_lagrangian_and_linear_programme_choose_the_same_anchors(seed):
    """Without noise, both forms find all anchors."""
    rng = np.random.default_rng(seed)
    X, anchors = separable(rng, 10, 8, 3)
    p = 1e-3 * rng.permutation(np.arange(1, 11)) / 10
    B, _ = hottopixx_lp(columns(X), p, 3, eps=1e-9)
    assert set(np.argsort(-B.diagonal())[:3].tolist()) == anchors
    model = Hottopixx(n_components=3, random_state=seed).fit(X)
    assert set(model.anchor_indices_.tolist()) == anchors


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("solver", ["exact", "sgd"])
def test_anchors_of_separable_data(solver, dtype):
    """All anchors are found at a realistic size, in either precision."""
    rng = np.random.default_rng(5)
    X, anchors = separable(rng, 80, 60, 8, noise=0.02)
    model = Hottopixx(n_components=8, solver=solver, random_state=0).fit(X.astype(dtype))
    assert set(model.anchor_indices_.tolist()) == anchors


def test_zero_rows_are_no_anchors():
    """Rows of zeros are left out, even with more anchors than remaining points."""
    rng = np.random.default_rng(0)
    X, _ = separable(rng, 6, 5, 2)
    X[[1, 4]] = 0
    model = Hottopixx(n_components=5, random_state=0).fit(X)
    assert sorted(model.anchor_indices_.tolist()) == [0, 2, 3, 5]
    assert np.all(model.diagonal_[[1, 4]] == 0)


def test_epoch_follows_the_printed_update():
    """The compiled epoch equals the update of Algorithm 4, written with matrices."""
    rng = np.random.default_rng(2)
    X = rng.random((5, 4)) * (rng.random((5, 4)) < 0.7)
    B = rng.random((4, 4))
    order, drift = rng.permutation(5), 0.01 * rng.random(4)
    expected = B.copy()
    for k in order:
        x = X[k]
        expected = expected + 0.1 * np.outer(x, np.sign(x - expected.T @ x)) - np.diag(drift)
    sgd_epoch(B, X, order, 0.1, drift, np.empty(4))
    np.testing.assert_allclose(B, expected, rtol=1e-12)


def test_published_steps_saturate_on_dense_data():
    """With the published steps the diagonal runs into its bounds; tuned ones keep it inside."""
    X, _ = separable(np.random.default_rng(0), 60, 200, 5, noise=0.1)
    published = Hottopixx(n_components=5, solver="sgd", steps="published", random_state=0).fit(X)
    tuned = Hottopixx(n_components=5, solver="sgd", random_state=0).fit(X)
    assert published.objective_ > 5 * tuned.objective_
    assert published.n_iter_ == tuned.n_iter_ == 50


@pytest.mark.parametrize(
    ("name", "value"),
    [("solver", "lp"), ("steps", "other"), ("epochs", 0), ("max_iter", 0), ("tol", -1.0)],
)
def test_parameters_out_of_range_are_named(name, value):
    """A parameter that makes no sense is refused by name."""
    with pytest.raises(ValueError, match=name):
        Hottopixx(n_components=2, **{name: value}).fit(np.ones((4, 3)))
