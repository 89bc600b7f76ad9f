"""Drawing of quality and cost of methods that separate background and foreground."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.ticker import LogLocator, NullFormatter

from nmfbench.artefacts.drawn import attach_data
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.plots import legend_of
from nmfbench.artefacts.ranks import draw_ranks, height_of_ranks
from nmfbench.artefacts.style import method_styles
from nmfbench.papers.robust_xray.separation_trials import MEAN, METHODS

_LOOKS = method_styles([method.label for method in METHODS])


def draw(table):
    """F-measure against seconds, a mark a method; below, mean ranks."""
    points, ranks = select_rows(table, part="method"), select_rows(table, part="rank")
    heights = [5.2, height_of_ranks(ranks)] if len(ranks) else [5.2]
    figure = plt.figure(figsize=(8.5, sum(heights)))
    parts = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    _draw_points(parts[0], points)
    if len(ranks):
        axis = parts[1].subplots()
        axis.set_title("(b) partial area, five blocks of frames a clip", fontsize="medium")
        draw_ranks(axis, ranks.astype({"n_tasks": int}))
    return figure


def _draw_points(figure, points):
    axis = figure.subplots()
    for row in points[points["family"] != MEAN].to_dict("records"):
        style = _LOOKS[row["family"]]
        x, y, color = row["seconds"], row["f-rule"], style["color"]
        bar = {"color": color, "linewidth": 0.9, "alpha": 0.5, "zorder": 2}
        axis.hlines(y, row["seconds-low"], row["seconds-high"], **bar)
        axis.vlines(x, row["f-rule-low"], row["f-rule-high"], **bar)
        look = {"color": color, "marker": style["marker"], "linestyle": "", "markersize": 7}
        filled = {} if row["n_components"] == 1 else {"label": row["family"]}
        (dot,) = axis.plot(x, y, **look, **(filled or {"mfc": "white"}), zorder=3)
        quality = {"mean": y, "low": row["f-rule-low"], "high": row["f-rule-high"]}
        attach_data(dot, [x], pd.DataFrame([quality]), row["method"], "bars")
    for row in points[points["family"] == MEAN].to_dict("records"):
        axis.axhline(row["f-rule"], color="0.5", linestyle=":", linewidth=1.2, label=MEAN)
    axis.set(xscale="log", xlabel="CPU seconds", ylabel="F-measure, one rule for all thresholds")
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter("{x:g}")
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.set_title("(a) quality and cost: hollow r = 1, filled r = 2 or no rank", fontsize="medium")
    legend_of(figure, axis)
