"""Runs of RRI and OGM: what their traces say, and the curves of Figures 3 and 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.frames import mean_table, select_rows
from nmfbench.artefacts.grids import Method
from nmfbench.artefacts.names import name_curves
from nmfbench.artefacts.plots import legend_of
from nmfbench.artefacts.style import method_styles, plot_band
from nmfbench.core.matters import Ratio
from nmfbench.papers.mahnmf.matrices import METHODS, Matrix, runs
from nmfbench.stats.traces import lowest, objective_at, stop_index

STOP = 1e-3
"""Precision of the paper's stop rule (4); its number is lost, this is that of the authors' code."""

_X = {"round": "round (both factors updated once)", "seconds": "CPU seconds (one thread)"}
MATTERS: dict[str, float | Ratio | None] = {
    "objective at *": Ratio(0.02),
    "rounds to stop": Ratio(0.10),
    "seconds *": Ratio(0.10),
}
"""Smallest differences that matter of what traces say."""


def with_traces(records: pd.DataFrame) -> pd.DataFrame:
    """Records of the task ``convergence``, with what their traces say.

    Added columns: ``rounds to stop``, ``seconds to stop`` and ``objective
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
                "rounds to stop": float(last),
                "seconds to stop": float(trace["cpu_seconds"][last]),
                "objective at stop": float(objective_at(trace, last, "iteration")),
                "running": stop is None,
                "seconds a round": float(trace["cpu_seconds"][-1] / max(end, 1)),
                "objective at end": lowest(trace),
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
        rounds = np.unique(np.geomspace(1, min(map(len, traces)), 60).astype(int)) - 1
        axes = {
            "round": (rounds, "iteration"),
            "seconds": (shared_seconds(traces), "cpu_seconds"),
        }
        there = {"problem": problem, "method": method}
        for axis, (x, clock) in axes.items():
            pairs = zip(traces, rows["norm"], strict=True)
            errors = [objective_at(trace, x, clock) / norm for trace, norm in pairs]
            long = pd.concat([pd.DataFrame({"x": x, "error": error}) for error in errors])
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
    """Curves of the methods with bands, and markers far from each other, no two at one place."""
    styles = method_styles([method.label for method in METHODS])
    for k, method in enumerate(METHODS):
        rows = select_rows(table, method=method.label)
        if len(rows):
            style = styles[method.label] | {"linestyle": "-", "markevery": (2 * k, 12)}
            plot_band(axis, rows["x"], rows, method.label, style)


def draw(table: pd.DataFrame, matrices: Sequence[Matrix]):
    """A row of panels for each problem: relative error against rounds and CPU seconds."""
    shown = [m.label for m in matrices if m.label in set(table["problem"])]
    figure, axes = plt.subplots(
        len(shown), 2, figsize=(12.5, 4.1 * len(shown) + 0.6), squeeze=False, sharey="row"
    )
    styles = method_styles([method.label for method in METHODS])
    for row, problem in zip(axes, shown, strict=True):
        for axis, (kind, xlabel) in zip(row, _X.items(), strict=True):
            draw_bands(axis, select_rows(table, problem=problem, axis=kind))
            for stop in select_rows(table, problem=problem, axis=f"stop-{kind}").to_dict("records"):
                color = styles[stop["method"]]["color"]
                axis.plot(stop["x"], stop["mean"], "o", color=color, markeredgecolor="white")
            axis.set(title=problem, xlabel=xlabel, xscale="log")
        row[0].set_xscale("symlog", linthresh=1)
        row[0].set_xlim(left=0)
        row[0].set_ylabel("relative error ‖X − WH‖₁ / ‖X‖₁")
    named = {name for row in axes for name in name_curves(row[-1], 3.3)}
    legend_of(figure, axes, [method.label for method in METHODS], columns=3, left_out=named)
    return figure


# -- artefacts --------------------------------------------------------------------------------

ASSUMED = {
    "sizes and ranks": "Lost in the text; ours.",
    "rule (4)": "Runs go on for a fixed number of rounds; where the paper's rule would have "
    "stopped each is read off its trace (dots), at a precision of 0.001, ours. A run that had not "
    "stopped counts where that decides the comparison.",
    "rounds": "A round updates both factors once. It is one sweep of weighted medians (RRI, one "
    "sweep), 10 to 1000 sweeps over each factor (Algorithm 1), or 10 to 1000 gradients for each "
    "(OGM): rounds of different methods are different units of work.",
    "sub-problems": "One of OGM ends when its gradient has fallen to a hundredth, and not by Eq. "
    "(22); one of Algorithm 1 when a sweep brings less than a hundredth of what all have brought, "
    "as by Eq. (8). Where ten gradients or sweeps, the fewest, sufficed, it is a tenth of that "
    "from then on. The paper's numbers are lost; ours set how long a round is, and how much it "
    "brings.",
    "closed form": "Section 5.1 explains the figure by OGM having a closed form for each "
    "variable. It is RRI that has one; the claim is read so.",
    "RRI": "By sorting, as the paper finds the median, one sweep a round; by selection, in linear "
    "time; and Algorithm 1 with its inner stop rule, by selection, which takes the same steps as "
    "by sorting in fewer seconds: that favours RRI. Sweeps and gradients are ours alike, but the "
    "loop of RRI over single variables is compiled, where the authors' code is in MATLAB, in which "
    "such loops are slow and the matrix products of OGM are not: that favours RRI, too. At equal "
    "seconds claims are decided where Algorithm 1, and one sweep a round by sorting, come out "
    "alike.",
    "OGM": "First μ = 1, then 1/t, and the paper's bound on the Lipschitz constant; the spectral "
    "step uses the constant itself. The number for μ is lost; data are in [0, 1].",
    "far fewer, much more": "The paper has no numbers. Half of the seconds of a round; exponents "
    "that differ by five times the smallest difference that matters.",
    "start": "Uniform, small, scaled by one multiplicative step; the same for all methods of a "
    "repeat. Each repeat draws data and start.",
}

CAPTION = (
    "Features x samples. Means over repeats with 95 % intervals, up to where the "
    "shortest repeat ends; a dot marks where the paper's rule (4) stops, on average. CPU "
    "seconds on one thread, without compilation and evaluation of the objective."
)


def figure(
    name: str,
    matrices: Sequence[Matrix],
    *,
    methods: Sequence[Method] = METHODS,
    repeats: int = 0,
    matters: Mapping[str, float | Ratio | None] = MATTERS,
    assumed: Mapping[str, str],
    caption: str = CAPTION,
    **parts: Any,
) -> Artefact:
    """The figure of runs on some matrices; ``parts`` are the other fields of an artefact.

    ``repeats`` as in :func:`~nmfbench.papers.mahnmf.matrices.runs`.
    """
    return register_artefact(
        Artefact(
            f"mahnmf/{name}",
            kind="figure",
            methods=methods,
            grid=partial(runs, matrices, methods, repeats=repeats),
            frame=with_traces,
            table=curves,
            picture=partial(draw, matrices=matrices),
            matters=matters,
            assumed=ASSUMED | dict(assumed),
            caption=caption,
            **parts,
        )
    )
