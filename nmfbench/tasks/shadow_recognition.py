"""Recognition by shadow: is a face in shadow recognised as often as one that is lit?"""

from __future__ import annotations

import numpy as np
from sklearn.metrics import pairwise_distances_argmin

from nmfbench.core.registry import register_task
from nmfbench.tasks.base import Outcome, split_of
from nmfbench.tasks.recognition import by_pseudo_inverse, nearest_cosine

__all__ = ["most_and_least", "shadow_recognition", "shadow_shares"]

_DARK = 0.25  # of the median image: what is darker is shadow, as in the task lighting


@register_task(
    "shadow-recognition",
    summary="accuracy of the nearest code, of test images with most and with least shadow",
    based_on="factorization",
    tolerances={"accuracy-*": 0.02},
    matters={"accuracy-*": 0.02, "shadow-*": None},
)
def shadow_recognition(data, solver, rng, base, *, algorithm=5):
    """Classify test images by the nearest training code, and count the shadowed and the lit apart.

    Parameters
    ----------
    data : Bunch
        Aligned faces ``X`` with labels ``y``.
    solver, rng : ignored
    base : Outcome
        Of the task ``factorization``, with training and test samples.
    algorithm : {4, 5}, default=5
        How images are recognised: by the nearest training code in Euclidean distance, once test
        images are coded by the pseudo-inverse, or by cosine of the fitted codes.

    Returns
    -------
    Outcome
        Metrics ``accuracy-shadow`` and ``accuracy-lit`` of the thirds of the test images of each
        person with the most and with the least shadow, by codes once components have unit length;
        ``accuracy-images-shadow`` and ``accuracy-images-lit``, by the images themselves, at the
        same distance; ``shadow-share`` and ``shadow-share-lit``, the mean share of dark pixels
        of both, see :func:`shadow_shares`.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.4.2; Algorithms 4 and 5.
    """
    if algorithm not in (4, 5):
        raise ValueError(f"algorithm must be 4 or 5, got {algorithm!r}.")
    train, test = split_of(base)
    y, arrays = np.asarray(data.y), base.arrays
    lengths = np.linalg.norm(arrays["components"].astype(float), axis=1)
    shares = shadow_shares(data.X, y)[test]
    shadow, lit = most_and_least(shares, y[test])
    metrics = {"shadow-share": shares[shadow].mean(), "shadow-share-lit": shares[lit].mean()}
    if algorithm == 4:
        (codes,), nearest = by_pseudo_inverse(arrays, data.X[test]), pairwise_distances_argmin
    else:
        codes, nearest = arrays["codes"] * lengths, nearest_cosine
    for name, gallery, probes in (
        ("", arrays["W"] * lengths, codes),
        ("images-", data.X[train], data.X[test]),
    ):
        right = (y[train][nearest(probes, gallery)] == y[test]) & probes.any(axis=1)
        metrics[f"accuracy-{name}shadow"] = right[shadow].mean()
        metrics[f"accuracy-{name}lit"] = right[lit].mean()
    return Outcome({name: float(value) for name, value in metrics.items()}, base.fit)


def shadow_shares(X, y):
    """Share of the pixels of each image below a quarter of the median image of its person.

    Examples
    --------
    >>> X = np.array([[8.0, 8.0], [8.0, 8.0], [1.0, 8.0]])
    >>> shadow_shares(X, np.array([0, 0, 0])).tolist()
    [0.0, 0.0, 0.5]
    """
    shares = np.empty(len(X))
    for label in np.unique(y):
        own = y == label
        shares[own] = (X[own] < _DARK * np.median(X[own], axis=0)).mean(axis=1)
    return shares


def most_and_least(values, y):
    """Indices of the thirds of the samples of each class with the largest and smallest values.

    Of a class of fewer than three samples one is in each third. Ties go by order.

    Examples
    --------
    >>> most, least = most_and_least(np.array([3.0, 1.0, 2.0, 9.0]), np.array([0, 0, 0, 1]))
    >>> most.tolist(), least.tolist()
    ([0, 3], [1, 3])
    """
    most: list[int] = []
    least: list[int] = []
    for label in np.unique(y):
        own = np.flatnonzero(y == label)
        order = own[np.argsort(values[own], kind="stable")]
        third = max(1, len(own) // 3)
        most.extend(order[-third:])
        least.extend(order[:third])
    return np.sort(most), np.sort(least)
