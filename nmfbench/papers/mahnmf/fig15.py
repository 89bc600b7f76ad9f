"""Figure 15: similarities of pixels and their low-rank approximations, and how these are found."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import at_least, at_most, without_exception
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best
from nmfbench.artefacts.finding import at_each_reading
from nmfbench.artefacts.frames import melt_metrics, select_rows
from nmfbench.artefacts.grids import changed, cross, fields, options
from nmfbench.artefacts.plan import Plan
from nmfbench.core.matters import Ratio
from nmfbench.papers.mahnmf import segments
from nmfbench.papers.mahnmf.segments import (
    EUC,
    GRAPH,
    LOCAL,
    OF_K,
    READ_SEEDS,
    READINGS,
    ROWS,
    SCORES,
    SYM,
    UNIFORM,
    VECTORS,
    Segmenter,
    of_lost_settings,
)
from nmfbench.papers.mahnmf.speed_claims import FEW

_V, _PRODUCT = "V", "HHᵀ"
_SHOWN = {"a": ("3096", 3), "b": ("8068", 3), "c": ("8068", 5), "d": ("241004", 5)}
_GENERATED = {"a": ("made-0", 3), "b": ("made-1", 3), "c": ("made-1", 5), "d": ("made-0", 5)}
_BOTH = (3, 5)
_NUMBERS = ("correlation", "residual-ratio", "residual-ratio-start")
_CONTRASTS = ("contrast-affinity", "contrast-product")
_EARLY = (1, 10)  # sweeps
_CORRELATION, _SATISFIED = 0.5, 0.95
_CLOSE = {"tol": 1e-3, "max_iter": 1000}

_TEN = {"n_components": 10}
_EXACT = {n: f"{SYM}, {n} sweep{'s' * (n > 1)}" for n in _EARLY}
_PAPER = "the paper's rule"
_SYM_TIMED, _EUC_TIMED = f"{SYM}, to 0.1 %", f"{EUC}, to 0.1 %"
_BY_SWEEPS = [
    Segmenter(label, "mahnmf-sym", {"max_iter": n, "tol": 0.0} | rule, rank)
    for rank in ({}, _TEN)
    for label, n, rule in (
        *((label, n, {}) for n, label in _EXACT.items()),
        (_PAPER, _EARLY[-1], {"diagonal": "paper"}),
    )
]
_TIMED = [
    Segmenter(_SYM_TIMED, "mahnmf-sym", _CLOSE | {"init": "uniform"}, _TEN),
    Segmenter(_EUC_TIMED, "sym-mu", _CLOSE, _TEN),
]
_MORE = [*_BY_SWEEPS, *_TIMED]


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
    few = _GENERATED if profile == "smoke" else _SHOWN
    drawn = options("image", dict.fromkeys(image for image, _ in few.values()))
    sym = [s for s in segments.segmenters(segments.SWEEPS[profile]) if s.label == SYM]
    timed = fields("timed", [True])
    unit = options("unit_rows", [True])
    exact = [s for s in _BY_SWEEPS if s.label != _PAPER]
    return [
        *cross(base, 1, options("segments", [_BOTH]), details, drawn, segments.running(sym)),
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
    names = {"contrast-affinity": _V, "contrast-product": _PRODUCT}
    contrasts = melt_metrics(fits, names, "method", "contrast").astype({"method": str})
    rows = pd.concat([rows, contrasts], ignore_index=True)
    return rows.assign(image=rows["repeat"])


def table(frame):
    """Matrices of each panel, as lists of rows of cells, and where its classes end.

    Columns: ``panel``, ``image``, ``segments``, ``matrix``, ``cells``, ``ends`` in cells, and
    numbers of the fit.
    """
    fits = select_rows(frame, method=SYM, graph=GRAPH, details=True)
    shown = _SHOWN if fits["repeat"].isin([image for image, _ in _SHOWN.values()]).any() else {}
    rows = []
    for panel, (image, k) in (shown or _GENERATED).items():
        for fit in select_rows(fits, repeat=image, segments=k).to_dict("records"):
            labels = fit["arrays"]["labels"][fit["place"]]
            sizes = np.bincount(labels.ravel())
            there = {"panel": panel, "image": image, "segments": k}
            numbers = {name: fit[name] for name in _NUMBERS}
            pair = fit["arrays"]["matrices"][fit["place"]]
            for name, ratio, cells in zip((_V, _PRODUCT), _CONTRASTS, pair, strict=True):
                ends = np.cumsum(sizes) * len(cells) / labels.size
                rows.append(
                    there
                    | {"matrix": name, "cells": cells.tolist(), "ends": ends.tolist()}
                    | {"contrast": fit[ratio]}
                    | numbers
                )
    return pd.DataFrame(rows)


def draw(table):
    """V above its approximation, a column an image."""
    panels = table["panel"].unique()
    figure, axes = plt.subplots(2, len(panels), figsize=(2.7 * len(panels), 6.2), squeeze=False)
    for column, panel in zip(axes.T, panels, strict=True):
        for axis, name in zip(column, (_V, _PRODUCT), strict=True):
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
            if name == _PRODUCT:
                text += (
                    f"\ncorrelation with V {row['correlation']:.2f}"
                    f"\nresidual {row['residual-ratio']:.2f}, of the start "
                    f"{row['residual-ratio-start']:.2f}"
                )
            axis.set_xlabel(text, fontsize="small")
        column[0].set_title(f"({panel}) {row['image']}, {row['segments']} segments")
    for axis, name in zip(axes[:, 0], (_V, _PRODUCT), strict=True):
        axis.set_ylabel(name)
    return figure


_AT = {"graph": GRAPH, "segments": list(_BOTH), "details": False}
_SOURCE, _MODEL = "Section 5.3.2, Figure 15", "Section 4.5"
_OURS = f"ours, after {_SOURCE}"
_NO_RIVAL = f"ours, after {_MODEL}, which names no rival"


_STARTS: dict[str, Any] = {"unit": "seed", "blocks": "image"}


def _helps(rival, score, method=SYM, graph=GRAPH):
    at = _AT | {"graph": graph}
    return always_best(method, [rival], score, ["segments"], lower=score == "vi", at=at, **_STARTS)


def _helps_at_each(rival, score):
    tests = {words: _helps(rival, score, *reading) for words, reading in READINGS.items()}
    return at_each_reading("graph, start and rank", tests)


def _approximates():
    """The correlation is above the bound at each reading of what is lost."""
    test = partial(at_least, value="correlation", bound=_CORRELATION, measured_from=1.0)
    tests = {w: test(method, at=_AT | {"graph": g}) for w, (method, g) in READINGS.items()}
    return at_each_reading("graph, start and rank", tests)


def _fewer(value):
    """MahNMF-SYM takes less of ``value`` to the same relative change than symmetric EucNMF."""
    return always_best(_SYM_TIMED, [_EUC_TIMED], value, lower=True, ratio=True, **_STARTS)


def _satisfied(label, value):
    """By one way of normalising or another, alike at both ranks."""

    def test(rank):
        sides = [{"method": label, "normalised": what} for what in ("graph", "rows of H")]
        at = {"rank": rank}
        both = at_least(sides, value, _SATISFIED, measured_from=1.0, at=at)
        return lambda frame: replace(both(frame), rule="some")

    return at_each_reading("the rank", {f"{rank}": test(rank) for rank in (3, 10)})


_CLAIMS = [
    *(
        Claim(
            f"kept-{k}",
            f"HHᵀ distinguishes the {k} classes, the segments of MahNMF-SYM, more clearly than V "
            "does.",
            _OURS,
            always_best(_PRODUCT, [_V], "contrast", at={"segments": k}, ratio=True, **_STARTS),
            origin="ours",
        )
        for k in _BOTH
    ),
    Claim(
        "approximation",
        f"HHᵀ is an approximation of V: off the diagonal their correlation is {_CORRELATION:g} at "
        "least.",
        _SOURCE,
        _approximates(),
    ),
    *(
        Claim(
            f"helps-rows-{score}",
            f"The low-rank representation helps K-means: {label} of its segments is better than "
            "with the rows of V, at 3 and 5 segments.",
            _SOURCE,
            _helps_at_each(ROWS, score),
        )
        for score, label in SCORES.items()
    ),
    *(
        Claim(
            f"helps-vectors-{score}",
            f"K-means segments better with the low-rank representation than with as many "
            f"eigenvectors: in {label}, at 3 and 5 segments.",
            _OURS,
            of_lost_settings(_helps(VECTORS, score)),
            origin="ours",
        )
        for score, label in SCORES.items()
    ),
    *(
        Claim(
            f"diagonal-{slug}",
            "The diagonal of V without the other components is at most 0, which is easily "
            f"satisfied by normalising: {words}, for {100 * _SATISFIED:g} % of the entries of H, "
            "with the graph normalised or with rows of H of unit length.",
            _MODEL,
            _satisfied(label, name),
        )
        for slug, words, label, name in (
            ("start", "at the start", _EXACT[1], "bound-diagonal-start"),
            ("1", "after one sweep", _EXACT[1], "bound-diagonal"),
            ("10", "after ten sweeps", _EXACT[10], "bound-diagonal"),
        )
    ),
    Claim(
        "paper-rule",
        "The update that takes this for granted lowers the objective: after ten sweeps it is not "
        "above that of the start.",
        _MODEL,
        without_exception(_PAPER, "growth", high=1.0, whose="paper"),
    ),
    Claim(
        "fast",
        f"RRI for MahNMF-SYM converges fast: to a relative change of 0.001 in {FEW} sweeps at "
        "most.",
        _MODEL,
        at_most(_SYM_TIMED, "n_iter", FEW, ratio=True),
    ),
    Claim(
        "fast-sweeps",
        "To a relative change of 0.001 MahNMF-SYM takes fewer sweeps than symmetric EucNMF takes "
        "steps.",
        _NO_RIVAL,
        _fewer("n_iter"),
        origin="ours",
    ),
    Claim(
        "fast-seconds",
        "To a relative change of 0.001 MahNMF-SYM takes fewer CPU seconds than symmetric EucNMF.",
        _NO_RIVAL,
        _fewer("cpu_seconds"),
        origin="ours",
    ),
]

ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig15",
        title="Similarities of pixels and their low-rank approximations",
        kind="figure",
        methods=(*segments.METHODS, *segments.methods_of(_MORE)),
        grid=trials,
        frame=frame,
        table=table,
        picture=draw,
        claims=_CLAIMS,
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
