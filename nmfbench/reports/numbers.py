"""Numbers as text, and a few of them as a notebook shows them between its paragraphs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from nmfbench.verdicts.verdict import Verdict, percent

__all__ = [
    "KINDS",
    "NUMBERED",
    "Numbers",
    "decided_by",
    "interval",
    "measured",
    "named",
    "number",
    "share",
    "tally",
]


def number(value: float, digits: int = 3) -> str:
    """Significant digits, as a script can read them, too.

    Examples
    --------
    >>> number(0.98765), number(0.00001234, 2), number(math.nan)
    ('0.988', '1.2e-05', '')
    """
    return "" if math.isnan(value) else f"{value:.{digits}g}"


def interval(low: float, high: float) -> str:
    """Both ends, in brackets."""
    return f"[{number(low)}, {number(high)}]"


def measured(
    effect: float | None, bounds: Sequence[float] | None, level: float | None = None
) -> str:
    """An effect with its interval and the confidence level of that, as far as they are known.

    Examples
    --------
    >>> measured(0.25, (0.2, 0.3), 0.985), measured(0.25, None), measured(None, None)
    ('0.25 [0.2, 0.3] at 98.5 %', '0.25', '')
    """
    if effect is None:
        return ""
    if bounds is None:
        return number(effect)
    at = "" if level is None else f" at {percent(level)}"
    return f"{number(effect)} {interval(*bounds)}{at}"


NUMBERED = re.compile(r"([a-z]+)(\d+)")
KINDS = {"fig": "Figure", "table": "Table"}


def named(artefact: str) -> str:
    """How a text names an artefact of its paper.

    Examples
    --------
    >>> named("fig3"), named("theorem1"), named("breakdown")
    ('Figure 3', 'Theorem 1', 'Breakdown')
    """
    found = NUMBERED.fullmatch(artefact)
    if found is None:
        return artefact.capitalize()
    return f"{KINDS.get(found[1], found[1].capitalize())} {found[2]}"


def share(done: int, total: int) -> str:
    """Part of a grid that is done; all of it, or none, only if that is so.

    Examples
    --------
    >>> share(0, 500), share(1, 500), share(250, 500), share(499, 500), share(500, 500)
    ('0 %', '<1 %', '50 %', '99 %', '100 %')
    """
    per_cent = 100 * done // total if total else 0
    return f"{per_cent} %" if per_cent or not done else "<1 %"


def tally(counts: Mapping[str, int], forms: Mapping[str, tuple[str, str]]) -> str:
    """Numbers with their predicates, for one and for several; what does not occur is left out.

    Examples
    --------
    >>> tally({"open": 2, "agrees": 1}, {"open": ("is open", "are open"), "agrees": ("agrees", "")})
    '2 are open and 1 agrees'
    """
    parts = [f"{n} {forms[outcome][n > 1]}" for outcome, n in counts.items() if n]
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def decided_by(verdict: Verdict) -> str:
    """The margin or bound that decides a claim, with whose number it is; empty without one.

    Examples
    --------
    >>> decided_by(Verdict("confirmed", threshold=0.04, delta=0.02, ratio=True))
    'Margin: 4 %, ours, where the smallest difference that matters is 2 %.'
    >>> decided_by(Verdict("refuted", threshold=3.0, whose="paper"))
    "Bound: 3, the paper's."
    """
    if verdict.threshold is None or verdict.verdict == "not run":
        return ""
    whose = "ours" if verdict.whose == "ours" else "the paper's"
    if verdict.delta is None:
        values = verdict.threshold
        ends = values if isinstance(values, tuple) else (values,)
        return f"Bound{'s' * (len(ends) > 1)}: {' and '.join(map(number, ends))}, {whose}."
    margin, delta = (
        f"{100 * value:g} %" if verdict.ratio else f"{value:g}"
        for value in (verdict.threshold, verdict.delta)
    )
    return f"Margin: {margin}, {whose}, where the smallest difference that matters is {delta}."


@dataclass(frozen=True, repr=False)
class Numbers:
    """A small table: a column for each name, of one number or of several.

    Parameters
    ----------
    columns : mapping
    digits : int, default=4
        Significant ones.

    Examples
    --------
    >>> Numbers({"trace": 1.74406, "minimum": np.float64(0.17441)})
    trace minimum
    1.744  0.1744
    """

    columns: Mapping[str, Any]
    digits: int = 4

    def _texts(self):
        columns = {name: np.atleast_1d(values) for name, values in self.columns.items()}
        return pd.DataFrame(columns).map(self._text)

    def _text(self, value):
        return f"{value:.0f}" if float(value).is_integer() else f"{value:.{self.digits}g}"

    def __repr__(self):
        return self._texts().to_string(index=False)

    def _repr_html_(self):
        return self._texts().to_html(border=0, index=False, classes="narrow")
