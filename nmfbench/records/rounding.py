"""Kept measurements of the sensitivity of results to rounding.

Another numerical target (:mod:`nmfbench.trials.target`) adds up in another order, and so changes
each sum in its last places. Data that are one unit smaller there, in about half of their numbers,
change it as much. Where this moves a metric by a tenth, two targets may be a tenth apart, and their
difference says nothing of the code.

What :mod:`nmfbench.audits.sensitivity` measures is kept by task, solver and data set, in the folder
of a store and in the record book; it holds for the declared versions under which it was measured.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nmfbench.core.files import atomic_write
from nmfbench.records.beside import beside_error, read_beside
from nmfbench.records.provenance import machine

__all__ = ["FILE_NAME", "TIMES", "Spreads", "largest", "merge_spreads"]

FILE_NAME = "rounding.json"
_COMMAND = "audit --sensitivity"

TIMES = 5
"""Computations from perturbed data."""


_SMALLEST = 1e-7  # relative difference that is worth keeping: less is within all tolerances


def largest(record: Mapping, spread: Mapping[str, float]) -> tuple[str | None, float]:
    """The metric of a record, or its objective, that rounding changes most, and by what share."""
    names = [name for name in ("objective", *record["metrics"]) if name in spread]
    return max(((name, spread[name]) for name in names), key=lambda m: m[1], default=(None, 0.0))


class Spreads:
    """Kept measurements of the sensitivity to rounding.

    Parameters
    ----------
    folder : path-like
        Of a store or a record book; it need not have any.

    Raises
    ------
    ExchangeError
        If the file is none that this class writes.
    """

    def __init__(self, folder):
        self.path = Path(folder) / FILE_NAME
        self._held: dict[str, dict[str, Any]] = read_beside(self.path, _COMMAND) or {}
        if not all(map(_is_whole, self._held.values())):
            raise beside_error(self.path, _COMMAND)

    def __contains__(self, record: Mapping) -> bool:
        return self.of(record) is not None

    def of(self, record: Mapping) -> dict[str, float] | None:
        """Measured differences of the group of a record; None if it was not measured."""
        found = self._held.get(_name(record))
        if found is None or found["declared"] != _declared(record):
            return None
        spread = found["spread"].items()
        return {name: math.inf if share is None else share for name, share in spread}

    def add(self, record: Mapping, spread: Mapping[str, float]) -> None:
        """Keep a measurement: the largest differences of all measured trials of the group."""
        before = self.of(record)
        trials = 1 if before is None else 1 + self._held[_name(record)]["trials"]
        both = {name: max(s, spread.get(name, 0)) for name, s in (before or {}).items()}
        kept = {name: s for name, s in sorted((dict(spread) | both).items()) if s > _SMALLEST}
        self._held[_name(record)] = {
            "declared": _declared(record),
            "trials": trials,
            "spread": {n: float(f"{s:.2g}") if math.isfinite(s) else None for n, s in kept.items()},
            "measured": datetime.now(UTC).date().isoformat(),
            "machine": machine(),
        }

    def write(self) -> None:
        """Write the whole file, one line for each group."""
        lines = (f"{json.dumps(n)}: {json.dumps(found)}" for n, found in sorted(self._held.items()))
        with atomic_write(self.path) as part:
            part.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def merge_spreads(source, target, *, own: bool = False) -> int:
    """Copy measurements from one folder to another, and count them.

    Of one group the measurement of this machine stays, else that of more trials, else the later
    one. A copy does not name the machine; with ``own``, only measurements that do are copied, which
    were made where the source is.
    """
    offered, held = Spreads(source), Spreads(target)
    taken = {}
    for name, found in offered._held.items():
        copy = {field: value for field, value in found.items() if field != "machine"}
        better = name not in held._held or _rank(found) > _rank(held._held[name])
        if better and copy != held._held.get(name) and (copy != found or not own):
            taken[name] = copy
    if taken:
        held._held |= taken
        held.write()
    return len(taken)


def _name(record) -> str:
    return " ".join((record["task"], record["solver"], record["dataset"]))


def _declared(record) -> list:
    """Versions under which a measurement holds."""
    return [record["declared"]["task"], record["declared"]["solver"]]


def _rank(found):
    return found.get("machine") == machine(), found["trials"], found["measured"]


def _is_whole(found) -> bool:
    return (
        isinstance(found, dict)
        and isinstance(found.get("declared"), list)
        and type(found.get("trials")) is int
        and isinstance(found.get("measured"), str)
        and isinstance(found.get("spread"), dict)
        and all(s is None or type(s) in (int, float) for s in found["spread"].values())
    )
