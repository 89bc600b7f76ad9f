"""One look for all figures: a method keeps its colour, marker and line in every panel."""

from __future__ import annotations

import io
import itertools
import math

import matplotlib as mpl
import numpy as np
import seaborn as sns
from PIL import Image

from nmfbench.artefacts.drawn import attach_data

__all__ = [
    "category_styles",
    "figure_style",
    "legend_below",
    "method_styles",
    "plot_band",
    "save_photographs",
    "save_picture",
    "show_images",
    "shows_photographs",
]

_COLOURS = 64  # of a picture, shades at the edges of lines among them
_QUALITY = 72  # of 100, of a picture of photographs: its letters are as sharp as before
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
_LINES = (
    "-",
    (0, (5, 1.5)),
    (0, (5, 1.2, 1, 1.2)),
    (0, (1.2, 1)),
    (0, (8, 1.5, 1, 1.5, 1, 1.5)),
    (0, (2.5, 1)),
)

_LOOKS = {
    "#0173b2": (
        ("RobustXRAY", "RobustXRAY (fixed first anchor)", "RobustXRAY (rand)"),
        ("OR-NMF", "OR-NMF, θ₀ = 0.01", "OR-NMF (length known)"),
        ("OR-NMF-IS",),
        ("RNMFD", "RNMFD, Eq. (17)", "RNMFD, exponent 1/4"),
    ),
    "#de8f05": (
        ("EucNMF",),
        ("EucNMF-GS", "EucNMF-GS, α = 0", "EucNMF-GS, p = 2"),
        ("symmetric EucNMF", "symmetric EucNMF, r = k"),
        ("XRAY-l2", "XRAY-l2 (rand)"),
        ("MOR-NMF", "MOR-NMF, 100 samples"),
        ("NMF", "NMF of the clean images"),
        ("MahNMF (RRI, sorting)",),
        ("NSDR",),
    ),
    "#029e73": (
        ("KLNMF",),
        ("FLSS",),
        ("SPA", "SPA (normalised)"),
        ("WOR-NMF", "WOR-NMF, 20 chunks"),
        ("robust NMF",),
        ("K-means", "K-means of rows of V", "K-means of F and P", "K-means of F"),
        ("OR-NMF-IS, θ₀ = 0.01",),
        ("LNMF",),
        ("DRCC",),
    ),
    "#c8500a": (
        (
            "MahNMF (OGM)",
            "MahNMF (OGM), μ = 1",
            "MahNMF (OGM), μ = 0.5",
            "MahNMF (OGM), μ = 0.1",
            "MahNMF (OGM), μ = 0.05",
            "MahNMF (OGM), μ = 0.01",
        ),
        ("OMF", "OMF, one sweep", "OMF, forget 0.99", "OMF, forget 0.9"),
        ("MahNMF-SYM", "MahNMF-SYM, r = k", "MahNMF-SYM, r = k, argmax"),
        ("XRAY-IS", "XRAY-IS (rand)"),
        ("ANP", "ANP, best on the test"),
        ("RNMFD without orthogonality",),
        ("OR-NMF-IS, θ₀ = 0.01, M∗ of each step",),
    ),
    "#8a5bb8": (
        ("MahNMF (hybrid)",),
        ("MahNMF-GS", "MahNMF-GS, no cap", "MahNMF-GS, p = 2", "MahNMF-GS, penalty"),
        ("Hottopixx (exact)", "Hottopixx (published steps)", "Hottopixx (tuned steps)"),
        ("OMF-DA", "OMF-DA, as printed"),
        ("Ncuts", "Ncuts (recursive)"),
    ),
    "#8b1e4b": (
        ("MahNMF (RRI)", "MahNMF (RRI), from the median", "MahNMF (RRI), r = 1"),
        ("start of MahNMF-SYM",),
        ("MahNMF-M (RRI)",),
        ("OMF-CG",),
        ("RNMFD without graph",),
    ),
    "#9a6a3a": (
        (
            "HALS",
            "HALS, whole array",
            "HALS, each segment in hindsight",
            "HALS, frozen after a tenth",
        ),
        ("SMRS", "SMRS (authors' ADMM)"),
        ("XRAY-l2, l1 refits",),
        ("RNMFD with normalised graph",),
        ("DNMF",),
        ("MahNMF (OGM, paper's step)",),
    ),
    "#d55fa8": (
        ("robust low rank", "robust low rank, best start", "robust low rank, random starts"),
        ("INMF",),
        ("XRAY-KL",),
        ("MahNMF-SYM, uniform start",),
        ("RNMFD with S alone", "RNMFD with S alone, default λ"),
        ("RCC",),
        ("IS-MU",),
    ),
    "#8f8a00": (
        ("GoDec",),
        ("ONMF", "ONMF without codes"),
        ("ONMF-IS",),
        ("GNMF", "GNMF, α = 0.1"),
    ),
    "#3aa0d8": (
        ("PCA",),
        ("scikit-learn dictionary", "scikit-learn dictionary, chunks"),
        ("RNMFD without S",),
        ("MahNMF (RRI, Algorithm 1)",),
        ("OR-NMF-IS, M∗ of each step",),
        ("IGNMF",),
    ),
    "#1a1a1a": (
        ("RPCA", "RPCA, λ = 0.5/√n", "RPCA, λ = 1/√n", "RPCA, λ = 2/√n"),
        ("scikit-learn mini-batch", "scikit-learn mini-batch, no forgetting"),
        ("RNMFD with larger S",),
        ("NLCF",),
    ),
    # What learns nothing, or is there to compare with.
    "#808080": (
        ("median", "temporal mean"),
        ("random choice",),
        ("untrained bases", "SVD", "raw pixels"),
        ("raw views", "best view"),
        ("features, cosine", "features, Euclidean"),
        ("five most frequent tags",),
        ("stripes", "one segment", "humans"),
    ),
}
"""Methods by colour, each followed by its variants: the only place that says how one is drawn.

The marker goes by the colour and the place in it; a variant has another line and marker.
Methods that are compared in one figure have different colours where there are enough.
"""


_PALETTE = list(_LOOKS)


def figure_style():
    """A context in which figures are drawn: sizes and grid, restored afterwards."""
    return mpl.rc_context(
        sns.axes_style("whitegrid")
        | sns.plotting_context("notebook", font_scale=0.85)
        | {"figure.constrained_layout.use": True, "savefig.dpi": 130, "legend.framealpha": 0.85}
    )


def method_styles(labels):
    """Keywords of ``plot`` for each method, the same in every figure.

    Parameters
    ----------
    labels : sequence of str
        Names of methods. A name that is not known, such as that of a new solver, gets a look that
        none of the others has: the one of the method whose variant it is, with another line, or
        any.
    """
    styles = {label: _KNOWN[label] for label in labels if label in _KNOWN}
    for label in labels:
        if label not in styles:
            like = max((name for name in _KNOWN if label.startswith(name)), key=len, default=None)
            lines = [_KNOWN[like] | {"linestyle": line} for line in _LINES] if like else []
            looks = itertools.chain(lines, _cycle())
            styles[label] = next(look for look in looks if look not in styles.values())
    return {label: styles[label] for label in labels}


def category_styles(labels):
    """Keywords of ``plot`` for what is no method, such as data sets, by place in the list."""
    return dict(zip(labels, _cycle(), strict=False))


def _look(color, marker, line):
    return {
        "color": color,
        "marker": _MARKERS[marker % len(_MARKERS)],
        "markersize": 4.5,
        "linewidth": 1.5,
        "linestyle": _LINES[line % len(_LINES)],
    }


def _cycle():
    """Looks that differ in colour and marker, and in line after one round."""
    return (_look(_PALETTE[i % len(_PALETTE)], i, i // len(_PALETTE)) for i in itertools.count())


_KNOWN = {
    label: _look(color, hue + place + 4 * variant, variant)
    for hue, (color, methods) in enumerate(_LOOKS.items())
    for place, variants in enumerate(methods)
    for variant, label in enumerate(variants)
}


def plot_band(axis, x, rows, label, style):
    """A curve of means with its interval as a band; ``rows`` has ``mean``, ``low``, ``high``."""
    (line,) = axis.plot(x, rows["mean"], label=label, **style)
    attach_data(line, x, rows, interval="band")
    axis.fill_between(x, rows["low"], rows["high"], color=style["color"], alpha=0.15, linewidth=0)


def shows_photographs(figure) -> bool:
    """Whether a figure shows grey images, such as faces or films, and not only lines or colours."""
    images = (image for axis in figure.axes for image in axis.images)
    return any(image.get_cmap().name.startswith("gray") for image in images)


def save_photographs(figure, file) -> None:
    """Write a figure of grey images as lossy WebP, a quarter of its PNG; same records, same bytes.

    Parameters
    ----------
    figure : matplotlib figure
    file : path-like or file object
    """
    with _printed(figure) as picture:
        picture.save(file, "WEBP", quality=_QUALITY, method=6)


def save_picture(figure, file, format="webp", **how) -> None:
    """Write a figure with few colours, which takes half the room and looks the same.

    There is no software version or date in it: the same records give the same bytes.

    Parameters
    ----------
    figure : matplotlib figure
    file : path-like or file object
    format : {"webp", "png"}, default="webp"
        Both without loss; WebP takes three quarters of the room.
    **how
        Further keywords of ``savefig``.
    """
    with _printed(figure, **how) as picture:
        few = picture.quantize(_COLOURS, dither=Image.Dither.NONE)
    few.save(file, format, optimize=True, lossless=True)


def _printed(figure, **how):
    """A figure in true colours."""
    png, fast = io.BytesIO(), {"compress_level": 1}
    figure.savefig(png, format="png", pil_kwargs=fast, **how)
    return Image.open(png).convert("RGB")


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
