"""Checks of data, rank, numbers, factors and random states, and the texts of all their errors."""

from __future__ import annotations

import numbers
import operator

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

__all__ = [
    "MAGNITUDES",
    "canonical_csr",
    "check_choice",
    "check_count",
    "check_data",
    "check_factors",
    "check_groups",
    "check_number",
    "check_projection",
    "check_rank",
    "check_rng",
    "check_symmetric_data",
]


MAGNITUDES = {"float64": 200, "float32": 30}
"""Powers of two: how far from 1 the largest magnitude in data or a factor may be, unless it is 0.

Fourth powers, and sums of many of them, neither overflow nor vanish then. Whatever is smaller than
the largest may be as small as it likes.
"""


def check_data(estimator, X, *, reset=True, accept_sparse=True, nonnegative=True):
    """Validate the data matrix of an estimator in scikit-learn's way.

    Parameters
    ----------
    estimator : BaseEstimator
        Gains ``n_features_in_`` (and ``feature_names_in_``) if ``reset``.
    X : array-like or sparse matrix of shape (n_samples, n_features)
    reset : bool, default=True
        False in ``transform``: the number of features must be that of ``fit``.
    accept_sparse : bool, default=True
        Whether this solver works without making ``X`` dense.
    nonnegative : bool, default=True

    Returns
    -------
    ndarray (C-contiguous) or CSR matrix (sorted, without duplicate or explicit zero entries),
    float32 if ``X`` was and float64 otherwise.

    Raises
    ------
    ValueError
        If ``X`` is empty, has NaN, infinite or negative entries, or the wrong shape, or if its
        largest magnitude is not within :data:`MAGNITUDES`.
    TypeError
        If ``X`` holds times or records, or is sparse and the solver needs dense data.
    """
    _check_kind(X, "X")
    if sp.issparse(X) and not accept_sparse:
        raise TypeError(
            f"Sparse data was passed for X, but {type(estimator).__name__} needs dense data. "
            "Use X.toarray() to convert it, or a solver that accepts sparse data."
        )
    X = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr" if accept_sparse else False,
        dtype=[np.float64, np.float32],
        order="C",
        ensure_min_samples=1,
    )
    if not X.dtype.isnative:  # of a DataFrame, whose byte order scikit-learn keeps
        X = X.astype(X.dtype.newbyteorder("="))
    if nonnegative:
        _check_nonnegative(X, "X")
    _check_magnitude(X, "X", X.dtype)
    return canonical_csr(X) if sp.issparse(X) else X


def canonical_csr(X):
    """Each entry of a sparse matrix once, in order, and none that is zero; a copy if need be."""
    if X.has_canonical_format and X.data.all():
        return X
    X = X.copy()
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


def _check_kind(X, name):
    """Refuse times and records, which numpy would turn into numbers without a word."""
    dtype = X.dtype if sp.issparse(X) else np.asarray(X).dtype
    if dtype.kind in "mMV":
        raise TypeError(
            f"{name} has entries of type {dtype}, which are no numbers: convert them to float, or "
            "select the fields that are."
        )


def _check_nonnegative(X, name):
    values = X.data if sp.issparse(X) else X
    if values.size == 0 or values.min() >= 0:
        return
    n_negative = int((values < 0).sum())
    if sp.issparse(X):
        coo = X.tocoo()
        at = int(np.argmin(coo.data))
        row, column, smallest = coo.row[at], coo.col[at], coo.data[at]
    else:
        row, column = np.unravel_index(int(np.argmin(X)), X.shape)
        smallest = X[row, column]
    entries = "entry" if n_negative == 1 else "entries"
    raise ValueError(
        f"Negative values in data passed to {name}: {n_negative} negative {entries} (smallest "
        f"{smallest:.4g} at row {row}, column {column}); NMF needs {name} >= 0. Shift or clip "
        "the data, or use a solver for signed data."
    )


def _check_finite(X, name):
    values = X.data if sp.issparse(X) else X
    if values.size and not np.isfinite(values.min() + values.max()):
        raise ValueError(f"{name} has NaN or infinite entries: remove or impute them.")


_OF_PROJECTIONS = 400  # power of two; they work in float64, and their products still fit


def _check_magnitude(X, name, dtype, power=None):
    values = X.data if sp.issparse(X) else X
    if values.size == 0:
        return
    largest = float(max(values.max(), -values.min()))
    power = power or MAGNITUDES[dtype.name]
    if largest and not 2.0**-power <= largest <= 2.0**power:
        other = " or pass float64" if dtype == np.float32 else ""
        raise ValueError(
            f"The largest magnitude in {name} is {largest:.4g}, but in {dtype} it must be from "
            f"2**-{power} to 2**{power}, as products would overflow or vanish: divide {name} by it"
            f"{other}."
        )


def check_count(value, name, *, least=1, optional=False):
    """Refuse a parameter that is not an integer from ``least`` on.

    Parameters
    ----------
    value : object
    name : str
        The parameter, for the error message.
    least : int, default=1
    optional : bool, default=False
        Whether it may be None.

    Raises
    ------
    TypeError
        If it is no integer.
    ValueError
        If it is below ``least``.

    Examples
    --------
    >>> check_count(1.5, "max_iter")
    Traceback (most recent call last):
    TypeError: max_iter must be an integer of at least 1, got 1.5.
    """
    if value is None and optional:
        return
    integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not integer or value < least:
        raise (ValueError if integer else TypeError)(
            f"{name} must be an integer of at least {least}{' or None' * optional}, got {value!r}."
        )


def check_choice(value, name, choices):
    """Refuse a parameter that is none of some names.

    Parameters
    ----------
    value : object
    name : str
        The parameter, for the error message.
    choices : iterable of str

    Raises
    ------
    ValueError

    Examples
    --------
    >>> check_choice("best", "selection", ("max", "rand"))
    Traceback (most recent call last):
    ValueError: selection must be one of 'max', 'rand', got 'best'.
    """
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}.")


def check_number(
    value, name, *, at_least=None, above=None, at_most=None, below=None, finite=True, optional=False
):
    """Refuse a parameter that is not a number within bounds; NaN is within none.

    Parameters
    ----------
    value : object
    name : str
        The parameter, for the error message.
    at_least, above, at_most, below : float, optional
        Bounds of either side, which the number may or may not be equal to.
    finite : bool, default=True
        Whether infinity is refused, too.
    optional : bool, default=False
        Whether it may be None.

    Raises
    ------
    TypeError
        If it is no real number.
    ValueError
        If it is out of bounds.

    Examples
    --------
    >>> check_number(np.nan, "tol", at_least=0)
    Traceback (most recent call last):
    ValueError: tol must be a finite number of at least 0, got nan.
    >>> check_number(2.0, "share", above=0, at_most=1, optional=True)
    Traceback (most recent call last):
    ValueError: share must be a number above 0 and of at most 1 or None, got 2.0.
    """
    if value is None and optional:
        return
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    bounds = {
        "of at least": (at_least, operator.ge),
        "above": (above, operator.gt),
        "of at most": (at_most, operator.le),
        "below": (below, operator.lt),
    }
    given = {words: (bound, holds) for words, (bound, holds) in bounds.items() if bound is not None}
    inside = real and not np.isnan(value) and (np.isfinite(value) or not finite)
    if not inside or not all(holds(value, bound) for bound, holds in given.values()):
        limits = " and ".join(f"{words} {bound}" for words, (bound, _) in given.items())
        unbounded = finite and at_most is None and below is None
        raise (ValueError if real else TypeError)(
            f"{name} must be a {'finite ' * unbounded}number {limits}{' or None' * optional}, got "
            f"{value!r}."
        )


def check_rank(n_components, upper, *, bound="min(n_samples, n_features)"):
    """Resolve ``n_components``: None means ``upper``, and more than ``upper`` is an error.

    Parameters
    ----------
    n_components : int or None
    upper : int
        Largest sensible rank.
    bound : str
        What ``upper`` is, in words, for the error message.
    """
    if n_components is None:
        return upper
    check_count(n_components, "n_components", optional=True)
    if n_components > upper:
        raise ValueError(
            f"n_components={n_components} is too large for this X: it must be at most "
            f"{bound} = {upper}."
        )
    return int(n_components)


def check_factors(W, H, X, r, *, nonnegative=True):
    """Validate initial factors: ``W`` (n_samples, r) and ``H`` (r, n_features).

    Returns
    -------
    W, Ht : ndarray
        Contiguous copies in the dtype of ``X``; ``Ht`` is ``H`` transposed.
    """
    n, m = X.shape
    checked = []
    for name, factor, shape in (("W", W, (n, r)), ("H", H, (r, m))):
        if factor is None:
            raise ValueError(f"Initial factors come in pairs: {name} was not given.")
        _check_kind(factor, name)
        factor = check_array(factor, dtype=X.dtype, order="C", copy=True, input_name=name)
        if factor.shape != shape:
            raise ValueError(
                f"Initial {name} has shape {factor.shape}, but X of shape {X.shape} with "
                f"n_components={r} needs {shape}."
            )
        if nonnegative:
            _check_nonnegative(factor, name)
        _check_magnitude(factor, name, X.dtype)
        checked.append(factor)
    return checked[0], np.ascontiguousarray(checked[1].T)


def check_projection(X, H, W0=None, *, nonnegative=True):
    """Validate data, basis and start of a projection on a cone.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    H : ndarray or sparse matrix of shape (r, n_features)
    W0 : ndarray of shape (n_samples, r), optional
    nonnegative : bool, default=True
        Whether ``X`` and ``H`` must be finite and non-negative, with largest entries from 2**-400
        to 2**400: parts of data that solvers take may be far smaller than the data.

    Returns
    -------
    ndarray, or CSR matrix (sorted, without duplicate or explicit zero entries)
        The data.

    Examples
    --------
    >>> check_projection(np.eye(2), np.array([[1.0, -1.0]]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: Negative values in data passed to H: 1 negative entry (smallest -1 at row 0, ...
    """
    if H.ndim != 2 or H.shape[1] != X.shape[1]:
        raise ValueError(f"H has shape {H.shape}, but X has {X.shape[1]} features.")
    shape = X.shape[0], H.shape[0]
    if W0 is not None and W0.shape != shape:
        raise ValueError(f"W0 has shape {W0.shape}, but X and H need {shape}.")
    if sp.issparse(X):
        X = canonical_csr(X.tocsr())
    for name, values in (("X", X), ("H", H)) if nonnegative else ():
        _check_finite(values, name)
        _check_nonnegative(values, name)
        _check_magnitude(values, name, np.dtype(np.float64), _OF_PROJECTIONS)
    return X


def in_precision_of(X, W):
    """The coefficients ``W`` of a projection, found in float64, in the precision of the data.

    Parameters
    ----------
    X : ndarray or sparse matrix
    W : ndarray of float64, non-negative

    Returns
    -------
    ndarray
        float32 for data of float32 or less, else float64. Coefficients beyond the range of float32
        become its largest number: near 0, a row of the basis may need more.

    Examples
    --------
    >>> in_precision_of(np.ones(2, np.float32), np.array([0.5, 1e300]))
    array([5.0000000e-01, 3.4028235e+38], dtype=float32)
    """
    dtype = np.result_type(X.dtype, np.float32)
    if dtype == W.dtype:
        return W
    return np.minimum(W, np.finfo(dtype).max).astype(dtype)


def check_rng(random_state):
    """Turn ``random_state`` into a numpy ``Generator``.

    Parameters
    ----------
    random_state : None, int, Generator or RandomState
        An int gives the same numbers each time; a RandomState is advanced by one draw.
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, dtype=np.uint64))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state must be None, a non-negative integer, a Generator or a RandomState, "
            f"got {random_state!r}."
        ) from None


def check_groups(groups, n, *, name="groups", of="features"):
    """Turn ``groups``, a partition of ``n`` things, into a list of index arrays.

    Parameters
    ----------
    groups : None, sequence of n labels, or list of index sequences or slices
        None is one group. Labels may be of any type that sorts; groups are in their order.
    n : int
    name, of : str
        The parameter, and what is grouped, for error messages.

    Returns
    -------
    list of ndarray of int, not empty, each sorted
    """
    if groups is None:
        return [np.arange(n)]
    groups = list(groups)
    if not any(isinstance(group, slice | list | tuple | range | np.ndarray) for group in groups):
        if len(groups) != n:
            raise ValueError(
                f"{name} has {len(groups)} labels, but X has {n} {of}: give a label for each, or "
                "a list of index lists."
            )
        _, codes = np.unique(np.asarray(groups), return_inverse=True)
        return [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    parts = []
    for group in groups:
        part = np.arange(n)[group] if isinstance(group, slice) else np.asarray(group)
        if part.ndim != 1 or not part.size or part.dtype.kind not in "iu":
            raise ValueError(f"{name} must be lists of indices, none of them empty; got {group!r}.")
        parts.append(np.sort(part))
    members = np.concatenate(parts)
    if members.min() < 0 or members.max() >= n:
        raise ValueError(
            f"{name} has indices from {members.min()} to {members.max()}, but X has {n} {of}: use "
            f"0 to {n - 1}."
        )
    counts = np.bincount(members, minlength=n)
    if (counts != 1).any():
        at = int(np.flatnonzero(counts != 1)[0])
        raise ValueError(
            f"{name} must hold each of the {n} {of} once: {(counts == 0).sum()} in no group, "
            f"{(counts > 1).sum()} in several; index {at} is in {counts[at]}."
        )
    return parts


def check_symmetric_data(X):
    """Raise ValueError unless ``X``, dense or CSR, is square and, up to rounding, symmetric."""
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            f"X has shape {X.shape}, but must be square: similarities of the samples with each "
            "other, such as X @ X.T."
        )
    difference = abs(X - X.T)
    if difference.max() > 1e3 * np.finfo(X.dtype).eps * abs(X).max():
        i, j = np.unravel_index(int(difference.argmax()), X.shape)
        raise ValueError(
            f"X must be symmetric, but X[{i}, {j}] = {X[i, j]:.6g} and X[{j}, {i}] = "
            f"{X[j, i]:.6g}. Pass (X + X.T) / 2 if that is what you mean."
        )
