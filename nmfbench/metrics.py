"""Scores of a result, each a plain function registered with its name and direction."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import accuracy_score

from nmfbench.registry import register_metric

__all__ = ["accuracy", "anchor_recovery"]


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
