"""Tests of the accuracy of RNMFD and its rivals along their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from nmfbench.artefacts.comparisons import always_best, better
from nmfbench.artefacts.estimate import Estimate, of_left_out
from nmfbench.artefacts.finding import NO_PAIR, Finding, Test
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.region import Bounds, Lead, Margin
from nmfbench.papers.rnmfd.collapse import where_least
from nmfbench.papers.rnmfd.panels import BEST, EXTENDED, PANELS, RNMFD, USUAL
from nmfbench.papers.rnmfd.protocols import AC, printed
from nmfbench.papers.rnmfd.sets import SETS, by_set
from nmfbench.stats.pooled import pooled_means

_NEARLY = 0.05  # below the best AC, within which a method does well
_CELL = ["dataset", "x"]


def _each(values):
    return by_set(lambda d: f"{values[d]:.3g}", values.index)


def ahead_of_baselines(name: str) -> Test:
    """RNMFD beats the best baseline of every data set at every value in the range of a panel."""
    return _against(name, BEST, Lead())


def as_good_as_extended(name: str) -> Test:
    """RNMFD is not worse than GNMF at its best parameters, on every set at every value."""
    return _against(name, EXTENDED, Margin(both=False))


def _against(name, place, region):
    """RNMFD at each value in the range of a panel against the rows of another one, on each set.

    The deviation from run to run is taken to be the same for all values on a data set and its
    rival.
    """

    def test(frame):
        rows = select_rows(frame, panel=name, x=PANELS[name].range)
        best = select_rows(frame, panel=place)
        rows = rows[rows["dataset"].isin(best["dataset"])]
        if rows.empty:
            return Finding.without("not run", NO_PAIR)
        cells = pooled_means(pd.concat([rows, best]).groupby(_CELL)[AC], "dataset")
        rival = cells.xs(np.inf, level="x").reindex(cells.index, level="dataset")
        cells["lead"] = cells["mean"] - rival["mean"]
        cells["error"] = np.hypot(cells["error"], rival["error"])
        cells = cells.drop(np.inf, level="x")
        spans = 100 * cells["lead"].groupby("dataset").agg(["min", "max"])
        rivals = best.groupby("dataset")["method"].first()
        each = by_set(
            lambda d: f"{spans['min'][d]:.3g} to {spans['max'][d]:.3g} over {rivals[d]}",
            spans.index,
        )
        runs = _runs(rows)
        leads = [
            Estimate(c.lead, c.error, c.freedom, runs, AC, f"{SETS[d].label} at {x:g}")
            for (d, x), c in zip(cells.index, cells.itertuples(), strict=True)
        ]
        return Finding(
            "smallest lead in AC {}, on {name}",
            leads,
            region,
            complete=set(SETS) <= set(rows["dataset"]),
            unit="runs",
            notes=[
                f"leads in points over the range: {each}",
                _beside_printed(select_rows(rows, x=USUAL[name]), best),
                where_least(rows, cells["lead"]),
            ],
        )

    return test


def _beside_printed(rows, best):
    """AC of RNMFD at the paper's parameters and of the rivals, with what Table 3 prints."""
    ours, theirs = (100 * part.groupby("dataset")[AC].mean() for part in (rows, best))
    rivals = best.groupby("dataset")["method"].first()
    texts = []
    for d in (d for d in SETS if d in ours and d in theirs):
        values = {label: 100 * value for label, value in printed("rnmfd/table3", d).items()}
        texts.append(
            f"{SETS[d].label} {RNMFD} {ours[d]:.1f} ({values[RNMFD]:.1f}), "
            f"{rivals[d]} {theirs[d]:.1f} ({values[rivals[d]]:.1f})"
        )
    return f"AC in per cent, in brackets as printed: {'; '.join(texts)}" if texts else ""


def _runs(rows):
    """Independent runs behind each cell."""
    return int(rows.groupby(_CELL)["repeat"].nunique().min())


def spread_below(name: str, *, stable: bool = True, whole: bool = False) -> Test:
    """Mean AC is alike at all values in the range of a panel, on every data set.

    Of every pair of values on a data set the means differ by less than the margin, twice the
    smallest difference that matters. ``stable=False`` claims that those of some pair differ by
    more, and ``whole`` is about all values that were run, not those in the range.
    """
    panel = PANELS[name]

    def test(frame):
        rows = select_rows(frame, panel=name, x=list(panel.values) if whole else panel.range)
        if rows.empty:
            return Finding.without("not run", "no trial of this grid measures it")
        cells = pooled_means(rows.groupby(_CELL)[AC], "dataset")
        means = cells["mean"].groupby("dataset")
        spread = means.max() - means.min()
        notes = [f"AC varies in points by: {_each(100 * spread)}"]
        if panel.solver == "rnmfd":
            notes.append(where_least(rows, cells["mean"] - means.transform("max")))
        runs, gaps = _runs(rows), []
        for d, of_set in cells.groupby("dataset"):
            values = of_set.droplevel("dataset").sort_values("mean")
            for (_, low), (_, high) in combinations(values.iterrows(), 2):
                where = f"{SETS[d].label}, {low.name:g} and {high.name:g}"
                error = float(np.hypot(low["error"], high["error"]))
                gap = high["mean"] - low["mean"]
                gaps.append(Estimate(gap, error, low["freedom"], runs, AC, where))
        if not gaps:
            return Finding.without("inconclusive", "fewer than two values have been run")
        complete = spread.index.nunique() == len(panel.sets)
        text = "largest difference in AC {}, on {name}"
        if stable:
            return Finding(text, gaps, Margin(), complete=complete, unit="runs", notes=notes)
        return Finding(text, gaps, Bounds(0.04), "some", complete, "runs", notes)

    return test


def steadier(name: str, rival: str, *, whole: bool = False) -> Test:
    """The mean AC of a method varies less over the range of its panel than that of a rival.

    A difference of ranges, in the mean over the data sets, with the jackknife over runs; only
    values that both were run with count, of all of them if ``whole``.
    """
    ours, theirs = PANELS[name].method, PANELS[rival].method

    def test(frame):
        x = PANELS[rival].values if whole else PANELS[name].range
        rows = select_rows(frame, panel=[name, rival], x=list(x))
        rows = rows[rows.groupby("x")["panel"].transform("nunique") == 2]
        if rows.empty:
            return Finding.without("not run", NO_PAIR)
        spread = 100 * _along(rows, _spread)
        text = f"AC of {theirs} varies by {{}} more than that of {ours}, in the mean over data sets"
        found = _lead_along(rows, _spread, theirs, ours, value=AC)
        notes = [f"in points {m}: {_each(spread.loc[m])}" for m in (ours, theirs)]
        return Finding(text, [found], Lead(), unit="runs", notes=notes)

    return test


def wider(name: str, rivals: Sequence[str], factor: float) -> Test:
    """A method does well over more decades of its parameter than ``factor`` times a rival does.

    It does well where its mean AC is within five points of its best: counted are the decades of
    the longest stretch of values around the best, in the mean over the data sets, with the
    jackknife over runs, each over all values that it was run with.
    """
    ours, *theirs = (PANELS[panel].method for panel in (name, *rivals))

    def test(frame):
        rows = select_rows(frame, panel=[name, *rivals])
        if rows["panel"].nunique() <= len(rivals):
            return Finding.without("not run", NO_PAIR)
        found = _along(rows, _decades)
        leads = [
            _lead_along(rows, _decades, ours, m, factor=factor, name=f"{factor:g} times {m}")
            for m in theirs
        ]
        notes = [f"decades of {m}: {_each(found.loc[m])}" for m in (ours, *theirs)]
        text = f"{ours} does well over {{}} more decades than {{name}}, in the mean over data sets"
        return Finding(text, leads, Lead(), unit="runs", notes=notes)

    return test


def _along(rows, statistic):
    """A statistic of the mean AC at the values of a parameter: methods by data sets."""
    means = rows.groupby(["method", *_CELL], observed=True)[AC].mean()
    return means.groupby(["method", "dataset"], observed=True).agg(statistic).unstack("dataset")


def _lead_along(rows, statistic, more, less, *, factor=1.0, value=None, name=""):
    """By how much that of one method is above ``factor`` times that of another, without each run.

    In the mean over the data sets.
    """

    def lead(rows):
        found = _along(rows, statistic)
        return float((found.loc[more] - factor * found.loc[less]).mean())

    runs = sorted(set(rows["repeat"]))
    left_out = [lead(rows[rows["repeat"] != run]) for run in runs] if len(runs) > 1 else []
    return of_left_out(lead(rows), left_out, value, name, n=len(runs))


def _spread(scores):
    return scores.max() - scores.min()


def _decades(scores):
    """Decades around the best of the scores at some values over which all are nearly as good."""
    good = (scores >= scores.max() - _NEARLY).to_numpy()
    x, k = scores.index.get_level_values("x").to_numpy(), int(scores.to_numpy().argmax())
    low, high = k, k
    while low > 0 and good[low - 1]:
        low -= 1
    while high + 1 < len(x) and good[high + 1]:
        high += 1
    return float(np.log10(x[high] / x[low]))


def better_than_at(name: str, value: float, *, somewhere: bool = False) -> Test:
    """The mean AC in the range of a panel is above that at a value; data sets are blocks.

    ``somewhere`` claims it of one data set at least.
    """
    panel = PANELS[name]
    low, high = panel.between
    inside, outside = f"{name} from {low:g} to {high:g}", f"{name} = {value:g}"
    places = dict.fromkeys(panel.range, inside) | {value: outside}

    def test(frame):
        rows = select_rows(frame, panel=name)
        rows = rows.assign(method=rows["x"].map(places))
        means = 100 * rows.groupby(["dataset", "method"])[AC].mean().unstack()
        if not {inside, outside} <= set(means):
            return Finding.without("not run", NO_PAIR)
        if somewhere:
            each = {"dataset": [name for name in SETS if name in means.index]}
            found = always_best(inside, [outside], AC, each=each, rule="some")(rows)
        else:
            found = better(inside, outside, AC, blocks="dataset")(rows)
        return found.noted(f"in points: {_each(means[inside] - means[outside])}")

    return test
