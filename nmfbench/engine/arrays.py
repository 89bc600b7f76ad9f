"""Arrays as bytes, in numpy's own format: for pipes between processes, and for the store."""

from __future__ import annotations

import io
import threading

import numpy as np

__all__ = ["from_bytes", "to_bytes"]

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
