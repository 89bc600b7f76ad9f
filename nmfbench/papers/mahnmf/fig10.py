"""Figure 10: clustering of the faces of a few people, Yale B."""

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.mahnmf import clustering
from nmfbench.papers.mahnmf.faces import (
    FACTORIZATIONS,
    OTHER_LEVELS,
    at_another_level,
    at_other_levels,
)

_PEOPLE = range(2, 11, 2)
"""Numbers of people at other sizes of the occlusion."""


def trials(profile):
    if profile == "smoke":
        return clustering.smoke("yaleb")
    if profile == "quick":
        few = clustering.part("yaleb", (3,), 1)
        return few + clustering.part("yaleb", (10,), 1, clustering.FAST)
    found = clustering.part("yaleb")
    return found + at_other_levels(found, "occlusion", ranks=_PEOPLE)


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig10",
        title="Clustering of faces, Yale B",
        kind="figure",
        methods=FACTORIZATIONS,
        grid=trials,
        frame=clustering.frame,
        table=clustering.table,
        picture=partial(clustering.draw, ["yaleb"]),
        scores=clustering.scores,
        claims=clustering.outlier_claims("yaleb"),
        further=partial(at_another_level, ["occlusion"]),
        planned=Plan(20, "As in the paper's grid: a repeat takes 180 s of CPU time."),
        assumed=clustering.ASSUMED
        | {
            "occlusion": "Its size decides: the more of a face is hidden, the less may be left of "
            "a lead. Claims are decided where they come out alike with "
            f"{' and '.join(OTHER_LEVELS['occlusion'])}, of {', '.join(map(str, _PEOPLE))} people.",
        },
        caption="About 64 images of each person under as many lightings; a cluster for each "
        f"person. {clustering.CAPTION}",
    )
)
