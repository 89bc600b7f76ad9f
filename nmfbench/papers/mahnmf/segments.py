"""Segments of natural images, found by graphs of their pixels: Figures 12 to 15."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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
from nmfbench.artefacts.grids import Axis, Method, cross, options
from nmfbench.artefacts.plots import image_grid
from nmfbench.artefacts.tables import score_table
from nmfbench.engine.trials import Trial, canonical
from nmfbench.problems.segmentation import GRAPHS, SIDES

__all__ = [
    "ASSUMED",
    "BOTH",
    "EUC",
    "GRAPH",
    "GREY",
    "HUMANS",
    "IMAGES",
    "MARGINS",
    "METHODS",
    "NCUTS",
    "OF_K",
    "ONE",
    "ROWS",
    "SCORES",
    "START",
    "STRIPES",
    "SWEEPS",
    "SYM",
    "UNIFORM",
    "VECTORS",
    "Segmenter",
    "base",
    "figure",
    "images",
    "in_images",
    "methods_of",
    "running",
    "scored",
    "segmenters",
    "show_segments",
    "trials",
]

IMAGES = (
    *("3096", "8068", "12003", "24063", "42049"),
    *("86016", "113044", "135069", "238011", "241004"),
)
"""Images of the figures, chosen before any run."""

GRAPH = "medium"
"""Graph that the claims are about, and the pictures are of."""

SYM, NCUTS = "MahNMF-SYM", "Ncuts"
UNIFORM, OF_K, ARGMAX = (f"{SYM}, {how}" for how in ("uniform start", "r = k", "r = k, argmax"))
START = f"start of {SYM}"
EUC, VECTORS = "symmetric EucNMF", "Ncuts, k vectors"
ROWS, BOTH, GREY = (f"K-means of {what}" for what in ("rows of V", "F and P", "F"))
STRIPES, ONE, HUMANS = "stripes", "one segment", "humans"

_LABELS = [SYM, START, UNIFORM, OF_K, ARGMAX, EUC, NCUTS, VECTORS, ROWS, BOTH, GREY]
_LABELS += [STRIPES, ONE, HUMANS]

SCORES = {"covering": "covering", "pri": "PRI", "vi": "VI, bits", "boundary-f": "boundary F"}
"""Scores of the task, and how they are read."""

MARGINS = {"covering": 0.03, "pri": 0.03, "vi": 0.15, "boundary-f": 0.03}
"""Scores that differ by less are comparable."""

_PRINTED = SCORES | {
    "object-iou": "object IoU",
    "residual-ratio": "|V − HHᵀ|₁/|V|₁",
    "zero-rows": "zero rows of H",
    "segments-found": "segments",
    "largest-segment": "largest segment",
    "pieces": "pieces",
}
_NUMBERS = [
    *_PRINTED,
    "residual-ratio-start",
    "contrast-affinity",
    "contrast-product",
    "correlation",
    "bound-diagonal",
    "bound-diagonal-start",
]
_OF_GRAPH = ("radius", "sigma_brightness", "corrupted")
_RANK = 10
SWEEPS = {"smoke": 15, "quick": 15, "paper": 100}
_SEEDS = {"smoke": 1, "quick": 2, "paper": 5}
_QUICK = 6  # images
_SEGMENTS = (3, 4, 5)
_OBJECT, _MOST, _SOME, _ALIKE = 0.5, 0.8, 0.2, 0.8


@dataclass(frozen=True)
class Segmenter:
    """A method with the options of the task under which it is shown.

    Parameters
    ----------
    label, solver : str
    params, options : mapping
    seeded : bool, default=True
        Its segments depend on the seed.
    """

    label: str
    solver: str
    params: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    seeded: bool = True

    @property
    def identity(self) -> tuple:
        """Solver, parameters and own options, as they tell the records of methods apart."""
        return _identity(self.solver, self.params, self.options)


_OWN = ("n_components", "rule", "features")


def _identity(solver, params, options):
    own = {name: options[name] for name in _OWN if name in options}
    return solver, canonical(dict(params)), canonical(own)


def segmenters(sweeps: int) -> list[Segmenter]:
    """All methods, with so many sweeps of MahNMF-SYM at most; one of them scores humans, too."""
    ten, sym = {"n_components": _RANK}, {"max_iter": sweeps}
    recursive, plain = {"mode": "recursive"}, {"scale": "none"}
    return [
        Segmenter(SYM, "mahnmf-sym", sym, ten),
        Segmenter(UNIFORM, "mahnmf-sym", sym | {"init": "uniform"}, ten),
        Segmenter(OF_K, "mahnmf-sym", sym),
        Segmenter(ARGMAX, "mahnmf-sym", sym, {"rule": "argmax"}),
        Segmenter(EUC, "sym-mu", {}, ten),
        Segmenter(NCUTS, "ncuts", recursive, seeded=False),
        Segmenter(VECTORS, "ncuts"),
        Segmenter(ROWS, "kmeans", {}, {"features": "affinity"}),
        Segmenter(BOTH, "kmeans", plain, {"features": "both"}, seeded=False),
        Segmenter(GREY, "kmeans", plain, {"features": "brightness", "humans": True}, seeded=False),
    ]


def methods_of(found: Sequence[Segmenter]) -> tuple[Method, ...]:
    """Methods as an artefact lists them; :func:`scored` tells those of one solver apart."""
    return tuple(Method(s.label, s.solver, s.params) for s in found)


def base(profile: str, **chosen: Any) -> Trial:
    """A trial on images of the size of a profile, or on generated ones in the smoke grid."""
    dataset = "regions" if profile == "smoke" else "bsds"
    return Trial("segmentation", dataset, "", options={"side": SIDES[profile], **chosen})


def images(profile: str, names: Sequence[str] = IMAGES, few: int = _QUICK) -> Axis:
    """An axis of images."""
    if profile == "smoke":
        return options("image", ["made-0", "made-1"])
    return options("image", names[: few if profile == "quick" else None])


def running(chosen: Sequence[Segmenter]) -> Axis:
    """An axis of methods with their options."""
    return [{"solver": s.solver, "params": s.params, "options": s.options} for s in chosen]


# -- grid and frame ---------------------------------------------------------------------------

METHODS = tuple(
    method for sweeps in dict.fromkeys(SWEEPS.values()) for method in methods_of(segmenters(sweeps))
)
_IN_PICTURES = (SYM, NCUTS, VECTORS, EUC)
_IN_FIGURES = [label for label in _LABELS if label != ROWS]
_FAST = (SYM, UNIFORM, EUC, NCUTS, VECTORS)
_FEW = {
    False: ((*_FAST, ROWS, BOTH, GREY), (SYM, NCUTS), 1),
    True: (_LABELS, _FAST, 2),
}
"""Methods on the graph of the claims, and methods and seeds on others; of the paper grid, True."""


def trials(
    profile: str, labels: Sequence[str] = _IN_FIGURES, graphs: Sequence[str] = tuple(GRAPHS)
) -> list[Trial]:
    """Fits of each image on some graphs, for three numbers of segments at once.

    The paper grid holds the quick one, whose images are smaller. Features that know no graph, and
    cuts that no chance decides, are computed once; other graphs have fewer methods and seeds.
    """
    found = trials("quick", labels, graphs) if profile == "paper" else []
    for graph in graphs:
        few = _FEW[profile == "paper"]
        chosen, seeds = (few[0], _SEEDS[profile]) if graph == GRAPH else few[1:]
        start = base(profile, segments=_SEGMENTS, **GRAPHS[graph])
        for method in segmenters(SWEEPS[profile]):
            if method.label in labels and method.label in chosen:
                repeats = seeds if method.seeded else 1
                found += cross(start, repeats, images(profile), running([method]))
    return found


def scored(records: pd.DataFrame, more: Sequence[Segmenter] = ()) -> pd.DataFrame:
    """A row an image, seed, method, graph and number of ``segments``, with their scores.

    The image is the ``repeat``. Trivial segmentations, humans, and the start of MahNMF-SYM are
    methods of their own. Of images in several sizes the largest remain. ``more`` are methods
    beyond those of :func:`segmenters`.
    """
    records = narrow(records, side=records["side"].max())
    usual = [s for sweeps in SWEEPS.values() for s in segmenters(sweeps)]
    known = {s.identity: s.label for s in [*usual, *more]}
    reach = {values["radius"]: graph for graph, values in GRAPHS.items()}
    rows = []
    for record in records.to_dict("records"):
        label = known[_identity(record["solver"], record["params"], record["options"])]
        there = {name: record["options"].get(name) for name in _OF_GRAPH} | {
            "graph": reach.get(record["options"]["radius"]),
            "seed": record["repeat"],
            "repeat": record["image"],
            "details": record["options"].get("details", False),
            **{name: record.get(name) for name in ("arrays", "n_iter", "cpu_seconds")},
        }
        for place, k in enumerate(record["options"]["segments"]):
            derived = {label: f"@{k}"}
            if label == SYM:
                derived[START] = f"-start@{k}"
            if label == GREY:
                derived |= {STRIPES: f"-stripes@{k}", ONE: "-one", HUMANS: "-humans"}
            for method, ending in derived.items():
                found = {name: record.get(f"{name}{ending}") for name in _NUMBERS}
                counted = "human-segments" if method == HUMANS else f"segments{ending}"
                found["segments-found"] = record.get(counted)
                rows.append(there | {"method": method, "segments": k, "place": place} | found)
    frame = pd.DataFrame(rows)
    return frame.astype(dict.fromkeys(_NUMBERS, float))


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
        Of :func:`scored`.

    Returns
    -------
    DataFrame
        ``image``, or "mean"; ``graph``, ``method``, scores; and of the methods that are shown
        ``labels``, of ``image`` and a human ``grey``, too: lists of rows of pixels.
    """
    frame = narrow(frame, segments=k)
    by_image = frame.groupby(["graph", "method", "repeat"], sort=False)[_NUMBERS].mean()
    means = by_image.groupby(level=["graph", "method"], sort=False).mean()
    counts = by_image.groupby(level=["graph", "method"], sort=False).size()
    rows = means.assign(images=counts, image=_MEAN).reset_index()
    rows["order"] = rows["method"].map(_LABELS.index)
    graphs = list(GRAPHS)
    rows["order"] += len(_LABELS) * rows["graph"].map(
        {GRAPH: 0} | {g: 1 + i for i, g in enumerate(graphs) if g != GRAPH}
    )
    pictures = []
    shown = narrow(frame, graph=GRAPH, method=list(_IN_PICTURES)).sort_values("seed", kind="stable")
    for image, fits in shown.groupby("repeat", sort=False):
        for row in fits.drop_duplicates("method").to_dict("records"):
            there = {"image": image, "graph": GRAPH} | {n: row[n] for n in _NUMBERS}
            labels = row["arrays"]["labels"][row["place"]]
            pictures.append(there | {"method": row["method"], "labels": labels.tolist()})
        first = fits.iloc[0]["arrays"]
        human, grey = first["human"].tolist(), first["image"].tolist()
        pictures.append({"image": image, "method": _HUMAN, "labels": human, "grey": grey})
    found = pd.concat([rows.sort_values("order"), pd.DataFrame(pictures)], ignore_index=True)
    return found[["image", "graph", "method", "images", *_NUMBERS, "labels", "grey"]]


def scores(table: pd.DataFrame) -> pd.DataFrame:
    """Means over images, as printed: a line a graph and method."""
    rows = narrow(table, image=_MEAN)
    return score_table(
        rows.melt(["graph", "method"], list(_PRINTED), "score", "value"),
        {"graph": "graph", "method": "method"},
        list(_PRINTED),
        lambda cell: "" if pd.isna(cell.value) else f"{cell.value:.3g}",
        column="score",
    ).rename(columns=_PRINTED)


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


# -- artefacts --------------------------------------------------------------------------------

ASSUMED = {
    "images": "Ten images of the paper that it does not name; ours were chosen before any run: "
    f"{', '.join(IMAGES)}. All ten are segmented into 3, 4 and 5 segments.",
    "size": "Lost. Area means, 60 pixels on the longer side (quick: 36), a node each. Scores are "
    "those at full size, where a pixel has the label of the one it went into.",
    "graph": "σ of brightness and of position, and the radius, are lost. Brightness is stretched "
    "to [0, 1], position is in longer sides. σ of brightness is 0.1; σ of position and radius are "
    "0.067 and 0.083 (local: that of Shi & Malik), 0.167 and 0.333 (medium), or 1 and 1 (full). "
    "Claims and pictures are of the medium graph. W has ones on its diagonal with all methods.",
    "rank": f"Lost; {_RANK}. Rows of H of unit length, ten starts of K-means; a zero row has the "
    "label of the nearest one that is not. r = k and the largest entry of a row are tried, too.",
    "start": "Lost. Symmetric EucNMF, 300 steps from uniform numbers; its segments alone are a "
    "line of their own, as else MahNMF-SYM would have credit for them. At most 100 sweeps (quick: "
    "15), until the objective falls by less than 0.1 %.",
    "Ncuts": "Recursive cuts by the second eigenvector, at the best of 20 thresholds, of the part "
    "that costs least. The form with k eigenvectors and K-means stands beside it.",
    "scores": "The paper has none. Ours are means over the 5 to 7 humans of an image. No single "
    "score says that segments are good: one segment covers much, and many have a low VI.",
    "residual": "|V − HHᵀ|₁/|V|₁ is 1 for H = 0: a fit near it has explained nothing, and one "
    "above it less.",
    "comparable": "The paper says mostly comparable. Ours: the 95 % bootstrap interval of the "
    "difference of means lies within 0.03, and within 0.15 bits of VI.",
    "one observation": "An image; seeds are averaged first. There is no draw of images: counts "
    "of them have no interval.",
}
"""Choices of ours where the paper says nothing."""


def figure(number: int, k: int, more: Sequence[Claim] = ()) -> Artefact:
    """Register a figure of ten images in ``k`` segments."""
    return register_artefact(
        Artefact(
            f"mahnmf/fig{number}",
            title=f"Ten images in {k} segments",
            kind="figure",
            methods=METHODS,
            grid=trials,
            frame=lambda records: with_agreement(scored(records)),
            table=partial(table, k),
            picture=draw,
            scores=scores,
            claims=[*more, *_claims(k, number)],
            assumed=ASSUMED,
            caption="Orange lines are boundaries of segments, on the reduced image. The human is "
            "the one of the median number of segments, and draws as many as seem fit. Below: the "
            "scores over all humans, and the residual |V − HHᵀ|₁/|V|₁ of a fit and of its start, "
            "which is 1 for H = 0. Table: means over images; of each the seeds are averaged.",
        )
    )
