"""Formulas of the slides on ANP, and where its fits end, on images."""

from __future__ import annotations

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import at_least
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.finding import at_each_reading
from nmfbench.artefacts.grids import changed, cross, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.anp import curves
from nmfbench.papers.facts import Fact, claims_of, draw, table_of
from nmfbench.papers.rnmfd import sets
from nmfbench.trials.trial import Trial

ANP, PRINTED = "ANP", "ANP as on the slides"
_LONG, _TOL = 1000, 1e-8
_MOST = 3000
_TO_THE_END = {"max_iter": _MOST, "tol": _TOL}
_ENDED = sets.method(ANP, "anp", **_TO_THE_END)
_PRINTED = sets.method(PRINTED, "anp", normalize=False, v_update="paper", max_iter=_LONG, tol=0.0)
_READINGS = {"defaults": _ENDED} | {
    f"λ₁ = {lam1:g}, λ₂ = {lam2:g}": sets.method(
        f"{ANP}, λ₁ = {lam1:g}, λ₂ = {lam2:g}", "anp", **_TO_THE_END, lam1=lam1, lam2=lam2
    )
    for lam1, lam2 in (curves.WEIGHTS[0], curves.WEIGHTS[-1])
}
METHODS = (*_READINGS.values(), _PRINTED)
_SPREAD = "spread-of-optima"


def trials(profile):
    """Random matrices, long fits, and fits from several starts, on images of YALE."""
    smoke = profile == "smoke"
    repeats = {"smoke": 1, "quick": 5, "paper": 20}[profile]
    rank, starts = (5, 2) if smoke else (15, 5)
    base = Trial("", "yale", "", options={"n_components": rank, "per_class": 4}, stand_in=smoke)
    few = changed(base, {"options": {"per_class": 2, "n_starts": starts}})
    return [
        *cross(changed(base, {"task": "anp-trace"}), repeats, methods([_ENDED])),
        *cross(changed(base, {"task": "anp-stationarity"}), repeats, methods([_PRINTED])),
        *cross(changed(few, {"task": "anp-optima"}), repeats, methods(_READINGS.values())),
    ]


_REGRESSION = "slides “A-Optimal Non-Negative Projection (ANP)” and “Alternating algorithm”"

FACTS = (
    Fact(
        key="closed-form",
        statement="Step 1 of the algorithm solves the regression: its W is that of a "
        "least-squares solver, within 1e-6 of its largest entry.",
        source=_REGRESSION,
        methods=[ANP],
        metric="formula-excess",
        short="step 1: largest difference from a least-squares solver, relative",
        at={"task": "anp-trace"},
        high=1e-6,
        whose="ours",
    ),
    Fact(
        key="trace-as-regression",
        statement="The least value of the regression is λ₂ times the trace but for a number that "
        "does not depend on V, within 1e-6.",
        source=_REGRESSION,
        methods=[ANP],
        metric="trace-spread",
        short="least value minus λ₂ times the trace: spread over V, relative",
        at={"task": "anp-trace"},
        high=1e-6,
        whose="ours",
    ),
    Fact(
        key="stationary-point",
        statement="The objective does not change along (U/t, tV) at t = 1, as at a stationary "
        f"point: its derivative is below 0.01 of the term of the trace, where {_LONG} iterations "
        "have come to. More iterations cannot make it 0, which it is for V = 0 alone.",
        source="slide “Here in this paper”",
        methods=[PRINTED],
        metric="scale-slope",
        short=f"derivative along (U/t, tV) after {_LONG} iterations, over the term of the trace",
        at={"task": "anp-stationarity"},
        high=0.01,
        whose="ours",
    ),
)

_OPTIMA = Fact(
    key="many-local-optima",
    statement="",
    source="",
    methods=[method.label for method in _READINGS.values()],
    metric=_SPREAD,
    short="final objectives from five starts: largest over smallest, minus 1",
    at={"task": "anp-optima"},
    low=0.02,
    whose="ours",
)

ARTEFACT = register_artefact(
    Artefact(
        "anp/lemmas",
        title="Formulas of the slides, and where fits end",
        kind="table",
        methods=METHODS,
        grid=trials,
        table=table_of([*FACTS, _OPTIMA]),
        picture=draw,
        claims=[
            *claims_of(FACTS),
            Claim(
                _OPTIMA.key,
                "There are many local optima: the final objectives of fits of the same images "
                "from five random starts differ by more than 2 %.",
                "slide “Critiques and questions” (Shahzor)",
                at_each_reading(
                    "the weights",
                    {
                        words: at_least(method.label, _SPREAD, _OPTIMA.low, at=_OPTIMA.at)
                        for words, method in _READINGS.items()
                    },
                ),
            ),
        ],
        planned=Plan(20, "A repeat takes 17 s of CPU time."),
        assumed={
            "images": "Of YALE, four of each person, for the optima two, drawn at random, of unit "
            "length; fifteen components.",
            "regression": "V is a start and four random matrices of scales from 0.01 to 100. The "
            "slides have λ₁ times the trace in one problem and λ₁λ₂ times it in the other.",
            "stationary point": "The product UV is the same for all t, so that only the trace "
            "changes, and it falls as long as V is not 0: there is no stationary point with V "
            "other than 0. Components are not scaled, which the slides do not ask for.",
            "optima": "How many are many is not explained: more than one is the least that it "
            "asks. Components are scaled to unit length. A fit ends where an iteration changes "
            f"the objective by {_TOL:g} of it, or after {_MOST}; 2 % are the smallest difference "
            "of objectives that matters. The slides give no weights: the claim is decided where "
            f"it comes out alike at ours, λ₁ = {curves.DEFAULTS['lam1']:g} and λ₂ = "
            f"{curves.DEFAULTS['lam2']:g}, and at the smallest and largest of Figures 2 and 3. "
            "Other rows have ours.",
        },
        caption="Each row is a statement about every instance: over all trials the number of "
        "those outside its bound, and the range of what is measured. Of the spread the mean over "
        "draws is judged.",
    )
)
