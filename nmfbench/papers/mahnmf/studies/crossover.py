"""RRI, OGM and their relatives today: which is nearer to the best factorization, and when?"""

from __future__ import annotations

from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import without_exception
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import smaller
from nmfbench.artefacts.finding import within
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import legend_of
from nmfbench.artefacts.style import method_styles
from nmfbench.papers.mahnmf.matrices import (
    FACES,
    HYBRID,
    LARGE,
    LOW_RANK,
    LOW_RANK_WIDE,
    METHODS,
    MIDDLE,
    OGM,
    PIE,
    SELECT,
    SMALL,
    SMOKE,
    SORT,
    SPECTRAL,
    TINY,
    runs,
)
from nmfbench.papers.mahnmf.speed import ASSUMED, MATTERS, draw_bands, shared_seconds, with_traces
from nmfbench.stats.traces import objective_at, seconds_at_last_rate, time_to

MATRICES = (TINY, SMALL, MIDDLE, LARGE, LOW_RANK, LOW_RANK_WIDE, FACES, PIE, SMOKE)
TOLERANCES = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005)
_LABELS = [method.label for method in METHODS]
_FLOOR = 1e-3  # of the excess as drawn, as a share
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


# -- table and figure -------------------------------------------------------------------------


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


def draw(table):
    """A panel of curves for each problem, and a map of who is first within each tolerance."""
    shown = [m.label for m in MATRICES if m.label in set(table["problem"])]
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    heights = [4.2 * rows, 0.6 * len(shown) + 1.2]
    figure = plt.figure(figsize=(5.2 * columns, sum(heights)))
    parts: Any = figure.subfigures(2, 1, height_ratios=heights)
    above, below = parts
    axes = above.subplots(rows, columns, squeeze=False).ravel()
    panels, spare = np.split(axes, [len(shown)])
    percent = {name: 100 * table[name].clip(lower=_FLOOR) for name in ("mean", "low", "high")}
    for axis, problem in zip(panels, shown, strict=True):
        draw_bands(axis, select_rows(table.assign(**percent), problem=problem, part="curve"))
        axis.set(
            title=problem,
            xlabel="CPU seconds (one thread)",
            ylabel="objective above the best (%)",
            xscale="log",
            yscale="log",
            ylim=(100 * _FLOOR, None),
        )
    _draw_first(below.subplots(), select_rows(table, part="reach"), shown)
    for axis in spare:
        axis.axis("off")
    if len(spare):  # the place that is left
        drawn = {label: handle for axis in panels for handle, label in _handles(axis)}
        shown = [label for label in _LABELS if label in drawn]
        spare[0].legend([drawn[label] for label in shown], shown, loc="center", frameon=False)
    else:
        legend_of(above, panels, _LABELS, columns=3)
    return figure


def _handles(axis):
    return zip(*axis.get_legend_handles_labels(), strict=True)


def _draw_first(axis, reach, problems):
    """For each problem and tolerance the method that is first there, and after how long."""
    styles = method_styles(_LABELS)
    firsts = reach.sort_values("x").drop_duplicates(["problem", "tolerance"])
    for first in firsts.to_dict("records"):
        i, j = problems.index(first["problem"]), TOLERANCES.index(round(first["tolerance"], 6))
        color = styles[first["method"]]["color"]
        place = (j - 0.5, i - 0.5)
        axis.add_patch(plt.Rectangle(place, 1, 1, facecolor=color, edgecolor="white"))
        look = {"ha": "center", "va": "center", "color": "white", "size": "small"}
        words = first["method"].removeprefix("MahNMF (").removesuffix(")")
        axis.text(j, i, f"{words}\n{first['x']:.2g} s", **look)
    axis.set(
        title="RRI or OGM: the first to be this near to the best, and its seconds",
        xlabel="tolerance",
        xlim=(-0.5, len(TOLERANCES) - 0.5),
        ylim=(len(problems) - 0.5, -0.5),
        xticks=range(len(TOLERANCES)),
        xticklabels=[f"{100 * tolerance:g} %" for tolerance in TOLERANCES],
        yticks=range(len(problems)),
        yticklabels=problems,
    )
    axis.grid(False)


# -- claims -----------------------------------------------------------------------------------


def _sooner(side, rival, tolerance, at):
    """``side`` is within ``tolerance`` of the better of the two before ``rival`` is."""
    seconds = f"seconds to {tolerance:g}"

    def test(frame):
        pair = near_best(select_rows(frame, method=[side, rival]), tolerance)
        return smaller(side, rival, seconds, "short")(pair.rename(columns={"seconds": seconds}))

    return within(at, test)


def _claims(slug, matrix):
    at = {"problem": matrix.label}

    def claim(name, statement, test, source="ours; Section 5.1 for today's code"):
        return Claim(f"{slug}-{name}", f"{matrix.label}: {statement}", source, test, origin="ours")

    return [
        claim(
            "sort",
            "A sweep of RRI by selection takes less time than one by sorting.",
            smaller(SELECT, SORT, "seconds a round", at=at),
            "ours; Section 2 finds RRI not scalable for the cost of the sort",
        ),
        claim(
            "sprint",
            "RRI by selection is within 20 % of the better of the two before OGM with the paper's "
            "step is.",
            _sooner(SELECT, OGM, 0.2, at),
        ),
        claim(
            "finish",
            "OGM with the spectral step is within 2 % of the better of the two before RRI by "
            "selection is.",
            _sooner(SPECTRAL, SELECT, 0.02, at),
        ),
        claim(
            "end",
            "OGM with the spectral step ends lower than RRI by selection.",
            smaller(SPECTRAL, SELECT, "objective at end", at=at),
        ),
        claim(
            "hybrid",
            "At equal CPU time the hybrid is at most 1 % above the better of RRI by selection and "
            "OGM with either step.",
            without_exception(HYBRID, "worst lag", high=0.01, at=at),
        ),
        *(
            claim(
                f"hybrid-below-{name}",
                f"The hybrid ends lower than {rival}.",
                smaller(HYBRID, rival, "objective at end", at=at),
            )
            for name, rival in (("rri", SELECT), ("ogm", SPECTRAL))
        ),
    ]


_SLUGS = {
    "tiny": TINY,
    "small": SMALL,
    "large": LARGE,
    "low-rank": LOW_RANK,
    "yaleb": FACES,
    "pie": PIE,
}


def _claimed(trial):
    return trial.labels["problem"] in [matrix.label for matrix in _SLUGS.values()]


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/crossover",
        title="RRI, OGM and their relatives: who is near the best first",
        kind="figure",
        methods=METHODS,
        grid=partial(runs, MATRICES, METHODS),
        frame=frame,
        table=summarise,
        picture=draw,
        claims=[claim for slug, matrix in _SLUGS.items() for claim in _claims(slug, matrix)],
        planned=Plan(
            10,
            "As in the paper's grid: a repeat takes 200 s, and hours with the largest matrix.",
            part="The matrices that claims are about.",
            chosen=_claimed,
        ),
        matters=MATTERS | {"worst lag": 0.02},
        assumed=ASSUMED
        | {
            "best": "The smallest objective that any of the methods shown met on the same data, "
            "not the optimum, which nobody knows.",
        },
        caption="Objective above the best that any method met on the same data, median over "
        "repeats, with quartiles, against CPU seconds on one thread. Last panel, without the "
        "hybrid: the method that is first within a tolerance of the best objective of "
        "these methods, in the median, and its seconds; an empty cell means that none was in half "
        "of its repeats. Curves that end had run for their number of rounds.",
    )
)
