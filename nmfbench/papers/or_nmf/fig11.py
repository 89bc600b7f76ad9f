"""Figure 11: recognition on ORL."""

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.or_nmf import recognition
from nmfbench.papers.or_nmf.recognition import FAST, SHOWN, SIZES, grid
from nmfbench.papers.or_nmf.recognition_claims import claims


def trials(profile):
    """Ranks 10 to 150; the lowest, and one more for the fast methods, in the quick grid."""
    if profile == "smoke":
        return grid("digits", 2, (3,), (3, 20))
    if profile == "quick":
        return grid("orl", 2, (5,), (10,), SHOWN) + grid("orl", 2, (5,), (50,), FAST)
    return grid("orl", 10, SIZES, range(10, 151, 10))


ARTEFACT = register_artefact(
    Artefact(
        "or-nmf/fig11",
        title="Recognition by learned bases, ORL",
        kind="figure",
        methods=recognition.METHODS,
        grid=trials,
        frame=recognition.frame,
        table=recognition.table,
        picture=recognition.curves("or-nmf/fig11"),
        claims=claims("Figure 11", "Section V-B.2"),
        planned=Plan(10, "As in the paper's grid: a repeat takes 15 minutes of CPU time."),
        matters=recognition.MATTERS,
        assumed=recognition.ASSUMED,
        caption="ORL, 40 people; 120, 200 and 280 images train and 280, 200 and 120 test. In the "
        "quick grid methods that update the bases after each sample have the lowest rank only: "
        f"at rank 80 fits of OMF-DA take a minute. {recognition.CAPTION}",
    )
)
