"""Figure 2: clustering by number of classes, ORL."""

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.papers.anp.curves import (
    ASSUMED,
    METHODS,
    SMOKE,
    TRIED,
    Part,
    claims,
    draw_curves,
    grid,
    summarise_curves,
)

_ALL = 40
_GRIDS = {
    "quick": (Part((10, 20, _ALL), 5, TRIED),),
    "paper": (Part(range(5, _ALL + 1, 5)),),
}


def trials(profile):
    if profile == "smoke":
        return grid("orl", _ALL, SMOKE, stand_in=True)
    return grid("orl", _ALL, _GRIDS[profile])


ARTEFACT = register_artefact(
    Artefact(
        "anp/fig2",
        title="Clustering by number of classes, ORL",
        kind="figure",
        methods=METHODS,
        grid=trials,
        table=summarise_curves,
        picture=draw_curves,
        claims=claims("Figure 2", "ORL"),
        assumed=ASSUMED,
        caption="(a) Accuracy and (b) normalised mutual information for people drawn at random, "
        "ten images each. Means over draws with 95 % intervals. The slides print no numbers. (c) "
        "Accuracy of ANP less that of NMF on the same draws, by the weight λ₁ of its new term and "
        "the ridge λ₂ in it.",
    )
)
