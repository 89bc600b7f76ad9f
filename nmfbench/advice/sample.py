"""The part of a large matrix on which noise, rank and solvers are judged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

__all__ = ["Part", "draw_part"]

_SPARSE = 0.5  # share of zeros from which the densest columns are taken


@dataclass(frozen=True)
class Part:
    """A dense part of a matrix.

    Attributes
    ----------
    X : ndarray of shape (n, m)
    rows, columns : ndarray of int
        Where it comes from.
    whole : bool
        Whether nothing but empty rows and columns is left out.
    """

    X: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    whole: bool


def draw_part(X, entries: int, rng) -> Part:
    """Random rows and columns, none of them zero.

    Where most entries are zero, the columns with most other entries are taken: of those with few
    nothing can be predicted.

    Parameters
    ----------
    X : ndarray or CSR matrix, non-negative
    entries : int
        About as many as the part may have.
    rng : Generator

    Examples
    --------
    >>> part = draw_part(np.ones((30, 20)), 100, np.random.default_rng(0))
    >>> part.X.shape, part.whole
    ((10, 10), False)
    """
    n, m = X.shape
    counts = np.asarray((X > 0).sum(axis=0)).ravel()
    columns = np.flatnonzero(counts)
    rows = np.flatnonzero(np.asarray((X > 0).sum(axis=1)).ravel())
    many = len(rows), len(columns)
    if many[0] * many[1] > entries:
        side = int(np.sqrt(entries))
        n_columns = min(many[1], max(entries // many[0], side))
        n_rows = min(many[0], max(entries // n_columns, 1))
        if counts.sum() < (1 - _SPARSE) * n * m:
            columns = np.sort(columns[np.argsort(-counts[columns], kind="stable")[:n_columns]])
        else:
            columns = np.sort(rng.choice(columns, n_columns, replace=False))
        rows = np.sort(rng.choice(rows, n_rows, replace=False))
    part = X[rows][:, columns]
    part = part.toarray() if sp.issparse(part) else part
    alive = part.any(axis=1)
    part, rows = np.ascontiguousarray(part[alive], dtype=np.float64), rows[alive]
    filled = part.any(axis=0)
    part, columns = np.ascontiguousarray(part[:, filled]), columns[filled]
    return Part(part, rows, columns, many[0] * many[1] <= entries)
