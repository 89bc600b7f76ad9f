"""Recovery of anchors from near-separable matrices under sparse noise."""

from nmfbench.core.registry import register_problems
from nmfbench.problems.baselines import SEPARABLE
from nmfbench.problems.problem import REPEATS, Problem

__all__ = ["NOISE", "PAPER_LEVELS", "QUICK_LEVELS", "SMALL"]

NOISE = "sparse-laplace"
PAPER_LEVELS = tuple(round(0.02 * i, 2) for i in range(76))
"""Of Figure 3 of Kumar & Sindhwani (2015)."""
QUICK_LEVELS = (0.0, 0.3, 0.7, 1.1, 1.5)
SMALL = {"n_samples": 40, "n_features": 30, "n_components": 4}
"""Instead of the paper's 210 samples of 200 features with 20 anchors."""

_LEVELS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.1, 1.3)  # some of the paper's


@register_problems("recovery")
def recovery(profile):
    """Levels of noise, on the paper's matrices or on small ones."""
    smoke = profile == "smoke"
    return [
        Problem(
            task="recovery",
            label=f"near-separable, noise {level:g}",
            dataset="near-separable",
            dataset_params=SMALL if smoke else {},
            corruption=NOISE,
            level=level,
            baselines=SEPARABLE,
            repeats=REPEATS[profile],
        )
        for level in (_LEVELS[:5:2] if smoke else _LEVELS)
    ]
