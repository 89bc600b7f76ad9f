"""The curves of a figure as numbers, read from what was drawn.

The static picture alone says what is shown, how it looks and on which axes: the numbers that
a report offers beside it, and the interactive figure that a page draws from them, are read from it.
A curve is a line with a label. What a line does not hold, its interval and number of repeats, is
given by :func:`attach_data`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from matplotlib.colors import to_hex, to_rgba
from matplotlib.contour import ContourSet
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter

__all__ = ["Drawn", "attach_data", "figure_data"]

_NUMBERS = ["x", "y", "low", "high", "n"]
_DIGITS = "%.5g"  # more than a picture can show


@dataclass(frozen=True)
class _Memory:
    """Numbers of a line, its name and the kind of its interval."""

    name: str
    rows: pd.DataFrame
    interval: str


_MEMORIES: WeakKeyDictionary[Line2D, _Memory] = WeakKeyDictionary()


def attach_data(line: Line2D, x, rows: pd.DataFrame, name: str = "", interval: str = "") -> None:
    """Keep what a curve was drawn from.

    Parameters
    ----------
    line : Line2D
    x : array-like
        Places, before they were moved to stand side by side; those on the axis of y where that is
        an axis of categories.
    rows : DataFrame
        ``mean``; ``low``, ``high`` and ``count``, if they are known. A single repeat has no
        interval.
    name : str, optional
        By default the label of the line.
    interval : {"", "band", "bars"}
        How the picture shows the interval, if it does.
    """
    columns = dict(zip(["mean", "low", "high", "count"], _NUMBERS[1:], strict=True))
    found = rows.reindex(columns=list(columns)).rename(columns=columns).assign(x=np.asarray(x))
    found = found[_NUMBERS].astype(float)
    found.loc[found["n"] == 1, ["low", "high"]] = np.nan
    _MEMORIES[line] = _Memory(name or str(line.get_label()), found, interval)


@dataclass(frozen=True)
class Drawn:
    """Description of the curves of a figure.

    Attributes
    ----------
    points : DataFrame
        ``panel``, ``curve``, ``x``, ``y``; ``low``, ``high`` and ``n`` where they are known.
    panels : list of dict
        Name in ``points``, ``title``, labels, scales and limits of the axes, ``ticks`` of an axis
        of categories if ``x`` is one, which curves have ``intervals`` of what kind, and shaded
        ``areas`` that have a label, such as what a paper expects.
    curves : list of dict
        Name in ``points``, and looks, the same in all panels.
    """

    points: pd.DataFrame
    panels: list[dict[str, Any]]
    curves: list[dict[str, Any]]

    def csv(self) -> str:
        """The points as text; equal numbers give equal text."""
        return self.points.to_csv(index=False, float_format=_DIGITS)

    def script(self, key: str) -> str:
        """The same numbers, and how to draw them, as a script, which a page on a disk can read.

        Parameters
        ----------
        key : str
            What the page calls the figure.
        """
        points: dict[str, dict] = {}
        for (panel, curve), rows in self.points.groupby(["panel", "curve"], sort=False):
            known = rows[_NUMBERS].astype(float).dropna(axis="columns", how="all")
            columns = {name: [*map(_as_printed, known[name])] for name in known}
            points.setdefault(panel, {})[curve] = columns
        values = {"panels": self.panels, "curves": self.curves, "points": points}
        text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
        text = text.replace("</", "<\\/")  # which would end the script of a page that holds it
        return f"(window.figures ??= {{}})[{json.dumps(key)}] = {text};\n"


def _as_printed(number):
    """A number with the digits that it has in the CSV; None where that has none."""
    if math.isnan(number):
        return None
    rounded = float(_DIGITS % number)
    return int(rounded) if rounded.is_integer() else rounded


def figure_data(figure) -> Drawn | None:
    """Read the curves of a figure; None if it has none.

    Panels with images or contours are left out, as are lines without a label.

    Parameters
    ----------
    figure : matplotlib figure
    """
    axes = [(axis, lines) for axis in figure.axes if (lines := _curves_of(axis))]
    if not axes:
        return None
    panels = [_panel(axis, figure.axes) for axis, _ in axes]
    for panel, name in zip(panels, _names(panels), strict=True):
        panel["name"] = name
    curves: dict[str, dict] = {}
    parts = []
    for panel, (axis, lines) in zip(panels, axes, strict=True):
        ends = _ends([memory.rows["x"] for line, memory in lines if not _is_level(axis, line)])
        panel["areas"] = [_area(patch) for patch in axis.patches if _is_area(patch)]
        panel["intervals"] = {m.name: m.interval for _, m in lines if m.interval}
        for line, memory in lines:
            curves.setdefault(memory.name, {"name": memory.name} | _look(line))
            level = _is_level(axis, line)
            rows = memory.rows[: len(ends)].assign(x=ends) if level else memory.rows
            parts.append(rows.assign(panel=panel["name"], curve=memory.name))
    points = pd.concat(parts, ignore_index=True).dropna(subset=["x", "y"])
    points = points.astype({"n": "Int64"})
    return Drawn(points[["panel", "curve", *_NUMBERS]], panels, list(curves.values()))


def _curves_of(axis):
    """The curves of a panel with what is known of them."""
    if axis.images or any(isinstance(c, ContourSet) for c in axis.collections):
        return []
    found = [(line, _MEMORIES.get(line) or _plain(line)) for line in axis.lines]
    return [(line, memory) for line, memory in found if memory.name[:1] not in ("", "_")]


def _plain(line):
    """Points of a line without memory; nothing of an entry that stands in the legend only."""
    x, y = line.get_data()
    rows = pd.DataFrame({"x": x, "y": y}).reindex(columns=_NUMBERS).astype(float)
    return _Memory(str(line.get_label()) if len(rows) else "", rows, "")


def _is_area(patch):
    """Whether a patch is a shaded area of the legend; bars of a plot have no label."""
    return isinstance(patch, Rectangle) and str(patch.get_label())[:1] not in ("", "_")


def _area(patch):
    """Ends of a shaded rectangle in the units of the axes, and its colour."""
    seen = patch.axes.transData.inverted().transform_bbox(patch.get_window_extent())
    return {
        "name": patch.get_label(),
        "color": to_hex(patch.get_edgecolor() if patch.get_hatch() else patch.get_facecolor()),
        "x": sorted(map(_as_printed, seen.intervalx)),
        "y": sorted(map(_as_printed, seen.intervaly)),
    }


def _is_level(axis, line):
    """Whether a line goes from one side of the panel to the other."""
    return line.get_transform() == axis.get_yaxis_transform(which="grid")


def _ends(xs):
    """First and last place of the other curves; one where these are the same."""
    every = pd.concat(xs) if xs else pd.Series([0.0, 1.0])
    return sorted({every.min(), every.max()})


def _look(line):
    _, dashes = line._dash_pattern  # which matplotlib tells nobody; None of a full line
    return {
        "color": to_hex(line.get_color()),
        "line": line.get_linestyle() != "None",
        "steps": line.get_drawstyle() == "steps-post",
        "dashes": [round(float(part), 1) for part in dashes or ()],
        **_marker(line),
    }


def _marker(line):
    """Outline of a marker of size 1 as a path of SVG, and whether it is full; nothing without one.

    A circle becomes a polygon, and what is no area is drawn as lines.
    """
    style = line._marker  # with its way of filling, for which matplotlib has no getter
    path = style.get_path()
    if not len(path.vertices) or not line.get_markersize():
        return {}
    outlines = style.get_transform().transform_path(path).to_polygons(closed_only=False)
    *shade, opacity = to_rgba(line.get_markerfacecolor())
    area = style.is_filled()
    placed = [np.round(outline * [1, -1], 2) + 0.0 for outline in outlines]  # SVG's y goes down
    lines = ("L".join(f"{x:g} {y:g}" for x, y in outline) for outline in placed)
    return {
        "marker": "".join(f"M{outline}{'Z' if area else ''}" for outline in lines),
        "full": area and opacity > 0 and shade != [1, 1, 1],
    }


def _panel(axis, axes):
    """Title, labels, scales, limits and categories of a panel."""
    sides = [axis.xaxis, axis.yaxis]
    if _categories(axis.yaxis) and not _categories(axis.xaxis):  # it lies on its side
        sides.reverse()
    labels = {
        axis.xaxis: axis.get_xlabel(),
        axis.yaxis: axis.get_ylabel() or _first(axis, axes, "rowspan", "colspan").get_ylabel(),
    }
    title = axis.get_title() or _first(axis, axes, "colspan", "rowspan").get_title()
    panel = {"title": _line_of(title)}
    panel |= {name: _line_of(labels[side]) for name, side in zip("xy", sides, strict=True)}
    return panel | {
        "scales": {name: side.get_scale() for name, side in zip("xy", sides, strict=True)},
        "limits": {
            name: sorted(map(_as_printed, side.get_view_interval()))
            for name, side in zip("xy", sides, strict=True)
        },
        "ticks": _categories(sides[0]),
    }


def _categories(axis):
    """Places and names of categories along an axis, if it has any."""
    locator, form = axis.get_major_locator(), axis.get_major_formatter()
    if not isinstance(locator, FixedLocator) or not isinstance(
        form, FixedFormatter | FuncFormatter
    ):
        return []
    places = [*map(_as_printed, locator())]
    return [*zip(places, form.format_ticks(places), strict=True)]


def _first(axis, axes, same, along):
    """The first panel of its row or column, which has the label or title of all."""
    place = axis.get_subplotspec()
    line = [
        (getattr(spec, along).start, other)
        for other in axes
        if (spec := other.get_subplotspec())
        and spec.get_gridspec() is place.get_gridspec()
        and getattr(spec, same).start == getattr(place, same).start
    ]
    return min(line, key=itemgetter(0))[1]


def _line_of(text):
    r"""Text in one line.

    Examples
    --------
    >>> _line_of("ORL\naccuracy (%)")
    'ORL, accuracy (%)'
    """
    return re.sub(r",?\s*\n", ", ", text)


def _names(panels: Sequence[dict]) -> list[str]:
    """Names of panels: titles, as far as these differ, else with the axes of y, then of x.

    Examples
    --------
    >>> _names([{"title": "ORL", "y": "AC", "x": "k"}, {"title": "ORL", "y": "MI", "x": "k"}])
    ['ORL, AC', 'ORL, MI']
    """
    for n in (1, 2, 3):
        names = [", ".join(filter(None, [p["title"], p["y"], p["x"]][:n])) for p in panels]
        if len(set(names)) == len(names) and all(names):
            return names
    return [f"{k}: {name}" for k, name in enumerate(names, 1)]
