r"""Scores of a detector: each element has a score, and truly is something to be found or is not.

Curves and counts are functions of a falling threshold; what reaches the threshold is detected.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import trapezoid

__all__ = [
    "best_threshold",
    "change_detection",
    "confusion",
    "counts_by_group",
    "otsu",
    "partial_area",
    "partial_areas",
    "pooled_rates",
    "resampled_rates",
    "short_thresholds",
]


def partial_area(fpr, tpr, limit=1.0):
    """Mean hit rate over false-alarm rates from 0 to a limit: a partial area, divided by it.

    Parameters
    ----------
    fpr, tpr : array-like of shape (n_thresholds,)
        Of :func:`sklearn.metrics.roc_curve`. Between its points the curve is straight, at the limit
        too.
    limit : float in (0, 1], default=1
        With 1 this is the area under the whole curve.

    Returns
    -------
    float

    Examples
    --------
    >>> float(partial_area([0.0, 0.0, 1.0], [0.0, 0.5, 1.0], limit=0.2))
    0.55
    """
    fpr, tpr = np.asarray(fpr), np.asarray(tpr)
    inside = fpr <= limit
    x = np.append(fpr[inside], limit)
    y = np.append(tpr[inside], np.interp(limit, fpr, tpr))
    return trapezoid(y, x) / limit


def partial_areas(fpr, tpr, limit):
    """:func:`partial_area` of many curves, one a row."""
    inside = fpr <= limit
    rows, last = np.arange(len(fpr)), inside.sum(axis=1) - 1
    after = np.minimum(last + 1, fpr.shape[1] - 1)
    x, y = fpr[rows, last], tpr[rows, last]
    width = fpr[rows, after] - x
    at_limit = y + (limit - x) / np.where(width > 0, width, 1) * (tpr[rows, after] - y)
    return trapezoid(np.where(inside, tpr, at_limit[:, None]), np.minimum(fpr, limit)) / limit


def best_threshold(fpr, tpr, thresholds, prevalence):
    """The threshold with the largest F-measure; of equal ones the highest.

    Parameters
    ----------
    fpr, tpr, thresholds : ndarray of shape (n_thresholds,)
        Of :func:`sklearn.metrics.roc_curve`.
    prevalence : float in (0, 1)
        Share of what is to be found.

    Returns
    -------
    threshold, f : float
        What is detected has at least that score; the F-measure there.

    Examples
    --------
    >>> from sklearn.metrics import roc_curve
    >>> truth, scores = np.array([True, True, False, False]), np.array([3.0, 1.0, 1.0, 0.0])
    >>> best_threshold(*roc_curve(truth, scores), prevalence=0.5)
    (1.0, 0.8)
    """
    hits, alarms = prevalence * tpr, (1 - prevalence) * fpr
    f = 2 * hits / (hits + alarms + prevalence)
    best = f.argmax()
    return float(thresholds[best]), float(f[best])


def confusion(truth, detected):
    """Numbers of hits, false alarms, misses and true rejections.

    Parameters
    ----------
    truth, detected : ndarray of bool

    Returns
    -------
    ndarray of int, of shape (4,)

    Examples
    --------
    >>> confusion(np.array([True, True, False]), np.array([True, False, False]))
    array([1, 0, 1, 1])
    """
    hits = np.count_nonzero(truth & detected)
    positives, found = np.count_nonzero(truth), np.count_nonzero(detected)
    return np.array([hits, found - hits, positives - hits, truth.size - positives - found + hits])


def change_detection(counts):
    """The metrics of changedetection.net.

    Parameters
    ----------
    counts : array-like of shape (4,)
        Of :func:`confusion`. A share of nothing is 0.

    Returns
    -------
    dict of str to float
        ``recall``, ``specificity``, ``fpr``, ``fnr``, ``pwc`` (percentage of wrong
        classifications), ``precision`` and ``f``, the F-measure.

    References
    ----------
    Goyette et al. (2012), changedetection.net: a new change detection benchmark dataset.

    Examples
    --------
    >>> change_detection([3, 1, 1, 5])["pwc"]
    20.0
    """
    hits, alarms, misses, rejections = (int(count) for count in counts)

    def share(part, whole):
        return part / whole if whole else 0.0

    return {
        "recall": share(hits, hits + misses),
        "specificity": share(rejections, rejections + alarms),
        "fpr": share(alarms, rejections + alarms),
        "fnr": share(misses, hits + misses),
        "pwc": 100 * share(alarms + misses, hits + alarms + misses + rejections),
        "precision": share(hits, hits + alarms),
        "f": share(2 * hits, 2 * hits + alarms + misses),
    }


def otsu(values):
    """Otsu's threshold: it parts values in two groups whose means are as far apart as possible.

    What is maximised is the variance between the groups, over all ways to cut the sorted values
    between two different ones; no histogram is taken.

    Parameters
    ----------
    values : ndarray
        Of any shape.

    Returns
    -------
    float
        The largest value of the lower group: what lies above is the upper one. The value itself if
        all are equal.

    References
    ----------
    Otsu (1979), A threshold selection method from gray-level histograms.

    Examples
    --------
    >>> otsu(np.array([0.0, 0.1, 0.2, 5.0, 6.0]))
    0.2
    """
    values = np.sort(values, axis=None)
    cuts = np.flatnonzero(np.diff(values)) + 1  # sizes of the lower group
    if not len(cuts):
        return float(values[0])
    sums = np.cumsum(values, dtype=np.float64)
    lower, upper = sums[cuts - 1] / cuts, (sums[-1] - sums[cuts - 1]) / (len(values) - cuts)
    between = (upper - lower) ** 2 * cuts * (len(values) - cuts)
    return float(values[cuts[between.argmax()] - 1])


def short_thresholds(fpr, thresholds, n=200):
    """Some of the thresholds of a ROC curve, the denser the lower their false-alarm rates.

    Parameters
    ----------
    fpr, thresholds : ndarray of shape (n_thresholds,)
        Of :func:`sklearn.metrics.roc_curve`.
    n : int, default=200

    Returns
    -------
    ndarray of shape (at most n,)
        Falling; the last one detects everything.
    """
    grid = np.linspace(0, 1, n) ** 2
    before = np.searchsorted(fpr, grid, side="right") - 1
    # A tie over several points of the grid: the curve is straight between its two ends.
    ends = before[1:][before[1:] == before[:-1]] + 1
    kept = np.union1d(before, np.minimum(ends, len(fpr) - 1))
    return thresholds[kept[kept > 0]]


def counts_by_group(truth, scores, groups, thresholds):
    """False alarms and hits of each group at each threshold.

    They are small, and all that curves of some groups, or of resampled groups, are made of.

    Parameters
    ----------
    truth : ndarray of bool of shape (n,)
    scores : ndarray of shape (n,)
    groups : ndarray of int of shape (n,)
        From 0.
    thresholds : ndarray of shape (n_thresholds,)
        Falling.

    Returns
    -------
    alarms, hits : ndarray of int32 of shape (n_groups, n_thresholds)

    Examples
    --------
    >>> truth, groups = np.array([True, False, True]), np.array([0, 0, 1])
    >>> scores, thresholds = np.array([3.0, 2.0, 2.0]), np.array([3.0, 2.0])
    >>> alarms, hits = counts_by_group(truth, scores, groups, thresholds)
    >>> alarms.tolist(), hits.tolist()
    ([[0, 1], [0, 0]], [[1, 1], [0, 1]])
    """
    shape = groups.max() + 1, len(thresholds) + 1  # the last column: below all thresholds
    first = np.searchsorted(-thresholds, -scores)  # the highest threshold that is reached
    cells = groups * shape[1] + first

    def counted(these):
        counts = np.bincount(these, minlength=shape[0] * shape[1]).reshape(shape)
        return counts[:, :-1].cumsum(axis=1).astype(np.int32)

    return counted(cells[~truth]), counted(cells[truth])


def pooled_rates(alarms, hits, weights=None):
    """ROC curve of groups taken together.

    Parameters
    ----------
    alarms, hits : ndarray of shape (n_groups, n_thresholds)
        Of :func:`counts_by_group`, the last threshold detecting everything.
    weights : ndarray of shape (n_groups,) optional
        How often each group counts; by default once.

    Returns
    -------
    fpr, tpr : ndarray of shape (n_thresholds + 1,)
        From (0, 0) to (1, 1).

    Raises
    ------
    ValueError
        If there is nothing to be found, or nothing else.
    """
    weights = np.ones(len(hits)) if weights is None else np.asarray(weights, dtype=float)
    totals = [np.append(0.0, weights @ counts) for counts in (alarms, hits)]
    if not all(total[-1] for total in totals):
        raise ValueError("a ROC curve needs elements of both kinds.")
    fpr, tpr = (total / total[-1] for total in totals)
    return fpr, tpr


def resampled_rates(alarms, hits, rng, n_draws=1000):
    """ROC curves of groups drawn with replacement, one a row.

    Detectors that are given equal random numbers have the same draws, so that the differences of
    their curves form a paired bootstrap. Draws without elements of both kinds are repeated.

    Parameters
    ----------
    alarms, hits : ndarray of shape (n_groups, n_thresholds)
        Of :func:`counts_by_group`, the last threshold detecting everything.
    rng : numpy.random.Generator
    n_draws : int, default=1000

    Returns
    -------
    fpr, tpr : ndarray of shape (n_draws, n_thresholds + 1)
        From 0 to 1.
    """
    n = len(hits)
    weights = np.empty((0, n))
    while len(weights) < n_draws:
        drawn = rng.integers(n, size=(n_draws - len(weights), n))
        counts = (drawn[:, :, None] == np.arange(n)).sum(axis=1)
        both = (counts @ alarms[:, -1] > 0) & (counts @ hits[:, -1] > 0)
        weights = np.vstack([weights, counts[both]])
    # einsum: threads of a product would cost more than it.
    totals = (np.einsum("ij,jk->ik", weights, counts) for counts in (alarms, hits))
    fpr, tpr = (np.pad(total / total[:, -1:], ((0, 0), (1, 0))) for total in totals)
    return fpr, tpr
