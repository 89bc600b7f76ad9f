"""What Figures 3 and 4 share: the grid over noise levels, the summary and the picture."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

from nmfbench.report.style import method_styles
from nmfbench.trials import Trial

__all__ = ["draw_curves", "grid", "summarise"]

METRIC = "anchor-recovery"

_SMOKE = {"n_samples": 40, "n_features": 30, "n_components": 4}


def grid(methods, corruption, levels, repeats, *, starts=None, smoke=False):
    """Trials of every method at every level and repeat.

    Parameters
    ----------
    methods : sequence of Method
    corruption : str
    levels : sequence of float
    repeats : int
    starts : dict of str to int, optional
        Draws of the random vector p per data set, by method label; by default 1.
    smoke : bool, default=False
        Small matrices instead of the paper's 200 x 210 with 20 anchors.
    """
    return [
        Trial(
            task="recovery",
            dataset="near-separable",
            dataset_params=_SMOKE if smoke else {},
            corruption=corruption,
            level=level,
            solver=method.solver,
            params=method.params,
            repeat=repeat,
            start=start,
        )
        for level in levels
        for repeat in range(repeats)
        for method in methods
        for start in range((starts or {}).get(method.label, 1))
    ]


def summarise(records):
    """Mean recovery and its 95 % t interval over repeats, for each corruption, method, level.

    The starts of one repeat share its data, so they are averaged before the interval.
    """
    keys = ["corruption", "method", "level"]
    per_repeat = records.groupby([*keys, "repeat"], observed=True)[METRIC].mean()
    groups = per_repeat.groupby(keys, observed=True)
    table = groups.agg(["mean", "std", "count"]).reset_index()
    enough = table["count"].clip(lower=2)
    half = stats.t.ppf(0.975, enough - 1) * table["std"].fillna(0) / np.sqrt(enough)
    table["low"], table["high"] = (
        (table["mean"] - half).clip(0),
        (table["mean"] + half).clip(upper=1),
    )
    return table


def draw_curves(table, panels, *, xlabel, chance):
    """Curves with bands: recovery against the level of the noise.

    Parameters
    ----------
    table : DataFrame
        As :func:`summarise` gives it.
    panels : sequence of (title, corruption, labels)
        Which methods each panel shows.
    xlabel : dict of str to str
        By corruption.
    chance : float
        Recovery of a random choice, drawn as a line.
    """
    figure, axes = plt.subplots(
        1, len(panels), figsize=(5.6 * len(panels), 4.2), sharey=True, squeeze=False
    )
    for axis, (title, corruption, labels) in zip(axes[0], panels, strict=True):
        styles = method_styles(labels)
        for label in labels:
            rows = table[(table["corruption"] == corruption) & (table["method"] == label)]
            if rows.empty:
                continue
            axis.plot(rows["level"], rows["mean"], label=label, **styles[label])
            axis.fill_between(
                rows["level"],
                rows["low"],
                rows["high"],
                color=styles[label]["color"],
                alpha=0.15,
                linewidth=0,
            )
        axis.axhline(chance, color="0.6", linewidth=0.8, linestyle=":", label="random choice")
        axis.set(title=title, xlabel=xlabel[corruption], ylim=(0, 1.03))
        axis.legend(fontsize="small", loc="best")
    axes[0, 0].set_ylabel("fraction of anchors recovered")
    return figure
