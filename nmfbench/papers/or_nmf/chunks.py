"""Descent in chunks of samples: Figures 4 and 5, and what Figure 7 shares with them."""

from __future__ import annotations

from functools import partial
from itertools import product

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.papers.or_nmf import curves
from nmfbench.papers.or_nmf.curves import CHUNKS, ONCE, ONMF, OR, SAMPLES, SECONDS, TWICE, WOR

__all__ = ["ASSUMED", "PAIRS", "faces"]

PAIRS = ((WOR, ONMF), (WOR, OR))
ASSUMED = curves.ASSUMED | {
    "chunks": "As many samples as components, for both methods; the paper says so of ONMF only.",
    "OR-NMF": "Beside them, since Section II-D says that a chunk a step converges faster than "
    "single samples.",
}


def faces(artefact_id: str, panels: curves.Panels, name: str, figure: str) -> Artefact:
    """The artefact of Figure 4 or 5.

    Parameters
    ----------
    artefact_id : str
    panels : Panels
    name : str
        Of the data.
    figure : str
    """
    places = list(product((SAMPLES, SECONDS), panels.ranks))
    source, words = f"Section V-A.1, {figure}", f"on {name}"
    return register_artefact(
        Artefact(
            artefact_id,
            title=f"Descent on {name}, a chunk at a time",
            kind="figure",
            methods=CHUNKS,
            grid=partial(panels.grid, CHUNKS),
            frame=curves.frame_of(PAIRS),
            table=curves.summarise,
            picture=curves.picture(CHUNKS, panels.names, curves.printed_axis(artefact_id)),
            claims=[
                *(curves.faster(WOR, ONMF, axis, r, words, source) for axis, r in places),
                *(
                    curves.lower_cost(WOR, ONMF, at, r, words, source)
                    for at, r in product((ONCE, TWICE), panels.ranks)
                ),
                *_a_chunk_a_step(panels, words),
            ],
            assumed=ASSUMED,
            caption=curves.CAPTION,
        )
    )


def _a_chunk_a_step(panels, words) -> list[Claim]:
    """Of OR-NMF and WOR-NMF, from Section II-D."""
    source = "Section II-D"
    return [
        *(curves.faster(WOR, OR, SECONDS, r, words, source) for r in panels.ranks),
        *(
            curves.lower_cost(WOR, OR, at, r, words, source)
            for at, r in product((ONCE, TWICE), panels.ranks)
        ),
    ]
