"""SMRS: two solvers and an independent one agree; ranking, pruning and filling by hand."""

import numpy as np
import pytest
import scipy.sparse as sp
from oracles_convex import smrs_smooth

from nmfbench.solvers.separable.row_sparse import active_set, admm, objective
from nmfbench.solvers.separable.smrs import SMRS, _centred_gram, _spread_out


def clusters(rng, n=40, m=8, k=4):
    """Points around a few centres."""
    centres = 3 * rng.random((k, m))
    return centres[rng.integers(k, size=n)] + rng.random((n, m))


def programme(X, alpha):
    """Gram matrix and lambda for the points in the rows of X."""
    P = _centred_gram(X)
    return P, np.linalg.norm(P, axis=1).max() / alpha


def dense(rows, C, n):
    full = np.zeros((n, n))
    full[rows] = C
    return full


@pytest.mark.parametrize("alpha", [2.0, 5.0, 30.0])
def test_active_set_and_published_admm_agree(alpha):
    """Both solvers reach one optimum: same objective, same rows."""
    X = clusters(np.random.default_rng(0))
    P, lam = programme(X, alpha)
    ours = active_set(P, lam, 1e-10, 5000)
    rows, C, _ = admm(P, lam, alpha, 1e-9, 20000)
    assert ours.objective == pytest.approx(objective(P, lam, rows, C), rel=1e-6)
    assert 0 <= ours.gap <= 1e-3 * ours.objective
    np.testing.assert_allclose(dense(ours.rows, ours.C, 40), dense(rows, C, 40), atol=2e-3)


@pytest.mark.against("smrs", "scipy.optimize.minimize", part="active_set")
@pytest.mark.parametrize("alpha", [2.0, 10.0])
def test_active_set_reaches_an_independent_optimum(alpha):
    """A quasi-Newton method without the constraint finds no better value."""
    X = clusters(np.random.default_rng(1), n=9, m=5)
    P, lam = programme(X, alpha)
    ours = active_set(P, lam, 1e-11, 20000)
    Y = (X - X.mean(axis=0)).T
    _, value = smrs_smooth(Y, lam)
    full = dense(ours.rows, ours.C, 9)
    np.testing.assert_allclose(full.sum(axis=0), 1, atol=1e-6)
    assert ours.objective == pytest.approx(value, rel=1e-5)
    assert ours.objective - ours.gap <= value + 1e-9
    explicit = lam * np.linalg.norm(full, axis=1).sum() + 0.5 * np.sum((Y - Y @ full) ** 2)
    assert ours.objective == pytest.approx(explicit)


def test_a_warm_start_changes_nothing():
    """The optimum for the next lambda does not depend on where the search begins."""
    P, lam = programme(clusters(np.random.default_rng(2)), 5.0)
    warm = active_set(P, lam / 2, 1e-10, 5000, active_set(P, lam, 1e-10, 5000))
    cold = active_set(P, lam / 2, 1e-10, 5000)
    assert warm.objective == pytest.approx(cold.objective, rel=1e-6)


def test_same_exemplars_from_both_solvers():
    """The choice of the solver does not change what is chosen."""
    X = clusters(np.random.default_rng(3))
    published = SMRS(n_components=4, solver="admm", tol=1e-7, max_iter=3000).fit(X)
    ours = SMRS(n_components=4).fit(X)
    np.testing.assert_array_equal(published.anchor_indices_, ours.anchor_indices_)
    assert published.objective_ == pytest.approx(ours.objective_, rel=1e-4)


def test_centring_needs_no_dense_data():
    """The Gram matrix of centred points is the same from sparse data."""
    X = np.random.default_rng(0).random((7, 5)) * (np.random.default_rng(1).random((7, 5)) < 0.5)
    Y = X - X.mean(axis=0)
    np.testing.assert_allclose(_centred_gram(X), Y @ Y.T, atol=1e-12)
    np.testing.assert_allclose(_centred_gram(sp.csr_matrix(X)), Y @ Y.T, atol=1e-12)


def test_sparse_and_dense_choose_the_same():
    """CSR data give the exemplars of dense data."""
    X = clusters(np.random.default_rng(4))
    a = SMRS(n_components=5).fit(X)
    b = SMRS(n_components=5).fit(sp.csr_matrix(X))
    np.testing.assert_array_equal(a.anchor_indices_, b.anchor_indices_)


def test_pruning_drops_copies():
    """Of two points in one place, the one ranked later goes."""
    points = np.random.default_rng(0).random((30, 2))
    points = np.vstack([points, points])
    kept = _spread_out(points @ points.T, np.arange(60))
    assert kept[0]
    assert not np.any(kept[:30] & kept[30:])


def test_pruning_follows_the_rule_in_the_text():
    """An explicit loop over the sorted distances gives the same survivors."""
    points = np.random.default_rng(6).random((60, 3))
    P = points @ points.T
    ranked = np.random.default_rng(7).permutation(60)[:50]
    kept = [True] * 50
    for i in range(50):
        if kept[i]:
            distance = [np.linalg.norm(points[ranked[i]] - points[ranked[j]]) for j in range(50)]
            order = sorted(range(50), key=lambda j: (-distance[j], j))
            running, total = 0.0, sum(distance)
            n_seen = 0
            while n_seen < 50 and running <= 0.95 * total:
                running += distance[order[n_seen]]
                n_seen += 1
            for j in order[n_seen - 1 :]:
                if j > i:
                    kept[j] = False
    np.testing.assert_array_equal(_spread_out(P, ranked), kept)


def test_one_fit_serves_every_smaller_number():
    """anchors_for(q) is what a fit with n_components=q chooses."""
    X = clusters(np.random.default_rng(5), n=60)
    large = SMRS(n_components=25, halvings=3).fit(X)
    for q in (3, 10, 25):
        fitted = SMRS(n_components=q, halvings=3).fit(X)
        np.testing.assert_array_equal(large.anchors_for(q), fitted.anchor_indices_)
    assert large.alphas_ == [5.0 * 2**i for i in range(large.n_iter_)]


def test_filling_is_flagged():
    """Where pruning leaves too few, pruned points fill up, and the fit says so."""
    X = clusters(np.random.default_rng(5))
    model = SMRS(n_components=40, halvings=1).fit(X)
    assert model.filled_
    assert sorted(model.anchor_indices_.tolist()) == list(range(40))
    assert not SMRS(n_components=2).fit(X).filled_


def test_equal_points_have_one_representative():
    """Data without spread do not break the fit."""
    model = SMRS(n_components=2).fit(np.ones((4, 3)))
    np.testing.assert_array_equal(model.anchor_indices_, [0, 1])
    assert model.filled_


@pytest.mark.parametrize(
    ("name", "value"),
    [("solver", "lp"), ("alpha", 0.0), ("halvings", -1), ("max_iter", 0), ("tol", -1.0)],
)
def test_parameters_out_of_range_are_named(name, value):
    """A parameter that makes no sense is refused by name."""
    with pytest.raises(ValueError, match=name):
        SMRS(n_components=2, **{name: value}).fit(np.eye(4))


@pytest.mark.parametrize("solver", ["active-set", "admm"])
def test_few_rounds_give_a_ranking_too(solver):
    """However few rounds are allowed, some row of C is not zero, and points can be ranked."""
    X = np.random.default_rng(0).random((30, 8))
    for max_iter in (1, 2, 3):
        model = SMRS(n_components=4, solver=solver, max_iter=max_iter).fit(X)
        assert len(set(model.anchor_indices_)) == 4
        assert np.isfinite(model.objective_)
