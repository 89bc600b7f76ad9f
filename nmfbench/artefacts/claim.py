"""Claims: sentences that tests of records can decide.

A claim has an ``origin``: a sentence of a paper, or our question. Its test is a function from
the frame of its artefact to a :class:`~nmfbench.artefacts.finding.Finding`. The usual tests are
built in :mod:`~nmfbench.artefacts.comparisons` and :mod:`~nmfbench.artefacts.bounds`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nmfbench.artefacts.finding import Test

__all__ = ["Claim"]


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
    """

    id: str
    statement: str
    source: str
    test: Test
    reported: str = ""
    origin: Literal["paper", "ours"] = "paper"
