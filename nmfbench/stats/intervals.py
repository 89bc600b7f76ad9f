"""Intervals of means, corrections of p-values, and where curves cross a threshold."""

from __future__ import annotations

import numpy as np
from scipy import stats

__all__ = ["first_below", "holm", "longest_lead", "mean_and_interval", "t_interval"]


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


def first_below(x, curves, thresholds):
    """Where curves through points first fall below a threshold, interpolated linearly.

    Parameters
    ----------
    x : array-like of shape (n_points,)
        Increasing.
    curves : array-like of shape (..., n_points)
    thresholds : array-like of shape (...)

    Returns
    -------
    ndarray of shape (...)
        ``x[0]`` of a curve that begins below, infinity of one that never is.

    Examples
    --------
    >>> first_below([0, 1, 2], [[1.0, 0.6, 0.2], [1.0, 0.9, 0.8]], [0.5, 0.5])
    array([1.25,  inf])
    """
    x, curves = np.asarray(x, dtype=float), np.asarray(curves, dtype=float)
    gap = curves - np.asarray(thresholds, dtype=float)[..., None]
    below = gap < 0
    after = below.argmax(axis=-1)
    before = np.maximum(after - 1, 0)
    above, under = (np.take_along_axis(gap, i[..., None], -1)[..., 0] for i in (before, after))
    fall = above - under
    share = np.divide(above, fall, out=np.zeros_like(fall), where=fall > 0)
    found = x[before] + share * (x[after] - x[before])
    return np.where(below.any(axis=-1), found, np.inf)


def longest_lead(x, curve):
    """The run of ``x`` where a curve through points is above 0, that of the largest area.

    Parameters
    ----------
    x, curve : array-like of shape (n_points,)
        ``x`` increasing.

    Returns
    -------
    begin, end : float
        Interpolated linearly; ``x[0]`` if the run begins there, infinity if it does not end. Both
        are NaN if the curve is nowhere above 0.

    Examples
    --------
    >>> longest_lead([0, 1, 2, 3, 4], [-1.0, 1.0, 1.0, -1.0, 0.1])
    (0.5, 2.5)
    """
    x, y = np.asarray(x, dtype=float), np.asarray(curve, dtype=float)
    turns = np.flatnonzero((y[:-1] > 0) != (y[1:] > 0))
    zeros = x[turns] + y[turns] / (y[turns] - y[turns + 1]) * (x[turns + 1] - x[turns])
    edges = np.r_[x[0], zeros, x[-1]]
    fine = np.unique(np.r_[x, zeros])
    values = np.maximum(np.interp(fine, x, y), 0)
    values[np.isin(fine, zeros)] = 0
    total = np.r_[0, np.cumsum(np.diff(fine) * (values[1:] + values[:-1]) / 2)]
    area = np.diff(np.interp(edges, fine, total))
    best = int(area.argmax())
    if not area[best] > 0:
        return np.nan, np.nan
    return float(edges[best]), np.inf if best == len(zeros) else float(edges[best + 1])


def holm(p_values):
    """p-values after Holm's step-down correction for their number.

    Parameters
    ----------
    p_values : array-like of shape (n,)

    Returns
    -------
    ndarray of shape (n,)

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)
    adjusted = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    return np.minimum(adjusted, 1.0)[np.argsort(order)]
