"""Held-out entries of images, of spectra and of a generated matrix."""

from __future__ import annotations

from typing import Any

from nmfbench.core.registry import register_problems
from nmfbench.problems.baselines import GENERAL
from nmfbench.problems.noise import at_levels
from nmfbench.problems.problem import REPEATS, Problem

__all__ = ["held_out"]

_SMALL = {"n_samples": 60, "n_features": 50, "n_components": 4}


@register_problems("held-out")
def held_out(profile):
    """Digits, clean and under salt-and-pepper noise, faces, and spectra of pixels, all of them
    real; a generated matrix and few digits in the smoke grid."""
    shared: dict[str, Any] = {"task": "held-out", "baselines": GENERAL, "repeats": REPEATS[profile]}
    if profile == "smoke":
        low_rank = Problem(
            label="low rank + noise at rank 4",
            dataset="noisy-low-rank",
            dataset_params=_SMALL,
            options={"n_components": 4},
            **shared,
        )
        few = Problem(
            label="100 digits at rank 10",
            dataset="digits",
            dataset_params={"samples_per_class": 10},
            options={"n_components": 10},
            **shared,
        )
        return [low_rank, few]
    digits = Problem(
        label="500 digits at rank 10",
        dataset="digits",
        dataset_params={"samples_per_class": 50},
        options={"n_components": 10},
        **shared,
    )
    faces = Problem(
        label="ORL at rank 20",
        dataset="orl",
        options={"n_components": 20, "dtype": "float32"},
        **shared,
    )
    spectra = Problem(
        label="Indian Pines at rank 5",
        dataset="indian-pines",
        dataset_params={"samples_per_class": 30},
        options={"n_components": 5},
        **shared,
    )
    return [*at_levels(digits, [("salt-pepper", 0.2)]), faces, spectra]
