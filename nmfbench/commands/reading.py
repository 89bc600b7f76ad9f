"""Stores that a command only reads."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from nmfbench.commands.progress import Note, Progress
from nmfbench.records.schema import FILE_NAME
from nmfbench.records.store import Store

__all__ = ["reading"]


@contextlib.contextmanager
def reading(folder, progress: Progress) -> Iterator[Store]:
    """The store of a folder; an empty one, with a notice, where nothing has run yet."""
    path = Path(folder)
    if (path.is_dir() or not path.exists()) and not (path / FILE_NAME).exists():
        progress(Note(f"there is no store in {folder} yet: nothing has run"))
        with tempfile.TemporaryDirectory() as empty, Store(empty) as store:
            yield store
        return
    with Store(folder, create=False) as store:
        yield store
