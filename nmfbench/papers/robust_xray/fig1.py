"""Figure 1: RobustXRAY separates background and foreground."""

from __future__ import annotations

import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import better, not_worse
from nmfbench.artefacts.frames import select_rows, with_columns
from nmfbench.artefacts.grids import Method, cross, methods, options
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import image_grid
from nmfbench.papers.clips import Clip, longest, on_clips
from nmfbench.papers.robust_xray.foreground import (
    MEDIAN,
    RANKS,
    REFITS,
    ROBUST,
    in_words,
    separable,
)
from nmfbench.problems.separation import FRAMES
from nmfbench.trials.trial import Trial

HALL = Clip("Airport Hall", "video-hall")
MASKED = Clip("Hall & monitor, with masks", "video-hallandmonitor")
_GENERATED = Clip("Square, with masks", "moving-square")

MEAN = "temporal mean"
METHODS = (*separable(ROBUST, "robust-xray"), Method(MEDIAN, "median"))
_SEEDS = 5
_VIEWS = {("", "frame"): "frame"} | {
    (method, view): f"{method}\n{view}"
    for method in (ROBUST, MEDIAN)
    for view in ("background", "foreground")
}


def trials(profile):
    """The parameters of Figure 7, on the clip with masks for several seeds of p."""
    if profile == "smoke":
        return _grid([], _GENERATED, FRAMES["quick"], [2], [1])
    quick = _grid([HALL], MASKED, FRAMES["quick"], [2], [1])
    if profile == "quick":
        return quick
    return _grid([HALL], MASKED, FRAMES["paper"], RANKS, REFITS) + quick


def _grid(own, masked, n_frames, ranks, refits):
    base = Trial(task="separation", dataset="", solver="", options={"n_frames": n_frames})
    robust = options("n_components", ranks), methods(separable(ROBUST, "robust-xray", refits))
    return [
        *cross(base, 1, on_clips(own), *robust),
        *cross(base, _SEEDS, on_clips([masked]), *robust),
        *cross(base, 1, on_clips([*own, masked]), methods(METHODS[-1:])),
    ]


def with_the_choice(records: pd.DataFrame) -> pd.DataFrame:
    """Fits with the rank and refits that are best on every second scored frame, and references.

    These are the temporal median, the same for all seeds, and the errors of the temporal mean.
    """
    records = longest(records.astype({"method": str}))
    records = with_columns(records, [*_ERRORS, *_ERRORS.values()])
    records = records.assign(setting=[in_words(row) for _, row in records.iterrows()])
    known = (
        select_rows(records, method=ROBUST).reindex(columns=["setting", "pauc-odd@0.2"]).dropna()
    )
    areas = known.groupby("setting")["pauc-odd@0.2"].mean()
    best = [areas.idxmax()] if len(areas) else []
    own = select_rows(records, method=ROBUST, setting=best)
    medians = select_rows(records, method=MEDIAN).drop(columns="repeat")
    means = own.assign(method=MEAN, **{name: own[mean] for name, mean in _ERRORS.items()})
    return pd.concat([own, medians.merge(own[["clip", "repeat"]], on="clip"), means])


_ERRORS = {"age": "age-mean", "age-fg": "age-fg-mean"}
"""Errors of the background where it is seen and under the foreground, with the temporal mean's."""


def images(frame):
    """Images, 0 to 255, of one frame of each clip.

    It is the frame with the largest foreground by the rule for thresholds, with the median.
    Columns: ``clip``, ``method``, ``setting``, ``number`` of the frame; ``frame``, ``background``,
    ``foreground`` (their distance), rows of pixels, and ``mask``, if it is known; errors.
    """
    rows = []
    first = select_rows(frame, method=[ROBUST, MEDIAN], repeat=0).sort_values("clip")
    for clip, fits in first.groupby("clip", observed=True):
        by_method = fits.set_index("method")
        if set(by_method.index) != {ROBUST, MEDIAN}:
            continue
        median = by_method.loc[MEDIAN]
        large = median["arrays"]["scores"] > 255 * median["threshold-rule"]
        k = int(large.mean(axis=(1, 2)).argmax())
        for method, fit in by_method.iterrows():
            arrays = fit["arrays"]
            row = {
                "clip": clip,
                "method": method,
                "setting": fit["setting"],
                "number": int(arrays["shown"][k]) + 1,
                "frame": arrays["frames"][k].tolist(),
                "background": arrays["backgrounds"][k].tolist(),
                "foreground": arrays["scores"][k].tolist(),
                "mask": arrays["masks"][k].tolist() if "masks" in arrays else None,
                "error": fit["age"],
                "error_under": fit["age-fg"],
            }
            rows.append(row)
    return pd.DataFrame(rows)


def draw(table):
    """A row a clip: the frame, and what RobustXRAY and the median make of it."""
    rows = {f"{row.clip}\nframe {row.number}": row.clip for row in table.itertuples()}

    def panel(axis, row, column):
        method, view = column
        fits = select_rows(table, clip=rows[row])
        fit = select_rows(fits, method=method or ROBUST).iloc[0]
        white = 255
        if view == "foreground":  # on one scale of grey in each clip
            white = max(np.quantile(fits["foreground"].to_list(), 0.995), 1)
        axis.imshow(fit[view], cmap="gray", vmin=0, vmax=white)
        if isinstance(fit["mask"], list) and view != "background":
            axis.contour(np.equal(fit["mask"], 255), [0.5], colors="darkorange", linewidths=0.6)
        axis.set(xticks=[], yticks=[])
        axis.grid(False)
        if view == "background":
            axis.set_xlabel(_measured(fit), fontsize="x-small")

    return image_grid(list(rows), _VIEWS, panel, size=(2.3, 1.9))


def _measured(fit):
    text = "" if fit["method"] == MEDIAN else fit["setting"]
    if pd.isna(fit["error"]):
        return text
    return f"{text}\nerror {fit['error']:.1f}, under foreground {fit['error_under']:.1f}".strip()


_WITH_MASKS = {"clip": MASKED.label}

ARTEFACT = register_artefact(
    Artefact(
        "robust-xray/fig1",
        title="RobustXRAY separates background and foreground",
        kind="figure",
        methods=METHODS,
        grid=trials,
        frame=with_the_choice,
        table=images,
        picture=draw,
        claims=[
            Claim(
                "less-foreground-than-the-mean",
                "Under the foreground the background that RobustXRAY finds has a smaller error "
                "than the temporal mean of the frames, in which moving objects leave a trace (on "
                "Hall & monitor).",
                "Section 1, Figure 1",
                better(ROBUST, MEAN, "age-fg", lower=True, at=_WITH_MASKS),
            ),
            Claim(
                "keeps-the-background",
                "Where the background is seen, its error with RobustXRAY is not larger than with "
                "the temporal mean by more than the margin (on Hall & monitor).",
                "Section 1, Figure 1",
                not_worse(ROBUST, [MEAN], "age", lower=True, at=_WITH_MASKS),
            ),
            Claim(
                "as-clean-as-the-median",
                "Under the foreground the error of the background with RobustXRAY is not larger "
                "than with the temporal median by more than the margin (on Hall & monitor).",
                "ours, after Sections 1 and 5.3",
                not_worse(ROBUST, [MEDIAN], "age-fg", lower=True, at=_WITH_MASKS),
                origin="ours",
            ),
        ],
        planned=Plan(5, "Complete when plans were made; a repeat takes 110 s of CPU time."),
        assumed={
            "clips": "Hall is the paper's own sequence, as far as it is to be had (100 frames, "
            "without masks). The numbers are of Hall & monitor, a clip of that kind with masks.",
            "parameters": "Not given. Rank (1 to 10) and refits (1 or 2) with the best ROC curve, "
            "up to a false-alarm rate of 0.2, on every second scored frame of the clip with masks; "
            "the same for Hall. In the quick grid r = 2 and one refit.",
            "frame": "That with the largest foreground by the median (2.5 robust deviations).",
            "separation": "The paper shows a picture and has no number. Tested is the least that "
            "its sentence asks for: less of the foreground than in the mean of the frames, and "
            "elsewhere no larger an error. Errors are in grey levels of 255, of five seeds of p; "
            "the mean and the median depend on no seed.",
        },
        caption="One frame a clip with background and foreground, which is the distance of the "
        "two, on one scale of grey in each clip. The temporal median is shown for comparison. "
        "Orange: outline of the foreground, where it is known; errors, in grey levels, where the "
        "background is seen and under the foreground.",
    )
)
