"""Tests and evidence of collapse: factors of RNMFD at the ends of its parameters."""

from __future__ import annotations

import numpy as np
import pandas as pd

from nmfbench.artefacts.bounds import without_exception
from nmfbench.artefacts.comparisons import always_best
from nmfbench.artefacts.finding import Test
from nmfbench.artefacts.frames import select_rows
from nmfbench.core.matters import Ratio
from nmfbench.papers.rnmfd.panels import GAP, LOST, RNMFD, USUAL
from nmfbench.papers.rnmfd.protocols import AC
from nmfbench.papers.rnmfd.sets import SETS

_WRONG = "share clustered wrongly"
MATTERS: dict[str, float | Ratio | None] = {_WRONG: 0.02}
"""Smallest differences that matter: two points of AC."""


def where_least(rows: pd.DataFrame, scores: pd.Series) -> str:
    """Where RNMFD does worst, and what became of its columns there."""
    dataset, x = scores.idxmin()
    text = f"least at {x:g} on {SETS[dataset].label}"
    there = select_rows(rows, dataset=dataset, x=x)
    if there[[LOST, GAP]].isna().any(axis=None):
        return text
    columns = there["n_components"].iloc[0]
    dead, gap = there[LOST].mean() * columns, there[GAP].mean() * np.sqrt(columns)
    return (
        f"{text}, where {dead:.3g} of {columns} columns have vanished and the gap to orthogonality "
        f"is {gap:.3g} (without columns {np.sqrt(columns):.3g})"
    )


def higher_and_worse(score: str, name: str, value: float, dataset: str) -> Test:
    """On a data set a score is higher at a value than at the usual one, and AC is lower."""
    places = {x: f"{name} = {x:g}" for x in (value, USUAL[name])}

    def test(frame):
        rows = select_rows(frame, panel=name, dataset=dataset)
        rows = rows.assign(method=rows["x"].map(places), **{_WRONG: 1 - rows[AC]})
        sides = places[value], [places[USUAL[name]]]
        return always_best(*sides, [score, _WRONG])(rows)

    return test


def orthogonal(share: float) -> Test:
    """At the largest weight of orthogonality ‖VᵀV − I‖² is at most a share of k in every run."""
    gap = "squared gap over k"

    def test(frame):
        rows = select_rows(frame, panel="orthogonal")
        return without_exception(RNMFD, gap, high=share)(rows.assign(**{gap: rows[GAP] ** 2}))

    return test
