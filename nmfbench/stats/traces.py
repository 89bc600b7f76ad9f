"""Readings of a trace of one run: when it would have stopped, and what it had reached by when.

A trace is an array of :data:`nmfbench.core.trace.TRACE_DTYPE`, a row an iteration and one for the
start. The objective at a time is the smallest met so far, interpolated linearly between iterations;
the clock is that of CPU seconds.
"""

from __future__ import annotations

import numpy as np

__all__ = ["at_seconds", "seconds_at_last_rate", "seconds_to", "stop_index"]


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


def at_seconds(trace, seconds):
    """The objective at some times; NaN before the first record and after the last.

    Examples
    --------
    >>> from nmfbench.core.trace import TRACE_DTYPE
    >>> trace = np.zeros(3, TRACE_DTYPE)
    >>> trace["objective"], trace["cpu_seconds"] = [5.0, 1.0, 2.0], [0.0, 2.0, 4.0]
    >>> at_seconds(trace, [1.0, 3.0, 5.0])
    array([ 3.,  1., nan])
    """
    best = np.minimum.accumulate(trace["objective"])
    return np.interp(seconds, trace["cpu_seconds"], best, left=np.nan, right=np.nan)


def seconds_to(trace, objective):
    """When the objective first was as low; infinity if it never was.

    Examples
    --------
    >>> from nmfbench.core.trace import TRACE_DTYPE
    >>> trace = np.zeros(2, TRACE_DTYPE)
    >>> trace["objective"], trace["cpu_seconds"] = [5.0, 1.0], [0.0, 2.0]
    >>> seconds_to(trace, 3.0), seconds_to(trace, 0.5)
    (1.0, inf)
    """
    best, time = np.minimum.accumulate(trace["objective"]), trace["cpu_seconds"]
    after = np.flatnonzero(best <= objective)
    if not len(after):
        return np.inf
    i = int(after[0])
    if i == 0:
        return float(time[0])
    share = (best[i - 1] - objective) / (best[i - 1] - best[i])
    return float(time[i - 1] + share * (time[i] - time[i - 1]))


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
