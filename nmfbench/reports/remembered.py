"""Sections of earlier reports, kept beside the store, so that a report draws what has changed.

A section is looked up by all that it can depend on: the source of this package with its templates,
the releases of others, the arguments, the chosen grid, the digests of its records and their arrays,
audits, and what lies beside the store. Its pictures and its page of trials are not kept twice: a
section is known only where they lie in the folder of the report as they were written, which pages
of trials do not after addresses were put into them (``--site``). Sections of artefacts of other
packages, and those judged on another grid than the chosen one since arrays stayed behind, are made
every time.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import nmfbench
from nmfbench.artefacts.artefact import Artefact
from nmfbench.core import registry
from nmfbench.core.files import atomic_write
from nmfbench.datasets.base import dataset_available
from nmfbench.records.provenance import host, versions
from nmfbench.records.store import Store
from nmfbench.trials.trial import canonical
from nmfbench.verdicts.choice import Grid
from nmfbench.verdicts.known import hash_of, is_ours

__all__ = ["Remembered", "forget"]

_FOLDER = "sections"
_DRAWN_BY = ("matplotlib", "seaborn", "pillow", "jinja2", "markupsafe")
_LEFT_OUT = ("commands", "cli", "__pycache__")  # no section depends on them


class Remembered:
    """What is remembered of the section of an artefact.

    Parameters
    ----------
    artefact : Artefact
    grid : Grid
        That it is judged on.
    store : Store
    output : path-like
        Folder of the report.
    asked : mapping
        What was asked for, as JSON holds it.
    beside : sequence of Path
        Further files that it is made of, which may be missing.
    """

    def __init__(
        self,
        artefact: Artefact,
        grid: Grid,
        store: Store,
        output,
        asked: Mapping[str, Any],
        beside: Sequence[Path] = (),
    ):
        self._path = store.folder / _FOLDER / f"{artefact.paper}-{artefact.name}.json"
        self._output, self._writes = Path(output), not store.read_only
        others = [asked, *map(_seal, beside)]
        self._of = _digest(artefact, grid, store, others) if is_ours(artefact) else None

    def section(self) -> str | None:
        """The section as JSON; None if there is none, or something has changed since."""
        if self._of is None:
            return None
        # A file that cannot be read is as good as none.
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            held = json.loads(self._path.read_text(encoding="utf-8"))
            files = held["files"].items()
            if held["of"] == self._of and all(_seal(self._output / n) == seal for n, seal in files):
                return held["section"]
        return None

    def keep(self, section: str, files: Iterable[str]) -> None:
        """Remember a section with the files that it wrote, where the folder lets us."""
        if self._of is None or not self._writes:
            return
        values = {"of": self._of, "files": {name: _seal(self._output / name) for name in files}}
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(exist_ok=True)
            with atomic_write(self._path) as part:
                part.write_text(json.dumps(values | {"section": section}), encoding="utf-8")


def forget(store) -> None:
    """Forget all sections of a store.

    Parameters
    ----------
    store : path-like
    """
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(Path(store) / _FOLDER)


def _digest(artefact, grid, store, others):
    keys = [trial.key for trial in grid.trials]
    seals = store.seals(keys)
    if any(seal is None for seal, _ in seals.values()):  # of an earlier nmfbench
        return None
    data = sorted(registry.datasets)
    depends = [
        *(_source(), versions(*_DRAWN_BY), host(), artefact.id, others),
        *(grid.profile, grid.whole, grid.repeats, grid.total, keys),
        *(sorted(seals.items()), sorted(store.imported(keys)), store.audits()),
        [name for name in data if dataset_available(name)],
    ]
    return hashlib.sha256(canonical(depends).encode()).hexdigest()


@functools.cache
def _source() -> str:
    """Hash of the source of this package, its templates and its data."""
    root = Path(nmfbench.__file__).parent
    return hash_of(
        path
        for path in sorted(root.rglob("*"))
        if path.is_file() and not set(path.relative_to(root).parts) & set(_LEFT_OUT)
    )


def _seal(path: Path) -> str | None:
    """Digest of a file; None if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
