"""Neighbour graphs against slow, obvious versions."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import kneighbors_graph

from nmfbench.optim import graphs
from nmfbench.optim.graphs import (
    check_affinity,
    degrees,
    knn_affinity,
    laplacian,
    laplacian_norm,
    smoothness,
)


def by_hand(X, k):
    """The k nearest others of each sample, ties to the lower index; then "or"."""
    n = len(X)
    S = np.zeros((n, n))
    for i in range(n):
        order = sorted((((X[i] - X[j]) ** 2).sum(), j) for j in range(n) if j != i)
        for _, j in order[:k]:
            S[i, j] = S[j, i] = 1
    return S


def samples(kind, n=60, m=7):
    rng = np.random.default_rng(len(kind))
    if kind == "continuous":
        return rng.random((n, m))
    if kind == "binary":  # ties everywhere
        return rng.integers(0, 2, (n, m)) * 1.0
    if kind == "duplicates":  # more copies of a sample than neighbours
        return np.repeat(rng.random((n // 10, m)), 10, axis=0)
    if kind == "all equal":
        return np.full((n, m), 0.1)
    return rng.random((n, m)) * (rng.random((n, m)) < 0.3) + 1e6 * (kind == "far from the origin")


KINDS = ["continuous", "binary", "duplicates", "all equal", "sparse", "far from the origin"]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("kind", KINDS)
def test_neighbours_are_those_found_by_hand(kind, form):
    """Exactly the k nearest others, whatever the layout, ties to the lower index."""
    X = samples(kind)
    for k in (1, 5):
        S = knn_affinity(form(X), k)
        assert sp.issparse(S)
        np.testing.assert_array_equal(S.toarray(), by_hand(X, k))


def test_the_graph_is_that_of_scikit_learn():
    """Without ties, the graph is scikit-learn's, symmetrised."""
    X = samples("continuous", 300, 20)
    theirs = kneighbors_graph(X, 5)
    np.testing.assert_array_equal(knn_affinity(X).toarray(), theirs.maximum(theirs.T).toarray())


@pytest.mark.parametrize("n", [1, 2, 4])
def test_too_many_neighbours_join_all_samples(n):
    """With n_neighbors >= n_samples the graph is complete, and one sample has no edges."""
    S = knn_affinity(samples("continuous", n), 9)
    np.testing.assert_array_equal(S.toarray(), 1 - np.eye(n))


def test_blocks_of_rows_change_nothing(monkeypatch):
    """The graph does not depend on how many distances fit into memory."""
    X = samples("binary", 700, 8)
    whole = knn_affinity(X)
    monkeypatch.setattr(graphs, "_MEBIBYTES", 1)
    monkeypatch.setattr(graphs, "_BLOCK", 100)
    np.testing.assert_array_equal(knn_affinity(X).toarray(), whole.toarray())
    W = np.random.default_rng(0).random((700, 3))
    assert smoothness(whole, W) == pytest.approx(np.sum(W * (laplacian(whole) @ W)))


def test_heat_weights_fall_with_the_distance():
    """exp(-d^2 / mean d^2) on the edges; equal samples have weight 1."""
    X = samples("continuous")
    S = knn_affinity(X, 3, weights="heat").toarray()
    edges = by_hand(X, 3) > 0
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    expected = np.where(edges, np.exp(-squared / squared[edges].mean()), 0)
    np.testing.assert_allclose(S, expected, rtol=1e-12)
    assert set(knn_affinity(samples("all equal"), 3, weights="heat").data) == {1.0}


@pytest.mark.parametrize(("params", "match"), [((0,), "n_neighbors"), ((2, "cosine"), "weights")])
def test_bad_parameters_are_refused(params, match):
    """Parameters that make no graph are refused by name."""
    with pytest.raises(ValueError, match=match):
        knn_affinity(np.ones((3, 2)), params[0], weights=(*params, "binary")[1])


def random_affinity(n=12, seed=0):
    rng = np.random.default_rng(seed)
    A = rng.random((n, n)) * (rng.random((n, n)) < 0.3)
    A = np.triu(A, 1)
    A[:, 4] = A[4] = 0  # an isolated sample
    return A + A.T


def test_smoothness_is_the_quadratic_form_of_the_laplacian():
    """Half the weighted sum over pairs, and tr(W' L W); zero on what is constant."""
    A = random_affinity()
    W = np.random.default_rng(1).random((12, 3))
    S, L = sp.csr_array(A), np.diag(A.sum(axis=1)) - A
    pairs = sum(A[i, j] * ((W[i] - W[j]) ** 2).sum() for i in range(12) for j in range(12)) / 2
    np.testing.assert_allclose(laplacian(S).toarray(), L, atol=1e-15)
    np.testing.assert_allclose(degrees(S), A.sum(axis=1))
    assert smoothness(S, W) == pytest.approx(pairs)
    assert smoothness(S, W) == pytest.approx(np.trace(W.T @ L @ W))
    assert smoothness(S, np.full((12, 3), 0.1)) == 0
    assert smoothness(sp.csr_array((12, 12)), W) == 0


def test_the_norm_of_the_laplacian_is_bounded():
    """Never below the largest eigenvalue, never above twice the largest degree; sharp at times."""
    for seed in range(20):
        A = random_affinity(seed=seed)
        bound = laplacian_norm(sp.csr_array(A))
        assert bound >= np.linalg.eigvalsh(np.diag(A.sum(axis=1)) - A)[-1]
        assert bound <= 2 * A.sum(axis=1).max()
    assert laplacian_norm(sp.csr_array([[0.0, 3.0], [3.0, 0.0]])) == 6
    assert laplacian_norm(sp.csr_array((3, 3))) == 0


def test_a_given_affinity_is_cleaned():
    """Dense or sparse, it becomes CSR without its diagonal, and the original is left alone."""
    A = random_affinity() + np.eye(12)
    for given in (A, sp.coo_matrix(A), sp.csr_array(A)):
        S = check_affinity(given, 12)
        np.testing.assert_array_equal(S.toarray(), A - np.eye(12))
        assert S.data.all()
        assert given.diagonal().all()


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda A: A[:-1], "shape"),
        (lambda A: A - 0.1, "negative"),
        (lambda A: np.triu(A), "symmetric"),
        (lambda A: np.where(A.max() == A, np.nan, A), "NaN"),
    ],
)
def test_a_bad_affinity_is_refused(change, match):
    """The error says what is wrong with the graph."""
    for form in (np.asarray, sp.csr_matrix):
        with pytest.raises(ValueError, match=f"affinity.*{match}"):
            check_affinity(form(change(random_affinity())), 12)


def test_shared_graphs_are_made_once(monkeypatch):
    """Equal samples have one graph; another number, weight or sample has its own; outside none."""
    X = np.random.default_rng(0).uniform(0, 1, (12, 3))
    calls = []
    made = graphs._knn_affinity
    monkeypatch.setattr(graphs, "_knn_affinity", lambda *args: calls.append(1) or made(*args))
    cache = graphs.GraphCache()
    alone = graphs.knn_affinity(X, 2)
    graphs.knn_affinity(X, 2)
    assert len(calls) == 2
    with graphs.shared_graphs(cache):
        shared = graphs.knn_affinity(X, 2)
        shared.data[:] = 7  # the caller's own
        again = graphs.knn_affinity(X.copy(), 2)
        assert len(calls) == 3
        others = [
            graphs.knn_affinity(X, 3),
            graphs.knn_affinity(X, 2, weights="heat"),
            graphs.knn_affinity(np.ascontiguousarray(X.T), 2),
            graphs.knn_affinity(X + 1e-9, 2),
            graphs.knn_affinity(sp.csr_matrix(X), 2),
        ]
        assert len(calls) == 3 + len(others)
    np.testing.assert_array_equal(again.toarray(), alone.toarray())
    with graphs.shared_graphs(cache):
        graphs.knn_affinity(X, 2)
    assert len(calls) == 3 + len(others)
    graphs.knn_affinity(X, 2)
    assert len(calls) == 4 + len(others)


def test_few_shared_graphs_are_kept():
    """The ones not used for longest go first."""
    cache = graphs.GraphCache(size=2)
    X = np.random.default_rng(0).uniform(0, 1, (12, 3))
    with graphs.shared_graphs(cache):
        for k in (1, 2, 1, 3):
            graphs.knn_affinity(X, k)
    assert [key[1] for key in cache.graphs] == [1, 3]
