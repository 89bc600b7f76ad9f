"""When a fit of similarities in the l1 norm makes sense: reach of the graph, and wrong entries.

Nothing here is a claim of the paper, which sets the parameters of its graph without a search.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best
from nmfbench.artefacts.frames import mean_table, melt_metrics, reference, select_rows
from nmfbench.artefacts.grids import changed, cross, options
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import Curves
from nmfbench.artefacts.tables import interval_cell, score_table
from nmfbench.papers.mahnmf import segments
from nmfbench.papers.mahnmf.segments import EUC, NCUTS, OF_K, START, SYM, Segmenter
from nmfbench.problems.segmentation import SIDES

_ZERO, _EUC_K = "H = 0", f"{EUC}, r = k"
_LABELS = [SYM, START, OF_K, EUC, _EUC_K, NCUTS]
_SCORES = {
    "residual-ratio": "|V − HHᵀ|₁/|V|₁",
    "zero-rows": "zero rows of H",
    "largest-segment": "largest segment",
    "covering": "covering",
    "vi": "VI, bits",
}
_RADII = (0.035, 0.06, 0.1, 0.18, 0.333, 0.6, 1.0)
_WIDTHS = (0.05, 0.1, 0.2)  # sigma of brightness
_SHARES = (0.0, 0.05, 0.1, 0.2)  # of wrong entries
_FEW = {"radii": _RADII[::2], "widths": (0.1,), "shares": (0.0, 0.1)}
_ALL = {"radii": _RADII, "widths": _WIDTHS, "shares": _SHARES}
_SIZES = {"smoke": (2, 2, 1), "quick": (2, 5, 1), "paper": (4, 10, 5)}
"""Images of graphs, images of wrong entries, and seeds."""

_WRONG = "wrong entries"
_BETTER = {"covering": 1, "vi": -1}

_SWEEPS = segments.SWEEPS["quick"]
_SEGMENTERS = [
    *(s for s in segments.segmenters(_SWEEPS) if s.label in _LABELS),
    Segmenter(_EUC_K, "sym-mu"),
]


def trials(profile):
    """Factorizations on graphs of all reaches; those and cuts on graphs with wrong entries."""
    chosen = _ALL if profile == "paper" else _FEW
    n_reached, n_wrong, seeds = _SIZES[profile]
    fitted = [s for s in _SEGMENTERS if s.label in (SYM, EUC) or profile == "paper"]
    fitted = [s for s in fitted if s.label != NCUTS]
    segmenters = [s for s in _SEGMENTERS if s.label in (SYM, EUC, NCUTS)]
    side = SIDES["smoke" if profile == "smoke" else "quick"]
    base = changed(segments.base(profile, segments=(3,)), {"options": {"side": side}})
    reach = [{"options": {"radius": R, "sigma_position": R / 2}} for R in chosen["radii"]]
    widths = options("sigma_brightness", chosen["widths"])
    wrong = options("corrupted", chosen["shares"])
    medium = changed(base, *segments.on_graphs())
    return [
        *cross(base, seeds, reach, widths, _images(profile, n_reached), segments.running(fitted)),
        *cross(medium, seeds, wrong, _images(profile, n_wrong), segments.running(segmenters)),
    ]


def _images(profile, n):
    return segments.images(profile, segments.IMAGES[:n], n)


def frame(records):
    """Rows of :func:`segments.scored`, with the ``panel`` that shows them and their place ``x``.

    ``kept-covering`` and ``kept-vi`` are the scores minus what the same image has without wrong
    entries; the sign is such that more is better.
    """
    rows = segments.scored(records)
    reached = rows["corrupted"].isna()
    width = "σ of brightness " + rows["sigma_brightness"].astype(str)
    rows = rows.assign(
        panel=width.where(reached, _WRONG), x=rows["radius"].where(reached, rows["corrupted"])
    )
    clean = {"corrupted": 0.0}
    kept = {
        f"kept-{score}": sign * (rows[score] - reference(rows, score, clean, ["method", "repeat"]))
        for score, sign in _BETTER.items()
    }
    return rows.assign(**kept)


def table(frame):
    """Means of each ``score`` with 95 % intervals over images, by ``panel``, method and ``x``."""
    long = melt_metrics(frame, dict(zip(_SCORES, _SCORES, strict=True)), "score", "value")
    by = ["panel", "method", "score", "x"]
    found = mean_table(long.dropna(subset="value"), "value", by, over=["repeat"])
    zero = select_rows(found, score=["residual-ratio"], method=SYM)
    zero = zero.assign(method=_ZERO, mean=1.0, low=np.nan, high=np.nan)
    return pd.concat([found, zero], ignore_index=True)


_PANELS = {f"σ of brightness {width}": f"σ of brightness {width}" for width in _FEW["widths"]}
_DRAWN = {name: words for name, words in _SCORES.items() if name != "largest-segment"}


def scores(table):
    """All scores and all widths, which the picture has not, as text."""
    names = {"panel": "panel", "x": "radius, or share", "score": "score"}
    cells = table.assign(score=table["score"].map(_SCORES)).sort_values(["panel", "score", "x"])
    return score_table(cells, names, _LABELS, interval_cell(2))


draw = Curves(
    x="x",
    labels=_LABELS,
    row="score",
    rows=_DRAWN,
    column="panel",
    columns=_PANELS | {_WRONG: "medium graph"},
    xlabel=dict.fromkeys(_PANELS, "radius") | {_WRONG: "share of wrong entries"},
    banded=(),
    dotted=_ZERO,
    logx=frozenset(_PANELS),
    size=(4.4, 2.2),
)

_QUESTION = "Section 5.3.2 (a question of ours)"

ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/affinity",
        title="Similarities of pixels for which an l1 fit makes sense",
        kind="figure",
        methods=segments.methods_of(_SEGMENTERS),
        grid=trials,
        frame=frame,
        table=table,
        picture=draw,
        scores=scores,
        claims=[
            Claim(
                f"robust-{score}",
                "Where some similarities are wrong, MahNMF-SYM loses less than symmetric EucNMF "
                f"and Ncuts in {words}.",
                _QUESTION,
                always_best(SYM, [EUC, NCUTS], f"kept-{score}", at={"corrupted": _SHARES[1:]}),
                origin="ours",
            )
            for score, words in (("covering", "covering"), ("vi", "variation of information"))
        ],
        planned=Plan(5, "The least that can decide: a repeat takes 6 minutes of CPU time."),
        matters={"kept-covering": 0.02, "kept-vi": 0.1},
        assumed={
            "images": "The first four of Figures 12 to 14, for wrong entries all ten, with 36 "
            "pixels on the longer side; three segments.",
            "graph": "The radius goes from neighbours alone to all of the image, in longer sides; "
            "σ of position is half of it.",
            "wrong entries": "A share of the pairs of pixels of the medium graph, drawn at random, "
            "has uniform numbers up to the largest entry of V: most were zero before. Cuts see "
            "the same graph, with degrees as they were.",
            "fits": f"MahNMF-SYM: at most {_SWEEPS} sweeps from symmetric EucNMF; that one, 300 "
            "steps from uniform numbers. Ten components, or as many as segments.",
            "one observation": "An image; seeds are averaged first.",
        },
        caption="Residual and zero rows say whether a fit has explained anything: "
        "H = 0 (dotted) has a residual of 1, and no fit should be above. Means over images. Of VI "
        "the lower value is the better one. The largest segment, and other widths of brightness, "
        "are in the table.",
    )
)
