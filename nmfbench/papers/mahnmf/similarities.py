"""Low-rank approximations of similarities of pixels: fits, and how clear classes are in them."""

from __future__ import annotations

import pandas as pd

from nmfbench.artefacts.frames import melt_metrics, select_rows
from nmfbench.artefacts.grids import changed, cross, fields, options
from nmfbench.papers.mahnmf import segments
from nmfbench.papers.mahnmf.segments import (
    EUC,
    GRAPH,
    LOCAL,
    OF_K,
    READ_SEEDS,
    ROWS,
    SYM,
    UNIFORM,
    VECTORS,
    Segmenter,
)

AFFINITY, PRODUCT = "V", "HHᵀ"
SHOWN = {"a": ("3096", 3), "b": ("8068", 3), "c": ("8068", 5), "d": ("241004", 5)}
GENERATED = {"a": ("made-0", 3), "b": ("made-1", 3), "c": ("made-1", 5), "d": ("made-0", 5)}
"""Image and number of segments of each panel, of images and of generated ones."""
SEGMENTS = (3, 5)
_EARLY = (1, 10)  # sweeps
_CLOSE = {"tol": 1e-3, "max_iter": 1000}

_TEN = {"n_components": 10}
EXACT = {n: f"{SYM}, {n} sweep{'s' * (n > 1)}" for n in _EARLY}
PAPER_RULE = "the paper's rule"
SYM_TIMED, EUC_TIMED = f"{SYM}, to 0.1 %", f"{EUC}, to 0.1 %"
_BY_SWEEPS = [
    Segmenter(label, "mahnmf-sym", {"max_iter": n, "tol": 0.0} | rule, rank)
    for rank in ({}, _TEN)
    for label, n, rule in (
        *((label, n, {}) for n, label in EXACT.items()),
        (PAPER_RULE, _EARLY[-1], {"diagonal": "paper"}),
    )
]
_TIMED = [
    Segmenter(SYM_TIMED, "mahnmf-sym", _CLOSE | {"init": "uniform"}, _TEN),
    Segmenter(EUC_TIMED, "sym-mu", _CLOSE, _TEN),
]
METHODS = (*segments.METHODS, *segments.methods_of([*_BY_SWEEPS, *_TIMED]))


def trials(profile):
    """Fits of Figures 12 to 14, K-means of the rows of V, and fits of a few sweeps.

    The matrices of some images, and the seconds, have trials of their own.
    """
    of_figures = segments.trials(profile, (SYM, VECTORS, ROWS), [GRAPH])
    readings = [
        *segments.trials(profile, (SYM, ROWS), [LOCAL]),
        *segments.trials(profile, (UNIFORM, OF_K), [GRAPH]),
    ]
    of_figures += [trial for trial in readings if trial.repeat < READ_SEEDS]
    if profile == "paper":
        return of_figures + _looked_into("quick") + _looked_into("paper")
    return of_figures + _looked_into(profile)


def _looked_into(profile):
    base = changed(segments.base(profile), *segments.on_graphs())
    three, details = options("segments", [(3,)]), options("details", [True])
    every = segments.images(profile)
    seeds = segments.SEEDS[profile] if profile == "paper" else 1
    few = GENERATED if profile == "smoke" else SHOWN
    drawn = options("image", dict.fromkeys(image for image, _ in few.values()))
    sym = [s for s in segments.segmenters(segments.SWEEPS[profile]) if s.label == SYM]
    timed = fields("timed", [True])
    unit = options("unit_rows", [True])
    exact = [s for s in _BY_SWEEPS if s.label != PAPER_RULE]
    return [
        *cross(base, 1, options("segments", [SEGMENTS]), details, drawn, segments.running(sym)),
        *cross(base, seeds, three, details, every, segments.running(_BY_SWEEPS)),
        *cross(base, min(seeds, READ_SEEDS), three, details, unit, every, segments.running(exact)),
        *cross(base, seeds, three, timed, every, segments.running(_TIMED)),
    ]


def frame(records):
    """Rows of :func:`segments.scored`, and of the contrast between classes in V and in HHᵀ.

    ``growth`` is the objective as a ratio to that of the start; the ``image`` is the repeat.
    """
    rows = segments.scored(records)
    rows = rows.assign(growth=rows["residual-ratio"] / rows["residual-ratio-start"])
    fits = select_rows(rows, method=SYM, graph=GRAPH, details=False).drop(columns="method")
    names = {"contrast-affinity": AFFINITY, "contrast-product": PRODUCT}
    contrasts = melt_metrics(fits, names, "method", "contrast").astype({"method": str})
    rows = pd.concat([rows, contrasts], ignore_index=True)
    return rows.assign(image=rows["repeat"])
