"""Costs along a run, and of two methods over the same samples or seconds, as a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from nmfbench.core.matters import Ratio
from nmfbench.papers.or_nmf.readings import is_reading
from nmfbench.stats.traces import lowest, raw_log_mean, time_to

STORED, BEST = "fₜ, coefficients as stored", "Fₙ, best coefficients"
STORED_COST, BEST_COST = "fₜ", "Fₙ"
"""Columns of the frame: geometric means of the two costs over an axis, or costs at a place."""
UNTIL, NEVER = "time until Fₙ is near its best", "never near"
SAME = "time to the same fₜ"
SAMPLES, SECONDS, END = "samples", "seconds", "two passes"
RAISING = "share of steps that raise the surrogate"
STORED_RISE, STORED_FALL = "rise of fₜ", "fall of fₜ"
LEARNED = "cost of the first bases over fₜ after two passes"
ALONE = {"pair": ""}
"""Place of the rows on one method, in the frame."""

CLOCKS = {SAMPLES: "iteration", SECONDS: "cpu_seconds"}
"""Fields of a trace, by axis."""
_LEVEL = 1.05  # of the best cost that any method has reached

MATTERS: dict[str, float | Ratio | None] = {
    STORED_COST: Ratio(0.02),
    BEST_COST: Ratio(0.02),
    UNTIL: Ratio(0.10),
    SAME: Ratio(0.10),
    LEARNED: Ratio(0.02),
    RAISING: 0.02,
    **dict.fromkeys(("rise", "fall", STORED_RISE, STORED_FALL), 0.02),
}
"""Smallest differences that matter: two per cent of a cost, and ten of a time; two points of the
steps; rises and falls are shares."""


def frame_of(pairs: Sequence[tuple[str, str]]):
    """The frame of a figure that compares these pairs of methods.

    Rows with ``pair`` "" are the records, with ``panel``, the rank and the floor of the divergence
    in words; ``rise`` and ``fall``, what the second pass adds to F_n and takes from it, as a share;
    ``STORED_RISE`` and ``STORED_FALL``, likewise of f_t; ``LEARNED``, and ``RAISING``.

    The others have, for each pair and ``axis``, a row for either method. Over samples or CPU
    seconds ``STORED_COST`` and ``BEST_COST`` are the geometric means of the costs on the linear
    axis, from where both methods have a record up to the end of the one that ends first; where
    that one ends before the other has a record, they are the costs at that record. ``UNTIL`` is
    the time when F_n came within five per cent of the best that any method has reached on the data
    of the repeat, or, with ``NEVER``, the end of the run. In rows with the axis ``END`` costs are
    those after two passes.
    """

    def frame(records):
        alone = records.assign(pair="", method=records["method"].astype(str))
        alone["panel"] = [_panel_of(options) for options in records["options"]]
        for cost, rise, fall in (("cost", "rise", "fall"), ("stored", STORED_RISE, STORED_FALL)):
            alone[rise] = alone[cost] / alone[f"{cost}-once"] - 1
            alone[fall] = -alone[rise]
        alone[LEARNED] = alone["initial"] / alone["stored"]
        if "n-rises" in alone:
            alone[RAISING] = alone["n-rises"] / alone["inner-iterations"]
        rows = []
        for (repeat, panel), group in alone.groupby(["repeat", "panel"]):
            curves = {row.method: cost_traces(row.arrays) for row in group.itertuples()}
            shown = [name for name in curves if not is_reading(name)] or [*curves]
            level = _LEVEL * min(lowest(curves[name][BEST]) for name in shown)
            for pair in (pair for pair in pairs if {*pair} <= {*curves}):
                place = {"repeat": repeat, "panel": panel, "pair": pair_name(*pair)}
                both = {method: curves[method] for method in pair}
                rows += [place | row for row in _compared(both, level)]
        return pd.concat([alone, pd.DataFrame(rows)], ignore_index=True)

    return frame


def _panel_of(options):
    """Rank and, if it is given, floor."""
    floor = options.get("floor")
    return f"rank {options['n_components']}" + (f", floor {floor:g}" if floor else "")


def pair_name(side: str, rival: str) -> str:
    return f"{side}, {rival}"


def cost_traces(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Traces of both costs; f_t before the first sample is taken to be F_n."""
    trace = arrays["trace"]
    stored = trace.copy()
    stored["objective"][1:] = arrays["stored"][1:]
    return {STORED: stored, BEST: trace}


def _compared(both, level):
    """Rows of two methods, by axis."""
    for axis, clock in CLOCKS.items():
        clocks = [curve[BEST][clock] for curve in both.values()]
        begin, end = max(times[1] for times in clocks), min(times[-1] for times in clocks)
        both_reach = max(curve[STORED]["objective"][-1] for curve in both.values())
        for method, curve in both.items():
            reached = time_to(curve[BEST][1:], level, clock)
            never = bool(np.isinf(reached))
            yield {
                "axis": axis,
                "method": method,
                STORED_COST: np.exp(raw_log_mean(curve[STORED], begin, end, clock)),
                BEST_COST: np.exp(raw_log_mean(curve[BEST], begin, end, clock)),
                UNTIL: curve[BEST][clock][-1] if never else reached,
                NEVER: never,
                SAME: stays_below(curve[STORED], both_reach, clock),
            }
    for method, curve in both.items():
        last = {STORED_COST: curve[STORED], BEST_COST: curve[BEST]}
        costs = {name: trace["objective"][-1] for name, trace in last.items()}
        yield {"axis": END, "method": method} | costs


def stays_below(trace: np.ndarray, level: float, clock: str) -> float:
    """When the cost came down to a level for good: its last value is no higher."""
    above = np.flatnonzero(trace["objective"][1:] > level)
    return trace[clock][1 + (above[-1] + 1 if len(above) else 0)]
