"""Segments of natural images, found by graphs of their pixels: shared by Figures 12 to 15."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.grids import Axis, Method, changed, cross, labelled, options
from nmfbench.problems.segmentation import GRAPHS, SIDES
from nmfbench.trials.trial import Trial

IMAGES = (
    *("3096", "8068", "12003", "24063", "42049"),
    *("86016", "113044", "135069", "238011", "241004"),
)
"""Images of the figures, chosen before any run."""

GRAPH = "medium"
"""Graph that the claims are about, and the pictures are of."""

SYM, NCUTS = "MahNMF-SYM", "Ncuts (recursive)"
UNIFORM, OF_K, ARGMAX = (f"{SYM}, {how}" for how in ("uniform start", "r = k", "r = k, argmax"))
START = f"start of {SYM}"
EUC, VECTORS = "symmetric EucNMF", "Ncuts"
ROWS, BOTH, GREY = (f"K-means of {what}" for what in ("rows of V", "F and P", "F"))
STRIPES, ONE, HUMANS = "stripes", "one segment", "humans"

LABELS = [SYM, START, UNIFORM, OF_K, ARGMAX, EUC, NCUTS, VECTORS, ROWS, BOTH, GREY]
LABELS += [STRIPES, ONE, HUMANS]
"""Methods in order, with what :func:`scored` adds."""

SCORES = {"covering": "covering", "pri": "PRI", "vi": "VI, bits", "boundary-f": "boundary F"}
"""Scores of the task, and how they are read."""

PRINTED = SCORES | {
    "object-iou": "object IoU",
    "residual-ratio": "|V − HHᵀ|₁/|V|₁",
    "zero-rows": "zero rows of H",
    "segments-found": "segments",
    "largest-segment": "largest segment",
    "pieces": "pieces",
}
"""Numbers of the printed tables."""

NUMBERS = [
    *PRINTED,
    "residual-ratio-start",
    "contrast-affinity",
    "contrast-product",
    "correlation",
    "bound-diagonal",
    "bound-diagonal-start",
]
"""Numbers of :func:`scored`."""

LOCAL = "local"
"""Graph of other readings of what the text has lost."""

_OF_GRAPH = ("radius", "sigma_brightness", "corrupted")
RANK = 10
"""Components of the fits that are shown."""
SEEDS = {"smoke": 1, "quick": 2, "paper": 20}
"""Starts of each image by profile, on the usual graph."""
_QUICK = 6  # images
_SEGMENTS = (3, 4, 5)

SWEEPS = {"smoke": 15, "quick": 15, "paper": 100}
"""Sweeps of MahNMF-SYM by profile, at most."""


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


def segmenters(sweeps: int) -> list[Segmenter]:
    """All methods, with so many sweeps of MahNMF-SYM at most; one of them scores humans, too."""
    ten, sym = {"n_components": RANK}, {"max_iter": sweeps}
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
    """Methods as an artefact lists them; :func:`running` tells apart what one solver runs as."""
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


def on_graphs(chosen: Sequence[str] = (GRAPH,)) -> Axis:
    """An axis of graphs, which are their ``graph``."""
    return labelled("graph", chosen, [{"options": GRAPHS[graph]} for graph in chosen])


def running(chosen: Sequence[Segmenter]) -> Axis:
    """An axis of methods with their options, by which one solver is several methods."""
    axis = [{"solver": s.solver, "params": s.params, "options": s.options} for s in chosen]
    return labelled("method", [s.label for s in chosen], axis)


# -- grid and frame ---------------------------------------------------------------------------

METHODS = tuple(
    method for sweeps in dict.fromkeys(SWEEPS.values()) for method in methods_of(segmenters(sweeps))
)
_IN_FIGURES = [label for label in LABELS if label != ROWS]
_FAST = (SYM, UNIFORM, EUC, NCUTS, VECTORS)
_SMALL = ("smoke", "quick")
_CHOSEN = dict.fromkeys(_SMALL, (*_FAST, ROWS, BOTH, GREY)) | {"paper": LABELS}
_ELSEWHERE = dict.fromkeys(_SMALL, (SYM, NCUTS)) | {"paper": (*_FAST, ROWS)}  # on other graphs
READ_SEEDS = 5
"""Starts of each image at other readings in the paper grid."""
_SEEDS_ELSEWHERE = {
    graph: dict.fromkeys(_SMALL, 1) | {"paper": seeds}
    for graph, seeds in ((LOCAL, READ_SEEDS), ("full", 2))
}


def trials(
    profile: str, labels: Sequence[str] = _IN_FIGURES, graphs: Sequence[str] = tuple(GRAPHS)
) -> list[Trial]:
    """Fits of each image on some graphs, for three numbers of segments at once.

    The paper grid holds the quick one, whose images are smaller. Features that know no graph, and
    cuts that no chance decides, are computed once; other graphs have fewer methods and seeds.
    """
    found = trials("quick", labels, graphs) if profile == "paper" else []
    for graph in graphs:
        here = graph == GRAPH
        chosen = (_CHOSEN if here else _ELSEWHERE)[profile]
        seeds = _SEEDS_ELSEWHERE.get(graph, SEEDS)[profile]
        start = changed(base(profile, segments=_SEGMENTS), *on_graphs([graph]))
        for method in segmenters(SWEEPS[profile]):
            if method.label in labels and method.label in chosen:
                repeats = seeds if method.seeded else 1
                found += cross(start, repeats, images(profile), running([method]))
    return found


def scored(records: pd.DataFrame) -> pd.DataFrame:
    """A row an image, seed, method, graph and number of ``segments``, with their scores.

    The image is the ``repeat``. Trivial segmentations, humans, and the start of MahNMF-SYM are
    methods of their own. Of images in several sizes the largest remain.
    """
    records = select_rows(records, side=records["side"].max())
    rows = []
    for record in records.to_dict("records"):
        label = record["method"]
        there = {name: record["options"].get(name) for name in _OF_GRAPH} | {
            "graph": record["graph"],
            "seed": record["repeat"],
            "repeat": record["image"],
            "details": record["options"].get("details", False),
            "normalised": "rows of H" if record["options"].get("unit_rows") else "graph",
            **{name: record.get(name) for name in ("arrays", "n_iter", "cpu_seconds")},
        }
        for place, k in enumerate(record["options"]["segments"]):
            derived = {label: f"@{k}"}
            if label == SYM:
                derived[START] = f"-start@{k}"
            if label == GREY:
                derived |= {STRIPES: f"-stripes@{k}", ONE: "-one", HUMANS: "-humans"}
            for method, ending in derived.items():
                found = {name: record.get(f"{name}{ending}") for name in NUMBERS}
                counted = "human-segments" if method == HUMANS else f"segments{ending}"
                found["segments-found"] = record.get(counted)
                found["rank"] = record["options"].get("n_components", k)
                rows.append(there | {"method": method, "segments": k, "place": place} | found)
    frame = pd.DataFrame(rows)
    return frame.astype(dict.fromkeys(NUMBERS, float))


ASSUMED = {
    "images": "Ten images of the paper that it does not name; ours were chosen before any run: "
    f"{', '.join(IMAGES)}. All ten are segmented into 3, 4 and 5 segments.",
    "size": "Lost. Area means, 60 pixels on the longer side (quick: 36), a node each. Scores are "
    "those at full size, where a pixel has the label of the one it went into.",
    "graph": "σ of brightness and of position, and the radius, are lost. Brightness is stretched "
    "to [0, 1], position is in longer sides. σ of brightness is 0.1; σ of position and radius are "
    "0.067 and 0.083 (local: that of Shi & Malik), 0.167 and 0.333 (medium), or 1 and 1 (full). "
    "Pictures are of the medium graph, and so are claims that name no other. W has ones on its "
    "diagonal with all methods.",
    "rank": f"Lost; {RANK}. Rows of H of unit length, ten starts of K-means; a zero row has the "
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
    "comparable": "The paper says mostly comparable, and in some cases better: not worse in the "
    "mean over ten images, for each score, alike on the medium and the local graph, from both "
    "starts, and with r = k; and better in one of them, on the medium graph. The full graph is no "
    "reading: in it nothing far is suppressed, as the paper has it.",
    "better in some images": "In one of ten by one score is little, and PRI rewards parts of equal "
    "size where humans drew many: the image counts if MahNMF-SYM is ahead of stripes of equal "
    "width, too, by the same score.",
    "one observation": "A start. The images are blocks: the claims are about these ten.",
}
"""Our choices where the paper says nothing."""
