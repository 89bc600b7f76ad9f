"""Figure 6: accuracy of a classifier trained on exemplars of the BBC collection."""

from __future__ import annotations

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import comparable
from nmfbench.papers.reported import reported
from nmfbench.papers.robust_xray.exemplar_accuracy import (
    ACCURACIES,
    ASSUMED,
    METHODS,
    SHOWN,
    WEIGHTINGS,
    curves,
    grid,
    summarise,
)

_WHOLE = reported("robust-xray/fig6", "training-documents")


def trials(profile):
    """All methods."""
    return grid("bbc", {"smoke": 2, "quick": 5, "paper": 10}[profile], smoke=profile == "smoke")


ARTEFACT = register_artefact(
    Artefact(
        "robust-xray/fig6",
        title="Accuracy with selected exemplars, BBC",
        kind="figure",
        methods=METHODS,
        grid=trials,
        table=summarise,
        picture=curves("robust-xray/fig6"),
        claims=[
            Claim(
                f"comparable-{weighting}",
                f"All methods do comparably: within 5 points at each number of exemplars, averaged "
                f"(chosen on {words}).",
                "Section 5.2, Figure 6",
                comparable(SHOWN, ACCURACIES, margin=0.05, at={"weighting": weighting}),
            )
            for weighting, words in WEIGHTINGS.items()
        ],
        assumed=ASSUMED | {"comparable": "Best and worst mean within 5 points of accuracy."},
        caption="2225 BBC news documents, 9635 words, 5 classes; otherwise as Figure 5, with "
        f"{_WHOLE.text}.",
    )
)
