"""Figure 8: bases learned from corrupted images of PIE."""

from nmfbench.artefacts.plan import Plan
from nmfbench.papers.mahnmf import bases
from nmfbench.papers.mahnmf.faces import READ_AT, lowest

_SOURCE = "Section 5.2.2, Figure 8"

ARTEFACT = bases.figure(
    "fig8",
    "pie",
    title="Bases learned from corrupted faces, PIE",
    source=_SOURCE,
    claims=lowest(
        "illumination",
        "PIE, no noise: the bases of {} hold less of the illumination than the bases of EucNMF and "
        "KLNMF (lopsidedness).",
        _SOURCE,
        "lopsidedness",
        at={"condition": "no noise"},
        ranks=READ_AT,
    ),
    planned=Plan(10, "Complete when plans were made; a repeat takes 90 s of CPU time."),
    assumed=bases.ASSUMED
    | {
        "illumination": "The paper has no number for it. Ours is how far bases are from their "
        "mirror images: an upright face is nearly symmetric, a face lit from one side is not. "
        "It is blind to light from the front, and counts a basis of one eye as lopsided."
    },
)
