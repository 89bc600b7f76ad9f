"""Does accuracy fall with the number of classes if the number of components stays the same?"""

from __future__ import annotations

import numpy as np

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.finding import at_each_reading, within
from nmfbench.artefacts.frames import mean_table
from nmfbench.artefacts.grids import Method, changed, cross, methods
from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.plots import Curves
from nmfbench.papers.anp import curves
from nmfbench.papers.anp.curves_claims import at_every_step, at_some_step

METHODS = (Method(curves.ANP, "anp", curves.DEFAULTS),)
GROWING = "as many components as classes"
_RANKS = (10, 20, 40)
FIXED = {rank: f"{rank} components" for rank in _RANKS}


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
        ranks = {"smoke": _RANKS[:1], "quick": _RANKS[1:2], "paper": _RANKS}[profile]
        fixed = [
            changed(growing, {"options": {"n_components": rank, "n_clusters": n}}) for rank in ranks
        ]
        for place in (growing, *fixed):
            found += cross(place, draws, methods(METHODS))
    return found


def frame(records):
    """Records by the rule for the number of components, and with the number of ``classes``."""
    fixed = records.get("n_clusters", records["n_components"] * np.nan)
    method = np.where(fixed.notna(), records["n_components"].map(FIXED), GROWING)
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
            x="classes",
            labels=[GROWING, *FIXED.values()],
            xlabel="classes",
            ylabel="AC",
            size=(5.6, 4.0),
        ),
        claims=[
            Claim(
                "falls-at-fixed-rank",
                "That accuracy does not fall with every class depends on the number of components "
                "growing with the classes: with the same number throughout, accuracy with fewer "
                "classes is higher at every step.",
                "slide “Critiques and questions” (Jiaming)",
                at_each_reading(
                    "the number of components",
                    {
                        f"{rank}": within({"method": method}, at_every_step)
                        for rank, method in FIXED.items()
                    },
                ),
            ),
            Claim(
                "rises-as-rank-grows",
                "With as many components as classes, accuracy is higher for more classes at one "
                "step at least.",
                "slide “Critiques and questions” (Jiaming)",
                within({"method": GROWING}, at_some_step),
            ),
        ],
        planned=Plan(20, "A repeat takes a few seconds of CPU time."),
        assumed={
            "fixed number": "Not given: 10, 20 or 40, which is the largest number of classes. The "
            "claim is decided where all come out alike. K-means of the representation finds as "
            "many clusters as there are classes in either case.",
            "weights": "The defaults of ANP (λ₁ = 0.01, λ₂ = 1), as in Figure 2.",
        },
        caption="Accuracy of ANP on ORL for people drawn at random, with a component for each of "
        "them and with as many for all numbers of people. Means over draws with 95 % "
        "intervals.",
    )
)
