"""Choice of the rank of generated matrices, whose rank without noise is known."""

from __future__ import annotations

from nmfbench.core.registry import register_problems
from nmfbench.problems.baselines import GENERAL
from nmfbench.problems.problem import REPEATS, Problem

__all__ = ["rank_choice"]

_SIZES = {
    "smoke": {"n_samples": 40, "n_features": 30, "n_components": 3},
    "quick": {"n_samples": 100, "n_features": 80, "n_components": 5},
    "paper": {"n_samples": 200, "n_features": 150, "n_components": 10},
}
_NOISE = {"smoke": (0.1,), "quick": (0.1, 0.5, 1.0), "paper": (0.1, 0.5, 1.0)}
_BEYOND = {"smoke": 2, "quick": 4, "paper": 5}
"""The largest candidate, above the true rank; the smallest one is 1."""


@register_problems("rank-choice")
def rank_choice(profile):
    """Low-rank matrices under noise, whose scale is given in units of their mean entry."""
    size = _SIZES[profile]
    rank = size["n_components"]
    return [
        Problem(
            task="rank-choice",
            label=f"rank {rank} under noise {noise:g}",
            dataset="noisy-low-rank",
            dataset_params=size | {"noise": noise},
            options={"ranks": list(range(1, rank + _BEYOND[profile] + 1))},
            baselines=GENERAL,
            repeats=REPEATS[profile],
        )
        for noise in _NOISE[profile]
    ]
