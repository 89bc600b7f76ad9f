"""The page of the numbers that the papers print, beside ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nmfbench.pages.environment import render_page
from nmfbench.reports.numbers import measured, number, tally
from nmfbench.verdicts.numbers import OUTCOMES

__all__ = ["as_printed", "number_tally", "our_number", "write_numbers"]

Row = Mapping[str, Any]

_DIGITS = 6
_FORMS = {
    "agrees": ("agrees", "agree"),
    "differs": ("differs", "differ"),
    "open": ("is open", "are open"),
    "not comparable": ("is not comparable (other data)", "are not comparable (other data)"),
}


def number_tally(rows: Sequence[Row]) -> str:
    """Number of printed numbers by outcome, as text; empty where the paper prints none.

    Examples
    --------
    >>> number_tally([{"outcome": "open"}, {"outcome": "agrees"}, {"outcome": "agrees"}])
    'Of 3 printed numbers 2 agree and 1 is open.'
    >>> number_tally([])
    ''
    """
    found = Counter(row["outcome"] for row in rows)
    listed = tally({word: found[word] for word in OUTCOMES}, _FORMS)
    several = "s" if len(rows) > 1 else ""
    return f"Of {len(rows)} printed number{several} {listed}." if rows else ""


def as_printed(row: Row) -> str:
    """The printed number as text.

    Examples
    --------
    >>> as_printed({"printed": 0.6525, "spread": None, "per_cent": True})
    '65.25 %'
    >>> as_printed({"printed": [10, None], "spread": None, "per_cent": False})
    'at least 10'
    """
    unit, factor = _unit(row)
    if not isinstance(row["printed"], list):
        spread = "" if row["spread"] is None else f" ± {number(factor * row['spread'], _DIGITS)}"
        return f"{number(factor * row['printed'], _DIGITS)}{spread}{unit}"
    low, high = ("" if end is None else number(factor * end, _DIGITS) for end in row["printed"])
    if low and high:
        return f"{low} to {high}{unit}"
    return f"at least {low}{unit}" if low else f"at most {high}{unit}"


def our_number(row: Row) -> str:
    """Our number as text, with its 95 % interval; empty if nothing was measured.

    Examples
    --------
    >>> row = {"ours": 0.651, "interval": [0.64, 0.662], "per_cent": True, "unit": "repeat"}
    >>> our_number(row)
    '65.1 [64, 66.2] %'
    """
    if row["ours"] is None:
        return ""
    unit, factor = _unit(row)
    if row["unit"] == "data set":
        return number(row["ours"], _DIGITS)
    interval = row["interval"] and [factor * end for end in row["interval"]]
    return measured(factor * row["ours"], interval) + unit


def _unit(row):
    return (" %", 100) if row["per_cent"] else ("", 1)


def write_numbers(rows: Sequence[Row], output: Path) -> Path:
    """Write ``numbers.html``; its path.

    Parameters
    ----------
    rows : sequence of dict
        Of :func:`~nmfbench.verdicts.numbers.number_rows`.
    output : Path
    """
    papers: dict[str, list[Row]] = {}
    for row in rows:
        papers.setdefault(row["paper"], []).append(row)
    tallies = {key: number_tally(found) for key, found in papers.items()}
    given = {"papers": papers, "tallies": tallies, "printed": as_printed, "ours": our_number}
    return render_page("numbers.html", output, **given)
