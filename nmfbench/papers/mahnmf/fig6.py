"""Figure 6: bases learned from corrupted images of Yale B."""

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.papers.mahnmf import bases
from nmfbench.papers.mahnmf.faces import FACTORIZATIONS

_CLEARED = ("occlusion", "Laplace", "salt & pepper", "Poisson")

ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig6",
        title="Bases learned from corrupted faces, Yale B",
        kind="figure",
        methods=FACTORIZATIONS,
        grid=partial(bases.grid, "yaleb"),
        frame=bases.frame,
        table=bases.table,
        picture=bases.draw,
        claims=bases.free_of_noise("yaleb", _CLEARED, "Section 5.2.1, Figure 6"),
        assumed=bases.ASSUMED,
        caption=bases.CAPTION,
    )
)
