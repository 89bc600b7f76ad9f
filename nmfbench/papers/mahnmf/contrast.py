"""Classes of pixels in the similarities and in HHᵀ, against segments placed at random."""

from __future__ import annotations

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim, said_at
from nmfbench.artefacts.comparisons import always_best
from nmfbench.artefacts.finding import with_evidence, within
from nmfbench.artefacts.frames import mean_table, select_rows
from nmfbench.artefacts.grids import changed, cross
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.region import Bounds
from nmfbench.artefacts.tables import plus_minus_cell, score_table
from nmfbench.core.matters import Ratio
from nmfbench.papers.mahnmf import segments
from nmfbench.papers.mahnmf.segment_readings import at_readings
from nmfbench.papers.mahnmf.segments import EUC, GRAPH, LOCAL, OF_K, SYM, UNIFORM, Segmenter
from nmfbench.problems.segmentation import SIDES
from nmfbench.trials.trial import Trial

OWN, PLACED = "own segments", "placed at random"
_SWEEPS, _TEN = {"max_iter": segments.SWEEPS["paper"]}, {"n_components": 10}
_SHOWN = [
    Segmenter(SYM, "mahnmf-sym", _SWEEPS, _TEN),
    Segmenter(EUC, "sym-mu", {}, _TEN),
]
_LOST = [
    Segmenter(UNIFORM, "mahnmf-sym", _SWEEPS | {"init": "uniform"}, _TEN),
    Segmenter(OF_K, "mahnmf-sym", _SWEEPS, {"n_components": 3}),
]
METHODS = segments.methods_of([*_SHOWN, *_LOST])
_MATRICES = {"affinity": "V", "product": "HHᵀ"}
_CLEARLY = Bounds(1.25, measured_from=1.0)
"""Larger by a quarter, five times the smallest difference that matters."""
_SOURCE = "Section 5.3.2, Figure 15 (a), (b)"


def trials(profile):
    """Fits of each image from several starts, at one size of the images but in the smoke grid."""
    smoke = profile == "smoke"
    base = Trial(
        "class-contrast",
        "regions" if smoke else "bsds",
        "",
        options={"segments": 3, "side": SIDES["smoke" if smoke else "paper"]}
        | ({"n_placed": 20} if smoke else {}),
    )
    repeats = {"smoke": 2, "quick": 5, "paper": 10}[profile]
    every, on_local = segments.images(profile), segments.on_graphs([LOCAL])
    usual = changed(base, *segments.on_graphs())
    found = cross(usual, repeats, every, segments.running(_SHOWN))
    if profile != "quick":
        few = min(repeats, segments.READ_SEEDS)
        found += cross(usual, few, every, segments.running(_LOST))
        found += cross(base, few, every, on_local, segments.running(_SHOWN[:1]))
    return found


def frame(records):
    """One row for each fit, matrix, and kind of segments, with their ``contrast``."""
    parts = []
    for name, matrix in _MATRICES.items():
        above = records[f"placed-above-{name}"]
        for kind, column in ((OWN, f"contrast-{name}"), (PLACED, f"contrast-{name}-placed")):
            there = {"matrix": matrix, "contrast": records[column], "above": above}
            parts.append(records.assign(solved=records["method"], **there).assign(method=kind))
    frame = pd.concat(parts, ignore_index=True)
    return frame.astype({"solved": str, "method": str})


def table(frame):
    """Mean contrasts over starts and images with 95 % intervals over starts."""
    frame = select_rows(frame, graph=GRAPH, solved=[SYM, EUC])
    return mean_table(frame, "contrast", ["solved", "matrix", "method"], over=["repeat"])


def draw(table):
    """One line for each method and matrix."""
    return score_table(
        table,
        {"solved": "method", "matrix": "matrix"},
        [OWN, PLACED],
        plus_minus_cell(3),
    )


def _stand_out(matrix):
    """Own segments have clearly the larger contrast at each reading of what is lost."""
    test = always_best(OWN, [PLACED], "contrast", ratio=True, blocks="image", region=_CLEARLY)

    def at(method, graph):
        place = {"solved": method, "graph": graph, "matrix": matrix}
        return within(place, with_evidence(test, _above))

    return at_readings(at)


def _above(frame):
    """How many placements do as well."""
    own = select_rows(frame, method=OWN)
    return f"{100 * own['above'].mean():.2g} % of the placements have as large a contrast"


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/contrast",
        title="Classes of pixels against compact segments placed at random",
        kind="table",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=table,
        picture=draw,
        claims=[
            Claim(
                f"distinguishes-{name}",
                f"MahNMF-SYM clearly distinguishes the three classes of correlations: in {words} "
                "similarities within its segments are larger, as a ratio to those between them, "
                "than with compact segments of the same sizes placed at random, by a quarter or "
                "more.",
                test=_stand_out(matrix),
                **said_at(_SOURCE, ours=ours),
            )
            for name, matrix, words, ours in (
                ("product", "HHᵀ", "its approximation HHᵀ", True),
                ("affinity", "V", "the matrix V of the similarities itself", False),
            )
        ],
        planned=Plan(10, "A repeat, of all ten images, takes some eight minutes of CPU time."),
        matters={"contrast": Ratio(0.05)},
        assumed={
            "clearly distinguishes": "The paper judges by eye. The number is the mean similarity "
            "within segments over that between them, off the diagonal. As similarities are of near "
            "pixels, any compact segments do well by it: they are the rival, 200 placements of "
            "each fit, in the geometric mean. Clearly: by a quarter, five times the smallest "
            "difference that matters.",
            "two matrices": "The segments come from H, so that they stand out in HHᵀ whatever the "
            "image: that they do is our question. That they do in V says that they follow the "
            "image.",
            "fits": "As in Figures 12 to 15: ten images, 60 pixels on the longer side, three "
            "segments by K-means of the rows of H. Graph, rank and start are lost: shown are the "
            "medium graph, rank 10 and a start by symmetric EucNMF; claims are decided where they "
            "come out alike on the local graph, from a uniform start, and with three components.",
            "one observation": "A start; the images are blocks: the claims are about these ten.",
        },
        caption="Mean similarity within segments over that between them, mean over ten images ± "
        "half of the 95 % interval over starts; symmetric EucNMF stands beside.",
    )
)
