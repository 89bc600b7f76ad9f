"""Statements that hold in every instance or do not: lemmas, remarks and formulas, in a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from nmfbench.artefacts.bounds import asked_of, without_exception
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.region import Bounds


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A statement about every instance: a measured number lies between two bounds.

    Parameters
    ----------
    key : str
        Name of its claim within the artefact.
    statement, source : str
        Those of the claim.
    methods : sequence of str
        Labels of the methods in whose trials it is measured.
    metric : str
    at : mapping
        The rows of the frame that it is about, such as ``{"task": "tied-anchors"}``.
    low, high : float
        The bounds, both within.
    whose : {"paper", "ours"}, default="paper"
        Whose the bounds are; bounds that follow from a theorem are the paper's.
    short : str
        What is measured, in a few words, for the table.
    origin : {"paper", "ours"}, default="paper"
    """

    key: str
    statement: str
    source: str
    methods: Sequence[str]
    metric: str
    short: str
    at: Mapping[str, Any] = field(default_factory=dict)
    low: float = -np.inf
    high: float = np.inf
    whose: Literal["paper", "ours"] = "paper"
    origin: Literal["paper", "ours"] = "paper"

    def rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The trials that measure it."""
        if self.metric not in frame:
            return frame.iloc[:0].assign(**{self.metric: np.nan})
        found = select_rows(frame, self.at, method=list(self.methods))
        return found.dropna(subset=self.metric)


def claims_of(facts: Sequence[Fact]) -> list[Claim]:
    """A claim for each, which a single trial outside of the bounds refutes."""
    return [
        Claim(
            f.key,
            f.statement,
            f.source,
            without_exception(f.methods, f.metric, f.low, f.high, whose=f.whose, at=f.at),
            origin=f.origin,
        )
        for f in facts
    ]


def table_of(facts: Sequence[Fact]):
    """Function from a frame to one row for each fact: trials, those outside, and the range."""

    def table(frame):
        rows = []
        for f in facts:
            values = f.rows(frame)[f.metric].to_numpy(float)
            if not len(values):
                continue
            rows.append(
                {
                    "statement": f.key,
                    "measured": f.short,
                    "bound": asked_of(Bounds(f.low, f.high, f.whose)),
                    "trials": len(values),
                    "outside": int(((values < f.low) | (values > f.high)).sum()),
                    "smallest": values.min(),
                    "median": np.median(values),
                    "largest": values.max(),
                }
            )
        return pd.DataFrame(rows)

    return table


def draw(table: pd.DataFrame) -> pd.DataFrame:
    """The table as it is printed: one row for each statement."""
    numbers = {name: table[name].map("{:.3g}".format) for name in ("smallest", "median", "largest")}
    return table.assign(**numbers).drop(columns="statement")
