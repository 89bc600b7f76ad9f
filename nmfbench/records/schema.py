"""The file of a store: its tables, what an earlier or damaged one lacks, and a connection to it."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from nmfbench.records.errors import NoStoreError
from nmfbench.records.record import COLUMNS

__all__ = [
    "APPLICATION_ID",
    "AUDIT",
    "DRAW",
    "FILE_NAME",
    "VERSION",
    "connect",
    "create_draws",
    "create_tables",
    "format_of",
    "has_column",
    "is_writable",
    "schema_damage",
    "transaction",
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

_PATIENCE = 60  # seconds to wait for another process that writes


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
        place, uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
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


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """BEGIN IMMEDIATE ... COMMIT, or ROLLBACK where the block or the commit raises."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


def create_tables(db: sqlite3.Connection, path: Path) -> None:
    """Make a new file a store; another process may do so at the same time."""
    _write_ahead(db)
    with transaction(db):
        if format_of(db, path) == VERSION:  # another process was faster
            return
        db.execute(f"CREATE TABLE records ({_typed(COLUMNS)})")
        db.execute(
            "CREATE TABLE arrays (key TEXT NOT NULL REFERENCES records (key), "
            "name TEXT NOT NULL, npy BLOB NOT NULL, PRIMARY KEY (key, name))"
        )
        db.execute(
            "CREATE TABLE published (key TEXT NOT NULL, name TEXT NOT NULL, "
            "npy BLOB NOT NULL, PRIMARY KEY (key, name))"
        )
        db.execute("CREATE TABLE imported (key TEXT PRIMARY KEY)")
        db.execute(f"CREATE TABLE audits ({_typed(AUDIT)})")
        create_draws(db)
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(f"PRAGMA user_version = {VERSION}")


def create_draws(db: sqlite3.Connection) -> None:
    """Make the table of draws, which earlier stores lack, unless it is there."""
    if not has_column(db, "draws", "digest"):
        db.execute(
            f"CREATE TABLE IF NOT EXISTS draws ({_typed(DRAW)}, digest TEXT, "
            "PRIMARY KEY (draw, task, solver, dataset, record_code, code))"
        )


def _typed(columns: dict[str, str]) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def _write_ahead(db: sqlite3.Connection) -> None:
    """Switch the log on; SQLite does not wait by itself where two processes do it at once."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def format_of(db: sqlite3.Connection, path: Path) -> int:
    """Format of a file, 0 of a new one.

    Raises
    ------
    NoStoreError
        If it is no store, or is of an older or a newer format.
    """
    # One statement, so that it never sees half of what another process does.
    application, version, tables = db.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master) "
        "FROM pragma_application_id, pragma_user_version"
    ).fetchone()
    if (tables or version) and application != APPLICATION_ID:
        raise NoStoreError(
            f"{path} is a database, but not a store of nmfbench: name another folder with --store."
        )
    if version and version < VERSION:
        raise NoStoreError(
            f"{path} was written by an older nmfbench (format {version}, now {VERSION}), "
            "when keys were hashes of the source: move it away, or name another folder with "
            "--store; 'nmfbench import' fills a new one with published records."
        )
    if version > VERSION:
        raise NoStoreError(
            f"{path} was written by a newer nmfbench (format {version}, known up to "
            f"{VERSION}): update the package."
        )
    return version


def has_column(db: sqlite3.Connection, table: str, column: str) -> bool:
    found = db.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
    return (column,) in found
