"""Intervals of means."""

from __future__ import annotations

import numpy as np
from scipy import stats

from nmfbench.stats.pooled import t_ratio

__all__ = ["mean_and_interval", "p_of_place", "t_interval"]


def mean_and_interval(groups, confidence=0.95):
    """Mean and t interval of each group.

    Parameters
    ----------
    groups : SeriesGroupBy
        One value for each independent repeat.
    confidence : float, default=0.95

    Returns
    -------
    DataFrame
        The keys of the groups, ``mean``, ``low``, ``high``, ``count``. A single value is its own
        interval.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"method": ["a", "a", "a"], "score": [1.0, 2.0, 3.0]})
    >>> mean_and_interval(scores.groupby("method")["score"]).round(2).values.tolist()
    [['a', 2.0, -0.48, 4.48, 3]]
    """
    table = groups.agg(["mean", "std", "count"])
    t = stats.t.ppf((1 + confidence) / 2, table["count"].clip(lower=2) - 1)
    half = t * table["std"].fillna(0) / np.sqrt(table["count"])
    table = table.assign(low=table["mean"] - half, high=table["mean"] + half)
    return table[["mean", "low", "high", "count"]].reset_index()


def t_interval(values):
    """95 % t interval of a mean.

    Parameters
    ----------
    values : array-like of shape (n,)

    Returns
    -------
    (float, float) or None
        None for a single value.

    Examples
    --------
    >>> low, high = t_interval([1.0, 2.0, 3.0])
    >>> round(low, 2), round(high, 2)
    (-0.48, 4.48)
    """
    if len(values) < 2:
        return None
    mean, spread = np.mean(values), np.std(values, ddof=1)
    half = stats.t.ppf(0.975, len(values) - 1) * spread / np.sqrt(len(values))
    return float(mean - half), float(mean + half)


def p_of_place(means, errors, freedom, low, high):
    """p-values of where means lie: that it is inside of two bounds, and that it is outside.

    Both are two-sided, so that the one is below 5 % where the 95 % t interval lies inside, and the
    other where it lies outside.

    Parameters
    ----------
    means, errors : array-like of shape (n,)
        With their standard errors, which may be 0.
    freedom : int or array-like of shape (n,)
        Degrees of freedom behind the errors.
    low, high : float
        May be infinite.

    Returns
    -------
    inside, outside : ndarray of shape (n,)

    Examples
    --------
    >>> inside, outside = p_of_place([1.0, -3.0], [0.5, 0.5], 9, 0.0, np.inf)
    >>> inside.round(3)
    array([0.077, 1.   ])
    """
    means = np.asarray(means, dtype=float)
    nearest = np.minimum(t_ratio(means - low, errors), t_ratio(high - means, errors))
    both = (2 * stats.t.sf(side, freedom) for side in (nearest, -nearest))
    inside, outside = (np.minimum(p, 1.0) for p in both)
    return inside, outside
