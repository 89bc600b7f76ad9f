"""Experiments on corrupted faces: methods, conditions, and one grid of fits.

Figures 5 to 9, Table 1 and the paired study ask different questions of the same fits; so each
takes its trials from :func:`trials_on_faces`, and a fit is computed once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nmfbench.artefacts.grids import Method, changed, corrupted, cross, labelled, methods, options
from nmfbench.problems.faces import CONDITIONS, DTYPE, SPLIT
from nmfbench.trials.trial import Trial

PCA, EUC, KL, MAH, HYBRID = (
    "PCA",
    "EucNMF",
    "KLNMF",
    "MahNMF (OGM)",
    "MahNMF (hybrid)",
)

METHODS = (
    Method(PCA, "pca"),
    Method(EUC, "nenmf", {"max_iter": 300}),
    Method(KL, "kl-mu", {"max_iter": 300}),
    Method(MAH, "mahnmf-ogm", {"lipschitz": "spectral"}),
    Method(HYBRID, "mahnmf-hybrid"),
)
FACTORIZATIONS = METHODS[1:]
_FAST = tuple(method for method in METHODS if method.label != MAH)

NAMES = {"yaleb": "Yale B", "pie": "PIE", "orl": "ORL"}
"""Data sets as the paper prints them."""

NOISY = list(CONDITIONS)[1:]
RANKS = tuple(range(10, 101, 10))
READ_AT = (20, 50)
"""Ranks of reconstructions and bases, for which the paper's is lost; the smaller one is shown."""

_OF_LEVELS = {
    "occlusion": "a square of {:g} of the side",
    "Laplace": "scale {:g}",
    "salt & pepper": "{:.0%} of the pixels",
    "Gaussian": "deviation {:g}",
    "Poisson": "{:g} counts",
}
LEVEL = {name: words.format(CONDITIONS[name][1]) for name, words in _OF_LEVELS.items()}
"""Level of each condition, in words."""

_OTHERS = {
    "occlusion": (0.2, 0.4),
    "Laplace": (0.1, 0.3),
    "salt & pepper": (0.1, 0.3),
    "Gaussian": (0.1, 0.3),
    "Poisson": (10.0, 100.0),
}
OTHER_LEVELS = {
    name: {_OF_LEVELS[name].format(level): level for level in levels}
    for name, levels in _OTHERS.items()
}
"""By condition, other levels at which claims are read, in words, which are their conditions."""


# -- grid and frame ---------------------------------------------------------------------------


def trials_on_faces(
    task: str, dataset: str, profile: str, *, ranks: Sequence[int] = RANKS
) -> list[Trial]:
    """The grid of a profile, for one task: all conditions, methods, ranks and splits.

    Parameters
    ----------
    task : {"recognition", "reconstruction", "factorization"}
    dataset : {"yaleb", "pie"}
    profile : {"smoke", "quick", "paper"}
    ranks : sequence of int, optional
        Of those in the grid, by default all; the smoke grid has its own.
    """
    base = Trial(task=task, dataset=dataset, solver="", options={"dtype": DTYPE} | SPLIT)

    def part(splits, of_grid, chosen=METHODS):
        shown = options("n_components", [rank for rank in of_grid if rank in ranks])
        return cross(base, splits, conditions(), shown, methods(chosen))

    if profile == "smoke":
        fewer = {"train_per_class": 2, "test_per_class": 3}
        base = changed(base, {"stand_in": True, "options": fewer})
        few = conditions(["no noise", "salt & pepper"])
        return cross(base, 2, few, options("n_components", [3, 5]), methods(METHODS))
    if profile == "paper":
        return part(10, RANKS)
    if dataset == "pie":
        return part(1, (10, 20), _FAST)
    return part(5, (20,)) + part(1, (50,), _FAST) + part(1, (10,))


def conditions(chosen: Iterable[str] = tuple(CONDITIONS)):
    """An axis of a grid: conditions in the order of the paper's panels, labels ``condition``."""
    chosen = list(chosen)
    return labelled("condition", chosen, corrupted(CONDITIONS[name] for name in chosen))


def at_other_levels(
    trials: Iterable[Trial],
    condition: str,
    labels: Iterable[str] = (EUC, KL, MAH, HYBRID),
    ranks: Iterable[int] = READ_AT,
) -> list[Trial]:
    """The trials of some methods under one noise, at some ranks, with less of it and with more."""
    solvers = [method.solver for method in METHODS if method.label in labels]
    return [
        changed(trial, {"level": level, "labels": {"condition": words}})
        for trial in trials
        if trial.corruption == CONDITIONS[condition][0]
        and trial.solver in solvers
        and trial.options["n_components"] in ranks
        for words, level in OTHER_LEVELS[condition].items()
    ]


def at_another_level(conditions: Iterable[str], trial: Trial) -> bool:
    """Whether a trial has another level of one of some noises than the usual one."""
    return any(trial.labels.get("condition") in OTHER_LEVELS[name] for name in conditions)


# -- choices ----------------------------------------------------------------------------------

RANK_LOST = (
    f"Lost in the text, which says of Table 1 that it is alike at other ranks: {READ_AT[0]} is "
    f"shown, and claims are decided where they come out alike at {READ_AT[0]} and {READ_AT[1]}."
)
OF_LAPLACE = (
    "Claims under Laplace noise are decided where they come out alike at "
    f"{', '.join([LEVEL['Laplace'], *OTHER_LEVELS['Laplace']])}; the first is shown. "
    "Those under other noise are read at one level."
)
UNIT_LENGTH = (
    "Components are scaled to unit length before codes are compared. Both algorithms depend on it, "
    "and the paper does not say."
)
ASSUMED = {
    "levels": "Lost in the text. Occlusion: a white square of 0.3 of the image's side at a random "
    "place; Laplace noise of scale 0.2; salt and pepper on 20 % of the pixels; Gaussian noise of "
    "deviation 0.2; Poisson noise at 25 counts for a white pixel. All clipped to [0, 1].",
    "ranks and splits": "Ranks are lost; 10 to 100. Seven random images of a person train, the "
    "rest test, ten times (as the paper says).",
    "MahNMF": "The paper's smoothing method (OGM), with the Lipschitz constant itself in place of "
    "the paper's bound: the same sub-problems in fewer seconds, which end when their gradient has "
    "fallen to a hundredth, instead of by Eq. (22), whose number is lost. The hybrid minimises the "
    "same loss, and further. Both stop by the paper's rule (4) at 0.001, ours.",
    "EucNMF, KLNMF": "NeNMF, and multiplicative updates: 300 iterations, or a change of the "
    "objective below 0.01 %.",
    "precision": "Fits in single precision: twice as fast, with the same iterations and, to six "
    "digits, the same objectives. Codes of test images in double precision.",
    "start": "Uniform, small, scaled by one multiplicative step; the same for all methods of a "
    "split.",
}
"""Our choices where the paper says nothing of these experiments."""
