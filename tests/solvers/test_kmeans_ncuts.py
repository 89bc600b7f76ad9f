"""K-means, normalised cuts and eigenvectors of a graph, against brute force and scikit-learn."""

import itertools
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.cluster
from scipy.sparse.csgraph import connected_components
from sklearn.manifold import spectral_embedding
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from nmfbench.optim import graphs
from nmfbench.solvers.graph import spectral
from nmfbench.solvers.graph.clusterers import indicator, kmeans, kmeans_start, strongest
from nmfbench.solvers.graph.kmeans import KMeans
from nmfbench.solvers.graph.ncuts import NCuts, best_cut, normalized_cut, recursive_cuts
from nmfbench.solvers.graph.spectral import (
    normalized_affinity,
    spectral_rows,
    spectral_vectors,
)


def blobs(sizes=(12, 10, 8), m=6, seed=0):
    """Samples of clusters that are far apart in direction, and what is in which."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = np.eye(len(sizes), m)[y] + 0.1 * rng.random((len(y), m))
    order = rng.permutation(len(y))
    return X[order] * rng.uniform(0.5, 2, (len(y), 1)), y[order]


def graph(n=40, density=0.15, seed=0):
    """A random weighted graph, probably connected."""
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    return sp.csr_array(A + A.T)


def union(*parts):
    return sp.csr_array(sp.block_diag(parts))


def labelings(n, k):
    """All ways to put n things in at most k clusters, the first in the first."""
    for rest in itertools.product(range(k), repeat=n - 1):
        yield np.array((0, *rest))


@pytest.mark.against("kmeans", "all partitions, by brute force")
@pytest.mark.parametrize("k", [1, 2, 3])
def test_kmeans_finds_the_best_partition(k):
    """On a few samples the sum of squares is the least of all partitions."""
    X = np.random.default_rng(k).random((7, 3))
    best = np.inf
    for labels in labelings(7, k):
        parts = (X[labels == c] for c in np.unique(labels))
        best = min(best, sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts))
    model = KMeans(n_components=k, scale="none", n_init=50, random_state=0).fit(X)
    assert model.objective_ == pytest.approx(best)


@pytest.mark.against("kmeans", "sklearn.cluster.KMeans")
def test_kmeans_is_that_of_scikit_learn_on_scaled_samples():
    """The same clusters and centres, and the factors are what they should be of them."""
    X, y = blobs()
    model = KMeans(n_components=3, random_state=0)
    W = model.fit_transform(X)
    peer = sklearn.cluster.KMeans(3, n_init=10, random_state=5).fit(normalize(X))
    assert adjusted_rand_score(model.labels_, peer.labels_) == 1
    assert adjusted_rand_score(model.labels_, y) == 1
    assert model.objective_ == pytest.approx(peer.inertia_)
    assert model.objective_ == pytest.approx(((normalize(X) - W @ model.components_) ** 2).sum())
    np.testing.assert_array_equal(W, np.eye(3)[model.labels_])
    np.testing.assert_array_equal(model.fit_predict(X), model.labels_)
    spread = normalize(X) - normalize(X).mean(axis=0)
    assert model.trace_["objective"][0] == pytest.approx((spread**2).sum())
    assert model.n_iter_ == model.trace_["iteration"][-1] >= 1
    assert model.stop_reason_ == "converged"


def test_kmeans_stops_when_told():
    """One iteration is too few for samples without clusters, and the reason says so."""
    X = np.random.default_rng(0).random((300, 4))
    model = KMeans(n_components=6, max_iter=1, n_init=1, random_state=0).fit(X)
    assert model.stop_reason_ == "max_iter"
    assert model.n_iter_ == 1
    long = KMeans(n_components=6, n_init=1, random_state=0).fit(X)
    assert long.objective_ < model.objective_
    with pytest.raises(ValueError, match="n_init must be an integer of at least 1"):
        KMeans(n_components=2, n_init=0).fit(X)


def test_the_number_of_threads_does_not_matter():
    """The same bits from one thread and from four, on samples enough for several."""
    X = np.random.default_rng(0).random((20_000, 5))
    centres = []
    for threads in (1, 4):
        with threadpool_limits(threads, user_api="openmp"):
            model = kmeans(X, 8, np.random.default_rng(0), n_init=1, max_iter=30)
            centres.append(model.cluster_centers_)
    np.testing.assert_array_equal(*centres)


def test_more_clusters_than_distinct_samples():
    """K-means keeps duplicates together and leaves clusters empty; a graph may tell them apart."""
    X = np.repeat(blobs((1, 1, 1))[0], 6, axis=0)
    for k in (5, 18):
        model = KMeans(n_components=k, random_state=0).fit(X)
        labels = model.labels_.reshape(3, 6)
        assert (labels == labels[:, :1]).all()
        assert len(np.unique(labels)) == 3
        assert model.components_.shape == (k, 6)
        assert model.objective_ == pytest.approx(0, abs=1e-12)
        labels = NCuts(n_components=k, n_neighbors=2, random_state=0).fit(X).labels_.reshape(3, 6)
        for a, b in itertools.combinations(labels, 2):
            assert not set(a) & set(b)


@pytest.mark.parametrize("solver", [KMeans, NCuts])
def test_clusters_may_outnumber_features(solver):
    """The rank is bounded by the samples alone."""
    angles = np.repeat(np.arange(5) * np.pi / 8, 8)
    X = np.abs(np.column_stack([np.cos(angles), np.sin(angles)]))
    y = np.repeat(np.arange(5), 8)
    X += 0.01 * np.random.default_rng(0).random(X.shape)
    model = solver(n_components=5, random_state=0).fit(X)
    assert adjusted_rand_score(model.labels_, y) == 1
    with pytest.raises(ValueError, match="n_samples = 40"):
        solver(n_components=41).fit(X)


@pytest.mark.parametrize("n", [40, 400])
def test_spectral_vectors_are_those_of_the_smallest_eigenvalues(n):
    """Orthonormal, in order, and with the eigenvalues of a dense solver, by either method."""
    assert (n <= spectral._DENSE) == (n == 40)
    S = graph(n, 6 / n)
    L = np.eye(n) - normalized_affinity(S).toarray()
    expected = np.linalg.eigvalsh(L)
    for k in (1, 2, 7, n):
        V = spectral_vectors(S, k, np.random.default_rng(0))
        assert V.shape == (n, k)
        np.testing.assert_allclose(V.T @ V, np.eye(k), atol=1e-9)
        # Samples without neighbours come with the others whose eigenvalue is 1.
        np.testing.assert_allclose(V.T @ L @ V, np.diag(expected[:k]), atol=1e-8)


@pytest.mark.parametrize("n", [24, 330])
def test_all_copies_of_a_multiple_eigenvalue_are_found(n):
    """Three equal, disconnected graphs triple every eigenvalue, and none of the three is lost."""
    S = union(*[graph(n, 8 / n)] * 3)
    L = np.eye(3 * n) - normalized_affinity(S).toarray()
    V = spectral_vectors(S, 9, np.random.default_rng(0))
    np.testing.assert_allclose(np.diag(V.T @ L @ V), np.linalg.eigvalsh(L)[:9], atol=1e-8)


@pytest.mark.against(("ncuts", "nsdr"), "sklearn.manifold.spectral_embedding", part="spectral_rows")
def test_spectral_rows_are_the_embedding_of_scikit_learn():
    """Up to a rotation, which keeps distances, rows equal Shi & Malik's embedding."""
    S = graph(60, 0.2)
    ours = spectral_rows(S, 4, np.random.default_rng(0))
    theirs = spectral_embedding(
        S, n_components=4, eigen_solver="arpack", drop_first=False, random_state=0, eigen_tol=1e-10
    )
    theirs = normalize(theirs)
    np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-6)


def test_isolated_samples_and_more_components_than_clusters():
    """Samples without edges have zero rows; of many components the largest are separated."""
    ones = [np.ones((n, n)) - np.eye(n) for n in (3, 6, 4, 5, 1)]
    S = union(*ones)
    part = np.repeat(np.arange(5), [3, 6, 4, 5, 1])
    E = spectral_rows(S, 4, np.random.default_rng(0))
    np.testing.assert_allclose(E @ E.T, (part[:, None] == part) & (part < 4), atol=1e-12)
    two = spectral_rows(S, 2, np.random.default_rng(0))
    np.testing.assert_allclose(two, np.eye(5)[part][:, [1, 3]], atol=1e-12)
    assert not spectral_rows(sp.csr_array((7, 7)), 1, np.random.default_rng(0))[:6].any()
    X = np.random.default_rng(0).random((19, 5))
    labels = NCuts(n_components=4, affinity=S, random_state=0).fit(X).labels_
    assert adjusted_rand_score(labels[:18], part[:18]) == 1


@pytest.mark.parametrize("seed", range(3))
def test_the_normalised_cut_of_clear_clusters_is_the_smallest_of_all(seed):
    """No partition of a few samples cuts less; eigenvalues bound them all from below."""
    rng = np.random.default_rng(seed)
    A = np.kron(np.eye(2), np.ones((4, 4))) + 0.1 * rng.random((8, 8))
    A = A + A.T
    S = graphs.check_affinity(A, 8)
    model = NCuts(n_components=2, affinity=S, random_state=0).fit(rng.random((8, 3)))
    cuts = [normalized_cut(S, labels, 2) for labels in labelings(8, 2)]
    assert model.objective_ == pytest.approx(min(cuts))
    values = np.linalg.eigvalsh(np.eye(8) - normalized_affinity(S).toarray())
    assert values[:2].sum() <= min(cuts)


def test_the_normalised_cut_is_its_definition():
    """Weights of edges that leave a cluster, over all weights at its samples."""
    S = graph(12, 0.4)
    A, d = S.toarray(), S.toarray().sum(axis=1)
    labels = np.random.default_rng(0).integers(0, 3, 12)
    expected = 0.0
    for c in range(3):
        inside = labels == c
        expected += A[inside][:, ~inside].sum() / d[inside].sum()
    assert normalized_cut(S, labels, 3) == pytest.approx(expected)
    assert normalized_cut(S, labels, 5) == pytest.approx(expected + 2)  # two are empty
    assert normalized_cut(sp.csr_array((4, 4)), np.array([0, 1, 1, 0]), 2) == 2


@pytest.mark.against("ncuts", "sklearn.cluster.SpectralClustering")
def test_ncuts_finds_what_scikit_learn_finds():
    """Rings, which no centre tells apart: the clusters of SpectralClustering, and K-means fails."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    angle, radius = rng.uniform(0, 2 * np.pi, 120), np.where(y, 1.0, 2.0)
    X = 4 + np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    S = graphs.knn_affinity(X, 6)
    assert connected_components(S)[0] == 1
    model = NCuts(n_components=2, n_neighbors=6, scale="none", random_state=0)
    W = model.fit_transform(X)
    peer = sklearn.cluster.SpectralClustering(2, affinity="precomputed", random_state=0)
    assert adjusted_rand_score(model.labels_, y) == 1
    assert adjusted_rand_score(model.labels_, peer.fit_predict(S.toarray())) == 1
    assert adjusted_rand_score(KMeans(n_components=2, scale="none").fit(X).labels_, y) < 0.5
    np.testing.assert_array_equal(W, np.eye(2)[model.labels_])
    means = [X[model.labels_ == c].mean(axis=0) for c in range(2)]
    np.testing.assert_allclose(model.components_, means)
    assert model.objective_ == pytest.approx(normalized_cut(S, model.labels_, 2))
    assert model.trace_["objective"][0] == 1


@pytest.mark.against("ncuts", "thresholds of a dense eigenvector")
@pytest.mark.parametrize("diagonal", [0.0, 1.0])
def test_a_cut_is_the_best_of_twenty_thresholds(diagonal):
    """Eigenvector and cuts by the definition, dense, with and without a diagonal, give that cut."""
    for seed in range(5):
        A = graph(14, 0.5, seed).toarray() + diagonal * np.eye(14)
        d = A.sum(axis=1)
        values, vectors = np.linalg.eigh(np.eye(14) - A / np.sqrt(np.outer(d, d)))
        assert values[1] > 1e-6
        y = vectors[:, 1] / np.sqrt(d)
        step = (y.max() - y.min()) / 21
        sides = [y > y.min() + i * step for i in range(1, 21)]
        cuts = [
            A[side][:, ~side].sum() * (1 / d[side].sum() + 1 / d[~side].sum()) for side in sides
        ]
        value, side = best_cut(graphs.check_affinity(A, 14, diagonal=True), rng=None)
        assert value == pytest.approx(min(cuts))
        assert not side[0]
        assert value == pytest.approx(
            normalized_cut(sp.csr_array(A), side.astype(int), 2), abs=1e-12
        )


def test_the_part_that_costs_least_is_cut_next():
    """Of nested clusters the clearest go first; each level of the cuts refines the one before."""
    weights = {0: 1.0, 1: 0.3, 2: 0.1, 3: 0.01}
    i, j = np.indices((16, 16)) // 2
    A = np.vectorize(weights.get)(np.where(i == j, 0, np.floor(np.log2((i ^ j) + 0.5)) + 1))
    np.fill_diagonal(A, 0)
    S = sp.csr_array(A)
    two, four = (recursive_cuts(S, k, np.random.default_rng(0)) for k in (2, 4))
    np.testing.assert_array_equal(two, np.arange(16) // 8)
    assert adjusted_rand_score(four, np.arange(16) // 4) == 1
    three = recursive_cuts(S, 3, np.random.default_rng(0))
    assert len(np.unique(three)) == 3
    for coarse, fine in ((two, three), (three, four)):
        assert all(len(np.unique(coarse[fine == c])) == 1 for c in range(fine.max() + 1))


def test_recursive_cuts_know_components_and_stop_at_samples_without_edges():
    """Components come apart at no cost; what has no edges is not cut, however many are wanted."""
    S = union(*(np.ones((n, n)) - np.eye(n) for n in (5, 3, 4)))
    part = np.repeat([0, 1, 2], [5, 3, 4])
    assert adjusted_rand_score(recursive_cuts(S, 3, np.random.default_rng(0)), part) == 1
    assert recursive_cuts(sp.csr_array((4, 4)), 3, None).tolist() == [0, 0, 0, 0]
    assert recursive_cuts(sp.csr_array((1, 1)), 1, None).tolist() == [0]
    pair = union(np.array([[0.0, 1], [1, 0]]), np.zeros((2, 2)))
    for k in range(1, 5):
        labels = recursive_cuts(pair, k, np.random.default_rng(0))
        assert labels[0] == 0
        np.testing.assert_array_equal(np.unique(labels), np.arange(labels.max() + 1))
        assert labels.max() < k


def test_ncuts_by_recursive_cuts():
    """The solver gives the labels of the cuts, their indicator and objective, as K-means would."""
    X, y = blobs()
    S = graphs.knn_affinity(normalize(X), 5)
    model = NCuts(n_components=3, mode="recursive", random_state=0)
    W = model.fit_transform(X)
    assert adjusted_rand_score(model.labels_, y) == 1
    np.testing.assert_array_equal(W, np.eye(3)[model.labels_])
    assert model.objective_ == pytest.approx(normalized_cut(S, model.labels_, 3))
    assert model.n_iter_ == 3
    assert model.stop_reason_ == "converged"
    assert NCuts(n_components=1, mode="recursive").fit(X).labels_.max() == 0
    with pytest.raises(ValueError, match="mode must be"):
        NCuts(mode="both").fit(X)


def test_the_diagonal_counts_when_asked_for():
    """Similarities of samples with themselves are in the degrees, or they are dropped."""
    A = graph(10, 0.5).toarray() + np.diag(np.arange(1.0, 11))
    labels = {}
    for kept in (True, False):
        model = NCuts(n_components=3, affinity=A, self_similarity=kept, random_state=0)
        S = graphs.check_affinity(A, 10, diagonal=kept)
        assert (S.diagonal() > 0).all() == kept
        model.fit(np.ones((10, 2)))
        labels[kept] = model.objective_
        assert model.objective_ == pytest.approx(normalized_cut(S, model.labels_, 3))
    assert labels[True] < labels[False]


def test_ncuts_holds_no_array_of_all_pairs():
    """At its peak the fit of 4000 samples needs a small part of what their pairs would take."""
    X = np.random.default_rng(0).random((4000, 4))
    model = NCuts(n_components=4, n_init=1, random_state=0)
    model.fit(X[:500])  # compiles and imports
    tracemalloc.start()
    model.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.4 * 8 * len(X) ** 2


def test_starts_from_clusters():
    """Soft indicators of clusters of samples and of features; columns left over are even."""
    X, y = blobs(m=3)
    X = normalize(X)
    W, Ht = kmeans_start(X, 3, np.random.default_rng(0))
    assert adjusted_rand_score(W.argmax(axis=1), y) == 1
    np.testing.assert_allclose(np.sort(W, axis=1), np.tile([0.2, 0.2, 1.2], (30, 1)))
    W, Ht = kmeans_start(X.astype(np.float32), 5, np.random.default_rng(0))
    assert W.dtype == Ht.dtype == np.float32
    np.testing.assert_allclose(Ht.sum(axis=1), 2.0, rtol=1e-6)
    np.testing.assert_allclose(Ht[:, 3:], 0.2, rtol=1e-6)


def test_the_strongest_column_is_judged_at_unit_norm():
    """A large column does not take all; a zero column takes none."""
    F = np.array([[10.0, 1, 0], [10, 3, 0], [30, 1, 0]])
    np.testing.assert_array_equal(strongest(F), [1, 1, 0])
    np.testing.assert_array_equal(indicator([1, 0], 3, np.float32), [[0, 1, 0], [1, 0, 0]])
