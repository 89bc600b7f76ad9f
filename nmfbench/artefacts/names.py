"""Names of curves, written where they end, so that a reader need not look them up in a legend."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["apart", "name_curves"]

_POINTS = 8.5  # size of a name
_LINE = 1.25 * _POINTS / 72  # inches from one name to the next
_RIGHT = 1.04  # where names begin, in widths of the panel
_LEADER = {"arrowstyle": "-", "linewidth": 0.6, "alpha": 0.6, "relpos": (0.0, 0.5)}


def name_curves(axis, inches: float, left_out: Sequence[str] = ()) -> list[str]:
    """Write the name of each curve of a panel at its right, beside the last point.

    Names are moved apart where they would cover each other, and a thin line leads to each. A curve
    that ends outside of the limits has an arrow and its last value.

    Parameters
    ----------
    axis : matplotlib axis
        With its final limits.
    inches : float
        Height of the panel.
    left_out : sequence of str
        Curves without a name here.

    Returns
    -------
    list of str
        The names written: none if not all of them fit.
    """
    ends = {}
    for line in axis.lines:
        x, y = (np.asarray(values, float) for values in line.get_data())
        finite = np.isfinite(x) & np.isfinite(y)
        name = str(line.get_label())
        if finite.any() and name[:1] not in ("", "_") and name not in left_out:
            last = np.flatnonzero(finite)[-1]
            ends[name] = (x[last], y[last], line)
    step = _LINE / inches
    if not ends or len(ends) * step > 1.1:
        return []
    limits = axis.get_xlim(), axis.get_ylim()
    to_share = axis.transScale + axis.transLimits
    right, (bottom, top) = limits[0][1], limits[1]
    shares, texts, points = [], [], []
    for name, (x, y, line) in ends.items():
        level = line.get_transform() != axis.transData  # from one side to the other
        inside = min(bottom, top) <= y <= max(bottom, top)
        arrow = "" if inside else f" {'↑' if y > max(bottom, top) else '↓'} {y:.2g}"
        place = right if level else x, np.clip(y, min(bottom, top), max(bottom, top))
        points.append(place)
        shares.append(to_share.transform(place)[1])
        texts.append(f"{name}{arrow}")
    heights = apart(shares, step, 0.0, 1.0)
    for text, point, height, (*_, line) in zip(texts, points, heights, ends.values(), strict=True):
        color = line.get_color()
        axis.annotate(
            text,
            xy=point,
            xytext=(_RIGHT, height),
            textcoords="axes fraction",
            color=color,
            fontsize=_POINTS,
            va="center",
            annotation_clip=False,
            arrowprops={**_LEADER, "color": color},
        )
    axis.set(xlim=limits[0], ylim=limits[1])
    return list(ends)


def apart(places: Sequence[float], step: float, low: float, high: float) -> list[float]:
    """Places as near as possible to the given ones, at least ``step`` from each other.

    Least squares under the order of the places: neighbours that are too close share the mean of
    where they want to be. Blocks are kept between ``low`` and ``high`` where they fit.

    Parameters
    ----------
    places : sequence of float
    step, low, high : float

    Returns
    -------
    list of float

    Examples
    --------
    >>> [round(place, 2) for place in apart([0.5, 0.5, 0.1], 0.2, 0, 1)]
    [0.4, 0.6, 0.1]
    """
    order = sorted(range(len(places)), key=lambda k: places[k])
    blocks: list[list[int]] = []
    starts: list[float] = []

    def start_of(block):
        wanted = np.mean([places[k] - i * step for i, k in enumerate(block)])
        most = max(low, high - (len(block) - 1) * step)
        return float(np.clip(wanted, low, most))

    for k in order:
        blocks.append([k])
        starts.append(start_of([k]))
        while len(blocks) > 1 and starts[-2] + len(blocks[-2]) * step > starts[-1] + 1e-12:
            merged = blocks.pop(-2) + blocks.pop()
            del starts[-2:]
            blocks.append(merged)
            starts.append(start_of(merged))
    found = [0.0] * len(places)
    for block, start in zip(blocks, starts, strict=True):
        for i, k in enumerate(block):
            found[k] = start + i * step
    return found
