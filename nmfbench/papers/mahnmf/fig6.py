"""Figure 6: bases learned from corrupted images of Yale B."""

from nmfbench.artefacts.comparisons import not_worse
from nmfbench.artefacts.plan import Plan
from nmfbench.papers.mahnmf import bases
from nmfbench.papers.mahnmf.faces import HYBRID, KL, MAH, claim_on

_SOURCE = "Section 5.2.1, Figure 6"


def _under_poisson(method):
    """The paper finds MahNMF comparable to KLNMF there, whose noise it is, and no rival behind."""
    return claim_on(
        method,
        "poisson",
        f"Yale B, Poisson: the bases of {method} suppress the noise as well; it adds no more "
        f"contamination than to those of {KL}, by the margin.",
        _SOURCE,
        not_worse(method, [KL], bases.ADDED, at={"condition": "Poisson"}, lower=True),
    )


ARTEFACT = bases.figure(
    "fig6",
    "yaleb",
    title="Bases learned from corrupted faces, Yale B",
    source=_SOURCE,
    claims=[_under_poisson(method) for method in (MAH, HYBRID)],
    planned=Plan(10, "Complete when plans were made; a repeat takes 55 s of CPU time."),
    assumed=bases.ASSUMED
    | {
        "Poisson": "The paper says that MahNMF suppresses it too, which confirms that it is "
        "comparable to KLNMF in Figure 5: read as not more contaminated than KLNMF by the "
        "margin, twice the smallest difference that matters.",
    },
)
