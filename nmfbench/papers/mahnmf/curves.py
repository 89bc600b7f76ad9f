"""What Figures 3 and 4 and the crossover study share: problems, methods, and what traces say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.claim import around
from nmfbench.artefacts.grids import Method
from nmfbench.artefacts.style import method_styles, plot_band
from nmfbench.engine.trials import Trial
from nmfbench.stats.intervals import mean_and_interval

__all__ = [
    "METHODS",
    "Problem",
    "at_seconds",
    "derive",
    "draw_curves",
    "grid",
    "on_problem",
    "relative_error",
    "seconds_to",
    "stop_index",
    "summarise_curves",
]

ALGORITHM_1 = "RRI (Algorithm 1)"
SORT = "RRI (one sweep, sorting)"
SELECT = "RRI (one sweep, selection)"
OGM = "OGM (paper's step)"
SPECTRAL = "OGM (spectral step)"
HYBRID = "hybrid"

METHODS = (
    Method(ALGORITHM_1, "mahnmf-rri", {"inner_sweeps": None}),
    Method(SORT, "mahnmf-rri", {"median": "sort"}),
    Method(SELECT, "mahnmf-rri"),
    Method(OGM, "mahnmf-ogm"),
    Method(SPECTRAL, "mahnmf-ogm", {"lipschitz": "spectral"}),
    Method(HYBRID, "mahnmf-hybrid"),
)

STOP = 1e-3
"""Precision of the paper's stop rule (4); its number is lost, this is that of the authors' code."""


@dataclass(frozen=True)
class Problem:
    """A matrix to factorize, and how long each method runs on it.

    Parameters
    ----------
    label : str
        Features x samples, as the paper gives sizes.
    dataset : str
    dataset_params, options : mapping
        As of the trials; ``n_components`` among the options.
    rounds : mapping
        Iterations of each method, by its label; a method that is not named does not run.
    repeats : mapping
        By profile: a number, or a mapping from methods to numbers.
    stand_in : bool
    """

    label: str
    dataset: str
    options: Mapping[str, Any]
    rounds: Mapping[str, int]
    repeats: Mapping[str, int | Mapping[str, int]]
    dataset_params: Mapping[str, Any] = field(default_factory=dict)
    stand_in: bool = False

    def repeats_of(self, profile, method):
        found = self.repeats.get(profile, 0)
        return found.get(method, 0) if isinstance(found, Mapping) else found


def grid(problems: Sequence[Problem], methods: Sequence[Method], profile: str) -> list[Trial]:
    """Trials of every method on every problem that it runs on."""
    return [
        Trial(
            task="convergence",
            dataset=problem.dataset,
            dataset_params=problem.dataset_params,
            solver=method.solver,
            params=method.params,
            options={**problem.options, "max_iter": problem.rounds[method.label]},
            repeat=repeat,
            stand_in=problem.stand_in,
            timed=True,
        )
        for problem in problems
        for method in methods
        if method.label in problem.rounds
        for repeat in range(problem.repeats_of(profile, method.label))
    ]


# -- what a trace says ------------------------------------------------------------------------


def stop_index(trace, tol=STOP, min_iter=10):
    """The iteration after which rule (4) would have stopped, or None if it never would.

    See :func:`nmfbench.optim.stopping.relative_progress`, which stops a run while it goes on.
    """
    F = trace["objective"]
    small = np.abs(np.diff(F)) <= tol * np.abs(F[0] - F[1:])
    late = np.flatnonzero(small[min_iter - 1 :])
    return int(late[0]) + min_iter if len(late) else None


def at_seconds(trace, seconds, clock="cpu_seconds"):
    """The smallest objective met by ``seconds``, interpolated between iterations.

    Before the first record it is NaN, and after the last one too: the run says nothing of them.
    """
    best = np.minimum.accumulate(trace["objective"])
    return np.interp(seconds, trace[clock], best, left=np.nan, right=np.nan)


def seconds_to(trace, objective, clock="cpu_seconds"):
    """When the objective first was as low, interpolated between iterations; inf if never."""
    best, time = np.minimum.accumulate(trace["objective"]), trace[clock]
    after = np.flatnonzero(best <= objective)
    if not len(after):
        return np.inf
    i = int(after[0])
    if i == 0:
        return float(time[0])
    share = (best[i - 1] - objective) / (best[i - 1] - best[i])
    return float(time[i - 1] + share * (time[i] - time[i - 1]))


def derive(records, problems):
    """Records of the task ``convergence``, with what their traces say.

    Added columns: ``problem``, the label; ``rounds-to-stop``, ``seconds-to-stop`` and
    ``objective-at-stop`` by the paper's rule, or at the end of a run that it had not stopped, in
    which case ``running`` is true; ``seconds-a-round``; ``objective-at-end``, the smallest.
    """
    records = records[records["task"] == "convergence"]
    rows = []
    for row in records.to_dict("records"):
        trace = row["arrays"]["trace"]
        stop = stop_index(trace)
        last = len(trace) - 1 if stop is None else stop
        rows.append(
            {
                "problem": _problem_of(row, problems),
                "rounds-to-stop": float(last),
                "seconds-to-stop": float(trace["cpu_seconds"][last]),
                "objective-at-stop": float(trace["objective"][: last + 1].min()),
                "running": stop is None,
                "seconds-a-round": float(trace["cpu_seconds"][-1] / max(len(trace) - 1, 1)),
                "objective-at-end": float(trace["objective"].min()),
            }
        )
    derived = pd.DataFrame(rows, index=records.index)
    if not rows:
        derived["problem"] = []
    return pd.concat([records, derived], axis=1)


def _problem_of(row, problems):
    for problem in problems:
        same = row["dataset"] == problem.dataset and all(
            row.get(name) == value for name, value in problem.options.items()
        )
        if same and row["dataset_params"] == dict(problem.dataset_params):
            return problem.label
    return None


def on_problem(label, problems, test):
    """``test`` on the derived records of one problem."""

    def narrowed(test, records):
        found = derive(records, problems)
        return test(found[found["problem"] == label])

    return around(test, narrowed)


def relative_error(row):
    """The trace's objective as a share of the l1 norm of the data."""
    return row["arrays"]["trace"]["objective"] / row["norm"]


# -- curves against rounds and against seconds ------------------------------------------------


def summarise_curves(records, problems):
    """Mean relative error and its 95 % interval, against rounds and against CPU seconds.

    A curve reaches as far as all repeats of its method do. Rows with ``axis`` "stop-round" and
    "stop-seconds" hold where rule (4) stops, on average.
    """
    records = derive(records, problems)
    parts = []
    for (problem, method), rows in records.groupby(["problem", "method"], observed=True):
        traces = [row["arrays"]["trace"] for row in rows.to_dict("records")]
        errors = [relative_error(row) for row in rows.to_dict("records")]
        last = min(len(trace) for trace in traces) - 1
        rounds = np.unique(np.geomspace(1, last + 1, 60).astype(int)) - 1
        values = {"round": (rounds, [error[rounds] for error in errors])}
        clocks = [trace["cpu_seconds"] for trace in traces]
        begin = max(max(clock[1] for clock in clocks) / 2, max(clock[0] for clock in clocks))
        end = min(clock[-1] for clock in clocks)
        if 0 < begin < end:
            seconds = np.geomspace(begin, end, 60)
            both = zip(clocks, errors, strict=True)
            values["seconds"] = seconds, [np.interp(seconds, c, error) for c, error in both]
        for axis, (x, ys) in values.items():
            long = pd.DataFrame({"x": np.tile(x, len(ys)), "y": np.concatenate(ys)})
            table = mean_and_interval(long.groupby("x")["y"])
            parts.append(table.assign(problem=problem, method=method, axis=axis))
        stopped = rows[~rows["running"].astype(bool)]
        if len(stopped):
            level = (stopped["objective-at-stop"] / stopped["norm"]).mean()
            stops = {"stop-round": "rounds-to-stop", "stop-seconds": "seconds-to-stop"}
            for axis, column in stops.items():
                place = {"x": stopped[column].mean(), "mean": level, "count": len(stopped)}
                parts.append(
                    pd.DataFrame([place]).assign(problem=problem, method=method, axis=axis)
                )
    table = pd.concat(parts, ignore_index=True)
    return table.astype({"problem": str, "method": str})


def draw_curves(table, problems, methods):
    """A row of panels for each problem: relative error against rounds and CPU seconds."""
    shown = [p for p in problems if (table["problem"] == p.label).any()]
    figure, axes = plt.subplots(
        len(shown), 2, figsize=(11, 4.1 * len(shown) + 0.6), squeeze=False, sharey="row"
    )
    styles = method_styles([method.label for method in methods])
    labels = {"round": "round (both factors updated once)", "seconds": "CPU seconds (one thread)"}
    for row, problem in zip(axes, shown, strict=True):
        for axis, (kind, xlabel) in zip(row, labels.items(), strict=True):
            part = table[(table["problem"] == problem.label) & (table["axis"] == kind)]
            stops = table[
                (table["problem"] == problem.label) & (table["axis"] == f"stop-{kind}")
            ].set_index("method")
            for method in methods:
                rows = part[part["method"] == method.label]
                if rows.empty:
                    continue
                style = styles[method.label] | {"marker": "", "linestyle": "-"}
                plot_band(axis, rows["x"], rows, method.label, style)
                if method.label in stops.index:
                    stop = stops.loc[method.label]
                    axis.plot(
                        stop["x"], stop["mean"], "o", color=style["color"], markeredgecolor="white"
                    )
            axis.set(title=problem.label, xlabel=xlabel, xscale="log")
            if kind == "round":
                axis.set_xscale("symlog", linthresh=1)
                axis.set_xlim(left=0)
        row[0].set_ylabel("relative error ‖X − WH‖₁ / ‖X‖₁")
    handles, names = axes[0, 1].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False)
    return figure
