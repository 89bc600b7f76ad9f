"""Figure 19: shadows removed from the faces of two more subjects, and how methods compare."""

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim, said_at
from nmfbench.artefacts.comparisons import not_worse
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.mahnmf import shadows
from nmfbench.papers.mahnmf.shadows import ASKED, GODEC, METHODS, NUMBERS, RPCA, SMOOTHING, SOURCE

_METHODS = (*METHODS, SMOOTHING)
_HIGHER = ("lift", "detail")


def _as_good(rival, name):
    ratio = name != "shadow-error"  # which is in grey levels
    test_of = partial(
        not_worse, rivals=[rival], values=name, lower=name not in _HIGHER, ratio=ratio
    )
    return shadows.at_readings(test_of, ours=name in ASKED)


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig19",
        title="Shadows removed from faces, subjects 3 and 4",
        kind="figure",
        methods=_METHODS,
        grid=partial(shadows.grid, chosen=_METHODS),
        frame=shadows.by_rank,
        table=partial(shadows.pictures, subjects=(2, 3)),
        picture=shadows.draw,
        claims=[
            Claim(
                f"comparable-{rival.lower()}-{name}",
                f"MahNMF is comparable to {rival} in {words}, or better, mean over all subjects.",
                test=_as_good(rival, name),
                **said_at(SOURCE, ours=name in ASKED),
            )
            for rival in (RPCA, GODEC)
            for name, words in NUMBERS.items()
        ],
        planned=Plan(
            5, "Complete when plans were made; a start takes 30 s of CPU time.", unit="start"
        ),
        assumed=shadows.ASSUMED
        | {
            "comparable": "The paper gives no margin. Ours is twice the smallest difference that "
            "matters of each number, ten per cent, or one grey level; nearer to the median image "
            "is no worse. Claims on lift are ours: brighter is always better there, so that "
            "a white veil is the best; the shadow error asks for the same, and has a goal."
        },
        caption=f"{shadows.CAPTION} How the methods compare is judged here, on all 38 subjects; "
        "whether shadows go, with Figure 18.",
    )
)
