"""Methods that separate background and foreground, clips that have masks, and their trials."""

from __future__ import annotations

from nmfbench.artefacts.grids import Method, cross
from nmfbench.papers.clips import Clip, on_clips
from nmfbench.problems.separation import CARD, CLIPS, FRAMES
from nmfbench.trials.trial import Trial

STEADY = tuple(Clip(title, f"video-{name}") for name, title in CLIPS.items())
LIT = Clip(f"{CLIPS['ibmtest2']}, simulated light switch", "video-ibmtest2", light_switch=True)
_GENERATED = (Clip("square", "moving-square"), Clip("square, lit", "moving-square", True))

MEDIAN, MEAN, RPCA, LOW_RANK, RRI = (
    "median",
    "temporal mean",
    "RPCA",
    "robust low rank",
    "MahNMF (RRI)",
)
RANKED = (
    Method("PCA", "pca"),
    Method("HALS", "hals"),
    Method(RRI, "mahnmf-rri"),
    Method("MahNMF (OGM)", "mahnmf-ogm", {"lipschitz": "spectral", "stop": "objective"}),
    Method("MahNMF (hybrid)", "mahnmf-hybrid"),
    Method("robust NMF", "robust-nmf-admm"),
    Method(LOW_RANK, "robust-lowrank-admm"),
    Method("RobustXRAY", "robust-xray", {"refits": 1}),
    Method("XRAY-l2", "xray-l2", {"refits": 1}),
    Method("GoDec", "godec", {"card": CARD}),
)
METHODS = (Method(MEDIAN, "median"), *RANKED, Method(RPCA, "rpca-ialm"))
RANKS = (1, 2)

_SEEDLESS = ("median", "pca", "robust-lowrank-admm", "xray-l2", "rpca-ialm")
_QUICK = (MEDIAN, RRI, LOW_RANK, "RobustXRAY", "XRAY-l2", RPCA)


def trials(profile):
    """Every method on every clip; in the paper grid once more with filtered scores."""
    if profile == "smoke":
        return _grid(_GENERATED, METHODS, 1, n_frames=30)
    chosen = [method for method in METHODS if method.label in _QUICK]
    quick = _grid([*STEADY[:2], LIT], chosen, 2, n_frames=FRAMES["quick"])
    if profile == "quick":
        return quick
    frames = {"n_frames": FRAMES["paper"]}
    every = (*STEADY, LIT)
    return [
        *_grid(every, METHODS, 5, **frames),
        *_grid(every, METHODS, 1, post="median3", **frames),
        *quick,
    ]


def _grid(clips, methods, repeats, **options):
    """Ranks 1 and 2 of methods that have one; a fit that no seed changes once a clip and light."""
    base = Trial("separation", "", "", options=options)
    axis = [
        {"solver": method.solver, "params": method.params, "options": rank}
        for method in methods
        for rank in ([{"n_components": r} for r in RANKS] if method in RANKED else [{}])
    ]
    found = cross(base, repeats, on_clips(clips), axis)
    return [
        trial
        for trial in found
        if trial.repeat == 0 or trial.options.get("light_switch") or trial.solver not in _SEEDLESS
    ]
