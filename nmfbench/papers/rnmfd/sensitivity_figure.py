"""Drawing of Figure 2: accuracy of RNMFD along its parameters, and its objective."""

from __future__ import annotations

import math
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from nmfbench.artefacts.drawn import attach_data
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.plots import Expected, plot_points
from nmfbench.artefacts.style import category_styles
from nmfbench.artefacts.tables import interval_cell, score_table
from nmfbench.papers.reported import reported
from nmfbench.papers.rnmfd.descent import RULES
from nmfbench.papers.rnmfd.panels import BEST, GAP, PANELS, SPARSE, USUAL
from nmfbench.papers.rnmfd.protocols import AC
from nmfbench.papers.rnmfd.sets import SETS
from nmfbench.papers.rnmfd.settling import EARLY, OBJECTIVE

_PANELS = (
    ("p", AC, "RNMFD, neighbours", "number of neighbours p"),
    ("alpha", AC, "RNMFD, weight of the graph", "α"),
    ("beta", AC, "RNMFD, weight of orthogonality", "β"),
    (OBJECTIVE, "O/n", "RNMFD, objective", "iteration"),
    ("beta", SPARSE, "RNMFD, sparseness of codes", "β"),
    ("gnmf", AC, "GNMF, weight of the graph", "α"),
    ("dnmf", AC, "DNMF, weight of both graphs", "α"),
    ("ignmf", AC, "IGNMF, weight of the graph", "α"),
    ("alpha", GAP, "RNMFD, distance from orthogonality", "α"),
)
_STYLES = category_styles(SETS)
_AHEAD = {
    name: Expected(
        f"({letter}) the paper: ahead {reported('rnmfd/fig2', name).text}", x=PANELS[name].between
    )
    for letter, name in zip("abc", USUAL, strict=True)
}
_SETTLES = Expected(
    f"(d) the paper: settles {reported('rnmfd/fig2', 'iterations').text}", x=(0.0, float(EARLY))
)
_PAPERS: dict[str, Any] = {
    "color": "0.3",
    "mfc": "none",
    "markersize": 10,
    "linestyle": "",
    "zorder": 5,
}
_LOOKS = {RULES["safe"]: {"linestyle": "-"}, RULES["paper"]: {"linestyle": ":", "linewidth": 2}}


def draw(table: pd.DataFrame) -> Figure:
    """First the four panels of the paper, then what explains them."""
    figure, axes = plt.subplots(3, 3, figsize=(12.5, 10.5))
    for letter, axis, (name, score, title, xlabel) in zip(
        "abcdefghi", axes.flat, _PANELS, strict=True
    ):
        rows = select_rows(table, panel=name, score=score)
        if name == OBJECTIVE:
            _draw_objective(axis, rows)
        else:
            _draw_scores(axis, rows, name, 100 if score == AC else 1)
            if score == AC and name in USUAL:
                _AHEAD[name].draw(axis)
                for k, (dataset, style) in enumerate(_STYLES.items()):
                    y = 100 * reported("rnmfd/table3", dataset).value[-1]
                    axis.plot(_beside(USUAL[name], k, name), y, marker=style["marker"], **_PAPERS)
        axis.set(title=f"({letter}) {title}", xlabel=xlabel)
    axes[1, 1].set(ylabel="sparseness (Hoyer)", ylim=(-0.03, 1.06))
    axes[2, 2].set(ylabel="‖VᵀV − I‖ / √k", ylim=(-0.03, 1.06))
    for row in select_rows(table, panel=BEST, score=AC).to_dict("records"):
        for axis in axes[0, :3]:
            color = _STYLES[row["dataset"]]["color"]
            axis.axhline(100 * row["mean"], color=color, linestyle="--", linewidth=1, alpha=0.8)
    handles, _ = axes[0, 0].get_legend_handles_labels()
    handles += [
        Line2D([], [], color="k", linestyle="--", label="best baseline of Table 3"),
        Line2D([], [], color="k", linestyle=":", label="(d): Eq. (17) as printed"),
        Line2D([], [], marker="o", label="the paper's RNMFD (Table 3)", **_PAPERS),
    ]
    for axis in axes.flat[1:4]:
        handles += axis.patches
    columns = math.ceil(len(handles) / 3)
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)
    return figure


def unscaled(table: pd.DataFrame) -> pd.DataFrame:
    """Accuracy with pixels from 0 to 255, which the picture has no room for, as text."""
    rows = select_rows(table, panel="raw", score=AC).sort_values(["dataset", "x"])
    percent = 100 * rows[["mean", "low", "high"]]
    cells = rows.assign(**percent, data=[SETS[name].label for name in rows["dataset"]])
    cells = cells.assign(
        title="AC (%) of RNMFD, pixels from 0 to 255", x=cells["x"].map("{:g}".format)
    )
    values = list(dict.fromkeys(cells["x"]))
    found = score_table(cells, {"title": "", "data": "data"}, values, interval_cell(1), column="x")
    return found.rename(columns={value: f"α = {value}" for value in values})


def _beside(x, k, panel):
    """Place of data set ``k`` at a value, where five sets can be distinguished."""
    return x + 0.2 * (k - 2) if panel == "p" else x * 1.15 ** (k - 2)


def _draw_scores(axis, rows, panel, unit):
    """Means with intervals, side by side."""
    for k, (dataset, style) in enumerate(_STYLES.items()):
        curve = select_rows(rows, dataset=dataset).sort_values("x")
        curve = curve.assign(**unit * curve[["mean", "low", "high"]])
        if len(curve):
            shift = _beside(curve["x"], k, panel) - curve["x"]
            plot_points(axis, curve["x"], curve, SETS[dataset].label, style, shift)
    axis.set(ylabel="AC (%)", ylim=(10, 90))
    if panel == "p":
        axis.set_xticks(sorted(set(rows["x"])))
    else:
        axis.set_xscale("log")
        axis.xaxis.set_minor_locator(NullLocator())


def _draw_objective(axis, rows):
    for (dataset, rule), curve in rows.groupby(["dataset", "method"]):
        curve = curve.sort_values("x")
        look = _STYLES[dataset] | {"marker": ""} | _LOOKS[rule]
        (drawn,) = axis.plot(curve["x"], curve["mean"], **look)
        label = SETS[dataset].label
        attach_data(
            drawn, curve["x"], curve, label if rule == RULES["safe"] else f"{label}, {rule}"
        )
    axis.set(yscale="log", ylabel="objective / samples")
    if len(rows):  # the start is far above the rest, and would be all there is to see
        axis.set_ylim(top=1.5 * rows.loc[rows["x"] >= 1, "mean"].max())
    _SETTLES.draw(axis)
