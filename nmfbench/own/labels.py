"""Labels of samples: a file, a column, or a sequence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from nmfbench.own.errors import OwnDataError

__all__ = ["checked_labels", "matched"]


def matched(labels: list[list[Any]] | list[Any], sample_names, n: int) -> list[Any]:
    """Labels in the order of the samples, of rows of one cell, or of a name and a label.

    Raises
    ------
    OwnDataError
        If names are missing or twice there.
    """
    if not labels or not isinstance(labels[0], list):
        return labels
    widths = {len(row) for row in labels}
    if widths == {1}:
        return [row[0] for row in labels]
    if widths != {2}:
        raise OwnDataError(
            f"labels has rows of {', '.join(map(str, sorted(widths)))} cells: give one label in "
            "each line, or the name of a sample and its label."
        )
    found = {str(name): label for name, label in labels}
    if sample_names is None:
        return [row[1] for row in labels]
    lacking = [name for name in sample_names if name not in found]
    if len(lacking) == n and len(labels) == n:  # they are called otherwise
        return [row[1] for row in labels]
    if lacking:
        raise OwnDataError(
            f"labels has none for {len(lacking)} of {n} samples, the first {lacking[0]!r}: add a "
            "line for each sample, its name as in the data and its label."
        )
    return [found[name] for name in sample_names]


def checked_labels(labels, X) -> np.ndarray:
    """Labels as an array of text or whole numbers, one for each sample.

    Raises
    ------
    OwnDataError
        If there are too few or too many, if one is missing, or if there are less than two classes.
    """
    n, m = X.shape
    values = list(labels)
    if len(values) != n:
        hint = (
            "pass transpose=True if samples are columns"
            if len(values) == m
            else (
                "give one for each sample, without a header"
                if len(values) == n + 1
                else "give one for each sample"
            )
        )
        raise OwnDataError(
            f"labels has {len(values)} entries, but X has {n} samples and {m} features: {hint}."
        )
    missing = [
        i
        for i, v in enumerate(values)
        if v is None or (isinstance(v, float | np.floating) and np.isnan(v)) or v == ""
    ]
    if missing:
        raise OwnDataError(
            f"labels has {len(missing)} missing entries, the first of sample {missing[0]}: name a "
            "class for each sample, or leave those samples out."
        )
    if all(isinstance(v, int | float | np.number) and float(v).is_integer() for v in values):
        y = np.array([int(v) for v in values])
    else:
        y = np.array([str(v) for v in values])
    classes = len(np.unique(y))
    if classes < 2:
        raise OwnDataError(f"labels has one class only, {y[0]}: two at least are needed.")
    if classes == n:
        raise OwnDataError(
            f"labels has another class for each of the {n} samples: is it a column of names, or of "
            "measurements? Name a column of classes."
        )
    return y


def is_file(labels) -> bool:
    """Whether labels are the path of a file that is there."""
    try:
        return isinstance(labels, str | Path) and Path(labels).expanduser().is_file()
    except (OSError, ValueError):
        return False
