"""Testable sentences of a paper, and their outcomes.

A reader counts sentences. A sentence of a paper is tested by claims of its artefacts, often by
several: one for each rival, rank or data set. How these decide it depends on how it is worded, see
:func:`outcome`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Sentence"]


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A testable sentence of a paper.

    Parameters
    ----------
    key : str
        Name within the paper, such as ``"robust-to-occlusion"``.
    text : str
        The sentence, as a quotation (“…”) or closely paraphrased.
    place : str
        Where it stands, such as "Section 5.2.1".
    asks : {"all", "in all cases", "in some cases", "under one reading"}, default="all"
        Its quantifier as worded. Most have none, and ask for all of their tests. "In all cases":
        one counterexample refutes it. "In some cases", "may", "sometimes": one example is enough.
        So it is "under one reading": the paper does not name a setting that its tests differ in.
    tests : tuple of str
        The claims that test it, without the paper: ``"fig3/exact-without-noise"``. A claim may
        serve several sentences.
    pending : str
        A test that is still to be written: what it would compute and compare.
    untestable : str
        Why no computation can decide it.
    """

    key: str
    text: str
    place: str
    asks: Literal["all", "in all cases", "in some cases", "under one reading"] = "all"
    tests: tuple[str, ...] = ()
    pending: str = ""
    untestable: str = ""
