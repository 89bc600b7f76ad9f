"""Streams from mixtures whose law stays, or changes on the way."""

from __future__ import annotations

from nmfbench.core.registry import register_problems
from nmfbench.datasets.streams import KINDS
from nmfbench.problems.problem import REPEATS, Baselines, Problem

__all__ = ["RANK", "SMALL"]

RANK = 10
SMALL = {"n_samples": 300, "n_features": 20}
"""Instead of 4000 samples of 100 features."""

_BASELINES: Baselines = (
    ("omf", {"forget": 0.9}),
    ("mor-nmf", {"buffer": 20}),
    ("wor-nmf", {}),
    ("sklearn-minibatch", {"init": "random", "batch_size": RANK}),
)


@register_problems("stream")
def stream(profile):
    """A stream that stays and one that changes abruptly; in the paper's grid all kinds."""
    return [
        Problem(
            task="stream",
            label=f"mixture, {kind}",
            dataset="drifting",
            dataset_params={"kind": kind} | (SMALL if profile == "smoke" else {}),
            options={"n_components": RANK},
            baselines=_BASELINES,
            repeats=REPEATS[profile],
        )
        for kind in (KINDS if profile == "paper" else ("stationary", "abrupt"))
    ]
