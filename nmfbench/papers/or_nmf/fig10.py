"""Figure 10: recognition on ten people, Extended Yale B for the CBCL recognition set."""

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.or_nmf import recognition
from nmfbench.papers.or_nmf.recognition import SHOWN, SIZES, grid
from nmfbench.papers.or_nmf.recognition_claims import claims


def trials(profile):
    """Ranks 10 to 80; three of them, with five training images a person, in the quick grid."""
    if profile == "smoke":
        return grid("digits", 2, (3,), (3, 20))
    if profile == "quick":
        return grid("yaleb", 2, (5,), (10, 20, 40), SHOWN)
    return grid("yaleb", 20, SIZES, range(10, 81, 10))


ARTEFACT = register_artefact(
    Artefact(
        "or-nmf/fig10",
        title="Recognition by learned bases, CBCL",
        kind="figure",
        methods=recognition.METHODS,
        grid=trials,
        frame=recognition.frame,
        table=recognition.table,
        picture=recognition.curves("or-nmf/fig10"),
        claims=claims("Figure 10", "Section V-B.1"),
        planned=Plan(20, "A repeat takes two minutes of CPU time."),
        matters=recognition.MATTERS,
        assumed=recognition.ASSUMED
        | {
            "data": "The public CBCL faces of 19 x 19 pixels have no identities. In their place "
            "ten people of Extended Yale B, drawn in each split, with 50 images each, reduced "
            "from 32 x 32 to 19 x 19 pixels by averages over areas: as many training and test "
            "images as in the paper.",
        },
        stands_for={"yaleb": "Extended Yale B for the CBCL recognition set"},
        caption="Ten people of Extended Yale B; 30, 50 and 70 images train and 470, 450 and 430 "
        f"test. {recognition.CAPTION}",
    )
)
