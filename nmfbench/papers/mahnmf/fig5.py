"""Figure 5: recognition on Yale B."""

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.papers.mahnmf import faces
from nmfbench.papers.mahnmf.recognition_curves import (
    ASSUMED,
    CAPTION,
    ahead,
    as_good_as_kl,
    behind_euc,
    draw,
    robust,
    summarise,
)

_SOURCE = "Section 5.2.1, Figure 5"


def _claims(method, algorithm):
    return [
        ahead(method, algorithm, "no noise", _SOURCE),
        robust(method, algorithm, _SOURCE),
        ahead(method, algorithm, "Laplace", _SOURCE),
        ahead(method, algorithm, "salt & pepper", _SOURCE),
        behind_euc(method, algorithm, "Gaussian", _SOURCE),
        as_good_as_kl(method, algorithm, "Poisson", _SOURCE),
    ]


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig5",
        title="Recognition on Yale B",
        kind="figure",
        methods=faces.METHODS,
        grid=partial(faces.trials_on_faces, "recognition", "yaleb"),
        table=partial(summarise, dataset="yaleb"),
        picture=draw,
        claims=[
            claim
            for method in (faces.MAH, faces.HYBRID)
            for algorithm in ("Algorithm 4", "Algorithm 5")
            for claim in _claims(method, algorithm)
        ],
        assumed=faces.ASSUMED | ASSUMED,
        caption=f"Extended Yale B, 38 people, 266 images train and 2148 test. {CAPTION}",
    )
)
