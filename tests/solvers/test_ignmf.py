"""IGNMF: objective, fixed points, and the two forms of its constraint."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.preprocessing import normalize

from nmfbench.optim import graphs
from nmfbench.solvers.graph.gnmf import GNMF
from nmfbench.solvers.graph.ignmf import IGNMF

N, M, R = 12, 9, 3


def problem(seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((N, M)), rng.random((N, R)), rng.random((R, M))


def dense(S):
    S = S.toarray()
    D = np.diag(S.sum(axis=1))
    return S, D, D - S


def blocks(seed=0, size=6):
    """Samples of three classes, and the graph that joins all of a class."""
    rng = np.random.default_rng(seed)
    classes = np.repeat(np.arange(R), size)
    X = np.repeat(np.eye(R, M), size, axis=0) + 0.2 * rng.random((R * size, M))
    S = (classes[:, None] == classes).astype(float)
    np.fill_diagonal(S, 0)
    return X, S, classes


@pytest.mark.against("ignmf", "its formulas, written out")
@pytest.mark.parametrize("constraint", ["multiplier", "penalty"])
def test_the_objective_is_that_of_the_definition(constraint):
    """The fit reports the objective of the factors that it returns."""
    X, W, H = problem()
    alpha, xi = 0.7, 3.0
    params = {"alpha": alpha, "constraint": constraint, "xi": xi, "scale": "none"}
    model = IGNMF(n_components=R, n_neighbors=2, max_iter=7, tol=0, **params)
    W = model.fit_transform(X, W=W, H=H)
    _, D, L = dense(graphs.knn_affinity(X, 2))
    expected = np.sum((X - W @ model.components_) ** 2) + alpha * np.trace(W.T @ L @ W)
    if constraint == "penalty":
        expected += xi * np.sum((W.T @ D @ W - np.eye(R)) ** 2)
    else:
        np.testing.assert_allclose(np.diag(W.T @ D @ W), 1)
    assert model.objective_ == pytest.approx(expected)


@pytest.mark.against("ignmf", "its formulas, written out")
def test_a_step_with_the_multiplier_is_that_of_the_definition():
    """A sweep in dense matrices, from the formulas, gives the same factors."""
    X, W, H = problem()
    alpha = 0.7
    model = IGNMF(n_components=R, n_neighbors=2, alpha=alpha, max_iter=2, tol=0, scale="none")
    found = model.fit_transform(X, W=W, H=H)
    S, D, _ = dense(graphs.knn_affinity(X, 2))

    def constrained(W, H):
        lengths = np.sqrt(np.diag(W.T @ D @ W))
        return W / lengths, H * lengths[:, None]

    W, H = constrained(W, H)
    for _ in range(2):
        H = H * (W.T @ X) / (W.T @ W @ H)
        gamma = W.T @ (X @ H.T + alpha * S @ W - W @ H @ H.T)
        gamma = (gamma + gamma.T) / 2
        plus, minus = np.maximum(gamma, 0), np.diag(np.maximum(-np.diag(gamma), 0))
        above = X @ H.T + alpha * S @ W + D @ W @ minus
        W = W * np.sqrt(above / (W @ H @ H.T + D @ W @ plus))
        W, H = constrained(W, H)
    np.testing.assert_allclose(found, W, rtol=1e-9)
    np.testing.assert_allclose(model.components_, H, rtol=1e-9)


@pytest.mark.against("ignmf", "the conditions of an optimum")
def test_the_penalty_ends_where_the_gradient_vanishes():
    """At the limit, slopes vanish or entries do, and no slope is negative."""
    X, S, _ = blocks()
    alpha, xi = 2.0, 5.0
    params = {"alpha": alpha, "constraint": "penalty", "xi": xi, "scale": "none"}
    model = IGNMF(n_components=R, affinity=S, max_iter=5000, tol=0, random_state=1, **params)
    W = model.fit_transform(X)
    H = model.components_
    D = np.diag(S.sum(axis=1))
    slope = 2 * (W @ H - X) @ H.T + 2 * alpha * (D - S) @ W
    slope += 4 * xi * D @ W @ (W.T @ D @ W - np.eye(R))
    for factor, gradient in ((W, slope), (H, 2 * W.T @ (W @ H - X))):
        assert np.abs(factor * gradient).max() < 1e-6
        assert gradient.min() > -1e-4


@pytest.mark.parametrize("constraint", ["multiplier", "penalty"])
def test_parts_of_a_graph_become_the_columns(constraint):
    """Where classes are not joined, columns are their indicators, of unit length in D."""
    X, S, classes = blocks()
    params = {"constraint": constraint, "affinity": S}
    model = IGNMF(n_components=R, max_iter=500, tol=0, random_state=1, **params)
    W = model.fit_transform(X)
    D = np.diag(S.sum(axis=1))
    np.testing.assert_allclose(W.T @ D @ W, np.eye(R), atol=0.02)
    labels = W.argmax(axis=1)
    expected = np.zeros_like(W)
    expected[np.arange(len(W)), labels] = 1 / np.sqrt(S.sum(axis=1) * 6)
    np.testing.assert_allclose(W, expected, atol=0.01)
    assert len(set(zip(classes.tolist(), labels.tolist(), strict=True))) == R


def test_with_the_penalty_off_it_is_gnmf():
    """With xi = 0 every step descends with exponent 1, and is that of GNMF."""
    X, W, H = problem()
    params = {"n_components": R, "alpha": 0.5, "max_iter": 20, "tol": 0}
    found = IGNMF(**params, constraint="penalty", xi=0).fit(X, W=W, H=H)
    expected = GNMF(**params, normalize=False).fit(X, W=W, H=H)
    np.testing.assert_allclose(found.components_, expected.components_, rtol=1e-9)
    np.testing.assert_allclose(found.trace_["objective"], expected.trace_["objective"])


def test_columns_stay_apart_where_the_graph_weighs_little():
    """With a small weight the fit is nearly as good as without a constraint, on real digits."""
    X = load_digits().data[:120]
    params = {"n_components": 10, "alpha": 0.01, "random_state": 0}
    model = IGNMF(**params)
    W = model.fit_transform(X)
    _, D, _ = dense(graphs.knn_affinity(normalize(X)))
    assert (W.T @ D @ W - np.eye(10)).max() < 0.8
    assert model.objective_ < 1.2 * GNMF(**params).fit(X).objective_


def test_scale_does_not_escape():
    """However long the fit, columns keep their length, while GNMF's shrink."""
    X, S, _ = blocks()
    sizes = {}
    for n_iter in (50, 1500):
        params = {"n_components": R, "affinity": S + 0.05, "max_iter": n_iter, "tol": 0}
        ours = IGNMF(**params, random_state=0)
        theirs = GNMF(**params, random_state=0, normalize=False)
        sizes[n_iter] = [np.linalg.norm(model.fit_transform(X)) for model in (ours, theirs)]
    assert sizes[1500][0] == pytest.approx(sizes[50][0], rel=0.1)
    assert sizes[1500][1] < 0.9 * sizes[50][1]


def test_given_factors_start_the_penalty_as_they_are():
    """With the penalty the trace starts at the given factors; otherwise on the constraint."""
    X, W, H = problem()
    _, D, L = dense(graphs.knn_affinity(X, 2))
    params = {"n_components": R, "n_neighbors": 2, "scale": "none", "alpha": 2.0, "max_iter": 1}
    model = IGNMF(**params, constraint="penalty", xi=3.0).fit(X, W=W, H=H)
    expected = np.sum((X - W @ H) ** 2) + 2 * np.trace(W.T @ L @ W)
    expected += 3 * np.sum((W.T @ D @ W - np.eye(R)) ** 2)
    assert model.trace_["objective"][0] == pytest.approx(expected)
    model = IGNMF(**params).fit(X, W=W, H=H)
    V = W / np.sqrt(np.diag(W.T @ D @ W))
    expected = np.sum((X - W @ H) ** 2) + 2 * np.trace(V.T @ L @ V)
    assert model.trace_["objective"][0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"alpha": -1}, "alpha must be a finite number"),
        ({"xi": np.inf}, "xi must be a finite number"),
        ({"constraint": "exact"}, "constraint must be"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(params, match):
    """Each error names the parameter."""
    with pytest.raises(ValueError, match=match):
        IGNMF(n_components=R, **params).fit(problem()[0])
