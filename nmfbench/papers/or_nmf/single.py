"""Descent on faces, one sample at a time: Figures 2 and 3."""

from __future__ import annotations

from functools import partial
from itertools import product

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.or_nmf import curves
from nmfbench.papers.or_nmf.descent import MATTERS, SAMPLES, SECONDS, frame_of
from nmfbench.papers.or_nmf.descent_claims import (
    faster,
    faster_than_safeguarded,
    of_single,
    of_the_true_cost,
)
from nmfbench.papers.or_nmf.methods import INMF, MOR, OMF, OR, PRINTED, RIVALS, SAFEGUARDED, SINGLE
from nmfbench.papers.or_nmf.panels import Panels
from nmfbench.papers.or_nmf.readings import pairs_at_readings, with_readings

_SIDES = (OR, MOR)
METHODS = with_readings(SINGLE, (OR, MOR, OMF, PRINTED, INMF))
"""Those drawn, and those at other readings of settings that the paper leaves open."""


def faces(artefact_id: str, panels: Panels, name: str, figure: str, planned: Plan) -> Artefact:
    """The artefact of Figure 2 or 3.

    Parameters
    ----------
    artefact_id : str
    panels : Panels
    name : str
        Of the data.
    figure : str
    planned : Plan
    """
    words = f"on {name}"
    return register_artefact(
        Artefact(
            artefact_id,
            title=f"Descent on {name}, a sample at a time",
            kind="figure",
            methods=METHODS,
            grid=partial(panels.grid, METHODS, repeats=planned.repeats),
            frame=frame_of(
                [*pairs_at_readings(product(_SIDES, RIVALS)), *product(_SIDES, SAFEGUARDED)]
            ),
            table=curves.summarise,
            picture=curves.picture(SINGLE, panels.names, curves.printed_axis(artefact_id)),
            claims=[
                *(
                    faster(side, rival, axis, rank, words, f"Section V-A.1, {figure}")
                    for side, rival, axis, rank in product(
                        _SIDES, RIVALS, (SAMPLES, SECONDS), panels.ranks
                    )
                ),
                *faster_than_safeguarded(_SIDES, panels, words, figure),
                *of_single(words, figure),
                *(
                    claim
                    for side, rival in product(_SIDES, SAFEGUARDED)
                    for claim in of_the_true_cost(side, rival, panels, words, figure)
                ),
            ],
            planned=planned,
            matters=MATTERS,
            assumed=curves.ASSUMED,
            caption=curves.CAPTION,
        )
    )
