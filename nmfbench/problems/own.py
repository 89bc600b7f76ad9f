"""Problems on a matrix of the user's own, for comparisons."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nmfbench.problems.baselines import GENERAL
from nmfbench.problems.convergence import RACERS, Race
from nmfbench.problems.problem import REPEATS, Problem

__all__ = ["LABELLED", "UNLABELLED", "OwnMatrix"]

_LARGEST = 2 * 10**7  # entries of a sparse matrix that may be made dense
_BASIS = 10**9  # operations for an orthogonal basis of the training samples
_TRAINING = 0.8  # share of the samples
_TEST = 500  # samples at most
_RANKS = (1, 2, 3, 5, 8, 12, 17, 25, 35, 50)  # candidates, as far as they fit


@dataclass(frozen=True)
class OwnMatrix:
    """Facts about a matrix of the user's own that its problems depend on.

    Attributes
    ----------
    key, name : str
        Of the data set, and what a page calls it.
    n_samples, n_features : int
    rank : int
        Of the factorizations.
    sparse, positive : bool
        Whether it is stored as a sparse matrix; whether all entries are above 0.
    labels : str or None
        Key of the labels.
    n_classes, smallest_class : int
        Number of classes, and of the samples of the smallest one.
    """

    key: str
    name: str
    n_samples: int
    n_features: int
    rank: int
    sparse: bool = False
    positive: bool = False
    labels: str | None = None
    n_classes: int = 0
    smallest_class: int = 0

    def why_not(self, task: str) -> str | None:
        """Why there is no problem of a task on this matrix; None if there is one."""
        if task not in _MAKERS:
            return f"it is not set on data of one's own; choose from {', '.join(_MAKERS)}"
        if task in LABELLED and self.labels is None:
            return "it needs a class for each sample: give --labels"
        if task in _DENSE and self.sparse and self.n_samples * self.n_features > _LARGEST:
            return f"it makes the matrix dense, which has more than {_LARGEST} entries"
        if task == "recognition" and self.smallest_class < 2:
            return "a class has one sample only, so that none is left to test"
        half = min(self.n_samples, self.n_features) // 2
        if task in ("held-out", "rank-search") and self.rank > half:
            return f"half of the matrix has {half} rows or columns, less than the rank {self.rank}"
        if task == "reconstruction" and self.n_samples - self._n_training < 1:
            return "there is no sample left to test"
        return None

    def problems(self, task: str, profile: str) -> list[Problem]:
        """Problems of a task, as :func:`~nmfbench.problems.problem.problems_of` gives them."""
        return [] if self.why_not(task) else _MAKERS[task](self, REPEATS[profile], profile)

    @property
    def _n_training(self) -> int:
        most = max(self.rank + 1, math.isqrt(_BASIS // self.n_features))
        return min(int(_TRAINING * self.n_samples), most)

    def _problem(self, task, options, repeats, **params) -> Problem:
        params |= {"dense": True} if self.sparse and task in _DENSE else {}
        return Problem(
            task=task,
            label=f"{self.name}, r = {self.rank}",
            dataset=self.key,
            dataset_params=params,
            options=options,
            baselines=GENERAL,
            repeats=repeats,
        )


def _reconstruction(own, repeats, profile):
    train = own._n_training
    options = {"n_components": own.rank, "train_per_class": train}
    options["test_per_class"] = min(_TEST, own.n_samples - train)
    return [own._problem("reconstruction", options, repeats, labels="one class")]


def _held_out(own, repeats, profile):
    return [own._problem("held-out", {"n_components": own.rank}, repeats)]


def _rank_search(own, repeats, profile):
    most = min(own.n_samples, own.n_features) // 2
    most = min(most, {"smoke": 5, "quick": max(12, own.rank)}.get(profile, 50))
    ranks = sorted({*(r for r in _RANKS if r <= most), own.rank})
    return [own._problem("rank-search", {"ranks": ranks}, repeats)]


def _stability(own, repeats, profile):
    return [own._problem("stability", {"n_components": own.rank}, repeats)]


def _convergence(own, repeats, profile):
    return [
        Race(
            task="convergence",
            label=f"{own.name}, r = {own.rank}, {loss}",
            dataset=own.key,
            options={"n_components": own.rank},
            baselines=baselines,
            repeats=repeats,
            timed=True,
            loss=loss,
            effort=0.5 if profile == "smoke" else 1.0,
        )
        for loss, baselines in RACERS.items()
        if loss != "itakura-saito" or (own.positive and not own.sparse)
    ]


def _clustering(own, repeats, profile):
    options = {"unit_samples": True, "rule": "kmeans", "n_components": own.rank}
    options |= {"n_clusters": own.n_classes} if own.rank != own.n_classes else {}
    return [own._problem("clustering", options, repeats, labels=own.labels)]


def _recognition(own, repeats, profile):
    options = {"n_components": own.rank, "train_per_class": max(1, own.smallest_class // 2)}
    rest = own.smallest_class - options["train_per_class"]
    options["test_per_class"] = max(1, min(rest, _TEST // own.n_classes))
    return [own._problem("recognition", options, repeats, labels=own.labels)]


_MAKERS: dict[str, Callable[[Any, int, str], list[Any]]] = {
    "reconstruction": _reconstruction,
    "held-out": _held_out,
    "convergence": _convergence,
    "stability": _stability,
    "rank-search": _rank_search,
    "clustering": _clustering,
    "recognition": _recognition,
}
_DENSE = ("reconstruction", "held-out", "rank-search", "clustering", "recognition")

LABELLED = ("clustering", "recognition")
"""Tasks that need labels."""

UNLABELLED = tuple(task for task in _MAKERS if task not in LABELLED)
"""Tasks that need none."""
