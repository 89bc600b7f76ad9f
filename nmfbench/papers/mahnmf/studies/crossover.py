"""RRI, OGM and their relatives today: which is nearer to the best factorization, and when?"""

from __future__ import annotations

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.bounds import without_exception
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import smaller
from nmfbench.artefacts.finding import within
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.mahnmf.matrices import (
    FACES,
    HYBRID,
    LARGE,
    LOW_RANK,
    LOW_RANK_WIDE,
    METHODS,
    MIDDLE,
    OGM,
    PIE,
    SELECT,
    SMALL,
    SMOKE,
    SORT,
    SPECTRAL,
    TINY,
    runs,
)
from nmfbench.papers.mahnmf.speed import ASSUMED, MATTERS
from nmfbench.papers.mahnmf.studies.crossover_figure import draw
from nmfbench.papers.mahnmf.studies.nearness import frame, near_best, summarise

MATRICES = (TINY, SMALL, MIDDLE, LARGE, LOW_RANK, LOW_RANK_WIDE, FACES, PIE, SMOKE)


def _sooner(side, rival, tolerance, at):
    """``side`` is within ``tolerance`` of the better of the two before ``rival`` is."""
    seconds = f"seconds to {tolerance:g}"

    def test(frame):
        pair = near_best(select_rows(frame, method=[side, rival]), tolerance)
        return smaller(side, rival, seconds, "short")(pair.rename(columns={"seconds": seconds}))

    return within(at, test)


def _claims(slug, matrix):
    at = {"problem": matrix.label}

    def claim(name, statement, test, source="ours; Section 5.1 for today's code"):
        return Claim(f"{slug}-{name}", f"{matrix.label}: {statement}", source, test, origin="ours")

    return [
        claim(
            "sort",
            "A sweep of RRI by selection takes less time than one by sorting.",
            smaller(SELECT, SORT, "seconds a round", at=at),
            "ours; Section 2 finds RRI not scalable for the cost of the sort",
        ),
        claim(
            "sprint",
            "RRI by selection is within 20 % of the better of the two before OGM with the paper's "
            "step is.",
            _sooner(SELECT, OGM, 0.2, at),
        ),
        claim(
            "finish",
            "OGM with the spectral step is within 2 % of the better of the two before RRI by "
            "selection is.",
            _sooner(SPECTRAL, SELECT, 0.02, at),
        ),
        claim(
            "end",
            "OGM with the spectral step ends lower than RRI by selection.",
            smaller(SPECTRAL, SELECT, "objective at end", at=at),
        ),
        claim(
            "hybrid",
            "At equal CPU time the hybrid is at most 1 % above the better of RRI by selection and "
            "OGM with either step.",
            without_exception(HYBRID, "worst lag", high=0.01, at=at),
        ),
        *(
            claim(
                f"hybrid-below-{name}",
                f"The hybrid ends lower than {rival}.",
                smaller(HYBRID, rival, "objective at end", at=at),
            )
            for name, rival in (("rri", SELECT), ("ogm", SPECTRAL))
        ),
    ]


_SLUGS = {
    "tiny": TINY,
    "small": SMALL,
    "large": LARGE,
    "low-rank": LOW_RANK,
    "yaleb": FACES,
    "pie": PIE,
}


def _claimed(trial):
    return trial.labels["problem"] in [matrix.label for matrix in _SLUGS.values()]


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/crossover",
        title="RRI, OGM and their relatives: who is near the best first",
        kind="figure",
        methods=METHODS,
        grid=partial(runs, MATRICES, METHODS),
        frame=frame,
        table=summarise,
        picture=partial(draw, matrices=MATRICES),
        claims=[claim for slug, matrix in _SLUGS.items() for claim in _claims(slug, matrix)],
        planned=Plan(
            10,
            "As in the paper's grid: a repeat takes 200 s, and hours with the largest matrix.",
            part="The matrices that claims are about.",
            chosen=_claimed,
        ),
        matters=MATTERS | {"worst lag": 0.02},
        assumed=ASSUMED
        | {
            "best": "The smallest objective that any of the methods shown met on the same data, "
            "not the optimum, which nobody knows.",
        },
        caption="Objective above the best that any method met on the same data, median over "
        "repeats, with quartiles, against CPU seconds on one thread. Last panel, without the "
        "hybrid: the method that is first within a tolerance of the best objective of "
        "these methods, in the median, and its seconds; an empty cell means that none was in half "
        "of its repeats. Curves that end had run for their number of rounds.",
    )
)
