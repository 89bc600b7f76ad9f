"""Matrices of the user's own, as commands take them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nmfbench.commands.errors import UsageError
from nmfbench.commands.progress import Note, Progress
from nmfbench.own import OwnData, read

__all__ = ["check_unused", "read_matrix"]


def read_matrix(data: Any, reading: Mapping[str, Any], tell: Progress) -> OwnData:
    """Read a matrix that can be factorized, and report what was found.

    Parameters
    ----------
    data : path-like, array, sparse matrix, DataFrame or AnnData
    reading : mapping
        Keyword arguments of :func:`nmfbench.own.read`.
    tell : callable
        Called with a note for each fact.
    """
    found = read(data, **reading).checked()
    for line in found.lines():
        tell(Note(f"{found.name}: {line}"))
    return found


def check_unused(options: Mapping[str, Any], remedy: str) -> None:
    """Raise a UsageError if an option for matrices of the user's own is given without one."""
    given = [name for name, value in options.items() if value not in (None, False)]
    if given:
        raise UsageError(f"{given[0]} is for a matrix of your own{remedy}")
