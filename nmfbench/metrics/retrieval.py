"""Scores of a ranking, such as that of the labels of a picture."""

from __future__ import annotations

import numpy as np

from nmfbench.core.registry import register_metric

__all__ = ["average_precisions", "mean_average_precision"]


def average_precisions(Y, scores, *, interpolated=False):
    r"""Average precision of each class that occurs.

    Samples are ranked by their score, and samples of equal score share a rank. The area is
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
