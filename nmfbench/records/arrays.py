"""Arrays as bytes: in numpy's own format for pipes and the store, packed for files of records."""

from __future__ import annotations

import io
import json
import math
import threading

import numpy as np

__all__ = ["from_bytes", "pack", "to_bytes", "unpack"]

# numpy parses the header of an array as Python, which in CPython 3.11 two threads must not do at
# once: "AST constructor recursion depth mismatch".
_PARSING = threading.Lock()


def to_bytes(array) -> bytes:
    """An array as bytes; ValueError if it holds Python objects, as nothing is pickled."""
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(array), allow_pickle=False)
    return buffer.getvalue()


def from_bytes(blob) -> np.ndarray:
    """The array that :func:`to_bytes` wrote; from any thread."""
    with _PARSING:
        return np.load(io.BytesIO(blob), allow_pickle=False)


def pack(array) -> dict:
    """An array as type, shape and bytes that compress well.

    Bytes of equal significance stand side by side, field by field of a structured array.

    Returns
    -------
    dict
        ``dtype`` and ``shape`` as JSON, ``data`` as bytes; for :func:`unpack`.
    """
    array = np.asarray(array)
    if array.dtype.hasobject:
        raise ValueError("an array of objects cannot be packed.")
    names = array.dtype.names
    parts = [array] if names is None else [array[name] for name in names]
    data = b"".join(_by_significance(part) for part in parts)
    described = array.dtype.str if names is None else array.dtype.descr
    return {"dtype": json.dumps(described), "shape": json.dumps(array.shape), "data": data}


def unpack(dtype: str, shape: str, data: bytes) -> np.ndarray:
    """The array that :func:`pack` packed.

    Raises
    ------
    ValueError
        If the three do not fit together.
    """
    try:
        given = json.loads(dtype)
        kind = np.dtype(given if isinstance(given, str) else [tuple(field) for field in given])
        if not kind.itemsize or kind.subdtype:
            raise ValueError(f"a type of no bytes, or of arrays: {dtype}")
        sizes: tuple[int, ...] = tuple(json.loads(shape))
        if kind.hasobject or not all(type(size) is int and size >= 0 for size in sizes):
            raise ValueError("an array of objects, or of sizes that are no numbers from 0")
        names, count, start = kind.names or [None], math.prod(sizes), 0
        parts = [kind if name is None else kind[name] for name in names]
        if len(data) != (size := count * sum(part.itemsize for part in parts)):
            raise ValueError(f"{len(data)} bytes instead of {size}")
        array = np.empty(sizes, kind)
        for name, part in zip(names, parts, strict=True):
            raw = np.frombuffer(data, np.uint8, part.itemsize * count, start)
            values = raw.reshape(part.itemsize, count).T.copy().view(part).reshape(sizes)
            array[() if name is None else name] = values
            start += part.itemsize * count
    except (TypeError, ValueError, KeyError, SyntaxError, MemoryError) as error:
        raise ValueError(f"an array cannot be read: {error}") from None
    return array


def _by_significance(part) -> bytes:
    values = np.ascontiguousarray(part).reshape(-1)
    return values.view(np.uint8).reshape(len(values), -1).T.tobytes() if len(values) else b""
