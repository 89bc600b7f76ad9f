"""Table 4: normalised mutual information of ten methods, and three more, on five sets of images."""

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.papers.rnmfd.protocols import METHODS, NMI, grid
from nmfbench.papers.rnmfd.scores import ASSUMED, CAPTION, claims, draw, summarise

_ID = "rnmfd/table4"

ARTEFACT = register_artefact(
    Artefact(
        _ID,
        title="Normalised mutual information (NMI)",
        kind="table",
        methods=METHODS,
        grid=grid,
        table=partial(summarise, artefact=_ID, score=NMI),
        picture=draw,
        claims=claims(_ID, NMI, "NMI"),
        assumed=ASSUMED,
        caption=CAPTION.format("Mutual information over the geometric mean of the entropies"),
    )
)
