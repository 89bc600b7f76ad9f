"""Printed tables of scores, from long tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from nmfbench.artefacts.frames import mean_table, melt_metrics

__all__ = [
    "NumberTable",
    "deviation_texts",
    "interval_cell",
    "mean_and_deviation",
    "plus_minus_cell",
    "score_table",
]


def mean_and_deviation(mean: float, deviation: float, count: int, places: int) -> str:
    """A mean with its standard deviation; without one where there is a single value.

    Examples
    --------
    >>> mean_and_deviation(0.25, 0.125, 4, 2), mean_and_deviation(0.25, float("nan"), 1, 2)
    ('0.25 ± 0.12', '0.25')
    """
    return f"{mean:.{places}f}" + (f" ± {deviation:.{places}f}" if count > 1 else "")


def deviation_texts(rows: pd.DataFrame, name: str, count: str, places: int) -> list[str]:
    """Means with their standard deviations, as printed; empty where nothing was measured.

    Parameters
    ----------
    rows : DataFrame
        With the columns ``name`` and, ``-sd``, its deviation, and ``count``.
    name, count : str
    places : int
        Decimal places.

    Examples
    --------
    >>> rows = pd.DataFrame({"ac": [0.25, float("nan")], "ac-sd": [0.125] * 2, "fits": [4, 4]})
    >>> deviation_texts(rows, "ac", "fits", 2)
    ['0.25 ± 0.12', '']
    """
    numbers = zip(rows[name], rows[f"{name}-sd"], rows[count], strict=True)
    return ["" if pd.isna(row[0]) else mean_and_deviation(*row, places) for row in numbers]


def interval_cell(places: int, significant: bool = False) -> Callable[[Any], str]:
    """Cells with a mean and its interval, which a single value has not, for :func:`score_table`.

    Parameters
    ----------
    places : int
        Decimal places, or digits if ``significant``.
    significant : bool, default=False

    Examples
    --------
    >>> table = pd.DataFrame({"mean": [0.25], "low": [0.2], "high": [0.3], "count": [5]})
    >>> [interval_cell(2)(cell) for cell in table.itertuples()]
    ['0.25 [0.20, 0.30]']
    """
    form = f".{places}g" if significant else f".{places}f"

    def text(cell):
        mean, low, high = (format(value, form) for value in (cell.mean, cell.low, cell.high))
        return f"{mean} [{low}, {high}]" if cell.count > 1 else mean

    return text


def plus_minus_cell(places: int) -> Callable[[Any], str]:
    """Cells with a mean ± half of its interval, for :func:`score_table`.

    Parameters
    ----------
    places : int
        Decimal places.

    Examples
    --------
    >>> table = pd.DataFrame({"mean": [0.25], "low": [0.2], "high": [0.3], "count": [5]})
    >>> [plus_minus_cell(2)(cell) for cell in table.itertuples()]
    ['0.25 ± 0.05']
    """

    def text(cell):
        return mean_and_deviation(cell.mean, (cell.high - cell.low) / 2, cell.count, places)

    return text


def score_table(
    table: pd.DataFrame,
    lines: Mapping[str, str],
    columns: Sequence[str],
    text: Callable[[Any], str],
    *,
    column: str = "method",
    best: Callable[[pd.DataFrame], Any] | None = None,
) -> pd.DataFrame:
    """Print a long table with a column for each method.

    Parameters
    ----------
    table : DataFrame
        A row for each cell.
    lines : mapping of str to str
        Columns of ``table`` that tell the lines apart, as they are to be read, with their headings.
        Lines are in the order in which the table has them first.
    columns : sequence of str
        Values of ``column``, in order. Where the table lacks one, the cell is empty.
    text : callable
        A row, as ``itertuples`` gives it -> text of the cell.
    column : str, default="method"
    best : callable, optional
        The rows of a line -> label, in their index, of the one to be marked with an asterisk; None
        for none.

    Examples
    --------
    >>> table = pd.DataFrame({"data": ["ORL"] * 2, "method": ["NMF", "GNMF"], "mean": [0.6, 0.5]})
    >>> highest = lambda cells: cells["mean"].idxmax()
    >>> score_table(
    ...     table, {"data": "data set"}, ["GNMF", "NMF"], lambda c: f"{c.mean:.1f}", best=highest
    ... ).to_dict("records")
    [{'data set': 'ORL', 'GNMF': '0.5', 'NMF': '0.6 *'}]
    """
    keys = list(lines)
    table = table.reset_index(drop=True).astype({column: str})
    table["text"] = [text(cell) for cell in table.itertuples()]
    if best is not None:
        marked = [best(cells) for _, cells in table.groupby(keys, observed=True)]
        table.loc[[label for label in marked if label is not None], "text"] += " *"
    order = table[keys].drop_duplicates()
    wide = table.pivot(index=keys, columns=column, values="text").reindex(columns=list(columns))
    wide = wide.astype(object).fillna("").rename_axis(columns=None)
    return order.join(wide, on=keys).rename(columns=lines).reset_index(drop=True)


@dataclass(frozen=True)
class NumberTable:
    """Table of several numbers, a column each: means ± half of their 95 % intervals.

    Its methods are the ``table`` and the ``picture`` of an artefact.

    Parameters
    ----------
    numbers : mapping of str to str
        Columns of the frame, with their headings.
    lines : mapping of str to str
        Columns that tell the lines apart, with their headings.
    places : int, default=3
        Decimal places.
    over : sequence of str, default=()
        Columns that name an independent observation, as of
        :func:`~nmfbench.artefacts.frames.mean_table`.

    Examples
    --------
    >>> shown = NumberTable({"ac": "AC", "mi": "MI"}, {"method": "method"}, places=1)
    >>> frame = pd.DataFrame({"method": ["NMF", "NMF"], "ac": [0.4, 0.6], "mi": [0.5, 0.5]})
    >>> shown.draw(shown.means(frame)).to_dict("records")
    [{'method': 'NMF', 'AC': '0.5 ± 1.3', 'MI': '0.5 ± 0.0'}]
    """

    numbers: Mapping[str, str]
    lines: Mapping[str, str]
    places: int = 3
    over: Sequence[str] = ()

    def means(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Means with 95 % intervals, by line and ``number``."""
        long = melt_metrics(frame, self.numbers, "number", "value").dropna(subset="value")
        return mean_table(long, "value", [*self.lines, "number"], over=self.over)

    def draw(self, table: pd.DataFrame) -> pd.DataFrame:
        """The table as printed."""
        columns, text = list(self.numbers.values()), plus_minus_cell(self.places)
        return score_table(table, self.lines, columns, text, column="number")
