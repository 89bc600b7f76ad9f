"""Rows of records and audits, lists of arrays, and arrays whose digest fits."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from nmfbench.records.arrays import from_bytes, to_bytes
from nmfbench.records.record import RecordError, check_origin, digest, from_row, to_row
from nmfbench.trials.trial import canonical

__all__ = [
    "Blob",
    "from_json",
    "read_contents",
    "seal_contents",
    "to_blobs",
    "unpack_array",
    "verify",
    "verify_audit",
]

Blob = tuple[str, str, bytes]
"""Key of a record, name of an array, and its bytes."""

from_json = functools.lru_cache(1024)(json.loads)  # hosts and releases are few, and only read


def verify(row: Sequence[Any], seal: str | None = None) -> None:
    """Raise a RecordError if a row of a record is not what was written; ``seal`` is its digest.

    A row without one has to be such as could have been written.
    """
    try:
        if seal is None:
            good = to_row(from_row(row)) == list(row)
        else:
            good = seal == digest(row)
            check_origin(row)
    except (TypeError, ValueError, AttributeError, RecursionError) as error:
        raise RecordError(str(error)) from error
    if not good:
        raise RecordError("it is not what was written")


def verify_audit(
    columns: Iterable[str], row: Sequence[Any], seal: str | None = None
) -> dict[str, Any]:
    """The row of an audit, or of a draw, by column; raises as :func:`verify` does."""
    audit = dict(zip(columns, row, strict=True))
    try:
        if seal is not None and seal != digest(row):
            raise RecordError("it is not what was written")
        parsed = {name: from_json(audit[name]) for name in ("host", "records") if name in audit}
        if not all(isinstance(value, dict) for value in parsed.values()):
            raise RecordError("it is not what was written")
        return audit | parsed
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(str(error)) from error


def read_contents(seal: str | None, contents: str | None) -> dict[str, Any] | None:
    """Digests of a record's ``arrays`` by name, and whether it was ``imported``; None without seal.

    Raises
    ------
    RecordError
        If that is not what was written.
    """
    if seal is None and contents is None:
        return None
    with contextlib.suppress(TypeError, ValueError, AttributeError, RecursionError):
        held: dict[str, Any] = json.loads(contents or "")
        whole = held.keys() == {"arrays", "imported"} and isinstance(held["arrays"], dict)
        if whole and seal is not None:
            return held
    raise RecordError("the list of its arrays is not what was written")


def unpack_array(blob: Any, seal: str | None = None) -> np.ndarray:
    """The array of a blob.

    Raises
    ------
    RecordError
        If it is not what was written.
    """
    if seal is not None and (not isinstance(blob, bytes) or seal != _blob_digest(blob)):
        raise RecordError("it is not what was written")
    try:
        return from_bytes(blob)
    except Exception as error:  # numpy parses what may be anything
        raise RecordError(f"it cannot be read: {error}") from error


def to_blobs(key: str, arrays: Mapping[str, np.ndarray]) -> list[Blob]:
    """Key, name and bytes of each array of a record."""
    try:
        return [(key, name, to_bytes(array)) for name, array in arrays.items()]
    except ValueError as error:
        raise RecordError(f"an array of objects cannot be stored: {error}.") from error


def seal_contents(blobs: Iterable[Blob], imported: bool) -> str:
    """Digests of the arrays of a record, and whether it was imported, as a database holds them."""
    digests = {name: _blob_digest(blob) for _, name, blob in blobs}
    return canonical({"arrays": digests, "imported": imported})


def _blob_digest(blob: bytes) -> str:
    return hashlib.sha256(blob).hexdigest()[:16]
