"""How near runs come to the best that any met on the same data, how soon, and the hybrid's lag."""

from __future__ import annotations

import numpy as np
import pandas as pd

from nmfbench.papers.mahnmf.matrices import HYBRID, OGM, SELECT, SPECTRAL
from nmfbench.papers.mahnmf.speed import shared_seconds, with_traces
from nmfbench.stats.traces import objective_at, seconds_at_last_rate, time_to

TOLERANCES = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005)
_RIVALS = (SELECT, OGM, SPECTRAL)  # of the hybrid


def frame(records):
    """Runs with what their traces say, and for each of the hybrid its ``worst lag``.

    That is how far above the best rival it ever is, at equal CPU times from the end of its first
    round to the end of the shorter run; 0.01 is an objective 1 % above that of the better of RRI by
    selection and OGM with either step.
    """
    found = with_traces(records).assign(**{"worst lag": np.nan})
    for _, same in found.groupby(["problem", "repeat"]):
        traces = {m: a["trace"] for m, a in zip(same["method"], same["arrays"], strict=True)}
        if HYBRID in traces:
            lags = [_lag(traces[HYBRID], traces[rival]) for rival in _RIVALS if rival in traces]
            worst = max(lags, default=-np.inf)
            hybrid = same.index[same["method"] == HYBRID]
            found.loc[hybrid, "worst lag"] = worst if np.isfinite(worst) else np.nan
    return found


def _lag(trace, rival):
    last = min(trace["cpu_seconds"][-1], rival["cpu_seconds"][-1])
    seconds = np.geomspace(trace["cpu_seconds"][1], last, 200)
    ratio = objective_at(trace, seconds) / objective_at(rival, seconds)
    return np.nanmax(ratio, initial=-np.inf) - 1


def near_best(runs, tolerance):
    """Runs with ``seconds``, when each first was within a tolerance of the best.

    The best is the smallest objective that any of the runs met on the same data. Where a run never
    was that near, ``short`` is true, and the seconds are those that it would take at its last rate
    of descent: a lower bound, as descent slows down.
    """
    best = runs.groupby(["problem", "repeat"])["objective at end"].transform("min")
    levels = list(zip((a["trace"] for a in runs["arrays"]), (1 + tolerance) * best, strict=True))
    reached = np.array([time_to(*pair) for pair in levels])
    bounds = np.array([seconds_at_last_rate(*pair) for pair in levels])
    short = np.isinf(reached)
    return runs.assign(seconds=np.where(short, bounds, reached), short=short)


def summarise(frame):
    """Median excess over the best against CPU seconds, and who comes within a tolerance first.

    The hybrid, which is not the paper's, is left out of the latter, and of the best there.
    """
    keys, parts = ["problem", "method"], []
    best = frame.groupby(["problem", "repeat"])["objective at end"].transform("min")
    for (problem, method), rows in frame.assign(best=best).groupby(keys, observed=True):
        traces = [arrays["trace"] for arrays in rows["arrays"]]
        seconds = shared_seconds(traces)
        if len(seconds):
            pairs = zip(traces, rows["best"], strict=True)
            excess = [objective_at(trace, seconds) / least - 1 for trace, least in pairs]
            low, mid, high = np.quantile(excess, [0.25, 0.5, 0.75], axis=0)
            curve = pd.DataFrame({"x": seconds, "mean": mid, "low": low, "high": high})
            parts.append(curve.assign(part="curve", problem=problem, method=method))
    paper = frame[frame["method"] != HYBRID]
    for tolerance in TOLERANCES:
        found = near_best(paper, tolerance)
        found = found.assign(
            x=found["seconds"].mask(found["short"], np.inf), reached=~found["short"]
        )
        counts = {"x": ("x", "median"), "count": ("x", "size"), "reached": ("reached", "sum")}
        reach = found.groupby(keys, observed=True).agg(**counts).reset_index()
        parts.append(reach[np.isfinite(reach["x"])].assign(part="reach", tolerance=tolerance))
    return pd.concat(parts, ignore_index=True).astype({"method": str})
