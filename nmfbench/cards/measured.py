"""Measured exponents of time, kept beside the records of a store and in the record book."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path

from nmfbench.cards.scaling import SIZES
from nmfbench.core import registry
from nmfbench.core.files import atomic_write
from nmfbench.records.beside import read_beside
from nmfbench.records.exchange import ExchangeError
from nmfbench.records.provenance import host, public_host
from nmfbench.trials.fingerprint import code_version
from nmfbench.trials.trial import canonical

__all__ = ["is_current", "merge_measured", "read_measured", "write_measured"]

FILE_NAME = "scaling.json"
_COMMAND = "card --measure"


def read_measured(folder, solver: str, params: dict | None = None) -> dict | None:
    """A kept measurement; ``current`` says whether it was made with the present code."""
    found = _held(folder).get(_name(solver, params))
    if found is None:
        return None
    return found | {"current": found["code"] == code_version([registry.solvers[solver].target])}


def is_current(folder, solver: str, params: dict | None = None) -> bool:
    """Whether it was measured with the present code, on this machine."""
    found = read_measured(folder, solver, params)
    return found is not None and found["current"] and found["host"] == host()


def write_measured(folder, solver: str, params: dict | None, measured: dict) -> None:
    """Keep a measurement in the folder of a store."""
    _write(folder, _held(folder) | {_name(solver, params): measured})


def merge_measured(source, target, *, own: bool = False) -> int:
    """Copy measurements of the suite's solvers from one folder to another, and count them.

    Where both have one, that with the present code stays, else that of this machine, else the
    later, else the one of the target. External classes and solvers that are not registered here
    are left out. A copy does not name the machine; with ``own``, only measurements that do are
    copied, which were made where the source is.

    Raises
    ------
    ExchangeError
        If the file in the source is none that :func:`write_measured` made.
    """
    offered, held = _held(source), _held(target)
    taken = {}
    for name, found in offered.items():
        solver = name.partition(" ")[0]
        if solver not in registry.solvers or ":" in solver:
            continue
        copy = found | {"host": public_host(found["host"])}
        better = name not in held or _rank(solver, found) > _rank(solver, held[name])
        if better and copy != held.get(name) and (copy != found or not own):
            taken[name] = copy
    if taken:
        _write(target, held | taken)
    return len(taken)


def _rank(solver, found):
    current = found["code"] == code_version([registry.solvers[solver].target])
    return current, found["host"] == host(), found["measured"]


def _held(folder) -> dict[str, dict]:
    path = Path(folder) / FILE_NAME
    held = read_beside(path, _COMMAND) or {}
    wrong = [name for name, found in held.items() if not _is_measurement(found)]
    if wrong:
        raise ExchangeError(
            f"{path} has no measurement of {wrong[0]!r} as 'nmfbench {_COMMAND}' writes it. "
            "Move the file away, and measure again."
        )
    return held


def _is_measurement(found) -> bool:
    return isinstance(found, dict) and all(
        name in found and holds(found[name]) for name, holds in _FIELDS.items()
    )


def _is_number(value) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _is_text(value) -> bool:
    return isinstance(value, str)


def _has_texts(*names: str) -> Callable[[object], bool]:
    return lambda value: (
        isinstance(value, Mapping) and all(isinstance(value.get(name), str) for name in names)
    )


_FIELDS: dict[str, Callable[[object], bool]] = {
    "exponents": lambda value: (
        isinstance(value, Mapping)
        and set(value) == set(SIZES)
        and all(v is None or _is_number(v) for v in value.values())
    ),
    "sizes": lambda value: (
        isinstance(value, list)
        and all(isinstance(row, list) and len(row) == 4 for row in value)
        and all(_is_number(v) and v >= 0 for row in value for v in row)
    ),
    "error": lambda value: value is None or _is_text(value),
    "measured": _is_text,
    "host": _has_texts("cpu", "platform"),
    "versions": _has_texts("numpy"),
    "code": _is_text,
    "threads": _is_number,
}


def _write(folder, held):
    with atomic_write(Path(folder) / FILE_NAME) as part:
        part.write_text(json.dumps(held, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _name(solver, params):
    key = registry.solvers[solver].key
    return f"{key} {canonical(params)}" if params else key
