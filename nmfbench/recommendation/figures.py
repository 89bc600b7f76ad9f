"""Pictures of a recommendation, from the document that ``nmfbench recommend --json`` prints."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from nmfbench.artefacts.drawn import attach_data
from nmfbench.artefacts.style import figure_style
from nmfbench.comparison.labels import name_ends, standing_out

__all__ = [
    "draw_codes",
    "draw_components",
    "draw_elbow",
    "draw_outliers",
    "draw_race",
    "draw_ranks",
    "draw_residuals",
]

_SIZE = 6.4, 3.8
_BLOCKS, _CELLS, _MARK = "#0173b2", "#de8f05", "#d55e00"
_TILES = 8  # components in a row


def _axis(size=_SIZE):
    with figure_style():
        return plt.subplots(figsize=size)


def draw_ranks(rank):
    """Log density of held-out entries by rank, with intervals, by blocks and by single entries.

    Parameters
    ----------
    rank : dict
        Of the document.
    """
    figure, axis = _axis()
    for rows, label, color in (
        (rank["curve"], "blocks of entries", _BLOCKS),
        ((rank["by_cells"] or {}).get("curve", []), "entries at random", _CELLS),
    ):
        if not rows:
            continue
        table = pd.DataFrame(rows).astype(float)
        score = -table["behind"]
        (line,) = axis.plot(table["rank"], score, "o-", color=color, label=label, markersize=4)
        shown = table.assign(mean=score, low=-table["high"], high=-table["low"])
        axis.vlines(table["rank"], shown["low"], shown["high"], color=color, alpha=0.45)
        attach_data(line, table["rank"], shown.assign(count=table["folds"]), label, "bars")
    _mark(axis, rank["by_blocks"])
    # Intervals of ranks far behind would leave no room for the others.
    scores = [-row["behind"] for row in rank["curve"] if row["behind"] is not None]
    low = min(scores, default=-1.0)
    axis.set_ylim(1.15 * low if low < 0 else None, max(0.05, 0.25 * -low))
    axis.set(
        xlabel="rank (logarithmic scale)",
        ylabel="log density of a held-out entry:\nhow far from the best",
    )
    axis.legend(loc="lower right")
    return figure


def draw_elbow(rank):
    """Residuals of the entries that were fitted, by rank: the elbow."""
    figure, axis = _axis()
    table = pd.DataFrame(rank["curve"]).astype(float)
    axis.plot(table["rank"], table["training"], "o-", color="0.35", label="training entries")
    _mark(axis, rank["by_blocks"])
    axis.set(xlabel="rank", ylabel="size of the residuals", yscale="log")
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.yaxis.set_minor_formatter(lambda value, _: f"{value:g}")
    axis.legend(loc="upper right")
    return figure


def _mark(axis, rank):
    axis.axvline(rank, color=_MARK, linestyle=":", label=f"recommended: {rank}")
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(MaxNLocator(8, integer=True, steps=[1, 2, 5, 10]))
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.xaxis.set_minor_locator(plt.NullLocator())


def draw_residuals(residuals):
    """Sizes of residuals by prediction, beside the slopes of the noise models."""
    figure, axis = _axis()
    table = pd.DataFrame(residuals["bins"]).astype(float)
    table = table[(table > 0).all(axis=1)]
    for column, label, marker in (("upper", "90 % quantile", "^"), ("median", "median", "o")):
        axis.plot(
            table["prediction"], table[column], f"{marker}-", color=_BLOCKS, label=label,
            alpha=1.0 if column == "median" else 0.5,
        )  # fmt: skip
    middle = len(table) // 2
    x0, y0 = table["prediction"].iloc[middle], table["median"].iloc[middle]
    x = np.array([table["prediction"].min(), table["prediction"].max()])
    for power, label, style in (
        (0.0, "of one size", ":"),
        (0.5, "counts", "--"),
        (1.0, "a share of the entry", "-."),
    ):
        axis.plot(x, y0 * (x / x0) ** power, style, color="0.5", label=label, linewidth=1.2)
    axis.set(xscale="log", yscale="log", xlabel="prediction", ylabel="absolute residual")
    for one in (axis.xaxis, axis.yaxis):
        one.set_major_formatter(lambda value, _: f"{value:g}")
        one.set_minor_formatter(lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else "")
    axis.legend(loc="upper left", fontsize="small", ncols=2)
    return figure


def draw_outliers(places, shape):
    """Rows and columns of entries far from the fit.

    Parameters
    ----------
    places : ndarray of shape (n, 2)
    shape : (int, int)
    """
    figure, axis = _axis()
    axis.plot(places[:, 1], places[:, 0], ".", color=_MARK, label="outliers", markersize=4)
    axis.set(xlabel="column", ylabel="row", xlim=(-0.5, shape[1] - 0.5), ylim=(shape[0] - 0.5, -1))
    return figure


def draw_race(race, level):
    """Error of held-out entries against seconds, round by round, with intervals.

    Parameters
    ----------
    race : list of dict
        Rows of the race.
    level : list of str
        Solvers that cannot be distinguished from the best.
    """
    figure, axis = _axis()
    styles = standing_out([row["solver"] for row in race], level[:5])
    with figure_style():
        ends = {}
        for row in race:
            table = pd.DataFrame(row["curve"]).astype(float)
            x = np.maximum(table["seconds"], 1e-6)
            style = styles[row["solver"]]
            (line,) = axis.plot(x, table["error"], marker="o", markersize=3, **style)
            shown = table.assign(mean=table["error"], count=np.nan)
            attach_data(line, x, shown, row["solver"], "bars")
            axis.vlines(x, table["low"], table["high"], color=style["color"], alpha=0.35)
            ends[row["solver"]] = x.iloc[-1], table["error"].iloc[-1]
        worst = max(min(point["error"] for point in row["curve"]) for row in race)
        axis.set(xscale="log", ylim=(0.95, max(1.1, 1.1 * min(worst, 3.0))))
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axis.axhline(1.01, color="0.6", linestyle=":", linewidth=1)
        axis.set(xlabel="CPU seconds", ylabel="held-out error, as a ratio to the best")
        figure.draw_without_rendering()
        name_ends(axis, ends, styles)
    return figure


def draw_components(H, image_shape):
    """Components as pictures."""
    count = len(H)
    columns = min(count, _TILES)
    rows = math.ceil(count / columns)
    with figure_style():
        figure, axes = plt.subplots(
            rows, columns, figsize=(1.25 * columns, 1.45 * rows), squeeze=False
        )
        for axis in axes.flat:
            axis.set_axis_off()
        for k, (axis, component) in enumerate(zip(axes.flat, H, strict=False)):
            axis.imshow(component.reshape(image_shape), cmap="gray", interpolation="nearest")
            axis.set_title(str(k + 1), fontsize="small")
    return figure


def draw_codes(codes):
    """Shares of the components in the samples, which are sorted by their strongest component.

    Parameters
    ----------
    codes : ndarray of shape (n_samples, r)
        Rows with the sum 1.
    """
    strongest = codes.argmax(axis=1)
    order = np.lexsort((-codes.max(axis=1), strongest))
    figure, axis = _axis((6.4, 2.2 + 0.12 * min(codes.shape[1], 30)))
    image = axis.imshow(
        codes[order].T, aspect="auto", cmap="viridis", vmin=0, vmax=1, interpolation="nearest"
    )
    axis.set(xlabel="samples, by their strongest component", ylabel="component")
    places = np.unique(np.linspace(0, codes.shape[1] - 1, min(codes.shape[1], 10)).astype(int))
    axis.set_yticks(places, [str(k + 1) for k in places])
    axis.grid(False)
    figure.colorbar(image, ax=axis, label="share")
    return figure
