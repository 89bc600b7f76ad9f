"""Unmixing of generated mixtures, of generated and of measured spectra."""

from __future__ import annotations

from nmfbench.core.registry import register_problems
from nmfbench.problems.baselines import GENERAL
from nmfbench.problems.noise import at_levels
from nmfbench.problems.problem import REPEATS, Baselines, Problem

__all__ = ["unmixing"]

_BASELINES: Baselines = (*GENERAL, ("spa", {}), ("robust-xray", {}))
_SMALL = {"n_samples": 100, "n_features": 40, "n_components": 3}
_PURITIES = {1.0: "with", 0.8: "without"}
_NOISE = [("gaussian", 0.02), ("salt-pepper", 0.05)]


@register_problems("unmixing")
def unmixing(profile):
    """Generated mixtures with pure pixels, which anchors need, and without, these under noise, too;
    then of measured spectra."""
    smoke = profile == "smoke"
    size = _SMALL if smoke else {"n_components": 5}
    pure, mixed = (_mixed("mixed-spectra", size, purity, profile) for purity in _PURITIES)
    if smoke:
        return [pure, mixed]
    measured = _mixed("mixed-indian-pines", {"n_components": 4}, min(_PURITIES), profile)
    return [pure, *at_levels(mixed, _NOISE), measured]


def _mixed(dataset, size, purity, profile):
    rank = size["n_components"]
    kind = "measured spectra" if dataset == "mixed-indian-pines" else "spectra"
    return Problem(
        task="unmixing",
        label=f"{rank} {kind} {_PURITIES[purity]} pure pixels",
        dataset=dataset,
        dataset_params=size | {"purity": purity},
        options={"n_components": rank},
        baselines=_BASELINES,
        repeats=REPEATS[profile],
    )
