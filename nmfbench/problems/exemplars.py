"""Exemplars of collections of texts."""

from nmfbench.core.registry import register_problems
from nmfbench.problems.baselines import SEPARABLE
from nmfbench.problems.problem import REPEATS, Problem

__all__ = ["SMOKE_OPTIONS", "TEXTS"]

TEXTS = {"reuters": {"largest_classes": 10}, "bbc": {}}
"""Parameters of the collections of Figures 5 and 6 of Kumar & Sindhwani (2015)."""

SMOKE_OPTIONS = {"sizes": [10, 20]}
_NAMES = {"reuters": "Reuters", "bbc": "BBC"}
_WEIGHTINGS = ("counts", "tfidf")


@register_problems("exemplars")
def exemplars(profile):
    """Reuters, in the paper's grid BBC too, under two weightings of terms."""
    smoke = profile == "smoke"
    return [
        Problem(
            task="exemplars",
            label=f"{name}, {weighting}",
            dataset=dataset,
            dataset_params=TEXTS[dataset],
            options={"weighting": weighting} | (SMOKE_OPTIONS if smoke else {}),
            baselines=SEPARABLE,
            repeats=REPEATS[profile],
            stand_in=smoke,
        )
        for dataset, name in _NAMES.items()
        if dataset == "reuters" or profile == "paper"
        for weighting in _WEIGHTINGS
    ]
