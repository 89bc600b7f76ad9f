"""Does accuracy fall with the number of classes if the number of components stays the same?"""

from __future__ import annotations

import numpy as np

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.finding import within
from nmfbench.artefacts.frames import mean_table
from nmfbench.artefacts.grids import Method, changed, cross, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import Curves
from nmfbench.papers.anp import curves

GROWING, FIXED = "as many components as classes", "20 components"
METHODS = (Method(curves.ANP, "anp", curves.DEFAULTS),)
_RANK = 20


def trials(profile):
    """Five to all forty people: with a component for each, and with the same number for all."""
    smoke = profile == "smoke"
    classes, draws = {
        "smoke": ((2, 3), 2),
        "quick": ((10, 20, 40), 5),
        "paper": (range(5, 41, 5), 20),
    }[profile]
    found = []
    for n in classes:
        growing = curves.on_classes("orl", n, smoke=smoke)
        options = {"n_components": 2 if smoke else _RANK, "n_clusters": n}
        for place in (growing, changed(growing, {"options": options})):
            found += cross(place, draws, methods(METHODS))
    return found


def frame(records):
    """Records by the rule for the number of components, and with the number of ``classes``."""
    fixed = records.get("n_clusters", records["n_components"] * np.nan)
    method = np.where(fixed.notna(), FIXED, GROWING)
    return records.assign(method=method, classes=fixed.fillna(records["n_components"]).astype(int))


def table(frame):
    """Mean accuracies with 95 % intervals over draws."""
    return mean_table(frame, curves.AC, ["method", "classes"], between=(0, 1))


ARTEFACT = register_artefact(
    Artefact(
        "anp/fixed-rank",
        title="Accuracy by number of classes, with a fixed and with a growing number of components",
        kind="figure",
        methods=METHODS,
        grid=trials,
        frame=frame,
        table=table,
        picture=Curves(
            x="classes", labels=[GROWING, FIXED], xlabel="classes", ylabel="AC", size=(5.6, 4.0)
        ),
        claims=[
            Claim(
                "falls-at-fixed-rank",
                "That accuracy does not fall with every class depends on the number of components "
                "growing with the classes: with 20 components throughout, accuracy with fewer "
                "classes is higher at every step.",
                "slide “Critiques and questions” (Jiaming)",
                within({"method": FIXED}, curves.at_every_step),
            ),
            Claim(
                "rises-as-rank-grows",
                "With as many components as classes, accuracy is higher for more classes at one "
                "step at least.",
                "slide “Critiques and questions” (Jiaming)",
                within({"method": GROWING}, curves.at_some_step),
            ),
        ],
        planned=Plan(20, "A repeat takes a few seconds of CPU time."),
        assumed={
            "fixed number": "20 components, half the largest number of classes; K-means of the "
            "representation finds as many clusters as there are classes in either case.",
            "weights": "The defaults of ANP (λ₁ = 0.01, λ₂ = 1), as in Figure 2.",
        },
        caption="Accuracy of ANP on ORL for people drawn at random, with a component for each of "
        "them and with 20 components for all numbers of people. Means over draws with 95 % "
        "intervals.",
    )
)
