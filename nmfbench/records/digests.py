"""Digests for the records of a store from before there were any."""

from __future__ import annotations

import contextlib
import sqlite3

from nmfbench.records.record import COLUMNS, RecordError, digest
from nmfbench.records.schema import has_column, transaction
from nmfbench.records.sealed import Blob, seal_contents, unpack_array, verify

__all__ = ["add_digests", "has_digests"]

_CHUNK = 500  # records in one transaction


def has_digests(db: sqlite3.Connection) -> bool:
    """Whether the tables have columns for digests."""
    return has_column(db, "records", "contents")


def add_digests(db: sqlite3.Connection) -> None:
    """Give a digest to each whole record that has none; damaged ones go without."""
    if not has_digests(db):
        with transaction(db):
            if not has_digests(db):  # no other process was faster
                db.execute("ALTER TABLE audits ADD COLUMN digest TEXT")
                db.execute("ALTER TABLE records ADD COLUMN digest TEXT")
                db.execute("ALTER TABLE records ADD COLUMN contents TEXT")
                db.execute("CREATE INDEX bare ON records (key) WHERE digest IS NULL")
    last = ""
    while keys := _bare(db, last):  # in short transactions, between which others can write
        with transaction(db):
            for key in keys:
                _add_digest(db, key)
        last = keys[-1]


def _bare(db: sqlite3.Connection, after: str) -> list[str]:
    """Some keys of records without a digest."""
    query = "SELECT key FROM records WHERE digest IS NULL AND key > ? ORDER BY key LIMIT ?"
    return [key for (key,) in db.execute(query, (after, _CHUNK))]


def _add_digest(db: sqlite3.Connection, key: str) -> None:
    query = f"SELECT {', '.join(COLUMNS)} FROM records WHERE key = ? AND digest IS NULL"
    row = db.execute(query, (key,)).fetchone()
    if row is None:  # another process was faster
        return
    (imported,) = db.execute("SELECT count(*) FROM imported WHERE key = ?", (key,)).fetchone()
    table = "published" if imported else "arrays"
    query = f"SELECT key, name, npy FROM {table} WHERE key = ?"
    blobs: list[Blob] = db.execute(query, (key,)).fetchall()
    with contextlib.suppress(RecordError):
        verify(row)
        for *_, blob in blobs:
            unpack_array(blob)
        db.execute(
            "UPDATE records SET digest = ?, contents = ? WHERE key = ?",
            (digest(row), seal_contents(blobs, bool(imported)), key),
        )
