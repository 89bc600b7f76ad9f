"""Files that are there whole, or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["PART", "atomic_write"]

PART = ".part-"
"""How names of folders begin in which files are not whole yet."""


@contextmanager
def atomic_write(path) -> Iterator[Path]:
    """Give a place to write a file at, which takes the place of ``path`` at the end of the block.

    Where the block raises, ``path`` is left as it was. The place is in a folder of its own, beside
    ``path`` and of a name that nobody can foresee; missing folders are made.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_write(f"{folder}/note.txt") as part:
    ...         _ = part.write_text("whole")
    ...     Path(folder, "note.txt").read_text()
    'whole'
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=PART) as folder:
        part = Path(folder) / path.name
        yield part
        part.replace(path)
