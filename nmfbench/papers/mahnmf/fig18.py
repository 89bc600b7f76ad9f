"""Figure 18: shadows removed from the faces of two subjects, and whether they are."""

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim, said_at
from nmfbench.artefacts.comparisons import larger, not_worse, smaller
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.mahnmf import shadows
from nmfbench.papers.mahnmf.shadows import ASKED, IMAGES, MAH, SOURCE

_TESTS = {
    "asymmetry": ("are less lopsided than the images", smaller(MAH, IMAGES, "asymmetry")),
    "lift": ("are brighter than the images where there is shadow", larger(MAH, IMAGES, "lift")),
    "spread": ("differ less in brightness than the images", smaller(MAH, IMAGES, "spread")),
    "detail": (
        "have no less of the detail of the median image",
        not_worse(MAH, [IMAGES], "detail", ratio=True),
    ),
}


def _claim(name, label, test):
    ours = name in ASKED
    start = "With MahNMF" if ours else "MahNMF removes shadow and illumination: its"
    statement = f"{start} low-rank parts {label}, mean over all subjects."
    return Claim(f"removed-{name}", statement, test=test, **said_at(SOURCE, ours=ours))


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig18",
        title="Shadows removed from faces, subjects 1 and 2",
        kind="figure",
        methods=shadows.METHODS,
        grid=shadows.grid,
        frame=shadows.by_subject,
        table=partial(shadows.pictures, subjects=(0, 1)),
        picture=shadows.draw,
        claims=[_claim(name, label, test) for name, (label, test) in _TESTS.items()],
        planned=Plan(
            5, "Complete when plans were made; a start takes 9 s of CPU time.", unit="start"
        ),
        assumed=shadows.ASSUMED,
        caption=f"{shadows.CAPTION} Whether shadows go is judged here, on all 38 subjects; how "
        "the methods compare, with Figure 19. The brightest image of subject 2 has its stripes in "
        "the data.",
    )
)
