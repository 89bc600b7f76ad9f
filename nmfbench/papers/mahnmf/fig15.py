"""Figure 15: similarities of pixels and their low-rank approximations, and how these are found."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.plan import Plan
from nmfbench.core.matters import Ratio
from nmfbench.papers.mahnmf import segments
from nmfbench.papers.mahnmf.segments import GRAPH, READ_SEEDS, SYM
from nmfbench.papers.mahnmf.similarities import (
    AFFINITY,
    GENERATED,
    METHODS,
    PRODUCT,
    SHOWN,
    frame,
    trials,
)
from nmfbench.papers.mahnmf.similarities_claims import CLAIMS
from nmfbench.papers.mahnmf.speed_claims import FEW

_NUMBERS = ("correlation", "residual-ratio", "residual-ratio-start")
_CONTRASTS = ("contrast-affinity", "contrast-product")


def table(frame):
    """Matrices of each panel, as lists of rows of cells, and where its classes end.

    Columns: ``panel``, ``image``, ``segments``, ``matrix``, ``cells``, ``ends`` in cells, and
    numbers of the fit.
    """
    fits = select_rows(frame, method=SYM, graph=GRAPH, details=True)
    shown = SHOWN if fits["repeat"].isin([image for image, _ in SHOWN.values()]).any() else {}
    rows = []
    for panel, (image, k) in (shown or GENERATED).items():
        for fit in select_rows(fits, repeat=image, segments=k).to_dict("records"):
            labels = fit["arrays"]["labels"][fit["place"]]
            sizes = np.bincount(labels.ravel())
            there = {"panel": panel, "image": image, "segments": k}
            numbers = {name: fit[name] for name in _NUMBERS}
            pair = fit["arrays"]["matrices"][fit["place"]]
            for name, ratio, cells in zip((AFFINITY, PRODUCT), _CONTRASTS, pair, strict=True):
                ends = np.cumsum(sizes) * len(cells) / labels.size
                rows.append(
                    there
                    | {"matrix": name, "cells": cells.tolist(), "ends": ends.tolist()}
                    | {"contrast": fit[ratio]}
                    | numbers
                )
    return pd.DataFrame(rows)


def draw(table):
    """V above its approximation, one column per image."""
    panels = table["panel"].unique()
    figure, axes = plt.subplots(2, len(panels), figsize=(2.7 * len(panels), 6.2), squeeze=False)
    for column, panel in zip(axes.T, panels, strict=True):
        for axis, name in zip(column, (AFFINITY, PRODUCT), strict=True):
            row = select_rows(table, panel=panel, matrix=name).iloc[0]
            cells = np.array(row["cells"])
            axis.imshow(cells, cmap="magma", vmin=0, vmax=255, interpolation="nearest")
            ends = np.array(row["ends"])
            middle = (ends + np.concatenate([[0], ends[:-1]])) / 2 - 0.5
            axis.set(xticks=middle, yticks=middle)
            axis.set_xticklabels(range(1, len(ends) + 1))
            axis.set_yticklabels(range(1, len(ends) + 1))
            for end in ends[:-1] - 0.5:
                axis.axhline(end, color="white", linewidth=0.4)
                axis.axvline(end, color="white", linewidth=0.4)
            axis.grid(False)
            text = f"within : between {row['contrast']:.3g}"
            if name == PRODUCT:
                text += (
                    f"\ncorrelation with V {row['correlation']:.2f}"
                    f"\nresidual {row['residual-ratio']:.2f}, of the start "
                    f"{row['residual-ratio-start']:.2f}"
                )
            axis.set_xlabel(text, fontsize="small")
        column[0].set_title(f"({panel}) {row['image']}, {row['segments']} segments")
    for axis, name in zip(axes[:, 0], (AFFINITY, PRODUCT), strict=True):
        axis.set_ylabel(name)
    return figure


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig15",
        title="Similarities of pixels and their low-rank approximations",
        kind="figure",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=table,
        picture=draw,
        claims=CLAIMS,
        planned=Plan(20, "A repeat takes 150 s of CPU time."),
        matters={"growth": Ratio(0.02), "contrast": Ratio(0.05)},
        assumed=segments.ASSUMED
        | {
            "panels": "The paper shows the first and second rows of its Figure 12, and the second "
            "and last ones of Figure 14: here the images in these rows.",
            "classes": "The paper judges by eye. The numbers are mean similarities within segments "
            "against those between them, off the diagonal. Any compact segments do well by it, as "
            "similarities are of near pixels: no bound on it would tell methods apart, so that it "
            "is only asked, as our question, whether HHᵀ does better than V.",
            "normalising": "The symbol is lost. The graph is normalised as in the experiment, or "
            "the rows of H of these fits have unit length, too: one of both is enough, as the "
            "paper says that it can be satisfied. Starts are symmetric EucNMF, and claims decided "
            "where 3 and 10 components come out alike; the updates are exact ones, but for the "
            "claim on the paper's rule.",
            "approximation": "Decided where it comes out alike on the local graph, with a uniform "
            "start and with as many components as segments, too, in the mean over the first "
            f"{READ_SEEDS} starts of each image; so is whether it helps K-means. The full graph "
            "is no reading: in it nothing far is suppressed, as the paper has it.",
            "one observation": "Where methods are compared a start, the images being blocks; of "
            "correlation, diagonal and sweeps an image.",
            "converges fast": f"The paper names neither a number nor a rival: {FEW} sweeps at "
            "most, as many as the rounds in which Algorithms 1 and 3 have to converge fast, and "
            "the rival, are ours. From uniform numbers, which are farther from the end than the "
            "start of the figures, the same for both methods, ten components, to a step that "
            "lowers the own objective by less than 0.1 %.",
        },
        caption="Pixels are ordered by segment of MahNMF-SYM, in a segment by its strongest "
        "component; white lines part the segments. A cell is a mean over 4 x 4 pixels (12 x 12 of "
        "60-pixel images), without the diagonal; both matrices of an image have one scale, up to "
        "the 99.5 % quantile. Below: mean within segments as a ratio to that between them; the "
        "residual |V − HHᵀ|₁/|V|₁ is 1 for H = 0.",
    )
)
