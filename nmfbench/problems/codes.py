"""Recognition by the nearest code: few people of Yale B in small images, and ORL."""

from __future__ import annotations

from typing import Any

from nmfbench.core.registry import register_problems
from nmfbench.problems.baselines import GENERAL
from nmfbench.problems.problem import REPEATS, Baselines, Problem

__all__ = ["coded"]

_SETS: dict[str, dict[str, Any]] = {
    "yaleb": {
        "label": "10 of Yale B, 19x19",
        "dataset_params": {"samples_per_class": 50, "image_side": 19},
        "options": {"n_classes": 10},
    },
    "orl": {"label": "ORL"},
    "digits": {
        "label": "5 digits, 5x5",
        "dataset_params": {"image_side": 5},
        "options": {"n_classes": 5, "test_per_class": 10},
    },
}
_BASELINES: Baselines = (*GENERAL, ("or-nmf", {}))


def coded(dataset: str, *, train_per_class: int = 5, n_components: int = 20, repeats: int = 1):
    """The problem of a data set.

    Parameters
    ----------
    dataset : {"yaleb", "orl", "digits"}
        Of Yale B ten people, drawn in each repeat, with 50 images each; of digits five numbers.
    train_per_class : int, default=5
        Images of a person that train; the rest test, of a digit ten.
    n_components : int, default=20
    repeats : int, default=1

    Returns
    -------
    Problem
    """
    about = _SETS[dataset]
    options = {"unit_samples": True, **about.get("options", {})}
    options |= {"train_per_class": train_per_class, "n_components": n_components}
    return Problem(
        task="nearest-code",
        dataset=dataset,
        baselines=_BASELINES,
        repeats=repeats,
        **{**about, "options": options},
    )


@register_problems("nearest-code")
def nearest_code(profile):
    """Digits in the smoke grid, else faces: Yale B and ORL, five training images a person."""
    if profile == "smoke":
        return [coded("digits", n_components=10, repeats=REPEATS[profile])]
    return [coded(dataset, repeats=REPEATS[profile]) for dataset in ("yaleb", "orl")]
