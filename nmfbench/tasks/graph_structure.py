"""Structure of a representation: is it near the classes, and are neighbours in one cluster?"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.preprocessing import normalize

from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.optim.graphs import knn_affinity
from nmfbench.tasks.base import Outcome, fit_of
from nmfbench.tasks.clustering import kmeans_labels, scaled_representation

__all__ = ["graph_structure", "indicator_distances", "neighbour_graph", "share_joining"]

_NEIGHBORS = 5


@register_task(
    "graph-structure",
    summary="distance of the representation from the classes' indicators, and the share of the "
    "neighbour graph's edges within clusters",
    based_on="factorization",
    # As cosines and accuracies: two points.
    matters={"indicator-distance*": 0.02, "edges-*": 0.02, "pairs-within-clusters": None},
)
def graph_structure(data, solver, rng, base):
    """Compare the representation with the classes and its clusters with the neighbour graph.

    Parameters
    ----------
    data : Bunch
        With ``X`` and labels ``y``.
    solver : estimator
        For its parameter ``n_neighbors``; of one without it, the graph has five neighbours.
    rng : Generator
        Starts K-means.
    base : Outcome
        Of the task ``factorization``.

    Returns
    -------
    Outcome
        Metrics ``indicator-distance`` and ``indicator-distance-unscaled``, see
        :func:`indicator_distances`. Of the solver's own clusters, or of those by K-means of the
        representation: ``edges-within-clusters``, the share of the edges of the graph of samples of
        unit length that join samples of one cluster; ``pairs-within-clusters``, the share of all
        pairs that are in one cluster, which is what edges at random would have;
        ``edges-over-chance``, the difference of the two, 0 where all samples are in one cluster.
        Then the metrics of the factorization.

    References
    ----------
    Guo, Ding & Zhou (2014), Eqs. (3), (7) and (8), Figure 2(b).
    """
    arrays = base.arrays
    rows = arrays["train"]
    W, y = arrays["W"].astype(np.float64), np.asarray(data.y)[rows]
    scaled, as_they_are = indicator_distances(W, y)
    if "labels" in arrays:
        labels = arrays["labels"]
    else:
        labels = kmeans_labels(scaled_representation(solver, arrays), W.shape[1], rng)
    n_neighbors = getattr(solver, "n_neighbors", _NEIGHBORS)
    graph = knn_affinity(normalize(data.X[rows]), n_neighbors)
    edges = share_joining(graph, labels)
    sizes = np.unique(labels, return_counts=True)[1].astype(float)
    n = len(labels)
    pairs = float((sizes * (sizes - 1)).sum() / (n * (n - 1)))
    metrics = {
        "indicator-distance": scaled,
        "indicator-distance-unscaled": as_they_are,
        "edges-within-clusters": edges,
        "pairs-within-clusters": pairs,
        "edges-over-chance": edges - pairs,
    }
    return Outcome(metrics | base.metrics, base.fit)


@register_task(
    "neighbour-graph",
    summary="share of the edges of the neighbour graph that join samples of different classes",
    matters={"edges-*": 0.02, "edges": None},
)
def neighbour_graph(data, solver, rng, *, n_classes=None):
    """Count the edges of the graph of samples of unit length, without a fit.

    Parameters
    ----------
    data : Bunch
        With ``X`` and labels ``y``.
    solver : estimator
        For its parameter ``n_neighbors``.
    rng : Generator
        Draws classes.
    n_classes : int, optional
        Keep this many classes, drawn at random, with all of their samples; by default keep all.

    Returns
    -------
    Outcome
        Metrics ``edges``, how many there are, and ``edges-between-classes``, the share that joins
        samples of different classes.

    References
    ----------
    Guo, Ding & Zhou (2014), Eq. (3), Figure 2(a).
    """
    y, clock = np.asarray(data.y), Trace()
    rows = np.arange(len(y))
    if n_classes is not None:
        rows = np.flatnonzero(np.isin(y, rng.choice(np.unique(y), n_classes, replace=False)))
    with clock.clock():
        graph = knn_affinity(normalize(data.X[rows]), solver.n_neighbors)
    between = 1 - share_joining(graph, y[rows])
    return Outcome({"edges": graph.nnz / 2, "edges-between-classes": between}, fit_of(clock, 0))


def share_joining(graph, labels) -> float:
    """Share of the edges of a symmetric graph that join samples of one label.

    Examples
    --------
    >>> path = knn_affinity(np.array([[0.0], [1.0], [2.5]]), 1)
    >>> share_joining(path, np.array([0, 0, 1]))
    0.5
    """
    ends = graph.tocoo()
    return float(np.mean(labels[ends.row] == labels[ends.col]))


def indicator_distances(W, y) -> tuple[float, float]:
    r"""Distances of a representation from the scaled indicator matrix of classes, columns matched.

    The column of a class of :math:`m` samples is :math:`1/\sqrt m` on these and 0 elsewhere.

    Parameters
    ----------
    W : ndarray of shape (n_samples, r)
    y : ndarray of shape (n_samples,)
        ``r`` classes.

    Returns
    -------
    scaled, as_they_are : float
        :math:`\|\bar W - F\|_F / \sqrt{2 r}` of the columns scaled to unit length, from 0 to 1, the
        same whatever the scale of the columns; and :math:`\|W - F\|_F / \sqrt r`, 1 if ``W`` is 0.
        Each with the order of columns that makes it smallest.

    Raises
    ------
    ValueError
        If there are not as many classes as columns.

    Examples
    --------
    >>> W = np.array([[0.0, 3.0], [0.0, 3.0], [1.0, 0.0]])
    >>> indicator_distances(W, np.array([5, 5, 7]))[0]
    0.0
    """
    classes, member = np.unique(y, return_inverse=True)
    r = W.shape[1]
    if len(classes) != r:
        raise ValueError(
            f"W has {r} columns, but y has {len(classes)} classes: set n_components to the number "
            "of classes."
        )
    F = np.zeros((len(y), r))
    F[np.arange(len(y)), member] = 1
    F /= np.sqrt(F.sum(axis=0))

    def least(columns):
        products = columns.T @ F
        matched = products[linear_sum_assignment(products, maximize=True)].sum()
        return max(float(np.vdot(columns, columns) + r - 2 * matched), 0.0)

    # A column of zeros has no direction: it is as far as one at a right angle.
    lengths = np.linalg.norm(W, axis=0)
    unit = W / np.where(lengths > 0, lengths, 1.0)
    lost = np.count_nonzero(lengths == 0)
    return float(np.sqrt((least(unit) + lost) / (2 * r))), float(np.sqrt(least(W) / r))
