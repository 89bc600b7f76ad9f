"""Forest plots of paired differences on corrupted faces, and the table of all of them."""

from __future__ import annotations

from itertools import product
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from nmfbench.artefacts.drawn import attach_data
from nmfbench.artefacts.finding import ALPHA
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.style import method_styles
from nmfbench.papers.mahnmf.faces import EUC, KL, METHODS, NAMES
from nmfbench.papers.mahnmf.studies.paired_differences import ACCURACIES, DATASETS, OURS, RIVALS
from nmfbench.problems.faces import CONDITIONS


def draw(table):
    """Two forest plots, of accuracy and of reconstruction: a line for each condition and rival."""
    places = [
        (dataset, condition)
        for dataset, condition in product(DATASETS, CONDITIONS)
        if len(select_rows(table, dataset=dataset, condition=condition, metric=list(FORESTS)))
    ]
    heights = np.arange(len(places))
    figure, axes = plt.subplots(
        1,
        len(FORESTS),
        figsize=(12.0, 0.5 * len(places) + 1.6),
        sharey=True,
        squeeze=False,
    )
    styles = method_styles([method.label for method in METHODS])
    pairs = list(product(RIVALS[:2], OURS))
    shifts = np.linspace(-0.27, 0.27, len(pairs))
    for axis, (metric, title) in zip(axes[0], FORESTS.items(), strict=True):
        for (rival, method), shift in zip(pairs, shifts, strict=True):
            for y, (dataset, condition) in zip(heights, places, strict=True):
                place = {"dataset": dataset, "condition": condition, "metric": metric}
                for one in select_rows(table, place, method=method, rival=rival).to_dict("records"):
                    _draw_one(axis, one, y, shift, styles[method]["color"])
        axis.axvline(0, color="0.3", linewidth=0.8)
        lines = _found(table, metric)
        axis.set_title(title, pad=6 + 13 * len(lines))
        look = {"transform": axis.transAxes, "ha": "center", "va": "bottom", "fontsize": "small"}
        axis.text(0.5, 1.01, "\n".join(lines), **look)
        axis.set_xlabel("better by (points)")
        axis.grid(visible=False, axis="y")
        for y in heights[::2]:
            axis.axhspan(y - 0.5, y + 0.5, color="0.95", zorder=0)
    names = [f"{NAMES[dataset]}, {condition}" for dataset, condition in places]
    axes[0, 0].set(yticks=heights, yticklabels=names, ylim=(len(places) - 0.5, -0.5))
    grey: dict[str, Any] = {"linestyle": "", "color": "0.3", "mfc": "white"}
    handles = [
        *(Line2D([], [], color=styles[m]["color"], linewidth=2, label=m) for m in OURS),
        *(Line2D([], [], marker=_MARKERS[r], label=f"over {r}", **grey) for r in RIVALS[:2]),
        Line2D([], [], **{**grey, "mfc": "0.3"}, marker="D", label="filled: significant (Holm)"),
    ]
    figure.suptitle(_power(table), fontsize="small")
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    return figure


FORESTS = {
    "accuracy-5": "Accuracy, Algorithm 5",
    "relative-error-test": "Relative error of test images",
}
_MARKERS = {EUC: "s", KL: "^"}


def _found(table, metric):
    """Lines of a title: where MahNMF, or the hybrid if it alone was run, is ahead of both rivals.

    Of data sets with more than a single split.
    """
    rows = select_rows(table, metric=metric, rival=list(RIVALS[:2]))
    rows = rows[rows["count"] > 1]
    found: dict[str, list[str]] = {}
    for (dataset, condition), here in rows.groupby(["dataset", "condition"], sort=False):
        method = next(method for method in OURS if (here["method"] == method).any())
        both = select_rows(here, method=method)
        for words, so in (("ahead of", both["low"] > 0), ("behind", both["high"] < 0)):
            if len(both) == 2 and so.all():
                line = f"{method} {words} both on {NAMES[dataset]}"
                found.setdefault(line, []).append(condition)
    return [f"{line}: {', '.join(conditions)}" for line, conditions in found.items()]


def _draw_one(axis, one, y, shift, color):
    if one["count"] > 1:
        axis.plot([one["low"], one["high"]], [y + shift] * 2, color=color, linewidth=1.3)
    fill = color if one["adjusted"] < ALPHA else "white"
    look = {"color": color, "mfc": fill, "markersize": 5, "linestyle": ""}
    (dot,) = axis.plot(one["mean"], y + shift, _MARKERS[one["rival"]], **look)
    attach_data(dot, [y], pd.DataFrame([one]), f"{one['method']} over {one['rival']}", "bars")


def scores(table):
    """All differences: the picture leaves out Algorithm 4, training images and PCA."""
    metrics = ACCURACIES | {
        "relative-error-train": "error, training images",
        "relative-error-test": "error, test images",
    }
    shown = table.sort_values(["dataset", "metric"], kind="stable")
    numbers = [
        f"{row.mean:.1f} [{row.low:.1f}, {row.high:.1f}]" if row.count > 1 else f"{row.mean:.1f}"
        for row in shown.itertuples(index=False)
    ]
    keys = ["data", "metric", "method", "rival"]
    rows = pd.DataFrame(
        {
            "data": shown["dataset"].map(NAMES),
            "metric": shown["metric"].map(metrics),
            "method": shown["method"].astype(str),
            "rival": shown["rival"].astype(str),
            "condition": shown["condition"].astype(str),
            "points": numbers,
        }
    )
    wide = rows.pivot(index=keys, columns="condition", values="points")
    return wide[[condition for condition in CONDITIONS if condition in wide]].reset_index()


def _power(table):
    """Say what the numbers of splits can decide."""
    words = []
    for dataset, rows in table.groupby("dataset", sort=False):
        splits = sorted(set(rows["count"]))
        few = rows[rows["smallest"] >= ALPHA]
        text = f"{NAMES[dataset]}: {' and '.join(f'{n:g}' for n in splits)} split"
        text += "s" if splits != [1] else ""
        if len(few) == len(rows):
            text += ", too few for any difference to be significant"
        elif len(few):
            text += f", too few in {len(few)} of {len(rows)} comparisons"
        words.append(text)
    family = int(table["family"].max())
    need = int(np.floor(1 + np.log2(family / ALPHA))) + 1
    return f"{'; '.join(words)}. With {family} comparisons in a family {need} splits can be enough."
