"""Figure 6: bases learned from corrupted images of Yale B."""

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

_CLEARED = ("occlusion", "Laplace", "salt & pepper", "Poisson")

ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig6",
        title="Bases learned from corrupted faces, Yale B",
        kind="figure",
        methods=METHODS,
        grid=partial(grid, "yaleb"),
        table=summarise,
        picture=draw,
        claims=free_of_noise("yaleb", "Yale B", _CLEARED, "Section 5.2.1, Figure 6"),
        assumed=ASSUMED,
        caption=CAPTION,
    )
)
