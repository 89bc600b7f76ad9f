"""Ten images in some number of segments, beside those of normalised cuts: Figures 12 to 14."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.collections import LineCollection
from sklearn.metrics import adjusted_rand_score

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import (
    MIN_REPEATS,
    NO_PAIR,
    Claim,
    Threshold,
    Verdict,
    thresholded,
    within,
)
from nmfbench.artefacts.comparisons import at_least, comparable, per_repeat
from nmfbench.artefacts.frames import narrow
from nmfbench.artefacts.plots import image_grid
from nmfbench.artefacts.tables import score_table
from nmfbench.papers.mahnmf import segments
from nmfbench.papers.mahnmf.segments import (
    EUC,
    GRAPH,
    HUMANS,
    LABELS,
    NCUTS,
    NUMBERS,
    PRINTED,
    SCORES,
    START,
    STRIPES,
    SYM,
    VECTORS,
)
from nmfbench.problems.segmentation import GRAPHS

__all__ = ["MARGINS", "OBJECTS", "figure", "in_images", "show_segments"]

MARGINS = {"covering": 0.03, "pri": 0.03, "vi": 0.15, "boundary-f": 0.03}
"""Scores that differ by less are comparable."""

_IN_PICTURES = (SYM, NCUTS, VECTORS, EUC)
_OBJECT, _MOST, _SOME, _ALIKE = 0.5, 0.8, 0.2, 0.8


def with_agreement(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows, where those of MahNMF-SYM have their ``agreement`` with Ncuts on the same graph.

    It is the adjusted Rand index of the two segmentations.
    """
    cells = ["repeat", "segments"]
    cuts = narrow(frame, method=NCUTS, graph=GRAPH)
    cuts = cuts.drop_duplicates(cells).set_index(cells)
    agreement = pd.Series(np.nan, index=frame.index)
    for row in narrow(frame, method=SYM, graph=GRAPH).itertuples():
        if (row.repeat, row.segments) in cuts.index:
            other = cuts.loc[(row.repeat, row.segments)]
            found = [r.arrays["labels"][r.place].ravel() for r in (row, other)]
            agreement[row.Index] = adjusted_rand_score(*found)
    return frame.assign(agreement=agreement)


# -- claims -----------------------------------------------------------------------------------


def in_images(
    holds: Callable[[pd.DataFrame], pd.Series],
    share: Threshold,
    describe: Callable[[pd.DataFrame], str] = lambda frame: "",
    *,
    at: Mapping[str, Any],
):
    """Something holds in at least a share of the images, which are counted, not sampled.

    Parameters
    ----------
    holds : callable
        Frame -> bool by image.
    share : Threshold
    describe : callable, optional
        Frame -> what to add to the evidence.
    at : mapping
    """

    def test(share, frame):
        found = holds(frame)
        n = len(found)
        if not n:
            return Verdict("not run", NO_PAIR)
        verdict = "confirmed" if found.mean() >= share else "refuted"
        more = describe(frame)
        text = f"in {found.sum()} of {n} images (claimed: {100 * share:g} %)"
        text = f"{text}; {more}" if more else text
        if n < MIN_REPEATS:
            verdict, text = "inconclusive", f"{text}; {n} images are too few for a verdict"
        return Verdict(verdict, text, float(found.mean()), None, None, n)

    return within(at, thresholded(share, test))


def _separated(frame, method=SYM):
    """Whether some number of segments has the object, by image that has one."""
    overlap = per_repeat(frame, method, "object-iou", ["segments"])
    return overlap.groupby(level="repeat").max() > _OBJECT


def _others_separate(frame):
    counts = {name: _separated(frame, name) for name in (NCUTS, START, STRIPES, HUMANS)}
    return ", ".join(f"{name} in {hits.sum()}" for name, hits in counts.items() if len(hits))


def _outperforms(frame):
    """Whether covering, PRI and VI are all better than those of Ncuts, by image."""
    leads = []
    for score in ("covering", "pri", "vi"):
        lead = per_repeat(frame, SYM, score) - per_repeat(frame, NCUTS, score)
        leads.append((-lead if score == "vi" else lead).dropna() > MARGINS[score])
    return pd.concat(leads, axis=1).all(axis=1)


def _outperformed(frame):
    flipped = {SYM: NCUTS, NCUTS: SYM}
    turned = frame.assign(method=frame["method"].replace(flipped))
    return f"Ncuts is better by as much in {_outperforms(turned).sum()}"


OBJECTS = Claim(
    "objects",
    "MahNMF-SYM + K-means separates the objects: at 3, 4 or 5 segments, one of them overlaps the "
    f"object that humans drew by more than {_OBJECT:g}, in 8 of 10 images.",
    "Section 5.3.2",
    in_images(
        _separated,
        Threshold(_MOST, measured_from=1.0),
        _others_separate,
        at={"graph": GRAPH},
    ),
)


def _claims(k, figure):
    source, at = f"Section 5.3.2, Figure {figure}", {"graph": GRAPH, "segments": k}
    return [
        *(
            Claim(
                f"comparable-{score}",
                f"With {k} segments, MahNMF-SYM + K-means is comparable with Ncuts: {said} within "
                f"{MARGINS[score]:g}.",
                source,
                comparable([SYM, NCUTS], score, MARGINS[score], at=at),
            )
            for score, said in SCORES.items()
        ),
        Claim(
            "outperforms",
            f"With {k} segments, it outperforms Ncuts in some images: covering, PRI and VI are all "
            "better, by more than they may differ if comparable, in 2 of 10.",
            source,
            in_images(_outperforms, Threshold(_SOME), _outperformed, at=at),
        ),
        Claim(
            "equivalent",
            f"MahNMF-SYM is equivalent to normalised cuts: with {k} segments, the adjusted Rand "
            f"index of the two is {_ALIKE:g} at least.",
            "Sections 4.5 and 6",
            at_least(SYM, "agreement", _ALIKE, measured_from=1.0, at=at),
        ),
    ]


# -- table and picture ------------------------------------------------------------------------

_IMAGE, _HUMAN = "image", "human"
_MEAN = "mean"


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
    frame = narrow(frame, segments=k)
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
    shown = narrow(frame, graph=GRAPH, method=list(_IN_PICTURES)).sort_values("seed", kind="stable")
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
    """Means over images, as printed: a line a graph and method."""
    rows = narrow(table, image=_MEAN)
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
        own = narrow(pictures, image=image)
        grey = narrow(own, method=_HUMAN)["grey"].iloc[0]
        show_segments(axis, grey)
        if column == _IMAGE:
            return
        row = narrow(own, method=column).iloc[0]
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
            claims=[*more, *_claims(k, number)],
            assumed=segments.ASSUMED,
            caption="Orange lines are boundaries of segments, on the reduced image. The human is "
            "the one of the median number of segments, and draws as many as seem fit. Below: the "
            "scores over all humans, and the residual |V − HHᵀ|₁/|V|₁ of a fit and of its start, "
            "which is 1 for H = 0. Table: means over images; of each the seeds are averaged.",
        )
    )
