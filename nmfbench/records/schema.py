"""The file of a store: its tables, what an earlier or damaged one lacks, and a connection to it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from urllib.parse import quote

from nmfbench.records.record import COLUMNS

__all__ = [
    "APPLICATION_ID",
    "AUDIT",
    "DRAW",
    "FILE_NAME",
    "PATIENCE",
    "VERSION",
    "connect",
    "is_writable",
    "schema_damage",
]

FILE_NAME = "records.sqlite"
VERSION = 2  # of the schema below, less what an earlier nmfbench need not know of
APPLICATION_ID = 0x6E6D6662  # "nmfb"

AUDIT = {
    "key": "TEXT NOT NULL",
    "task": "TEXT NOT NULL",
    "solver": "TEXT NOT NULL",
    "dataset": "TEXT NOT NULL",
    "record_code": "TEXT NOT NULL",
    "code": "TEXT NOT NULL",
    "outcome": "TEXT NOT NULL",
    "compared": "TEXT NOT NULL",
    "host": "TEXT NOT NULL",
    "finished": "TEXT NOT NULL",
}
"""Columns of an audit: which record, the source that computed it and the source that computed it
again, how the two compare, and what was compared (``"all"`` or ``"first objectives"``)."""

DRAW = {
    "draw": "TEXT NOT NULL",
    "task": "TEXT NOT NULL",
    "solver": "TEXT NOT NULL",
    "dataset": "TEXT NOT NULL",
    "record_code": "TEXT NOT NULL",
    "code": "TEXT NOT NULL",
    "audited": "INTEGER NOT NULL",
    "records": "TEXT NOT NULL",
    "host": "TEXT NOT NULL",
    "finished": "TEXT NOT NULL",
}
"""Columns of the records that a random sample was drawn from: the text that drew it; the group and
both sources; how many records were computed again; and all that could have been, as JSON from key
to digest."""

_TABLES = {
    "records": ([*COLUMNS], ["digest", "contents"]),
    "arrays": (["key", "name", "npy"], []),
    "published": (["key", "name", "npy"], []),
    "imported": (["key"], []),
    "audits": ([*AUDIT], ["digest"]),
    "draws": ([*DRAW, "digest"], []),
}
"""Columns of each table, and the columns that a store from before there were digests lacks."""

PATIENCE = 60  # seconds to wait for another process that writes


def schema_damage(db: sqlite3.Connection) -> dict[str, str]:
    """Tables that are not as they were made, with what is wrong.

    A store from before there were digests and draws is whole without them.
    """
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    wrong = {name: f"the table {name!r} is unknown" for name in tables if name not in _TABLES}
    for table, (columns, later) in _TABLES.items():
        found = [name for (name,) in db.execute("SELECT name FROM pragma_table_info(?)", (table,))]
        if found not in (columns, [*columns, *later]) and (found or table != "draws"):
            wrong[table] = f"the table {table!r} has other columns than it was made with"
    return wrong


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection to the database of a store, without transactions that begin by themselves."""
    mode, log = "rwc", path.with_name(f"{path.name}-wal")
    if read_only and is_writable(path):
        mode = "rw"  # for the files of the log, without which nothing can be read
    elif read_only:
        # Without a log nobody writes; then SQLite can do without making one.
        mode = "ro" if log.exists() and log.stat().st_size else "ro&immutable=1"
    place = f"file:{quote(str(path.absolute()))}?mode={mode}"
    db = sqlite3.connect(
        place, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False
    )
    db.execute("PRAGMA cell_size_check = ON")
    if read_only:
        db.execute("PRAGMA query_only = ON")
    return db


def is_writable(path: Path) -> bool:
    """Whether a file, or what is to be one, can be written."""
    effective = os.access in os.supports_effective_ids
    places = [place for place in (path, path.parent) if place.exists()]
    return all(os.access(place, os.W_OK, effective_ids=effective) for place in places)
