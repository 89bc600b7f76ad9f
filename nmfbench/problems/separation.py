"""Separation of moving objects from the background of a clip."""

from __future__ import annotations

from typing import Any

from nmfbench.core.registry import register_problems, solvers
from nmfbench.problems.baselines import GENERAL
from nmfbench.problems.problem import REPEATS, Baselines, Problem

__all__ = ["CARD", "CLIPS", "FRAMES"]

CLIPS = {
    "hallandmonitor": "Hall & monitor",
    "humanbody2": "Human body 2",
    "ibmtest2": "IBM test 2",
    "caviar1": "Caviar 1",
    "highwayi": "Highway I",
    "highway": "Highway",
    "wavingtrees": "Waving trees",
}
"""Clips with masks, as ``video-<clip>``, and their titles."""

FRAMES = {"quick": 100, "paper": 200}
"""Frames used, by profile."""

CARD = 0.0745
"""Share of the entries that GoDec calls sparse: that of its authors' demonstration on a clip."""

_RANK = 2
_BASELINES: Baselines = (*GENERAL, ("median", {}), ("rpca-ialm", {}))
_QUICK = ("hallandmonitor", "humanbody2", "ibmtest2")


@register_problems("separation")
def separation(profile):
    """Clips, and one with a simulated light switch, which is for the clock, too; generated ones in
    the smoke grid.

    A clip is always the same, so that its frames are drawn in each repeat.
    """
    shared: dict[str, Any] = {
        "task": "separation",
        "baselines": _BASELINES,
        "settings": {solver: {"refits": 1} for solver in solvers if _refits(solver)},
        "repeats": REPEATS[profile],
    }
    options = {"n_components": _RANK}
    if profile == "smoke":
        sets, switched = {"moving-square": "moving square"}, "moving-square"
    else:
        clips = CLIPS if profile == "paper" else _QUICK
        # Of the waving trees there is one mask: no frames to draw.
        sets = {f"video-{clip}": CLIPS[clip] for clip in clips if clip != "wavingtrees"}
        switched = "video-ibmtest2"
        options |= {"n_frames": FRAMES[profile], "draw": True}
    found = [
        Problem(label=f"{title}, r = {_RANK}", dataset=dataset, options=options, **shared)
        for dataset, title in sets.items()
    ]
    switch = Problem(
        label=f"{sets[switched]} with a light switch, r = {_RANK}",
        dataset=switched,
        options=options | {"light_switch": True},
        **shared,
    )
    return [*found, switch, switch.as_timing_problem()]


def _refits(solver):
    """Whether a solver can refit what it chose, as Kumar & Sindhwani do on clips."""
    return hasattr(solvers[solver].target, "refits")
