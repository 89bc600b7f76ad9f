"""The store: one SQLite file that holds every finished or failed trial.

A record and its arrays are written in one transaction, so that a kill at any moment loses no
finished trial and leaves none half written. The write-ahead log lets readers look on while a run
goes on. Arrays are stored in numpy's own format without pickle. Arrays of published records are
kept apart from those computed here: they serve pictures and claims, and no trial starts from them.
"""

from __future__ import annotations

import functools
import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nmfbench.engine.arrays import from_bytes, to_bytes
from nmfbench.engine.trials import canonical

__all__ = ["AUDIT", "COLUMNS", "JSON", "RESERVED", "Store", "StoreError", "StoredArrays"]

FILE_NAME = "records.sqlite"
_VERSION = 2  # of the schema below
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
    "declared": "TEXT NOT NULL",
    "code": "TEXT NOT NULL",
    "status": "TEXT NOT NULL CHECK (status IN ('done', 'failed'))",
    "error": "TEXT",
    "metrics": "TEXT NOT NULL",
    "seconds": "REAL",
    "cpu_seconds": "REAL",
    "n_iter": "INTEGER",
    "objective": "REAL",
    "stop_reason": "TEXT",
    "first_objectives": "TEXT NOT NULL",
    "elapsed": "REAL",
    "peak_memory": "INTEGER",
    "host": "TEXT NOT NULL",
    "versions": "TEXT NOT NULL",
    "finished": "TEXT NOT NULL",
}
"""Columns of a record and their SQL types. Those of ``JSON`` hold JSON. ``declared`` is all that
the key holds besides the fields of the trial (:attr:`Trial.declared`), ``code`` the fingerprint of
the source; ``first_objectives`` the objective after up to ten iterations of a fit, or null;
``elapsed`` the seconds of the whole trial, with data and scores; ``peak_memory`` is in bytes above
what the process held before the trial; ``finished`` is UTC."""

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

RESERVED = frozenset(COLUMNS) | {"artefact", "arrays", "method"}
"""Names that no metric can have: a table of records has columns of these names."""

JSON = ("dataset_params", "params", "options", "declared", "metrics")
JSON += ("first_objectives", "host", "versions")
_FLAGS = ("stand_in", "timed")
_CHUNK = 500  # keys per query; SQLite limits the number of parameters
_PATIENCE = 60  # seconds to wait for another process that writes


class StoreError(RuntimeError):
    """A store that cannot be opened, read or written, or a record that does not fit."""


class ArrayStayedBehindError(StoreError, KeyError):
    """An array of an imported record that its file does not hold."""

    __str__ = Exception.__str__  # without the quotes of a KeyError


def _explained(method):
    """Turn what SQLite complains of into a StoreError that says what to do."""

    @functools.wraps(method)
    def wrapped(self, *args, **kwargs):
        try:
            with self._lock:
                return method(self, *args, **kwargs)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{self.path}: {error}; {_remedy(error)}") from error

    return wrapped


def _remedy(error) -> str:
    text = str(error)
    if "full" in text:
        return "make room and start the same command again; what is written is safe."
    if "locked" in text or "busy" in text:
        return "another process holds it; end that one, or name another folder with --store."
    if "readonly" in text or "unable to open" in text or isinstance(error, OSError):
        return "make the folder writable (readers need it too), or name another with --store."
    return (
        "the file is damaged or is not a store: move it away, or name another folder with --store."
    )


class Store:
    """Records in ``folder / "records.sqlite"``.

    Several processes may have one store open at the same time, and the threads of a process may
    share one object.

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
        self._lock = threading.RLock()
        if not create and not self.path.exists():
            raise StoreError(
                f"there is no store in {self.folder}: run something with --store {self.folder} "
                "first, or name another folder."
            )
        self._db = None
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    @_explained
    def _open(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(
            self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        if self._version() == _VERSION:
            self._db.execute("PRAGMA synchronous = NORMAL")
            return
        self._write_ahead()
        self._db.execute("PRAGMA synchronous = NORMAL")
        with self._transaction():
            if self._version() == _VERSION:  # another process was faster
                return
            columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
            self._db.execute(f"CREATE TABLE records ({columns})")
            self._db.execute(
                "CREATE TABLE arrays (key TEXT NOT NULL REFERENCES records (key), "
                "name TEXT NOT NULL, npy BLOB NOT NULL, PRIMARY KEY (key, name))"
            )
            self._db.execute(
                "CREATE TABLE published (key TEXT NOT NULL, name TEXT NOT NULL, "
                "npy BLOB NOT NULL, PRIMARY KEY (key, name))"
            )
            self._db.execute("CREATE TABLE imported (key TEXT PRIMARY KEY)")
            columns = ", ".join(f"{name} {kind}" for name, kind in AUDIT.items())
            self._db.execute(f"CREATE TABLE audits ({columns})")
            self._db.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            self._db.execute(f"PRAGMA user_version = {_VERSION}")

    def _version(self) -> int:
        """Format of the file, 0 of a new one."""
        # One statement, so that it never sees half of what another process does.
        application, version, tables = self._db.execute(
            "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master) "
            "FROM pragma_application_id, pragma_user_version"
        ).fetchone()
        if (tables or version) and application != _APPLICATION_ID:
            raise StoreError(
                f"{self.path} is a database, but not a store of nmfbench: name another folder "
                "with --store."
            )
        if version and version < _VERSION:
            raise StoreError(
                f"{self.path} was written by an older nmfbench (format {version}, now {_VERSION}), "
                "when keys were hashes of the source: move it away, or name another folder with "
                "--store; 'nmfbench import' fills a new one with published records."
            )
        if version > _VERSION:
            raise StoreError(
                f"{self.path} was written by a newer nmfbench (format {version}, known up to "
                f"{_VERSION}): update the package."
            )
        return version

    def _write_ahead(self):
        """Switch the log on; SQLite does not wait by itself where two processes do it at once."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def _transaction(self):
        return _Transaction(self._db)

    def close(self):
        """Close the file; a closed store cannot be used again."""
        if self._db is not None:
            with self._lock:
                self._db.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    @_explained
    def put(
        self,
        record: dict[str, Any],
        arrays: Mapping[str, np.ndarray] | None = None,
        *,
        replace: bool = False,
    ) -> bool:
        """Write a record and its arrays, in one transaction.

        A finished trial is not overwritten unless that is asked for; a failed one is, by a later
        try.

        Parameters
        ----------
        record : dict
            Every name of :data:`COLUMNS`; JSON columns as Python values.
        arrays : dict of ndarray
            No object arrays.
        replace : bool, default=False
            Take the place of a finished record, which is out of date.

        Returns
        -------
        bool
            Whether anything was written.

        Raises
        ------
        StoreError
            If the record does not fit, or the file cannot be written.
        """
        row = _checked(record)
        blobs = [(row["key"], name, _to_bytes(a)) for name, a in (arrays or {}).items()]
        with self._transaction():
            return self._put(row, blobs, replace, "arrays")

    @_explained
    def put_imported(self, records: Iterable[tuple[dict, Mapping[str, np.ndarray]]]) -> None:
        """Write records computed elsewhere and their arrays, in one transaction, over any held."""
        with self._transaction():
            for record, arrays in records:
                row = _checked(record)
                blobs = [(row["key"], name, _to_bytes(a)) for name, a in arrays.items()]
                self._put(row, blobs, True, "published")
                self._db.execute("INSERT INTO imported VALUES (?)", (row["key"],))

    def _put(self, row, blobs, replace, table):
        held = self._db.execute(
            "SELECT status FROM records WHERE key = ?", (row["key"],)
        ).fetchone()
        if held is not None and held[0] == "done" and not replace:
            return False
        if held is not None:
            for name in ("arrays", "published", "imported"):
                self._db.execute(f"DELETE FROM {name} WHERE key = ?", (row["key"],))
        self._db.execute(_INSERT, [row[name] for name in COLUMNS])
        self._db.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", blobs)
        return True

    @_explained
    def status(self, keys: Iterable[str]) -> dict[str, str]:
        """``"done"`` or ``"failed"`` for those of ``keys`` that have a record."""
        rows = self._select("SELECT key, status FROM records WHERE key IN ({})", keys)
        return dict(rows)

    @_explained
    def provenance(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Status, code, host, versions and cost of those of ``keys`` that have a record."""
        names = ("status", "code", "host", "versions", "elapsed", "seconds")
        query = f"SELECT key, {', '.join(names)} FROM records WHERE key IN ({{}})"
        found = {}
        for key, *values in self._select(query, keys):
            row = dict(zip(names, values, strict=True))
            found[key] = row | {name: _from_json(row[name]) for name in ("host", "versions")}
        return found

    @_explained
    def imported(self, keys: Iterable[str]) -> set[str]:
        """Those of ``keys`` whose records were not computed here: no trial starts from them."""
        return {key for (key,) in self._select(_IMPORTED, keys)}

    @_explained
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

    @_explained
    def arrays(self, key: str) -> dict[str, np.ndarray]:
        """The arrays of one trial that were computed here, by name; not published ones."""
        rows = self._db.execute(
            "SELECT name, npy FROM arrays WHERE key = ? ORDER BY name", (key,)
        ).fetchall()
        return {name: from_bytes(blob) for name, blob in rows}

    @_explained
    def array_names(self, key: str) -> list[str]:
        """Names of the arrays of one trial, computed here or published, sorted."""
        rows = self._db.execute(
            "SELECT name FROM arrays WHERE key = ?1 UNION "
            "SELECT name FROM published WHERE key = ?1 ORDER BY name",
            (key,),
        )
        return [name for (name,) in rows]

    @_explained
    def array(self, key: str, name: str) -> np.ndarray:
        """One array of one trial, computed here or published.

        Raises
        ------
        KeyError
            If the trial has no array of that name.
        ArrayStayedBehindError
            If the record comes from a file, and the array does not.
        """
        row = self._db.execute(
            "SELECT npy FROM arrays WHERE key = ?1 AND name = ?2 UNION ALL "
            "SELECT npy FROM published WHERE key = ?1 AND name = ?2",
            (key, name),
        ).fetchone()
        if row is None:
            known = ", ".join(self.array_names(key)) or "none"
            if self.imported([key]):
                raise ArrayStayedBehindError(
                    f"trial {key} was imported without its array {name!r}: a record book keeps "
                    "those that its own report shows. Leave --profile out to see that, or compute "
                    "the trials of yours here: nmfbench run TARGET --profile PROFILE --anew."
                )
            raise KeyError(f"trial {key} has no array {name!r}; it has {known}.")
        return from_bytes(row[0])

    @_explained
    def put_audits(self, audits: Iterable[dict[str, Any]]) -> None:
        """Keep audits; each has every name of :data:`AUDIT`, ``host`` as a dictionary."""
        rows = [
            [canonical(audit[name]) if name == "host" else audit[name] for name in AUDIT]
            for audit in audits
        ]
        with self._transaction():
            marks = ", ".join("?" * len(AUDIT))
            self._db.executemany(f"INSERT INTO audits VALUES ({marks})", rows)

    @_explained
    def audits(self) -> list[dict[str, Any]]:
        """All audits, in the order in which they were made."""
        rows = self._db.execute(f"SELECT {', '.join(AUDIT)} FROM audits ORDER BY rowid").fetchall()
        found = [dict(zip(AUDIT, row, strict=True)) for row in rows]
        return [audit | {"host": _from_json(audit["host"])} for audit in found]

    def _select(self, query, keys):
        keys = list(keys)
        rows = []
        for start in range(0, len(keys), _CHUNK):
            chunk = keys[start : start + _CHUNK]
            rows += self._db.execute(query.format(", ".join("?" * len(chunk))), chunk).fetchall()
        return rows


_INSERT = (
    f"INSERT OR REPLACE INTO records ({', '.join(COLUMNS)}) "
    f"VALUES ({', '.join('?' * len(COLUMNS))})"
)
_IMPORTED = "SELECT key FROM imported WHERE key IN ({})"
_from_json = functools.lru_cache(1024)(json.loads)  # hosts and releases are few, and only read


class StoredArrays(Mapping):
    """The arrays of one trial as a mapping from names, each read when it is first asked for.

    Parameters
    ----------
    store : Store
        Open for as long as arrays are asked for.
    key : str
    seen : callable, optional
        Told of each array that is read, by key and name.
    """

    def __init__(self, store, key, seen=lambda key, name: None):
        self._store, self._key, self._seen = store, key, seen
        self._read: dict[str, np.ndarray] = {}

    def __getitem__(self, name):
        if name not in self._read:
            self._read[name] = self._store.array(self._key, name)
        self._seen(self._key, name)
        return self._read[name]

    def __iter__(self):
        return iter(self._store.array_names(self._key))

    def __len__(self):
        return len(self._store.array_names(self._key))


class _Transaction:
    """BEGIN IMMEDIATE ... COMMIT, or ROLLBACK where the block or the commit raises."""

    def __init__(self, db):
        self._db = db

    def __enter__(self):
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind, *exc):
        try:
            if kind is None:
                self._db.execute("COMMIT")
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")


def _checked(record) -> dict[str, Any]:
    """A record as a row of SQL values."""
    if lacking := set(COLUMNS) - set(record):
        raise StoreError(f"a record lacks {', '.join(sorted(lacking))}.")
    if surplus := set(record) - set(COLUMNS):
        raise StoreError(f"a record has unknown columns: {', '.join(sorted(surplus))}.")
    if taken := RESERVED & set(record["metrics"]):
        raise StoreError(f"metrics cannot be called {', '.join(sorted(taken))}.")
    if record["status"] not in ("done", "failed"):
        raise StoreError(f"the status of a record is 'done' or 'failed', not {record['status']!r}.")
    row = dict(record)
    for name in JSON:
        try:
            row[name] = canonical(record[name])
        except (TypeError, ValueError) as error:
            raise StoreError(f"{name} of record {record['key']} is not JSON: {error}.") from error
    return row


def _to_bytes(array) -> bytes:
    try:
        return to_bytes(array)
    except ValueError as error:
        raise StoreError(f"an array of objects cannot be stored: {error}.") from error


def _parse(row) -> dict[str, Any]:
    record = dict(zip(COLUMNS, row, strict=True))
    record |= {name: json.loads(record[name]) for name in JSON}
    return record | {name: bool(record[name]) for name in _FLAGS}
