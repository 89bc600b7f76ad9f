"""Readings of the trace of one run: its objective at a time, and the time to an objective.

A trace is an array of :data:`nmfbench.core.trace.TRACE_DTYPE`: one row per iteration and one for
the start. Nothing is interpolated: between two records a run has the objective of the first of
them. The value at a time is the smallest objective recorded at or before it, and the time to a
level is the time of the first record at or below it. The clock is one of the columns of the trace.

:func:`raw_objective_at` alone reads the objective as it is recorded, rises and all, for figures of
papers that show it.
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "lowest",
    "objective_at",
    "raw_log_mean",
    "raw_objective_at",
    "seconds_at_last_rate",
    "stop_index",
    "time_to",
]


def lowest(trace) -> float:
    """The smallest objective of a run.

    Examples
    --------
    >>> from nmfbench.core.trace import TRACE_DTYPE
    >>> trace = np.zeros(3, TRACE_DTYPE)
    >>> trace["objective"] = [5.0, 1.0, 2.0]
    >>> lowest(trace)
    1.0
    """
    return float(trace["objective"].min())


def objective_at(trace, times, clock="cpu_seconds"):
    """The smallest objective recorded at or before each time; infinity before the first record.

    A run that has ended keeps its smallest objective.

    Parameters
    ----------
    trace : array
    times : float or array-like of float
    clock : {"cpu_seconds", "seconds", "iteration"}, default="cpu_seconds"

    Examples
    --------
    >>> from nmfbench.core.trace import TRACE_DTYPE
    >>> trace = np.zeros(3, TRACE_DTYPE)
    >>> trace["objective"], trace["cpu_seconds"] = [5.0, 1.0, 2.0], [0.0, 2.0, 4.0]
    >>> objective_at(trace, [-1.0, 1.9, 2.0, 9.0])
    array([inf,  5.,  1.,  1.])
    """
    return _step(trace[clock], np.minimum.accumulate(trace["objective"]), times)


def raw_objective_at(trace, times, clock="cpu_seconds"):
    """The objective of the last record at or before each time; infinity before the first record.

    Parameters
    ----------
    trace : array
    times : float or array-like of float
    clock : {"cpu_seconds", "seconds", "iteration"}, default="cpu_seconds"

    Examples
    --------
    >>> from nmfbench.core.trace import TRACE_DTYPE
    >>> trace = np.zeros(3, TRACE_DTYPE)
    >>> trace["objective"], trace["cpu_seconds"] = [5.0, 1.0, 2.0], [0.0, 2.0, 4.0]
    >>> raw_objective_at(trace, [-1.0, 1.9, 2.0, 9.0])
    array([inf,  5.,  1.,  2.])
    """
    return _step(trace[clock], trace["objective"], times)


def _step(clock, values, times):
    return np.r_[np.inf, values][np.searchsorted(clock, times, side="right")]


def raw_log_mean(trace, begin, end, clock="cpu_seconds") -> float:
    """Mean logarithm of :func:`raw_objective_at` from ``begin`` to ``end``, on a linear axis.

    Where ``end`` is not after ``begin``, it is the logarithm at ``begin``.

    Examples
    --------
    >>> from nmfbench.core.trace import TRACE_DTYPE
    >>> trace = np.zeros(2, TRACE_DTYPE)
    >>> trace["objective"], trace["cpu_seconds"] = np.exp([4.0, 1.0]), [0.0, 2.0]
    >>> [round(raw_log_mean(trace, 1.0, end), 12) for end in (0.5, 2.0, 3.0)]
    [4.0, 4.0, 2.5]
    """
    times = trace[clock]
    inside = times[(times > begin) & (times < end)]
    logs = np.log(raw_objective_at(trace, np.r_[begin, inside], clock))
    if end <= begin:
        return float(logs[0])
    return float(np.average(logs, weights=np.diff(np.r_[begin, inside, end])))


def time_to(trace, objective, clock="cpu_seconds") -> float:
    """The time of the first record at or below an objective; infinity if there is none.

    Parameters
    ----------
    trace : array
    objective : float
    clock : {"cpu_seconds", "seconds", "iteration"}, default="cpu_seconds"

    Examples
    --------
    >>> from nmfbench.core.trace import TRACE_DTYPE
    >>> trace = np.zeros(2, TRACE_DTYPE)
    >>> trace["objective"], trace["cpu_seconds"] = [5.0, 1.0], [0.0, 2.0]
    >>> time_to(trace, 3.0), time_to(trace, 0.5)
    (2.0, inf)
    """
    reached = np.flatnonzero(trace["objective"] <= objective)
    return float(trace[clock][reached[0]]) if len(reached) else np.inf


def stop_index(trace, tol, min_iter=10):
    """The iteration after which a run would have stopped for lack of progress.

    Returns
    -------
    int or None
        None if it never would. The rule is that of
        :func:`nmfbench.optim.stopping.relative_progress`, which stops a run while it goes on.

    Examples
    --------
    >>> from nmfbench.core.trace import TRACE_DTYPE
    >>> trace = np.zeros(4, TRACE_DTYPE)
    >>> trace["objective"] = [100.0, 20.0, 19.0, 18.9]
    >>> stop_index(trace, 0.1, min_iter=1), stop_index(trace, 0.1, min_iter=4)
    (2, None)
    """
    F = trace["objective"]
    small = np.abs(np.diff(F)) <= tol * np.abs(F[0] - F[1:])
    late = np.flatnonzero(small[min_iter - 1 :])
    return int(late[0]) + min_iter if len(late) else None


def seconds_at_last_rate(trace, objective, longest=1000):
    """When the objective would be as low if it went on falling as in the last tenth of the run.

    A lower bound, as descent slows down; at most ``longest`` times the length of the run.

    Examples
    --------
    >>> from nmfbench.core.trace import TRACE_DTYPE
    >>> trace = np.zeros(3, TRACE_DTYPE)
    >>> trace["objective"], trace["cpu_seconds"] = [5.0, 3.0, 2.0], [0.0, 2.0, 4.0]
    >>> float(seconds_at_last_rate(trace, 1.0)), float(seconds_at_last_rate(trace, -1e9))
    (6.0, 4000.0)
    """
    best, time = np.minimum.accumulate(trace["objective"]), trace["cpu_seconds"]
    back = len(trace) - 1 - max(1, len(trace) // 10)
    gained, spent = best[back] - best[-1], time[-1] - time[back]
    left = max(best[-1] - objective, 0)
    if gained * longest * time[-1] <= left * spent:
        return longest * time[-1]
    return time[-1] + left * spent / gained
