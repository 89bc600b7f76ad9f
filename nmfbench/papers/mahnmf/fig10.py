"""Figure 10: clustering of the faces of a few people, Yale B."""

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.mahnmf import clustering
from nmfbench.papers.mahnmf.faces import FACTORIZATIONS


def trials(profile):
    if profile == "smoke":
        return clustering.smoke("yaleb")
    if profile == "quick":
        few = clustering.part("yaleb", (3,), 1)
        return few + clustering.part("yaleb", (10,), 1, clustering.FAST)
    return clustering.part("yaleb")


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
        planned=Plan(20, "A repeat takes 165 s of CPU time."),
        assumed=clustering.ASSUMED,
        caption="About 64 images of each person under as many lightings; a cluster for each "
        f"person. {clustering.CAPTION}",
    )
)
