"""Segmentation of natural images, by graphs of their pixels."""

from __future__ import annotations

from nmfbench.core.registry import register_problems
from nmfbench.problems.baselines import GENERAL
from nmfbench.problems.problem import REPEATS, Baselines, Problem

__all__ = ["GRAPHS", "SIDES"]

GRAPHS = {
    "local": {"sigma_position": 0.067, "radius": 0.083},
    "medium": {"sigma_position": 0.167, "radius": 0.333},
    "full": {"sigma_position": 1.0, "radius": 1.0},
}
"""Reach of the affinity, in longer sides of the image: some pixels, a third, or all of it."""

SIDES = {"smoke": 16, "quick": 36, "paper": 60}
"""Pixels of the longer side of the reduced images, by profile."""

_BASELINES: Baselines = (
    *GENERAL,
    ("mahnmf-sym", {"max_iter": 15}),
    ("sym-mu", {}),
    ("ncuts", {"mode": "recursive"}),
)


@register_problems("segmentation")
def segmentation(profile):
    """Images of the Berkeley set, one drawn in each repeat; generated ones in the smoke grid."""
    smoke = profile == "smoke"
    return [
        Problem(
            task="segmentation",
            label=f"{'coloured regions' if smoke else 'BSDS'}, {graph} graph",
            dataset="regions" if smoke else "bsds",
            options={"segments": (3, 5), "side": SIDES[profile], **GRAPHS[graph]},
            baselines=_BASELINES,
            repeats=REPEATS[profile],
        )
        for graph in (("medium",) if smoke else ("local", "medium"))
    ]
