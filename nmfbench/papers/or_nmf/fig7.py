"""Figure 7: descent on sparse features, a chunk of samples at a time."""

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.artefacts.comparisons import at_least, smaller
from nmfbench.papers.or_nmf import chunks, curves
from nmfbench.papers.or_nmf.curves import CHUNKS, HUE, ONMF, SAMPLES, TWICE, WOR

_SOURCE = "Section V-A.2, Figure 7"
_WORDS = "on sparse features"
_AXES = [
    curves.printed_axis("or-nmf/fig7", f"axis-{rank}", panel=f"rank {rank}") for rank in HUE.ranks
]


def _of_onmf(rank):
    at = curves.ALONE | {"panel": f"rank {rank}"}
    return [
        Claim(
            f"onmf-cheaper-r{rank}",
            f"ONMF takes fewer CPU seconds than WOR-NMF {_WORDS}, rank {rank}.",
            _SOURCE,
            smaller(ONMF, WOR, "cpu_seconds", at=at),
        ),
        Claim(
            f"onmf-nonconvergent-r{rank}",
            f"ONMF does not converge {_WORDS}, rank {rank}: in the second pass Fₙ rises by more "
            "than 1 %.",
            _SOURCE,
            at_least(ONMF, "rise", 0.01, at=at),
        ),
    ]


ARTEFACT = register_artefact(
    Artefact(
        "or-nmf/fig7",
        title="Descent on sparse features, a chunk at a time",
        kind="figure",
        methods=CHUNKS,
        grid=partial(HUE.grid, CHUNKS),
        frame=curves.frame_of(chunks.PAIRS),
        table=curves.summarise,
        picture=curves.picture(CHUNKS, HUE.names, *_AXES),
        claims=[
            *(curves.faster(WOR, ONMF, SAMPLES, rank, _WORDS, _SOURCE) for rank in HUE.ranks),
            *(curves.lower_cost(WOR, ONMF, TWICE, rank, _WORDS, _SOURCE) for rank in HUE.ranks),
            *(claim for rank in HUE.ranks for claim in _of_onmf(rank)),
        ],
        assumed=chunks.ASSUMED
        | {"names": "The text compares MOR-NMF; title and legend have WOR-NMF, which is meant."},
        caption=curves.CAPTION,
    )
)
