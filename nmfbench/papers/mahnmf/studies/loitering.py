"""Objects that stand still: up to which share of a clip each method finds them."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import near
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import better
from nmfbench.artefacts.drawn import attach_data
from nmfbench.artefacts.frames import mean_table, reference, select_rows
from nmfbench.artefacts.grids import Method, cross, methods, options
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import Curves
from nmfbench.artefacts.style import method_styles
from nmfbench.datasets.base import dataset_info
from nmfbench.problems.separation import CARD
from nmfbench.stats.breakdown import breakdown_levels
from nmfbench.trials.trial import Trial

ROBUST, LOW_RANK, RRI = "RobustXRAY", "robust low rank", "MahNMF (RRI)"
MEDIAN, MEAN = "median", "temporal mean"
RPCA = {factor: f"RPCA, λ = {factor:g}/√n" for factor in (0.5, 1, 2)}
"""Labels, by the factor on the usual λ; n is the number of pixels, the longer side."""

_L1 = [
    Method(ROBUST, "robust-xray", {"refits": 1}),
    Method("robust NMF", "robust-nmf-admm", {"n_init": 5}),
    Method(LOW_RANK, "robust-lowrank-admm"),
    Method(RRI, "mahnmf-rri"),
    Method("MahNMF (OGM)", "mahnmf-ogm", {"lipschitz": "spectral", "stop": "objective"}),
]
_RANKED = [
    *_L1,
    Method("XRAY-l2", "xray-l2", {"refits": 1}),
    Method("GoDec", "godec", {"card": CARD}),
    Method("PCA", "pca"),
    Method("HALS", "hals"),
]
_CLIP, _GENERATED = "video-hallandmonitor", "moving-square"
_MEDIAN = Method(MEDIAN, "median")


def _rpca(dataset, factors=tuple(RPCA)):
    usual = dataset_info(dataset)["n_features"] ** -0.5
    return [Method(RPCA[factor], "rpca-ialm", {"lam": factor * usual}) for factor in factors]


METHODS = (*_RANKED, *_rpca(_CLIP), *_rpca(_GENERATED), _MEDIAN)
_LABELS = [
    *(method.label for method in _L1),
    *(MEDIAN, MEAN),
    *(method.label for method in _RANKED[len(_L1) :]),
    *RPCA.values(),
]

_SHARES = {
    "smoke": (0.1, 0.4, 0.6, 0.9),
    "quick": (0.1, 0.4, 0.6, 0.9),
    "paper": tuple(k / 10 for k in range(1, 10)),
}
_FRAMES = {"smoke": 40, "quick": 100, "paper": 100}
_REPEATS = {"smoke": 1, "quick": 5, "paper": 20}
_SHORT = (ROBUST, LOW_RANK)

F, LEFT, BREAKDOWN = "f-rule", "age-fg", "breakdown"
_SCORES = {F: "F-measure under the silhouette", LEFT: "object in the background (grey levels)"}
_PANELS = {1: "rank 1", 2: "rank 2", 0: "rank found by λ"}
_EVERYTHING = "all called foreground"
_MARGIN = 0.1


def trials(profile):
    """Methods of rank 1 and 2, and those without a choice of rank, at each share."""
    whole = profile == "paper"
    dataset = _GENERATED if profile == "smoke" else _CLIP
    ranked = [method for method in _RANKED if whole or method.label in _SHORT]
    others = [*_rpca(dataset, tuple(RPCA) if whole else (0.5, 2)), _MEDIAN]
    base = Trial("loitering", dataset, "", options={"n_frames": _FRAMES[profile]})
    repeats, shares = _REPEATS[profile], options("share", _SHARES[profile])
    ranks = options("n_components", (1, 2))
    return [
        *cross(base, repeats, shares, ranks, methods(ranked)),
        *cross(base, repeats, shares, methods(others)),
    ]


def frame(records):
    """Scores of each method, the temporal mean among them, by ``rank``, ``share`` and repeat.

    The rank is 0 where λ takes its place. ``breakdown`` is the share at which the F-measure falls
    below half of that at the smallest share, interpolated; that of the end of the grid where it
    does not, and that of its begin where the F-measure is there below half of the median's.
    """
    kept = ["method", "rank", "share", "repeat", F, LEFT]
    rank = records.reindex(columns=["n_components"])["n_components"].fillna(0)
    rows = records.assign(method=records["method"].astype(str), rank=rank)
    rows.loc[rows["method"] == MEDIAN, "rank"] = 1
    mean = select_rows(rows, method=MEDIAN).assign(method=MEAN)
    mean = mean.assign(**{name: mean.get(f"{name}-mean", np.nan) for name in (F, LEFT)})
    long = pd.concat([rows.reindex(columns=kept), mean[kept]]).dropna(subset=F)
    curve, begin = ["method", "rank", "repeat"], {"share": long["share"].min()}
    own = reference(long, F, begin, curve)
    least = reference(long, F, begin | {"method": MEDIAN}, ["repeat"])
    long = long.assign(begin=own.mask(own < least / 2, least))
    levels = breakdown_levels(long, F, by=["rank", "repeat"], level="share", clean="begin")
    found = levels["share"].clip(upper=long["share"].max())
    return long.merge(levels.assign(share=found).rename(columns={"share": BREAKDOWN}), on=curve)


def summarise(frame):
    """Means and 95 % t intervals over repeats, of each ``score``.

    Those of the F-measure and of the error at each ``share``, with the F-measure of a method that
    calls everything foreground; that of the ``breakdown`` once.
    """
    by, shares = ["method", "rank"], np.unique(frame["share"])
    everything = {"method": _EVERYTHING, "share": shares, "mean": 2 * shares / (1 + shares)}
    parts = {
        F: mean_table(frame, F, [*by, "share"], between=(0, 1)),
        LEFT: mean_table(frame, LEFT, [*by, "share"], between=(0, 255)),
        BREAKDOWN: mean_table(
            frame, BREAKDOWN, by, over=["repeat"], between=(shares[0], shares[-1])
        ),
    }
    found = [part.assign(score=score) for score, part in parts.items()]
    return pd.concat([*found, pd.DataFrame(everything).assign(score=F)], ignore_index=True)


def draw(table):
    """F-measure and error against the share, by rank; beside them the breakdown of each method."""
    curves = select_rows(table, score=list(_SCORES))
    references = select_rows(curves, method=[MEDIAN, MEAN, _EVERYTHING])
    others = select_rows(curves[~curves.index.isin(references.index)], rank=list(_PANELS))
    panels = [others, *(references.assign(rank=rank) for rank in _PANELS)]
    figure = plt.figure(figsize=(13, 7))
    parts: Any = figure.subfigures(1, 2, width_ratios=[2.6, 1])
    left, right = parts
    Curves(
        x="share",
        labels=_LABELS,
        row="score",
        rows=_SCORES,
        column="rank",
        columns=_PANELS,
        xlabel="share of frames in which it stands",
        banded=(),
        dotted=_EVERYTHING,
        ylim=(0, None),
    ).draw_in(left, pd.concat(panels))
    _draw_breakdowns(right.subplots(), select_rows(table, score=BREAKDOWN))
    return figure


def _draw_breakdowns(axis, rows):
    """A dot with its interval for each method; rank 2 is hollow and below rank 1."""
    styles = method_styles(_LABELS)
    shown = [label for label in _LABELS if (rows["method"] == label).any()]
    for row in rows.to_dict("records"):
        look, second = styles[row["method"]], row["rank"] == 2
        y = shown.index(row["method"]) + 0.3 * second
        axis.plot([row["low"], row["high"]], [y, y], color=look["color"], linewidth=1.2)
        fill = {"mfc": "white"} if second else {}
        (dot,) = axis.plot(row["mean"], y, color=look["color"], marker=look["marker"], **fill)
        name = row["method"] + ", rank 2" * second
        attach_data(dot, [y], pd.DataFrame([row]), name, "bars")
    axis.axvspan(0.5 - _MARGIN, 0.5 + _MARGIN, color="0.9", zorder=0)
    axis.set(title="breakdown", xlabel="share of frames", xlim=(0.05, 0.95))
    axis.set(yticks=range(len(shown)), yticklabels=shown, ylim=(len(shown) - 0.4, -0.6))


# -- claims -----------------------------------------------------------------------------------


def _claims():
    source = "ours, on Section 5.4.1"
    for method in _L1:
        first, second = ({"method": method.label, "rank": rank} for rank in (1, 2))
        yield Claim(
            f"half-{method.solver}",
            f"{method.label} of rank 1 breaks down when the object stands in half of the frames.",
            source,
            near(first, BREAKDOWN, 0.5, _MARGIN),
            origin="ours",
        )
        yield Claim(
            f"rank-{method.solver}",
            f"{method.label} of rank 2 breaks down earlier than of rank 1: the object becomes a "
            "component.",
            source,
            better(first, second, BREAKDOWN),
            origin="ours",
        )
    yield Claim(
        "lambda",
        "Robust PCA breaks down earlier with twice the usual λ than with half of it.",
        source,
        better(RPCA[0.5], RPCA[2], BREAKDOWN),
        origin="ours",
    )


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/loitering",
        title="How long an object may stand still",
        kind="figure",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=summarise,
        picture=draw,
        claims=tuple(_claims()),
        planned=Plan(20, "A repeat takes 2 minutes of CPU time."),
        matters={BREAKDOWN: 0.02},
        assumed={
            "clip": "100 frames of the background of Hall & monitor, the mean of each pixel where "
            "it is background, with Gaussian noise of the deviation of a pixel in the clip, the "
            "median over pixels. An object cut from a masked frame stands at one place in a share "
            "of the frames, one after the other, and moves through the rest of the picture "
            "before and after. A repeat draws object, place, way, time and noise, the same ones "
            "for all shares and methods.",
            "F-measure": "Of the pixels of the place where the object stands, in all frames: to "
            "be found are in the frames in which it stands there. Found is what is further "
            "from the background than 2.5 robust deviations, one rule for all methods; the best "
            "threshold would call them foreground in all frames.",
            "object in the background": "Mean distance of the background found from the true one "
            "at that place, while the object stands there.",
            "breaks down": "The F-measure falls below half of that at a share of 0.1, "
            "interpolated between shares. A method that does not is counted at 0.9, and one "
            "whose F-measure is below half of the median's at 0.1 already is counted there.",
            "0.5": "The median of an even number of frames is half-way when the object stands in "
            f"half of them; a breakdown at most {_MARGIN:g} away counts.",
            "settings": "One refit of RobustXRAY and XRAY-l2; five starts of robust NMF; GoDec "
            "with 7.45 % of the entries; MahNMF (OGM) with the step sizes of the spectral norm "
            "and the stop of Equation (22), since by the paper's a fit takes minutes.",
            "rank": "PCA has the mean besides its components.",
        },
        caption="An object that stands still for a share of a clip. Above: how much of it is "
        "found while it stands, and not where it stood before or after; below: how much of it is "
        "in the background; means over repeats. To call everything foreground has the F-measure "
        "that is dotted. Right: the share at which each method breaks down, with 95 % intervals "
        "over repeats (grey: 0.5 with our margin; hollow: rank 2).",
    )
)
