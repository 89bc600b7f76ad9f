"""The page of the papers' sentences: the outcome of each, and its tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nmfbench.pages.environment import render_page
from nmfbench.reports.numbers import tally
from nmfbench.verdicts.sentences import OUTCOMES

__all__ = [
    "STATES",
    "decided_share",
    "sentence_counts",
    "sentence_state",
    "sentence_tally",
    "write_sentences",
]

Row = Mapping[str, Any]

STATES = (*OUTCOMES, "no test yet")
"""Outcomes of testable sentences, and that one has no test."""

_FORMS = {
    "holds": ("holds", "hold"),
    "in part": ("holds in part", "hold in part"),
    "no lead": ("finds no lead", "find no lead"),
    "fails": ("fails", "fail"),
    "open": ("is open", "are open"),
    "no test yet": ("has no test yet", "have no test yet"),
}


def sentence_state(row: Row) -> str | None:
    """One of :data:`STATES`; None of a sentence that no computation can decide."""
    if row["untestable"]:
        return None
    return row["outcome"] if row["tests"] else "no test yet"


def sentence_counts(rows: Sequence[Row]) -> dict[str, int]:
    """Number of testable sentences in each of :data:`STATES`.

    Examples
    --------
    >>> row = {"outcome": "open", "tests": ["a"], "untestable": None}
    >>> sentence_counts([row, row | {"tests": []}, row | {"untestable": "A matter of taste."}])
    {'holds': 0, 'in part': 0, 'no lead': 0, 'fails': 0, 'open': 1, 'no test yet': 1}
    """
    found = Counter(map(sentence_state, rows))
    return {word: found[word] for word in STATES}


def decided_share(counts: Mapping[str, int]) -> float:
    """Share of testable sentences that are decided, whichever way.

    Examples
    --------
    >>> decided_share({"holds": 2, "fails": 1, "no test yet": 1})
    0.75
    >>> decided_share({"holds": 0})
    0.0
    """
    total = sum(counts.values())
    pending = counts.get("open", 0) + counts.get("no test yet", 0)
    return (total - pending) / total if total else 0.0


def sentence_tally(rows: Sequence[Row]) -> str:
    """Number of sentences by outcome, as text.

    Examples
    --------
    >>> row = {"outcome": "holds", "tests": ["a"], "untestable": None}
    >>> sentence_tally([row, row | {"outcome": "open"}, row | {"outcome": "open", "tests": []}])
    'Of 3 testable sentences 1 holds, 1 is open and 1 has no test yet.'
    """
    found = sentence_counts(rows)
    listed = tally(found, _FORMS) or "none is tested"
    return f"Of {sum(found.values())} testable sentences {listed}."


def write_sentences(rows: Sequence[Row], output: Path) -> Path:
    """Write ``sentences.html``; its path.

    Parameters
    ----------
    rows : sequence of dict
        Of :func:`~nmfbench.verdicts.sentences.sentence_rows`.
    output : Path
    """
    papers: dict[str, list[Row]] = {}
    for row in rows:
        papers.setdefault(row["paper"], []).append(row)
    return render_page(
        "sentences.html",
        output,
        rows=rows,
        tallies={key: sentence_tally(found) for key, found in papers.items()},
        state=sentence_state,
    )
