"""Papers: title, main claim, testable sentences, and what a reader would cite of what came out."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field

from nmfbench.artefacts.sentence import Sentence


@dataclass(frozen=True, kw_only=True)
class Headline:
    """A claim that says much of a paper, and what to say of it by what came out.

    Attributes
    ----------
    claim : str
        Such as ``"fig3/beats-spa"``, chosen by what it asks and not by what came out.
    holds, fails, no_lead : str
        Sentences for its outcomes, with ``{effect}``, which has unit and interval, or with
        ``{behind}``, the same seen from the other side.
    question : str
        What follows "whether" while it is open.
    unit : str, default="points"
        Of the effect; "times" if that is a ratio.
    scale : float, default=1.0
        Units in the effect as the claim measures it: 100 makes points of a share.

    Examples
    --------
    >>> Headline(
    ...     claim="fig3/beats-spa",
    ...     holds="A finds more than B: by {effect}.",
    ...     fails="A finds less than B: it is {behind} behind.",
    ...     no_lead="A and B find as much: the difference is {effect}.",
    ...     question="A finds more than B",
    ... ).unit
    'points'
    """

    claim: str
    holds: str
    fails: str
    no_lead: str
    question: str
    unit: str = "points"
    scale: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper, as ``PAPER`` of its package declares it.

    Attributes
    ----------
    authors, title : str
    year : int
    claim : str
        Its main claim, in one sentence, in our words.
    headlines : tuple of Headline
        What a reader who cites it would want to know.
    figure : str
        Name of the figure that says most.
    url : str
        Where it is found, a DOI if it has one.
    answers : mapping of str to str
        Questions that readers come with, and the names of the artefacts that answer them.
    sentences : tuple of Sentence
        What it says that can be tested, in reading order.
    """

    authors: str
    year: int
    title: str
    claim: str
    headlines: tuple[Headline, ...]
    figure: str
    url: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)
    sentences: tuple[Sentence, ...] = ()


def sentences_of(key: str) -> tuple[Sentence, ...]:
    """Testable sentences of a paper; none where external artefacts are about another one."""
    return paper(key).sentences if _is_ours(key) else ()


def headlines_of(key: str) -> tuple[Headline, ...]:
    """Headlines of a paper; none where external artefacts are about another one."""
    return paper(key).headlines if _is_ours(key) else ()


def _is_ours(key):
    return importlib.util.find_spec(f"nmfbench.papers.{key.replace('-', '_')}") is not None


def paper(key: str) -> Paper:
    """The paper of a key, the first part of the ids of its artefacts.

    Examples
    --------
    >>> paper("or-nmf").year
    2012
    """
    return importlib.import_module(f"nmfbench.papers.{key.replace('-', '_')}").PAPER
