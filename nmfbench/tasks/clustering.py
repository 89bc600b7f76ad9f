"""Clustering: do the samples of a class share a component?"""

from __future__ import annotations

import numpy as np

from nmfbench.metrics import clustering_accuracy, mutual_information, nmi_max
from nmfbench.registry import register_task
from nmfbench.tasks.base import Outcome

__all__ = ["clustering", "strongest_component"]

_SHUFFLES = 3  # for each trial: figures take means over many of these


@register_task(
    "clustering",
    summary="agreement of clusters with classes: AC by optimal matching, mutual information",
    based_on="factorization",
)
def clustering(data, solver, rng, base):
    """Cluster the samples of a factorization and compare with their classes.

    A clusterer's own labels count; otherwise a sample belongs to its strongest component, see
    :func:`strongest_component`.

    Parameters
    ----------
    data : Bunch
        With labels ``y``.
    solver : ignored
    rng : Generator
        Shuffles labels.
    base : Outcome
        Of the task ``factorization``.

    Returns
    -------
    Outcome
        Metrics ``clustering-accuracy``, ``mutual-information`` (bits), ``nmi-max``, and
        ``clusters``, how many are not empty. ``clustering-accuracy-shuffled`` and
        ``nmi-max-shuffled`` are means over random orders of the labels found: what clusters of
        these sizes score by chance. Array ``labels``.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.3.1, Figures 10 and 11; Xu, Liu & Gong (2003).
    """
    arrays = base.arrays
    y = np.asarray(data.y)[arrays["train"]]
    if "labels" in arrays:
        labels = arrays["labels"]
    else:
        labels = strongest_component(arrays["W"], arrays["components"])
    shuffled = [rng.permutation(labels) for _ in range(_SHUFFLES)]
    by_chance = [clustering_accuracy(y, other) for other in shuffled]
    metrics = {
        "clustering-accuracy": clustering_accuracy(y, labels),
        "mutual-information": mutual_information(y, labels),
        "nmi-max": nmi_max(y, labels),
        "clusters": float(len(np.unique(labels))),
        "clustering-accuracy-shuffled": np.mean(by_chance),
        "nmi-max-shuffled": np.mean([nmi_max(y, other) for other in shuffled]),
    }
    return Outcome(metrics, base.fit, {"labels": labels})


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
