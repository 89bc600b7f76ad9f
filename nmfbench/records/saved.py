"""Records of external classes that were made elsewhere, under names that need no code.

Here, such a class is named by its place, as ``/home/me/mine.py:MyNMF``. In a record that leaves the
machine it is named by its file and its version, as ``mine.py:MyNMF@1f2e3d4c5b6a``: the version is
the hash of its source that the key of the record holds, so that the key stays. Whoever reads such
records can look at them, and never runs the class by that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from nmfbench.core import registry
from nmfbench.records.provenance import public_host

__all__ = ["as_saved", "is_saved", "saved_name"]

_NAME = re.compile(r"[^/\\\x00-\x1f\x7f]+:[\w.]+@[0-9a-f]{12}")


def saved_name(solver: str, version: str) -> str:
    """Name of an external class without its place.

    Examples
    --------
    >>> saved_name("/home/me/mine.py:MyNMF", "1f2e3d4c5b6a")
    'mine.py:MyNMF@1f2e3d4c5b6a'
    """
    return f"{registry.solvers[solver].key}@{version}"


def is_saved(solver: str) -> bool:
    """Whether a solver is a class of which only records are requested."""
    return _NAME.fullmatch(solver) is not None


def as_saved(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record as it leaves the machine: without the random name of the machine, and with the
    public name of an external class.

    Raises
    ------
    ValueError
        If the class has no version, or a name that no class has.
    """
    record = dict(record) | {"host": public_host(record["host"])}
    if ":" not in record["solver"]:
        return record
    name = saved_name(record["solver"], record["declared"].get("solver"))
    if not is_saved(name):
        raise ValueError(f"{name!r} names no class with its version")
    return record | {"solver": name}
