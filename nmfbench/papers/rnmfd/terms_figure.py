"""Drawing of what each term of RNMFD buys."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.grids import CLEAN
from nmfbench.artefacts.plots import Curves
from nmfbench.papers.rnmfd.sets import (
    SETS,
)
from nmfbench.papers.rnmfd.terms import ALL, CHANCE, NCUTS, NMF, POINTS, SHOWN, TITLES
from nmfbench.problems.noise import NOISES

_CURVES = Curves(
    x="dose",
    labels=[m.label for m in SHOWN],
    row="dataset",
    rows={name: f"{images.label}\nAC (%)" for name, images in SETS.items()},
    column="noise",
    columns=TITLES,
    xlabel={name: NOISES[name].axis for name in TITLES},
    dotted=CHANCE,
    banded=(ALL, NCUTS, NMF),  # bands of all would hide one another
    ylim=(0, None),
)
_SPAN = 30  # points at which colours end
_WIDE = 15  # cells in a row, from which on names of sets stand upright


def draw(table):
    """Accuracy against the dose, one row per data set; below, what leaving a term out changes."""
    levels = select_rows(table, part="level", metric=POINTS)
    noisy, clean = levels[levels["noise"] != CLEAN], select_rows(levels, noise=CLEAN)
    curves = noisy[["dataset", "noise", "method"]].drop_duplicates()
    starts = clean.drop(columns="noise").merge(curves, on=["dataset", "method"])
    heights = [2.3 * noisy["dataset"].nunique() + 0.9, 4.6]
    figure = plt.figure(figsize=(12.5, sum(heights)))
    parts: Any = figure.subfigures(2, 1, height_ratios=heights)
    above, below = parts
    if len(noisy):
        _CURVES.draw_in(above, pd.concat([starts, noisy]))
    effects = select_rows(table, part="effect")
    if len(effects):
        _draw_effects(below, effects)
    return figure


def _draw_effects(figure, effects):
    """A table of coloured cells for each condition: methods by sets, minus RNMFD."""
    figure.suptitle(
        f"AC minus that of {ALL}, in points, over all levels "
        "(bold: the 95 % interval excludes 0; grey: not run)"
    )
    labels = [m.label for m in SHOWN if m.label in set(effects["method"])]
    conditions = [name for name in (CLEAN, *TITLES) if name in set(effects["noise"])]
    run = {c: set(effects.loc[effects["noise"] == c, "dataset"]) for c in conditions}
    shown = [[name for name in SETS if name in run[c]] for c in conditions]
    widths = [len(names) for names in shown]
    axes = figure.subplots(1, len(conditions), sharey=True, squeeze=False, width_ratios=widths)[0]
    for condition, names, axis in zip(conditions, shown, axes, strict=True):
        rows = select_rows(effects, noise=condition)
        means = rows.pivot(index="method", columns="dataset", values="mean")
        means = means.reindex(index=labels, columns=names)
        axis.set_facecolor("0.88")  # of cells without a trial
        axis.imshow(means, cmap="RdBu", vmin=-_SPAN, vmax=_SPAN, aspect="auto")
        for row in rows.to_dict("records"):
            sure = row["count"] > 1 and (row["low"] > 0 or row["high"] < 0)
            axis.text(
                names.index(row["dataset"]),
                labels.index(row["method"]),
                _signed(row["mean"]),
                ha="center",
                va="center",
                fontsize="small",
                fontweight="bold" if sure else "normal",
                color="white" if abs(row["mean"]) > 0.6 * _SPAN else "0.1",
            )
        axis.set_title(TITLES.get(condition, condition))
        turn = 90 if sum(map(len, shown)) > _WIDE else 0
        axis.set_xticks(range(len(names)), [SETS[name].label for name in names], rotation=turn)
        axis.set_yticks(range(len(labels)), labels)
        axis.grid(False)


def _signed(points):
    """Whole points with their sign, and 0 without."""
    whole = round(points)
    return f"{whole:+d}".replace("-", "\N{MINUS SIGN}") if whole else "0"
