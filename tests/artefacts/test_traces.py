"""Readings of traces: the stop rule after the fact, objectives at a time, times to an objective."""

import numpy as np
import pandas as pd
import pytest

from nmfbench.core.trace import TRACE_DTYPE, Trace
from nmfbench.optim.stopping import relative_progress
from nmfbench.papers.mahnmf import speed
from nmfbench.papers.mahnmf.studies import crossover, gap_stop
from nmfbench.stats.profiles import anytime_curves, times_to_target
from nmfbench.stats.traces import (
    lowest,
    objective_at,
    raw_log_mean,
    raw_objective_at,
    seconds_at_last_rate,
    stop_index,
    time_to,
)


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


@pytest.mark.parametrize("clock", ["cpu_seconds", "seconds", "iteration"])
@pytest.mark.parametrize("seed", range(5))
def test_readings_are_those_of_a_loop_over_the_records(seed, clock):
    """The smallest and the last objective at or before a time, and the first time at a level."""
    trace = _trace(seed)
    records = list(zip(trace[clock], trace["objective"], strict=True))
    for time in np.r_[trace[clock], np.linspace(-1, trace[clock][-1] + 5, 97)]:
        so_far = [objective for when, objective in records if when <= time]
        assert objective_at(trace, time, clock) == min(so_far, default=np.inf)
        assert raw_objective_at(trace, time, clock) == (so_far[-1] if so_far else np.inf)
    for level in (10.0, 4.0, 2.0, 1.5, lowest(trace), 0.5):
        times = [when for when, objective in records if objective <= level]
        assert time_to(trace, level, clock) == min(times, default=np.inf)


@pytest.mark.parametrize(("begin", "end"), [(3.0, 20.0), (0.0, 50.0), (7.5, 7.5), (9.0, 2.0)])
def test_a_mean_over_a_linear_axis_is_that_of_many_points(begin, end):
    """Every second counts alike, however many records it has."""
    trace = _trace(0)
    trace["cpu_seconds"] -= trace["cpu_seconds"][0]
    points = begin + (np.arange(200_000) + 0.5) / 200_000 * max(end - begin, 0)
    expected = np.mean(np.log(raw_objective_at(trace, points)))
    assert raw_log_mean(trace, begin, end) == pytest.approx(expected, abs=1e-4)


def test_all_modules_read_one_trace_alike():
    """The objective at a time, and the time to one, are the same in every table that has them."""
    trace = np.zeros(6, TRACE_DTYPE)
    trace["iteration"] = np.arange(6)
    trace["cpu_seconds"] = trace["seconds"] = [0.0, 1.0, 2.0, 3.0, 4.0, 8.0]
    trace["objective"] = [50.0, 40.0, 30.0, 35.0, 20.0, 25.0]

    def expected(times):
        records = list(zip(trace["seconds"], trace["objective"], strict=True))
        return [min(objective for second, objective in records if second <= t) for t in times]

    assert expected([2.5]) == [30.0]
    place = {"problem": "p", "repeat": [0, 1], "dataset": "noisy-low-rank", "norm": 2.0}
    records = pd.DataFrame(place | {"method": "m", "arrays": [{"trace": trace}] * 2})

    found = speed.curves(speed.with_traces(records))
    for axis in ("round", "seconds"):
        curve = found[found["axis"] == axis]
        np.testing.assert_allclose(2 * curve["mean"], expected(curve["x"]))
    shown = records.assign(method=next(iter(gap_stop._RULES)))
    curve = gap_stop.summarise(gap_stop.frame(shown))
    np.testing.assert_allclose(
        20 * (1 + curve["mean"] / 100), expected(curve["seconds"]), rtol=2e-3
    )
    ended = records.assign(**{"objective at end": 20.0})
    curve = crossover.summarise(ended)
    curve = curve[curve["part"] == "curve"]
    np.testing.assert_allclose(20 * (1 + curve["mean"]), expected(curve["x"]))
    runs = pd.DataFrame({"problem": "p", "method": "m", "repeat": [0, 1], "trace": [trace] * 2})
    curve = anytime_curves(runs, ["problem"], relative=False)
    np.testing.assert_allclose(curve["median"], expected(curve["seconds"]))

    assert gap_stop.frame(records)["seconds to 5 % above the best"].tolist() == [4.0, 4.0]
    assert crossover.near_best(ended, 0.05)["seconds"].tolist() == [4.0, 4.0]
    assert times_to_target(runs, ["problem"], [1.05])["cost"].tolist() == [4.0, 4.0]


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
