"""Scores of a result, each a plain function registered with its name and direction.

Scores of a clustering take the classes and the clusters of the samples, as labels of any kind
and in any numbers: there may be more clusters than classes or fewer.
"""

from __future__ import annotations

from math import log

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import accuracy_score
from sklearn.preprocessing import normalize
from sklearn.utils import check_consistent_length

from nmfbench.core.registry import register_metric

__all__ = [
    "accuracy",
    "anchor_recovery",
    "average_precisions",
    "clustering_accuracy",
    "mean_average_precision",
    "mutual_information",
    "nmi_arithmetic",
    "nmi_geometric",
    "nmi_max",
    "relative_error",
    "sparseness",
    "spectral_angle",
    "spectral_angles",
]


@register_metric("anchor-recovery", name="fraction of anchors recovered", higher_is_better=True)
def anchor_recovery(found, true):
    """Share of the true anchors among those found; order does not count.

    Parameters
    ----------
    found, true : array-like of int
        Row indices. ``true`` must not be empty.

    Returns
    -------
    float in [0, 1]

    References
    ----------
    Kumar & Sindhwani (2015), Figures 3 and 4.

    Examples
    --------
    >>> anchor_recovery([4, 0, 9], [0, 1, 4, 7])
    0.5
    """
    true = np.unique(true)
    if true.size == 0:
        raise ValueError("true is empty: the fraction of anchors recovered is undefined.")
    return float(np.isin(true, found).mean())


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


@register_metric("relative-error", name="relative error", higher_is_better=False)
def relative_error(X, X_hat):
    r"""Relative error of a reconstruction, :math:`\|X - \hat X\|_F / \|X\|_F`.

    Parameters
    ----------
    X, X_hat : ndarray of one shape
        What should be found, and what was found.

    Returns
    -------
    float, >= 0

    Raises
    ------
    ValueError
        If the shapes differ, or ``X`` is zero, where the ratio is undefined.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.2 and Table 1.

    Examples
    --------
    >>> relative_error(np.array([[3.0, 4.0]]), np.array([[3.0, 1.0]]))
    0.6
    """
    X, X_hat = np.asarray(X, dtype=np.float64), np.asarray(X_hat, dtype=np.float64)
    if X.shape != X_hat.shape:
        raise ValueError(f"X has shape {X.shape}, but X_hat has shape {X_hat.shape}.")
    norm = np.linalg.norm(X)
    if norm == 0:
        raise ValueError("X is zero: the relative error is undefined. Leave out empty samples.")
    return float(np.linalg.norm(X - X_hat) / norm)


@register_metric("sparseness", name="sparseness (Hoyer)", higher_is_better=True)
def sparseness(x):
    r"""Hoyer sparseness of a vector: 0 when flat, 1 with one non-zero entry.

    .. math:: (\sqrt{n} - \|x\|_1 / \|x\|_2) / (\sqrt{n} - 1)

    The formula says nothing of a zero vector. Here it counts as 1: nothing is sparser.

    Parameters
    ----------
    x : array-like of shape (n,)
        At least two entries.

    Returns
    -------
    float in [0, 1]

    Raises
    ------
    ValueError
        If ``x`` is not a vector, or ``n < 2``, where the ratio is undefined.

    References
    ----------
    Guan et al. (2012), MahNMF, Eq. (65), after Hoyer (2004).

    Examples
    --------
    >>> sparseness([0.0, 3.0, 0.0]), sparseness([2.0, 2.0, 2.0, 2.0])
    (1.0, 0.0)
    """
    x = np.abs(np.asarray(x, dtype=np.float64))
    if x.ndim != 1 or len(x) < 2:
        raise ValueError(
            f"x has shape {x.shape}: sparseness is defined for a vector of at least two entries."
        )
    largest = x.max()
    if largest == 0:
        return 1.0
    x = x / largest  # so that no square overflows, nor all of them vanish
    root = np.sqrt(len(x))
    ratio = (root - x.sum() / np.linalg.norm(x)) / (root - 1)
    return float(np.clip(ratio, 0, 1))  # rounding leads out by an ulp


@register_metric("spectral-angle", name="mean spectral angle (degrees)", higher_is_better=False)
def spectral_angle(true, found):
    """Mean angle, in degrees, of spectra to those found for them.

    Each spectrum gets at most one of those found and each of those found belongs to at most one,
    matched so that the mean is smallest. A spectrum that gets none is at a right angle, the largest
    between non-negative spectra.

    Parameters
    ----------
    true : ndarray of shape (n, n_bands)
    found : ndarray of shape (n_found, n_bands)

    Returns
    -------
    float in [0, 90] for non-negative spectra

    References
    ----------
    Kruse et al. (1993), The spectral image processing system; Miao & Qi (2007).

    Examples
    --------
    >>> true = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> round(spectral_angle(true, [[3.0, 3.0], [2.0, 0.0]]), 6)
    0.0
    >>> round(spectral_angle(true, [[1.0, 1.0]]), 6)
    45.0
    """
    angles = spectral_angles(true, found)
    matched = angles[linear_sum_assignment(angles)]
    return float((matched.sum() + 90 * (len(angles) - len(matched))) / len(angles))


def spectral_angles(true, found):
    """Angles, in degrees, between each of some spectra and each of others.

    Zero spectra are at a right angle to all.

    Returns
    -------
    ndarray of shape (n, n_found)

    Examples
    --------
    >>> spectral_angles([[1.0, 0.0]], [[5.0, 0.0], [1.0, 1.0], [0.0, 0.0]]).round(6)
    array([[ 0., 45., 90.]])
    """
    A, B = (normalize(np.asarray(spectra, dtype=np.float64)) for spectra in (true, found))
    # Not by the arc cosine, which loses half of the digits of small angles.
    apart, along = (np.linalg.norm(A[:, None] + s * B, axis=2) for s in (-1, 1))
    return np.degrees(2 * np.arctan2(apart, along))


def average_precisions(Y, scores, *, interpolated=False):
    r"""Average precision of each class that occurs.

    Samples are ranked by their score, and those of one score share their rank. The area is
    :math:`\sum_i (R_i - R_{i-1}) P_i` for recall and precision at each score; interpolated, the
    mean over :math:`t = 0, 0.1, \dots, 1` of the largest precision at a recall of t or more.

    Parameters
    ----------
    Y : array-like of bool of shape (n_samples, n_classes)
        Whether a sample belongs to a class; to any number of them.
    scores : array-like of shape (n_samples, n_classes)
    interpolated : bool, default=False
        Of eleven points, as in the PASCAL VOC challenge of 2007.

    Returns
    -------
    ndarray of shape (n_classes that occur,)

    References
    ----------
    Everingham et al. (2010), The PASCAL visual object classes (VOC) challenge.

    Examples
    --------
    >>> Y, scores = [[True], [False], [True]], [[3.0], [2.0], [1.0]]
    >>> average_precisions(Y, scores).round(4), average_precisions(Y, scores, interpolated=True)
    (array([0.8333]), array([0.84848485]))
    """
    Y, scores = np.asarray(Y, dtype=bool), np.asarray(scores, dtype=np.float64)
    if Y.shape != scores.shape:
        raise ValueError(f"Y has shape {Y.shape}, but scores have shape {scores.shape}.")
    if not np.isfinite(scores).all():
        raise ValueError("scores must be finite numbers.")
    one = _interpolated_precision if interpolated else _average_precision
    return np.array([one(Y[:, c], scores[:, c]) for c in np.flatnonzero(Y.any(axis=0))])


@register_metric("mean-average-precision", name="mean average precision", higher_is_better=True)
def mean_average_precision(Y, scores, *, interpolated=False):
    """Mean of :func:`average_precisions`, whose parameters it has.

    Raises
    ------
    ValueError
        If no class occurs.
    """
    found = average_precisions(Y, scores, interpolated=interpolated)
    if not len(found):
        raise ValueError(
            "Y is False throughout: the mean over the classes that occur is undefined."
        )
    return float(found.mean())


def _average_precision(y, scores):
    precision, recall = _precision_recall(y, scores)
    return -np.sum(np.diff(np.append(recall, 0.0)) * precision)


def _interpolated_precision(y, scores):
    precision, recall = _precision_recall(y, scores)
    levels = np.arange(11) / 10 - 1e-9  # quotients are rounded
    return np.mean([precision[recall >= level].max() for level in levels])


def _precision_recall(y, scores):
    """Precision and recall at each score, the lowest first.

    What scikit-learn has takes ten times as long, for the checks of each class.
    """
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(y) - 1)
    hits = np.cumsum(y[order], dtype=np.float64)[last]
    return (hits / (last + 1))[::-1], (hits / hits[-1])[::-1]


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
