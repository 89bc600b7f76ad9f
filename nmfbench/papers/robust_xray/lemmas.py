"""Lemmas and remarks of Kumar & Sindhwani on conical hulls, checked by brute force."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import seldom, without_exception
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.grids import Method, changed, cross, fields, methods, options
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.facts import claims_of, draw, table_of
from nmfbench.papers.robust_xray.anchor_recovery import LATER, with_later
from nmfbench.papers.robust_xray.exemplar_accuracy import (
    WEIGHTED,
    at_each_weighting,
    with_weighting,
)
from nmfbench.papers.robust_xray.lemmas_facts import (
    FACTS,
    FEW_ZEROS,
    IS,
    IS_RAND,
    KL,
    KL_RAND,
    L2,
    MEDIAN,
    NEW,
    ROBUST,
    ZEROS,
)
from nmfbench.problems.exemplars import TEXTS
from nmfbench.problems.recovery import NOISE, QUICK_LEVELS, SMALL
from nmfbench.trials.trial import Trial

_RANDOM = {"selection": "rand"}
_BREGMAN = (
    Method(KL, "xray-kl"),
    Method(KL_RAND, "xray-kl", _RANDOM),
    Method(IS, "xray-is"),
    Method(IS_RAND, "xray-is", _RANDOM),
)
_SEPARABLE = (Method(ROBUST, "robust-xray"), Method(L2, "xray-l2"))
METHODS = (*_SEPARABLE, *_BREGMAN, Method(MEDIAN, "median"))
_TINY = {"n_samples": 30, "n_features": 12, "n_components": 5}
_CLIPS = ("video-hallandmonitor", "video-humanbody2", "video-ibmtest2")


def _noise(*levels):
    return [{"corruption": NOISE, "level": level} for level in levels]


def _coarse(base):
    """A trial on its data without noise, under noise, and on rows with many ties."""
    return [
        changed(base, *_noise(0.0)),
        changed(base, *_noise(0.5)),
        changed(base, {"options": {"degenerate": True}}),
    ]


def trials(profile):
    """Each statement on small instances; Remark 1 on the data of the paper's experiments, too."""
    smoke = profile == "smoke"
    repeats = {"smoke": 1, "quick": 5, "paper": 20}[profile]

    def small(task, solver="", data=_TINY, **more):
        return Trial(task, "near-separable", solver, dataset_params=data, options=more)

    robust, both_kinds = "robust-xray", options("on_edges", [False, True])
    found = []
    for base in (
        *_coarse(small("cone-subgradients", robust, n_components=4)),
        *_coarse(small("admm-projection", robust, n_components=4)),
    ):
        found += cross(base, repeats)
    found += cross(small("tied-anchors", robust), repeats, both_kinds)
    found += cross(small("swapped-divergence"), repeats, methods(_BREGMAN), both_kinds)
    square = small("square-divergence", "xray-l2", n_components=_TINY["n_components"])
    found += cross(square, repeats, _noise(0.0, 0.5))
    nested = small("nested-anchors", data=SMALL, n_components=SMALL["n_components"])
    new = [method for method in METHODS if method.label in NEW]
    found += cross(nested, repeats, methods(new), _noise(0.0, 0.5))
    found += _on_clips(repeats, smoke) + _of_residuals(repeats, smoke)
    return found


def _on_clips(repeats, smoke):
    clips = ["moving-square"] if smoke else _CLIPS
    base = Trial("median-background", "", "median", options={"n_frames": 21} if smoke else {})
    return cross(base, repeats, fields("dataset", clips), options("constant", [1.0, 0.25]))


def _of_residuals(repeats, smoke):
    """Remark 1: noise draws, splits of texts, and clips, of which there is nothing to draw.

    The starts of a clip differ in the vector p.
    """
    base = Trial("residual-zeros", "near-separable", "robust-xray")
    levels = _noise(0.0, 0.5) if smoke else _noise(*QUICK_LEVELS)
    small = {"dataset_params": SMALL} if smoke else {}
    found = cross(changed(base, small), repeats, levels)
    some = {"dataset_params": {}, "options": {"n_components": 4 if smoke else 20}}
    for dataset, params in TEXTS.items():
        place = {"dataset": dataset, "dataset_params": params, "options": {"view": "texts"}}
        found += cross(changed(base, some, place, {"stand_in": smoke}), repeats, WEIGHTED)
    pixels = changed(base, some, {"options": {"view": "pixels", "n_components": 3 if smoke else 5}})
    clips = ["moving-square"] if smoke else _CLIPS
    return found + cross(pixels, repeats, fields("dataset", clips))


_OTHERS = "mean share of zeros but for the largest"
_RARELY = 0.05  # as in Figure 3


def frame(records: pd.DataFrame) -> pd.DataFrame:
    """Records with what is known of the selections after the first.

    The largest share of zeros in one of their residuals is between the mean of all shares but the
    largest, and that: the first, of the point itself, is none above the largest.
    """
    records = with_weighting(with_later(records))
    known = records.reindex(columns=[ZEROS, "mean-share-of-zeros", "selections"])
    total = known["mean-share-of-zeros"] * known["selections"]
    return records.assign(**{_OTHERS: (total - known[ZEROS]) / records[LATER]})


def _few_zeros(fact):
    """The fact on the selections after the first, by the bounds on their largest share."""

    def bounded(metric):
        return without_exception(fact.methods, metric, high=fact.high, at=fact.at)

    def test(frame):
        rows = fact.rows(frame)
        if not (rows[ZEROS] > fact.high).any():
            return bounded(ZEROS)(frame)
        if (rows[_OTHERS] > fact.high).any():
            return bounded(_OTHERS)(frame)
        unknown = "the largest share of zeros may be that of the first selection"
        return replace(bounded(_OTHERS)(frame), complete=False).noted(unknown)

    return at_each_weighting(test) if fact.at.get("view") == "texts" else test


def _lp_seldom(view):
    test = seldom(
        ROBUST, "lemma-failures", LATER, _RARELY, at={"task": "residual-zeros", "view": view}
    )
    return at_each_weighting(test) if view == "texts" else test


ARTEFACT = register_artefact(
    Artefact(
        "robust-xray/lemmas",
        title="Lemmas and remarks, by linear programs and brute force",
        kind="table",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=table_of(FACTS),
        picture=draw,
        claims=[
            *claims_of([fact for fact in FACTS if fact not in FEW_ZEROS]),
            *(Claim(f.key, f.statement, f.source, _few_zeros(f)) for f in FEW_ZEROS),
            *(
                Claim(
                    f"lp-seldom-{slug}",
                    f"With u = −1 Lemma 3.2 fails rarely on {words} after the first selection, so "
                    "that the linear program is rarely needed.",
                    "Section 3, Remark 1",
                    _lp_seldom(view),
                )
                for slug, words, view in (
                    ("texts", "texts", "texts"),
                    ("clips", "clips", "pixels"),
                )
            ),
        ],
        planned=Plan(20, "A repeat takes 20 s of CPU time."),
        assumed={
            "exterior points": "Of the lemmas and of ties: farther from the cone than 1e-4 of the "
            "largest row, a thousand times the tolerance of the linear programs. Nearer to it they "
            "give no projection whose signs could be relied on; one of some 6600 points, at 6e-6, "
            "seemed to be without a subgradient before these were left out.",
            "instances": "30 rows of 12 features, 5 of them anchors: as generated for Figure 3, "
            "under its noise (δ = 0.5), and rows of the entries 0, 1 and 2 with a row twice and a "
            "feature of zeros, in which ties and zeros abound. A copy of an anchor is no second "
            "anchor, as the paper defines anchors: ties and swapped arguments are tested on "
            "separable rows whose other weights are at least 0.05.",
            "ties": "p is any positive vector. Between two of them by which different anchors have "
            "the largest score there is one by which two have, which bisection finds.",
            "projections": "Exact, by our simplex method, in place of the paper's ADMM: residuals "
            "and their zeros are those of the best point of the cone.",
            "much less": "In Remark 1: less than a tenth. The residual at the first selection is "
            "the point itself, and Algorithm 1 takes D = X there: selections after it count. "
            "Records have the largest and the mean share over all of a fit; the mean of all but "
            "the largest is a lower bound of the largest after the first.",
            "ADMM": "Stopped by primal and dual residuals with equal absolute and relative "
            "tolerance (Boyd et al., 2011, Section 3.3); the penalty is 1 over the mean of the "
            "data. The paper gives neither.",
            "median": "Of 51 frames and 500 pixels of each clip. The least distance is by trial of "
            "every break point of each pixel's cost.",
            "first anchor": "Of methods with swapped arguments that of XRAY-l2, as the paper says "
            "nothing.",
            "clips and texts": "Pixels of 200 frames, five anchors; of texts the training half, 20 "
            "anchors. The paper names no weighting of words: claims on texts are decided where "
            "they come out alike by raw counts, counts divided by document length, and tf-idf.",
        },
        caption="Each row is a statement about every instance: over all trials the number of "
        "those outside its bound, and the range of what is measured.",
    )
)
