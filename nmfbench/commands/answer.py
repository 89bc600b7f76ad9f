"""Results of commands: as plain data, as text, and as a table that a notebook shows."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Answer", "text_table"]


@dataclass(frozen=True, repr=False)
class Answer:
    """Result of a command.

    Attributes
    ----------
    data : list or dict
        Plain values, as ``--json`` prints them.
    text : str
        Text that the command line prints.
    failed : bool
        Whether something failed that the command needed or ran: exit code 1.
    rows : sequence of dict
        Rows of ``table``; none where there is nothing to tabulate.

    Examples
    --------
    >>> answer = Answer([{"id": "one", "done": 2}], "one: 2 done", rows=[{"id": "one", "done": 2}])
    >>> answer
    one: 2 done
    >>> answer.table["done"].tolist()
    [2]
    """

    data: Any
    text: str
    failed: bool = False
    rows: Sequence[Mapping[str, Any]] = field(default=())

    @property
    def table(self) -> pd.DataFrame:
        """The rows as a frame."""
        import pandas as pd

        return pd.DataFrame(list(self.rows))

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        if not self.rows:
            return f"<pre>{html.escape(self.text)}</pre>"
        return self.table._repr_html_()


def text_table(rows: Sequence[Mapping], columns: Sequence[str]) -> str:
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
