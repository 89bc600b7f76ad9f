"""Factors that another program computed, from its files; nothing in them is executed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nmfbench.guests.errors import GuestError
from nmfbench.guests.foreign import read_matrices

__all__ = ["Factors", "read_factors"]


class Factors(NamedTuple):
    """Factors of ``X ~ W @ H`` with samples in the rows of ``X``.

    Attributes
    ----------
    W : ndarray of shape (n_samples, r)
    H : ndarray of shape (r, n_features)
    layout : str
        How the files have them, in words.
    """

    W: np.ndarray
    H: np.ndarray
    layout: str


def read_factors(paths: Sequence, shape, *, names=("W", "H"), transposed=None) -> Factors:
    """Read two non-negative factors, and tell by their shapes which is which.

    Parameters
    ----------
    paths : sequence of path-like
        One ``.npz`` or ``.mat`` file with both, or two ``.csv`` files, W first, whose header and
        row names, if there are any, are left out.
    shape : (int, int)
        Of the data: n_samples, n_features.
    names : (str, str)
        What an ``.npz`` or ``.mat`` file calls them.
    transposed : bool, optional
        Whether the product is of the shape of ``X.T``, samples in columns. By default the shapes
        tell.

    Raises
    ------
    GuestError
        If the files cannot be read, or do not hold two such factors, or the shapes leave open
        which is which.
    """
    kinds = tuple(Path(path).suffix.lower() for path in paths)
    if kinds == (".csv", ".csv"):
        arrays = [read_matrices(path, names)[0] for path in paths]
        sources = [str(path) for path in paths]
    elif kinds in ((".npz",), (".mat",)):
        arrays = read_matrices(paths[0], names)
        sources = [f"{name} of {paths[0]}" for name in names]
    else:
        raise GuestError(
            "factors come as one .npz or .mat file that holds both, or as two .csv files, W and "
            f"then H; got {' '.join(map(str, paths))}."
        )
    A, B = (_checked(array, source) for array, source in zip(arrays, sources, strict=True))
    return _oriented(A, B, tuple(shape), transposed, " and ".join(map(str, paths)))


def _checked(array, source):
    """The factor."""
    if array.dtype.kind not in "biuf" or array.ndim != 2 or not array.size:
        raise GuestError(
            f"{source} must be a matrix of real numbers, but has shape {array.shape} and type "
            f"{array.dtype}."
        )
    wrong = ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise GuestError(
            f"{source} must have finite numbers >= 0 throughout, but {wrong.sum()} of "
            f"{array.size} entries are not, the first in row {i + 1}, column {j + 1}: "
            f"{array[i, j]:.4g}."
        )
    return array


def _oriented(A, B, shape, transposed, files):
    """The factors with samples in the rows of the first, features in the columns of the second."""
    found = []
    for swapped in (False, True) if transposed is None else (transposed,):
        first, second = (B, A) if swapped else (A, B)
        for turned in product((swapped, not swapped), repeat=2):  # as a product of the two first
            W, H = (M.T if turn else M for M, turn in zip((first, second), turned, strict=True))
            if (W.shape[0], H.shape[1]) == shape and W.shape[1] == H.shape[0]:
                found.append((W, H, swapped, turned))
    n, m = shape
    shapes = f"{A.shape[0]} x {A.shape[1]} and {B.shape[0]} x {B.shape[1]}"
    if not found:
        raise GuestError(
            f"the factors of {files} are {shapes}, but X is {n} x {m}: W must be {n} x r and H "
            f"r x {m}, or {m} x r and r x {n} where samples are columns."
        )
    if len(found) > 1 and transposed is None:
        raise GuestError(
            f"the factors of {files} are {shapes} and X is {n} x {m}: the shapes leave open "
            "whether W belongs to samples or to features. Say --transposed no where W has a row "
            "for each sample, --transposed yes where samples are columns."
        )
    W, H, swapped, turned = found[0]
    layout = "X' = W H, samples in columns" if swapped else "X = W H, samples in rows"
    for name, turn in zip("HW" if swapped else "WH", turned, strict=True):
        if turn != swapped:
            layout += f", {name} transposed"
    return Factors(np.ascontiguousarray(W), np.ascontiguousarray(H), layout)
