"""Long frames: one row per observation, one column per varying quantity.

What an artefact shows and tests is made of its labelled records once, as a long frame: columns such
as ``condition``, ``algorithm`` or ``level`` hold what varies, and are never packed into the name of
a column of values. Tables, pictures and claims then pick their rows by ``at={"condition": ...}``.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from nmfbench.artefacts.grids import Method
from nmfbench.stats.intervals import mean_and_interval

__all__ = [
    "drawn_rows",
    "frozen",
    "mean_table",
    "melt_metrics",
    "once",
    "reference",
    "rows_at",
    "select_rows",
    "with_columns",
]

Made = TypeVar("Made")

_MADE: dict[int, dict[Hashable, Any]] = {}


def once(frame: pd.DataFrame, key: Hashable, make: Callable[[], Made]) -> Made:
    """What ``make`` returned for a frame and a key, kept as long as the frame is.

    Tests of one artefact ask the same frame for the same rows and means a hundred times. Neither
    the frame nor what it is asked for may be changed in place.

    Examples
    --------
    >>> frame = pd.DataFrame({"level": [1, 2]})
    >>> once(frame, "rows", lambda: len(frame)) == once(frame, "rows", None)
    True
    """
    made = _MADE.get(id(frame))
    if made is None:
        made = _MADE[id(frame)] = {}
        weakref.finalize(frame, _MADE.pop, id(frame), None)
    if key not in made:
        made[key] = make()
    return made[key]


def select_rows(
    frame: pd.DataFrame, at: Mapping[str, Any] | None = None, **more: Any
) -> pd.DataFrame:
    """The rows where each column of ``at`` is its value, or one of its values.

    Parameters
    ----------
    frame : DataFrame
    at : mapping, optional
        Column -> value, or list, tuple or set of values.
    **more
        Further columns.

    Raises
    ------
    KeyError
        If there is no such column.

    Examples
    --------
    >>> frame = pd.DataFrame({"method": ["a", "b", "a"], "level": [1, 1, 2]})
    >>> select_rows(frame, {"method": "a"}, level=[2, 3]).index.tolist()
    [2]
    """
    chosen = np.ones(len(frame), bool)
    for column, value in {**(at or {}), **more}.items():
        if column not in frame:
            raise KeyError(
                f"there is no column {column!r} to choose rows by; there are "
                f"{', '.join(map(str, frame.columns))}."
            )
        wanted = value if isinstance(value, list | tuple | set | frozenset) else [value]
        chosen &= frame[column].isin(list(wanted)).to_numpy()
    return frame[chosen]


def rows_at(frame: pd.DataFrame, at: Mapping[str, Any]) -> pd.DataFrame:
    """As :func:`select_rows`, by :func:`once`: neither frame may be changed in place."""
    return once(frame, ("rows", frozen(at)), lambda: select_rows(frame, at))


def frozen(at: Mapping[str, Any]) -> Hashable:
    """Columns and their values, as a key; lists of values as tuples."""
    return tuple(
        (column, tuple(value) if isinstance(value, list | set) else value)
        for column, value in at.items()
    )


def drawn_rows(frame: pd.DataFrame, methods: Iterable[Method]) -> pd.DataFrame:
    """The rows of methods that are drawn, without those at which claims are read besides."""
    return select_rows(frame, method=[method.label for method in methods if method.drawn])


def melt_metrics(
    records: pd.DataFrame, values: Mapping[str, Any], name: str, value: str, *, unit: float = 1.0
) -> pd.DataFrame:
    """Put several metrics of the records below each other.

    Parameters
    ----------
    records : DataFrame
    values : mapping of str to str
        Metrics, with what the new column ``name`` calls each. A metric that no trial has measured
        is NaN.
    name, value : str
        Columns for the names and for the numbers.
    unit : float, default=1.0
        Factor on the numbers, such as 100 for per cent.

    Returns
    -------
    DataFrame
        The other columns of the records, ``name`` (categorical, in the order given) and ``value``.

    Examples
    --------
    >>> records = pd.DataFrame({"repeat": [0, 1], "ac": [0.5, 0.75], "mi": [0.25, 1.0]})
    >>> long = melt_metrics(records, {"ac": "AC", "mi": "MI"}, "score", "percent", unit=100)
    >>> long.values.tolist()
    [[0, 'AC', 50.0], [1, 'AC', 75.0], [0, 'MI', 25.0], [1, 'MI', 100.0]]
    """
    others = records.drop(columns=[metric for metric in values if metric in records])
    parts = [
        others.assign(
            **{name: label, value: unit * records[metric] if metric in records else np.nan}
        )
        for metric, label in values.items()
    ]
    long = pd.concat(parts, ignore_index=True)
    order = list(dict.fromkeys(values.values()))
    return long.assign(**{name: pd.Categorical(long[name], categories=order, ordered=True)})


def with_columns(frame: pd.DataFrame, names: Iterable[str]) -> pd.DataFrame:
    """A frame that has these columns; NaN where no trial so far has measured one."""
    return frame.reindex(columns=list(dict.fromkeys([*frame, *names])))


def reference(
    frame: pd.DataFrame, value: str, at: Mapping[str, Any], by: Sequence[str]
) -> pd.Series:
    """For each row the mean ``value`` of the rows ``at`` a place that are alike in ``by``.

    Such as the score of the same method, rank and split without noise, which a share or a
    difference is taken of. NaN where there is no such row, or nobody has measured ``value``.
    """
    if value not in frame:
        return pd.Series(np.nan, index=frame.index)
    found = select_rows(frame, at).groupby(list(by), observed=True)[value].mean()
    return frame[list(by)].join(found.rename("reference"), on=list(by))["reference"]


def mean_table(
    frame: pd.DataFrame,
    value: str,
    by: Sequence[str],
    *,
    over: Sequence[str] = (),
    between: tuple[float, float] = (-np.inf, np.inf),
    geometric: bool = False,
) -> pd.DataFrame:
    """Means of ``value`` with 95 % t intervals, for each combination of the columns ``by``.

    Parameters
    ----------
    frame : DataFrame
    value : str
    by : sequence of str
    over : sequence of str, default=()
        Columns that name an independent observation, such as ``["repeat"]``: rows alike in these,
        such as several starts on the data of one repeat, are averaged first. By default every row
        is one.
    between : (float, float), optional
        Ends that an interval cannot pass, such as (0, 100) of an accuracy in per cent.
    geometric : bool, default=False
        Geometric means, of positive values: exponentials of the means of logarithms.

    Returns
    -------
    DataFrame
        ``by``, ``mean``, ``low``, ``high``, ``count``.

    Examples
    --------
    >>> frame = pd.DataFrame({"method": ["a", "a"], "seconds": [1.0, 4.0]})
    >>> mean_table(frame, "seconds", ["method"], geometric=True)["mean"].tolist()
    [2.0]
    """
    by, (low, high) = list(by), between
    if geometric:
        frame = frame.assign(**{value: np.log(frame[value].astype(float))})
    values = frame.groupby([*by, *over], observed=True)[value].mean() if over else None
    groups = (frame if values is None else values).groupby(by, observed=True)
    table = mean_and_interval(groups[value] if values is None else groups)
    if geometric:
        table = table.assign(**np.exp(table[["mean", "low", "high"]]))
    return table.assign(low=table["low"].clip(lower=low), high=table["high"].clip(upper=high))
