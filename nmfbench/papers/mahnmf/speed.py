"""Speed and end point of RRI and OGM: the curves of Figures 3 and 4, and Section 5.1 on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.bounds import at_most, within_factor
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import At, always_best, smaller
from nmfbench.artefacts.estimate import of_units
from nmfbench.artefacts.finding import (
    NO_PAIR,
    Finding,
    Test,
    at_each_reading,
    with_evidence,
    within,
)
from nmfbench.artefacts.frames import mean_table, select_rows
from nmfbench.artefacts.names import name_curves
from nmfbench.artefacts.plots import legend_of
from nmfbench.artefacts.region import Bounds, Lead, Margin, Region
from nmfbench.artefacts.style import method_styles, plot_band
from nmfbench.core.matters import Ratio
from nmfbench.papers.mahnmf.matrices import ALGORITHM_1, METHODS, OGM, SELECT, SORT, Matrix
from nmfbench.stats.traces import lowest, objective_at, raw_log_mean, stop_index, time_to

STOP = 1e-3
"""Precision of the paper's stop rule (4); its number is lost, this is that of the authors' code."""

_COMPARABLE = 2.0  # times
FEW = 25
"""Rounds of what converges fast."""
MUCH = Bounds(2.0, measured_from=1.0)
"""Far fewer seconds: half of them."""
_MUCH_MORE = 0.25  # of exponents, five times the smallest difference that matters
_GROWTH = "exponent of growth"
_EQUAL = {"rounds": "objective at equal rounds", "seconds": "objective at equal seconds"}
_X = {"round": "round (both factors updated once)", "seconds": "CPU seconds (one thread)"}
MATTERS: dict[str, float | Ratio | None] = {
    "objective at *": Ratio(0.02),
    "rounds to stop": Ratio(0.10),
    "seconds *": Ratio(0.10),
    _GROWTH: 0.05,
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


# -- tests of traces --------------------------------------------------------------------------


def _paired_traces(frame, side, rival):
    """For each repeat that has both methods their traces."""
    traces = {
        name: dict(zip(rows["repeat"], (arrays["trace"] for arrays in rows["arrays"]), strict=True))
        for name, rows in ((m, select_rows(frame, method=m)) for m in (side, rival))
    }
    return {r: (traces[side][r], traces[rival][r]) for r in traces[side] if r in traces[rival]}


def _lead_at_equal(axis, ours, theirs):
    """Mean logarithm of the ratio of two objectives, while both runs last; NaN if they never do.

    The axis is linear, from the end of the first round of the slower run on. Objectives are the
    lowest so far, as drawn.
    """
    clock = {"rounds": "iteration", "seconds": "cpu_seconds"}[axis]
    begin = max(trace[clock][1] for trace in (ours, theirs))
    end = min(trace[clock][-1] for trace in (ours, theirs))
    if begin >= end:
        return np.nan
    means = []
    for trace in (ours, theirs):
        so_far = trace.copy()
        so_far["objective"] = np.minimum.accumulate(trace["objective"])
        means.append(raw_log_mean(so_far, begin, end, clock))
    return means[1] - means[0]


def at_equal(side: str, rival: str, axis: str, region: Region, *, at: At) -> Test:
    """The objective of ``side`` is in a region below that of ``rival``, on average over the run.

    Parameters
    ----------
    side, rival : str
    axis : {"rounds", "seconds"}
        At equal rounds, or at equal CPU seconds.
    region : Lead, Margin or Bounds
        Of the ratio of the objective of the rival to that of the side.
    at : mapping
    """

    def test(frame):
        pairs = _paired_traces(frame, side, rival)
        leads = pd.Series(
            {r: _lead_at_equal(axis, *both) for r, both in pairs.items()}, dtype=float
        )
        leads = leads.dropna()
        if leads.empty:
            return Finding.without("not run", NO_PAIR)
        found = of_units(leads, _EQUAL[axis], ratio=True)
        text = f"{rival} has {{}} times the {_EQUAL[axis]} of {side}, mean over the run"
        return Finding(text, [found], region)

    return within(at, test)


def _by_selection(test: Test) -> Test:
    """``test`` on seconds of Algorithm 1, which is not timed as the paper has it."""
    words = (
        "medians of Algorithm 1 by selection, in linear time, where the paper sorts, which favours "
        "RRI"
    )
    return with_evidence(test, words)


def _at_equal_seconds(region: Region, at: At) -> Test:
    """RRI against OGM at equal seconds: no form of it has both the paper's sweeps and its sort."""
    forms = {"Algorithm 1, by selection": ALGORITHM_1, "one sweep a round, by sorting": SORT}
    tests = {words: at_equal(rri, OGM, "seconds", region, at=at) for words, rri in forms.items()}
    return at_each_reading("the form of RRI", tests)


def _few(method: str, at: At) -> Test:
    """The paper's rule stops ``method`` after few rounds."""

    def still_running(frame):
        rows = select_rows(frame, method=method)
        running = int(rows["running"].astype(bool).sum())
        return f"{running} of {len(rows)} had not stopped and count with their rounds" * (
            running > 0
        )

    test = at_most(method, "rounds to stop", FEW, ratio=True)
    return within(at, with_evidence(test, still_running))


def _to_level(*both):
    """Seconds until each run is as low as the higher of the two ends."""
    level = max(map(lowest, both))
    return [time_to(trace, level) for trace in both]


def _of_a_round(*both):
    return [trace["cpu_seconds"][-1] / (len(trace) - 1) for trace in both]


def _growth(entries: Mapping[str, int], what: str, seconds_of: Callable) -> Test:
    """CPU seconds of RRI by sorting grow faster with the size of the data than with OGM."""

    def test(frame):
        logs: dict[str, Any] = {}
        for problem, size in entries.items():
            rows = select_rows(frame, problem=problem)
            for repeat, both in _paired_traces(rows, SORT, OGM).items():
                sort, ogm = seconds_of(*both)
                logs.setdefault(repeat, {})[size] = np.log(sort / ogm)
        most = max(map(len, logs.values()), default=0)
        if most < 2:
            return Finding.without(
                "not run", "no repeat of this grid has both methods at two sizes"
            )
        slopes = [
            np.polyfit(np.log(list(found)), list(found.values()), 1)[0]
            for found in logs.values()
            if len(found) == most
        ]
        text = (
            f"exponent by which the ratio of {what}, {SORT} to {OGM}, grows with the number of "
            f"entries: {{}}, {most} sizes"
        )
        return Finding(text, [of_units(slopes, _GROWTH)], Bounds(_MUCH_MORE))

    return test


_TIMED = {"seconds to an objective that both reach": _to_level, "seconds a round": _of_a_round}


# -- the sentences of Sections 2, 3 and 5.1 ----------------------------------------------------

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

ASSUMED_BY_CLAIMS = {
    "further, comparable": "Objectives are compared at equal rounds or equal CPU seconds, from the "
    "end of the first round of the slower run to the end of the shorter one, in the mean over this "
    "stretch on a linear axis. Comparable: within four per cent, twice the smallest difference "
    "that matters.",
    "few rounds": f"The paper's number is lost; {FEW}, ours, by rule (4), which looks from the "
    "tenth round on.",
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
            "RRI as Algorithm 1, with medians by selection, converges in fewer CPU seconds than "
            "OGM.",
            _by_selection(smaller(ALGORITHM_1, OGM, "seconds to stop", "running", at=at)),
        ),
        "seconds-a-round": (
            "A round of RRI (Algorithm 1, with medians by selection) and one of OGM take "
            f"comparable time (within a factor of {_COMPARABLE:g}).",
            _by_selection(within_factor(ALGORITHM_1, OGM, "seconds a round", _COMPARABLE, at=at)),
        ),
        "lower-at-equal-rounds": (
            "RRI (Algorithm 1) reduces the objective further than OGM in as many rounds.",
            at_equal(ALGORITHM_1, OGM, "rounds", Lead(), at=at),
        ),
        "lower-at-equal-seconds": (
            "RRI (Algorithm 1 with medians by selection, and one sweep a round by sorting) reduces "
            "the objective further than OGM in as many CPU seconds.",
            _at_equal_seconds(Lead(), at),
        ),
    }
    return [
        *(
            Claim(f"{slug}-{name}", f"{matrix.label}: {statement}", source, test)
            for name, (statement, test) in found.items()
        ),
        few_rounds(matrix, f"{slug}-few-rounds", OGM, "OGM (Algorithm 3)", "Section 3"),
    ]


def few_rounds(matrix: Matrix, slug: str, method: str, who: str, source: str) -> Claim:
    """A claim that a method converges fast, counted in rounds."""
    statement = (
        f"{matrix.label}: {who} converges fast, by rule (4) at 0.001 in {FEW} rounds at most."
    )
    return Claim(slug, statement, source, _few(method, {"problem": matrix.label}))


def comparable(matrix: Matrix, slug: str) -> Claim:
    """The claim that both are comparable on small data."""
    return Claim(
        f"{slug}-comparable",
        f"{matrix.label}: the performance of RRI (Algorithm 1 with medians by selection, and one "
        "sweep a round by sorting) and OGM is comparable: in as many CPU seconds they reduce the "
        "objective alike.",
        "Section 3",
        _at_equal_seconds(Margin(), {"problem": matrix.label}),
    )


def scalable(entries: Mapping[str, int]) -> Claim:
    """The claim that smoothing scales better; ``entries`` are the sizes of the data by label."""
    return Claim(
        "scalable",
        "OGM is much more scalable than RRI: with the size of the matrix the CPU seconds that RRI "
        "by sorting takes to an objective that both reach, and for a round, grow faster than those "
        f"of OGM, by {_MUCH_MORE:g} or more in the exponent.",
        "Sections 3 and 5.1, Figure 3",
        at_each_reading(
            "what is timed",
            {words: _growth(entries, words, seconds_of) for words, seconds_of in _TIMED.items()},
        ),
    )


def large(matrix: Matrix, slug: str, source: str) -> list[Claim]:
    """The claims on large data; and, ours, RRI by selection, and where the two end."""
    at = {"problem": matrix.label}
    found = {
        "seconds-a-round": (
            "A round of OGM takes far less time than one of RRI by sorting: half of it at most.",
            always_best(OGM, [SORT], "seconds a round", at=at, lower=True, ratio=True, region=MUCH),
        ),
        "seconds": (
            "OGM converges in fewer CPU seconds than RRI by sorting.",
            smaller(OGM, SORT, "seconds to stop", "running", at=at),
        ),
    }
    return [
        *(
            Claim(f"{slug}-{name}", f"{matrix.label}: {statement}", source, test)
            for name, (statement, test) in found.items()
        ),
        Claim(
            f"{slug}-seconds-selection",
            f"{matrix.label}: OGM converges in fewer CPU seconds than RRI by selection.",
            f"ours, after {source}; the paper's RRI sorts",
            smaller(OGM, SELECT, "seconds to stop", "running", at=at),
            origin="ours",
        ),
        Claim(
            f"{slug}-end",
            f"{matrix.label}: OGM ends lower than RRI does. (The end point, apart from the speed.)",
            "ours; the paper compares the speed only",
            smaller(OGM, SELECT, "objective at end", at=at),
            origin="ours",
        ),
    ]
