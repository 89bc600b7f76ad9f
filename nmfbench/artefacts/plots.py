"""Pictures of the usual kinds, from a table alone.

A picture is a function of the table; :class:`Curves` builds it for panels of curves with their
intervals. What the panels, the curves and the axis of x are is said by columns of the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.frames import narrow
from nmfbench.artefacts.style import method_styles, plot_band

__all__ = ["Curves", "legend_of", "plot_points"]

_FEW = 3  # values of x, up to which points stand side by side


def plot_points(axis, x, rows, label, style, shift=0.0):
    """Means with error bars, moved by ``shift``; a mean of one repeat, without interval, is hollow.

    ``rows`` has ``mean``, ``low``, ``high`` and ``count``.
    """
    x, line = x + shift, {"color": style["color"], "linewidth": 1.2}
    single = rows["count"] == 1
    axis.plot(x, rows["mean"], label=label, **{**style, **line})
    axis.plot(x[single], rows["mean"][single], **{**style, "linestyle": "", "mfc": "white"})
    axis.vlines(x[~single], rows["low"][~single], rows["high"][~single], **line)


def legend_of(figure, axes, order: Sequence[str] = (), columns: int | None = None):
    """One legend below all panels, since some may lack some curves."""
    found: dict[str, Any] = {}
    for axis in np.ravel(axes):
        for handle, name in zip(*axis.get_legend_handles_labels(), strict=True):
            found.setdefault(name, handle)
    names = [name for name in order if name in found] + [n for n in found if n not in order]
    figure.legend(
        [found[name] for name in names],
        names,
        loc="outside lower center",
        ncols=columns or len(names),
        frameon=False,
    )


@dataclass(frozen=True)
class Curves:
    """Panels of curves with 95 % intervals: a function of a table with a matplotlib figure.

    The table has the columns ``x``, ``curve``, ``rows`` and ``columns`` name, and ``mean``,
    ``low``, ``high``, ``count``. Intervals are bands; where there are few values of x, they are
    bars side by side. Panels, rows and curves that the table lacks are left out.

    Parameters
    ----------
    x : str
    labels : sequence of str
        Curves in order: each keeps its look in all panels and figures that list the same.
    curve : str, default="method"
    row, column : str, optional
    rows, columns : mapping, optional
        Values of these columns, in order, with the label of the y axis of a row, and the title of
        a column of panels.
    xlabel : str or mapping
        By value of ``column``, if a mapping.
    ylabel : str
        Where there are no rows.
    only : mapping
        Curves that a panel shows, by value of ``column``; by default all.
    level : (str, str), optional
        A column that is constant in a panel, shown as a dotted line, and its label, such as
        ``("chance", "guessing")``. NaN shows none.
    dotted : str, optional
        A curve drawn dotted and without interval, such as what shuffled labels score.
    letters : str
        Of the panels, row by row as the rows and columns are listed.
    size : (float, float)
        Inches of a panel.
    ylim : (float or None, float or None)
    logx : bool
    """

    x: str
    labels: Sequence[str]
    curve: str = "method"
    row: str | None = None
    rows: Mapping[Any, str] = field(default_factory=dict)
    column: str | None = None
    columns: Mapping[Any, str] = field(default_factory=dict)
    xlabel: str | Mapping[Any, str] = ""
    ylabel: str = ""
    only: Mapping[Any, Sequence[str]] = field(default_factory=dict)
    level: tuple[str, str] | None = None
    dotted: str | None = None
    letters: str = ""
    size: tuple[float, float] = (2.4, 2.8)
    ylim: tuple[float | None, float | None] = (None, None)
    logx: bool = False

    def __call__(self, table: pd.DataFrame):
        """Draw the table."""
        shown_rows = _present(table, self.row, self.rows)
        shown = _present(table, self.column, self.columns)
        width, height = self.size
        figure, axes = plt.subplots(
            len(shown_rows),
            len(shown),
            figsize=(width * len(shown) + 1, height * len(shown_rows) + 0.6),
            sharex="col",
            sharey="row",
            squeeze=False,
        )
        places = [(r, c) for r in (self.rows or [None]) for c in (self.columns or [None])]
        letters = dict(zip(places, self.letters, strict=False))
        for line, row in zip(axes, shown_rows, strict=True):
            for axis, column in zip(line, shown, strict=True):
                panel = narrow(table, _place(self.row, row) | _place(self.column, column))
                self.draw_panel(axis, panel, self.only.get(column, self.labels))
                title = self.columns.get(column, "")
                letter = letters.get((row, column))
                axis.set_title(f"({letter}) {title}" if letter else title)
                xlabel = self.xlabel
                axis.set_xlabel(xlabel if isinstance(xlabel, str) else xlabel[column])
                axis.tick_params(labelbottom=True)
            line[0].set_ylabel(self.rows.get(row, self.ylabel))
            line[0].set_ylim(*self.ylim)
        extra = [name for name in (self.dotted, self.level and self.level[1]) if name]
        legend_of(figure, axes, [*self.labels, *extra])
        return figure

    def draw_panel(self, axis, panel: pd.DataFrame, labels: Sequence[str]) -> None:
        """Draw the curves of one panel."""
        styles = method_styles(self.labels)
        points = sorted(set(panel.loc[panel[self.curve].isin(labels), self.x]))
        few = len(points) <= _FEW and not self.logx
        # Side by side, so that intervals at one x do not cover each other.
        step = 0.02 * (np.ptp(points) or 1.0) if few and points else 0.0
        for k, label in enumerate(labels):
            rows = panel[panel[self.curve] == label].sort_values(self.x)
            if rows.empty:
                continue
            if few:
                shift = step * (k - (len(labels) - 1) / 2)
                plot_points(axis, rows[self.x], rows, label, styles[label], shift)
            else:
                plot_band(axis, rows[self.x], rows, label, styles[label])
        if self.dotted is not None:
            rows = panel[panel[self.curve] == self.dotted].sort_values(self.x)
            axis.plot(rows[self.x], rows["mean"], color="0.3", linestyle=":", label=self.dotted)
        if self.level is not None and panel[self.level[0]].notna().any():
            value = panel[self.level[0]].dropna().iloc[0]
            axis.axhline(value, color="0.4", linestyle=":", label=self.level[1])
        if self.logx:
            axis.set_xscale("log")
        elif few:
            axis.set_xticks(points)
            axis.margins(x=0.08)


def _present(table, column, known):
    """The values of a column that a table has, in order; one None where there is no column."""
    if column is None:
        return [None]
    there = set(table[column])
    return [value for value in known if value in there]


def _place(column, value):
    return {} if column is None else {column: value}
