"""Equations and lemmas of Guo, Ding & Zhou (2014), checked by search on images."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import better
from nmfbench.artefacts.grids import changed, cross, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.facts import Fact, claims_of, draw, table_of
from nmfbench.papers.rnmfd import sets
from nmfbench.papers.rnmfd.descent import RULES, by_rule
from nmfbench.trials.trial import Trial

_SHORT, _LONG = 300, 3000  # iterations
DEFAULT, PRINTED = RULES["safe"], RULES["paper"]
FREE = "RNMFD without orthogonality"
_DEFAULT, _FREE = by_rule("safe"), sets.method(FREE, "rnmfd", beta=0.0)
_PRINTED = by_rule("paper", max_iter=_LONG, tol=0.0)
SHORTER = f"{PRINTED}, {_SHORT} iterations"
_SHORTER = replace(
    sets.method(SHORTER, "rnmfd", v_update="paper", max_iter=_SHORT, tol=0.0), drawn=False
)
METHODS = (_DEFAULT, _FREE, _PRINTED, _SHORTER)


def trials(profile):
    """Random formulas and entries, and long fits, on some images of each person of YALE."""
    smoke = profile == "smoke"
    repeats = {"smoke": 1, "quick": 5, "paper": 20}[profile]
    base = Trial("", "yale", "", options={"n_components": 15, "per_class": 4}, stand_in=smoke)
    few = changed(base, {"options": {"per_class": 2}})
    return [
        *cross(changed(base, {"task": "huber-loss"}), repeats, methods([_DEFAULT])),
        *cross(changed(few, {"task": "auxiliary-function"}), repeats, methods([_DEFAULT, _FREE])),
        *cross(
            changed(base, {"task": "rnmfd-stationarity"}), repeats, methods([_PRINTED, _SHORTER])
        ),
    ]


_ROUNDING = 1e-9
_GAP = {"task": "auxiliary-function"}
_STATIONARITY = {"task": "rnmfd-stationarity"}
_OURS = "ours, after Section 3.3, Lemma 2"

_on_loss = partial(Fact, methods=[DEFAULT], at={"task": "huber-loss"}, whose="ours")
_on_gap = partial(Fact, at=_GAP, low=-_ROUNDING, whose="ours")

FACTS = (
    _on_loss(
        key="sparse-part",
        statement="The solution of Eq. (18) is Eq. (19): by search it is within 1e-6.",
        source="Section 3.2, Eq. (19)",
        metric="solution-error",
        short="Eq. (19): largest distance of the minimiser of Eq. (18)",
        high=1e-6,
    ),
    _on_loss(
        key="huber",
        statement="The minimum of Eq. (18) is Eq. (20), squared for small errors and linear for "
        "large ones.",
        source="Section 3.2, Eq. (20)",
        metric="value-error",
        short="Eq. (20): largest difference from the minimum of Eq. (18)",
        high=_ROUNDING,
    ),
    _on_loss(
        key="huber-of-a-fit",
        statement="At the end of a fit the squared error with S plus λ‖S‖₁ is the sum of Eq. (20) "
        "over all entries, as it is by algebra where Eq. (20) holds for each of them.",
        source="ours, after Section 3.2, Eq. (20)",
        metric="sum-error",
        short="Eq. (20): relative difference of the sums at the end of a fit",
        high=_ROUNDING,
        origin="ours",
    ),
    _on_gap(
        key="lemma-2",
        statement="At α = β = 100 the function G of Eq. (22) is nowhere below the objective as a "
        "function of one entry of V, for values of it from 0 to 10.",
        source="Section 3.3, Lemma 2",
        methods=[DEFAULT],
        metric="lowest-gap",
        short="Lemma 2: lowest G − F, α = β = 100, entries from 0 to 10",
    ),
    _on_gap(
        key="lemma-2-without-orthogonality",
        statement="With β = 0, where the objective is quadratic, G is nowhere below it.",
        source=_OURS,
        methods=[FREE],
        metric="lowest-gap",
        short="the same with β = 0",
        origin="ours",
    ),
    _on_gap(
        key="lemma-2-at-the-update",
        statement="At the value that Eq. (17) gives an entry, with all others fixed, G is not "
        "below the objective.",
        source=_OURS,
        methods=[DEFAULT],
        metric="lowest-gap-at-update",
        short="the same at the value of Eq. (17), α = β = 100",
        origin="ours",
    ),
    Fact(
        key="stationary",
        statement=f"After {_LONG} iterations of Eqs. (12), (17) and (19) the residual of the KKT "
        "conditions is below 0.01.",
        source="ours, after Section 3.2",
        methods=[PRINTED],
        metric="kkt-residual",
        short=f"KKT residual after {_LONG} iterations as printed",
        at=_STATIONARITY,
        high=0.01,
        whose="ours",
        origin="ours",
    ),
)

ARTEFACT = register_artefact(
    Artefact(
        "rnmfd/lemmas",
        title="Equations and lemmas, by search",
        kind="table",
        methods=METHODS,
        grid=trials,
        table=table_of(FACTS),
        picture=draw,
        claims=[
            *claims_of(FACTS),
            Claim(
                "converges",
                f"Eqs. (12), (17) and (19) converge to a point that fulfils the KKT conditions: "
                f"their residual goes on falling, and is lower after {_LONG} iterations than after "
                f"{_SHORT}, on average over starts.",
                "Section 3.2",
                better(PRINTED, SHORTER, "kkt-residual", lower=True, at=_STATIONARITY),
            ),
        ],
        planned=Plan(20, "A repeat takes 3 s of CPU time."),
        assumed={
            "images": "Of YALE, drawn at random: four of each person, for Lemma 2 two.",
            "Lemma 2": "At a random start, for ten entries. The lemma speaks of every value of an "
            "entry; G is quadratic in it, the objective quartic unless β is 0. Entries of "
            "orthonormal columns are at most 1.",
            "local minimum": "Of it the KKT conditions are tested, which a saddle point fulfils, "
            "too. The residual is free of units: the minimum of an entry relative to its column's "
            "mean and of its gradient relative to the sum of its parts, root mean square. A limit "
            "has no number of iterations by which it is reached: a residual that does not fall any "
            "more refutes it. That it is below 0.01 after so many is our question.",
        }
        | {name: sets.ASSUMED[name] for name in ("scale", "start")},
        caption="Each row is a statement about every instance: over all trials the number of "
        "those outside its bound, and the range of what is measured.",
    )
)
