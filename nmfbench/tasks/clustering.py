"""Clustering: do the samples of a class share a component?"""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import normalize

from nmfbench.core.registry import register_task
from nmfbench.core.validation import check_choice
from nmfbench.metrics.clustering import (
    clustering_accuracy,
    mutual_information,
    nmi_geometric,
    nmi_max,
)
from nmfbench.solvers.graph.clusterers import kmeans, strongest
from nmfbench.tasks.base import Outcome

__all__ = [
    "clustering",
    "cosine_similarities",
    "kmeans_labels",
    "scaled_representation",
    "strongest_component",
]

_SHUFFLES = 3  # for each trial: figures take means over many of these
_STARTS = 10  # of K-means


@register_task(
    "clustering",
    summary="agreement of clusters with classes: AC by optimal matching, mutual information",
    score="clustering-accuracy",
    score_name="clustering accuracy",
    higher_is_better=True,
    based_on="factorization",
    # A near tie between two components: one sample of the smoke grids' 20 or more.
    tolerances={
        "clustering-accuracy*": 0.05,
        "nmi-*": 0.15,
        "mutual-information": 0.3,
        "clusters": 1,
    },
    matters={
        "clustering-accuracy*": 0.02,
        "nmi-*": 0.02,
        "mutual-information": 0.05,
        "similarity-*": 0.02,  # cosines
        "clusters": None,
    },
)
def clustering(data, solver, rng, base, *, rule="component", n_clusters=None):
    """Cluster the samples of a factorization and compare with their classes.

    Parameters
    ----------
    data : Bunch
        With labels ``y``.
    solver : estimator
        For its class attribute ``fixes_scale``, see below.
    rng : Generator
        Shuffles labels, and starts K-means.
    base : Outcome
        Of the task ``factorization``.
    rule : {"component", "kmeans"}, default="component"
        How samples without labels get them: from their strongest component, see
        :func:`strongest_component`, or by K-means of the rows of W. A clusterer's own labels
        count in either case. Before K-means components are scaled to unit length, unless the
        problem that the solver is for fixes their scale.
    n_clusters : int, optional
        Of K-means; by default as many as there are components.

    Returns
    -------
    Outcome
        Metrics ``clustering-accuracy``, ``mutual-information`` (bits), ``nmi-geometric``,
        ``nmi-max``, and ``clusters``, how many are not empty. ``clustering-accuracy-shuffled``
        and ``nmi-max-shuffled`` are means over random orders of the labels found: scores by chance
        of clusters of these sizes. Then the metrics of the factorization. Arrays ``labels`` and
        ``classes``.

        With ``rule="kmeans"`` and without labels of its own, a solver has besides
        ``similarity-within`` and ``similarity-between``, see :func:`cosine_similarities`, and
        accuracy and geometric NMI by two other rules: ``...-rows`` by K-means of the rows of W
        scaled to unit length, ``...-argmax`` by the largest entry once columns have unit norm.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.3.1, Figures 10 and 11; Xu, Liu & Gong (2003); Guo, Ding
    & Zhou (2014), Section 4.1; Cai et al. (2011), who use K-means of the representation.
    """
    check_choice(rule, "rule", ("component", "kmeans"))
    if n_clusters is not None and rule != "kmeans":
        raise ValueError(
            f"n_clusters={n_clusters} is for rule='kmeans': by rule={rule!r} each component is a "
            "cluster. Leave n_clusters out, or set rule='kmeans'."
        )
    arrays = base.arrays
    y = np.asarray(data.y)[arrays["train"]]
    extra = {}
    if "labels" in arrays:
        labels = arrays["labels"]
    elif rule == "component":
        labels = strongest_component(arrays["W"], arrays["components"])
    else:
        W = scaled_representation(solver, arrays)
        k = W.shape[1] if n_clusters is None else n_clusters
        seed = int(rng.integers(2**31))
        labels, rows = (
            kmeans_labels(points, k, np.random.default_rng(seed)) for points in (W, normalize(W))
        )
        for name, found in {"rows": rows, "argmax": strongest(W)}.items():
            extra[f"clustering-accuracy-{name}"] = clustering_accuracy(y, found)
            extra[f"nmi-geometric-{name}"] = nmi_geometric(y, found)
        pairs = zip(("within", "between"), cosine_similarities(W, y), strict=True)
        extra |= {f"similarity-{name}": value for name, value in pairs}
    shuffled = [rng.permutation(labels) for _ in range(_SHUFFLES)]
    by_chance = [clustering_accuracy(y, other) for other in shuffled]
    metrics = {
        "clustering-accuracy": clustering_accuracy(y, labels),
        "mutual-information": mutual_information(y, labels),
        "nmi-geometric": nmi_geometric(y, labels),
        "nmi-max": nmi_max(y, labels),
        "clusters": float(len(np.unique(labels))),
        "clustering-accuracy-shuffled": np.mean(by_chance),
        "nmi-max-shuffled": np.mean([nmi_max(y, other) for other in shuffled]),
    }
    classes = np.unique(y, return_inverse=True)[1]
    return Outcome(metrics | extra | base.metrics, base.fit, {"labels": labels, "classes": classes})


def scaled_representation(solver, arrays):
    """``W`` of a factorization in double precision, for K-means.

    Components are scaled to unit length, unless the problem that the solver is for fixes their
    scale (its class attribute ``fixes_scale``).
    """
    W = arrays["W"].astype(np.float64)
    if not getattr(solver, "fixes_scale", False):
        W *= np.linalg.norm(arrays["components"], axis=1)
    return W


def kmeans_labels(points, k, rng):
    """Labels of ``points`` by K-means, the best of ten starts."""
    return kmeans(points, k, rng, n_init=_STARTS).labels_


def cosine_similarities(W, y):
    """Mean cosine of pairs of samples of the same class, and of different classes.

    Parameters
    ----------
    W : ndarray of shape (n_samples, r)
        A row of zeros has the cosine 0 with any other.
    y : ndarray of shape (n_samples,)

    Returns
    -------
    within, between : float
        0 where there is no such pair.

    Examples
    --------
    >>> W = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> np.round(cosine_similarities(W, np.array([0, 0, 1, 1])), 3)
    array([0.854, 0.354])
    """
    Z = normalize(W)
    own = np.vdot(Z, Z)  # of samples with themselves
    sums = np.array([Z[y == label].sum(axis=0) for label in np.unique(y)])
    sizes = np.unique(y, return_counts=True)[1]
    within, whole = np.vdot(sums, sums), np.vdot(sums.sum(axis=0), sums.sum(axis=0))
    pairs_within, pairs = np.vdot(sizes, sizes) - len(y), len(y) ** 2 - np.vdot(sizes, sizes)
    return (
        float((within - own) / pairs_within) if pairs_within else 0.0,
        float((whole - within) / pairs) if pairs else 0.0,
    )


def strongest_component(W, H):
    """Index of the largest entry of each row of ``W``, once components have unit sum.

    Of equal entries the first counts, as for a sample whose code is zero.

    Parameters
    ----------
    W : ndarray of shape (n_samples, r)
    H : ndarray of shape (r, n_features)

    Returns
    -------
    ndarray of int, of shape (n_samples,)

    Examples
    --------
    >>> strongest_component(np.array([[2.0, 1.0], [2.0, 1.5]]), np.array([[1.0, 1.0], [1.0, 2.0]]))
    array([0, 1])
    """
    return (W * np.abs(H).sum(axis=1)).argmax(axis=1)
