"""Names beside curves and points, without overlap, and a look that sets a few methods apart."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from matplotlib import patheffects
from scipy.optimize import isotonic_regression

__all__ = ["name_ends", "name_points", "spread", "standing_out"]

_COLORS = ("#d55e00", "#0173b2", "#029e73", "#cc78bc", "#ca9161")
_GREYS = ("0.4", "0.55", "0.66", "0.75")
_LINES = ("-", (0, (5, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (1, 1)))
_HALO = [patheffects.withStroke(linewidth=2, foreground="white")]
_FONT_SIZE = 8.0  # points; the smallest is three quarters of it
_LINE = 1.22  # height of a line of text, in font sizes


def standing_out(names, highlight=()):
    """Keywords of ``plot`` for each name: names in ``highlight`` in colour, the rest in grey.

    Parameters
    ----------
    names : iterable of str
    highlight : sequence of str, default=()

    Returns
    -------
    dict of str to dict
        In the order in which to draw, so that what stands out comes last and lies on top.
    """
    names = list(dict.fromkeys(names))
    styles = {}
    for i, name in enumerate(name for name in names if name not in highlight):
        styles[name] = {
            "color": _GREYS[i % len(_GREYS)],
            "linestyle": _LINES[i // len(_GREYS) % len(_LINES)],
            "linewidth": 1.0,
            "zorder": 2.0,
        }
    for i, name in enumerate(name for name in highlight if name in names):
        styles[name] = {
            "color": _COLORS[i % len(_COLORS)],
            "linestyle": _LINES[i // len(_COLORS) % len(_LINES)],
            "linewidth": 2.6,
            "zorder": 3.0,
        }
    return styles


def spread(positions, gap, low=-np.inf, high=np.inf):
    """The positions nearest to the given ones, in their order and at least ``gap`` apart.

    Parameters
    ----------
    positions : array-like of shape (n,)
        In any order; of equal ones the earlier is placed lower.
    gap : float
        Made smaller if not all fit between the bounds.
    low, high : float, optional
        Bounds.

    Returns
    -------
    ndarray of shape (n,)
        The least squares solution: a regression that does not fall, of the positions less a gap
        for each one before, is one of the positions at least a gap apart.

    Examples
    --------
    >>> spread([0.0, 0.1, 5.0], gap=1.0)
    array([-0.45,  0.55,  5.  ])
    >>> spread([0.0, 0.1, 5.0], gap=1.0, low=0.0, high=4.0)
    array([0., 1., 4.])
    """
    positions = np.asarray(positions, dtype=float)
    n = len(positions)
    if n > 1:
        gap = min(gap, (high - low) / (n - 1))
    order = np.argsort(positions, kind="stable")
    steps = gap * np.arange(n)
    room = high - (n - 1) * gap if np.isfinite(high) else np.inf
    # Each block of the regression has the bounds of the whole regression.
    fitted = isotonic_regression(positions[order] - steps).x if n else positions
    found = np.empty(n)
    found[order] = np.clip(fitted, low, max(low, room)) + steps
    return found


def name_ends(axis, ends, styles, *, side="right"):
    """Write each name beside the axis, a thin line leading to it from its curve's end.

    Parameters
    ----------
    axis : matplotlib axis
        With its limits as they will be, of a figure that has its layout.
    ends : dict of str to (float, float)
        Where each curve ends, in data coordinates. Of equal heights the first is named highest.
    styles : dict of str to dict
        Of :func:`standing_out`.
    side : {"right", "left"}, default="right"
        With names to the left the numbers of the axis move to the right.
    """
    if not ends:
        return
    if side == "left":
        axis.yaxis.set_label_position("right")
        axis.tick_params(axis="y", left=False, right=False, labelleft=False, labelright=True)
    figure = axis.figure
    height = axis.get_window_extent().height * 72 / figure.dpi
    size = float(np.clip(height / (_LINE * len(ends)), 0.75 * _FONT_SIZE, _FONT_SIZE))
    names = list(ends)[::-1]
    to_axis = axis.transData + axis.transAxes.inverted()
    places = to_axis.transform([ends[name] for name in names])
    heights = spread(np.clip(places[:, 1], 0, 1), _LINE * size / height, -0.03, 1.03)
    way = [1.0, 1.035, 1.05, 1.058] if side == "right" else [0.0, -0.035, -0.05, -0.058]
    for name, (x, y), at in zip(names, places, heights, strict=True):
        style = styles[name]
        strong = style["linewidth"] > 2
        axis.plot(
            [np.clip(x, 0, 1), *way[1:3]],
            [np.clip(y, 0, 1), at, at],
            transform=axis.transAxes,
            clip_on=False,
            color=style["color"],
            linewidth=1.2 if strong else 0.5,
            zorder=style["zorder"],
        )
        axis.text(
            way[3],
            at,
            name,
            transform=axis.transAxes,
            color=style["color"] if strong else "0.3",
            weight="bold" if strong else "normal",
            fontsize=size,
            ha="left" if side == "right" else "right",
            va="center_baseline",
        )


def name_points(axis, points, styles, *, avoid=()):
    """Write each name beside its point, where it covers no other name and few other points.

    Parameters
    ----------
    axis : matplotlib axis
        With its limits as they will be, of a figure that has its layout.
    points : dict of str to (float, float)
        In data coordinates; the names that matter most first.
    styles : dict of str to dict
        Of :func:`standing_out`.
    avoid : sequence of (float, float), default=()
        Corners of a line, in data coordinates, that names had better not cover.

    Returns
    -------
    list of Annotation
    """
    figure = axis.figure
    unit = figure.dpi / 72
    frame = axis.get_window_extent()
    dots = axis.transData.transform(list(points.values())) if points else np.empty((0, 2))
    line = _along(axis.transData.transform(avoid), 2 * unit) if len(avoid) else dots[:0]
    taken, found = np.empty((0, 4)), []
    for name, dot in zip(points, dots, strict=True):
        strong = styles[name]["linewidth"] > 2
        label = axis.annotate(
            name,
            points[name],
            xytext=(0, 0),
            textcoords="offset points",
            color=styles[name]["color"] if strong else "0.25",
            weight="bold" if strong else "normal",
            fontsize=_FONT_SIZE,
            ha="center",
            va="center",
            path_effects=_HALO,
            zorder=styles[name]["zorder"] + 2,
            annotation_clip=False,
        )
        # Its place depends on the layout, so it must not change it.
        label.set_in_layout(False)
        box = label.get_window_extent()
        half = np.array([box.width, box.height]) / 2
        near = (8.0 if strong else 4.5) * unit  # past the edge of its marker
        shift = _best_shift(dot, half, near, dots, line, taken, frame, unit)
        label.set_position(shift / unit)
        centre = dot + shift
        taken = np.vstack([taken, [*(centre - half), *(centre + half)]])
        gap = np.maximum(np.abs(shift) - half, 0)
        if np.hypot(*gap) > near + 2 * unit:
            axis.annotate(
                "",
                points[name],
                xytext=(np.sign(shift) * gap * (gap > 0) + 0.0) / unit,
                textcoords="offset points",
                arrowprops={
                    "arrowstyle": "-",
                    "color": "0.5",
                    "linewidth": 0.5,
                    "shrinkA": 0,
                    "shrinkB": 2,
                },
                annotation_clip=False,
            ).set_in_layout(False)
        found.append(label)
    return found


def _along(corners, step):
    """Points along a line through corners, at most ``step`` apart."""
    parts = [corners[:1]]
    for begin, end in pairwise(corners):
        n = int(np.ceil(np.hypot(*(end - begin)) / step))
        parts.append(begin + (end - begin) * np.arange(1, n + 1)[:, None] / max(n, 1))
    return np.concatenate(parts)


def _best_shift(dot, half, near, dots, line, taken, frame, unit):
    """From a point to the centre of its name, in pixels."""
    angles = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    ways = np.column_stack([np.cos(angles), np.sin(angles)])
    reach = near + np.array([0.0, 6.0, 13.0, 22.0, 33.0, 47.0, 65.0]) * unit
    # The nearest edge of the name, not its centre, is so far from the point.
    shifts = (ways[None] * (half + reach[:, None, None])).reshape(-1, 2)
    low, high = dot + shifts - half, dot + shifts + half

    margin = 1.0 * unit
    wide = np.minimum(high[:, None, 0], taken[:, 2]) - np.maximum(low[:, None, 0], taken[:, 0])
    tall = np.minimum(high[:, None, 1], taken[:, 3]) - np.maximum(low[:, None, 1], taken[:, 1])
    names = ((wide > -margin) & (tall > -margin)).sum(axis=1)

    def inside(places, radius):
        within = (places > low[:, None] - radius) & (places < high[:, None] + radius)
        return within.all(axis=2).sum(axis=1)

    covered, crossed = inside(dots, 3.5 * unit), inside(line, 0.0) > 0
    outside = (low < (frame.x0, frame.y0)).any(axis=1) | (high > (frame.x1, frame.y1)).any(axis=1)
    distance = np.repeat(np.arange(len(reach)), len(ways)) + 0.01 * np.tile(
        np.abs(ways[:, 1]), len(reach)
    )
    cost = 100 * names + 8 * covered + 1.5 * crossed + 20 * outside + distance
    return shifts[cost.argmin()]
