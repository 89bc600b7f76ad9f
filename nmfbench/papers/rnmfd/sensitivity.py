"""RNMFD, and two methods with the same graph, along their parameters: trials, means, claims."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from nmfbench.artefacts.claim import ALPHA, Threshold, Verdict, decided_by
from nmfbench.artefacts.comparisons import better
from nmfbench.artefacts.grids import Method
from nmfbench.engine.trials import Trial, canonical
from nmfbench.papers.rnmfd.protocols import AC, BASELINES, NMI, chosen
from nmfbench.papers.rnmfd.sets import SETS, ImageSet, clustering_trial, method
from nmfbench.stats.intervals import holm, mean_and_interval

__all__ = [
    "GAP",
    "METHODS",
    "PANELS",
    "RAW",
    "RNMFD",
    "SCORES",
    "Panel",
    "ahead_of_baselines",
    "along",
    "best_baselines",
    "panel_trials",
    "spread_below",
    "steadier",
    "summarise_panels",
]

RNMFD, RAW = "RNMFD", "RNMFD, pixels 0 to 255"
SCORES = (AC, NMI)
DEAD, GAP = COLLAPSE = ("n-dead-components", "orthogonality-gap")

_WHITE = 255.0**2  # squared errors of pixels 0 to 255 are so many times those of pixels 0 to 1
_WEIGHT = 100.0  # of the orthogonality, the paper's


@dataclass(frozen=True)
class Panel:
    """Scores of a method along one of its parameters.

    Parameters
    ----------
    name, method, solver : str
    parameter : str
    values : sequence of float
        Of the paper's profile.
    quick : sequence of float, default=()
        Values of the quick profile; all, if empty.
    sets : sequence of str
        Data sets.
    """

    name: str
    method: str
    solver: str
    parameter: str
    values: Sequence[float]
    quick: Sequence[float] = ()
    sets: Sequence[str] = tuple(SETS)

    def params(self, value: float) -> dict[str, Any]:
        """Parameters of the solver at a value."""
        if self.method == RAW:
            # Pixels 0 to 255 with the weights alpha and beta are pixels 0 to 1 with both divided.
            return {"scale": "none", "alpha": value / _WHITE, "beta": _WEIGHT / _WHITE}
        return {self.parameter: value}

    def at(self, value: float) -> Method:
        return method(self.method, self.solver, **self.params(value))


_ALPHAS = (1.0, 10.0, 100.0, 1000.0, 5000.0, 10000.0)
_DECADES = (1.0, 10.0, 100.0, 1000.0, 10000.0)
_WIDE = (0.1, *_ALPHAS)

PANELS: Mapping[str, Panel] = {
    panel.name: panel
    for panel in (
        Panel("p", RNMFD, "rnmfd", "n_neighbors", range(1, 10), range(1, 10, 2)),
        Panel("alpha", RNMFD, "rnmfd", "alpha", _ALPHAS),
        Panel("beta", RNMFD, "rnmfd", "beta", (1.0, 10.0, 50.0, 100.0, 1000.0, 10000.0)),
        Panel("gnmf", "GNMF", "gnmf", "alpha", _WIDE, (0.1, *_DECADES)),
        Panel("ignmf", "IGNMF", "ignmf", "alpha", _WIDE, (0.1, *_DECADES)),
        Panel("raw", RAW, "rnmfd", "alpha", _ALPHAS, _DECADES[1:], ("orl", "yale")),
    )
}

METHODS: tuple[Method, ...] = tuple(
    panel.at(value) for panel in PANELS.values() for value in panel.values
)


def panel_trials(profile: str) -> list[Trial]:
    """Trials of all panels: runs that the tables have, too, where parameters are the same."""
    if profile == "smoke":
        sets, runs = (SETS["yale"], SETS["semeion"]), 2
        return [
            _trial(panel, images, value, repeat, smoke=True)
            for panel in PANELS.values()
            for images in sets
            if images.dataset in panel.sets
            for value in panel.values[2:5:2]
            for repeat in range(runs)
        ]
    runs = {"quick": 3, "paper": 10}[profile]
    return [
        _trial(panel, SETS[dataset], value, repeat)
        for panel in PANELS.values()
        for dataset in panel.sets
        for value in (panel.quick if profile == "quick" and panel.quick else panel.values)
        for repeat in range(runs)
    ]


def _trial(panel: Panel, images: ImageSet, value, repeat, **options):
    trial = clustering_trial(images, panel.at(value), repeat, **options)
    if panel.method != RAW:
        return trial
    return replace(trial, options={**trial.options, "unit_samples": False})


# -- summary ----------------------------------------------------------------------------------


def along(records: pd.DataFrame, panel: Panel) -> pd.DataFrame:
    """The records of a panel, with the value of its parameter as ``x``."""
    values = {canonical(panel.at(value).params): float(value) for value in panel.values}
    rows = records[(records["method"] == panel.method) & (records["task"] == "clustering")]
    return rows.assign(x=rows["setting"].map(values).astype(float)).dropna(subset=["x"])


def best_baselines(records: pd.DataFrame) -> pd.DataFrame:
    """Records of the best baseline of each data set, as Table 3 has it.

    Each baseline has the parameters of the highest mean accuracy on the test, and of the
    baselines that of the highest mean counts.
    """
    baselines = chosen(records[records["method"].isin(BASELINES)], "best")
    means = baselines.groupby(["dataset", "method"], observed=True)[AC].mean()
    best = set(means.groupby("dataset").idxmax()) if len(means) else set()
    pairs = zip(baselines["dataset"], baselines["method"], strict=True)
    return baselines[[pair in best for pair in pairs]]


def summarise_panels(records: pd.DataFrame) -> pd.DataFrame:
    """Means over runs with 95 % intervals, in long form.

    Columns: ``panel``, ``dataset``, ``x``, ``score`` (AC, NMI, and of RNMFD the columns that
    vanished, as a share, and the orthogonality gap over √k), ``mean``, ``low``, ``high``,
    ``count``. In panel "best" stand the best baselines, named in ``method``.
    """
    parts = []
    for panel in PANELS.values():
        rows = along(records, panel)
        scores = SCORES + (COLLAPSE if panel.solver == "rnmfd" else ())
        for score in scores:
            values = rows.assign(value=_values(rows, score)).groupby(["dataset", "x"])["value"]
            found = mean_and_interval(values)
            parts.append(found.assign(panel=panel.name, score=score, method=panel.method))
    best = best_baselines(records)
    for score in SCORES:
        found = mean_and_interval(best.groupby(["dataset", "method"], observed=True)[score])
        parts.append(found.astype({"method": str}).assign(panel="best", score=score))
    columns = ["panel", "dataset", "x", "score", "method", "mean", "low", "high", "count"]
    parts = [part.reindex(columns=columns) for part in parts if len(part)]
    return pd.concat(parts, ignore_index=True)


def _values(rows, score):
    if score not in rows:  # no trial so far has measured it
        return np.nan
    sizes = {DEAD: rows["n_components"], GAP: np.sqrt(rows["n_components"])}
    return rows[score] / sizes.get(score, 1)


# -- claims -----------------------------------------------------------------------------------

_MARGIN = Threshold(0.05)  # of AC, within which a curve counts as stable
_FREEDOM = 4  # degrees of freedom of a deviation, below which it decides nothing


def _in_range(records, panel, low, high):
    rows = along(records, panel)
    return rows[rows["x"].between(low, high)]


def _by_set(values, unit=100.0):
    return ", ".join(f"{SETS[d].label} {unit * v:.3g}" for d, v in values.items())


def ahead_of_baselines(panel: Panel, low: float, high: float):
    """RNMFD beats the best baseline of every data set at every value from ``low`` to ``high``.

    The deviation from run to run is taken to be the same for all values on a data set and its
    best baseline, so that few runs of each can decide. Confirmed if every lead is above 0 (t
    tests, all of which must succeed), refuted if any is below 0 after Holm's correction.
    """

    def test(records):
        rows, best = _in_range(records, panel, low, high), best_baselines(records)
        rows = rows[rows["dataset"].isin(best["dataset"])]
        if rows.empty:
            return Verdict("not run", "no run of this grid has both sides of the comparison")
        both = pd.concat([rows, best.assign(x=np.inf)])
        cells = both.groupby(["dataset", "x"])[AC].agg(["mean", "count", "var"])
        cells["pooled"], cells["freedom"] = _pooled(cells)
        rival = cells.xs(np.inf, level="x").reindex(cells.index, level="dataset")
        cells["lead"] = cells["mean"] - rival["mean"]
        cells["error"] = np.sqrt(cells["pooled"] * (1 / cells["count"] + 1 / rival["count"]))
        cells = cells.drop(np.inf, level="x")
        spans = cells["lead"].groupby("dataset").agg(["min", "max"])
        names = best.groupby("dataset")["method"].first()
        span = ", ".join(
            f"{SETS[d].label} {100 * spans.loc[d, 'min']:.3g} to {100 * spans.loc[d, 'max']:.3g} "
            f"over {names[d]}"
            for d in SETS
            if d in spans.index
        )
        runs, effect = rows["repeat"].nunique(), float(cells["lead"].min())
        worst = _collapse(rows, *cells["lead"].idxmin())
        text = f"leads in points of AC over the range: {span}; {worst}"
        freedom = cells["freedom"]
        if (freedom < _FREEDOM).any():
            return Verdict("inconclusive", f"{text}; {runs} runs are too few", effect, n=runs)
        t = _ratio(cells["lead"], cells["error"])
        above, below = stats.t.sf(t, freedom), stats.t.cdf(t, freedom)
        ahead, behind = above < ALPHA, holm(below) < ALPHA
        won = ahead.all() and set(SETS) <= set(rows["dataset"])
        verdict = "confirmed" if won else "refuted" if behind.any() else "inconclusive"
        text = f"ahead in {ahead.sum()} of {len(cells)} cells, behind in {behind.sum()}; {text}"
        p = float(holm(below).min() if behind.any() else above.max())
        return Verdict(verdict, text, effect, None, p, runs)

    return test


def _pooled(cells):
    """For each cell the variance pooled over those of its data set, and its freedom."""
    weighted = (cells["var"].fillna(0) * (cells["count"] - 1)).groupby("dataset")
    freedom = (cells["count"] - 1).groupby("dataset").transform("sum")
    return weighted.transform("sum") / freedom.clip(lower=1), freedom


def _ratio(values, errors):
    # A difference that never varies is certain, and no difference at all is none.
    values, errors = values.to_numpy(), errors.to_numpy()
    return np.divide(values, errors, out=1e300 * np.sign(values), where=errors > 0)


def _collapse(rows, dataset, x):
    """What became of the columns where RNMFD does worst."""
    there = rows[(rows["dataset"] == dataset) & (rows["x"] == x)]
    text = f"least at {x:g} on {SETS[dataset].label}"
    if DEAD not in there or there[list(COLLAPSE)].isna().any(axis=None):
        return text
    dead, gap = there[list(COLLAPSE)].mean()
    columns = there["n_components"].iloc[0]
    return (
        f"{text}, where {dead:.3g} of {columns} columns have vanished and the gap to orthogonality "
        f"is {gap:.3g} (without columns {np.sqrt(columns):.3g})"
    )


def _spreads(records, panel, low, high, level):
    """Largest minus smallest mean AC of each data set, and half the width of its interval.

    By Tukey's studentized range: all differences of two means are within that width of the
    truth at once, so that of the largest and the smallest is, too.
    """
    rows = _in_range(records, panel, low, high)
    cells = rows.groupby(["dataset", "x"])[AC].agg(["mean", "count", "var"])
    if cells.empty:
        return pd.DataFrame(columns=["spread", "half", "freedom"]), rows
    pooled, freedom = _pooled(cells)
    cells = cells.assign(error=np.sqrt(pooled / cells["count"]), freedom=freedom)
    found = {}
    for dataset in [d for d in SETS if d in cells.index.get_level_values(0)]:
        cell = cells.loc[dataset]
        spread, freedom = cell["mean"].max() - cell["mean"].min(), int(cell["freedom"].iloc[0])
        half = np.nan
        if len(cell) > 1 and freedom >= _FREEDOM:
            q = _range_quantile(level, len(cell), freedom)
            half = float(q * cell["error"].max())
        found[dataset] = {"spread": spread, "half": half, "freedom": freedom}
    return pd.DataFrame(found).T, rows


@functools.cache  # it takes a second
def _range_quantile(level, groups, freedom):
    return float(stats.studentized_range.ppf(level, groups, freedom))


def spread_below(panel: Panel, low: float, high: float, *, stable: bool = True):
    """On every data set the mean AC varies by less than five points over the range.

    Confirmed if even the upper end of the interval of each data set is below, refuted if the
    lower end of any is above; the levels of the intervals are those for all sets at once.
    ``stable=False`` claims the opposite. The five points are ours.
    """
    return decided_by(_MARGIN, functools.partial(_spread_below, panel, low, high, stable))


def _spread_below(panel, low, high, stable, margin):
    def test(records):
        level = 1 - ALPHA / len(panel.sets)
        table, rows = _spreads(records, panel, low, high, level)
        if table.empty:
            return Verdict("not run", "no trial of this grid measures it")
        effect, runs = float(table["spread"].max()), rows["repeat"].nunique()
        each = ", ".join(
            f"{SETS[d].label} {100 * row['spread']:.3g} ± {100 * row['half']:.2g}"
            for d, row in table.iterrows()
        )
        text = f"AC varies in points by: {each} (stable means below {100 * margin:g})"
        if panel.solver == "rnmfd":
            worst = rows.groupby(["dataset", "x"])[AC].mean()
            worst = worst - worst.groupby("dataset").transform("max")
            text += f"; {_collapse(rows, *worst.idxmin())}"
        if table["half"].isna().any():
            return Verdict("inconclusive", f"{text}; {runs} runs are too few", effect, n=runs)
        flat = (table["spread"] + table["half"] < margin).all() and len(table) == len(panel.sets)
        bent = (table["spread"] - table["half"] > margin).any()
        verdict = "confirmed" if flat == stable else "refuted"
        return Verdict(verdict if flat or bent else "inconclusive", text, effect, n=runs)

    return test


def steadier(panel: Panel, rival: Panel, low: float, high: float):
    """The mean AC of a method varies less over the range than that of a rival.

    A data set is one observation; only values that both were run with count.
    """

    def test(records):
        both = set(along(records, panel)["x"]) & set(along(records, rival)["x"])
        parts = []
        for side in (panel, rival):
            rows = _in_range(records, side, low, high)
            means = rows[rows["x"].isin(both)].groupby(["dataset", "x"])[AC].mean()
            spread = means.groupby("dataset").agg(lambda m: m.max() - m.min())
            parts.append(pd.DataFrame({"spread of AC": spread, "method": side.method}))
        table = pd.concat(parts).reset_index(names="repeat")
        # The larger spread is the "better" one of the test.
        verdict = better(rival.method, panel.method, "spread of AC")(table)
        if len(parts[0]) and len(parts[1]):
            each = "; ".join(
                f"{side.method}: {_by_set(part['spread of AC'].reindex(SETS).dropna())}"
                for side, part in zip((panel, rival), parts, strict=True)
            )
            text = f"{verdict.evidence}, data sets being the observations. In points: {each}"
            verdict = replace(verdict, evidence=text)
        return verdict

    return test
