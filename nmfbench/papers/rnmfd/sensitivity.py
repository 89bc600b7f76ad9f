"""RNMFD, and two methods with the same graph, along their parameters: trials, frame, tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from nmfbench.artefacts.claim import (
    ALPHA,
    NO_PAIR,
    Threshold,
    Verdict,
    around,
    thresholded,
    with_evidence,
)
from nmfbench.artefacts.comparisons import always_best, better, decide_all
from nmfbench.artefacts.frames import narrow
from nmfbench.artefacts.grids import Method, changed
from nmfbench.engine.trials import Trial, canonical
from nmfbench.papers.rnmfd.protocols import AC, BASELINES, chosen
from nmfbench.papers.rnmfd.sets import SETS, clusterings, method, sparseness_trial
from nmfbench.stats.pooled import pooled_means, range_half_width

__all__ = [
    "BEST",
    "GAP",
    "LOST",
    "METHODS",
    "PANELS",
    "SPARSE",
    "Panel",
    "ahead_of_baselines",
    "better_than_at",
    "by_panel",
    "by_set",
    "panel_trials",
    "sparser_and_worse",
    "spread_below",
    "steadier",
    "wider",
]

RNMFD, RAW = "RNMFD", "RNMFD, pixels 0 to 255"
LOST, GAP = "columns-lost", "orthogonality-gap-over-root-k"
SPARSE = "code-sparseness"
BEST = "best"
"""The panel of the best baselines."""

_WHITE = 255.0**2  # squared errors of pixels 0 to 255 over those of pixels 0 to 1
_WEIGHT = 100.0  # of the orthogonality, the paper's


@dataclass(frozen=True)
class Panel:
    """Scores of a method along one of its parameters.

    Parameters
    ----------
    method, solver, parameter : str
    values : sequence of float
        Of the paper's profile.
    between : (float, float)
        Ends of the range that claims are about.
    quick : sequence of float, default=()
        Values of the quick profile; all, if empty.
    sets : sequence of str
        Data sets.
    others : sequence of str, default=()
        Parameters that have the same value.
    """

    method: str
    solver: str
    parameter: str
    values: Sequence[float]
    between: tuple[float, float] = (10.0, 1e4)
    quick: Sequence[float] = ()
    sets: Sequence[str] = tuple(SETS)
    others: Sequence[str] = ()

    @property
    def range(self) -> list[float]:
        """The values that claims are about."""
        low, high = self.between
        return [value for value in self.values if low <= value <= high]

    def params(self, value: float) -> dict[str, Any]:
        """Parameters of the solver at a value."""
        if self.method == RAW:
            # Pixels 0 to 255 with the weights alpha and beta are pixels 0 to 1 with both divided.
            return {"scale": "none", "alpha": value / _WHITE, "beta": _WEIGHT / _WHITE}
        return dict.fromkeys((self.parameter, *self.others), value)

    def at(self, value: float) -> Method:
        return method(self.method, self.solver, **self.params(value))


_ALPHAS = (1.0, 10.0, 100.0, 1000.0, 5000.0, 10000.0)
_TOO_LARGE = 1e6  # a hundred times the end of the paper's range
_BETAS = (1.0, 10.0, 50.0, 100.0, 1000.0, 10000.0, _TOO_LARGE)
_DECADES = (1.0, 10.0, 100.0, 1000.0, 10000.0)
_WIDE, _QUICK = (0.1, *_ALPHAS), (0.1, *_DECADES)

PANELS = {
    "p": Panel(RNMFD, "rnmfd", "n_neighbors", range(1, 10), (3, 7), quick=range(1, 10, 2)),
    "alpha": Panel(RNMFD, "rnmfd", "alpha", _ALPHAS),
    "beta": Panel(RNMFD, "rnmfd", "beta", _BETAS, (50, 1e4)),
    "gnmf": Panel("GNMF", "gnmf", "alpha", _WIDE, quick=_QUICK),
    "dnmf": Panel("DNMF", "dnmf", "alpha", _WIDE, quick=_QUICK, others=("alpha_features",)),
    "ignmf": Panel("IGNMF", "ignmf", "alpha", _WIDE, quick=_QUICK),
    "raw": Panel(RAW, "rnmfd", "alpha", _ALPHAS, quick=_DECADES[1:], sets=("orl", "yale")),
}
"""By name: those of the paper, then ours."""

METHODS = tuple(panel.at(value) for panel in PANELS.values() for value in panel.values)


def panel_trials(profile: str) -> list[Trial]:
    """Trials of all panels: runs that the tables have, too, where parameters are the same."""
    small, found = profile == "smoke", []
    runs = {"smoke": 2, "quick": 3, "paper": 10}[profile]
    for name, panel in PANELS.items():
        quick = panel.quick or panel.values
        values = {"smoke": panel.values[2:5:2], "quick": quick, "paper": panel.values}[profile]
        sets = [dataset for dataset in panel.sets if not small or dataset in ("yale", "semeion")]
        trials = clusterings(sets, map(panel.at, values), runs, smoke=small)
        options = {"unit_samples": False} if panel.method == RAW else {}
        trials = [changed(trial, {"options": options}) for trial in trials]
        found += trials
        if name == "beta":
            found += map(sparseness_trial, trials)
    return found


def by_panel(records: pd.DataFrame) -> pd.DataFrame:
    """Clusterings with their ``panel``, and the value of its parameter as ``x``.

    A run is in each panel that it belongs to. In panel "best", with infinity for ``x``, are the
    best baselines of each data set, as Table 3 has them: each baseline has the parameters of the
    highest mean accuracy on the test, and of the baselines that of the highest mean counts. Of
    RNMFD there are the columns that vanished, as a share, and the orthogonality gap over √k, and
    along β the sparseness of its codes.
    """
    fit = ["dataset", "method", "setting", "repeat"]
    codes = narrow(records, task="code-sparseness").reindex(columns=[*fit, SPARSE])
    baselines = chosen(records[records["method"].isin(BASELINES)], "best")
    means = baselines.groupby(["dataset", "method"], observed=True)[AC].mean()
    best = pd.MultiIndex.from_frame(baselines[["dataset", "method"]]).isin(
        means.groupby("dataset").idxmax()
    )
    parts = [baselines[best].assign(panel=BEST, x=np.inf)]
    for name, panel in PANELS.items():
        values = {canonical(panel.at(value).params): float(value) for value in panel.values}
        rows = records[(records["method"] == panel.method) & (records["task"] == "clustering")]
        rows = rows.assign(panel=name, x=rows["setting"].map(values).astype(float))
        parts.append(rows.dropna(subset=["x"]))
    rows = pd.concat(parts, ignore_index=True)
    size, ours = rows["n_components"].astype(float), rows["solver"] == "rnmfd"
    lost, gap = rows["n-dead-components"] / size, rows["orthogonality-gap"] / np.sqrt(size)
    rows = rows.assign(**{LOST: lost.where(ours), GAP: gap.where(ours)})
    return rows.drop(columns=SPARSE, errors="ignore").merge(codes, "left", fit)


# -- tests ------------------------------------------------------------------------------------

_MARGIN = Threshold(0.05)  # of AC, within which a curve counts as stable
_FREEDOM = 4  # degrees of freedom of a deviation, below which it decides nothing
_CELL = ["dataset", "x"]


def _in_range(frame, name):
    return narrow(frame, panel=name, x=PANELS[name].range)


def by_set(describe: Callable[[str], str], sets: Iterable[str]) -> str:
    """Words on each of some data sets, in the order of the tables."""
    return ", ".join(f"{SETS[name].label} {describe(name)}" for name in SETS if name in set(sets))


def ahead_of_baselines(name: str):
    """RNMFD beats the best baseline of every data set at every value in the range of a panel.

    The deviation from run to run is taken to be the same for all values on a data set and its
    best baseline, so that few runs of each can decide. Confirmed if every lead is above 0 (t
    tests, all of which must succeed), refuted if any is below 0 after Holm's correction.
    """

    def test(frame):
        rows, best = _in_range(frame, name), narrow(frame, panel=BEST)
        rows = rows[rows["dataset"].isin(best["dataset"])]
        if rows.empty:
            return Verdict("not run", NO_PAIR)
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
        text = f"leads in points of AC over the range: {each}; {_collapse(rows, cells['lead'])}"
        runs, effect = rows["repeat"].nunique(), float(cells["lead"].min())
        if (cells["freedom"] < _FREEDOM).any():
            return Verdict("inconclusive", f"{text}; {runs} runs are too few", effect, n=runs)
        whole = set(SETS) <= set(rows["dataset"])
        found = decide_all(cells["lead"], cells["error"], cells["freedom"], complete=whole)
        return replace(found, evidence=f"{found.evidence}; {text}", n=runs)

    return test


def _collapse(rows, scores):
    """Where RNMFD does worst, and what became of its columns there."""
    dataset, x = scores.idxmin()
    text = f"least at {x:g} on {SETS[dataset].label}"
    there = narrow(rows, dataset=dataset, x=x)
    if there[[LOST, GAP]].isna().any(axis=None):
        return text
    columns = there["n_components"].iloc[0]
    dead, gap = there[LOST].mean() * columns, there[GAP].mean() * np.sqrt(columns)
    return (
        f"{text}, where {dead:.3g} of {columns} columns have vanished and the gap to orthogonality "
        f"is {gap:.3g} (without columns {np.sqrt(columns):.3g})"
    )


def spread_below(name: str, *, stable: bool = True):
    """On every data set the mean AC varies by less than five points over the range of a panel.

    Confirmed if even the upper end of the interval of each data set is below, refuted if the
    lower end of any is above; the levels of the intervals are those for all sets at once.
    ``stable=False`` claims the opposite. The five points are ours.
    """
    panel = PANELS[name]

    def test(margin, frame):
        rows = _in_range(frame, name)
        if rows.empty:
            return Verdict("not run", "no trial of this grid measures it")
        cells = pooled_means(rows.groupby(_CELL)[AC], "dataset")
        confidence = 1 - ALPHA / len(panel.sets)
        halves = {d: _half_width(of_set, confidence) for d, of_set in cells.groupby("dataset")}
        half, means = pd.Series(halves), cells["mean"].groupby("dataset")
        spread, runs = means.max() - means.min(), rows["repeat"].nunique()
        each = by_set(lambda d: f"{100 * spread[d]:.3g} ± {100 * half[d]:.2g}", spread.index)
        text = f"AC varies in points by: {each} (stable means below {100 * margin:g})"
        if panel.solver == "rnmfd":
            text += f"; {_collapse(rows, cells['mean'] - means.transform('max'))}"
        effect = float(spread.max())
        if half.isna().any():
            return Verdict("inconclusive", f"{text}; {runs} runs are too few", effect, n=runs)
        flat = (spread + half < margin).all() and len(spread) == len(panel.sets)
        bent = (spread - half > margin).any()
        verdict = "confirmed" if flat == stable else "refuted"
        return Verdict(verdict if flat or bent else "inconclusive", text, effect, n=runs)

    return thresholded(_MARGIN, test)


def _half_width(cells, confidence):
    freedom = cells["freedom"].iloc[0]
    if len(cells) < 2 or freedom < _FREEDOM:
        return np.nan
    return range_half_width(cells["error"], freedom, confidence)


def steadier(name: str, rival: str):
    """The mean AC of a method varies less over the range of its panel than that of a rival.

    A data set is one observation; only values that both were run with count.
    """
    ours, theirs = PANELS[name].method, PANELS[rival].method

    def spreads(frame):
        rows = narrow(frame, panel=[name, rival], x=PANELS[name].range)
        rows = rows[rows.groupby("x")["panel"].transform("nunique") == 2]
        means = rows.groupby(["method", *_CELL], observed=True)[AC].mean()
        means = means.groupby(["method", "dataset"], observed=True)
        found = (means.max() - means.min()).rename("spread of AC").reset_index()
        return found.rename(columns={"dataset": "repeat"})

    def each(table):
        found = 100 * table.set_index(["method", "repeat"])["spread of AC"]
        a, b = (
            by_set(lambda d, of=found[m]: f"{of[d]:.3g}", found[m].index) for m in (ours, theirs)
        )
        return f"data sets are the observations; in points {ours}: {a}; {theirs}: {b}"

    # The larger spread is the "better" one of the test.
    test = with_evidence(better(theirs, ours, "spread of AC"), each)
    return lambda frame: test(spreads(frame))


def wider(name: str, rivals: Sequence[str], share: Threshold):
    """A method does well over more decades of its parameter than ``share`` times a rival does.

    It does well where its mean AC is within five points of its best: counted are the decades of
    the longest stretch of values around the best. A data set is one observation; only values that
    all were run with count.
    """
    ours, *theirs = (PANELS[panel].method for panel in (name, *rivals))
    decades = "decades of good values"

    def widths(frame):
        rows = narrow(frame, panel=[name, *rivals])
        rows = rows[rows.groupby("x")["panel"].transform("nunique") == 1 + len(rivals)]
        means = rows.groupby(["method", *_CELL], observed=True)[AC].mean()
        found = means.groupby(["method", "dataset"], observed=True).agg(_decades)
        return found.rename(decades).reset_index().rename(columns={"dataset": "repeat"})

    def each(table):
        found = table.set_index(["method", "repeat"])[decades]
        texts = [
            f"{m}: {by_set(lambda d, of=found[m]: f'{of[d]:.3g}', found[m].index)}"
            for m in (ours, *theirs)
        ]
        return f"data sets are the observations; decades of {'; '.join(texts)}"

    test = with_evidence(always_best(ours, theirs, decades, share=share), each)
    return around(test, lambda test, frame: test(widths(frame)))


def _decades(scores):
    """Decades around the best of the scores at some values over which all are nearly as good."""
    good = (scores >= scores.max() - _MARGIN.value).to_numpy()
    x, k = scores.index.get_level_values("x").to_numpy(), int(scores.to_numpy().argmax())
    low, high = k, k
    while low > 0 and good[low - 1]:
        low -= 1
    while high + 1 < len(x) and good[high + 1]:
        high += 1
    return float(np.log10(x[high] / x[low]))


def better_than_at(name: str, value: float):
    """The mean AC in the range of a panel is above that at a value; data sets are observations."""
    panel = PANELS[name]
    low, high = panel.between
    inside, outside = f"{name} from {low:g} to {high:g}", f"{name} = {value:g}"
    places = dict.fromkeys(panel.range, inside) | {value: outside}

    def test(frame):
        rows = narrow(frame, panel=name)
        rows = rows.assign(method=rows["x"].map(places), repeat=rows["dataset"])
        means = 100 * rows.groupby(["dataset", "method"])[AC].mean().unstack()
        if not {inside, outside} <= set(means):
            return Verdict("not run", NO_PAIR)
        each = by_set(lambda d: f"{means[inside][d] - means[outside][d]:.3g}", means.index)
        found = better(inside, outside, AC)(rows)
        return replace(found, evidence=f"{found.evidence}; in points: {each}")

    return test


def sparser_and_worse(name: str, value: float, usual: float):
    """At a value codes are sparser than at the usual one, and AC is lower, on average over sets."""
    lost = "share clustered wrongly"
    places = {x: f"{name} = {x:g}" for x in (value, usual)}

    def test(frame):
        rows = narrow(frame, panel=name).assign(**{lost: lambda rows: 1 - rows[AC]})
        rows = rows.assign(method=rows["x"].map(places), repeat=rows["dataset"])
        return always_best(places[value], [places[usual]], [SPARSE, lost])(rows)

    return test
