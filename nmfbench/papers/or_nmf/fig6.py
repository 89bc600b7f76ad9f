"""Figure 6: descent on sparse features, one sample at a time."""

from functools import partial
from itertools import product

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import smaller
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.or_nmf import curves
from nmfbench.papers.or_nmf.descent import ALONE, MATTERS, SAMPLES, SECONDS, frame_of
from nmfbench.papers.or_nmf.descent_claims import (
    faster,
    faster_than_safeguarded,
    of_single,
    of_the_true_cost,
)
from nmfbench.papers.or_nmf.methods import MOR, OR, RIVALS, SAFEGUARDED, SINGLE
from nmfbench.papers.or_nmf.panels import HUE
from nmfbench.papers.or_nmf.readings import alike, pairs_at_readings
from nmfbench.papers.or_nmf.single import METHODS

_SOURCE = "Section V-A.2, Figure 6"
_WORDS = "on sparse features"

ARTEFACT = register_artefact(
    Artefact(
        "or-nmf/fig6",
        title="Descent on sparse features, a sample at a time",
        kind="figure",
        methods=METHODS,
        grid=partial(HUE.grid, METHODS, repeats=20),
        frame=frame_of([*pairs_at_readings(product([OR], RIVALS)), *product([OR], SAFEGUARDED)]),
        table=curves.summarise,
        picture=curves.picture(SINGLE, HUE.names, curves.printed_axis("or-nmf/fig6")),
        claims=[
            *(
                faster(OR, rival, axis, rank, _WORDS, _SOURCE)
                for rival, axis, rank in product(RIVALS, (SAMPLES, SECONDS), HUE.ranks)
            ),
            *faster_than_safeguarded([OR], HUE, _WORDS, "Figure 6"),
            *of_single(_WORDS, "Figure 6"),
            Claim(
                "mor-above-or-r50",
                "At the lower rank, 50, MOR-NMF, which discards old samples, has a higher cost fₜ "
                "than OR-NMF after two passes.",
                _SOURCE,
                alike(
                    partial(smaller, value="stored", at=ALONE | {"panel": "rank 50"}),
                    OR,
                    MOR,
                ),
            ),
            *(
                claim
                for rival in SAFEGUARDED
                for claim in of_the_true_cost(OR, rival, HUE, _WORDS, "Figure 6")
            ),
        ],
        planned=Plan(20, "A repeat takes 25 s of CPU time."),
        matters=MATTERS,
        assumed=curves.ASSUMED
        | {
            "what there is to learn": "With 50 or 80 bases for 100 features and 500 samples there "
            "is little to compress."
        },
        caption=curves.CAPTION,
    )
)
