"""Online learning of bases: small sets of images and features, gone through twice."""

from __future__ import annotations

from nmfbench.core.registry import register_problems
from nmfbench.problems.problem import REPEATS, Baselines, Problem

_BASELINES: Baselines = (
    ("omf", {"n_sweeps": 1}),
    ("or-nmf", {"theta": 0.01}),
    ("wor-nmf", {}),
    ("sklearn-minibatch-dl", {}),
)
"""One of each kind: exact sweeps, averaged gradients, chunks, a peer."""

_RANK = 10
_SETS = {
    "digits": ("digits", {"n_samples": 300, "record_every": 50}),
    "huebow": ("hue words", {"n_samples": 500, "record_every": 20}),
    "cbcl": ("CBCL", {"n_samples": 500, "record_every": 20}),
    "orl": ("ORL", {"record_every": 20}),
    "mnist": ("MNIST", {"n_samples": 4000, "record_every": 200}),
}
_OF = {
    "smoke": ["digits"],
    "quick": ["huebow", "cbcl"],
    "paper": ["huebow", "cbcl", "orl", "mnist"],
}


@register_problems("online")
def online(profile):
    """Digits in the smoke grid; else sparse features and faces, one of them for the clock."""
    found = {}
    for dataset in _OF[profile]:
        name, options = _SETS[dataset]
        found[dataset] = Problem(
            task="online",
            label=f"{name}, r = {_RANK}",
            dataset=dataset,
            options=options | {"n_components": _RANK},
            baselines=_BASELINES,
            repeats=REPEATS[profile],
        )
    clock = found["digits" if profile == "smoke" else "cbcl"].as_timing_problem()
    return [*found.values(), clock]
