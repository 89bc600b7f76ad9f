"""Critical-difference diagram: mean ranks on a line, with bars over methods that do not differ."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
from matplotlib.ticker import MaxNLocator

__all__ = ["draw_ranks", "height_of_ranks"]

_TESTS = {
    "nemenyi": "Nemenyi",
    "wilcoxon-holm": "Wilcoxon and Holm",
    "bootstrap": "bootstrap over groups of tasks",
}
_ROW, _BAR = 0.2, 0.085  # inches from name to name, and from bar to bar


@dataclass(frozen=True)
class _Layout:
    """Places in inches, downwards from the line of ranks, and ends of that line."""

    rows: int
    top: float
    bottom: float
    above: float
    left: int
    right: int


def _layout(table):
    bars = len(_letters(table))
    rows = math.ceil(len(table) / 2)
    top = 0.14 + _BAR * bars + 0.12
    gap = table["critical_difference"].iloc[0]
    left, right = math.floor(table["mean_rank"].min()), math.ceil(table["mean_rank"].max())
    right = max(right, left + 1, math.ceil(left + gap) if gap > 0 else 0)
    return _Layout(rows, top, top + _ROW * (rows - 1), 0.62 if gap > 0 else 0.3, left, right)


def _letters(table):
    return list(dict.fromkeys("".join(table["groups"])))


def height_of_ranks(table: pd.DataFrame) -> float:
    """Inches that the diagram takes, with the line of text below."""
    layout = _layout(table)
    return layout.above + layout.bottom + 0.55


def draw_ranks(axis, table: pd.DataFrame, strong: Mapping[str, object] | None = None) -> None:
    """Mean ranks on a line, the best to the left; bars join methods that do not differ.

    Parameters
    ----------
    axis : matplotlib axis
        Some eight inches wide, and :func:`height_of_ranks` high.
    table : DataFrame
        Of :func:`nmfbench.stats.ranks.critical_difference`.
    strong : mapping, optional
        Methods that stand out, with their colours.

    References
    ----------
    Demšar (2006), Figure 1.
    """
    strong = strong or {}
    table = table.sort_values("mean_rank", kind="stable").reset_index(drop=True)
    first, k, at = table.iloc[0], len(table), _layout(table)
    members = [table["groups"].str.contains(letter, regex=False) for letter in _letters(table)]
    bars = [table.loc[inside, "mean_rank"].agg(["min", "max"]) for inside in members]
    gap, left, right = first["critical_difference"], at.left, at.right

    axis.set(xlim=(left, right), ylim=(at.bottom + 0.1, -at.above), xticks=[], yticks=[])
    axis.spines[:].set_visible(False)
    axis.plot([left, right], [0, 0], color="0.2", linewidth=1.2, clip_on=False)
    for tick in MaxNLocator(10, integer=True).tick_values(left, right):
        if left <= tick <= right:
            axis.plot([tick, tick], [0, -0.06], color="0.2", linewidth=1)
            axis.text(tick, -0.08, f"{tick:g}", ha="center", va="bottom", fontsize=8.5)
    if gap > 0:
        y = -0.42
        axis.plot([left, left + gap], [y, y], color="0.2", linewidth=1.4, marker="|", ms=7)
        text = f"critical difference {gap:.2f}"
        axis.text(left + gap / 2, y - 0.05, text, ha="center", va="bottom", fontsize=8.5)
    span = right - left
    for i, (low, high) in enumerate(bars):
        y = 0.14 + _BAR * i
        ends = [low - 0.004 * span, high + 0.004 * span]
        axis.plot(ends, [y, y], color="0.15", linewidth=3.2, solid_capstyle="butt", zorder=4)
    for i, method, rank in table[["method", "mean_rank"]].itertuples():
        on_left = i < at.rows
        y = at.top + _ROW * (i if on_left else k - 1 - i)
        sign = -1 if on_left else 1
        edge = (left if on_left else right) + 0.02 * sign * span
        axis.plot(
            [rank, rank, edge],
            [0, y, y],
            color=strong.get(method, "0.45"),
            linewidth=2.2 if method in strong else 0.8,
            zorder=3 if method in strong else 2,
            clip_on=False,
        )
        axis.annotate(
            f"{method}  {rank:.2f}" if on_left else f"{rank:.2f}  {method}",
            (edge, y),
            xytext=(4 * sign, 0),
            annotation_clip=False,
            textcoords="offset points",
            ha="right" if on_left else "left",
            va="center_baseline",
            color=strong.get(method, "0.2"),
            weight="bold" if method in strong else "normal",
            fontsize=9,
        )
    axis.set_xlabel(_how_told_apart(first, bool(bars)), fontsize=8.5, color="0.3")


def _how_told_apart(first, joined):
    """The line under a diagram: which test, at what level, on how many tasks."""
    tasks = f"{first['n_tasks']} task{'' if first['n_tasks'] == 1 else 's'}"
    text = f"mean ranks over {tasks}, the best to the left"
    p, alpha = first["friedman_p"], first["alpha"]
    if p >= alpha:
        return f"{text}; no difference found (Friedman p = {p:.2g})"
    found = "" if math.isnan(p) else f"Friedman p {f'= {p:.1g}' if p > 1e-4 else '< 0.0001'}; "
    test = f"{_TESTS[first['post_hoc']]}, level {alpha:g}"
    bars = "bars join methods not found to differ" if joined else "all differ"
    return f"{text}; {found}{bars} ({test})"
