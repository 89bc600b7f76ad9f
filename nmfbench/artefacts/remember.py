"""Tables derived from records, computed once for all claims of an artefact."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable

import pandas as pd

__all__ = ["once_per_table"]


def once_per_table(function: Callable) -> Callable:
    """Remember what a function makes of a table, for as long as that table is there.

    The claims of an artefact and its summary are given one table of records. What several of them
    derive from it is computed for the first and returned to the others, who must not change it.

    Parameters
    ----------
    function : callable
        A DataFrame, and other positional arguments that can be hashed -> anything.

    Examples
    --------
    >>> @once_per_table
    ... def total(table, column):
    ...     print("counting")
    ...     return int(table[column].sum())
    >>> table = pd.DataFrame({"a": [1, 2]})
    >>> total(table, "a"), total(table, "a")
    counting
    (3, 3)
    """
    known: dict[int, dict] = {}

    @functools.wraps(function)
    def remembered(table: pd.DataFrame, *arguments):
        place = id(table)
        if place not in known:
            known[place] = {}
            weakref.finalize(table, known.pop, place, None)  # before another takes its place
        found = known[place]
        if arguments not in found:
            found[arguments] = function(table, *arguments)
        return found[arguments]

    return remembered
