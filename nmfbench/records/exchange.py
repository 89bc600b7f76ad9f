"""Export of records from a store to files, one row per trial, and import into another store.

Columns are in the order of :data:`FIRST`, then one for each metric, then :data:`LAST`. Columns of
:data:`~nmfbench.records.record.JSON` hold canonical JSON text. A metric that a trial does not have
is an empty cell. A parquet file may have a column ``arrays`` besides: curves and factors that
pictures and claims read. Nothing is pickled. An external class is named without its place, as
:mod:`nmfbench.records.saved` says.

Each row has the :func:`~nmfbench.records.record.digest` of its record, so that a changed cell is
noticed; pages of a parquet file have a checksum, which guards its arrays, too. A file without that
column is read on request only. All rows are checked before the first is handed out.
"""

from __future__ import annotations

import contextlib
import csv
import functools
import itertools
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd

from nmfbench.core.files import atomic_write
from nmfbench.core.guard import default_memory_limit, limited_memory
from nmfbench.core.registry import UnknownNameError
from nmfbench.records.arrays import pack, unpack
from nmfbench.records.record import (
    COLUMNS,
    FLAGS,
    JSON,
    RESERVED,
    Checked,
    digest,
    to_row,
    value_of,
)
from nmfbench.records.saved import as_saved
from nmfbench.trials.trial import Trial, canonical, key_of

__all__ = [
    "ExchangeError",
    "current_trial",
    "export_records",
    "read_export",
    "read_exports",
    "trial_of",
]

FIRST = (
    *("key", "artefact", "task", "dataset", "corruption", "level"),
    *("solver", "params", "repeat", "status"),
)
LAST = (
    *("seconds", "cpu_seconds", "n_iter", "peak_memory", "host", "versions"),
    *("dataset_params", "options", "stand_in", "start", "timed", "declared", "code"),
    *("error", "objective", "stop_reason", "first_objectives", "elapsed", "finished"),
    "digest",
)
_CELLS = tuple(name for name in JSON if name != "metrics")  # of JSON text
_NUMBERS = ("level", "seconds", "cpu_seconds", "objective", "elapsed")
_WHOLE = ("repeat", "start", "n_iter", "peak_memory")
_FIELDS = tuple(field.name for field in fields(Trial))
_SIZE_LIMIT = 2**31 - 1  # of one CSV field
_ROW_LIMIT, _BYTE_LIMIT = 10**6, 2**32  # of one file, once it is unpacked
_MEMORY = 2 * _BYTE_LIMIT  # to read one file
_AT_ONCE = 50_000  # rows of a file to write: a table of many has a column for each metric of any


class ExchangeError(ValueError):
    """A file that is no export, or cannot be read or written."""


# -- out --------------------------------------------------------------------------------------


def export_records(
    records: Iterable[Mapping],
    path,
    *,
    format: str,
    artefacts: Mapping[str, Sequence[str]],
    arrays: Callable[[str], Mapping[str, np.ndarray]] | None = None,
) -> int:
    """Write records to a file, in one step: it is there whole, or not at all.

    Parameters
    ----------
    records : iterable of dict
        As :meth:`Store.records` gives them.
    path : path-like
        Written over if it exists.
    format : {"parquet", "csv"}
    artefacts : mapping
        For each key, the artefacts that the trial belongs to.
    arrays : callable, optional
        From a key to the arrays to write beside its record; parquet only.

    Returns
    -------
    int
        Number of rows.
    """
    records = [as_saved(record) for record in records]
    names = {name for record in records for name in record["metrics"]}
    metrics = sorted(names - {*FIRST, *LAST}, key=_natural)
    most = max(1, len(records))
    step = _AT_ONCE if arrays is None else most  # the type of arrays is taken from all of them
    tables = (
        _table(records[start : start + step], artefacts, metrics, arrays)
        for start in range(0, most, step)
    )
    try:
        with atomic_write(path) as part:
            if format == "parquet":
                _to_parquet(tables, part, lean=arrays is not None)
            else:
                for number, table in enumerate(tables):
                    table.to_csv(
                        part, index=False, lineterminator="\n", mode="a", header=not number
                    )
    except OSError as error:
        raise ExchangeError(f"cannot write {path}: {error.strerror or error}.") from error
    return len(records)


def _to_parquet(tables, part, *, lean):
    """``lean``: without what readers know themselves, of which a file has as much as of records."""
    from pyarrow import Table, parquet

    options = {"compression": "zstd", "write_page_checksum": True}
    if lean:
        options |= {"compression_level": 12, "store_schema": False, "write_statistics": False}
    pieces = (Table.from_pandas(table, preserve_index=False) for table in tables)
    if lean:
        pieces = (piece.replace_schema_metadata() for piece in pieces)
    first = next(pieces)
    with parquet.ParquetWriter(part, first.schema, **options) as writer:
        for piece in itertools.chain([first], pieces):
            writer.write_table(piece)


def _table(records, artefacts, metrics, arrays) -> pd.DataFrame:
    rows = []
    for record in records:
        row = {name: value for name, value in record.items() if name != "metrics"}
        row["digest"] = digest(to_row(record))
        row |= {name: canonical(row[name]) for name in _CELLS if row[name] is not None}
        row["artefact"] = ";".join(artefacts.get(record["key"], ())) or None
        rows.append(row | record["metrics"])
    table = pd.DataFrame(rows, columns=[*FIRST, *metrics, *LAST])
    kinds = dict.fromkeys(table, "string[pyarrow]")
    kinds |= dict.fromkeys((*_NUMBERS, *metrics), "float64")
    kinds |= dict.fromkeys(_WHOLE, "Int64") | dict.fromkeys(FLAGS, "bool")
    table = table.astype(kinds).copy()  # in one piece, to which columns may be added
    if arrays is not None:
        table["arrays"] = [
            [{"name": name} | pack(array) for name, array in sorted(arrays(key).items())]
            for key in table["key"]
        ]
    return table


def _natural(name):
    """Sort ``accuracy@20`` before ``accuracy@100``, and ``tpr@0.01`` always before ``tpr@0.1``."""
    parts = [(part.isdigit(), int(part) if part.isdigit() else part) for part in _SPLIT(name)]
    return parts, name


_SPLIT: Callable = re.compile(r"(\d+)").split


# -- in ---------------------------------------------------------------------------------------


def read_exports(
    paths: Sequence, *, bare: Callable[[Path], bool] = lambda path: False
) -> list[tuple[dict, dict[str, np.ndarray]]]:
    """Records and arrays of exported files; a folder stands for all parquet files in it.

    Parameters
    ----------
    paths : sequence of path-like
    bare : callable, optional
        Called with a file whose records have no digests: whether to read it.

    Raises
    ------
    ExchangeError
        If a file is no export, naming the first row and column that does not fit, or a folder has
        none.
    """
    files = []
    for path in map(Path, paths):
        below = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
        if not below:
            raise ExchangeError(f"there is no parquet file in the folder {path}.")
        files += below
    return [pair for file in files for pair in read_export(file, bare=bare)]


def read_export(
    path, *, bare: Callable[[Path], bool] = lambda path: False
) -> list[tuple[dict, dict[str, np.ndarray]]]:
    """Records of one exported file, each checked, and their arrays.

    Parameters
    ----------
    path : path-like
    bare : callable, optional
        As of :func:`read_exports`.

    Returns
    -------
    list of (dict, dict)
        As :meth:`Store.put` takes them. Records share values of their JSON columns, which are not
        to be changed in place.
    """
    columns, rows = _read(Path(path))
    lacking = [name for name in (*FIRST, *LAST) if name not in (*columns, "digest")]
    if lacking:
        more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
        what = f"{', '.join(lacking[:3])}{more}"
        raise ExchangeError(f"{path} is not an export of nmfbench: columns are missing: {what}.")
    if "digest" not in columns and not bare(Path(path)):
        raise ExchangeError(
            f"{path}: its records have no digests, so that damage would go unnoticed. Export them "
            "again with this nmfbench, or read them as they are with import --without-digests."
        )
    if len(set(columns)) < len(columns):
        raise ExchangeError(f"{path} is not an export of nmfbench: a column is there twice.")
    metrics = [name for name in columns if name not in (*FIRST, *LAST, "arrays")]
    if taken := RESERVED.intersection(metrics):
        raise ExchangeError(f"{path} is not an export: no metric can be called {min(taken)}.")
    records = []
    for number, cells in enumerate(rows, start=1):
        with _row(path, number):
            row = dict(zip(columns, cells, strict=True))
            record = _record(row, metrics)
            seal = digest(record.row)
            if record["key"] != key_of(trial_of(record), record["declared"]):
                raise ValueError(
                    f"key {record['key']!r} does not belong to the other columns; was the file "
                    "edited"
                )
            if row.get("digest", seal) != seal:
                raise ValueError(
                    "the digest does not belong to the other columns: one was edited since the "
                    "export, or rounded by another program"
                )
            saved = as_saved(record)
            records.append((record if saved == record else saved, _arrays(row.get("arrays"))))
    return records


def _arrays(cell):
    """Arrays of a row; a file without any has no such column."""
    found = {}
    for packed in cell or ():
        if set(packed) != {"name", "dtype", "shape", "data"}:
            raise ValueError("arrays are not as nmfbench writes them")
        if not (isinstance(packed["name"], str) and packed["name"]):
            raise ValueError(f"an array is called {packed['name']!r}, which is no name")
        found[packed["name"]] = unpack(packed["dtype"], packed["shape"], packed["data"])
    return found


@contextlib.contextmanager
def _row(path, number):
    """An error says in which row it is."""
    try:
        yield
    except (ValueError, TypeError, OverflowError, RecursionError, UnknownNameError) as error:
        raise ExchangeError(f"{path}, row {number}: {str(error).rstrip('.')}.") from error


def _read(path):
    """Column names and rows; cells are values (parquet) or text (CSV), None where empty."""
    if path.exists() and not path.is_file():
        raise ExchangeError(f"{path} is not a regular file: copy what it gives to one.")
    try:
        with path.open("rb") as file:
            magic = file.read(4)
        with limited_memory(min(_MEMORY, default_memory_limit())):
            return _from_parquet(path) if magic == b"PAR1" else _from_csv(path)
    except FileNotFoundError:
        raise ExchangeError(f"there is no file {path}.") from None
    except (UnicodeDecodeError, csv.Error):
        raise ExchangeError(
            f"{path} is not an export of nmfbench: neither parquet nor readable CSV."
        ) from None
    except MemoryError:
        raise ExchangeError(
            f"{path} takes more memory to read than there is: export fewer artefacts to a file."
        ) from None
    except ExchangeError:
        raise
    except (OSError, ValueError, TypeError, OverflowError) as error:
        # A day may be too far off for Python.
        raise ExchangeError(f"{path} cannot be read: {str(error).rstrip('.')}.") from error


def _from_parquet(path):
    from pyarrow import ArrowException, parquet

    try:
        metadata = parquet.read_metadata(path)
        groups = (metadata.row_group(i) for i in range(metadata.num_row_groups))
        _check_size(path, metadata.num_rows, sum(group.total_byte_size for group in groups))
        table = parquet.read_table(path, page_checksum_verification=True)
    except MemoryError:  # an ArrowException, too
        raise
    except ArrowException as error:  # of many kinds
        raise ValueError(str(error)) from error
    columns = [column.to_pylist() for column in table.columns]
    return table.column_names, list(zip(*columns, strict=True))


def _from_csv(path):
    size = path.stat().st_size
    _check_size(path, 0, size)
    csv.field_size_limit(_SIZE_LIMIT)
    rows: list = []
    with path.open(newline="", encoding="utf-8-sig") as file:
        for row in csv.reader(file, strict=True):
            if row:
                rows.append([cell or None for cell in row])
                _check_size(path, len(rows) - 1, size)
    if not rows:
        raise ExchangeError(f"{path} is not an export of nmfbench: it is empty.")
    return rows[0], rows[1:]


def _check_size(path, rows, size):
    """Refuse a file before it fills the memory: a repeated value is packed to almost nothing."""
    if rows > _ROW_LIMIT or size > _BYTE_LIMIT:
        raise ExchangeError(
            f"{path} has {rows} rows or more in {size} bytes, more than the {_ROW_LIMIT} rows or "
            f"{_BYTE_LIMIT} bytes that a file may have: export fewer artefacts to a file."
        )


def _record(cells, metrics):
    """The record of a row, checked."""
    record, known = {}, {}
    for name in COLUMNS:
        if name in _CELLS and name != "first_objectives" and cells[name] is not None:
            record[name], known[name] = _shared(name, cells[name])
        elif name != "metrics":
            record[name] = None if cells[name] is None else _value(name, cells[name])
    record["metrics"] = {
        name: _number(name, cells[name]) for name in metrics if cells[name] is not None
    }
    return Checked(record, to_row(record, known))


@functools.lru_cache(8192)
def _shared(name, text):
    """What a JSON column holds, and its value in a database: many records have the same."""
    value = _parsed(name, text)
    return value, value_of(name, value)


def _value(name, value):
    if name in JSON:
        return _parsed(name, value)
    if name in _NUMBERS:
        return _number(name, value)
    if name in _WHOLE:
        return _whole(name, value)
    if name in FLAGS:
        if str(value) not in ("True", "False"):
            raise ValueError(f"{name} is {value!r}, neither True nor False")
        return str(value) == "True"
    return value


def _number(name, value):
    try:
        return float(_plain(value))
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {value!r}, not a number") from None


def _whole(name, value):
    with contextlib.suppress(ValueError):
        if not isinstance(value, float):
            return int(_plain(value))  # no detour through floats, which would round
    number = _number(name, value)  # "4.0", as other programs write a column with empty cells
    if not number.is_integer():
        raise ValueError(f"{name} is {value!r}, not a whole number")
    return int(number)


def _plain(value):
    """A number, or its text, if that is of the characters that programs write numbers in."""
    if isinstance(value, str) and not _DIGITS(value):
        raise ValueError
    return value


_DIGITS: Callable = re.compile(r"[-+.0-9a-zA-Z]+", re.ASCII).fullmatch


def _parsed(name, value):
    try:
        return json.loads(value, parse_constant=_no_constant)
    except (TypeError, ValueError):
        kind = "list" if name == "first_objectives" else "object"
        raise ValueError(f"{name} is {value!r}, not a JSON {kind}") from None


def _no_constant(word):
    raise ValueError(f"{word} is not JSON")


def trial_of(record: Mapping) -> Trial:
    """The trial that a record is of."""
    return Trial(**{name: record[name] for name in _FIELDS})


def current_trial(record: Mapping) -> Trial | None:
    """The trial that a record is of, if its key is still today's.

    None if a version was raised since, or an entry is not registered or a file not there any more.
    """
    try:
        trial = trial_of(record)
        return trial if trial.key == record["key"] else None
    except (UnknownNameError, ValueError):
        return None
