"""Sets of images in several views: the paper's own where they are supplied, or their stand-ins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from nmfbench.datasets.base import dataset_available
from nmfbench.problems.multiview import SETS

PAPER = {"voc2007": "PASCAL VOC 2007", "mirflickr": "MIR Flickr"}
VIEWS = {key: views for key, (_, views) in SETS.items()}
"""Parameters of the loaders of the stand-ins."""
_INSTEAD = {"mv-msrcv1": "voc2007", "mv-landuse21": "mirflickr"}
_FOR = {key: PAPER[own] for key, own in _INSTEAD.items()}
STANDS_FOR = {
    key: f"{title} for {_FOR.get(key, 'either set of the paper')}"
    for key, (title, _) in SETS.items()
}
NAMES = PAPER | {
    key: f"{title} ({'for ' + _FOR[key] if key in _FOR else 'second'})"
    for key, (title, _) in SETS.items()
}


def used_sets(available: Callable[[str], bool] = dataset_available) -> dict[str, dict]:
    """Sets of the paper's artefacts, with the parameters of their loaders.

    The paper's own take the places of their stand-ins where they are available; with both of them,
    no other set is used.

    >>> list(used_sets(lambda name: False))
    ['mv-msrcv1', 'mv-landuse21', 'mv-scene15', 'mv-mfeat']
    >>> list(used_sets(lambda name: name == "voc2007"))
    ['voc2007', 'mv-landuse21', 'mv-scene15', 'mv-mfeat']
    >>> list(used_sets(lambda name: True))
    ['voc2007', 'mirflickr']
    """
    own = {key: name for key, name in _INSTEAD.items() if available(name)}
    if len(own) == len(_INSTEAD):
        return {name: {} for name in own.values()}
    return {own.get(key, key): {} if key in own else views for key, views in VIEWS.items()}


def origin(dataset: str) -> Literal["paper", "ours"]:
    """Who asserts a claim on a set: what the paper says of its own is asked of the second ones too.

    Examples
    --------
    >>> origin("mv-msrcv1"), origin("mv-scene15")
    ('paper', 'ours')
    """
    return "paper" if dataset in {*PAPER, *_INSTEAD} else "ours"


STAND_INS: dict[str, Any] = {
    "part": "Sets that stand for the paper's, MSRC-v1 and LandUse-21, or these themselves.",
    "chosen": lambda trial: trial.dataset not in ("mv-scene15", "mv-mfeat"),
}
"""Planned part of a grid that all sets would make several times as long."""
