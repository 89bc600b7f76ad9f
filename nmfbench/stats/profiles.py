"""Speed of several methods: profiles, anytime curves, fronts.

Runs are a DataFrame with one row per run: the columns that name its problem, ``method``, and
``trace``, the structured array of :mod:`nmfbench.core.trace` (None of a run that failed).
Objectives are compared within a problem only, so the columns that name it must tell losses apart,
too.

Costs are a DataFrame with one row per problem and one column per method: seconds or iterations to a
target, infinite where it was not reached. NaN means that a method was not run, and its problem is
left out for all; :func:`nmfbench.stats.ranks.complete_block` chooses what can be compared.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from nmfbench.stats.traces import lowest, objective_at, time_to

__all__ = [
    "anytime_curves",
    "data_profile",
    "pareto_front",
    "performance_profile",
    "profile_area",
    "times_to_target",
]


def times_to_target(runs, by, factors=(1.01, 1.001), *, clock="seconds", floor=1e-8):
    """When each run first came within a factor of the best objective of any run of its problem.

    Parameters
    ----------
    runs : DataFrame
        See the module.
    by : list of str
        Columns that name a problem: whatever determines the data, the start and the loss.
    factors : sequence of float, default=(1.01, 1.001)
        Above 1.
    clock : {"seconds", "cpu_seconds", "iteration"}, default="seconds"
    floor : float, default=1e-8
        An objective below so large a share of the start's counts as reached, whatever the best
        is: data that can be factorized exactly have a best objective of rounding errors.

    Returns
    -------
    DataFrame
        A row for each run and factor: ``by``, ``method``, ``factor``, ``target`` and ``cost``, the
        clock at the first recorded objective at or below the target, else infinity. Nothing is
        interpolated: between two iterations there is no objective.

    Raises
    ------
    ValueError
        If an objective is negative, of which no factor above 1 makes a looser target.

    Examples
    --------
    >>> from nmfbench.core.trace import TRACE_DTYPE
    >>> fast = np.array([(0, 0.0, 0.0, 9.0), (1, 0.1, 0.1, 1.005)], dtype=TRACE_DTYPE)
    >>> slow = np.array([(0, 0.0, 0.0, 9.0), (1, 3.0, 3.0, 1.0)], dtype=TRACE_DTYPE)
    >>> runs = pd.DataFrame({"data": "faces", "method": ["a", "b"], "trace": [fast, slow]})
    >>> times_to_target(runs, ["data"])[["method", "factor", "cost"]].values.tolist()
    [['a', 1.01, 0.1], ['b', 1.01, 3.0], ['a', 1.001, inf], ['b', 1.001, 3.0]]
    """
    if min(factors) <= 1:
        raise ValueError(f"factors must be above 1, got {min(factors)}.")
    rows = []
    for problem, group in runs.groupby(by, sort=False, observed=True, dropna=False):
        found = [_finite(trace) for trace in group["trace"]]
        objectives = np.concatenate([[np.inf], *(trace["objective"] for trace in found)])
        best = objectives.min()
        if best < 0:
            raise ValueError(f"the problem {problem} has a negative objective, {best:g}.")
        least = floor * max((trace["objective"][0] for trace in found if len(trace)), default=0)
        for factor in factors:
            target = max(factor * best, least)
            rows += [
                (*problem, method, factor, target, time_to(trace, target, clock))
                for method, trace in zip(group["method"], found, strict=True)
            ]
    return pd.DataFrame(rows, columns=[*by, "method", "factor", "target", "cost"])


def _finite(trace):
    """The part of a trace whose objectives are numbers; a run may end by diverging."""
    if trace is None or np.isscalar(trace):
        return np.empty(0, dtype=[("seconds", "f8"), ("objective", "f8")])
    return trace[np.isfinite(trace["objective"])]


def performance_profile(costs, *, floor=0.0, largest=None):
    """Share of problems that a method solves within a factor of the fastest method's cost.

    Parameters
    ----------
    costs : DataFrame of shape (n_problems, n_methods)
        See the module.
    floor : float, default=0
        Smaller costs count as this one: what the clock cannot tell apart should not make ratios.
    largest : float, optional
        Where the curves end; by default a little beyond the largest finite ratio.

    Returns
    -------
    DataFrame
        The corners of a right-continuous step function: ``method``, ``ratio`` (from 1 to
        ``largest``), ``share``. At 1 it is the share of problems where a method is the fastest,
        ties included; at the end, the share of problems that it solves. Problems that no method
        solves count.

    Raises
    ------
    ValueError
        If no problem has all methods, or a cost is 0 or less and ``floor`` does not mend it.

    Notes
    -----
    Ratios are to the fastest method of each problem, so that the order of two curves that are not
    the highest may turn when another method joins or leaves (Gould and Scott 2016).

    References
    ----------
    Dolan and Moré (2002), Benchmarking optimization software with performance profiles.

    Examples
    --------
    >>> costs = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, np.inf]})
    >>> performance_profile(costs, largest=4).values.tolist()
    [['a', 1.0, 1.0], ['a', 4.0, 1.0], ['b', 1.0, 0.0], ['b', 3.0, 0.5], ['b', 4.0, 0.5]]
    """
    costs = _complete(costs).clip(lower=floor)
    if costs.to_numpy().min() <= 0:
        raise ValueError("a cost is not above 0, so no ratio to it exists; give a floor above 0.")
    best = costs.min(axis=1)
    ratios = costs.div(best.where(np.isfinite(best), 1.0), axis=0)
    return _steps(ratios, "ratio", 1.0, largest)


def data_profile(costs, *, unit=None, largest=None):
    """Share of problems that a method solves within a budget.

    Parameters
    ----------
    costs : DataFrame of shape (n_problems, n_methods)
        See the module.
    unit : Series, optional
        By problem, what a unit of the budget costs there, such as the seconds of an iteration of
        a plain method, so that small and large problems can share an axis.
    largest : float, optional
        The largest budget; by default a little beyond the largest finite cost.

    Returns
    -------
    DataFrame
        The corners of a right-continuous step function: ``method``, ``budget``, ``share``. It
        begins at the smallest positive cost of all.

    References
    ----------
    Moré and Wild (2009), Benchmarking derivative-free optimization algorithms. Their unit is the
    evaluations of one simplex gradient.

    Examples
    --------
    >>> costs = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, np.inf]})
    >>> data_profile(costs, largest=4).query("method == 'a'").values.tolist()
    [['a', 1.0, 0.5], ['a', 2.0, 1.0], ['a', 4.0, 1.0]]
    """
    costs = _complete(costs)
    if unit is not None:
        costs = costs.div(pd.Series(unit).reindex(costs.index), axis=0)
        if costs.isna().to_numpy().any():
            raise ValueError("unit must have a positive number for every problem.")
    positive = costs.to_numpy()[(costs.to_numpy() > 0) & np.isfinite(costs.to_numpy())]
    begin = positive.min() if len(positive) else 1.0  # nobody solves anything
    return _steps(costs, "budget", float(begin), largest)


def _complete(costs):
    costs = costs.dropna().astype(float)
    if costs.empty:
        raise ValueError(
            "no problem has all of the methods, so they have no profile; choose methods and "
            "problems by complete_block."
        )
    return costs


def _steps(values, name, begin, end):
    """Cumulative shares of the values of each column, from ``begin`` to ``end``."""
    finite = values.to_numpy()[np.isfinite(values.to_numpy())]
    if end is None:
        end = 1.2 * max(finite.max(initial=begin), begin)
    if end <= begin:
        raise ValueError(f"largest must be above {begin:g}, where the curves begin, got {end:g}.")
    parts = []
    for method in values:
        own = np.sort(values[method].to_numpy())
        inside = own[(own > begin) & (own < end)]
        at = np.unique(np.r_[begin, inside, end])
        share = np.searchsorted(own, at, side="right") / len(own)
        parts.append(pd.DataFrame({"method": method, name: at, "share": share}))
    return pd.concat(parts, ignore_index=True)


def profile_area(profile):
    """Mean height of each curve of a profile over its logarithmic axis: one number to sort by.

    Parameters
    ----------
    profile : DataFrame
        Of :func:`performance_profile` or :func:`data_profile`.

    Returns
    -------
    Series
        By method, the largest first; between 0 and 1. It depends on where the axis ends.

    Examples
    --------
    >>> costs = pd.DataFrame({"a": [1.0, 1.0], "b": [10.0, np.inf]})
    >>> profile_area(performance_profile(costs, largest=100)).to_dict()
    {'a': 1.0, 'b': 0.25}
    """
    axis = "ratio" if "ratio" in profile else "budget"
    areas = {}
    for method, curve in profile.groupby("method", sort=False, observed=True):
        width = np.diff(np.log(curve[axis].to_numpy()))
        areas[method] = float(width @ curve["share"].to_numpy()[:-1] / width.sum())
    return pd.Series(areas, name="area").sort_values(ascending=False, kind="stable")


def anytime_curves(runs, by=(), *, clock="seconds", points=80, relative=True):
    """The best objective that each method has at any time: median and quartiles over repeats.

    Parameters
    ----------
    runs : DataFrame
        See the module; with a column ``repeat``.
    by : list of str, default=()
        Columns that name a problem, without its repeats.
    clock : {"seconds", "cpu_seconds", "iteration"}, default="seconds"
    points : int, default=80
        Size of the grid, geometric from the first time above 0 to the last of each problem.
    relative : bool, default=True
        Divide by the best objective of any run of the same problem and repeat, so that 1 is the
        best known; repeats of which that best is 0 are left out.

    Returns
    -------
    DataFrame
        ``by``, ``method``, the clock, ``median``, ``low`` and ``high`` (quartiles), ``count``
        (repeats). A curve begins where all of its repeats have an objective, which a long set-up
        may delay; a run that has ended keeps its best.

    Examples
    --------
    >>> from nmfbench.core.trace import TRACE_DTYPE
    >>> one = np.array([(0, 0.0, 0.0, 8.0), (1, 1.0, 1.0, 4.0), (2, 9.0, 9.0, 2.0)], TRACE_DTYPE)
    >>> runs = pd.DataFrame({"method": ["a"], "repeat": [0], "trace": [one]})
    >>> anytime_curves(runs, points=3)[["seconds", "median"]].values.tolist()
    [[1.0, 2.0], [3.0, 2.0], [9.0, 1.0]]
    """
    by, parts = list(by), []
    groups = runs.groupby(by, sort=False, observed=True, dropna=False) if by else [((), runs)]
    for problem, group in groups:
        group = group.assign(trace=group["trace"].map(_finite))
        group = group[group["trace"].map(len) > 0]
        best = group["trace"].map(lowest)
        best = best.groupby(group["repeat"]).transform("min") if relative else best * 0 + 1
        group = group.assign(best=best)[best > 0]
        times = np.concatenate([[0.0], *(trace[clock] for trace in group["trace"])])
        if not times.any():
            continue
        grid = np.geomspace(times[times > 0].min(), times.max(), points)
        grid[-1] = times.max()  # not a rounding error before it
        for method, own in group.groupby("method", sort=False, observed=True):
            curves = [
                objective_at(trace, grid, clock) / unit
                for trace, unit in zip(own["trace"], own["best"], strict=True)
            ]
            begun = np.isfinite(curves).all(axis=0)
            low, median, high = np.quantile(np.array(curves)[:, begun], [0.25, 0.5, 0.75], axis=0)
            rows = {clock: grid[begun], "median": median, "low": low, "high": high}
            names = dict(zip(by, problem, strict=True)) | {"method": method}
            parts.append(pd.DataFrame(names | rows | {"count": len(own)}, index=range(len(low))))
    columns = [*by, "method", clock, "median", "low", "high", "count"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


def pareto_front(cost, score, higher_is_better=True):
    """Which points no other point beats in one of cost and score without losing in the other.

    Parameters
    ----------
    cost : array-like of shape (n,)
        Lower is better.
    score : array-like of shape (n,)
    higher_is_better : bool, default=True
        Of the score.

    Returns
    -------
    ndarray of bool, shape (n,)
        Equal points are all on the front or none is; a point with a NaN is not.

    Examples
    --------
    >>> pareto_front([1.0, 2.0, 3.0], [0.5, 0.4, 0.9])
    array([ True, False,  True])
    """
    cost, score = np.asarray(cost, dtype=float), np.asarray(score, dtype=float)
    merit = score if higher_is_better else -score
    no_worse = (cost <= cost[:, None]) & (merit >= merit[:, None])
    beaten = no_worse & ((cost < cost[:, None]) | (merit > merit[:, None]))
    return ~beaten.any(axis=1) & ~np.isnan(cost) & ~np.isnan(merit)
