"""Figure 18: shadows removed from the faces of two subjects, and whether they are."""

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim, said_at
from nmfbench.artefacts.comparisons import always_best, larger, not_worse, smaller
from nmfbench.artefacts.finding import with_evidence
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.mahnmf import shadows
from nmfbench.papers.mahnmf.shadows import (
    ASKED,
    HALS,
    IMAGES,
    METHODS,
    PCA,
    SMOOTHING,
    SOURCE,
    SQUARED,
)
from nmfbench.problems.lighting import RANK

_RIVALS = [IMAGES, *(method.label for method in SQUARED)]
_BESIDE = "the images, and than the fits of HALS and PCA of the same rank"
_TESTS = {
    "asymmetry": (
        f"are less lopsided than {_BESIDE}",
        partial(always_best, rivals=_RIVALS, values="asymmetry", lower=True, ratio=True),
    ),
    "lift": (
        "are brighter than the images where there is shadow",
        partial(larger, rival=IMAGES, value="lift"),
    ),
    "shadow-error": (
        f"are nearer to the median image where there is shadow than {_BESIDE}",
        partial(always_best, rivals=_RIVALS, values="shadow-error", lower=True),
    ),
    "spread": (
        "differ less in brightness than the images",
        partial(smaller, rival=IMAGES, value="spread"),
    ),
    "detail": (
        "have no less of the detail of the median image",
        partial(not_worse, rivals=[IMAGES], values="detail", ratio=True),
    ),
}


def _lift_of_others(frame):
    """Lift of fits of the same rank by a squared loss."""
    rows = select_rows(frame, method=[HALS, PCA], n_components=RANK).astype({"method": str})
    means = rows.groupby("method")["lift"].mean()
    return "lift of " + ", ".join(f"{method} {mean:.3g}" for method, mean in means.items())


def _claim(name, label, test_of):
    ours = name in ASKED
    start = "With MahNMF" if ours else "MahNMF removes shadow and illumination: its"
    statement = f"{start} low-rank parts {label}, mean over all subjects."
    test = shadows.at_readings(test_of, ours=ours)
    if name == "lift":
        test = with_evidence(test, _lift_of_others)
    return Claim(f"removed-{name}", statement, test=test, **said_at(SOURCE, ours=ours))


def trials(profile):
    """The methods of the paper, by both of its algorithms, and fits by a squared loss."""
    return shadows.grid(profile, (*METHODS, SMOOTHING, *SQUARED))


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig18",
        title="Shadows removed from faces, subjects 1 and 2",
        kind="figure",
        methods=(*METHODS, SMOOTHING, *SQUARED),
        grid=trials,
        frame=shadows.by_rank,
        table=partial(shadows.pictures, subjects=(0, 1)),
        picture=shadows.draw,
        claims=[_claim(name, label, test_of) for name, (label, test_of) in _TESTS.items()],
        planned=Plan(
            5, "Complete when plans were made; a start takes 30 s of CPU time.", unit="start"
        ),
        assumed=shadows.ASSUMED
        | {
            "removed": "A fit of so low a rank has less of the shadows than the images whatever "
            "its loss, so that the images are no test by themselves: MahNMF has to be ahead of "
            "fits of the same rank by a squared loss, too, NMF (HALS) and PCA, which the paper "
            "says shadows pull down; by lopsidedness, and by the distance to the median image "
            "where there is shadow. Lift beside the images, which any fit of low rank has, is our "
            "question, with that of HALS and PCA beside it.",
        },
        caption=f"{shadows.CAPTION} Whether shadows go is judged here, on all 38 subjects; how "
        "the methods compare, with Figure 19. The brightest image of subject 2 has its stripes in "
        "the data.",
    )
)
