"""Figure 8: bases learned from corrupted images of PIE."""

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.papers.mahnmf.bases import (
    ASSUMED,
    CAPTION,
    METHODS,
    draw,
    free_of_noise,
    grid,
    summarise,
)
from nmfbench.papers.mahnmf.lowest import lowest

_CLEARED = ("occlusion", "Laplace", "salt & pepper")
_SOURCE = "Section 5.2.2, Figure 8"

ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig8",
        title="Bases learned from corrupted faces, PIE",
        kind="figure",
        methods=METHODS,
        grid=partial(grid, "pie"),
        table=summarise,
        picture=draw,
        claims=[
            *free_of_noise("pie", "PIE", _CLEARED, _SOURCE),
            *lowest(
                "illumination",
                "PIE, no noise: the bases of {} hold less of the illumination than those of "
                "EucNMF and of KLNMF (lopsidedness).",
                _SOURCE,
                ["lopsidedness"],
                condition="no noise",
                dataset="pie",
            ),
        ],
        assumed=ASSUMED
        | {
            "illumination": "The paper has no number for it. Ours is how far bases are from their "
            "mirror images: an upright face is nearly symmetric, a face lit from one side is not. "
            "It is blind to light from the front, and counts a basis of one eye as lopsided."
        },
        caption=CAPTION,
    )
)
