"""A matrix of the user's own, with its names, labels and diagnosis."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Bunch

from nmfbench.own.diagnosis import Diagnosis, diagnose
from nmfbench.own.errors import OwnDataError

__all__ = ["OWN", "OwnData", "content_key"]

OWN = "own:"
"""Prefix of the keys of such data."""

_DIGITS = 16  # hexadecimal ones, of a key


@dataclass(frozen=True, eq=False, repr=False)
class OwnData:
    """A matrix of the user's own; rows are samples.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        In double precision. NaN stands for missing entries; see :meth:`checked`.
    name : str
        File name, or "data".
    feature_names, sample_names : list of str or None
    y : ndarray of shape (n_samples,) or None
        Labels, as text or whole numbers.
    image_shape : (int, int) or None
        Of a folder of pictures.
    notes : tuple of str
        What was found, and assumed, on reading.
    """

    X: Any
    name: str = "data"
    feature_names: list[str] | None = None
    sample_names: list[str] | None = None
    y: np.ndarray | None = None
    image_shape: tuple[int, int] | None = None
    notes: tuple[str, ...] = field(default=())

    def __repr__(self) -> str:
        n, m = self.X.shape
        return f"OwnData({self.name!r}, {n} x {m}, {self.key})"

    @cached_property
    def key(self) -> str:
        """``own:`` and 16 digits: a hash of the matrix alone, whatever the file is called."""
        return content_key(self.X, self.image_shape)

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """See :class:`~nmfbench.own.diagnosis.Diagnosis`."""
        return diagnose(self.X)

    def lines(self) -> list[str]:
        """What was read, and the diagnosis, in words."""
        found = [*self.diagnosis.lines(), *self.notes]
        for what, names in (("feature", self.feature_names), ("sample", self.sample_names)):
            if names and (twice := len(names) - len(set(names))):
                found.append(f"{twice} {what} names are there more than once")
        if self.y is not None:
            found.append(f"labels of {len(np.unique(self.y))} classes")
        return found

    def checked(self) -> OwnData:
        """These data, if they can be factorized; no solver masks missing entries.

        Raises
        ------
        OwnDataError
            If an entry is negative, infinite or missing, or all are zero.
        """
        found = self.diagnosis
        if found.n_negative:
            smallest, (i, j) = found.smallest, found.negative[0]
            entries = "entry" if found.n_negative == 1 else "entries"
            raise OwnDataError(
                f"data has {found.n_negative} negative {entries} (smallest {smallest:.4g}; the "
                f"first in {self._place(i, j)}), and NMF needs X >= 0: take the data before they "
                "are centred or logs of ratios, shift them, or split each column into its positive "
                "and negative parts."
            )
        if found.n_infinite:
            raise OwnDataError(
                f"data has {found.n_infinite} infinite entries, the first in "
                f"{self._place(*found.infinite[0])}: replace them by numbers, or leave them empty."
            )
        if found.n_missing:
            raise OwnDataError(
                f"data has {found.n_missing} missing entries, the first in "
                f"{self._place(*found.missing[0])}: impute them, as with "
                "sklearn.impute.SimpleImputer, or leave out the rows or columns that have them."
            )
        if found.largest <= 0:
            raise OwnDataError("data has zeros only: give data with other entries.")
        if not 2.0**-200 <= found.largest <= 2.0**200:
            raise OwnDataError(
                f"data has {found.largest:.4g} as its largest entry, and products of such numbers "
                "overflow or vanish: divide the data by it."
            )
        return self

    @property
    def classes(self) -> np.ndarray | None:
        """Classes of the samples, numbered from 0 in the order of the labels."""
        return None if self.y is None else np.unique(self.y, return_inverse=True)[1]

    def bunch(self) -> Bunch:
        """As :func:`nmfbench.datasets.base.load_dataset` gives data; the arrays are copies."""
        return Bunch(
            X=self.X.copy(),
            y=self.classes,
            image_shape=self.image_shape,
            upper=None if self.image_shape is None else 1.0,
            name=self.name,
            key=self.key,
            is_stand_in=False,
            variant=None,
            stand_in_for=None,
            scaling=None,
        )

    def _place(self, i, j):
        row = f"row {i}" if self.sample_names is None else f"row {i} ({self.sample_names[i]!r})"
        names = self.feature_names
        column = f"column {j}" if names is None else f"column {j} ({names[j]!r})"
        return f"{row}, {column}"


def content_key(X, image_shape=None) -> str:
    """Key of a matrix: ``own:`` and 16 digits of a hash of its shape and numbers.

    Examples
    --------
    >>> content_key(np.eye(2)) == content_key(np.eye(2)), content_key(np.eye(3))[:4]
    (True, 'own:')
    """
    digest = hashlib.sha256(f"{X.shape} {image_shape} {sp.issparse(X)}\n".encode())
    if sp.issparse(X):
        parts = [X.indptr.astype("<i8"), X.indices.astype("<i8"), X.data]
    else:
        parts = [np.ascontiguousarray(X)]
    for part in parts:
        digest.update(part.astype(part.dtype.newbyteorder("<"), copy=False).tobytes())
    return f"{OWN}{digest.hexdigest()[:_DIGITS]}"
