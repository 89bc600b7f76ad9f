"""Readings of traces: the stop rule after the fact, objectives at a time, times to an objective."""

import numpy as np
import pytest

from nmfbench.core.trace import TRACE_DTYPE, Trace
from nmfbench.optim.stopping import relative_progress
from nmfbench.stats.traces import at_seconds, seconds_at_last_rate, seconds_to, stop_index


def _trace(seed, n=40):
    """A run that falls ever more slowly, and now and then rises."""
    rng = np.random.default_rng(seed)
    trace = np.zeros(n, TRACE_DTYPE)
    trace["iteration"] = np.arange(n)
    trace["objective"] = 5 / (1 + np.arange(n)) + 1 + 0.02 * rng.uniform(size=n)
    trace["cpu_seconds"] = np.cumsum(rng.uniform(0.5, 1.5, n))
    return trace


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("tol", [1e-1, 1e-2, 1e-3, 1e-9])
def test_a_run_is_stopped_where_the_rule_would_have_stopped_it(seed, tol):
    """The iteration read off a trace is the first at which the solvers' rule holds."""
    rows, growing, stopped = _trace(seed), Trace(), None
    for iteration, objective in enumerate(rows["objective"]):
        growing.record(iteration, objective)
        if stopped is None and relative_progress(growing, tol):
            stopped = iteration
    assert stop_index(rows, tol) == stopped


@pytest.mark.parametrize("seed", range(5))
def test_seconds_to_an_objective_are_those_at_which_it_is_met(seed):
    """The objective at the time found is the one asked for, and before it is higher."""
    trace = _trace(seed)
    for objective in (4.0, 2.0, 1.5, trace["objective"].min()):
        seconds = seconds_to(trace, objective)
        assert at_seconds(trace, seconds) == pytest.approx(objective)
        assert at_seconds(trace, seconds - 0.1) > objective
    assert seconds_to(trace, 10.0) == trace["cpu_seconds"][0]
    assert seconds_to(trace, 0.5) == np.inf


def test_a_run_that_stands_still_never_comes_nearer():
    """The time at the last rate of descent is later for lower objectives, up to a bound."""
    trace = _trace(0)
    end = trace["cpu_seconds"][-1]
    times = [seconds_at_last_rate(trace, objective) for objective in (9.0, 1.0, 0.9, -1e9)]
    assert times[0] == end
    assert times == sorted(times)
    assert times[-1] == 1000 * end
    trace["objective"][20:] = 1.0
    assert seconds_at_last_rate(trace, 0.999) == 1000 * end
