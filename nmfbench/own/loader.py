"""The data of a trial on a matrix of the user's own."""

import hashlib

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Bunch

__all__ = ["ONE_CLASS", "labels_key", "load_own"]

ONE_CLASS = "one class"
"""Instead of labels: all samples are of one class, of which tasks draw some."""


def load_own(arrays, labels=None, dense=False):
    """The matrix, and labels if requested by their key or as :data:`ONE_CLASS`."""
    X = arrays["X"].copy() if "X" in arrays else None
    if X is None:
        parts = tuple(arrays[name].copy() for name in ("data", "indices", "indptr"))
        X = sp.csr_matrix(parts, shape=tuple(int(n) for n in arrays["shape"]))
        X = X.toarray() if dense else X
    y = None
    if labels == ONE_CLASS:
        y = np.zeros(X.shape[0], dtype=np.int64)
    elif labels is not None:
        y = arrays["y"].copy()
        if labels_key(y) != labels:
            raise ValueError(f"its labels have the key {labels_key(y)}, not {labels}")
    bunch = Bunch(X=X, y=y)
    if "image_shape" in arrays:
        shape = tuple(int(n) for n in arrays["image_shape"])
        bunch.update(image_shape=shape, upper=1.0)
    return bunch


def labels_key(y):
    """Key of classes, numbered from 0: 16 hexadecimal digits.

    Examples
    --------
    >>> len(labels_key(np.array([0, 1, 1])))
    16
    """
    return hashlib.sha256(np.ascontiguousarray(y, dtype="<i8").tobytes()).hexdigest()[:16]
