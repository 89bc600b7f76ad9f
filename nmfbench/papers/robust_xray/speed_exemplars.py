"""Seconds to choose exemplars: SPA and XRAY against SMRS, for the text's claim on speed."""

from __future__ import annotations

import math

from nmfbench.artefacts.bounds import slower
from nmfbench.artefacts.claim import Claim, said_at
from nmfbench.artefacts.comparisons import smaller
from nmfbench.artefacts.finding import Test, with_evidence
from nmfbench.artefacts.grids import Method, cross, methods, with_data
from nmfbench.papers.reported import reported
from nmfbench.problems.exemplars import TEXTS
from nmfbench.trials.trial import Trial

PRINTED = reported("robust-xray/speed", "smrs")
_LEAST, _MOST = PRINTED.value
SMRS, SMRS_ADMM = "SMRS", "SMRS (authors' ADMM)"
ROBUST = "RobustXRAY"
_FAST = (Method("SPA", "spa"), Method("XRAY-l2", "xray-l2"), Method(ROBUST, "robust-xray"))
# One programme, as in the paper: for more exemplars than survive, it would be solved repeatedly.
METHODS = (
    Method(SMRS, "smrs", {"halvings": 0}),
    Method(SMRS_ADMM, "smrs", {"halvings": 0, "solver": "admm", "tol": 1e-7}),
    *_FAST,
)
FASTER = [method.label for method in _FAST]
"""Methods that the text calls faster than SMRS."""

RIVALS = [
    tuple({"dataset": "bbc", "method": method} for method in (SMRS_ADMM, fast)) for fast in FASTER
]
"""Rows of SMRS, as its authors have it, and of each of these."""


def grid(profile):
    """All methods on BBC, and all but the ADMM on Reuters."""
    smoke, repeats = profile == "smoke", {"smoke": 2, "quick": 3, "paper": 5}[profile]
    base = Trial(
        task="exemplars",
        dataset="bbc",
        solver="",
        options={"weighting": "counts", "sizes": [20] if smoke else [150]},
        stand_in=smoke,
        timed=True,
    )
    everywhere = [method for method in METHODS if method.label != SMRS_ADMM]
    return [
        *cross(base, repeats, with_data(TEXTS), methods(everywhere)),
        *cross(base, repeats, methods(METHODS[1:2])),
    ]


def summarise(rows):
    """Median CPU seconds by collection and method, and how many times faster than SMRS."""
    seconds = rows.groupby(["dataset", "method"], sort=False)["cpu_seconds"]
    table = seconds.agg(["median", "min", "max", "count"]).reset_index()
    smrs = table[table["method"] == SMRS].set_index("dataset")["median"]
    return table.assign(faster=table["dataset"].map(smrs) / table["median"])


def of_projection(method: str, test: Test) -> Test:
    """``test`` with a sentence of evidence where RobustXRAY is not timed as the paper has it."""
    if method != ROBUST:
        return test
    return with_evidence(
        test,
        lambda _: f"{ROBUST} projects by our simplex method, exactly, where the paper has an ADMM",
    )


def _claims(dataset, slow, slug="", *, most=math.inf, ours=False):
    """How many times faster each method is than ``slow``."""
    words = f"{SMRS} by our active-set method" if slow == SMRS else slow
    times = f"{_LEAST:g} to {_MOST:g}" if most < math.inf else f"at least {_LEAST:g}"
    return [
        Claim(
            f"{fast.solver}{slug}-{dataset}",
            f"{fast.label} is {times} times faster than {words} (150 exemplars, {dataset}).",
            test=of_projection(
                fast.label,
                slower(
                    slow,
                    fast.label,
                    "cpu_seconds",
                    _LEAST,
                    most=most,
                    whose="paper",
                    at={"dataset": dataset},
                ),
            ),
            reported=PRINTED.text,
            **said_at(PRINTED.source, ours=ours),
        )
        for fast in _FAST
    ]


CLAIMS = [
    # The paper timed the code of the authors of SMRS.
    *(
        Claim(
            f"{fast.solver}-faster-bbc",
            f"{fast.label} is faster than {SMRS_ADMM} (150 exemplars, bbc).",
            PRINTED.source,
            of_projection(
                fast.label, smaller(fast.label, SMRS_ADMM, "cpu_seconds", at={"dataset": "bbc"})
            ),
            reported=PRINTED.text,
        )
        for fast in _FAST
    ),
    *_claims("bbc", SMRS_ADMM, most=_MOST),
    *(claim for dataset in TEXTS for claim in _claims(dataset, SMRS, "-active-set", ours=True)),
]

ASSUMED = {
    "SMRS": "The authors' ADMM in our implementation, and an active-set method of ours for "
    "the same convex programme. The ADMM costs the cube of the number of documents an "
    "iteration, minutes a fit on Reuters, so it is timed on BBC only.",
    "RobustXRAY": "Rows are projected exactly by a simplex method that goes on from the last step, "
    "where the paper has an ADMM that ends at a tolerance which it does not give. The evidence of "
    "its claims says so.",
    "exemplars": "Of raw counts, sparse, alone: the paper names no weighting of words.",
    "3 to 10 times": "Two sentences: that the methods are faster than SMRS, and that they are "
    "about 3 to 10 times faster, for which the interval has to lie within the printed range.",
}
