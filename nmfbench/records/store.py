"""The store: one SQLite file that holds every finished or failed trial.

A record and its arrays are written in one transaction, so that a kill at any moment loses no
finished trial and leaves none half written. The write-ahead log lets readers look on while a run
goes on. Arrays are stored in numpy's own format without pickle. Arrays of published records are
kept apart from those computed here: they serve pictures and claims, and no trial starts from them.

A record is written with a digest of its columns and one of each of its arrays, and none is given
out that does not fit its digest. Records of a store from before there were digests get digests when
it is next opened for writing; the columns for them are such that an earlier nmfbench, too, can
still write there.
"""

from __future__ import annotations

import contextlib
import functools
import json
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

import numpy as np
import pandas as pd

from nmfbench.records.digests import add_digests, has_digests
from nmfbench.records.errors import (
    ArrayStayedBehindError,
    DamagedError,
    EmptyStoreError,
    NoStoreError,
    StoreError,
    explained,
)
from nmfbench.records.provenance import public_host
from nmfbench.records.record import COLUMNS, Record, RecordError, digest, from_row, to_row
from nmfbench.records.schema import (
    AUDIT,
    DRAW,
    FILE_NAME,
    VERSION,
    connect,
    create_draws,
    create_tables,
    format_of,
    has_column,
    is_writable,
    schema_damage,
    transaction,
)
from nmfbench.records.sealed import (
    Blob,
    from_json,
    read_contents,
    seal_contents,
    to_blobs,
    unpack_array,
    verify,
    verify_audit,
)
from nmfbench.trials.trial import canonical

__all__ = ["Store"]

_CHUNK = 500  # keys per query; SQLite limits the number of parameters

_P = ParamSpec("_P")
_Found = TypeVar("_Found")


def _explained(
    method: Callable[Concatenate[Store, _P], _Found],
) -> Callable[Concatenate[Store, _P], _Found]:
    """Turn what SQLite complains of into a StoreError that says what to do."""

    @functools.wraps(method)
    def wrapped(self: Store, *args: _P.args, **kwargs: _P.kwargs) -> _Found:
        try:
            with self._lock:
                found = method(self, *args, **kwargs)
                self._still_there()
                return found
        except RecordError as error:
            raise StoreError(str(error)) from error
        except (UnicodeDecodeError, json.JSONDecodeError) as error:  # of text, names or messages
            why = f"{self.path}: {error}; the file is damaged: {self._repair()}"
            raise DamagedError(why) from error
        except (OSError, sqlite3.Error) as error:
            raise self._explain(error) from error

    return cast("Callable[Concatenate[Store, _P], _Found]", wrapped)


class Store:
    """Records in ``folder / "records.sqlite"``.

    Several processes may have one store open at the same time, and the threads of a process may
    share one object.

    Parameters
    ----------
    folder : path-like
    create : bool, default=True
        Make the folder and the file if they are missing; False makes that an error. With False, a
        store that cannot be written to can be read.
    as_it_is : bool, default=False
        Write nothing, not even digests that records lack.

    Raises
    ------
    NoStoreError
        If the file is no store, cannot be opened, or is of a newer version.
    DamagedError
        If the file is damaged.
    """

    def __init__(self, folder: str | PathLike[str], *, create: bool = True, as_it_is: bool = False):
        self.folder = Path(folder)
        self.path = self.folder / FILE_NAME
        self._lock = threading.RLock()
        self._verified: set[int] = set()  # hashes of rows that fit their digests
        self._identity: tuple[int, int] | None = None
        if not create and not self.path.exists():
            raise NoStoreError(
                f"there is no store in {self.folder}: run something with --store {self.folder} "
                "first, or name another folder."
            )
        self._connection: sqlite3.Connection | None = None
        try:
            self._open(create, as_it_is)
        except BaseException:
            self.close()
            raise

    @_explained
    def _open(self, create: bool, as_it_is: bool) -> None:
        if create:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not is_writable(self.path):
                raise PermissionError("it cannot be written to")
        self.read_only = as_it_is or not is_writable(self.path)
        self._connection = connect(self.path, read_only=self.read_only)
        if format_of(self._db, self.path) != VERSION:
            if self.read_only:
                raise EmptyStoreError(
                    f"{self.path} is an empty store, which no process finished creating: run "
                    f"something with --store {self.folder}, or name another folder."
                )
            create_tables(self._db, self.path)
        self._db.execute("PRAGMA synchronous = NORMAL")
        stat = self.path.stat()
        self._identity = stat.st_dev, stat.st_ino
        if not self.read_only:
            # A reader goes on where that is not possible now, such as on a full disk.
            with contextlib.nullcontext() if create else contextlib.suppress(sqlite3.Error):
                add_digests(self._db)
                create_draws(self._db)
        self._seals = "digest, contents" if has_digests(self._db) else "NULL, NULL"

    @property
    def _db(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreError(f"{self.path} is not open.")
        return self._connection

    def _transaction(self) -> AbstractContextManager[None]:
        return transaction(self._db)

    def close(self) -> None:
        """Close the file; a closed store cannot be used again."""
        if self._connection is not None:
            with self._lock:
                self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # -- what goes wrong ----------------------------------------------------------------------

    def _still_there(self) -> None:
        """Raise if the file is not at its place any more: what is written to it is lost."""
        if self._identity is None:
            return
        try:
            stat = self.path.stat()
            found = stat.st_dev, stat.st_ino
        except OSError:
            found = None
        if found != self._identity:
            raise StoreError(
                f"{self.path} was moved, deleted or replaced while it was in use, and what was "
                "written to it went with it: put it back if you have it, and start the same "
                "command again, which computes what is missing."
            )

    def _explain(self, error: OSError | sqlite3.Error) -> StoreError:
        """The error of SQLite or of the system, with what to do."""
        try:
            self._still_there()
        except StoreError as gone:
            return gone
        known = self._identity is not None
        return explained(error, self.path, StoreError if known else NoStoreError, self._repair())

    def _damaged(self, key: str, error: object) -> DamagedError:
        why = str(error).rstrip(".")
        return DamagedError(f"{self.path}: record {key!r} is damaged ({why}); {self._repair()}")

    def _repair(self) -> str:
        return (
            f"'nmfbench doctor --repair --store {self.folder}' keeps what is whole, and sets the "
            "rest aside to be computed again."
        )

    def check_writable(self) -> None:
        """Raise if the store can only be read, before anything is computed for it."""
        if self.read_only:
            raise NoStoreError(
                f"{self.path} can only be read: make the folder writable, or work on a copy."
            )

    # -- records ------------------------------------------------------------------------------

    @_explained
    def put(
        self,
        record: Mapping[str, Any],
        arrays: Mapping[str, np.ndarray] | None = None,
        *,
        replace: bool = False,
    ) -> bool:
        """Write a record and its arrays, in one transaction.

        A finished trial is not overwritten unless ``replace`` is set; a failed one is, by a later
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
        row, blobs = to_row(record), to_blobs(record["key"], arrays or {})
        with self._transaction():
            return self._put(row, blobs, replace=replace, imported=False)

    @_explained
    def put_imported(
        self,
        records: Iterable[tuple[Mapping[str, Any], Mapping[str, np.ndarray]]],
        *,
        beside: Callable[[], object] = lambda: None,
    ) -> None:
        """Write or replace records computed elsewhere and their arrays, in one transaction.

        ``beside`` is called at its end, to write what is kept in other files; where that raises,
        no record is written.
        """
        with self._transaction():
            for record, arrays in records:
                row, blobs = to_row(record), to_blobs(record["key"], arrays)
                self._put(row, blobs, replace=True, imported=True)
            beside()

    @_explained
    def put_row(self, row: Sequence[Any], blobs: Sequence[Blob], *, imported: bool) -> None:
        """Write what another store holds, once it was checked: a row of :data:`COLUMNS`, and of
        each array key, name and bytes."""
        with self._transaction():
            self._put(row, blobs, replace=True, imported=imported)

    def _put(
        self, row: Sequence[Any], blobs: Sequence[Blob], *, replace: bool, imported: bool
    ) -> bool:
        key = row[0]
        held = self._db.execute("SELECT status FROM records WHERE key = ?", (key,)).fetchone()
        if held is not None and held[0] == "done" and not replace:
            return False
        if held is not None:
            for name in ("arrays", "published", "imported"):
                self._db.execute(f"DELETE FROM {name} WHERE key = ?", (key,))
        self._db.execute(_INSERT, (*row, digest(row), seal_contents(blobs, imported)))
        table = "published" if imported else "arrays"
        self._db.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", blobs)
        if imported:
            self._db.execute("INSERT INTO imported VALUES (?)", (key,))
        return True

    @_explained
    def status(self, keys: Iterable[str]) -> dict[str, str]:
        """``"done"`` or ``"failed"`` for each of ``keys`` that has a record."""
        return {row["key"]: row["status"] for row in self._rows(keys)}

    @_explained
    def provenance(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Status, code, host, versions, cost and digest for each of ``keys`` with a record."""
        names = ("status", "code", "host", "versions", "elapsed", "seconds", "cpu_seconds")
        return {
            row["key"]: {name: row[name] for name in names}
            | {name: from_json(row[name]) for name in ("host", "versions")}
            | {"digest": digest(row.values()) if seal is None else seal}
            for row, seal in self._sealed(keys)
        }

    @_explained
    def seals(self, keys: Iterable[str] | None = None) -> dict[str, tuple[str | None, str | None]]:
        """Digests of the records of ``keys``, by default of all, and of their arrays, as they stand
        there."""
        query = f"SELECT key, {self._seals} FROM records"
        rows = (
            self._db.execute(query)
            if keys is None
            else self._select(f"{query} WHERE key IN ({{}})", keys)
        )
        return {key: (seal, contents) for key, seal, contents in rows}

    @_explained
    def imported(self, keys: Iterable[str]) -> set[str]:
        """Subset of ``keys`` whose records were not computed here: no trial starts from them."""
        query = (
            f"SELECT records.key, imported.key, {self._seals} FROM records "
            "LEFT JOIN imported ON imported.key = records.key WHERE records.key IN ({})"
        )
        found = set()
        for key, mark, *seals in self._select(query, keys):
            held = self._held(key, *seals)
            if held is not None and held["imported"] != (mark is not None):
                raise self._damaged(key, "whether it was imported is not what was written")
            if mark is not None:
                found.add(key)
        return found

    @_explained
    def records(self, keys: Iterable[str] | None = None) -> list[Record]:
        """Records as :meth:`put` takes them, in the order of ``keys``; by default all."""
        if keys is None:
            return [from_row(row.values()) for row in self._rows()]
        keys = list(keys)
        rows = {row["key"]: row for row in self._rows(keys)}
        return [from_row(rows[key].values()) for key in keys if key in rows]

    def _rows(self, keys: Iterable[str] | None = None) -> Iterator[dict[str, Any]]:
        """Rows of records by column, each checked; by default all, in the order of their keys."""
        return (row for row, _ in self._sealed(keys))

    def _sealed(
        self, keys: Iterable[str] | None = None
    ) -> Iterator[tuple[dict[str, Any], str | None]]:
        """The same with the digests that they have."""
        query = f"SELECT {', '.join(COLUMNS)}, {self._seals} FROM records"
        if keys is None:
            rows: Iterable[Any] = self._db.execute(f"{query} ORDER BY key")
        else:
            rows = self._select(f"{query} WHERE key IN ({{}})", keys)
        for *row, seal, _ in rows:
            content = hash((seal, *row))  # much sooner than a digest
            if content not in self._verified:
                try:
                    verify(row, seal)
                except RecordError as error:
                    raise self._damaged(row[0], error) from error
                self._verified.add(content)
            yield dict(zip(COLUMNS, row, strict=True)), seal

    def table(self, keys: Iterable[str] | None = None) -> pd.DataFrame:
        """Records as a tidy table: one row per trial, one column per metric.

        Parameters
        ----------
        keys : iterable of str, optional
            By default all; rows come in the order of the keys.
        """
        records = [{**r, "host": public_host(r["host"])} for r in self.records(keys)]
        metrics = pd.DataFrame([record.pop("metrics") for record in records])
        names = [name for name in COLUMNS if name != "metrics"]
        return pd.concat([pd.DataFrame(records, columns=names), metrics], axis=1)

    @_explained
    def timed(self) -> list[Record]:
        """Records whose seconds are the result, in the order of their keys."""
        keys = self._db.execute("SELECT key FROM records WHERE timed ORDER BY key")
        return self.records(key for (key,) in keys.fetchall())

    @_explained
    def solvers(self) -> list[tuple[str, dict[str, Any]]]:
        """Solvers of the records with their parameters, each once, sorted."""
        rows = self._db.execute("SELECT DISTINCT solver, params FROM records ORDER BY 1, 2")
        return [(solver, json.loads(params)) for solver, params in rows]

    # -- arrays -------------------------------------------------------------------------------

    @_explained
    def arrays(self, key: str) -> dict[str, np.ndarray]:
        """The arrays of one trial that were computed here, by name; not published ones."""
        rows = self._db.execute("SELECT name, npy FROM arrays WHERE key = ? ORDER BY name", (key,))
        blobs, held = dict(rows), self._contents(key)
        if held is not None and not held["imported"] and blobs.keys() != held["arrays"].keys():
            raise self._damaged(key, "it does not have the arrays that were written")
        return {name: self._array(key, name, blob, held) for name, blob in blobs.items()}

    @_explained
    def array_names(self, key: str) -> list[str]:
        """Names of the arrays of one trial, computed here or published, sorted."""
        rows = self._db.execute(
            "SELECT name FROM arrays WHERE key = ?1 UNION "
            "SELECT name FROM published WHERE key = ?1 ORDER BY name",
            (key,),
        )
        names, held = [name for (name,) in rows], self._contents(key)
        if held is not None and names != sorted(held["arrays"]):
            raise self._damaged(key, "it does not have the arrays that were written")
        return names

    @_explained
    def names_of_arrays(self, keys: Iterable[str]) -> dict[str, set[str]]:
        """Names of the arrays of some trials, for each trial that has any; not checked."""
        keys = list(keys)
        found: dict[str, set[str]] = {}
        for table in ("arrays", "published"):
            query = f"SELECT key, name FROM {table} WHERE key IN ({{}})"
            for key, name in self._select(query, keys):
                found.setdefault(key, set()).add(name)
        return found

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
                    "the arrays that its own report shows; 'nmfbench run' of an artefact computes "
                    "again what lacks others that it reads."
                )
            raise KeyError(f"trial {key} has no array {name!r}; it has {known}.")
        return self._array(key, name, row[0], self._contents(key))

    def _array(self, key: str, name: str, blob: bytes, held: dict[str, Any] | None) -> np.ndarray:
        try:
            # One that should not be there has no digest: the empty one fits nothing.
            return unpack_array(blob, None if held is None else held["arrays"].get(name, ""))
        except RecordError as error:
            raise self._damaged(key, f"array {name!r}: {error}") from error

    def _contents(self, key: str) -> dict[str, Any] | None:
        """Digests of a record's arrays, and whether it was imported."""
        query = f"SELECT key, {self._seals} FROM records WHERE key = ?"
        row = self._db.execute(query, (key,)).fetchone()
        return None if row is None else self._held(*row)

    def _held(self, key: str, seal: str | None, contents: str | None) -> dict[str, Any] | None:
        try:
            return read_contents(seal, contents)
        except RecordError as error:
            raise self._damaged(key, error) from error

    # -- audits -------------------------------------------------------------------------------

    @_explained
    def put_audits(self, audits: Iterable[Mapping[str, Any]]) -> None:
        """Keep audits; each has every name of :data:`AUDIT`, ``host`` as a dictionary."""
        self._put_rows("audits", AUDIT, audits)

    @_explained
    def audits(self) -> list[dict[str, Any]]:
        """All audits, in the order in which they were made."""
        return self._sealed_rows("audits", AUDIT, self._seals.partition(",")[0])

    @_explained
    def put_draws(self, draws: Iterable[Mapping[str, Any]]) -> None:
        """Keep the records that samples were drawn from; each has every name of :data:`DRAW`.

        One takes the place of an earlier one of the same draw, group and sources.
        """
        self._put_rows("draws", DRAW, draws)

    @_explained
    def draws(self) -> list[dict[str, Any]]:
        """The records that samples were drawn from, in the order in which they were kept."""
        for problem in schema_damage(self._db).values():
            raise DamagedError(f"{self.path}: {problem}; {self._repair()}")
        return (
            self._sealed_rows("draws", DRAW, "digest")
            if has_column(self._db, "draws", "digest")
            else []
        )

    def _put_rows(
        self, table: str, columns: Collection[str], values: Iterable[Mapping[str, Any]]
    ) -> None:
        rows = [
            [canonical(v) if isinstance(v, Mapping) else v for v in map(row.__getitem__, columns)]
            for row in values
        ]
        with self._transaction():
            marks = ", ".join("?" * (len(columns) + 1))
            self._db.executemany(
                f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}, digest) VALUES ({marks})",
                [(*row, digest(row)) for row in rows],
            )

    def _sealed_rows(self, table: str, columns: Collection[str], seal: str) -> list[dict[str, Any]]:
        rows = self._db.execute(f"SELECT {', '.join(columns)}, {seal} FROM {table} ORDER BY rowid")
        found = []
        for *row, held in rows:
            try:
                found.append(verify_audit(columns, row, held))
            except RecordError as error:
                raise DamagedError(
                    f"{self.path}: an audit is damaged ({error}); {self._repair()}"
                ) from error
        return found

    def _select(self, query: str, keys: Iterable[str]) -> list[Any]:
        keys = list(keys)
        rows: list[Any] = []
        for start in range(0, len(keys), _CHUNK):
            chunk = keys[start : start + _CHUNK]
            rows += self._db.execute(query.format(", ".join("?" * len(chunk))), chunk).fetchall()
        return rows


_INSERT = (
    f"INSERT OR REPLACE INTO records ({', '.join(COLUMNS)}, digest, contents) "
    f"VALUES ({', '.join('?' * (len(COLUMNS) + 2))})"
)
