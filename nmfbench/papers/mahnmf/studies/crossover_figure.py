"""Excess over the best against CPU seconds, and a map of who is first within each tolerance."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.plots import legend_of
from nmfbench.artefacts.style import method_styles
from nmfbench.papers.mahnmf.matrices import METHODS
from nmfbench.papers.mahnmf.speed import draw_bands
from nmfbench.papers.mahnmf.studies.nearness import TOLERANCES

_LABELS = [method.label for method in METHODS]
_FLOOR = 1e-3  # of the excess as drawn, as a share


def draw(table, matrices):
    """A panel of curves for each problem, and a map of who is first within each tolerance."""
    shown = [m.label for m in matrices if m.label in set(table["problem"])]
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    heights = [4.2 * rows, 0.6 * len(shown) + 1.2]
    figure = plt.figure(figsize=(5.2 * columns, sum(heights)))
    parts: Any = figure.subfigures(2, 1, height_ratios=heights)
    above, below = parts
    axes = above.subplots(rows, columns, squeeze=False).ravel()
    panels, spare = np.split(axes, [len(shown)])
    percent = {name: 100 * table[name].clip(lower=_FLOOR) for name in ("mean", "low", "high")}
    for axis, problem in zip(panels, shown, strict=True):
        draw_bands(axis, select_rows(table.assign(**percent), problem=problem, part="curve"))
        axis.set(
            title=problem,
            xlabel="CPU seconds (one thread)",
            ylabel="objective above the best (%)",
            xscale="log",
            yscale="log",
            ylim=(100 * _FLOOR, None),
        )
    _draw_first(below.subplots(), select_rows(table, part="reach"), shown)
    for axis in spare:
        axis.axis("off")
    if len(spare):  # the place that is left
        drawn = {label: handle for axis in panels for handle, label in _handles(axis)}
        shown = [label for label in _LABELS if label in drawn]
        spare[0].legend([drawn[label] for label in shown], shown, loc="center", frameon=False)
    else:
        legend_of(above, panels, _LABELS, columns=3)
    return figure


def _handles(axis):
    return zip(*axis.get_legend_handles_labels(), strict=True)


def _draw_first(axis, reach, problems):
    """For each problem and tolerance the method that is first there, and after how long."""
    styles = method_styles(_LABELS)
    firsts = reach.sort_values("x").drop_duplicates(["problem", "tolerance"])
    for first in firsts.to_dict("records"):
        i, j = problems.index(first["problem"]), TOLERANCES.index(round(first["tolerance"], 6))
        color = styles[first["method"]]["color"]
        place = (j - 0.5, i - 0.5)
        axis.add_patch(plt.Rectangle(place, 1, 1, facecolor=color, edgecolor="white"))
        look = {"ha": "center", "va": "center", "color": "white", "size": "small"}
        words = first["method"].removeprefix("MahNMF (").removesuffix(")")
        axis.text(j, i, f"{words}\n{first['x']:.2g} s", **look)
    axis.set(
        title="RRI or OGM: the first to be this near to the best, and its seconds",
        xlabel="tolerance",
        xlim=(-0.5, len(TOLERANCES) - 0.5),
        ylim=(len(problems) - 0.5, -0.5),
        xticks=range(len(TOLERANCES)),
        xticklabels=[f"{100 * tolerance:g} %" for tolerance in TOLERANCES],
        yticks=range(len(problems)),
        yticklabels=problems,
    )
    axis.grid(False)
