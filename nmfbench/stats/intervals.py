"""Intervals of means."""

from __future__ import annotations

import numpy as np
from scipy import stats

__all__ = ["mean_and_interval", "small_sample_factor", "t_interval"]


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


def t_interval(values, confidence=0.95):
    """t interval of a mean.

    Parameters
    ----------
    values : array-like of shape (n,)
    confidence : float, default=0.95

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
    half = stats.t.ppf((1 + confidence) / 2, len(values) - 1) * spread / np.sqrt(len(values))
    return float(mean - half), float(mean + half)


def small_sample_factor(n, confidence=0.95):
    r"""By how much means of bootstrap draws of n units lie too near the mean of the units.

    .. math:: \sqrt{n / (n - 1)} \, t_{n - 1} / z

    with the quantiles of Student's t and of the normal distribution: the variance of draws has n
    where it should have n - 1, and the spread of the units is not known.

    Parameters
    ----------
    n : int
        At least two.
    confidence : float, default=0.95

    Examples
    --------
    >>> [round(small_sample_factor(n), 2) for n in (3, 5, 20)]
    [2.69, 1.58, 1.1]
    """
    t, z = stats.t.ppf((1 + confidence) / 2, n - 1), stats.norm.ppf((1 + confidence) / 2)
    return float(np.sqrt(n / (n - 1)) * t / z)
