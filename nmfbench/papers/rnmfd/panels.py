"""RNMFD, and methods with the same graph, along their parameters: panels, trials and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from nmfbench.artefacts.finding import Test, at_each_reading
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.grids import Method, changed
from nmfbench.papers.rnmfd.protocols import AC, BASELINES, chosen
from nmfbench.papers.rnmfd.sets import (
    SETS,
    clusterings,
    method,
    name_as_printed,
    shape_trial,
    sparseness_trial,
)
from nmfbench.trials.trial import Trial, canonical

RNMFD, RAW = "RNMFD", "RNMFD, pixels 0 to 255"
LOST, GAP = "columns-lost", "orthogonality-gap-over-root-k"
SPARSE, COLUMNS = "code-sparseness", "columns-alike"
BEST, EXTENDED = "best", "GNMF, best"
"""The panels of the best baselines, and of the one that RNMFD extends at its best parameters."""
USUAL = {"p": 5.0, "alpha": 100.0, "beta": 100.0}
"""Parameters of RNMFD in the paper's Table 3, by panel."""

_WHITE = 255.0**2  # squared errors of pixels 0 to 255 over squared errors of pixels 0 to 1
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
    rule : str, default="safe"
        Update of the representation, of RNMFD.
    """

    method: str
    solver: str
    parameter: str
    values: Sequence[float]
    between: tuple[float, float] = (10.0, 1e4)
    quick: Sequence[float] = ()
    sets: Sequence[str] = tuple(SETS)
    others: Sequence[str] = ()
    rule: str = "safe"

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
        rule = {} if self.rule == "safe" else {"v_update": self.rule}
        return dict.fromkeys((self.parameter, *self.others), value) | rule

    def at(self, value: float) -> Method:
        found = method(self.method, self.solver, **self.params(value))
        return replace(found, drawn=self.rule == "safe")


_ALPHAS = (1.0, 10.0, 100.0, 1000.0, 5000.0, 10000.0)
_TOO_LARGE = 1e6  # a hundred times the end of the paper's range
_SMALL, _HUGE = 1.0, 1e8  # of beta: the least of its axis, and far beyond its range
_BETAS = (_SMALL, 10.0, 50.0, 100.0, 1000.0, 10000.0, _TOO_LARGE)
_DECADES = (1.0, 10.0, 100.0, 1000.0, 10000.0)
_WIDE, _QUICK = (0.1, *_ALPHAS), (0.1, *_DECADES)

PANELS = {
    "p": Panel(RNMFD, "rnmfd", "n_neighbors", range(1, 10), (3, 7), quick=range(1, 10, 2)),
    "alpha": Panel(RNMFD, "rnmfd", "alpha", _WIDE, quick=_WIDE[1:]),
    "beta": Panel(RNMFD, "rnmfd", "beta", _BETAS, (50, 1e4)),
    "gnmf": Panel("GNMF", "gnmf", "alpha", _WIDE, quick=_QUICK),
    "dnmf": Panel("DNMF", "dnmf", "alpha", _WIDE, quick=_QUICK, others=("alpha_features",)),
    "ignmf": Panel("IGNMF", "ignmf", "alpha", _WIDE, quick=_QUICK),
    "raw": Panel(RAW, "rnmfd", "alpha", _ALPHAS, quick=_DECADES[1:], sets=("orl", "yale")),
    "orthogonal": Panel(RNMFD, "rnmfd", "beta", (_HUGE,), (_HUGE, _HUGE)),
}
"""By name: of the paper, then ours."""
PRINTED_PANELS = {name: name_as_printed(name) for name in ("p", "alpha", "beta", "orthogonal")}
"""Panels of RNMFD, and those with the exponent of Eq. (17) as printed."""
PANELS |= {
    printed: replace(PANELS[name], method=name_as_printed(RNMFD), rule="paper")
    for name, printed in PRINTED_PANELS.items()
}

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
        if name in ("beta", PRINTED_PANELS["beta"]):
            found += map(sparseness_trial, trials)
            ends = [panel.at(x) for x in (_SMALL, USUAL["beta"])]
            found += map(shape_trial, clusterings(sets, ends, runs, smoke=small))
    return found


def by_panel(records: pd.DataFrame) -> pd.DataFrame:
    """Clusterings with their ``panel``, and the value of its parameter as ``x``.

    A run is in each panel that it belongs to. In panel "best", with infinity for ``x``, are the
    best baselines of each data set, as Table 3 has them: each baseline has the parameters of the
    highest mean accuracy on the test, and of the baselines that of the highest mean counts; in
    panel "GNMF, best" GNMF is with such parameters. Of RNMFD there are the columns that vanished,
    as a share, and the orthogonality gap over √k, and along β the sparseness of its codes, and at
    its least and its usual value the columns that are alike.
    """
    fit = ["dataset", "method", "setting", "repeat"]
    codes = select_rows(records, task="code-sparseness").reindex(columns=[*fit, SPARSE])
    shapes = select_rows(records, task="factor-shape").reindex(columns=[*fit, COLUMNS])
    baselines = chosen(records[records["method"].isin(BASELINES)], "best")
    means = baselines.groupby(["dataset", "method"], observed=True)[AC].mean()
    best = pd.MultiIndex.from_frame(baselines[["dataset", "method"]]).isin(
        means.groupby("dataset").idxmax()
    )
    parts = [
        baselines[best].assign(panel=BEST, x=np.inf),
        select_rows(baselines, method=PANELS["gnmf"].method).assign(panel=EXTENDED, x=np.inf),
    ]
    for name, panel in PANELS.items():
        values = {canonical(panel.at(value).params): float(value) for value in panel.values}
        rows = records[(records["method"] == panel.method) & (records["task"] == "clustering")]
        rows = rows.assign(panel=name, x=rows["setting"].map(values).astype(float))
        parts.append(rows.dropna(subset=["x"]))
    rows = pd.concat(parts, ignore_index=True)
    size, ours = rows["n_components"].astype(float), rows["solver"] == "rnmfd"
    lost, gap = rows["n-dead-components"] / size, rows["orthogonality-gap"] / np.sqrt(size)
    rows = rows.assign(**{LOST: lost.where(ours), GAP: gap.where(ours)})
    rows = rows.drop(columns=[SPARSE, COLUMNS], errors="ignore")
    return rows.merge(codes, "left", fit).merge(shapes, "left", fit)


def panels_at_each_exponent(test: Test | Mapping[str, Test], setting: str = "") -> Test:
    """A test of RNMFD along its parameters, alike with the safe exponent and with the printed one.

    Parameters
    ----------
    test : Test, or mapping of str to Test
        Of another setting, too: each of its readings in words -> test.
    setting : str, optional
        The other setting.
    """
    tests = test if isinstance(test, Mapping) else {"": test}
    safe = {printed: name for name, printed in PRINTED_PANELS.items()}

    def as_printed(test, frame):
        panels = frame["panel"].replace(safe)
        rows = frame[~frame["panel"].isin(PRINTED_PANELS)]
        named = rows["method"].replace({name_as_printed(RNMFD): RNMFD})
        return test(rows.assign(panel=panels[rows.index], method=named))

    readings = {
        f"{words}, exponent {exponent}".removeprefix(", "): run
        for words, test in tests.items()
        for exponent, run in (("safe", test), ("1, as printed", partial(as_printed, test)))
    }
    exponents = "the exponent of Eq. (17)"
    return at_each_reading(f"{setting} and {exponents}" if setting else exponents, readings)
