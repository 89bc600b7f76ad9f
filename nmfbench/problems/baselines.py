"""Baselines that several tasks share, with their parameters."""

__all__ = ["GENERAL", "SEPARABLE"]

GENERAL = (("nenmf", {"max_iter": 300}), ("kl-mu", {"max_iter": 300}), ("mahnmf-hybrid", {}))
"""One for each of three losses, as the artefacts run them on faces and in tables of clustering."""

SEPARABLE = (("robust-xray", {}), ("xray-l2", {}), ("spa", {}))
