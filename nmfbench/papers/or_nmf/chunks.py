"""Descent in chunks of samples: Figures 4 and 5, and what Figure 7 shares with them."""

from __future__ import annotations

from functools import partial
from itertools import product

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.or_nmf import curves
from nmfbench.papers.or_nmf.descent import MATTERS, SAMPLES, SECONDS, frame_of
from nmfbench.papers.or_nmf.descent_claims import faster, lower_at_the_end, of_the_true_cost
from nmfbench.papers.or_nmf.methods import CHUNKS, ONMF, OR, WOR
from nmfbench.papers.or_nmf.panels import Panels
from nmfbench.papers.or_nmf.readings import pairs_at_readings, with_readings

PAIRS = pairs_at_readings([(WOR, ONMF), (WOR, OR)])
METHODS = with_readings(CHUNKS, (WOR, ONMF, OR))
"""Those drawn, and those at other readings of settings that the paper leaves open."""
ASSUMED = curves.ASSUMED | {
    "chunks": "As many samples as components, for both methods; the paper says so of ONMF only.",
    "ONMF": "The paper gives no number of multiplicative updates of a chunk, on which costs and "
    "seconds of ONMF depend: its claims are decided where they come out alike at 20, 50 and 200, "
    "at either tolerance and M∗ of WOR-NMF. Drawn, and in our claims, are 200.",
    "OR-NMF": "Beside them, since Section II-D says that a chunk a step converges faster than "
    "single samples.",
}


def faces(artefact_id: str, panels: Panels, name: str, figure: str) -> Artefact:
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
            methods=METHODS,
            grid=partial(panels.grid, METHODS),
            frame=frame_of(PAIRS),
            table=curves.summarise,
            picture=curves.picture(CHUNKS, panels.names, curves.printed_axis(artefact_id)),
            claims=[
                *(faster(WOR, ONMF, axis, r, words, source) for axis, r in places),
                *(lower_at_the_end(WOR, ONMF, r, words, source) for r in panels.ranks),
                *(
                    faster(WOR, OR, SECONDS, r, words, f"Section II-D, {figure}")
                    for r in panels.ranks
                ),
                *of_the_true_cost(WOR, ONMF, panels, words, figure, stored=False),
                *of_the_true_cost(WOR, OR, panels, words, figure),
            ],
            planned=Plan(10, "Complete when plans were made; a repeat takes 4 to 7 s of CPU time."),
            matters=MATTERS,
            assumed=ASSUMED,
            caption=curves.CAPTION,
        )
    )
