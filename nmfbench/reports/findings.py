"""Findings: what came out of each paper, in sentences with numbers, intervals and their scope.

The sentences stand with the papers, one for each outcome; numbers and outcomes come from verdicts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from nmfbench.papers.paper import Headline, paper
from nmfbench.reports.numbers import number, share

__all__ = ["findings", "findings_table", "scoped", "sentence"]


def findings(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """One row for each headline, in the order in which papers declare them.

    Parameters
    ----------
    rows : iterable of dict
        Of :func:`~nmfbench.verdicts.evaluate.claim_rows`.

    Returns
    -------
    list of dict
        ``id`` of the claim, ``paper`` (authors and year), ``finding``, a sentence with number and
        interval, ``verdict``, ``scope``: repeats, whether they are all, whose data; and
        ``sentence``: the finding with its scope and with the share of the paper's grid behind it.
    """
    judged = {row["id"]: row for row in rows}
    found = []
    for key in dict.fromkeys(name.partition("/")[0] for name in judged):
        declared = paper(key)
        for headline in declared.headlines:
            row = judged.get(f"{key}/{headline.claim}")
            if row is not None:
                found.append(
                    {
                        "id": row["id"],
                        "paper": f"{declared.authors} ({declared.year})",
                        "finding": sentence(headline, row),
                        "verdict": row["verdict"],
                        "scope": _scope(row),
                        "sentence": scoped(sentence(headline, row), row),
                    }
                )
    return found


def sentence(headline: Headline, row: Mapping[str, Any]) -> str:
    """Sentence on a claim, by its verdict.

    Examples
    --------
    >>> headline = Headline(
    ...     claim="fig3/beats-spa",
    ...     holds="A finds more than B: by {effect}.",
    ...     fails="A finds less than B: it is {behind} behind.",
    ...     no_lead="A and B find as much: the difference is {effect}.",
    ...     question="A finds more than B",
    ...     scale=100.0,
    ... )
    >>> row = {"verdict": "confirmed", "effect": 0.187, "interval": (0.067, 0.307)}
    >>> sentence(headline, row)
    'A finds more than B: by 19 points [7, 31].'
    >>> sentence(headline, row | {"verdict": "inconclusive", "interval": None})
    'Open: whether A finds more than B; so far 18.7 points.'
    >>> sentence(headline, {"verdict": "not run", "effect": None, "interval": None})
    'Open: whether A finds more than B; not computed yet.'
    """
    if row["effect"] is None:
        return f"Open: whether {headline.question}; not computed yet."
    bounds = () if row["interval"] is None else row["interval"]
    values = [headline.scale * value for value in (row["effect"], *bounds)]
    effect = _measured(values, headline.unit)
    if row["verdict"] not in (texts := _texts(headline)):
        return f"Open: whether {headline.question}; so far {effect}."
    value, *ends = [1 / v if headline.unit == "times" else -v for v in values]
    behind = _measured([value, *reversed(ends)], headline.unit)
    return texts[row["verdict"]].format(effect=effect, behind=behind)


def _texts(headline):
    return {
        "confirmed": headline.holds,
        "refuted": headline.fails,
        "no lead": headline.no_lead,
    }


def _measured(values, unit):
    """A number in its unit, and its interval, with as many decimals as the interval supports."""
    effect, *bounds = values
    if not bounds:
        return f"{number(effect)} {unit}".rstrip()
    width = (bounds[1] - bounds[0]) / 2
    decimals = max(0, 1 - math.floor(math.log10(width))) if width > 0 else 2
    text, low, high = (f"{value:.{decimals}f}" for value in values)
    return f"{text} {unit}".rstrip() + f" [{low}, {high}]"


def scoped(text: str, row: Mapping[str, Any]) -> str:
    """A sentence on a claim, with how much is behind it.

    Examples
    --------
    >>> row = {"n": 5, "unit": "repeats", "look": "interim", "data": "own", "effect": 12.1}
    >>> scoped("A is ahead of B: by 12.1 points.", row | {"done": 12, "paper_total": 100})
    'A is ahead of B: by 12.1 points (12 % of the grid, 5 repeats, interim).'
    >>> scoped("A is ahead of B.", row | {"done": 100, "paper_total": 100, "look": "final"})
    'A is ahead of B (whole grid, 5 repeats).'
    """
    if row["effect"] is None:
        return text
    whole = row["done"] == row["paper_total"]
    grid = "whole grid" if whole else f"{share(row['done'], row['paper_total'])} of the grid"
    return f"{text.removesuffix('.')} ({', '.join(filter(None, [grid, _scope(row)]))})."


def _scope(row):
    notes = [f"{row['n']} {row['unit']}"] if row["n"] else []
    notes += ["interim"] if row["look"] == "interim" and row["effect"] is not None else []
    notes += ["stand-in data"] if row["data"] != "own" else []
    return ", ".join(notes)


def findings_table(rows: Iterable[Mapping[str, Any]]) -> str:
    """The findings as a table in Markdown.

    Examples
    --------
    >>> print(findings_table([]))
    | Paper | What was found | Claim | On |
    |---|---|---|---|
    """
    lines = ["| Paper | What was found | Claim | On |", "|---|---|---|---|"]
    before = None
    for row in findings(rows):
        name = row["paper"] if row["paper"] != before else ""
        before = row["paper"]
        lines.append(f"| {name} | {row['finding']} | {row['verdict']} | {row['scope'] or '–'} |")
    return "\n".join(lines)
