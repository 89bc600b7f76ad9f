"""Recognition and reconstruction of faces under corruption."""

from typing import Any

from nmfbench.core.registry import register_problems
from nmfbench.problems.baselines import GENERAL
from nmfbench.problems.noise import NOISES, at_levels
from nmfbench.problems.problem import REPEATS, Problem

__all__ = ["CONDITIONS", "DTYPE", "SPLIT", "few_people"]

DTYPE = "float32"
"""Precision of the fits: grey levels have eight bits."""

SPLIT = {"train_per_class": 7}
"""Images of a person that train; the rest test."""

CONDITIONS = {"no noise": (None, None)} | {
    NOISES[corruption].title: (corruption, level)
    for corruption, level in (
        ("occlusion", 0.3),
        ("laplace", 0.2),
        ("salt-pepper", 0.2),
        ("gaussian", 0.2),
        ("poisson", 25.0),
    )
}
"""Corruption and level by label, in the order of the panels of Figures 5 to 9 of MahNMF."""

_QUICK_LEVELS = [
    *((name, level) for name in ("salt-pepper", "gaussian") for level in NOISES[name].quick),
    ("occlusion", 0.2),
]
_SETS = {"yaleb": "Yale B", "pie": "PIE"}
_RANK = 20  # of Table 1 of MahNMF


def few_people(people: int = 15, test_per_class: int = 10) -> dict:
    """Options of the study of breakdown: a few people, and as many components."""
    size = {"n_components": people, "n_classes": people, "test_per_class": test_per_class}
    return size | SPLIT | {"dtype": DTYPE}


@register_problems("recognition")
def recognition(profile):
    """Digits in the smoke grid; a few people of Yale B; all of Yale B and PIE in the paper's."""
    return _images("recognition", profile)


@register_problems("reconstruction")
def reconstruction(profile):
    """The problems of recognition, whose fits they share, with one of them for the clock."""
    found = _images("reconstruction", profile)
    return [*found, found[1].as_timing_problem()]


def _images(task, profile):
    shared: dict[str, Any] = {"task": task, "baselines": GENERAL, "repeats": REPEATS[profile]}
    if profile == "smoke":
        options = {"n_components": 10, "train_per_class": 10, "test_per_class": 10}
        digits = Problem(label="digits", dataset="digits", options=options, **shared)
        return at_levels(digits, [("salt-pepper", 0.2), ("salt-pepper", 0.4)])
    few = Problem(label="15 of Yale B", dataset="yaleb", options=few_people(), **shared)
    found = at_levels(few, _QUICK_LEVELS)
    if profile == "paper":
        whole_options = {"n_components": _RANK, "dtype": DTYPE} | SPLIT
        noisy = list(CONDITIONS.values())[1:]
        for dataset, name in _SETS.items():
            whole = Problem(label=name, dataset=dataset, options=whole_options, **shared)
            found += at_levels(whole, noisy)
    return found
