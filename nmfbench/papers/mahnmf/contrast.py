"""Classes of pixels in the similarities and in HHᵀ, against segments placed at random."""

from __future__ import annotations

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best
from nmfbench.artefacts.finding import with_evidence, within
from nmfbench.artefacts.frames import mean_table, select_rows
from nmfbench.artefacts.grids import Method, cross, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.tables import mean_and_deviation, score_table
from nmfbench.core.matters import Ratio
from nmfbench.papers.mahnmf import segments
from nmfbench.papers.mahnmf.segments import EUC, GRAPH, SYM, of_lost_settings
from nmfbench.problems.segmentation import GRAPHS, SIDES
from nmfbench.trials.trial import Trial

OWN, PLACED = "own segments", "placed at random"
METHODS = (
    Method(SYM, "mahnmf-sym", {"max_iter": segments.SWEEPS["paper"]}),
    Method(EUC, "sym-mu"),
)
_MATRICES = {"affinity": "V", "product": "HHᵀ"}
_OPTIONS = {"n_components": 10, "segments": 3}
_SOURCE = "Section 5.3.2, Figure 15 (a), (b)"


def trials(profile):
    """Fits of each image from several starts, at one size of the images but in the smoke grid."""
    smoke = profile == "smoke"
    base = Trial(
        "class-contrast",
        "regions" if smoke else "bsds",
        "",
        options=_OPTIONS
        | GRAPHS[GRAPH]
        | {"side": SIDES["smoke" if smoke else "paper"]}
        | ({"n_placed": 20} if smoke else {}),
    )
    repeats = {"smoke": 2, "quick": 5, "paper": 10}[profile]
    return cross(base, repeats, segments.images(profile), methods(METHODS))


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
    return mean_table(frame, "contrast", ["solved", "matrix", "method"], over=["repeat"])


def draw(table):
    """One line for each method and matrix."""
    return score_table(
        table,
        {"solved": "method", "matrix": "matrix"},
        [OWN, PLACED],
        lambda cell: mean_and_deviation(cell.mean, (cell.high - cell.low) / 2, cell.count, 3),
    )


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
                "than with compact segments of the same sizes placed at random.",
                _SOURCE,
                within(
                    {"solved": SYM, "matrix": matrix},
                    with_evidence(
                        of_lost_settings(
                            always_best(OWN, [PLACED], "contrast", ratio=True, blocks="image")
                        ),
                        _above,
                    ),
                ),
            )
            for name, matrix, words in (
                ("product", "HHᵀ", "its approximation HHᵀ"),
                ("affinity", "V", "the matrix V of the similarities itself"),
            )
        ],
        planned=Plan(10, "A repeat, of all ten images, takes some five minutes of CPU time."),
        matters={"contrast": Ratio(0.05)},
        assumed={
            "clearly distinguishes": "The paper judges by eye. The number is the mean similarity "
            "within segments over that between them, off the diagonal. As similarities are of near "
            "pixels, any compact segments do well by it: they are the rival, 200 placements of "
            "each fit, in the geometric mean.",
            "two matrices": "The segments come from H, so that they should stand out in HHᵀ more "
            "than others; that they do in V, too, says that they follow the image.",
            "fits": "As in Figures 12 to 15: ten images, 60 pixels on the longer side, the medium "
            "graph, rank 10, three segments by K-means of the rows of H.",
            "one observation": "A start; the images are blocks: the claims are about these ten.",
        },
        caption="Mean similarity within segments over that between them, mean over ten images ± "
        "half of the 95 % interval over starts; symmetric EucNMF stands beside.",
    )
)
