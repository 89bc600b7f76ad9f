"""One look for all figures: a method keeps its colour, marker and line in every panel."""

from __future__ import annotations

import itertools

import matplotlib as mpl
import seaborn as sns

__all__ = ["figure_style", "legend_below", "method_styles", "plot_band"]

_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
_LINES = ("-", "--", "-.", (0, (1, 1)))


def figure_style():
    """A context in which figures are drawn: sizes and grid, restored afterwards."""
    return mpl.rc_context(
        sns.axes_style("whitegrid")
        | sns.plotting_context("notebook", font_scale=0.85)
        | {"figure.constrained_layout.use": True, "savefig.dpi": 130, "legend.framealpha": 0.85}
    )


def method_styles(labels):
    """Keywords of ``plot`` for each label, told apart by colour, marker and line alike."""
    palette = [*sns.color_palette("colorblind", n_colors=10), (0.1, 0.1, 0.1)]
    cycle = zip(itertools.cycle(palette), itertools.cycle(_MARKERS), strict=False)
    return {
        label: {
            "color": color,
            "marker": marker,
            "markersize": 4.5,
            "linewidth": 1.5,
            "linestyle": _LINES[i // len(palette) % len(_LINES)],
        }
        for i, (label, (color, marker)) in enumerate(zip(labels, cycle, strict=False))
    }


def plot_band(axis, x, rows, label, style):
    """A curve of means with its interval as a band; ``rows`` has ``mean``, ``low``, ``high``."""
    axis.plot(x, rows["mean"], label=label, **style)
    axis.fill_between(x, rows["low"], rows["high"], color=style["color"], alpha=0.15, linewidth=0)


def legend_below(axis, columns=2):
    """A legend under the axis, where it hides no curve."""
    axis.legend(
        fontsize="small",
        loc="upper center",
        bbox_to_anchor=(0.5, -0.16),
        ncols=columns,
        frameon=False,
    )
