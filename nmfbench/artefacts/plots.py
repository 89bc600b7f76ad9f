"""Pictures of the usual kinds, from a table alone.

A picture is a function of the table; :class:`Curves` builds it for panels of curves with their
intervals. Columns of the table define the panels, the curves and the axis of x.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from nmfbench.artefacts.drawn import attach_data
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.names import name_curves
from nmfbench.artefacts.style import method_styles, plot_band

__all__ = [
    "Curves",
    "Expected",
    "Printed",
    "image_grid",
    "legend_of",
    "place_of",
    "plot_points",
    "present",
]

_FEW = 3  # values of x, up to which points stand side by side
_MARKED = 10  # points of a curve that have a marker, about
_HANDLE, _LETTER = 0.65, 0.075  # inches of a legend's entry: its handle, and a letter of its name


def plot_points(axis, x, rows, label, style, shift=0.0):
    """Means with error bars, moved by ``shift``; a mean of one repeat, without interval, is hollow.

    ``rows`` has ``mean``, ``low``, ``high`` and ``count``.
    """
    moved, look = x + shift, {"color": style["color"], "linewidth": 1.2}
    single = rows["count"] == 1
    (line,) = axis.plot(moved, rows["mean"], label=label, **{**style, **look})
    attach_data(line, x, rows, interval="bars")
    axis.plot(moved[single], rows["mean"][single], **{**style, "linestyle": "", "mfc": "white"})
    axis.vlines(moved[~single], rows["low"][~single], rows["high"][~single], **look)


def legend_of(
    figure,
    axes,
    order: Sequence[str] = (),
    columns: int | None = None,
    left_out: Collection[str] = (),
):
    """One legend below all panels, since some may lack some curves.

    Without ``columns`` it has as few lines as the width of the figure allows, filled evenly. Curves
    that are ``left_out``, such as those with a name at their end, are not in it.
    """
    found: dict[str, Any] = {}
    for axis in np.ravel(axes):
        for handle, name in zip(*axis.get_legend_handles_labels(), strict=True):
            if name not in left_out:
                found.setdefault(name, handle)
    if not found:
        return
    names = [name for name in order if name in found] + [n for n in found if n not in order]
    if columns is None:
        inches = [_HANDLE + _LETTER * len(name) for name in names]
        shapes = (math.ceil(len(names) / lines) for lines in range(1, len(names)))
        there = figure.bbox.width / figure.dpi  # a part of a figure has no other width
        fitting = (n for n in shapes if _width(inches, n) <= there)
        columns = next(fitting, 1)
    figure.legend(
        [found[name] for name in names],
        names,
        loc="outside lower center",
        ncols=columns,
        frameon=False,
    )


def _width(inches, columns):
    """Width of a legend with this number of columns, each as wide as its widest entry."""
    return sum(max(column) for column in np.array_split(inches, columns))


def image_grid(
    rows: Sequence[str],
    columns: Mapping[Any, str],
    draw: Callable[..., None],
    *,
    size: tuple[float, float],
    pad: float | None = None,
):
    """A grid of panels of images, a row and a column for each of some values.

    Parameters
    ----------
    rows : sequence of str
        Written at the left.
    columns : mapping of str to str
        Values with the titles above.
    draw : callable
        (axis, row, column): draws a panel, as by
        :func:`~nmfbench.artefacts.style.show_images`.
    size : (float, float)
        Inches of a panel.
    pad : float, optional
        Points between the titles and the panels.
    """
    shape = max(len(rows), 1), max(len(columns), 1)
    width, height = size
    figure, axes = plt.subplots(
        *shape, figsize=(width * shape[1] + 0.4, height * shape[0] + 0.4), squeeze=False
    )
    for line, row in zip(axes, rows, strict=False):
        for axis, column in zip(line, columns, strict=False):
            draw(axis, row, column)
        line[0].set_ylabel(row, fontsize="small")
    for axis, title in zip(axes[0], columns.values(), strict=False):
        axis.set_title(title, pad=pad)
    return figure


@dataclass(frozen=True)
class Printed:
    """A number that the paper prints, or the range of a printed axis: drawn in grey.

    Parameters
    ----------
    label : str
        In the legend.
    y : float or (float, float)
        A number, or the ends of an axis.
    x : float, optional
        Place of a number; without one it is a level.
    at : mapping
        Columns of the table, and what they are in the panels that show it.
    """

    label: str
    y: float | tuple[float, float]
    x: float | None = None
    at: Mapping[str, Any] = field(default_factory=dict)

    def draw(self, axis) -> None:
        """Draw it in a panel; the range of an axis only as far as the panel reaches."""
        if isinstance(self.y, tuple):
            limits = axis.get_ylim()
            axis.axhspan(*self.y, color="0.5", alpha=0.13, linewidth=0, zorder=0, label=self.label)
            axis.set_ylim(limits)
        elif self.x is None:
            axis.axhline(self.y, color="0.45", linestyle="-.", linewidth=1, label=self.label)
        else:
            look = {"color": "0.35", "marker": "_", "markersize": 15, "markeredgewidth": 2.5}
            axis.plot(self.x, self.y, linestyle="", zorder=5, label=self.label, **look)


@dataclass(frozen=True)
class Expected:
    """An expectation of a paper, its text and numbers: a hatched area that its curves should reach.

    Parameters
    ----------
    label : str
        In the legend, as in ``"the paper's RobustXRAY: more than 70 % at 10"``.
    x, y : (float, float), optional
        Its ends; without them it goes from one side of the panel to the other, and to the side
        where an end is infinite.
    at : mapping
        Columns of the table, and what they are in the panels that show it.
    """

    label: str
    x: tuple[float, float] = (-math.inf, math.inf)
    y: tuple[float, float] = (-math.inf, math.inf)
    at: Mapping[str, Any] = field(default_factory=dict)

    def draw(self, axis) -> None:
        """Draw it in a panel, as far as the panel reaches."""
        limits = axis.get_xlim(), axis.get_ylim()
        (left, right), (bottom, top) = (
            np.clip(ends, *side) for ends, side in zip((self.x, self.y), limits, strict=True)
        )
        look: dict[str, Any] = {
            "facecolor": "#f5e3b3",
            "edgecolor": "#c79a2b",
            "hatch": "//",
            "linewidth": 0,
        }
        place = (left, bottom), right - left, top - bottom
        axis.add_patch(Rectangle(*place, alpha=0.5, zorder=0, label=self.label, **look))
        axis.set(xlim=limits[0], ylim=limits[1])


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
    row, column : str or tuple of str, optional
    rows, columns : mapping, optional
        Values of these columns (tuples of several), in order, with the label of the y axis of a
        row, and the title of a column of panels.
    xlabel : str or mapping
        By value of ``column``, if a mapping.
    ylabel : str
        Where there are no rows.
    only : mapping
        Curves that a panel shows, by value of ``column``; by default all.
    level : (str, str), optional
        A column that is constant in a panel, shown as a dotted line, and its label, such as
        ``("chance", "guessing")``. NaN shows none.
    banded : sequence of str, optional
        Curves that have an interval, always a band; by default all.
    dotted : str, optional
        A curve drawn dotted and without interval, such as what shuffled labels score.
    printed : sequence of Printed
        What the paper prints.
    expected : sequence of Expected
        What it states in its text.
    letters : str
        Of the panels, row by row as the rows and columns are listed.
    size : (float, float)
        Inches of a panel.
    ylim : (float or None, float or None)
        Not of a logarithmic axis.
    logx : bool or collection
        Whether the axis of x is logarithmic; or the values of ``column`` where it is.
    logy : bool
        Logarithmic axes of y, from the smallest mean of their row to the largest: wider intervals
        are cut.
    named : bool or hashable, default=True
        Whether curves have their names at their ends, in the last column of panels, or in this
        one, or in all if these show different curves; otherwise, and where they do not fit, in a
        legend.
    cut : sequence of str
        Curves for which the axes of y are not stretched, such as one that diverges.
    """

    x: str
    labels: Sequence[str]
    curve: str = "method"
    row: str | tuple[str, ...] | None = None
    rows: Mapping[Any, str] = field(default_factory=dict)
    column: str | tuple[str, ...] | None = None
    columns: Mapping[Any, str] = field(default_factory=dict)
    xlabel: str | Mapping[Any, str] = ""
    ylabel: str = ""
    only: Mapping[Any, Sequence[str]] = field(default_factory=dict)
    level: tuple[str, str] | None = None
    banded: Sequence[str] | None = None
    dotted: str | None = None
    printed: Sequence[Printed] = ()
    expected: Sequence[Expected] = ()
    letters: str = ""
    size: tuple[float, float] = (2.4, 2.8)
    ylim: tuple[float | None, float | None] = (None, None)
    logx: bool | Collection[Any] = False
    logy: bool = False
    named: Any = True
    cut: Sequence[str] = ()

    def __call__(self, table: pd.DataFrame):
        """Draw the table."""
        width, height = self.size
        columns = len(present(table, self.column, self.columns))
        rows = len(present(table, self.row, self.rows))
        beside = sum(0.065 * longest for longest in self._names(table).values())
        figure = plt.figure(figsize=(width * columns + 1 + beside, height * rows + 0.6))
        self.draw_in(figure, table)
        return figure

    def draw_in(self, figure, table: pd.DataFrame) -> None:
        """Draw the table in a figure, or a part of one."""
        shown_rows = present(table, self.row, self.rows)
        shown = present(table, self.column, self.columns)
        axes = figure.subplots(
            len(shown_rows), len(shown), sharex="col", sharey="row", squeeze=False
        )
        places = [(r, c) for r in (self.rows or [None]) for c in (self.columns or [None])]
        letters = dict(zip(places, self.letters, strict=False))
        for line, row in zip(axes, shown_rows, strict=True):
            for axis, column in zip(line, shown, strict=True):
                panel = select_rows(table, place_of(self.row, row) | place_of(self.column, column))
                self.draw_panel(axis, panel, self.only.get(column, self.labels), column)
                title = self.columns.get(column, "")
                letter = letters.get((row, column))
                if letter or row == shown_rows[0]:
                    axis.set_title(f"({letter}) {title}" if letter else title)
                xlabel = self.xlabel
                axis.set_xlabel(xlabel if isinstance(xlabel, str) else xlabel[column])
                axis.tick_params(labelbottom=True)
            line[0].set_ylabel(self.rows.get(row, self.ylabel))
            line[0].set_ylim(*self._limits(table, row))
            for axis, column in zip(line, shown, strict=True):
                place = place_of(self.row, row) | place_of(self.column, column)
                marks: list[Printed | Expected] = [*self.printed, *self.expected]
                for mark in marks:
                    if mark.at.items() <= place.items():
                        mark.draw(axis)
        named = self._name(figure, axes, table) if self.named else set()
        extra = [name for name in (self.dotted, self.level and self.level[1]) if name]
        legend_of(figure, axes, [*self.labels, *extra], left_out=named)

    def _names(self, table):
        """Columns of panels whose curves have names, with the length of the longest."""
        if not self.named:
            return {}
        found = {}
        for column in present(table, self.column, self.columns):
            curves = select_rows(table, place_of(self.column, column))[self.curve].astype(str)
            found[column] = set(curves) & set(self.only.get(column, self.labels))
        last = self.named if self.named in found else list(found)[-1]
        if set.union(*found.values()) <= found[last]:
            found = {last: found[last]}
        return {column: max(map(len, names), default=0) for column, names in found.items()}

    def _name(self, figure, axes, table):
        """Write names at the curves of one column of panels, or of all if they show others."""
        shown = present(table, self.column, self.columns)
        chosen = [shown.index(column) for column in self._names(table)]
        inches = figure.bbox.height / figure.dpi / len(axes) - 0.75
        marks = [mark.label for mark in self.printed]
        named: set[str] = set()
        for line in axes:
            for column in chosen:
                named |= set(name_curves(line[column], inches, marks))
        return named

    def _limits(self, table, row):
        """Limits of the axes of y of a row of panels."""
        if not self.logy and not self.cut:
            return self.ylim
        rows = select_rows(table, place_of(self.row, row))
        rows = rows[rows[self.curve].isin(self.labels) & ~rows[self.curve].isin(self.cut)]
        if self.logy:  # the interval of a few repeats may reach below zero
            low, high = rows["mean"].min(), rows["mean"].max()
            margin = (high / low) ** 0.1
            return low / margin, high * margin
        low = np.fmin(rows["low"], rows["mean"]).min()
        high = np.fmax(rows["high"], rows["mean"]).max()
        margin = 0.05 * (high - low)
        ends = zip(self.ylim, (low - margin, high + margin), strict=True)
        return tuple(found if given is None else given for given, found in ends)

    def draw_panel(self, axis, panel: pd.DataFrame, labels: Sequence[str], column=None) -> None:
        """Draw the curves of one panel, which stands in a column of panels, if there are any."""
        logx = self.logx if isinstance(self.logx, bool) else column in self.logx
        styles = method_styles(self.labels)
        points = sorted(set(panel.loc[panel[self.curve].isin(labels), self.x]))
        few = len(points) <= _FEW and not logx and self.banded is None
        # Side by side, so that intervals at one x do not cover each other.
        gap = np.diff(np.array(points, float)).min(initial=np.inf)
        step = min(0.02 * (np.ptp(points) or 1.0), 0.5 * gap / len(labels)) if points else 0.0
        for k, label in enumerate(labels):
            rows = panel[panel[self.curve] == label].sort_values(self.x)
            if rows.empty:
                continue
            style = styles[label] | {"markevery": max(1, len(rows) // _MARKED)}
            if (rows["count"] == 1).all():  # as in plot_points
                style["mfc"] = "white"
            if few:
                shift = step * (k - (len(labels) - 1) / 2)
                plot_points(axis, rows[self.x], rows, label, styles[label], shift)
            elif self.banded is None or label in self.banded:
                plot_band(axis, rows[self.x], rows, label, style)
            else:
                (line,) = axis.plot(rows[self.x], rows["mean"], label=label, **style)
                attach_data(line, rows[self.x], rows)
        if self.dotted is not None:
            rows = panel[panel[self.curve] == self.dotted].sort_values(self.x)
            look = {"color": "0.3", "linestyle": ":", "label": self.dotted}
            if len(rows) == 1:
                axis.axhline(rows["mean"].iloc[0], **look)
            else:
                axis.plot(rows[self.x], rows["mean"], **look)
        if self.level is not None and panel[self.level[0]].notna().any():
            value = panel[self.level[0]].dropna().iloc[0]
            axis.axhline(value, color="0.4", linestyle=":", label=self.level[1])
        axis.tick_params(which="minor", labelsize="x-small")  # of logarithmic axes
        if self.logy:
            axis.set_yscale("log")
        if logx:
            axis.set_xscale("log")
        elif few:
            axis.set_xticks(points)
            if len(points) == 1:  # close to their place, and not all over the panel
                axis.update_datalim([(points[0] - 0.2, 0), (points[0] + 0.2, 0)], updatey=False)
            axis.margins(x=0.08)
        elif all(float(x).is_integer() for x in points):
            axis.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))


def present(table: pd.DataFrame, column, known: Iterable[Any]) -> list:
    """The values of a column that a table has, in order; one None where there is no column."""
    if column is None:
        return [None]
    return [value for value in known if len(select_rows(table, place_of(column, value)))]


def place_of(column, value) -> dict:
    """Columns and their values, as :func:`~nmfbench.artefacts.frames.select_rows` takes them."""
    if column is None:
        return {}
    return dict(zip(column, value, strict=True)) if isinstance(column, tuple) else {column: value}
