"""Drawing of the objective of RNMFD by three updates, and of its largest rises."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from nmfbench.artefacts.drawn import attach_data
from nmfbench.artefacts.style import category_styles
from nmfbench.papers.rnmfd.descent import ONE, RULES, SETTINGS
from nmfbench.papers.rnmfd.sets import SETS

_LAST = 40  # iterations shown of one image
_SWINGS = 20  # iterations whose ups and downs are drawn singly; after them their range
_NONE = 1e-7  # where a rise of nothing, or of rounding, is drawn
_LOOKS: dict[str, dict[str, Any]] = {
    RULES["paper"]: {"linestyle": "-", "marker": "o", "label": "Eq. (17) as printed"},
    RULES["safe"]: {"linestyle": "--", "marker": "^", "label": "largest exponent that descends"},
    RULES["root"]: {"linestyle": ":", "marker": "s", "label": "exponent 1/4"},
}
_COLORS = {name: style["color"] for name, style in category_styles(SETS).items()}


def draw(table):
    """Objectives of four settings, and under each the largest rise by data set."""
    shown = [name for name in SETTINGS if name in set(table["weights"])]
    figure, axes = plt.subplots(
        2, len(shown), figsize=(3.4 * len(shown), 6.4), height_ratios=[3, 1.3], squeeze=False
    )
    for letter, name, above, below in zip("abcd", shown, *axes, strict=False):
        rows = table[table["weights"] == name]
        _draw_objectives(above, rows[rows["part"] == "curve"], one=name == ONE)
        _draw_rises(below, rows[rows["part"] == "rises"], one=name == ONE)
        above.set_title(f"({letter}) {name}")
    axes[0, 0].set_ylabel("objective / first value")
    axes[1, 0].set_ylabel("largest rise of\nan iteration (%)")
    handles = [Line2D([], [], color="0.3", markersize=5, **look) for look in _LOOKS.values()]
    there = [name for name in SETS if name in set(table["dataset"])]
    handles += [Line2D([], [], color=_COLORS[d], label=SETS[d].label) for d in there]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    return figure


def _draw_objectives(axis, rows, one):
    if one:
        rows = rows[rows["x"] <= _LAST]
        axis.set(xlabel="iteration", ylim=(1e-6, 50), yscale="log")
    else:
        axis.set(xlabel="iteration + 1", xscale="log", yscale="log")
    for (dataset, rule), curve in rows.groupby(["dataset", "method"], observed=True):
        curve = curve.sort_values("x")
        look = {"color": _COLORS[dataset], "linestyle": _LOOKS[rule]["linestyle"]}
        x, y = curve["x"] + (not one), curve["value"]
        dense = (x > _SWINGS) & (y.diff() > 0).any() & (not one)
        (line,) = axis.plot(x[~dense], y[~dense], linewidth=1.4, **look)
        name = f"{SETS[dataset].label}: {_LOOKS[rule]['label']}"
        attach_data(line, x, curve.rename(columns={"value": "mean"}), name=name)
        low, high = y.rolling(2).min()[dense], y.rolling(2).max()[dense]
        axis.fill_between(x[dense], low, high, color=look["color"], alpha=0.25, linewidth=0)
        for edge in (low, high):
            axis.plot(x[dense], edge, linewidth=0.8, **look)


def _draw_rises(axis, rows, one):
    names = [d for d in SETS if d in set(rows["dataset"])]
    for row in rows.to_dict("records"):
        k = list(_LOOKS).index(row["method"])
        x, y = names.index(row["dataset"]) + 0.2 * (k - 1), 100 * max(row["largest"], _NONE)
        marker = _LOOKS[row["method"]]["marker"]
        axis.plot(x, y, color=_COLORS[row["dataset"]], marker=marker, markersize=6)
    labels = ["one image"] if one else [SETS[d].label for d in names]
    axis.set(xticks=range(len(names)), xticklabels=labels, xlim=(-0.6, len(names) - 0.4))
    axis.tick_params(axis="x", labelsize="x-small")
    axis.set(xlabel="data", ylim=(20 * _NONE, 1e4), yscale="log")
    axis.set_yticks([100 * _NONE, 1e-3, 1, 1e3], ["none", "0.001", "1", "1000"])
    axis.yaxis.set_minor_locator(NullLocator())
