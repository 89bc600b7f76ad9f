"""Figure 6: descent on sparse features, one sample at a time."""

from functools import partial
from itertools import product

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import always_best
from nmfbench.papers.or_nmf import curves
from nmfbench.papers.or_nmf.curves import HUE, MOR, OR, RIVALS, SAMPLES, SECONDS, SINGLE

_SOURCE = "Section V-A.2, Figure 6"

ARTEFACT = register_artefact(
    Artefact(
        "or-nmf/fig6",
        title="Descent on sparse features, a sample at a time",
        kind="figure",
        methods=SINGLE,
        grid=partial(HUE.grid, SINGLE),
        frame=curves.frame_of([*product([OR], RIVALS)]),
        table=curves.summarise,
        picture=curves.picture(SINGLE, HUE.names, curves.printed_axis("or-nmf/fig6")),
        claims=[
            *(
                curves.faster(OR, rival, axis, rank, "on sparse features", _SOURCE)
                for rival, axis, rank in product(RIVALS, (SAMPLES, SECONDS), HUE.ranks)
            ),
            *curves.of_single("on sparse features", "Figure 6"),
            Claim(
                "mor-low-r",
                "At the lower rank, 50, MOR-NMF ends at higher costs than its rivals.",
                _SOURCE,
                always_best(MOR, RIVALS, ["stored", "cost"], at={"panel": "rank 50"}),
            ),
            Claim(
                "mor-high-r",
                "At the higher rank, 80, MOR-NMF ends at lower costs than its rivals.",
                _SOURCE,
                always_best(MOR, RIVALS, ["stored", "cost"], at={"panel": "rank 80"}, lower=True),
            ),
        ],
        assumed=curves.ASSUMED
        | {
            "what there is to learn": "With 50 or 80 bases for 100 features and 500 samples there "
            "is little to compress."
        },
        caption=curves.CAPTION,
    )
)
