"""Shares of a variance that lie between groups."""

from __future__ import annotations

import numpy as np

__all__ = ["between_share"]


def between_share(values, labels):
    r"""Share of the variance of the values that lies between the groups, :math:`\eta^2`.

    Parameters
    ----------
    values : array-like of shape (n,)
    labels : array-like of shape (n,)
        Group of each value.

    Returns
    -------
    float in [0, 1]
        0 if all values are the same.

    Examples
    --------
    >>> between_share([1.0, 1.0, 3.0, 3.0], ["a", "a", "b", "b"])
    1.0
    >>> between_share([1.0, 3.0, 1.0, 3.0], ["a", "a", "b", "b"])
    0.0
    """
    values = np.asarray(values, dtype=float)
    _, groups, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    away = values - values.mean()
    total = away @ away
    sums = np.bincount(groups, weights=away)
    return float(sums @ (sums / sizes) / total) if total > 0 else 0.0
