"""Multi-view sets: images in several descriptions."""

from __future__ import annotations

from nmfbench.core.registry import datasets, register_problems
from nmfbench.problems.baselines import GENERAL
from nmfbench.problems.problem import REPEATS, Problem

__all__ = ["SETS", "params_of"]

SETS = {
    "mv-msrcv1": ("MSRC-v1", {"views": ["hog576", "gist512", "cm24"]}),
    "mv-landuse21": ("LandUse-21", {}),
    "mv-scene15": ("Scene-15", {}),
    "mv-mfeat": ("Multiple Features", {}),
}
"""Sets by key, with their titles and the views that are used of them."""

SMOKE = ("mv-mfeat", {"views": ["mor6", "zer47"]}, {"costs": [0.1, 1.0], "n_folds": 2})
"""Generated set of the smoke grids: its key, its views, and options of a quick choice of costs."""

_RANKS = {"quick": 20, "paper": 60}
_USED = {"quick": ("mv-msrcv1", "mv-landuse21"), "paper": tuple(SETS)}
_BASELINES = ("mahnmf-gs", "eucnmf-gs", "hals")


def params_of(solver: str, dataset: str) -> dict:
    """Parameters of a solver on the training half of a set.

    The weight of ``eucnmf-gs`` grows with the samples, as its loss does. The smoothing methods get
    few inner iterations: 1000, of which late rounds use all, take longer to the same objective.

    >>> params_of("eucnmf-gs", "mv-landuse21")
    {'alpha': 10.5}
    """
    if solver == "eucnmf-gs":
        return {"alpha": datasets[dataset].info["n_samples"] / 200}
    return {"inner_max_iter": 100} if solver in ("mahnmf-gs", "mahnmf-ogm") else {}


@register_problems("multiview")
def multiview(profile):
    """Two sets with few components, in the paper's grid four with many; a generated one in the
    smoke grid."""
    if profile == "smoke":
        dataset, views, options = SMOKE
        return [_problem(profile, dataset, "generated", views, options | {"n_components": 5})]
    options = {"n_components": _RANKS[profile]}
    return [
        _problem(profile, dataset, f"{title}, r = {_RANKS[profile]}", views, options)
        for dataset, (title, views) in SETS.items()
        if dataset in _USED[profile]
    ]


def _problem(profile, dataset, label, views, options):
    return Problem(
        task="multiview",
        label=label,
        dataset=dataset,
        dataset_params=views,
        options=options,
        baselines=[*GENERAL, *((solver, params_of(solver, dataset)) for solver in _BASELINES)],
        repeats=REPEATS[profile],
        stand_in=profile == "smoke",
    )
