"""Claims: sentences that tests of records can decide.

A claim has an ``origin``: a sentence of a paper, or our question. Its test is a function from
the frame of its artefact to a :class:`~nmfbench.artefacts.finding.Finding`. The usual tests are
built in :mod:`~nmfbench.artefacts.comparisons` and :mod:`~nmfbench.artefacts.bounds`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from nmfbench.artefacts.finding import Test

__all__ = ["Claim", "said_at"]


@dataclass(frozen=True)
class Claim:
    """Assertion of a paper, in our words, or our question, with its test.

    Parameters
    ----------
    id : str
        Unique within its artefact; ``<artefact>/<id>`` is its public name.
    statement : str
    source : str
        Section or figure of the paper.
    test : callable
        Frame of the artefact -> Finding.
    reported : str
        The paper's own number, where it prints one, as the report shows it.
    origin : {"paper", "ours"}
        Who asserts it: a sentence of the paper, or we, as of a method or our question.
    answer : str
        What an author of the paper answers to the verdict, with name and date; shown beside it.
    """

    id: str
    statement: str
    source: str
    test: Test
    reported: str = ""
    origin: Literal["paper", "ours"] = "paper"
    answer: str = ""


def said_at(place: str, *, ours: bool = False) -> dict[str, Any]:
    """Source and origin of a claim on a place of a paper: its sentence, or our question after it.

    Examples
    --------
    >>> said_at("Section 4.2", ours=True)
    {'source': 'ours, after Section 4.2', 'origin': 'ours'}
    """
    return {
        "source": f"ours, after {place}" if ours else place,
        "origin": "ours" if ours else "paper",
    }
