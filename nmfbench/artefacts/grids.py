"""Grids of trials: every combination of the values of some axes.

An axis is a list of changes to a trial, each a mapping from fields to values; mappings among the
values (``params``, ``options``, ``dataset_params``) are merged into the present ones. The
functions below write the usual ones:

>>> base = Trial(task="recognition", dataset="orl", solver="", options={"dtype": "float32"})
>>> ranks, noise = options("n_components", [10, 20]), corrupted([(None, None), ("laplace", 0.2)])
>>> trials = cross(base, 3, noise, ranks, methods([Method("NMF", "mu", {"max_iter": 300})]))
>>> len(trials), trials[-1].repeat, trials[-1].level, dict(trials[-1].options)
(12, 2, 0.2, {'dtype': 'float32', 'n_components': 20})

What an artefact calls a place of an axis, it says there: :func:`labelled` gives a place a label,
which goes with the trial into a column of the frame, see :func:`labels_of`.

>>> noise = labelled("condition", ["no noise", "Laplace"], noise)
>>> labels_of(cross(base, 1, noise, ranks))["condition"].tolist()
['no noise', 'no noise', 'Laplace', 'Laplace']
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import pandas as pd

from nmfbench.trials.trial import Trial

__all__ = [
    "CLEAN",
    "Method",
    "changed",
    "corrupted",
    "cross",
    "fields",
    "labelled",
    "labels_of",
    "methods",
    "options",
    "with_data",
]

Axis = Sequence[Mapping[str, Any]]

CLEAN = "clean"
"""Label of the ``noise`` of data without any."""


@dataclass(frozen=True)
class Method:
    """A curve or a row: a solver with the parameters under which an artefact shows it.

    Or, if it is not ``drawn``, one that claims are read at besides, where a paper leaves a setting
    open.
    """

    label: str
    solver: str
    params: Mapping[str, Any] = field(default_factory=dict)
    drawn: bool = True


def changed(trial: Trial, *changes: Mapping[str, Any]) -> Trial:
    """A trial with other fields; mappings among them are merged into the mappings of the trial.

    It keeps its labels, of which a change may have more, under ``labels``.
    """
    values: dict[str, Any] = {"labels": trial.labels}
    for change in changes:
        for name, value in change.items():
            old = values.get(name, getattr(trial, name))
            values[name] = {**old, **value} if isinstance(value, Mapping) else value
    labels = values.pop("labels")
    found = replace(trial, **values)
    object.__setattr__(found, "labels", labels)  # no field of a trial
    return found


def cross(base: Trial, repeats: int, *axes: Axis) -> list[Trial]:
    """The trials of every combination of changes, in each of the first ``repeats``."""
    first = [changed(base, *changes) for changes in product(*axes)]
    return [trial.in_repeat(repeat) for repeat in range(repeats) for trial in first]


def methods(chosen: Iterable[Method]) -> Axis:
    """An axis of methods."""
    return [{"solver": method.solver, "params": method.params} for method in chosen]


def options(name: str, values: Iterable[Any]) -> Axis:
    """An axis of values of an option of the task."""
    return [{"options": {name: value}} for value in values]


def fields(name: str, values: Iterable[Any]) -> Axis:
    """An axis of values of any field of a trial, such as ``task``, ``dataset`` or ``start``."""
    return [{name: value} for value in values]


def with_data(chosen: Mapping[str, Mapping[str, Any]]) -> Axis:
    """An axis of data sets, each with its parameters."""
    return [{"dataset": name, "dataset_params": params} for name, params in chosen.items()]


def corrupted(places: Iterable[tuple[str | None, float | None]]) -> Axis:
    """An axis of pairs of a corruption and its level; ``(None, None)`` is clean data.

    Its label ``noise`` is the corruption, or :data:`CLEAN`.
    """
    return [
        {"corruption": name, "level": level, "labels": {"noise": name or CLEAN}}
        for name, level in places
    ]


def labelled(column: str, labels: Iterable[Any], axis: Axis) -> Axis:
    """An axis whose places have labels, which the frame of the artefact has in a column."""
    return [
        {**change, "labels": {**change.get("labels", {}), column: label}}
        for label, change in zip(labels, axis, strict=True)
    ]


def labels_of(trials: Sequence[Trial]) -> pd.DataFrame:
    """Labels of trials, a row each and a column for each kind of label; NaN where there is none.

    Texts are categories in the order in which the trials have them first.
    """
    found = pd.DataFrame([dict(trial.labels) for trial in trials])
    for name in found.columns[found.map(lambda label: isinstance(label, str)).any()]:
        order = found[name].dropna().unique()
        found[name] = pd.Categorical(found[name], categories=order, ordered=True)
    return found
