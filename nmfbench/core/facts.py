"""Facts that each kind of registered thing declares, as types.

They are plain dictionaries, so that a listing shows whatever was declared; the types say which
entries there are. What external packages register has the same ones.
"""

from collections.abc import Callable
from typing import Any, NotRequired, TypedDict

from nmfbench.core.matters import Matters

__all__ = [
    "CorruptionFacts",
    "DatasetFacts",
    "DeclaredDataset",
    "MetricFacts",
    "NoFacts",
    "SolverFacts",
    "TaskFacts",
]


class SolverFacts(TypedDict):
    """See :func:`nmfbench.core.registry.register_solver`. An external class declares the first
    ones only, and the version that its key names or none."""

    name: str
    family: str
    reference: str
    paper: str | None
    monotone: bool
    nested: bool
    version: int | str | None
    cost: NotRequired[tuple[str, ...]]
    properties: NotRequired[tuple[str, ...]]
    wraps: NotRequired[str | None]


class DeclaredDataset(TypedDict, total=False):
    """Keywords of :func:`nmfbench.core.registry.register_dataset`; see :mod:`nmfbench.datasets`."""

    title: str
    kind: str
    n_samples: int
    n_features: int
    n_classes: int | None
    n_labels: int
    source: str
    licence: str
    scaling: str
    generated: bool
    file: str
    sha256: str
    content: str
    n_bytes: int
    layout: str
    default_views: tuple[str, ...]
    homes: tuple[Any, ...]  # of nmfbench.datasets.convert, which builds on this
    stand_in: Callable[..., Any] | None
    stand_in_for: str | None


class DatasetFacts(DeclaredDataset):
    """Declared facts of a data set, with the versions of its loader and of its stand-in."""

    version: int | None
    stand_in_version: int | None


class CorruptionFacts(TypedDict):
    """See :func:`nmfbench.core.registry.register_corruption`."""

    level: str
    version: int | None


class MetricFacts(TypedDict):
    """See :func:`nmfbench.core.registry.register_metric`."""

    name: str
    higher_is_better: bool


class TaskFacts(TypedDict):
    """See :func:`nmfbench.core.registry.register_task`."""

    summary: str
    title: str
    score: str | None
    score_name: str | None
    higher_is_better: bool | None
    race: bool
    needs: dict[str, str]
    takes_similarities: bool
    based_on: str | None
    tolerances: dict[str, float]
    matters: Matters
    precision: str
    version: int | None
    revisions: dict[str, int]


class NoFacts(TypedDict):
    """Nothing: artefacts and sets of problems speak for themselves."""
