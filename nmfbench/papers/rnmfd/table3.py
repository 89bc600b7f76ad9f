"""Table 3: clustering accuracy of ten methods, and three more, on five sets of images."""

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.papers.rnmfd.protocols import AC, METHODS, grid
from nmfbench.papers.rnmfd.scores import ASSUMED, CAPTION, claims, draw, summarise

_ID = "rnmfd/table3"

ARTEFACT = register_artefact(
    Artefact(
        _ID,
        title="Clustering accuracy (AC)",
        kind="table",
        methods=METHODS,
        grid=grid,
        table=partial(summarise, artefact=_ID, score=AC),
        picture=draw,
        claims=claims(_ID, AC, "accuracy"),
        assumed=ASSUMED,
        caption=CAPTION.format("Accuracy under the best matching of clusters to classes"),
    )
)
