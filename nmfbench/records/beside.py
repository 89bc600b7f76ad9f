"""Files of measurements that are kept beside records, in the folder of a store or a record book."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from nmfbench.core.files import atomic_write
from nmfbench.records.exchange import ExchangeError

__all__ = ["KeptTable", "beside_error", "read_beside"]

_LIMIT = 2**26  # bytes of a file


def read_beside(path, command: str) -> dict[str, Any] | None:
    """The JSON object of a file that is kept beside records; None where there is no file.

    Parameters
    ----------
    path : path-like
    command : str
        Who writes such a file.

    Raises
    ------
    ExchangeError
        If the file is not such a one.
    """
    path = Path(path)
    if not path.exists():
        return None
    try:
        if not path.is_file() or path.stat().st_size > _LIMIT:
            raise ValueError
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise ValueError
    except (ValueError, RecursionError):
        raise beside_error(path, command) from None
    return found


def beside_error(path, command: str) -> ExchangeError:
    """For a file beside records that does not hold what a command writes."""
    return ExchangeError(
        f"{path} is not as 'nmfbench {command}' writes it. Move the file away, and measure again."
    )


@dataclass(frozen=True)
class KeptTable:
    """A table that ``nmfbench publish`` makes of all records, kept with them for readers.

    Parameters
    ----------
    file_name : str
    field : str
        Of the file, which has the rows.
    columns : mapping of str to type
        Name -> type of its values.
    amount : callable
        Table -> how much it rests on: a copy replaces no table that rests on more.
    """

    file_name: str
    field: str
    columns: Mapping[str, type]
    amount: Callable[[pd.DataFrame], float]

    def write(self, table: pd.DataFrame, folder) -> None:
        """Keep a table in a folder."""
        rows = table[list(self.columns)].to_numpy(dtype=object).tolist()
        with atomic_write(Path(folder) / self.file_name) as part:
            part.write_text(json.dumps({self.field: rows}, default=int) + "\n", encoding="utf-8")

    def read(self, folder) -> pd.DataFrame | None:
        """The table of a folder; None if there is none.

        Raises
        ------
        ExchangeError
            If the file holds something else.
        """
        path = Path(folder) / self.file_name
        if (found := read_beside(path, "publish")) is None:
            return None
        rows, kinds = found.get(self.field), tuple(self.columns.values())
        whole = isinstance(rows, list) and all(
            isinstance(row, list) and tuple(map(type, row)) == kinds for row in rows
        )
        if not whole:
            raise beside_error(path, "publish")
        return pd.DataFrame(rows, columns=list(self.columns))

    def offer(self, table: pd.DataFrame, folder) -> None:
        """Keep a table in a folder, unless it is empty, or that has one which rests on more."""
        held = self.read(folder)
        if len(table) and (held is None or self.amount(table) >= self.amount(held)):
            self.write(table, folder)

    def merge(self, source, target) -> None:
        """Copy the table from one folder to another that has none, or one which rests on less."""
        offered, held = self.read(source), self.read(target)
        if offered is not None and (held is None or self.amount(offered) > self.amount(held)):
            self.write(offered, target)
