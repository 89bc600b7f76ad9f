"""Damage of a store: found, and set aside so that the rest can be used.

Tables are read row by row and without their indices, so that a damaged page of the file hides no
more than what is on it.
"""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from nmfbench.records.errors import DamagedError, StoreError
from nmfbench.records.record import COLUMNS, RecordError
from nmfbench.records.schema import AUDIT, DRAW, FILE_NAME, connect, has_column, schema_damage
from nmfbench.records.sealed import read_contents, unpack_array, verify, verify_audit
from nmfbench.records.store import Store

__all__ = ["Damage", "Survey", "repair", "survey"]

_AUDITS = {"audits": AUDIT, "draws": DRAW}
_NEEDED = ("records", "arrays", "published", "imported")  # without which no record is whole
_DESCRIBING = ("task", "dataset", "solver", "repeat")


@dataclass(frozen=True)
class Damage:
    """A record that is not what was written.

    Attributes
    ----------
    key : str
    what : str
        What is wrong with it.
    trial : dict
        Some of its columns, which may be damaged themselves: for people only.
    """

    key: str
    what: str
    trial: dict


@dataclass
class Survey:
    """State of a store.

    Attributes
    ----------
    records, failed, imported : int
        Number of whole records; how many of them are failures; how many were computed elsewhere.
    bare : int
        Whole records without a digest, so that not every damage of them is noticed.
    damaged : list of Damage
    audits : int
        Damaged audits, and lists of what they drew from.
    file : list of str
        What is wrong with the file besides.
    aside : Path or None
        Where :func:`repair` put the file as it was.
    """

    records: int = 0
    failed: int = 0
    imported: int = 0
    bare: int = 0
    damaged: list[Damage] = field(default_factory=list)
    audits: int = 0
    file: list[str] = field(default_factory=list)
    aside: Path | None = None

    @property
    def is_whole(self) -> bool:
        return not (self.damaged or self.audits or self.file)


def survey(folder) -> Survey:
    """Check all records, arrays and audits of a store; nothing is written.

    Parameters
    ----------
    folder : path-like

    Raises
    ------
    StoreError
        If there is no store, or nothing of it can be read.
    """
    found = Survey()
    with _opened(folder) as db:
        found.file = _file_damage(db)
        for _ in _records(db, found):
            pass
        for table, columns in _AUDITS.items():
            for _ in _audits(db, found, table, columns):
                pass
    return found


def repair(folder) -> Survey:
    """Replace a damaged store by one of all that is whole, and keep the file as it was beside it.

    A whole store stays as it is.

    Parameters
    ----------
    folder : path-like

    Raises
    ------
    StoreError
        If there is no store, nothing of it can be read, or another process has it open.
    """
    found = survey(folder)
    if found.is_whole:
        return found
    path = Path(folder) / FILE_NAME
    aside = _free_name(path)
    again = Survey(file=found.file, aside=aside)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".part-") as part:
        with _opened(folder, alone=True) as db, Store(part) as new:
            for row, blobs, imported in _records(db, again):
                new.put_row(row, blobs, imported=imported)
            new.put_audits(_audits(db, again, "audits", AUDIT))
            new.put_draws(_audits(db, again, "draws", DRAW))
            aside.hardlink_to(path)
        (Path(part) / FILE_NAME).replace(path)  # whoever opened it meanwhile gets an error
    return again


def _free_name(path) -> Path:
    number = 1
    while (place := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return place


@contextlib.contextmanager
def _opened(folder, *, alone=False) -> Iterator[sqlite3.Connection]:
    """The database of a store, of which any row may be damaged."""
    path = Path(folder) / FILE_NAME
    Store(folder, create=False, as_it_is=True).close()  # which says what is wrong with all of it
    with contextlib.closing(connect(path, read_only=not alone)) as db:
        db.text_factory = lambda data: data.decode(errors="replace")
        if alone:
            try:
                db.execute("PRAGMA busy_timeout = 0")
                db.execute("PRAGMA locking_mode = EXCLUSIVE")
                db.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                raise StoreError(
                    f"{path} cannot be repaired: {error}; end all other processes that have it "
                    "open."
                ) from error
        try:
            if wrong := [w for table, w in schema_damage(db).items() if table in _NEEDED]:
                raise sqlite3.DatabaseError(wrong[0])
            yield db
        except sqlite3.Error as error:
            raise DamagedError(
                f"{path}: {error}; nothing of it can be read: move it away, and compute or import "
                "its records again."
            ) from error


def _file_damage(db) -> list[str]:
    try:
        lines = [line for (line,) in db.execute("PRAGMA integrity_check(5)")]
    except sqlite3.DatabaseError as error:
        return [str(error)]
    return [*schema_damage(db).values(), *(line for line in lines if line != "ok")]


def _records(db, found) -> Iterator[tuple[list, list, bool]]:
    """Whole records as :meth:`Store.put_row` takes them; ``found`` gets all the others."""
    seals = ["digest", "contents"] if has_column(db, "records", "contents") else ["NULL", "NULL"]
    marks = {key for _, key in _scan(db, "imported", ["key"])}
    places = {table: _places(db, table) for table in ("arrays", "published")}
    for _, *row, seal, contents in _scan(db, "records", [*COLUMNS, *seals]):
        key = row[0]
        imported = key in marks
        table = "published" if imported else "arrays"
        try:
            verify(row, seal)
            blobs = _whole_arrays(db, table, places[table].get(key, {}), seal, contents, imported)
        except RecordError as error:
            named = dict(zip(COLUMNS, row, strict=True))
            trial = {name: named[name] for name in _DESCRIBING}
            found.damaged.append(Damage(str(key), str(error).rstrip("."), trial))
            continue
        found.records += 1
        found.failed += row[list(COLUMNS).index("status")] == "failed"
        found.imported += imported
        found.bare += seal is None
        yield row, [(key, *blob) for blob in blobs], imported


def _whole_arrays(db, table, places, seal, contents, imported) -> list[tuple[str, bytes]]:
    held = read_contents(seal, contents)
    if held is not None and held["imported"] != imported:
        raise RecordError("whether it was imported is not what was written")
    if held is not None and held["arrays"].keys() != places.keys():
        raise RecordError("it does not have the arrays that were written")
    blobs = []
    for name, place in places.items():
        try:
            (blob,) = db.execute(f"SELECT npy FROM {table} WHERE rowid = ?", (place,)).fetchone()
            unpack_array(blob, None if held is None else held["arrays"][name])
        except (sqlite3.DatabaseError, RecordError) as error:
            raise RecordError(f"array {name!r}: {error}") from error
        blobs.append((name, blob))
    return blobs


def _places(db, table) -> dict[str, dict[str, int]]:
    """Row numbers of arrays, by key and name."""
    found: dict[str, dict[str, int]] = {}
    for rowid, key, name in _scan(db, table, ["key", "name"]):
        found.setdefault(key, {})[name] = rowid
    return found


def _audits(db, found, table, columns) -> Iterator[dict]:
    """Whole audits as :meth:`Store.put_audits` takes them, or draws as :meth:`Store.put_draws`."""
    seal = "digest" if has_column(db, table, "digest") else "NULL"
    for _, *row, digest in _scan(db, table, [*columns, seal]):
        try:
            audit = verify_audit(columns, row, digest)
        except RecordError:
            found.audits += 1
            continue
        yield audit


def _scan(db, table, columns) -> Iterator[tuple]:
    """Rows with their numbers: from the front and from the back up to what cannot be read, and one
    by one between."""
    query, seen = f"SELECT rowid, {', '.join(columns)} FROM {table} NOT INDEXED", set()
    for order in ("ASC", "DESC"):
        try:
            for row in db.execute(f"{query} ORDER BY rowid {order}"):
                if row[0] in seen:
                    break
                seen.add(row[0])
                yield row
            else:
                return
        except sqlite3.DatabaseError:
            continue
    for number in range(1, max(seen, default=0)):
        if number not in seen:
            with contextlib.suppress(sqlite3.DatabaseError):
                yield from db.execute(f"{query} WHERE rowid = ?", (number,))
