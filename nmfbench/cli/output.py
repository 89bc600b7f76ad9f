"""Answers of commands, notices on standard error, and tables as text."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from nmfbench.core.text import printable

__all__ = ["ReportError", "Result", "UsageError", "counted", "notice", "reading", "table"]


class Result(NamedTuple):
    """The answer of a command: as JSON, as text, and its exit code."""

    data: Any
    text: str
    code: int = 0


class UsageError(ValueError):
    """Arguments that do not fit together, or do not fit what is there."""


class ReportError(RuntimeError):
    """The report could not be made."""


@contextlib.contextmanager
def reading(folder):
    """The store of a folder; an empty one, with a notice, where nothing has run yet."""
    import tempfile
    from pathlib import Path

    from nmfbench.records.schema import FILE_NAME
    from nmfbench.records.store import Store

    path = Path(folder)
    if (path.is_dir() or not path.exists()) and not (path / FILE_NAME).exists():
        notice(f"there is no store in {folder} yet: nothing has run")
        with tempfile.TemporaryDirectory() as empty, Store(empty) as store:
            yield store
        return
    with Store(folder, create=False) as store:
        yield store


def counted(count: int, noun: str) -> str:
    """A number of things in words.

    Examples
    --------
    >>> counted(1, "solver"), counted(0, "solver"), counted(2, "new trial")
    ('1 solver', '0 solvers', '2 new trials')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"


def notice(text):
    """Print a line to standard error."""
    print(f"nmfbench: {printable(text)}", file=sys.stderr, flush=True)


def table(rows: Sequence[Mapping], columns: Sequence[str]) -> str:
    """Aligned columns; numbers to the right. A column that is empty everywhere is left out."""
    if not rows:
        return "nothing"
    columns = [c for c in columns if any(row[c] not in (None, [], "") for row in rows)]
    cells = [[_cell(row[c]) for c in columns] for row in rows]
    head = [c.replace("_", " ") for c in columns]
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    right = [any(type(row[c]) is int for row in rows) for c in columns]
    lines = [
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in (head, *cells)
    ]
    return "\n".join(lines)


def _cell(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
