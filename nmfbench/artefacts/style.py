"""One look for all figures: a method keeps its colour, marker and line in every panel."""

from __future__ import annotations

import io
import itertools
import math

import matplotlib as mpl
import numpy as np
import seaborn as sns
from PIL import Image

from nmfbench.artefacts.drawn import remember

__all__ = [
    "figure_style",
    "legend_below",
    "method_styles",
    "plot_band",
    "save_picture",
    "show_images",
]

_COLOURS = 128  # of a picture, shades at the edges of lines among them
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
    (line,) = axis.plot(x, rows["mean"], label=label, **style)
    remember(line, x, rows, interval="band")
    axis.fill_between(x, rows["low"], rows["high"], color=style["color"], alpha=0.15, linewidth=0)


def save_picture(figure, file, **how) -> None:
    """Write a figure as PNG of few colours, which takes half the room and looks the same.

    There is no software version or date in it: the same records give the same bytes.

    Parameters
    ----------
    figure : matplotlib figure
    file : path-like or file object
    **how
        Further keywords of ``savefig``.
    """
    png = io.BytesIO()
    figure.savefig(png, format="png", **how)
    with Image.open(png) as picture:
        few = picture.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
    few.save(file, "PNG")


def legend_below(axis, columns=2):
    """A legend under the axis, where it hides no curve."""
    axis.legend(
        fontsize="small",
        loc="upper center",
        bbox_to_anchor=(0.5, -0.16),
        ncols=columns,
        frameon=False,
    )


def show_images(axis, images, *, white=255, above=None, below=None):
    """A row of grey images, with small texts above and below each.

    Parameters
    ----------
    axis : matplotlib axis
    images : sequence of sequence of int
        Pixels of square images, row by row, with 0 black. What is no sequence, such as NaN,
        leaves a gap.
    white : float, default=255
        From this value on a pixel is white.
    above, below : sequence of str, optional
        One for each image.
    """
    sides = [math.isqrt(len(image)) for image in images if not np.isscalar(image)]
    side = max(sides, default=1)
    gap = np.full((side, 2), np.nan)
    tiles = []
    for image in images:
        tile = np.full((side, side), np.nan) if np.isscalar(image) else image
        tiles += [np.reshape(tile, (side, side)), gap]
    axis.imshow(np.hstack(tiles[:-1]), cmap="gray", vmin=0, vmax=white, interpolation="nearest")
    axis.set(xticks=[], yticks=[])
    axis.grid(False)
    axis.spines[:].set_visible(False)
    for texts, place, align in ((above, -2, "bottom"), (below, side + 1, "top")):
        for k, text in enumerate(texts or ()):
            x = k * (side + 2) + side / 2
            axis.text(x, place, text, ha="center", va=align, fontsize="x-small")
