"""What Figures 3 and 4 share: the grid over noise levels, the summary and the picture."""

from __future__ import annotations

import matplotlib.pyplot as plt

from nmfbench.artefacts.style import legend_below, method_styles, plot_band
from nmfbench.engine.trials import Trial
from nmfbench.problems.recovery import SMALL
from nmfbench.stats.intervals import mean_and_interval

__all__ = ["draw_curves", "grid", "summarise"]

METRIC = "anchor-recovery"

FULL = {"n_samples": 210, "n_features": 200, "n_components": 20}


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
            dataset_params=SMALL if smoke else {},
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
    """Mean recovery, its 95 % t interval over repeats, and the recovery of a random choice.

    The starts of one repeat share its data, so they are averaged before the interval.
    """
    keys = ["corruption", "method", "level"]
    sizes = records["dataset_params"].map(lambda params: FULL | params)
    chance = sizes.map(lambda size: size["n_components"] / size["n_samples"]).mean()
    per_repeat = records.groupby([*keys, "repeat"], observed=True)[METRIC].mean()
    table = mean_and_interval(per_repeat.groupby(keys, observed=True))
    table["low"], table["high"] = table["low"].clip(lower=0), table["high"].clip(upper=1)
    return table.assign(chance=chance)


def draw_curves(table, methods, panels, *, xlabel):
    """Curves with bands: recovery against the level of the noise.

    Parameters
    ----------
    table : DataFrame
        As :func:`summarise` gives it.
    methods : sequence of Method
        All of the figure's, so that each keeps its look in every panel.
    panels : sequence of (title, corruption, labels)
        Which methods each panel shows.
    xlabel : dict of str to str
        By corruption.
    """
    figure, axes = plt.subplots(
        1, len(panels), figsize=(5.6 * len(panels), 5.2), sharey=True, squeeze=False
    )
    styles = method_styles([method.label for method in methods])
    for axis, (title, corruption, labels) in zip(axes[0], panels, strict=True):
        for label in labels:
            rows = table[(table["corruption"] == corruption) & (table["method"] == label)]
            if rows.empty:
                continue
            plot_band(axis, rows["level"], rows, label, styles[label])
        axis.axhline(
            table["chance"].iloc[0],
            color="0.6",
            linewidth=0.8,
            linestyle=":",
            label="random choice",
        )
        axis.set(title=title, xlabel=xlabel[corruption], ylim=(0, 1.03))
        legend_below(axis)
    axes[0, 0].set_ylabel("fraction of anchors recovered")
    return figure
