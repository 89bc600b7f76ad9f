"""Shadows in faces, one subject at a time."""

from nmfbench.core.registry import register_problems
from nmfbench.problems.baselines import GENERAL
from nmfbench.problems.problem import REPEATS, Baselines, Problem
from nmfbench.problems.separation import CARD

__all__ = ["DATASET", "RANK"]

DATASET = "yaleb"

RANK = 2
"""Of the demo of GoDec's authors."""

_BASELINES: Baselines = (*GENERAL, ("rpca-ialm", {}), ("godec", {"card": CARD}))
_SUBJECTS = {"smoke": 4, "quick": 10, "paper": 20}


@register_problems("lighting")
def lighting(profile):
    """Subjects of Yale B, drawn in each repeat; of its stand-in in the smoke grid."""
    subjects = _SUBJECTS[profile]
    problem = Problem(
        task="lighting",
        label=f"{subjects} of Yale B, r = {RANK}",
        dataset=DATASET,
        options={"n_components": RANK, "n_classes": subjects},
        baselines=_BASELINES,
        repeats=REPEATS[profile],
        stand_in=profile == "smoke",
    )
    return [problem, problem.as_timing_problem()]
