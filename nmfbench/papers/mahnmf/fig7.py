"""Figure 7: recognition on PIE."""

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.papers.mahnmf import faces
from nmfbench.papers.mahnmf.recognition_curves import (
    ASSUMED,
    CAPTION,
    ahead,
    ahead_in_all,
    almost_perfect,
    as_good_as_kl,
    draw,
    summarise,
)

_SOURCE = "Section 5.2.2, Figure 7"


def _claims(method, algorithm):
    if method == faces.HYBRID:
        corrupted = [ahead_in_all(method, algorithm, _SOURCE)]
    else:
        conditions = list(faces.CONDITIONS)[1:]
        corrupted = [ahead(method, algorithm, condition, _SOURCE) for condition in conditions]
    return [
        ahead(method, algorithm, "no noise", _SOURCE, rivals=[faces.EUC]),
        as_good_as_kl(method, algorithm, "no noise", _SOURCE),
        *corrupted,
        almost_perfect(method, algorithm, "no noise", _SOURCE),
        almost_perfect(method, algorithm, "salt & pepper", _SOURCE),
    ]


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig7",
        title="Recognition on PIE",
        kind="figure",
        methods=faces.METHODS,
        grid=partial(faces.trials_on_faces, "recognition", "pie"),
        table=partial(summarise, dataset="pie"),
        picture=draw,
        claims=[
            claim
            for method in (faces.MAH, faces.HYBRID)
            for algorithm in ("Algorithm 4", "Algorithm 5")
            for claim in _claims(method, algorithm)
        ],
        assumed=faces.ASSUMED | ASSUMED,
        caption="CMU PIE, frontal pose, 68 people in 42 lights: 476 images train "
        f"and 2380 test. {CAPTION}",
    )
)
