"""Figure 3: anchor recovery against the level of sparse noise."""

from __future__ import annotations

from itertools import product

import pandas as pd

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import seldom, without_exception
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best, better, margin_grows
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.grids import Method, corrupted, cross, fields, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import Printed
from nmfbench.papers.robust_xray.anchor_recovery import (
    BASE,
    FAR,
    LATER,
    METRIC,
    RIVALS,
    SMALL_BASE,
    at_each_form,
    curves,
    summarise,
    who_says,
    with_later,
)
from nmfbench.problems.recovery import NOISE, PAPER_LEVELS, QUICK_LEVELS

ROBUST, RAND = "RobustXRAY", "RobustXRAY (rand)"
_RIVALS = [method for forms, _ in RIVALS.values() for method in forms]
_RANDOM = {"selection": "rand"}
_VARIANTS = (
    Method("Hottopixx (tuned steps)", "hottopixx", {"solver": "sgd", "steps": "tuned"}),
    Method("RobustXRAY (fixed first anchor)", "robust-xray", {"first": "l2"}),
    Method(RAND, "robust-xray", _RANDOM),
    Method("XRAY-l2 (rand)", "xray-l2", _RANDOM),
    Method("XRAY-IS", "xray-is"),
)
_OF_THEOREMS = (  # run without noise only
    Method("XRAY-IS (rand)", "xray-is", _RANDOM),
    Method("XRAY-KL", "xray-kl"),
    Method("XRAY-KL (rand)", "xray-kl", _RANDOM),
)
METHODS = (Method(ROBUST, "robust-xray"), *_RIVALS, *_VARIANTS, *_OF_THEOREMS)
_CLEAN = {"level": 0.0}
_LOUD = 0.75  # and above: the upper half of the levels
PANELS = {
    "the paper's four methods, SPA and Hottopixx both ways": [m.label for m in METHODS[:6]],
    "variants": [ROBUST, "Hottopixx (exact)", *(m.label for m in _VARIANTS)],
}


def trials(profile):
    """All methods at all levels of the noise; methods that theorems alone are about, at none."""
    noisy, clean = methods(METHODS[: -len(_OF_THEOREMS)]), corrupted([(NOISE, 0.0)])
    if profile == "smoke":
        few = corrupted(product([NOISE], [0.0, 0.5]))
        exact = cross(SMALL_BASE, 2, clean, methods(_OF_THEOREMS))
        return cross(SMALL_BASE, 2, few, noisy) + exact
    levels, repeats = {"quick": (QUICK_LEVELS, 6), "paper": (PAPER_LEVELS, 10)}[profile]
    noise = corrupted(product([NOISE], levels))
    # The first anchor of these depends on the random vector p: they are started two times more.
    again = (methods(METHODS[:2]), fields("start", [1, 2]))
    exact = cross(BASE, repeats, clean, methods(_OF_THEOREMS))
    return cross(BASE, repeats, noise, noisy) + cross(BASE, repeats, noise, *again) + exact


def table(records):
    """Means of each panel's methods."""
    means = summarise(records)
    panels = [
        select_rows(means, method=labels).assign(panel=name) for name, labels in PANELS.items()
    ]
    return pd.concat(panels, ignore_index=True)


def _far_ahead(rival):
    """Far ahead of a rival where the noise is strong."""
    at = {"level": [level for level in PAPER_LEVELS if level >= _LOUD]}
    return always_best(ROBUST, [rival], METRIC, at=at, region=FAR)


ARTEFACT = register_artefact(
    Artefact(
        "robust-xray/fig3",
        title="Anchor recovery under sparse noise",
        kind="figure",
        methods=METHODS,
        grid=trials,
        frame=with_later,
        table=table,
        picture=curves(
            METHODS[: -len(_OF_THEOREMS)],
            column="panel",
            columns={name: name for name in PANELS},
            xlabel="noise level (standard deviation δ of the Laplace noise)",
            printed=[Printed("the paper's Theorem 3.1: all without noise", 1.0, 0.0)],
        ),
        claims=[
            *(
                Claim(
                    f"beats-{slug}",
                    f"RobustXRAY recovers more anchors than {words}, averaged over the range of "
                    "noise.",
                    **who_says(slug, "Section 5.1, Figure 3"),
                    test=at_each_form(forms, lambda rival: better(ROBUST, rival, METRIC)),
                )
                for slug, (forms, words) in RIVALS.items()
            ),
            *(
                Claim(
                    f"outgrows-{slug}",
                    f"The lead of RobustXRAY over {words} grows with the noise.",
                    "Section 5.1, Figure 3",
                    at_each_form(forms, lambda rival: margin_grows(ROBUST, rival, METRIC)),
                )
                for slug, (forms, words) in RIVALS.items()
                # Published steps do no better than chance at any level: no lead to grow from.
                if slug != "hottopixx-published"
            ),
            *(
                Claim(
                    f"huge-{slug}",
                    f"RobustXRAY is ahead of {words} by a huge margin where the noise is strong: "
                    f"by ten points of recovery or more, averaged over levels from {_LOUD:g} on.",
                    "Section 5.1, Figure 3",
                    at_each_form(forms, _far_ahead),
                )
                for slug, (forms, words) in RIVALS.items()
                if slug != "hottopixx-published"
            ),
            Claim(
                "is-beats-robust-xray",
                "XRAY-IS, which the paper made for another noise, recovers more anchors than "
                "RobustXRAY, averaged over the range of noise.",
                "ours, after Section 5.1, Figure 3, which does not show it",
                better("XRAY-IS", ROBUST, METRIC),
                origin="ours",
            ),
            Claim(
                "exact-without-noise",
                "Without noise RobustXRAY finds all anchors, whichever exterior point is taken.",
                "Section 3, Theorem 3.1",
                without_exception([ROBUST, RAND], METRIC, low=1.0, whose="paper", at=_CLEAN),
            ),
            Claim(
                "l2-exact-without-noise",
                "Without noise XRAY-l2 finds all anchors, whichever exterior point is taken.",
                "Section 2",
                without_exception(
                    ["XRAY-l2", "XRAY-l2 (rand)"], METRIC, low=1.0, whose="paper", at=_CLEAN
                ),
            ),
            *(
                Claim(
                    f"{name.lower()}-exact-without-noise",
                    f"Without noise XRAY-{name} finds all anchors, whichever exterior point is "
                    "taken.",
                    "Section 4, Theorem 4.1",
                    without_exception(
                        [f"XRAY-{name}", f"XRAY-{name} (rand)"],
                        METRIC,
                        low=1.0,
                        whose="paper",
                        at=_CLEAN,
                    ),
                )
                for name in ("IS", "KL")
            ),
            Claim(
                "max-beats-rand",
                "Taking the exterior point of largest residual is far more robust to noise than "
                "taking a random one: by ten points of recovery or more, averaged over the range "
                "of noise.",
                "Section 3",
                always_best(ROBUST, [RAND], METRIC, region=FAR),
            ),
            Claim(
                "lp-seldom",
                "The linear program for the subgradient is rarely needed after the first "
                "selection, which takes none.",
                "Section 3, Remark 1",
                seldom(ROBUST, "lp-calls", LATER, bound=0.05),
            ),
        ],
        planned=Plan(10, "As in the paper's grid: a repeat takes 200 s of CPU time."),
        assumed={
            "Hottopixx": "Which form the paper ran, and its parameters, are not given: the exact "
            "Lagrangian and the incremental solver with its published and with tuned steps are "
            "separate curves. With the published ones it finds hardly more than a random choice "
            "at any level, so that to be ahead of it tells nothing: comparisons with it are ours.",
            "SPA": "With or without normalisation of the columns: not given. Both are shown, and "
            "claims are decided where both come out alike, as the paper ran one.",
            "projection": "Exact, by a simplex method; the ADMM's tolerance and penalty are "
            "not given.",
            "XRAY-IS": "Not in the paper's figure; shown among the variants, and beside RobustXRAY "
            "in a question of ours. For "
            "the theorem on Bregman divergences it, XRAY-KL and both with random exterior points "
            "run without noise, too.",
            "huge, far": "The paper gives no number. Ten points of recovery, five times the "
            "smallest difference that matters; “as the noise level increases” over the upper half "
            "of its levels, beside the growth of the lead along all of them.",
            "random vector p": "The first anchor depends on it: three draws for each data set.",
            "noise": "The same standardised noise at all levels and for all methods of a run.",
        },
        caption="X = W [I H'] + max(N, 0), 200 x 210, 20 anchors, Laplace noise N. Means over "
        "repeats with 95 % intervals; the dotted line is a random choice of 20 among 210.",
    )
)
