"""Figure 5: recognition on Yale B."""

from functools import partial

from nmfbench.artefacts.artefact import Artefact, register_artefact
from nmfbench.papers.mahnmf import recognition
from nmfbench.papers.mahnmf.faces import HYBRID, MAH, METHODS, trials_on_faces
from nmfbench.papers.mahnmf.recognition import ALGORITHMS, Claims


def _claims(said: Claims):
    return [
        said.ahead("no noise"),
        said.robust(),
        said.ahead("Laplace"),
        said.ahead("salt & pepper"),
        said.behind_euc("Gaussian"),
        said.as_good_as_kl("Poisson"),
    ]


ARTEFACT = register_artefact(
    Artefact(
        "mahnmf/fig5",
        title="Recognition on Yale B",
        kind="figure",
        methods=METHODS,
        grid=partial(trials_on_faces, "recognition", "yaleb"),
        frame=recognition.frame,
        table=recognition.table,
        picture=recognition.CURVES,
        claims=[
            claim
            for method in (MAH, HYBRID)
            for algorithm in ALGORITHMS
            for claim in _claims(Claims(method, algorithm, "Section 5.2.1, Figure 5"))
        ],
        assumed=recognition.ASSUMED,
        caption="Extended Yale B, 38 people, 266 images train and 2148 test. "
        f"{recognition.CAPTION}",
    )
)
