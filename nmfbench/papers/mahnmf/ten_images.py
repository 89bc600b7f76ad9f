"""Ten images in some number of segments, beside normalised cuts: Figures 12 to 14."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection
from sklearn.metrics import adjusted_rand_score

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import image_grid
from nmfbench.artefacts.tables import score_table
from nmfbench.papers.mahnmf import segments
from nmfbench.papers.mahnmf.segments import (
    EUC,
    GRAPH,
    LABELS,
    NCUTS,
    NUMBERS,
    PRINTED,
    SYM,
    VECTORS,
)
from nmfbench.papers.mahnmf.ten_images_claims import claims_on
from nmfbench.problems.segmentation import GRAPHS

_IN_PICTURES = (SYM, NCUTS, VECTORS, EUC)
_IMAGE, _HUMAN = "image", "human"
_MEAN = "mean"


def with_agreement(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows; of MahNMF-SYM with their ``agreement`` with Ncuts on the same graph.

    It is the adjusted Rand index of the two segmentations.
    """
    cells = ["repeat", "segments"]
    cuts = select_rows(frame, method=NCUTS, graph=GRAPH)
    cuts = cuts.drop_duplicates(cells).set_index(cells)
    agreement = pd.Series(np.nan, index=frame.index)
    for row in select_rows(frame, method=SYM, graph=GRAPH).itertuples():
        if (row.repeat, row.segments) in cuts.index:
            other = cuts.loc[(row.repeat, row.segments)]
            found = [r.arrays["labels"][r.place].ravel() for r in (row, other)]
            agreement[row.Index] = adjusted_rand_score(*found)
    return frame.assign(agreement=agreement)


def table(k: int, frame: pd.DataFrame) -> pd.DataFrame:
    """Segments of each image, and the means of all scores over images.

    Parameters
    ----------
    k : int
        Segments.
    frame : DataFrame
        Of :func:`with_agreement`.

    Returns
    -------
    DataFrame
        ``image``, or "mean"; ``graph``, ``method``, scores; and of the methods that are shown
        ``labels``, of ``image`` and a human ``grey``, too: lists of rows of pixels.
    """
    frame = select_rows(frame, segments=k)
    by_image = frame.groupby(["graph", "method", "repeat"], sort=False)[NUMBERS].mean()
    means = by_image.groupby(level=["graph", "method"], sort=False).mean()
    counts = by_image.groupby(level=["graph", "method"], sort=False).size()
    rows = means.assign(images=counts, image=_MEAN).reset_index()
    rows["order"] = rows["method"].map(LABELS.index)
    graphs = list(GRAPHS)
    rows["order"] += len(LABELS) * rows["graph"].map(
        {GRAPH: 0} | {g: 1 + i for i, g in enumerate(graphs) if g != GRAPH}
    )
    pictures = []
    shown = select_rows(frame, graph=GRAPH, method=list(_IN_PICTURES)).sort_values(
        "seed", kind="stable"
    )
    for image, fits in shown.groupby("repeat", sort=False):
        for row in fits.drop_duplicates("method").to_dict("records"):
            there = {"image": image, "graph": GRAPH} | {n: row[n] for n in NUMBERS}
            labels = row["arrays"]["labels"][row["place"]]
            pictures.append(there | {"method": row["method"], "labels": labels.tolist()})
        first = fits.iloc[0]["arrays"]
        human, grey = first["human"].tolist(), first["image"].tolist()
        pictures.append({"image": image, "method": _HUMAN, "labels": human, "grey": grey})
    found = pd.concat([rows.sort_values("order"), pd.DataFrame(pictures)], ignore_index=True)
    return found[["image", "graph", "method", "images", *NUMBERS, "labels", "grey"]]


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Means over images, as printed: one line per graph and method."""
    rows = select_rows(table, image=_MEAN)
    return score_table(
        rows.melt(["graph", "method"], list(PRINTED), "score", "value"),
        {"graph": "graph", "method": "method"},
        list(PRINTED),
        lambda cell: "" if pd.isna(cell.value) else f"{cell.value:.3g}",
        column="score",
    ).rename(columns=PRINTED)


def draw(table: pd.DataFrame):
    """A row an image: as it is, as a human and as the methods segment it."""
    pictures = table[table["image"] != _MEAN]
    columns = [_IMAGE, _HUMAN, *_IN_PICTURES]

    def panel(axis, image, column):
        own = select_rows(pictures, image=image)
        grey = select_rows(own, method=_HUMAN)["grey"].iloc[0]
        show_segments(axis, grey)
        if column == _IMAGE:
            return
        row = select_rows(own, method=column).iloc[0]
        show_segments(axis, grey, row["labels"])
        if column == _HUMAN:
            text = f"{len(np.unique(row['labels']))} segments"
        else:
            text = f"covering {row['covering']:.2f}, VI {row['vi']:.1f}"
            if pd.notna(row["residual-ratio"]):
                text += f"\nresidual {row['residual-ratio']:.2f}"
            if pd.notna(row["residual-ratio-start"]):
                text += f", of the start {row['residual-ratio-start']:.2f}"
        axis.set_xlabel(text, fontsize="x-small", labelpad=2)

    names = pictures["image"].unique().tolist()
    return image_grid(names, dict(zip(columns, columns, strict=True)), panel, size=(1.9, 1.6))


def show_segments(axis, grey, labels=None):
    """A grey image, with lines between pixels of different labels.

    Parameters
    ----------
    axis : matplotlib axis
    grey : sequence of sequence of int
        Rows of pixels, 0 to 255.
    labels : sequence of sequence of int, optional
    """
    axis.imshow(np.asarray(grey), cmap="gray", vmin=0, vmax=255, interpolation="bicubic")
    axis.set(xticks=[], yticks=[])
    axis.grid(False)
    if labels is None:
        return
    labels = np.asarray(labels)
    i, j = np.nonzero(labels[:, 1:] != labels[:, :-1])
    upright = np.stack([[j + 0.5, i - 0.5], [j + 0.5, i + 0.5]]).transpose(2, 0, 1)
    i, j = np.nonzero(labels[1:] != labels[:-1])
    flat = np.stack([[j - 0.5, i + 0.5], [j + 0.5, i + 0.5]]).transpose(2, 0, 1)
    axis.add_collection(LineCollection([*upright, *flat], colors="darkorange", linewidths=0.9))


def figure(number: int, k: int, more: Sequence[Claim] = ()) -> Artefact:
    """Register a figure of ten images in ``k`` segments."""
    return register_artefact(
        Artefact(
            f"mahnmf/fig{number}",
            title=f"Ten images in {k} segments",
            kind="figure",
            methods=segments.METHODS,
            grid=segments.trials,
            frame=lambda records: with_agreement(segments.scored(records)),
            table=partial(table, k),
            picture=draw,
            scores=scores,
            claims=[*more, *claims_on(k, number)],
            planned=Plan(20, "A repeat takes some two minutes of CPU time."),
            matters={"agreement": 0.02},
            assumed=segments.ASSUMED,
            caption="Orange lines are boundaries of segments, on the reduced image. The human is "
            "the one of the median number of segments, and draws as many as seem fit. Below: the "
            "scores over all humans, and the residual |V − HHᵀ|₁/|V|₁ of a fit and of its start, "
            "which is 1 for H = 0. Table: means over images; of each the seeds are averaged.",
        )
    )
