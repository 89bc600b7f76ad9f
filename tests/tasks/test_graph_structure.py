"""Structure of a representation: matched distances by brute force, edges by loops."""

from itertools import permutations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.utils import Bunch

from nmfbench.engine.perform import perform
from nmfbench.solvers import make_solver
from nmfbench.tasks.base import Outcome
from nmfbench.tasks.graph_structure import (
    graph_structure,
    indicator_distances,
    neighbour_graph,
    share_joining,
)
from nmfbench.trials.trial import Trial


def indicators(y):
    return np.array([(y == c) / np.sqrt(np.sum(y == c)) for c in np.unique(y)]).T


@pytest.mark.parametrize("seed", range(5))
def test_columns_are_matched_as_well_as_can_be(seed):
    """Every order of the columns is tried; one column is zero in some."""
    rng = np.random.default_rng(seed)
    y = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 3])
    W = rng.random((10, 4)) ** 3 * rng.uniform(0.1, 3, 4)
    W[:, seed % 4] *= seed % 2
    F = indicators(y)
    orders = [list(order) for order in permutations(range(4))]
    lengths = np.linalg.norm(W, axis=0)
    cosines = (W.T @ F) / np.where(lengths > 0, lengths, 1)[:, None]
    scaled = np.sqrt(min(1 - np.mean(cosines[order, range(4)]) for order in orders))
    literal = min(np.linalg.norm(W[:, order] - F) / np.sqrt(4) for order in orders)
    assert indicator_distances(W, y) == pytest.approx((scaled, literal))


def test_indicators_are_at_no_distance():
    """In any order; scaled, also at any scale, and nothing at all is at the distance 1."""
    y = np.array([2, 2, 5, 5, 5, 9])
    F = indicators(y)
    assert indicator_distances(F[:, [2, 0, 1]], y) == pytest.approx((0.0, 0.0), abs=1e-7)
    assert indicator_distances(F * [9.0, 0.5, 2.0], y)[0] == pytest.approx(0.0, abs=1e-7)
    assert indicator_distances(np.zeros((6, 3)), y) == pytest.approx((1.0, 1.0))


def test_there_is_a_column_for_each_class():
    """Otherwise the remedy is named."""
    with pytest.raises(ValueError, match="n_components"):
        indicator_distances(np.ones((4, 3)), np.array([0, 0, 1, 1]))


def _edges(X, p):
    """Pairs of which one is among the nearest of the other, by loops."""
    X = X / np.linalg.norm(X, axis=1, keepdims=True)
    near = []
    for i, x in enumerate(X):
        others = [j for j in range(len(X)) if j != i]
        near.append(sorted(others, key=lambda j, x=x: (np.sum((X[j] - x) ** 2), j))[:p])
    n = len(X)
    return [(i, j) for i in range(n) for j in range(i) if i in near[j] or j in near[i]]


def test_edges_are_counted():
    """Of clusters that are plain to see, and of the classes of the samples."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 6)
    X = rng.random((18, 5)) + 0.3 * np.eye(5)[y]
    W = np.eye(3)[np.r_[y[:-1], 0]] + 0.001 * rng.random((18, 3))
    arrays = {"train": np.arange(18), "W": W, "components": np.ones((3, 5))}
    solver, data = make_solver("rnmfd", n_neighbors=4), Bunch(X=X, y=y)
    found = graph_structure(data, solver, rng, Outcome({}, {}, arrays)).metrics
    edges, labels = _edges(X, 4), np.r_[y[:-1], 0]
    within = np.mean([labels[i] == labels[j] for i, j in edges])
    pairs = np.mean([labels[i] == labels[j] for i in range(18) for j in range(i)])
    assert found["edges-within-clusters"] == pytest.approx(within)
    assert found["pairs-within-clusters"] == pytest.approx(pairs)
    assert found["edges-over-chance"] == pytest.approx(within - pairs)
    counted = neighbour_graph(data, solver, rng).metrics
    between = np.mean([y[i] != y[j] for i, j in edges])
    assert counted == pytest.approx({"edges": len(edges), "edges-between-classes": between})


def test_classes_are_drawn_whole():
    """Two of three classes, far apart: no edge leaves one, and all of their samples are there."""
    y = np.repeat([0, 1, 2], 6)
    X = np.eye(3)[y] + 0.01 * np.random.default_rng(0).random((18, 3))
    solver = make_solver("rnmfd", n_neighbors=5)
    found = neighbour_graph(Bunch(X=X, y=y), solver, np.random.default_rng(1), n_classes=2)
    assert found.metrics == {"edges": 2 * 15, "edges-between-classes": 0.0}


def test_one_cluster_preserves_nothing():
    """All edges are within it, and so are all pairs."""
    y = np.repeat([0, 1], 5)
    X = np.random.default_rng(0).random((10, 4))
    arrays = {"train": np.arange(10), "W": np.ones((10, 2)), "components": np.ones((2, 4))}
    outcome = graph_structure(
        Bunch(X=X, y=y), make_solver("rnmfd"), np.random.default_rng(0), Outcome({}, {}, arrays)
    )
    assert outcome.metrics["edges-within-clusters"] == 1.0
    assert outcome.metrics["edges-over-chance"] == 0.0


def test_a_clusterer_has_its_own_clusters():
    """They count, and not K-means of W; a solver without a graph is judged on five neighbours."""
    y = np.repeat([0, 1], 7)
    X = np.random.default_rng(0).random((14, 4))
    arrays = {"train": np.arange(14), "W": np.eye(2)[y], "components": np.ones((2, 4))}
    arrays["labels"] = np.arange(14) % 2
    outcome = graph_structure(Bunch(X=X, y=y), make_solver("mu"), None, Outcome({}, {}, arrays))
    within = np.mean([(i - j) % 2 == 0 for i, j in _edges(X, 5)])
    assert outcome.metrics["edges-within-clusters"] == pytest.approx(within)


def test_clusters_are_those_of_a_fit():
    """Metrics of the fit are handed on."""
    options = {"n_components": 10, "unit_samples": True}
    trial = Trial("graph-structure", "digits", "rnmfd", options=options, params={"max_iter": 5})
    base = perform(trial.base)
    found = perform(trial, base).metrics
    assert base.metrics.items() <= found.items()
    assert 0 < found["indicator-distance"] < 1


def test_the_share_of_edges_counts_each_once():
    """A triangle with a tail."""
    A = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]])
    assert share_joining(csr_array(A), np.array([0, 0, 0, 1])) == 0.75
