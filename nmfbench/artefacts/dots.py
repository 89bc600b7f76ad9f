"""Forest plots: dots with intervals, one line of a panel for each value of a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.drawn import attach_data
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.plots import legend_of, place_of, present
from nmfbench.artefacts.style import method_styles

__all__ = ["Dots", "spread"]

_SPREAD = 0.32  # of the height of a line, on either side


@dataclass(frozen=True)
class Dots:
    """Panels of means with 95 % intervals that lie on their side: a function of a table.

    Where few values of x would make curves of two points, categories stand one below the other,
    and the methods of each differ by place, colour and marker. A mean of a single run is
    hollow and has no interval.

    The table has the columns that are named here, and ``mean``, ``low``, ``high``, ``count``.
    Panels and lines that the table lacks are left out.

    Parameters
    ----------
    y : str
        Column of the lines.
    lines : mapping
        Its values in order, with their names.
    labels : sequence of str
        Methods in order: the first stands above.
    curve : str, default="method"
    row, column : str or tuple of str, optional
    rows, columns : mapping, optional
        Values of these columns, in order, with the name of a row of panels (or a tuple of names)
        and the title of a column.
    xlabel : str or mapping
        By value of ``row``, or of ``column`` where there are no rows, if a mapping: panels with
        different labels have axes of their own.
    trivial : sequence of str
        Baselines in ``curve`` that learn nothing: a grey bar.
    awaited : sequence of str
        Methods that the legend lists as not run, where they were not.
    xlim : (float or None, float or None)
    width : float
        Inches of a panel.
    height : float
        Inches of a line.
    """

    y: str
    lines: Mapping[Any, str]
    labels: Sequence[str]
    curve: str = "method"
    row: str | tuple[str, ...] | None = None
    rows: Mapping[Any, str] = field(default_factory=dict)
    column: str | tuple[str, ...] | None = None
    columns: Mapping[Any, str] = field(default_factory=dict)
    xlabel: str | Mapping[Any, str] = ""
    trivial: Sequence[str] = ()
    awaited: Sequence[str] = ()
    xlim: tuple[float | None, float | None] = (None, None)
    width: float = 2.6
    height: float = 0.42

    def __call__(self, table: pd.DataFrame):
        """Draw the table."""
        rows = present(table, self.row, self.rows)
        columns = present(table, self.column, self.columns)
        lines = [value for value in self.lines if (table[self.y] == value).any()]
        shape = len(rows), len(columns)
        size = self.width * shape[1] + 1.4, (self.height * len(lines) + 0.8) * shape[0] + 0.5
        own: Literal["row", "col"] = "row" if self.row is not None else "col"
        sharex = isinstance(self.xlabel, str) or own
        figure, axes = plt.subplots(*shape, figsize=size, sharex=sharex, sharey=True, squeeze=False)
        for row, panels in zip(rows, axes, strict=True):
            for column, axis in zip(columns, panels, strict=True):
                place = place_of(self.row, row) | place_of(self.column, column)
                self.draw_panel(axis, select_rows(table, place), lines)
                named = [self.rows.get(row, ""), self.columns.get(column, "")]
                axis.set_title(", ".join(filter(None, named)))
                xlabel = self.xlabel
                unit = column if self.row is None else row
                axis.set_xlabel(xlabel if isinstance(xlabel, str) else xlabel[unit])
                axis.tick_params(labelbottom=True)
        for axis in axes.flat:
            axis.set_xlim(*self.xlim)
        absent = [name for name in self.awaited if not (table[self.curve] == name).any()]
        for name in absent:
            color = method_styles([*self.labels, *absent])[name]["color"]
            look: dict[str, Any] = {"linestyle": "", "marker": "x", "color": color}
            axes[0, 0].plot([], [], label=f"{name}: no run in this grid", **look)
        legend_of(figure, axes, [*self.labels, *self.trivial])
        return figure

    def draw_panel(self, axis, panel: pd.DataFrame, lines: Sequence[Any]) -> None:
        """Draw the dots of one panel, with a line for each of some values."""
        places = {value: float(k) for k, value in enumerate(lines)}
        styles = method_styles(self.labels)
        run = [label for label in self.labels if (panel[self.curve] == label).any()]
        for label, shift in zip(run, spread(len(run)), strict=True):
            rows = panel[(panel[self.curve] == label) & panel[self.y].isin(lines)]
            if rows.empty:
                continue
            at = rows[self.y].map(places).astype(float)
            single = rows["count"] == 1
            color, marker = styles[label]["color"], styles[label]["marker"]
            look: dict[str, Any] = {"color": color, "marker": marker, "linestyle": ""}
            look |= {"markersize": 5.5, "clip_on": False}
            filled = "white" if single.all() else color
            (dots,) = axis.plot(rows["mean"], at + shift, label=label, **look, mfc=filled)
            attach_data(dots, at, rows, interval="bars")
            if single.any() and not single.all():
                axis.plot(rows["mean"][single], (at + shift)[single], **look, mfc="white")
            ends = rows["low"][~single], rows["high"][~single]
            axis.hlines((at + shift)[~single], *ends, color=color, linewidth=1.4)
        for label in self.trivial:
            rows = panel[(panel[self.curve] == label) & panel[self.y].isin(lines)]
            at = rows[self.y].map(places).astype(float)
            look = {"color": "0.35", "marker": "|", "markersize": 17, "markeredgewidth": 2}
            (bars,) = axis.plot(rows["mean"], at, label=label, linestyle="", zorder=1.5, **look)
            attach_data(bars, at, rows)
        for y in range(0, len(lines), 2):
            axis.axhspan(y - 0.5, y + 0.5, color="0.95", zorder=0)
        axis.grid(visible=False, axis="y")
        axis.set_yticks(range(len(lines)), [self.lines[value] for value in lines])
        axis.set_ylim(len(lines) - 0.5, -0.5)


def spread(n: int) -> np.ndarray:
    """Where ``n`` dots of one line stand, side by side.

    Examples
    --------
    >>> spread(1), spread(3)
    (array([0.]), array([-0.32,  0.  ,  0.32]))
    """
    return np.linspace(-_SPREAD, _SPREAD, n) if n > 1 else np.zeros(n)
