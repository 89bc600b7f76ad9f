"""Figure 6: accuracy of a classifier trained on exemplars of the BBC collection."""

from __future__ import annotations

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim, within
from nmfbench.artefacts.comparisons import comparable
from nmfbench.papers.robust_xray.exemplar_accuracy import (
    ASSUMED,
    METHODS,
    ROBUST,
    SIZES,
    SMRS,
    SPA,
    WEIGHTINGS,
    XRAY,
    draw,
    grid,
    summarise,
)
from nmfbench.problems.exemplars import TEXTS

_DATA = ("bbc", TEXTS["bbc"])


def trials(profile):
    if profile == "smoke":
        return grid(*_DATA, 2, smoke=True)
    return grid(*_DATA, {"quick": 5, "paper": 10}[profile])


def _claim(weighting, words):
    return Claim(
        f"comparable-{weighting}",
        f"All methods do comparably: within 5 points at each number of exemplars, averaged "
        f"(chosen on {words}).",
        "Section 5.2, Figure 6",
        within(
            {"weighting": weighting},
            comparable([SMRS, SPA, XRAY, ROBUST], [f"accuracy@{q}" for q in SIZES], margin=0.05),
        ),
    )


ARTEFACT = register_artefact(
    Artefact(
        "robust-xray/fig6",
        title="Accuracy with selected exemplars, BBC",
        kind="figure",
        methods=METHODS,
        grid=trials,
        table=summarise,
        picture=draw,
        claims=[_claim(*item) for item in WEIGHTINGS.items()],
        assumed=ASSUMED | {"comparable": "Best and worst mean within 5 points of accuracy."},
        caption="2225 BBC news documents, 9635 words, 5 classes; otherwise as Figure 5, with 1114 "
        "training documents.",
    )
)
