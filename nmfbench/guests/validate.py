"""Factors, row numbers, counts and traces of an external class, checked and in our form."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.guests.errors import GuestFault

__all__ = ["checked_count", "checked_factor", "checked_indices", "own_trace"]

_ROUNDING = 1e-6  # negative entries that are smaller than this share of the largest one


def checked_factor(name, factor, shape, *, signed=False):
    """A factor as a finite, non-negative array of the right shape.

    Parameters
    ----------
    name : str
        For messages.
    factor : array-like or sparse matrix
    shape : tuple
        None stands for any number of rows.
    signed : bool, default=False
        Negative entries are allowed.

    Returns
    -------
    ndarray of floats; negative entries that are rounding errors become 0.

    Raises
    ------
    GuestFault
        If it is not; the message says the problem and the fix.
    """
    try:
        array = factor.toarray() if sp.issparse(factor) else np.asarray(factor)
        if array.dtype.kind == "c":  # else numpy would drop the imaginary parts
            raise TypeError("its numbers are complex")
        array = np.array(array, dtype=array.dtype if array.dtype.kind == "f" else np.float64)
    except (TypeError, ValueError, RuntimeError) as error:
        raise GuestFault(
            f"{name} is no array of numbers but of type {type(factor).__name__} ({error})",
            "give a numpy array",
        ) from None
    rows = array.shape[0] if shape[0] is None and array.ndim == 2 else shape[0]
    expected = (rows, shape[1])
    if array.shape != expected or not array.size:
        turned = array.shape == expected[::-1]
        what = "(n_components, n_features)" if name == "components_" else "(n_samples, r)"
        raise GuestFault(
            f"{name} has shape {array.shape}, expected {expected}, {what}",
            "transpose it: samples are rows of X" if turned else "give that shape",
        )
    bad = ~np.isfinite(array)
    if bad.any():
        raise GuestFault(
            f"{name} has {bad.sum()} entries that are NaN or infinite, the first {_at(bad)}",
            "guard divisions by sums that may be zero, and logarithms of zero",
        )
    if not signed and array.min() < 0:
        if array.min() < -_ROUNDING * max(abs(array.max()), 1e-300):
            place = _at(array == array.min())
            raise GuestFault(
                f"{name} has {(array < 0).sum()} negative entries, the smallest {array.min():.3g} "
                f"{place}",
                "project with np.maximum(..., 0), or say signed = True in the class; a class of a "
                "package may have a parameter for it",
            )
        np.maximum(array, 0, out=array)
    return array


def _at(mask):
    row, column = np.argwhere(mask)[0]
    return f"at row {row}, column {column}"


def checked_indices(name, values, n):
    """Row numbers of X, each once, as an array of integers.

    Parameters
    ----------
    name : str
        For messages.
    values : array-like
    n : int
        Number of rows of X.

    Raises
    ------
    GuestFault
        If they are not; the message says the problem and the fix.
    """
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise GuestFault(
            f"{name} is of type {array.dtype} and shape {array.shape}",
            "give an array of row numbers of X",
        )
    if len(array) and not 0 <= array.min() <= array.max() < n:
        raise GuestFault(
            f"{name} has the entry {array.max() if array.max() >= n else array.min()}, but X has "
            f"{n} rows",
            "give row numbers of X, from 0",
        )
    if len(np.unique(array)) < len(array):
        raise GuestFault(f"{name} has a row twice", "choose each row once")
    return array.astype(np.intp)


def checked_count(name, value):
    """A number of iterations as an int, the largest of several; None for None.

    Parameters
    ----------
    name : str
        For messages.
    value : int, array-like of int, or None

    Raises
    ------
    GuestFault
        If it is none; the message says the problem and the fix.
    """
    if value is None:
        return None
    array = np.asarray(value)
    known = array.size and array.dtype.kind in "iuf" and np.isfinite(array).all()
    if not known or (array < 0).any() or (array % 1 != 0).any():
        raise GuestFault(f"{name} is {value!r}", "give a number of iterations, a whole one from 0")
    return int(array.max())


def own_trace(model):
    """The trace that a model keeps itself, if it has our form; else None."""
    trace: Any = getattr(model, "trace_", None)
    names = getattr(getattr(trace, "dtype", None), "names", None) or ()
    wanted = TRACE_DTYPE.names or ()
    if not set(wanted) <= set(names) or trace.ndim != 1 or not len(trace):
        return None
    own = np.empty(len(trace), dtype=TRACE_DTYPE)
    for name in wanted:
        own[name] = trace[name]
    return own
