"""A record as a flat row: its columns, what each may hold, and its digest.

The digest is of the values that a database or a file holds, so that whoever reads a row finds out
whether it is what was written. It guards against damage and slips, not against forgers: whoever
edits a row can compute another digest. That is what audits are for.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Literal, TypedDict, cast

from nmfbench.trials.trial import canonical

__all__ = [
    "COLUMNS",
    "FLAGS",
    "JSON",
    "RESERVED",
    "Checked",
    "Record",
    "RecordError",
    "check_origin",
    "digest",
    "from_row",
    "to_row",
    "value_of",
]

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
"""Columns of a record and their SQL types. Columns in ``JSON`` hold JSON. ``declared`` is all that
the key holds besides the fields of the trial (:attr:`Trial.declared`), ``code`` the fingerprint of
the source; ``first_objectives`` the objective after up to ten iterations of a fit, or null;
``elapsed`` the seconds of the whole trial, with data and scores; ``peak_memory`` is in bytes above
what the process used before the trial, without pages of files; ``finished`` is UTC."""

JSON = (
    *("dataset_params", "params", "options", "declared", "metrics"),
    *("first_objectives", "host", "versions"),
)

FLAGS = ("stand_in", "timed")

_OPTIONAL = (
    "first_objectives",
    *(n for n, kind in COLUMNS.items() if "NOT NULL" not in kind and n != "key"),
)
"""Columns that may be None."""


class Record(TypedDict):
    """A record as the package handles it: JSON columns as what they hold, flags as booleans."""

    key: str
    task: str
    dataset: str
    dataset_params: dict[str, Any]
    stand_in: bool
    corruption: str | None
    level: float | None
    solver: str
    params: dict[str, Any]
    options: dict[str, Any]
    repeat: int
    start: int
    timed: bool
    declared: dict[str, Any]
    code: str
    status: Literal["done", "failed"]
    error: str | None
    metrics: dict[str, float]
    seconds: float | None
    cpu_seconds: float | None
    n_iter: int | None
    objective: float | None
    stop_reason: str | None
    first_objectives: list[float | None] | None
    elapsed: float | None
    peak_memory: int | None
    host: dict[str, str | int]
    versions: dict[str, str]
    finished: str


RESERVED = frozenset(COLUMNS) | {"arrays", "artefact", "digest", "method"}
"""Names that no metric can have: a table of records has columns of these names."""

_YEARS = range(2000, 2200)  # of a time that tables can hold
_TIMES = ("seconds", "cpu_seconds", "elapsed")
_LONGEST = 1e9  # seconds, of these: dates are computed with them
_FLAT = {"host": (str, int), "versions": (str,)}
"""Types of the entries in those JSON columns that tables of all records show."""

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_KINDS = {str: "text", int: "a whole number"}
_TEXT = json.JSONEncoder(separators=(",", ":")).encode
_PLACES = {name: place for place, name in enumerate(COLUMNS)}
_LARGEST = 2**63  # what an INTEGER of SQLite is below


class RecordError(ValueError):
    """A record that does not fit."""


class Checked(dict[str, Any]):
    """A record with its :func:`to_row`, which takes long; neither is changed in place."""

    def __init__(self, record: Mapping[str, Any], row: list[Any]):
        super().__init__(record)
        self.row = row


def to_row(record: Mapping[str, Any], known: Mapping[str, Any] = _NOTHING) -> list[Any]:
    """A record as values for a database, in the order of :data:`COLUMNS`.

    Parameters
    ----------
    record : mapping
    known : mapping, optional
        By column, what :func:`value_of` gave.

    Raises
    ------
    RecordError
        If a column is missing or unknown, or holds what it cannot hold; with its name.
    """
    if isinstance(record, Checked):
        return record.row
    if lacking := COLUMNS.keys() - record.keys():
        raise RecordError(f"a record lacks {', '.join(sorted(lacking))}.")
    if surplus := record.keys() - COLUMNS.keys():
        raise RecordError(f"a record has unknown columns: {', '.join(sorted(surplus))}.")
    row = [known[name] if name in known else value_of(name, record[name]) for name in COLUMNS]
    if taken := RESERVED.intersection(record["metrics"]):
        raise RecordError(f"metrics cannot be called {', '.join(sorted(taken))}.")
    if record["status"] not in ("done", "failed"):
        raise RecordError(f"status is {record['status']!r}, neither 'done' nor 'failed'.")
    if record["status"] == "done" and record["error"] is not None:
        raise RecordError("a record of a finished trial has an error.")
    return row


def from_row(row: Iterable[Any]) -> Record:
    """The record that :func:`to_row` gave; a row of another origin has to be checked once more."""
    record = dict(zip(COLUMNS, row, strict=True))
    record |= {name: json.loads(record[name]) for name in JSON}
    return cast(Record, record | {name: bool(record[name]) for name in FLAGS})


def check_origin(row: Sequence[Any]) -> None:
    """Raise a RecordError if a row says when, where and how long it was computed as no record does.

    Rows with a digest need it, too: an earlier nmfbench took them from files of others.
    """
    for name in _FLAT:
        _check_text(name, row[_PLACES[name]])
    for name in _TIMES:
        if row[_PLACES[name]] is not None:
            value_of(name, row[_PLACES[name]])
    _text("finished", row[_PLACES["finished"]])


@functools.lru_cache(1024)  # many records have the same
def _check_text(name: str, text: str) -> None:
    _json(name, json.loads(text))


def digest(values: Iterable[Any]) -> str:
    """Digest of a row of a database: 16 hexadecimal digits of SHA-256.

    Raises
    ------
    TypeError
        If a value is of a type that no row holds.
    """
    # A database gives -0.0 back as 0.0.
    plain = [value + 0.0 if type(value) is float else value for value in values]
    return hashlib.sha256(_TEXT(plain).encode()).hexdigest()[:16]


def value_of(name: str, value: Any) -> Any:
    """The value of a column as SQL takes it."""
    if value is None and name in _OPTIONAL:
        return "null" if name in JSON else None
    if value is None:
        raise RecordError(f"{name} is empty.")
    if name in JSON:
        return _json(name, value)
    if name in FLAGS:
        if not isinstance(value, bool):
            raise RecordError(f"{name} is {value!r}, neither True nor False.")
        return int(value)
    kind = COLUMNS[name].partition(" ")[0]
    if kind == "TEXT":
        return _text(name, value)
    if kind == "INTEGER":
        if not isinstance(value, int) or isinstance(value, bool):
            raise RecordError(f"{name} is {value!r}, not a whole number.")
        if not 0 <= value < _LARGEST:
            raise RecordError(f"{name} is {value}, not between 0 and 2^63.")
        return value
    number = _number(name, value)
    if name in _TIMES and not 0 <= number <= _LONGEST:
        raise RecordError(f"{name} is {value!r}, not from 0 to {_LONGEST:g} seconds.")
    return number


def _number(name: str, value: Any) -> float:
    if not isinstance(value, int | float) or not _is_finite(value):
        raise RecordError(f"{name} is {value!r}, not a finite number.")
    return float(value)


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float holds
        return False


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise RecordError(f"{name} is {value!r}, not text.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise RecordError(f"{name} is {value!r}, which is no Unicode text.") from None
    if name == "finished" and not _is_utc(value):
        raise RecordError(
            f"finished is {value!r}, not a time such as 2024-01-31T12:00:00+00:00, from "
            f"{_YEARS[0]} to {_YEARS[-1]}."
        )
    return value


def _is_utc(text: str) -> bool:
    try:
        time = datetime.fromisoformat(text)
        return text.isascii() and time.utcoffset() == timedelta(0) and time.year in _YEARS
    except ValueError:
        return False


def _json(name: str, value: Any) -> str:
    if name == "first_objectives":
        if not isinstance(value, list):
            raise RecordError(f"{name} is {value!r}, not a JSON list.")
        for item in value:
            if item is not None:
                _number(name, item)
    elif not isinstance(value, dict):
        raise RecordError(f"{name} is {value!r}, not a JSON object.")
    for entry, item in value.items() if name in _FLAT else ():
        if type(item) not in _FLAT[name]:
            kinds = " or ".join(_KINDS[kind] for kind in _FLAT[name])
            raise RecordError(f"{name} has {entry} = {item!r:.100}, which is not {kinds}.")
    if name == "metrics":
        for metric, number in value.items():
            if not metric:
                raise RecordError("a metric has no name.")
            _number(metric, number)
    try:
        return canonical(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(f"{name} is not JSON: {error}.") from None
