"""Pictures of a comparison: a few methods stand out in colour, the rest recede, all are named.

Each function takes a tidy table, computes no statistics, and returns a figure; ``highlight`` names
the methods that stand out. ``by`` names the column of the table that tells panels apart.
"""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import NullFormatter

from nmfbench.artefacts.drawn import attach_data
from nmfbench.artefacts.ranks import draw_ranks, height_of_ranks
from nmfbench.artefacts.style import figure_style
from nmfbench.comparison.labels import name_ends, name_points, standing_out

__all__ = [
    "draw_anytime",
    "draw_critical_difference",
    "draw_profile",
    "draw_quality_time",
    "draw_robustness",
]


def draw_critical_difference(table, highlight=()):
    """Mean ranks on a line, see :func:`nmfbench.artefacts.ranks.draw_ranks`, as a figure.

    Parameters
    ----------
    table : DataFrame
        Of :func:`nmfbench.stats.ranks.critical_difference`.
    highlight : sequence of str, default=()
    """
    styles = standing_out(table["method"], highlight)
    with figure_style():
        figure, axis = plt.subplots(figsize=(8.5, height_of_ranks(table)))
        strong = {name: styles[name]["color"] for name in highlight if name in styles}
        draw_ranks(axis, table, strong)
    return figure


def draw_profile(table, highlight=(), *, by=None, xlabel=None):
    """Performance or data profile: the share of problems solved, against a factor or a budget.

    Parameters
    ----------
    table : DataFrame
        Of :func:`nmfbench.stats.profiles.performance_profile` (a column ``ratio``) or
        :func:`nmfbench.stats.profiles.data_profile` (``budget``).
    highlight : sequence of str, default=()
    by : str, optional
    xlabel : str, optional
        By default for times.
    """
    name = "ratio" if "ratio" in table else "budget"
    default = {"ratio": "time, as a multiple of the fastest method's", "budget": "time (s)"}[name]

    def draw(axis, panel, styles):
        ends = {}
        for method, style in styles.items():
            curve = panel[panel["method"] == method]
            if not curve.empty:
                axis.step(curve[name], curve["share"], where="post", label=method, **style)
                ends[method] = tuple(curve[[name, "share"]].iloc[-1])
        axis.set(xscale="log", xlim=(panel[name].min(), panel[name].max()), ylim=(-0.015, 1.02))
        axis.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
        _plain_log(axis.xaxis)
        return dict(sorted(ends.items(), key=lambda item: -_mean_height(panel, item[0])))

    return _panels(table, highlight, by, draw, xlabel or default, "share of problems solved")


def _mean_height(panel, method):
    """So that curves with one end are named in the order in which they lie before it."""
    return panel.loc[panel["method"] == method, "share"].mean()


def draw_anytime(table, highlight=(), *, by=None, relative=True, floor=1e-4, xlabel="time (s)"):
    """The best objective so far against time: medians over repeats, with quartiles as bands.

    Parameters
    ----------
    table : DataFrame
        Of :func:`nmfbench.stats.profiles.anytime_curves`.
    highlight : sequence of str, default=()
        Only these have bands, unless there are six methods or fewer.
    by : str, optional
    relative : bool, default=True
        The values are multiples of the best objective known: draw by how much they exceed it.
    floor : float, default=1e-4
        Where the axis of a relative excess ends; what is smaller lies there.
    xlabel : str, default="time (s)"
    """
    clock = next(name for name in ("seconds", "cpu_seconds", "iteration") if name in table)

    def height(values):
        return np.maximum(values - 1, floor) if relative else values

    def draw(axis, panel, styles):
        ends = {}
        for method, style in styles.items():
            curve = panel[panel["method"] == method]
            if curve.empty:
                continue
            middle, low, high = (height(curve[name]) for name in ("median", "low", "high"))
            (line,) = axis.plot(curve[clock], middle, **style)
            banded = method in highlight or len(styles) <= 6
            if banded:
                axis.fill_between(
                    curve[clock], low, high, color=style["color"], alpha=0.15, linewidth=0
                )
            shown = curve.assign(mean=middle, low=low, high=high)
            attach_data(line, curve[clock], shown, method, "band" * banded)
            ends[method] = (curve[clock].iloc[-1], height(curve["median"].iloc[-1]))
        axis.set(xscale="log", yscale="log", xlim=(panel[clock].min(), panel[clock].max()))
        if relative:
            axis.set_ylim(0.8 * floor, None)
            axis.yaxis.set_major_formatter(
                lambda y, _: ("≤ " if y <= floor else "") + f"{100 * y:g} %"
            )
        _plain_log(axis.xaxis)
        return ends

    what = "objective above the best known" if relative else "objective"
    return _panels(table, highlight, by, draw, xlabel, what)


def draw_robustness(
    table,
    highlight=(),
    *,
    by=None,
    breakdown=None,
    cut_above=False,
    xlabel="level",
    ylabel="score",
):
    """Scores against the level of a corruption, and where each method breaks down.

    Parameters
    ----------
    table : DataFrame
        Columns ``method``, ``level``, ``mean``, ``low``, ``high`` and ``by``.
    highlight : sequence of str, default=()
        Only these have bands, unless there are six methods or fewer.
    by : str, optional
        Such as the corruption.
    breakdown : DataFrame, optional
        Of :func:`nmfbench.stats.breakdown.breakdown_levels`: a triangle on the curve.
    cut_above : bool, default=False
        Of many methods let those leave the panel at the top that lie far above the rest, as an
        error without bound may.
    xlabel, ylabel : str
    """
    # Noise may bring all methods down to chance: they are named where they differ more.
    ordered = table.sort_values("level", kind="stable")
    curves = ordered.groupby(["method"] if by is None else [by, "method"], observed=True)["mean"]
    side = "left" if curves.first().std() > curves.last().std() else "right"

    def draw(axis, panel, styles):
        ends = {}
        for method, style in styles.items():
            curve = panel[panel["method"] == method].sort_values("level")
            if curve.empty:
                continue
            (line,) = axis.plot(curve["level"], curve["mean"], **style)
            banded = method in highlight or len(styles) <= 6
            attach_data(line, curve["level"], curve, method, "band" * banded)
            if banded:
                axis.fill_between(
                    curve["level"],
                    curve["low"],
                    curve["high"],
                    color=style["color"],
                    alpha=0.15,
                    linewidth=0,
                )
            for level in _breakdown_of(breakdown, method, by, panel):
                at = np.interp(level, curve["level"], curve["mean"])
                size = 10 if method in highlight else 6
                look = {"color": style["color"], "markeredgecolor": "white"}
                axis.plot(level, at, "v", markersize=size, zorder=style["zorder"] + 0.5, **look)
            ends[method] = tuple(curve[["level", "mean"]].iloc[0 if side == "left" else -1])
        axis.set_xlim(panel["level"].min(), panel["level"].max())
        axis.margins(y=0.03)
        kept = panel["method"].isin(highlight)
        if cut_above and (top := _top(panel["mean"], kept, len(ends))) is not None:
            low = panel["mean"].min()
            axis.set_ylim(low - 0.03 * (top - low), top)
        return ends

    def name(axis, ends, styles):
        name_ends(axis, ends, styles, side=side)

    return _panels(table, highlight, by, draw, xlabel, ylabel, name=name)


_MANY = 10  # methods, up to which all of every curve is shown


def _top(values, kept, methods):
    """The upper limit of an axis without what lies beyond the outer fence (Tukey 1977)."""
    if methods <= _MANY:
        return None
    low, high = np.quantile(values, [0.25, 0.75])
    shown = values[kept | (values <= high + 3 * (high - low))]
    if len(shown) == len(values):
        return None
    return shown.max() + 0.03 * (shown.max() - values.min())


def _breakdown_of(breakdown, method, by, panel):
    if breakdown is None:
        return []
    rows = breakdown[breakdown["method"] == method]
    if by is not None:
        rows = rows[rows[by] == panel[by].iloc[0]]
    return rows.loc[np.isfinite(rows["level"]), "level"]


def draw_quality_time(
    table,
    highlight=(),
    *,
    by=None,
    score="score",
    named=None,
    cut_above=False,
    xlabel="time (s)",
    ylabel=None,
):
    """Score against seconds, one point per method, with the Pareto front.

    Parameters
    ----------
    table : DataFrame
        Columns ``method``, ``seconds``, the score, ``front`` (of
        :func:`nmfbench.stats.profiles.pareto_front`) and ``by``.
    highlight : sequence of str, default=()
    by : str, optional
    score : str, default="score"
    named : container of str, optional
        Methods whose names stand beside their points; by default all.
    cut_above : bool, default=False
        Of many methods mark those by an arrow at the top that lie far above the rest.
    xlabel, ylabel : str, optional
        By default the name of the score.
    """

    fronts = {}

    def draw(axis, panel, styles):
        front = panel[panel["front"]].sort_values("seconds")
        kept = panel["front"] | panel["method"].isin(highlight)
        top = _top(panel[score], kept, len(panel)) if cut_above else None
        above = panel[score] > (np.inf if top is None else top)
        panel = panel.assign(**{score: panel[score].clip(upper=top)})
        for _, row in panel.iterrows():
            strong = row["method"] in highlight
            color = styles[row["method"]]["color"] if strong else "0.2" if row["front"] else "0.6"
            (dot,) = axis.plot(
                row["seconds"],
                row[score],
                "^" if above[row.name] else "o",
                color=color,
                markersize=11 if strong else 6,
                markeredgecolor="white",
                zorder=4 if strong else 3,
            )
            attach_data(dot, [row["seconds"]], pd.DataFrame([{"mean": row[score]}]), row["method"])
        axis.set_xscale("log")
        axis.margins(0.12)
        _plain_log(axis.xaxis)
        # The best score to be had by each time: it holds until the next method does better.
        x = [*front["seconds"], axis.get_xlim()[1]]
        y = [*front[score], front[score].iloc[-1]]
        axis.step(x, y, where="post", color="0.8", linewidth=2.5, zorder=1)
        axis.set_xlim(axis.get_xlim()[0], x[-1])
        fronts[axis] = np.column_stack([np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]])
        weight = panel["method"].isin(highlight) * 2 + panel["front"]
        order = panel.loc[weight.sort_values(ascending=False, kind="stable").index]
        if named is not None:
            order = order[order["method"].isin(named)]
        return {row["method"]: (row["seconds"], row[score]) for _, row in order.iterrows()}

    def name(axis, points, styles):
        name_points(axis, points, styles, avoid=fronts[axis])

    return _panels(table, highlight, by, draw, xlabel, ylabel or score, name=name)


# -- shared -----------------------------------------------------------------------------------


def _panels(table, highlight, by, draw, xlabel, ylabel, *, name=name_ends):
    """A panel for each value of ``by``, at most two in a row, drawn by ``draw`` and named."""
    panels = [(None, table)] if by is None else list(table.groupby(by, sort=False, observed=True))
    columns = min(len(panels), 2)
    rows = math.ceil(len(panels) / columns)
    methods = table["method"].nunique()
    height = 3.6 if methods <= _MANY else max(4.8, 0.125 * methods)  # room for the names
    size = (6.8 * columns, height * rows)
    styles = standing_out(table["method"], highlight)
    with figure_style(), plt.rc_context({"grid.color": "0.9", "grid.linewidth": 0.8}):
        figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False)
        found = []
        for axis, (title, panel) in zip(axes.flat, panels, strict=False):
            found.append((axis, draw(axis, panel, styles)))
            axis.set(xlabel=xlabel, title="" if title is None else str(title))
        for axis in axes.flat[len(panels) :]:
            axis.set_axis_off()
        for axis in axes[:, 0]:
            axis.set_ylabel(ylabel)
        figure.draw_without_rendering()  # the places of names depend on the layout
        for axis, ends in found:
            name(axis, ends, styles)
    return figure


def _plain_log(axis):
    """Ticks of a logarithmic axis as plain numbers: 0.01, 1, 100."""
    axis.set_major_formatter(lambda value, _: f"{value:g}")
    low, high = axis.get_view_interval()
    if high > 30 * low:
        axis.set_minor_formatter(NullFormatter())
    else:
        few = high > 4 * low  # decades apart: all of them would overlap
        axis.set_minor_formatter(
            lambda value, _: f"{value:g}" if not few or f"{value:e}"[0] in "235" else ""
        )
