"""Figure 7: recognition on PIE."""

from functools import partial

from nmfbench.artefacts.plan import Plan
from nmfbench.artefacts.region import Margin
from nmfbench.papers.mahnmf import recognition
from nmfbench.papers.mahnmf.faces import EUC, HYBRID, NOISY, trials_on_faces
from nmfbench.papers.mahnmf.recognition import Claims


def _claims(claims: Claims):
    return [
        claims.ahead("no noise", rivals=[EUC]),
        claims.above_pca(Margin(both=False)),
        claims.as_good_as_kl("no noise"),
        *([claims.ahead_in_all()] if claims.method == HYBRID else map(claims.ahead, NOISY)),
        claims.almost_perfect("no noise"),
        claims.almost_perfect("salt & pepper"),
    ]


ARTEFACT = recognition.figure(
    "fig7",
    title="Recognition on PIE",
    grid=partial(trials_on_faces, "recognition", "pie"),
    claims=[
        *recognition.asked(_claims, "Section 5.2.2, Figure 7"),
        *recognition.traditional_not_robust(),
    ],
    planned=Plan(10, "As in the paper's grid: a repeat takes 39 minutes of CPU time."),
    assumed={},
    caption="CMU PIE, frontal pose, 68 people in 42 lights: 476 images train and 2380 test.",
)
