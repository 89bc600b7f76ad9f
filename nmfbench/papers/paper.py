"""Papers: title, main claim, and which of the tested claims decide it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

__all__ = ["Paper", "paper"]


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper, as ``PAPER`` of its package declares it.

    Attributes
    ----------
    authors, title : str
    year : int
    claim : str
        Its main claim, in one sentence of ours.
    decided_by : tuple of str
        Patterns of the claims of the paper that decide that sentence, such as ``"fig3/beats-*"``.
    figure : str
        Name of the figure that says most.
    url : str
        Where it is found, a DOI if it has one.
    answers : mapping of str to str
        Questions that readers come with, and the names of the artefacts that answer them.
    """

    authors: str
    year: int
    title: str
    claim: str
    decided_by: tuple[str, ...]
    figure: str
    url: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)

    def decides(self, claim: str) -> bool:
        """Whether a claim, such as ``"fig3/beats-spa"``, is one of those that decide."""
        return any(fnmatchcase(claim, pattern) for pattern in self.decided_by)


def paper(key: str) -> Paper:
    """The paper of a key, the first part of the ids of its artefacts.

    Examples
    --------
    >>> paper("or-nmf").year
    2012
    """
    return importlib.import_module(f"nmfbench.papers.{key.replace('-', '_')}").PAPER
