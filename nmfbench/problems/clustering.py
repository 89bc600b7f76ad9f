"""Clustering of images and of cells, as many clusters as classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nmfbench.core.registry import datasets, register_problems
from nmfbench.problems.baselines import GENERAL
from nmfbench.problems.problem import REPEATS, Baselines, Problem

__all__ = ["SETS", "ImageSet", "whole_set"]

_BASELINES: Baselines = (*GENERAL, ("gnmf", {}))
_OPTIONS = {"unit_samples": True, "rule": "kmeans"}
_SMOKE_CLASSES = 3


@dataclass(frozen=True)
class ImageSet:
    """A set of images of Table 2 of Guo, Ding & Zhou (2014)."""

    label: str
    dataset: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def classes(self) -> int:
        classes = datasets[self.dataset].info["n_classes"]
        if classes is None:
            raise ValueError(f"data set {self.dataset!r} has no classes.")
        return classes


SETS = {
    images.dataset: images
    for images in (
        ImageSet("ORL", "orl"),
        ImageSet("YALE", "yale"),
        ImageSet("UMIST", "umist"),
        ImageSet("MNIST", "mnist", {"samples_per_class": 100}),
        ImageSet("Semeion", "semeion"),
    )
}
"""By data set, in the order of the paper's tables."""


def whole_set(images: ImageSet, *, smoke: bool = False, repeats: int = 1) -> Problem:
    """All of a set, as many components as classes, samples scaled to unit length.

    Parameters
    ----------
    images : ImageSet
    smoke : bool, default=False
        Three classes of a synthetic stand-in, the same in every repeat.
    repeats : int, default=1
    """
    part = {"largest_classes": _SMOKE_CLASSES} if smoke else {}
    classes = _SMOKE_CLASSES if smoke else images.classes
    return Problem(
        task="clustering",
        label=images.label,
        dataset=images.dataset,
        dataset_params={**images.params, **part},
        options=_OPTIONS | {"n_components": classes},
        baselines=_BASELINES,
        repeats=repeats,
        stand_in=smoke,
    )


@register_problems("clustering")
def clustering(profile):
    """Two numbers of digits in the smoke grid, else the five sets, blood cells and texts; one of
    each for the clock."""
    if profile == "smoke":
        digits = [_digits(classes) for classes in (5, 10)]
        return [*digits, digits[1].as_timing_problem()]
    found = {name: whole_set(s, repeats=REPEATS[profile]) for name, s in SETS.items()}
    others = [_cells(REPEATS[profile]), _texts(REPEATS[profile])]
    return [*found.values(), *others, found["umist"].as_timing_problem()]


def _cells(repeats):
    return Problem(
        task="clustering",
        label="blood cells",
        dataset="pbmc",
        options=_OPTIONS | {"n_components": datasets["pbmc"].info["n_classes"]},
        baselines=_BASELINES,
        repeats=repeats,
    )


def _texts(repeats):
    """Counts of words, sparse: 40 texts of each topic of BBC, in more components than topics."""
    split = {"train_per_class": 40, "test_per_class": 1}
    return Problem(
        task="clustering",
        label="200 texts of BBC, r = 20",
        dataset="bbc",
        options=_OPTIONS | split | {"n_components": 20, "n_clusters": 5},
        baselines=(("mu", {}), ("hals", {}), ("kl-mu", {})),
        repeats=repeats,
        sparse=True,
    )


def _digits(classes):
    split = {"train_per_class": 15, "test_per_class": 1}
    return Problem(
        task="clustering",
        label=f"{classes} digits",
        dataset="digits",
        options=_OPTIONS | split | {"n_components": classes, "n_classes": classes},
        baselines=_BASELINES,
        repeats=REPEATS["smoke"],
    )
