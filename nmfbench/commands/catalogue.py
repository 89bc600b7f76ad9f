"""Entries of the registries as rows of plain values."""

from __future__ import annotations

from math import isfinite

from nmfbench.commands.answer import Answer, text_table
from nmfbench.commands.remembered import remembered
from nmfbench.core import registry
from nmfbench.core.matters import Ratio

__all__ = ["catalogue"]

_COLUMNS = {
    "solvers": ("key", "name", "family", "paper", "reference"),
    "datasets": ("name", "n_samples", "n_features", "n_classes", "available", "title"),
    "corruptions": ("key", "level"),
    "metrics": ("key", "name", "higher_is_better"),
    "tasks": ("key", "summary"),
}


def catalogue(*, things: str) -> Answer:
    """Tabulate the entries of one registry, sorted by name.

    Parameters
    ----------
    things : {"solvers", "datasets", "corruptions", "metrics", "tasks", "artefacts"}

    Returns
    -------
    Answer

    Examples
    --------
    >>> "recovery" in list(catalogue(things="tasks").table["key"])
    True
    """
    make = _ROWS[things]
    rows = shown = make() if things == "datasets" else remembered(things, make)
    if things == "artefacts":
        columns = ("id", "kind", "task", "claims", *rows[0]["trials"], "title")
        shown = [row | row["trials"] | {"claims": len(row["claims"])} for row in rows]
    else:
        columns = _COLUMNS[things]
    return Answer(rows, text_table(shown, columns), rows=rows)


def _solvers():
    return [
        {
            "key": entry.key,
            "name": entry.info["name"],
            "family": entry.info["family"],
            "paper": entry.info["paper"],
            "reference": entry.info["reference"],
            "class": f"{entry.target.__module__}:{entry.target.__qualname__}",
            "monotone": entry.info["monotone"],
            "nested": entry.info["nested"],
        }
        for entry in registry.solvers.entries()
    ]


def _datasets():
    from nmfbench.datasets.base import dataset_info

    return [dataset_info(name) for name in registry.datasets]


def _plain(entries):
    """Registered corruptions or metrics: their keys and facts."""
    return [{"key": entry.key, **entry.info} for entry in entries.entries()]


def _tasks():
    """As registered; an infinite tolerance is null, and a ratio that matters is text ("2 %")."""
    return [
        row
        | {"tolerances": {k: v if isfinite(v) else None for k, v in row["tolerances"].items()}}
        | {"matters": {k: str(v) if isinstance(v, Ratio) else v for k, v in row["matters"].items()}}
        for row in _plain(registry.tasks)
    ]


def _artefacts():
    return [_artefact(entry.target) for entry in registry.artefacts.entries()]


def _artefact(artefact):
    from nmfbench.artefacts.artefact import PROFILES

    return {
        "id": artefact.id,
        "paper": artefact.paper,
        "kind": artefact.kind,
        "title": artefact.title,
        "task": ", ".join(artefact.names("task")),
        "datasets": artefact.names("dataset"),
        "solvers": artefact.names("solver"),
        "claims": [f"{artefact.id}/{claim.id}" for claim in artefact.claims],
        "trials": {profile: len(set(artefact.grid(profile))) for profile in PROFILES},
    }


_ROWS = {
    "solvers": _solvers,
    "datasets": _datasets,
    "corruptions": lambda: _plain(registry.corruptions),
    "metrics": lambda: _plain(registry.metrics),
    "tasks": _tasks,
    "artefacts": _artefacts,
}
