"""Figure 10: clustering of the faces of a few people, Yale B."""

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.papers.mahnmf.clustering_curves import (
    ASSUMED,
    METHODS,
    SMOKE,
    Part,
    draw_curves,
    grid,
    outlier_claims,
    summarise_curves,
)
from nmfbench.papers.mahnmf.faces import EUC, HYBRID, KL

_GRIDS = {
    "quick": (
        Part((3,), 1),
        Part((10,), 1, (EUC, KL, HYBRID)),
    ),
    "paper": (Part(),),
}


def trials(profile):
    if profile == "smoke":
        return grid("yaleb", SMOKE, stand_in=True)
    return grid("yaleb", _GRIDS[profile])


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig10",
        title="Clustering of faces, Yale B",
        kind="figure",
        methods=METHODS,
        grid=trials,
        table=summarise_curves,
        picture=partial(draw_curves, titles={"yaleb": "Yale B"}),
        claims=outlier_claims("yaleb"),
        assumed=ASSUMED,
        caption="About 64 images of each person under as many lightings; a cluster for each "
        "person. Accuracy (AC, above) and normalised mutual information (below). Means over "
        "trials with 95 % intervals, none where there is one trial; dotted: the same clusters "
        "with their labels shuffled.",
    )
)
