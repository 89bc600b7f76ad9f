"""A few facts about a matrix that say what a factorization of it may meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["Diagnosis", "diagnose"]

_SHOWN = 5  # places, or rows, that a line names
_TOP = 1e-3  # share of the non-zero entries whose share of the squares tells heavy tails
_HEAVY = 0.2  # of the squares
_SPREAD = 2.0  # times as much as columns, from which rows look like features
_LEAST_SPREAD = 0.5  # of the logarithms of means
_UNITS = 1e3  # factor between scales of columns
_SAMPLED = 50  # rows looked at for scaled counts
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Diagnosis:
    """Facts about a matrix whose rows are samples.

    Attributes
    ----------
    n_samples, n_features : int
    sparse : bool
        Whether it is stored as a sparse matrix.
    density : float
        Share of entries that are not zero; missing ones count.
    smallest, largest : float
        Of the finite entries.
    zero_rows, zero_columns : list of int
    n_missing, n_infinite, n_negative : int
        NaN, infinite and negative entries.
    missing, infinite, negative : list of (int, int)
        Places of the first five of each.
    kind : {"counts", "binary", "integers", "scaled counts", "real numbers"}
        ``scaled counts``: rows are whole multiples of their smallest entry.
    top_share : float
        Share of the sum of squares that the largest 0.1 % of the non-zero entries hold.
    heavy_tails : bool
        That is more than a fifth.
    row_spread, column_spread : float
        Standard deviation of the logarithm of the means of rows and columns that are not zero.
    looks_transposed : bool
        Rows differ far more than columns, as features do.
    column_scales : float
        Largest over smallest of the largest entries of columns that are not zero.
    duplicate_rows : int
        Rows that are equal to an earlier one; zero rows are not counted.
    """

    n_samples: int
    n_features: int
    sparse: bool
    density: float
    smallest: float
    largest: float
    zero_rows: list[int]
    zero_columns: list[int]
    n_missing: int
    missing: list[tuple[int, int]]
    n_infinite: int
    infinite: list[tuple[int, int]]
    n_negative: int
    negative: list[tuple[int, int]]
    kind: str
    top_share: float
    heavy_tails: bool
    row_spread: float
    column_spread: float
    looks_transposed: bool
    column_scales: float
    duplicate_rows: int

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as JSON has them."""
        return {
            name: [list(v) if isinstance(v, tuple) else v for v in value]
            if isinstance(value, list)
            else value
            for name, value in vars(self).items()
        }

    def lines(self) -> list[str]:
        """The facts in words; facts that ask for something come last."""
        stored = "sparse" if self.sparse else "dense"
        found = [
            f"{self.n_samples} samples x {self.n_features} features, {stored}, "
            f"{100 * self.density:.3g} % not zero",
            f"{self.kind} from {self.smallest:.4g} to {self.largest:.4g}",
        ]
        for what, empty in (("row", self.zero_rows), ("column", self.zero_columns)):
            if empty:
                found.append(f"{_counted(len(empty), f'zero {what}')}: {_listed(empty)}")
        if self.duplicate_rows:
            found.append(f"{_counted(self.duplicate_rows, 'row')} equal to an earlier one")
        for number, what, places in (
            (self.n_missing, "missing entries", self.missing),
            (self.n_infinite, "infinite entries", self.infinite),
            (self.n_negative, "negative entries", self.negative),
        ):
            if number:
                found.append(f"{number} {what}: {_placed(places, number)}")
        if self.heavy_tails:
            found.append(
                f"heavy tails: the largest 0.1 % of the non-zero entries hold "
                f"{100 * self.top_share:.0f} % of the squares; a robust loss, or a square root or "
                "logarithm first, gives the others a say"
            )
        if self.column_scales > _UNITS:
            found.append(
                f"columns differ in scale by a factor of {self.column_scales:.2g}: are units mixed?"
            )
        if self.looks_transposed:
            found.append(
                f"rows differ more than columns (spread {self.row_spread:.2g} against "
                f"{self.column_spread:.2g}), as features do: are samples in columns (transpose)?"
            )
        return found


def _counted(number, what):
    return f"{number} {what}{'s' * (number != 1)}"


def _listed(items):
    return ", ".join(map(str, items[:_SHOWN])) + ", ..." * (len(items) > _SHOWN)


def _placed(places, number):
    return "; ".join(f"row {i}, column {j}" for i, j in places) + "; ..." * (number > len(places))


def diagnose(X) -> Diagnosis:
    """Look a matrix over.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        NaN stands for missing entries.

    Examples
    --------
    >>> found = diagnose(np.array([[0.0, 2.0], [0.0, np.nan], [0.0, -1.0]]))
    >>> found.zero_columns, found.n_missing, found.negative
    ([0], 1, [(2, 1)])
    """
    values = X.data if sp.issparse(X) else X
    n, m = X.shape
    with np.errstate(invalid="ignore", over="ignore"):
        is_missing, is_infinite = np.isnan(values), np.isinf(values)
        finite = (
            values[~(is_missing | is_infinite)] if is_missing.any() or is_infinite.any() else values
        )
        nonzero = finite[finite != 0]
        ends = [finite.min(), finite.max()] if finite.size else []
        ends += [0.0] * (values.size < n * m or not ends)
        n_zeros = n * m - int(np.count_nonzero(values))
        rows, columns = (_nonzero(X, axis) for axis in (1, 0))
        row_spread, column_spread = (_spread(X, axis) for axis in (1, 0))
        top_share = _top_share(nonzero)
        peaks = _peaks(X)
    smallest, largest = float(min(ends)), float(max(ends))
    return Diagnosis(
        n_samples=n,
        n_features=m,
        sparse=sp.issparse(X),
        density=1 - n_zeros / (n * m),
        smallest=smallest,
        largest=largest,
        zero_rows=np.flatnonzero(~rows).tolist(),
        zero_columns=np.flatnonzero(~columns).tolist(),
        n_missing=int(is_missing.sum()),
        missing=_places(X, is_missing),
        n_infinite=int(is_infinite.sum()),
        infinite=_places(X, is_infinite),
        n_negative=int((values < 0).sum()),
        negative=_places(X, values < 0),
        kind=_kind(X, finite, smallest, largest),
        top_share=top_share,
        heavy_tails=top_share > _HEAVY and nonzero.size >= 1 / _TOP,
        row_spread=row_spread,
        column_spread=column_spread,
        looks_transposed=row_spread > max(_LEAST_SPREAD, _SPREAD * column_spread),
        column_scales=float(peaks.max() / peaks.min()) if peaks.size else 1.0,
        duplicate_rows=_duplicates(X, rows),
    )


def _nonzero(X, axis):
    """Which rows (axis 1) or columns (axis 0) have an entry that is not zero."""
    if sp.issparse(X):
        return np.asarray((X != 0).sum(axis=axis)).ravel() > 0
    return (X != 0).any(axis=axis)


def _spread(X, axis):
    size = np.asarray(abs(X).sum(axis=axis) if sp.issparse(X) else np.nansum(abs(X), axis=axis))
    size = size.ravel()
    size = size[np.isfinite(size) & (size > 0)]
    return float(np.log(size).std()) if size.size > 1 else 0.0


def _peaks(X):
    """Largest magnitudes of the columns that have a finite one above 0."""
    largest = abs(X).max(axis=0)
    largest = largest.toarray().ravel() if sp.issparse(X) else largest
    return largest[np.isfinite(largest) & (largest > 0)]


def _top_share(nonzero):
    if not nonzero.size:
        return 0.0
    squares = (nonzero / np.abs(nonzero).max()) ** 2
    top = max(1, int(_TOP * squares.size))
    return float(np.partition(squares, squares.size - top)[-top:].sum() / squares.sum())


def _places(X, chosen):
    """Row and column of the first entries of those chosen among the stored ones."""
    at = np.flatnonzero(chosen)[:_SHOWN]
    if sp.issparse(X):
        rows = np.searchsorted(X.indptr, at, side="right") - 1
        return [(int(i), int(X.indices[k])) for i, k in zip(rows, at, strict=True)]
    return [(int(k // X.shape[1]), int(k % X.shape[1])) for k in at]


def _kind(X, finite, smallest, largest):
    if not finite.size:
        return "real numbers"
    if (finite == np.round(finite)).all():
        if smallest < 0:
            return "integers"
        return "binary" if largest <= 1 else "counts"
    return "scaled counts" if smallest >= 0 and _are_scaled_counts(X) else "real numbers"


def _are_scaled_counts(X):
    """Whether the first rows are whole multiples of their smallest entry above 0, not of 1."""
    looked_at = 0
    for row in X[:_SAMPLED]:
        values = row.data if sp.issparse(row) else row
        values = values[np.isfinite(values) & (values > 0)]
        if values.size < 2:
            continue
        multiples = values / values.min()
        if (np.abs(multiples - np.round(multiples)) > _ROUNDING * multiples).any():
            return False
        looked_at += 1
    return looked_at > 0


def _duplicates(X, nonzero_rows):
    seen, found = set(), 0
    for i in np.flatnonzero(nonzero_rows):
        if sp.issparse(X):
            part = slice(X.indptr[i], X.indptr[i + 1])
            key = X.indices[part].tobytes() + X.data[part].tobytes()
        else:
            key = X[i].tobytes()
        found += (code := hash(key)) in seen
        seen.add(code)
    return found
