"""What only the code of the package decides, from a file where an earlier process left it.

To list the solvers, or their names where a shell completes one, takes seconds: all of them are
imported, and with them numba, scipy and scikit-learn. The answer changes with the package alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

import nmfbench
from nmfbench.core import registry
from nmfbench.core.files import atomic_write
from nmfbench.datasets.files import cache_folder

__all__ = ["remembered"]

_REGISTRIES = (
    *(registry.solvers, registry.datasets, registry.tasks, registry.problems),
    *(registry.corruptions, registry.metrics, registry.artefacts),
)


def remembered(name: str, make: Callable[[], Any]) -> Any:
    """What ``make`` returns, made again only where a file of the package has changed.

    It is made each time where another package adds entries, as its files may change unseen, or
    where this process has entries already, of a user perhaps. A file that cannot be read or
    written is as none.

    Parameters
    ----------
    name : str
        Of the file, in the folder of caches of the user.
    make : callable
        Takes nothing and returns plain values.
    """
    groups = {kind.group for kind in _REGISTRIES if kind.group}
    if any(kind.is_begun for kind in _REGISTRIES) or any(entry_points(group=g) for g in groups):
        return make()
    path = cache_folder() / "remembered" / f"{name}.json"
    stamp = _stamp()
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["stamp"] == stamp:
            return found["value"]
    value = make()
    with contextlib.suppress(OSError), atomic_write(path) as part:
        part.write_text(json.dumps({"stamp": stamp, "value": value}), encoding="utf-8")
    return value


def _stamp() -> str:
    """A digest of places, sizes and times of the files of the package."""
    digest, folders = hashlib.sha256(), [os.path.dirname(nmfbench.__file__)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name == "__pycache__":
                    continue
                if entry.is_dir():
                    folders.append(entry.path)
                else:
                    facts = entry.stat()
                    digest.update(f"{entry.path} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()
