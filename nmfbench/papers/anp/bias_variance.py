"""Variance and bias of a regression on representations: what ANP trades for what."""

from __future__ import annotations

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import estimate, paired, per_repeat, smaller
from nmfbench.artefacts.finding import NO_PAIR, Finding, at_each_reading
from nmfbench.artefacts.frames import mean_table, melt_metrics
from nmfbench.artefacts.grids import cross, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.region import Lead
from nmfbench.artefacts.tables import plus_minus_cell, score_table
from nmfbench.papers.anp.curves import DEFAULTS
from nmfbench.papers.rnmfd import sets
from nmfbench.trials.trial import Trial

NMF, NO_TERM, ANP, HEAVY = "NMF", "ANP without its term", "ANP", "ANP, λ₁ = 1"
METHODS = (
    sets.method(NMF, "mu"),
    sets.method(NO_TERM, "anp", lam1=0.0),
    sets.method(ANP, "anp"),
    sets.method(HEAVY, "anp", lam1=1.0),
)
VARIANCE, BIAS, OF_COEFFICIENTS = "prediction-variance", "prediction-bias", "coefficient-variance"
_SHOWN = {
    OF_COEFFICIENTS: "trace of (WᵀW + λ₂I)⁻¹",
    VARIANCE: "variance of predictions",
    BIAS: "squared bias of predictions",
}
_SOURCE = "slide “Critiques and questions” (Jiaming)"


def trials(profile):
    """Half of the images of each person train, half of them test; a component for each person."""
    smoke = profile == "smoke"
    repeats = {"smoke": 2, "quick": 5, "paper": 20}[profile]
    split = {"unit_samples": True, "train_per_class": 5, "n_components": 40}
    if smoke:
        split |= {"train_per_class": 2, "n_components": 3, "n_classes": 4}
    base = Trial(
        "ridge-prediction",
        "orl",
        "",
        options=split | {"ridge": DEFAULTS["lam2"]},
        stand_in=smoke,
    )
    return cross(base, repeats, methods(METHODS))


def table(frame):
    """Means with 95 % intervals over draws, by method."""
    long = melt_metrics(frame, _SHOWN, "number", "value")
    return mean_table(long, "value", ["method", "number"])


def draw(table):
    """One line for each method."""
    return score_table(
        table,
        {"method": "method"},
        list(_SHOWN.values()),
        plus_minus_cell(4),
        column="number",
    )


def _trade(side, rival):
    """``side`` has the smaller variance and the larger bias than ``rival``."""

    def test(frame):
        leads = []
        for value, sign, name in (
            (VARIANCE, -1, f"the variance, {rival} to {side}"),
            (BIAS, 1, f"the squared bias, {side} to {rival}"),
        ):
            both = {s: per_repeat(frame, s, value, ratio=True) for s in (side, rival)}
            scores = paired(both)
            if scores.empty:
                return Finding.without("not run", NO_PAIR)
            lead = sign * (scores[side] - scores[rival])
            leads.append(estimate(lead, value, name, ratio=True))
        return Finding("smaller of two ratios: {}, of {name}", leads, Lead())

    return test


ARTEFACT = register_artefact(
    Artefact(
        "anp/bias-variance",
        title="Variance and bias of a regression on the representations by NMF and by ANP, ORL",
        kind="table",
        methods=METHODS,
        grid=trials,
        table=table,
        picture=draw,
        claims=[
            *(
                Claim(
                    f"trade-{key}",
                    "Minimising the covariance of the parameters lowers the variance term of the "
                    "prediction error at the cost of the bias term: in a ridge regression on the "
                    f"representation by {words} the former is smaller, and the latter larger, than "
                    "on that by NMF, and than on that by the same updates without the term.",
                    _SOURCE,
                    at_each_reading(
                        "what ANP is compared with",
                        {rival: _trade(method, rival) for rival in (NMF, NO_TERM)},
                    ),
                )
                for key, method, words in (
                    ("default", ANP, "ANP with its default weight"),
                    ("heavy", HEAVY, "ANP with a hundred times that weight"),
                )
            ),
            Claim(
                "minimises-the-trace",
                "The term of ANP does what it is for: with a hundred times its default weight the "
                "trace of (WᵀW + λ₂I)⁻¹ is smaller than without it.",
                "ours, after the slide “A-Optimal Non-Negative Projection (ANP)”",
                smaller(HEAVY, NO_TERM, OF_COEFFICIENTS),
                origin="ours",
            ),
        ],
        planned=Plan(20, "A repeat takes a few seconds of CPU time."),
        assumed={
            "images": "Of ORL, scaled to unit length, five of each person for training, drawn at "
            "random, the others for the test; 40 components.",
            "responses": "Known linear functions of these images with random coefficients, 50 in "
            "each draw, scaled to unit variance; noise of unit variance in training. Expectations "
            "over the noise are exact, and do not need its draws.",
            "regression": "Ridge with λ₂, 1 by default, in both representations, as the slides "
            "write the trace. Components have unit length, which ANP fixes; those of NMF are "
            "scaled to it after the fit. Test images are coded by least squares.",
            "compared with": "The slide does not say. NMF by multiplicative updates, or those of "
            "ANP without its term: decided where both come out alike.",
            "weight": "The slides name none: its default, and a hundred times that; one of the two "
            "readings is enough for the sentence.",
        },
        caption="Means ± half of the 95 % interval over draws. The error of a prediction is the "
        "sum of variance, squared bias and noise; the variance is that under noise of unit "
        "variance.",
    )
)
