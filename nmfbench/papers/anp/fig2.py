"""Figure 2: clustering by number of classes, ORL."""

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.anp import convergence, curves
from nmfbench.papers.anp.curves_claims import NOT_MONOTONE, claims


def trials(profile):
    """Five to all forty people, and long fits to ten of them."""
    if profile == "smoke":
        few = curves.grid("orl", (2, 3), 2, curves.TRIED[:2], curves.GRAPH_TRIED, smoke=True)
        return few + convergence.grid("orl", 2, 2, smoke=True)
    if profile == "quick":
        some = curves.grid("orl", (10, 20, 40), 5, curves.TRIED, curves.GRAPH_TRIED)
        return some + convergence.grid("orl", 10, 5)
    return curves.grid("orl", range(5, 41, 5)) + convergence.grid("orl", 10, 20)


def frame(records):
    """Scores, and what becomes of long fits."""
    return convergence.with_convergence(curves.told_apart(records))


ARTEFACT = register_artefact(
    Artefact(
        "anp/fig2",
        title="Clustering by number of classes, ORL",
        kind="figure",
        methods=(*curves.METHODS, *convergence.METHODS),
        grid=trials,
        frame=frame,
        table=curves.summarise,
        picture=curves.draw,
        claims=[*claims("Figure 2", "ORL"), NOT_MONOTONE, *convergence.CLAIMS],
        planned=Plan(20, "A repeat takes 60 s of CPU time."),
        matters=convergence.MATTERS,
        assumed=curves.ASSUMED | convergence.ASSUMED,
        caption="(a) Accuracy and (b) normalised mutual information for people drawn at random, "
        "ten images each. Means over draws with 95 % intervals. The slides print no numbers. (c) "
        "Accuracy of ANP less that of NMF on the same draws, by the weight λ₁ of its new term and "
        "the ridge λ₂ in it; rings: weights of the curves of ANP (small) and of ANP at its best "
        "(large).",
    )
)
