"""Baselines that several tasks share, with their parameters."""

from nmfbench.problems.problem import Baselines

__all__ = ["GENERAL", "SEPARABLE"]

GENERAL: Baselines = (
    ("nenmf", {"max_iter": 300}),
    ("kl-mu", {"max_iter": 300}),
    ("mahnmf-hybrid", {}),
)
"""One for each of three losses, as the artefacts run them on faces and in tables of clustering."""

SEPARABLE: Baselines = (("robust-xray", {}), ("xray-l2", {}), ("spa", {}))
