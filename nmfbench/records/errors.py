"""Errors of a store, and what to do about errors of SQLite and of the system."""

from __future__ import annotations

import contextlib
import errno
import shutil
import sqlite3
from pathlib import Path

__all__ = [
    "ArrayStayedBehindError",
    "DamagedError",
    "EmptyStoreError",
    "NoStoreError",
    "StoreError",
    "explained",
]

_LITTLE = 2**20  # bytes free on a disk that is as good as full
_FULL = (errno.ENOSPC, errno.EDQUOT)


class StoreError(RuntimeError):
    """A store that cannot be read or written any more, or a record that does not fit."""


class NoStoreError(StoreError):
    """A folder that has no store, or none that can be used."""


class EmptyStoreError(NoStoreError):
    """A file without tables: whoever was creating the store was killed."""


class DamagedError(StoreError):
    """A record, an array or a file that is not what was written."""


class ArrayStayedBehindError(StoreError, KeyError):
    """An array of an imported record that its file does not hold."""

    __str__ = Exception.__str__  # without the quotes of a KeyError


def explained(
    error: OSError | sqlite3.Error, path: Path, kind: type[StoreError], repair: str
) -> StoreError:
    """An error of SQLite or of the system, with what to do.

    Parameters
    ----------
    error : OSError or sqlite3.Error
    path : Path
        File of the store.
    kind : type
        Class of the error where the file cannot be used, which has not been opened before.
    repair : str
        What to do where the file is damaged.
    """
    name = getattr(error, "sqlite_errorname", None) or ""
    text = f"{path}: {error}; "
    if _is_full(error, name, path.parent):
        text += "make room and start the same command again; what is written is safe."
        return StoreError(text)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        text += "another process holds it; end that one, or name another folder with --store."
        return StoreError(text)
    if name.startswith("SQLITE_IOERR"):
        text += "the disk fails, or the network that it is on; start the same command again."
        return StoreError(text)
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")) or isinstance(error, OSError):
        return kind(text + "make the folder writable, or name another with --store.")
    if name == "SQLITE_NOTADB":
        return kind(
            f"{text}the file is damaged or is not a store: move it away, or name another "
            "folder with --store."
        )
    return DamagedError(f"{text}the file is damaged: {repair}")


def _is_full(error: Exception, name: str, folder: Path) -> bool:
    if name == "SQLITE_FULL" or getattr(error, "errno", None) in _FULL:
        return True
    # Of a full disk SQLite also says that it cannot write, or cannot open its log.
    with contextlib.suppress(OSError):
        writes = name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN"))
        return writes and shutil.disk_usage(folder).free < _LITTLE
    return False
