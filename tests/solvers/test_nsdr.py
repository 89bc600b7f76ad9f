"""NSDR: the matrix it minimises over, its two splits, its fixed points, closed forms."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls
from sklearn.linear_model import Ridge
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

from nmfbench.optim import graphs
from nmfbench.optim.kernels.floored_ratio import power_ratio
from nmfbench.solvers.graph import nsdr
from nmfbench.solvers.graph.nsdr import NSDR, _SplitByEntries, _SplitByFactors
from nmfbench.solvers.graph.spectral import normalized_affinity

N, M, R = 20, 8, 3


def problem(seed=0, n=N, m=M):
    rng = np.random.default_rng(seed)
    return normalize(rng.random((n, m)) * (rng.random((n, m)) < 0.7) + 0.01)


def discriminative(X, ridge):
    """R as the paper writes it, for samples in the columns of X.T."""
    n, m = X.shape
    H = np.eye(n) - 1 / n
    centred = X.T @ H
    return H - centred.T @ np.linalg.inv(centred @ centred.T + ridge * np.eye(m)) @ centred


def matrix(X, lam=1.0, ridge=1.0):
    S = graphs.knn_affinity(X, 5, weights="heat").toarray()
    d = S.sum(axis=1)
    return np.eye(len(X)) - S / np.sqrt(np.outer(d, d)) + lam * discriminative(X, ridge)


def value(W, Q, xi):
    gap = W.T @ W - np.eye(W.shape[1])
    return np.trace(W.T @ Q @ W) + xi / 2 * np.sum(gap**2)


def slope_of(W, Q, xi):
    """Gradient of :func:`value` by central differences."""
    slope = np.empty_like(W)
    for at in np.ndindex(W.shape):
        sides = []
        for step in (1e-6, -1e-6):
            moved = W.copy()
            moved[at] += step
            sides.append(value(moved, Q, xi))
        slope[at] = (sides[0] - sides[1]) / 2e-6
    return slope


@pytest.mark.parametrize("shape", [(20, 8), (8, 20)])
@pytest.mark.parametrize("kind", [_SplitByEntries, _SplitByFactors])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_both_splits_are_of_the_matrix(kind, shape, dtype):
    """Their parts give products that are not negative, and differ by the product with M."""
    X = problem(1, *shape)
    A = normalized_affinity(graphs.knn_affinity(X, 5, weights="heat"))
    W = np.random.default_rng(2).random((len(X), R)).astype(dtype)
    for lam, ridge in ((1.0, 1.0), (30.0, 0.01), (0.0, 1.0)):
        split = kind(X.astype(dtype), A, lam, ridge)
        plus, minus = np.empty_like(W), np.empty_like(W)
        split.multiply(W, plus, minus)
        assert plus.min() >= 0
        assert minus.min() >= 0
        tolerance = (1 + lam) * (1e-10 if dtype == np.float64 else 1e-4)
        np.testing.assert_allclose(plus - minus, matrix(X, lam, ridge) @ W, atol=tolerance)


def test_the_split_by_entries_has_no_smaller_one():
    """Where one part is positive the other is zero."""
    X = problem()
    split = _SplitByEntries(X, normalized_affinity(graphs.knn_affinity(X, 5)), 2.0, 0.1)
    assert not (split.plus * split.minus).any()
    assert min(split.plus.min(), split.minus.min()) == 0


@pytest.mark.parametrize("ridge", [0.01, 1.0, 50.0])
def test_the_discriminative_term_is_what_ridge_regression_leaves(ridge):
    """w' R w is the least penalised error of predicting w from the samples, with an intercept."""
    X, w = problem(), np.random.default_rng(1).random(N)
    model = Ridge(alpha=ridge, solver="cholesky").fit(X, w)
    left = np.sum((w - model.predict(X)) ** 2) + ridge * np.sum(model.coef_**2)
    assert w @ discriminative(X, ridge) @ w == pytest.approx(left)


@pytest.mark.against("nsdr", "its formulas, written out")
@pytest.mark.parametrize("split", ["entries", "factors"])
def test_the_objective_is_that_of_the_formula(split):
    """The fit reports the objective of W, as dense matrices give it."""
    X = problem()
    model = NSDR(n_components=R, lam=3.0, ridge=0.2, xi=7.0, split=split, max_iter=30)
    W = model.set_params(random_state=0).fit_transform(X)
    assert model.objective_ == pytest.approx(value(W, matrix(X, 3.0, 0.2), 7.0))
    # Unlike the others' factors, W says nothing of X: components are fitted to it at the end.
    for j in range(M):
        np.testing.assert_allclose(model.components_[:, j], nnls(W, X[:, j])[0], atol=1e-8)
    norms = np.linalg.norm(W, axis=0)
    np.testing.assert_array_equal(model.labels_, (W / norms).argmax(axis=1))
    np.testing.assert_array_equal(model.fit_predict(X), model.labels_)


@pytest.mark.against("nsdr", "the conditions of an optimum")
@pytest.mark.parametrize("split", ["entries", "factors"])
def test_fixed_points_are_stationary(split):
    """In the end the slope vanishes where W is positive, and does not fall where it is zero."""
    X = problem(3, 9, 5)
    model = NSDR(n_components=2, lam=0.5, xi=5.0, split=split, tol=0, max_iter=40_000)
    W = model.set_params(random_state=0).fit_transform(X)
    slope = slope_of(W, matrix(X, 0.5), 5.0)
    assert np.abs(np.minimum(W, slope)).max() < 1e-4
    assert (W > 0.1).any(axis=1).sum() > 5  # not by being zero


@pytest.mark.against("nsdr", "a known eigenvector")
def test_without_the_samples_one_column_is_the_known_eigenvector():
    """For lam = 0 the best column has no cost: the roots of the degrees, at unit norm."""
    X = problem()
    d = graphs.degrees(graphs.knn_affinity(X, 5, weights="heat"))
    model = NSDR(n_components=1, lam=0.0, xi=10.0, tol=0, max_iter=5000, random_state=0)
    W = model.fit_transform(X)
    assert model.objective_ == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(W[:, 0], np.sqrt(d / d.sum()), atol=1e-5)


@pytest.mark.parametrize("xi", [0.002, 0.05, 20.0])
def test_a_column_alone_has_the_norm_that_balances_its_cost(xi):
    """Its square is 1 - rho / xi, for rho the cost of the unit column, or 0 if that is negative."""
    X = problem()
    model = NSDR(n_components=1, lam=5.0, xi=xi, tol=0, max_iter=20_000, random_state=0)
    w = model.fit_transform(X)[:, 0]
    if xi == 0.002:
        assert np.linalg.norm(w) < 1e-6
    else:
        squared = w @ w
        rho = w @ matrix(X, 5.0) @ w / squared
        assert 0.01 < rho < 0.02  # between the small xi and the others
        assert squared == pytest.approx(1 - rho / xi, abs=1e-6)


def test_without_the_samples_parts_of_the_graph_are_the_columns():
    """For lam = 0 and a graph in as many parts as clusters, these cost nothing and are found."""
    S = sp.csr_array(sp.block_diag([np.ones((n, n)) - np.eye(n) for n in (9, 6, 5)]))
    part = np.repeat(np.arange(3), [9, 6, 5])
    model = NSDR(n_components=3, lam=0.0, xi=10.0, affinity=S, tol=1e-12, max_iter=5000)
    W = model.set_params(random_state=0).fit_transform(problem())
    assert model.objective_ < 1e-4
    assert adjusted_rand_score(model.labels_, part) == 1
    np.testing.assert_allclose(
        W @ W.T, (part[:, None] == part) / np.bincount(part)[part], atol=0.02
    )


def test_the_samples_can_overrule_the_graph():
    """A large weight of the discriminative term joins what the samples join, not the graph."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 10)
    X = np.eye(2)[y] + 0.05 * rng.random((20, 2))
    half = np.repeat([0, 1], 10)
    S = (half[:, None] == half) * 1.0
    found = {}
    for lam in (0.0, 1e3):
        model = NSDR(n_components=2, lam=lam, ridge=1e-3, xi=10.0, affinity=S, max_iter=3000)
        found[lam] = model.set_params(random_state=0, tol=1e-9).fit_predict(X)
    assert adjusted_rand_score(found[0.0], half) == 1
    assert adjusted_rand_score(found[1e3], y) == 1


def test_the_plain_step_may_rise_and_its_fourth_root_never_does():
    """Exponent 1 raises the objective from some points, 1/4 from none, whatever the split."""
    X, rose = problem(), 0
    A = normalized_affinity(graphs.knn_affinity(X, 5, weights="heat"))
    rng = np.random.default_rng(0)
    for kind in (_SplitByEntries, _SplitByFactors):
        for lam, xi in ((1.0, 1e3), (50.0, 1.0), (1.0, 0.0)):
            split, Q = kind(X, A, lam, 1.0), matrix(X, lam)
            for size in (0.05, 0.3, 2.0):
                for _ in range(5):
                    W = size * rng.random((N, R))
                    plus, minus, new = (np.empty_like(W) for _ in range(3))
                    split.multiply(W, plus, minus)
                    parts = minus + xi * W, plus + xi * W @ (W.T @ W)
                    before = value(W, Q, xi)
                    power_ratio(new, W, *parts, 0.25)
                    assert value(new, Q, xi) <= before * (1 + 1e-12)
                    power_ratio(new, W, *parts, 1.0)
                    rose += value(new, Q, xi) > before * 1.01
    assert rose > 5


def test_the_split_depends_on_the_number_of_samples(monkeypatch):
    """Dense arrays of all pairs are for few samples, or for no more than there are features."""
    kinds = {}
    for shape in ((20, 8), (20, 25), (60, 8)):
        X = problem(0, *shape)
        with monkeypatch.context() as patch:
            patch.setattr(nsdr, "_DENSE", 30)
            s = NSDR()._start(X, R, np.random.default_rng(0), None)
        kinds[shape] = type(s.split)
    assert kinds == {(20, 8): _SplitByEntries, (20, 25): _SplitByEntries, (60, 8): _SplitByFactors}
    tall = problem(0, 100, 30)
    with monkeypatch.context() as patch:
        patch.setattr(nsdr, "_DENSE", 30)
        patch.setattr(nsdr._SplitByEntries, "__init__", None)
        NSDR(n_components=R, max_iter=3, random_state=0).fit(tall)


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"lam": -1.0}, "lam must be a finite number"),
        ({"xi": np.inf}, "xi must be a finite number"),
        ({"ridge": 0.0}, "ridge must be a finite number above 0"),
        ({"split": "signs"}, "split must be one of 'auto'"),
        ({"init": "random"}, "init must be one of 'spectral'"),
    ],
)
def test_bad_parameters_are_refused(params, match):
    """A weight or a name that makes no sense is refused by name."""
    with pytest.raises(ValueError, match=match):
        NSDR(n_components=R, **params).fit(problem())
