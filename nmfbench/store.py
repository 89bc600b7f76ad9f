"""The store: one SQLite file that holds every finished or failed trial.

A record and its arrays are written in one transaction, so that a kill at any moment loses no
finished trial and leaves none half written. The write-ahead log lets readers look on while a run
goes on. Arrays are stored in numpy's own format without pickle.
"""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nmfbench.trials import canonical

__all__ = ["COLUMNS", "Store", "StoreError"]

FILE_NAME = "records.sqlite"
_VERSION = 1  # of the schema below
_APPLICATION_ID = 0x6E6D6662  # "nmfb"

COLUMNS = {
    "key": "TEXT PRIMARY KEY",
    "task": "TEXT NOT NULL",
    "dataset": "TEXT NOT NULL",
    "dataset_params": "TEXT NOT NULL",
    "stand_in": "INTEGER NOT NULL",
    "corruption": "TEXT",
    "level": "REAL",
    "solver": "TEXT NOT NULL",
    "params": "TEXT NOT NULL",
    "options": "TEXT NOT NULL",
    "repeat": "INTEGER NOT NULL",
    "start": "INTEGER NOT NULL",
    "timed": "INTEGER NOT NULL",
    "code": "TEXT NOT NULL",
    "status": "TEXT NOT NULL CHECK (status IN ('done', 'failed'))",
    "error": "TEXT",
    "metrics": "TEXT NOT NULL",
    "seconds": "REAL",
    "cpu_seconds": "REAL",
    "n_iter": "INTEGER",
    "objective": "REAL",
    "stop_reason": "TEXT",
    "peak_memory": "INTEGER",
    "host": "TEXT NOT NULL",
    "versions": "TEXT NOT NULL",
    "finished": "TEXT NOT NULL",
}
"""Columns of a record and their SQL types. ``dataset_params``, ``params``, ``options``,
``metrics``, ``host`` and ``versions`` hold JSON; ``peak_memory`` is in bytes above what the
process held before the trial; ``finished`` is UTC."""

_JSON = ("dataset_params", "params", "options", "metrics", "host", "versions")
_FLAGS = ("stand_in", "timed")
_CHUNK = 500  # keys per query; SQLite limits the number of parameters


class StoreError(RuntimeError):
    """A store that cannot be opened, or a record that does not fit."""


class Store:
    """Records in ``folder / "records.sqlite"``.

    Parameters
    ----------
    folder : path-like
    create : bool, default=True
        Make the folder and the file if they are missing; False makes that an error.

    Raises
    ------
    StoreError
        If the file is no store, is damaged, or is of a newer version.
    """

    def __init__(self, folder, *, create=True):
        self.folder = Path(folder)
        self.path = self.folder / FILE_NAME
        if not create and not self.path.exists():
            raise StoreError(
                f"there is no store in {self.folder}: run something with --store {self.folder} "
                "first, or name another folder."
            )
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, timeout=60, isolation_level=None)
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                f"cannot open the store {self.path}: {error}. If the file is damaged or is not "
                "a store, move it away or name another folder with --store."
            ) from error

    def _prepare(self):
        application = self._db.execute("PRAGMA application_id").fetchone()[0]
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables and application != _APPLICATION_ID:
            raise StoreError(f"{self.path} is a database, but not a store of nmfbench.")
        if version > _VERSION:
            raise StoreError(
                f"{self.path} was written by a newer nmfbench (format {version}, known up to "
                f"{_VERSION}): update the package."
            )
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        if version == _VERSION:
            return
        columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
        with self._transaction():
            self._db.execute(f"CREATE TABLE IF NOT EXISTS records ({columns})")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS arrays (key TEXT NOT NULL REFERENCES records (key), "
                "name TEXT NOT NULL, npy BLOB NOT NULL, PRIMARY KEY (key, name))"
            )
            self._db.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            self._db.execute(f"PRAGMA user_version = {_VERSION}")

    def _transaction(self):
        return _Transaction(self._db)

    def close(self):
        self._db.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def put(self, record: dict[str, Any], arrays: dict[str, np.ndarray] | None = None) -> bool:
        """Write a record and its arrays, in one transaction.

        A finished trial is never overwritten; a failed one is, by a later try.

        Parameters
        ----------
        record : dict
            Every name of :data:`COLUMNS`; JSON columns as Python values.
        arrays : dict of ndarray
            No object arrays.

        Returns
        -------
        bool
            Whether anything was written.
        """
        missing = set(COLUMNS) ^ set(record)
        if missing:
            raise StoreError(f"a record lacks or has too much: {', '.join(sorted(missing))}.")
        row = {name: canonical(v) if name in _JSON else v for name, v in record.items()}
        blobs = [(row["key"], name, _to_bytes(a)) for name, a in (arrays or {}).items()]
        with self._transaction():
            held = self._db.execute(
                "SELECT status FROM records WHERE key = ?", (row["key"],)
            ).fetchone()
            if held is not None and held[0] == "done":
                return False
            self._db.execute("DELETE FROM arrays WHERE key = ?", (row["key"],))
            self._db.execute(
                f"INSERT OR REPLACE INTO records ({', '.join(COLUMNS)}) "
                f"VALUES ({', '.join('?' * len(COLUMNS))})",
                [row[name] for name in COLUMNS],
            )
            self._db.executemany("INSERT INTO arrays VALUES (?, ?, ?)", blobs)
        return True

    def status(self, keys: Iterable[str]) -> dict[str, str]:
        """``"done"`` or ``"failed"`` for those of ``keys`` that have a record."""
        rows = self._select("SELECT key, status FROM records WHERE key IN ({})", keys)
        return dict(rows)

    def records(self, keys: Iterable[str] | None = None) -> list[dict[str, Any]]:
        """Records as :meth:`put` takes them, in the order of ``keys``; by default all."""
        query = f"SELECT {', '.join(COLUMNS)} FROM records"
        if keys is None:
            rows = self._db.execute(f"{query} ORDER BY key").fetchall()
        else:
            keys = list(keys)
            by_key = {row[0]: row for row in self._select(query + " WHERE key IN ({})", keys)}
            rows = [by_key[key] for key in keys if key in by_key]
        return [_parse(row) for row in rows]

    def table(self, keys: Iterable[str] | None = None) -> pd.DataFrame:
        """Records as a tidy table: a row a trial, a column a metric.

        Parameters
        ----------
        keys : iterable of str, optional
            By default all; rows come in the order of the keys.
        """
        records = self.records(keys)
        metrics = pd.DataFrame([record.pop("metrics") for record in records])
        names = [name for name in COLUMNS if name != "metrics"]
        return pd.concat([pd.DataFrame(records, columns=names), metrics], axis=1)

    def arrays(self, key: str) -> dict[str, np.ndarray]:
        """The arrays of one trial, by name."""
        rows = self._db.execute("SELECT name, npy FROM arrays WHERE key = ? ORDER BY name", (key,))
        return {name: _from_bytes(blob) for name, blob in rows}

    def _select(self, query, keys):
        keys = list(keys)
        rows = []
        for start in range(0, len(keys), _CHUNK):
            chunk = keys[start : start + _CHUNK]
            rows += self._db.execute(query.format(", ".join("?" * len(chunk))), chunk).fetchall()
        return rows


class _Transaction:
    """BEGIN IMMEDIATE ... COMMIT, or ROLLBACK where the block raises."""

    def __init__(self, db):
        self._db = db

    def __enter__(self):
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind, *exc):
        self._db.execute("COMMIT" if kind is None else "ROLLBACK")


def _to_bytes(array) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(array), allow_pickle=False)
    return buffer.getvalue()


def _from_bytes(blob) -> np.ndarray:
    with closing(io.BytesIO(blob)) as buffer:
        return np.load(buffer, allow_pickle=False)


def _parse(row) -> dict[str, Any]:
    record = dict(zip(COLUMNS, row, strict=True))
    record |= {name: json.loads(record[name]) for name in _JSON}
    return record | {name: bool(record[name]) for name in _FLAGS}
