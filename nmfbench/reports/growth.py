"""How the cost of an iteration grows, as ``benchmarks/growth.py`` measured it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nmfbench.comparison.leaderboards import LOSSES
from nmfbench.reports.race import titled

__all__ = ["AXES", "FILE", "THREADS", "rows_of", "tables"]

FILE = Path(__file__).with_name("growth.json")
"""Results of the benchmark."""

AXES = ("n", "m", "r", "nnz")
"""Samples, features, components and non-zeros, in the order of the columns of a size."""

THREADS = (1, 2)
"""Of the largest problems."""

_LARGEST = ("r", "nnz")  # the largest dense and the largest sparse problem


def rows_of(file: Path = FILE) -> list[dict[str, Any]]:
    """One row for each solver measured so far."""
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []


def tables(rows: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """What the page of the race shows: exponents, seconds and gains by a second thread.

    Parameters
    ----------
    rows : list of dict
        As :func:`rows_of` gives them.

    Returns
    -------
    dict or None
        None without rows.
    """
    if not rows:
        return None
    return {
        "sizes": {axis: max(_largest(row, axis)[:-1] for row in rows) for axis in _LARGEST},
        "losses": [
            {
                "title": LOSSES[loss],
                "rows": [
                    {
                        **titled(row),
                        "exponents": [row["exponents"].get(axis) for axis in AXES],
                        "seconds": [_largest(row, axis)[-1] for axis in _LARGEST],
                        "gains": [_gain(row, axis) for axis in _LARGEST],
                    }
                    for row in rows
                    if row["loss"] == loss
                ],
            }
            for loss in dict.fromkeys(row["loss"] for row in rows)
        ],
        "dates": sorted({row["date"] for row in rows}),
        "processors": sorted({row["processor"] for row in rows}),
    }


def _largest(row, axis):
    """Sizes and seconds of the largest problem; no sizes and None where there is none."""
    return row["sizes"][axis][-1] if axis in row["sizes"] else [None]


def _gain(row, axis):
    """Wall time on one thread over that on two."""
    one, two = row["on_threads"].get(axis, (None, None))
    return None if one is None else one / two
