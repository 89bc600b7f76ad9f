"""Printed tables of scores, from long tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

__all__ = ["mean_and_deviation", "score_table"]


def mean_and_deviation(mean: float, deviation: float, count: int, places: int) -> str:
    """A mean with its standard deviation; without one where there is a single value.

    Examples
    --------
    >>> mean_and_deviation(0.25, 0.125, 4, 2), mean_and_deviation(0.25, float("nan"), 1, 2)
    ('0.25 ± 0.12', '0.25')
    """
    return f"{mean:.{places}f}" + (f" ± {deviation:.{places}f}" if count > 1 else "")


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
