"""Scores of a clustering or a classification.

They take the classes and the clusters of the samples, as labels of any kind and in any numbers:
there may be more clusters than classes or fewer.
"""

from __future__ import annotations

from math import log

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import accuracy_score
from sklearn.utils import check_consistent_length

from nmfbench.core.registry import register_metric

__all__ = [
    "accuracy",
    "clustering_accuracy",
    "mutual_information",
    "nmi_arithmetic",
    "nmi_geometric",
    "nmi_max",
]


@register_metric("accuracy", name="accuracy", higher_is_better=True)
def accuracy(y_true, y_predicted):
    """Share of labels predicted correctly.

    Examples
    --------
    >>> accuracy([1, 2, 2, 3], [1, 2, 3, 3])
    0.75
    """
    return float(accuracy_score(y_true, y_predicted))


@register_metric("clustering-accuracy", name="clustering accuracy (AC)", higher_is_better=True)
def clustering_accuracy(y_true, labels):
    """Share of samples whose cluster stands for their class.

    Each cluster stands for at most one class and each class has at most one cluster, matched so
    that the share is largest.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_samples,)
        Classes, and clusters.

    Returns
    -------
    float in (0, 1]

    Raises
    ------
    ValueError
        If there are no samples, or the two differ in length.

    References
    ----------
    Xu, Liu & Gong (2003); Guan et al. (2012), MahNMF, Section 5.3.1.

    Examples
    --------
    >>> clustering_accuracy(["a", "a", "b", "b", "b"], [7, 7, 4, 4, 9])
    0.8
    """
    counts = _contingency(y_true, labels)
    return float(counts[linear_sum_assignment(counts, maximize=True)].sum() / counts.sum())


@register_metric("mutual-information", name="mutual information (bits)", higher_is_better=True)
def mutual_information(y_true, labels):
    r"""Mutual information of classes and clusters, in bits.

    .. math:: \sum_{a,b} p(a, b) \log_2 \frac{p(a, b)}{p(a) p(b)}

    It is 0 if either has a single value, and cannot exceed the entropy of either.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_samples,)

    Returns
    -------
    float, >= 0

    Raises
    ------
    ValueError
        If there are no samples, or the two differ in length.

    References
    ----------
    Xu, Liu & Gong (2003); Guan et al. (2012), MahNMF, Section 5.3.1.

    Examples
    --------
    >>> round(mutual_information([0, 0, 1, 1, 2, 2, 3, 3], [0, 0, 0, 0, 1, 1, 1, 1]), 6)
    1.0
    """
    return float(_mutual_information(_contingency(y_true, labels)) / np.log(2))


@register_metric("nmi-max", name="NMI, by the larger entropy", higher_is_better=True)
def nmi_max(y_true, labels):
    """Mutual information divided by the larger of the entropies of classes and clusters.

    With a single class and a single cluster there is nothing to tell apart, and it is 1, as in
    scikit-learn; with one of the two single it is 0.

    Parameters
    ----------
    y_true, labels : array-like of shape (n_samples,)

    Returns
    -------
    float in [0, 1]

    Raises
    ------
    ValueError
        If there are no samples, or the two differ in length.

    References
    ----------
    Xu, Liu & Gong (2003).

    Examples
    --------
    >>> round(nmi_max([0, 0, 1, 1, 2, 2, 3, 3], [0, 0, 0, 0, 1, 1, 1, 1]), 6)
    0.5
    """
    return _normalized(y_true, labels, max)


@register_metric("nmi-geometric", name="NMI, by the geometric mean entropy", higher_is_better=True)
def nmi_geometric(y_true, labels):
    """Mutual information divided by the geometric mean of the two entropies; see :func:`nmi_max`.

    References
    ----------
    Strehl & Ghosh (2002).

    Examples
    --------
    >>> round(nmi_geometric([0, 0, 1, 1, 2, 2, 3, 3], [0, 0, 0, 0, 1, 1, 1, 1]), 6)
    0.707107
    """
    return _normalized(y_true, labels, lambda a, b: np.sqrt(a * b))


@register_metric("nmi-arithmetic", name="NMI, by the mean entropy", higher_is_better=True)
def nmi_arithmetic(y_true, labels):
    """Mutual information divided by the mean of the two entropies; see :func:`nmi_max`.

    This is the default of scikit-learn's ``normalized_mutual_info_score``, and its V-measure.

    Examples
    --------
    >>> round(nmi_arithmetic([0, 0, 1, 1, 2, 2, 3, 3], [0, 0, 0, 0, 1, 1, 1, 1]), 6)
    0.666667
    """
    return _normalized(y_true, labels, lambda a, b: (a + b) / 2)


def _normalized(y_true, labels, average):
    counts = _contingency(y_true, labels)
    if counts.size == 1:
        return 1.0
    shared = _mutual_information(counts)
    if shared == 0:
        return 0.0
    # Rounding may exceed 1 by an ulp.
    return float(
        min(1.0, shared / average(_entropy(counts.sum(axis=1)), _entropy(counts.sum(axis=0))))
    )


def _contingency(y_true, labels):
    """Samples of each class in each cluster, of shape (n_classes, n_clusters)."""
    check_consistent_length(y_true, labels)
    if len(labels) == 0:
        raise ValueError("labels are empty: the agreement of no samples is undefined.")
    classes, rows = np.unique(y_true, return_inverse=True)
    clusters, columns = np.unique(labels, return_inverse=True)
    shape = len(classes), len(clusters)
    return np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape)


def _mutual_information(counts):
    """In nats; as scikit-learn has it, whose checks take most of the time of a short score."""
    if 1 in counts.shape:
        return 0.0
    rows, columns = np.nonzero(counts)
    found, n = counts[rows, columns], int(counts.sum())
    outer = counts.sum(axis=1)[rows] * counts.sum(axis=0)[columns]
    shares = found / n
    terms = shares * (np.log(found) - log(n)) + shares * (-np.log(outer) + log(n) + log(n))
    terms[np.abs(terms) < np.finfo(float).eps] = 0
    return max(float(terms.sum()), 0.0)


def _entropy(sizes):
    """In nats, of the shares of all samples that groups have."""
    if len(sizes) == 1:
        return 0.0
    shares = sizes / sizes.sum()
    return -float(np.sum(shares * (np.log(sizes) - log(sizes.sum()))))
