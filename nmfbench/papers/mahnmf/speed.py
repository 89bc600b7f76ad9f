"""Speed and end point of RRI and OGM: the curves of Figures 3 and 4, and Section 5.1 on them."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.bounds import within_factor
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import smaller
from nmfbench.artefacts.frames import mean_table, narrow
from nmfbench.artefacts.plots import legend_of
from nmfbench.artefacts.style import method_styles, plot_band
from nmfbench.papers.mahnmf.matrices import ALGORITHM_1, METHODS, OGM, SELECT, SORT, Matrix
from nmfbench.stats.traces import stop_index

__all__ = [
    "ASSUMED",
    "curves",
    "draw",
    "draw_bands",
    "large",
    "shared_seconds",
    "small",
    "with_traces",
]

STOP = 1e-3
"""Precision of the paper's stop rule (4); its number is lost, this is that of the authors' code."""

_COMPARABLE = 2.0  # times
_X = {"round": "round (both factors updated once)", "seconds": "CPU seconds (one thread)"}


def with_traces(records: pd.DataFrame, matrices: Sequence[Matrix]) -> pd.DataFrame:
    """Records of the task ``convergence``, with what their traces say.

    Added columns: ``problem``, the label; ``rounds to stop``, ``seconds to stop`` and ``objective
    at stop`` by the paper's rule, or at the end of a run that it had not stopped, in which case
    ``running`` is true; ``seconds a round``; ``objective at end``, the smallest.
    """
    rows = []
    for record in records.to_dict("records"):
        trace = record["arrays"]["trace"]
        stop, end = stop_index(trace, STOP), len(trace) - 1
        last = end if stop is None else stop
        rows.append(
            {
                "problem": next((m.label for m in matrices if m.holds(record)), None),
                "rounds to stop": float(last),
                "seconds to stop": float(trace["cpu_seconds"][last]),
                "objective at stop": float(trace["objective"][: last + 1].min()),
                "running": stop is None,
                "seconds a round": float(trace["cpu_seconds"][-1] / max(end, 1)),
                "objective at end": float(trace["objective"].min()),
            }
        )
    return pd.concat([records, pd.DataFrame(rows, index=records.index)], axis=1)


# -- curves against rounds and against seconds ------------------------------------------------


def shared_seconds(traces) -> np.ndarray:
    """60 times between the first round of the slowest run and the end of the shortest, if any."""
    clocks = [trace["cpu_seconds"] for trace in traces]
    begin = max(max(clock[0], clock[1] / 2) for clock in clocks)
    end = min(clock[-1] for clock in clocks)
    return np.geomspace(begin, end, 60) if 0 < begin < end else np.empty(0)


def curves(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean relative error and its 95 % interval, against rounds and against CPU seconds.

    A curve reaches as far as all repeats of its method do. Rows with ``axis`` "stop-round" and
    "stop-seconds" hold where rule (4) stops, on average.
    """
    parts = []
    for (problem, method), rows in frame.groupby(["problem", "method"], observed=True):
        traces = [arrays["trace"] for arrays in rows["arrays"]]
        pairs = zip(traces, rows["norm"], strict=True)
        errors = [trace["objective"] / norm for trace, norm in pairs]
        rounds = np.unique(np.geomspace(1, min(map(len, traces)), 60).astype(int)) - 1
        seconds = shared_seconds(traces)
        clocks = [trace["cpu_seconds"] for trace in traces]
        both = zip(clocks, errors, strict=True)
        found = {
            "round": (rounds, [error[rounds] for error in errors]),
            "seconds": (seconds, [np.interp(seconds, *pair) for pair in both]),
        }
        there = {"problem": problem, "method": method}
        for axis, (x, ys) in found.items():
            long = pd.concat([pd.DataFrame({"x": x, "error": y}) for y in ys])
            parts.append(mean_table(long, "error", ["x"]).assign(**there, axis=axis))
        stopped = rows[~rows["running"].astype(bool)]
        if len(stopped):
            level = (stopped["objective at stop"] / stopped["norm"]).mean()
            for axis, column in (("round", "rounds to stop"), ("seconds", "seconds to stop")):
                stop = {"x": stopped[column].mean(), "mean": level, "count": len(stopped)}
                parts.append(pd.DataFrame([stop | there | {"axis": f"stop-{axis}"}]))
    table = pd.concat([part for part in parts if len(part)], ignore_index=True)
    return table.astype({"problem": str, "method": str})


def draw_bands(axis, table: pd.DataFrame) -> None:
    """Curves of the methods with bands and no markers."""
    styles = method_styles([method.label for method in METHODS])
    for method in METHODS:
        rows = narrow(table, method=method.label)
        if len(rows):
            style = styles[method.label] | {"marker": "", "linestyle": "-"}
            plot_band(axis, rows["x"], rows, method.label, style)


def draw(table: pd.DataFrame, matrices: Sequence[Matrix]):
    """A row of panels for each problem: relative error against rounds and CPU seconds."""
    shown = [m.label for m in matrices if m.label in set(table["problem"])]
    figure, axes = plt.subplots(
        len(shown), 2, figsize=(11, 4.1 * len(shown) + 0.6), squeeze=False, sharey="row"
    )
    styles = method_styles([method.label for method in METHODS])
    for row, problem in zip(axes, shown, strict=True):
        for axis, (kind, xlabel) in zip(row, _X.items(), strict=True):
            draw_bands(axis, narrow(table, problem=problem, axis=kind))
            for stop in narrow(table, problem=problem, axis=f"stop-{kind}").to_dict("records"):
                color = styles[stop["method"]]["color"]
                axis.plot(stop["x"], stop["mean"], "o", color=color, markeredgecolor="white")
            axis.set(title=problem, xlabel=xlabel, xscale="log")
        row[0].set_xscale("symlog", linthresh=1)
        row[0].set_xlim(left=0)
        row[0].set_ylabel("relative error ‖X − WH‖₁ / ‖X‖₁")
    legend_of(figure, axes, [method.label for method in METHODS], columns=3)
    return figure


# -- the sentences of Section 5.1, speed and end point apart -----------------------------------

ASSUMED = {
    "sizes and ranks": "Lost in the text; ours.",
    "rule (4)": "Runs go on for a fixed number of rounds; where the paper's rule would have "
    "stopped each is read off its trace (dots), at a precision of 0.001, ours. A run that had not "
    "stopped counts where that decides the comparison.",
    "rounds": "A round updates both factors once. It is one sweep of weighted medians (RRI, one "
    "sweep), 10 to 1000 sweeps over each factor (Algorithm 1), or 10 to 1000 gradients for each "
    "(OGM): rounds of different methods are different units of work.",
    "closed form": "Section 5.1 explains the figure by OGM having a closed form for each "
    "variable. It is RRI that has one; the claim is read so.",
    "RRI": "By sorting, as the paper finds the median, one sweep a round; by selection, in linear "
    "time; and Algorithm 1 with its inner stop rule, by selection, which takes the same steps as "
    "by sorting.",
    "OGM": "First μ = 1, then 1/t, and the paper's bound on the Lipschitz constant; the spectral "
    "step uses the constant itself. The number for μ is lost; data are in [0, 1].",
    "start": "Uniform, small, scaled by one multiplicative step; the same for all methods of a "
    "repeat. Each repeat draws data and start.",
}


def small(matrix: Matrix, slug: str, source: str) -> list[Claim]:
    """The claims on small data."""
    at = {"problem": matrix.label}
    found = {
        "rounds": (
            "RRI (Algorithm 1) converges in fewer rounds than OGM.",
            smaller(ALGORITHM_1, OGM, "rounds to stop", "running", at=at),
        ),
        "seconds": (
            "RRI by sorting, one sweep a round, converges in fewer CPU seconds than OGM.",
            smaller(SORT, OGM, "seconds to stop", "running", at=at),
        ),
        "seconds-algorithm-1": (
            "RRI as Algorithm 1 converges in fewer CPU seconds than OGM.",
            smaller(ALGORITHM_1, OGM, "seconds to stop", "running", at=at),
        ),
        "seconds-a-round": (
            "A round of RRI (Algorithm 1) and one of OGM take comparable time (within a factor "
            f"of {_COMPARABLE:g}).",
            within_factor(ALGORITHM_1, OGM, "seconds a round", _COMPARABLE, at=at),
        ),
        "end": (
            "RRI (Algorithm 1) reduces the objective further than OGM, where each stops.",
            smaller(ALGORITHM_1, OGM, "objective at stop", at=at),
        ),
        "end-one-sweep": (
            "RRI with one sweep a round reduces the objective further than OGM, where each stops.",
            smaller(SELECT, OGM, "objective at stop", at=at),
        ),
    }
    return [
        Claim(f"{slug}-{name}", f"{matrix.label}: {statement}", source, test)
        for name, (statement, test) in found.items()
    ]


def large(matrix: Matrix, slug: str, source: str) -> list[Claim]:
    """The claims on large data, and where the two end, of which the paper says nothing."""
    at = {"problem": matrix.label}
    found = {
        "seconds-a-round": (
            "A round of OGM takes less time than one of RRI by sorting.",
            smaller(OGM, SORT, "seconds a round", at=at),
        ),
        "seconds": (
            "OGM converges in fewer CPU seconds than RRI by sorting.",
            smaller(OGM, SORT, "seconds to stop", "running", at=at),
        ),
        "seconds-selection": (
            "OGM converges in fewer CPU seconds than RRI by selection.",
            smaller(OGM, SELECT, "seconds to stop", "running", at=at),
        ),
    }
    return [
        *(
            Claim(f"{slug}-{name}", f"{matrix.label}: {statement}", source, test)
            for name, (statement, test) in found.items()
        ),
        Claim(
            f"{slug}-end",
            f"{matrix.label}: OGM ends lower than RRI does. (The end point, apart from the speed.)",
            "ours; the paper compares the speed only",
            smaller(OGM, SELECT, "objective at end", at=at),
            origin="ours",
        ),
    ]
