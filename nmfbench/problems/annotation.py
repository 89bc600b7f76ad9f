"""Annotation of the images of Corel5k, by bases learned in one pass over a few of them."""

from nmfbench.core.registry import register_problems
from nmfbench.problems.baselines import GENERAL
from nmfbench.problems.problem import REPEATS, Baselines, Problem

__all__ = ["ONE_PASS", "ONE_PASS_PARAMS"]

ONE_PASS = {"n_learn": 300}
"""Options of a short learning, where the paper's is two passes over all training images."""

_STEPS = {"n_epochs": 1, "max_iter_inner": 60}
ONE_PASS_PARAMS = {
    "or-nmf": _STEPS,
    "mor-nmf": _STEPS,
    "wor-nmf": _STEPS,
    "onmf": {"n_epochs": 1, "max_iter_inner": 50},
    "inmf": {"n_epochs": 1, "max_iter_inner": 5},
    "omf": {"n_epochs": 1, "n_sweeps": 1},
    "omf-da": {"n_epochs": 1, "max_iter_inner": 1},
}
"""Parameters of the online solvers then: few inner iterations, of like times."""

_BASELINES: Baselines = (
    *GENERAL,
    ("random-bases", {}),
    *((key, ONE_PASS_PARAMS[key]) for key in ("or-nmf", "omf")),
)
_RANKS = {"smoke": (20,), "quick": (20,), "paper": (20, 180)}


@register_problems("annotation")
def annotation(profile):
    """Few components, in the paper's grid many, too; a stand-in in the smoke grid."""
    return [
        Problem(
            task="annotation",
            label=f"Corel5k, r = {rank}",
            dataset="corel5k",
            options=ONE_PASS | {"n_components": rank},
            baselines=_BASELINES,
            repeats=REPEATS[profile],
            stand_in=profile == "smoke",
        )
        for rank in _RANKS[profile]
    ]
