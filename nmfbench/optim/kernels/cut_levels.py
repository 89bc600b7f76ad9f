r"""Levels at which columns are cut, by how much is cut off, or by what the levels sum to.

With :math:`\theta_k(\ell) = \sum_i [x_{ik} - \ell]_+` cut off from column k at the level
:math:`\ell`. Both :math:`\theta_k` and its inverse are convex, decreasing and piecewise linear, so
that Newton's method from the left ends on the right piece, exactly, in a few passes over ``X``
that all columns share. Nothing is sorted.
"""

import numpy as np
from numba import njit

__all__ = ["cut_levels", "cut_levels_to_sum"]


@njit(cache=True)
def _maxima(out, X):
    out[:] = 0.0
    for i in range(X.shape[0]):
        for k in range(X.shape[1]):
            out[k] = max(out[k], abs(X[i, k]))


@njit(cache=True)
def _above(levels, sums, counts, X):
    """Sums and numbers of the entries of the columns that are at their levels or above."""
    sums[:] = 0.0
    counts[:] = 0.0
    for i in range(X.shape[0]):
        row = X[i]
        for k in range(X.shape[1]):
            magnitude = abs(row[k])
            above = magnitude >= levels[k]
            sums[k] += magnitude if above else 0.0
            counts[k] += 1.0 if above else 0.0


@njit(cache=True)
def _cut(levels, sums, counts, X, tops, size):
    """Move ``levels`` to where ``size`` is cut off, from levels no higher than the maxima ``tops``.

    ``sums`` and ``counts`` become the sums and counts over the entries at the levels and above,
    which are one or more: no level rises above the maximum by rounding.
    """
    r = X.shape[1]
    first = moving = True
    while moving:
        _above(levels, sums, counts, X)
        moving = False
        for k in range(r):
            level = min(max((sums[k] - size) / counts[k], 0.0), tops[k])
            # A step from the right of the solution leads to its left, and all others up.
            if level > levels[k] or (first and level < levels[k]):
                levels[k] = level
                moving = True
        first = False


@njit(cache=True)
def cut_levels(levels, X, size):
    r"""``levels[k]`` such that :math:`\sum_i [|x_{ik}| - \ell_k]_+` is ``size``.

    Parameters
    ----------
    levels : ndarray of shape (r,), float64
        Where to start, of any size: near the solution, two passes do. Overwritten; zero where the
        whole column sums to no more than ``size``.
    X : ndarray of shape (n, r)
    size : float, not negative
    """
    r = X.shape[1]
    tops, sums, counts = np.empty(r), np.empty(r), np.empty(r)
    _maxima(tops, X)
    for k in range(r):
        levels[k] = min(levels[k], tops[k])
    _cut(levels, sums, counts, X, tops, size)


@njit(cache=True)
def cut_levels_to_sum(levels, X, total):
    """Levels that sum to ``total`` and cut the same off each column that does not vanish.

    Parameters
    ----------
    levels : ndarray of shape (r,), float64
        Where to start, of any size: near the solution, two passes do. Overwritten; zero in the
        columns that vanish.
    X : ndarray of shape (n, r), non-negative
    total : float
        Positive, and less than the sum of the largest entries.

    Notes
    -----
    Newton's method in levels and size together is tried first. Where it comes to rest it has the
    solution, as there is one only; if it does not, Newton's method in the size alone ends always.
    """
    r = X.shape[1]
    tops, sums, counts = np.empty(r), np.empty(r), np.empty(r)
    _maxima(tops, X)
    for _ in range(_JOINT_STEPS):
        for k in range(r):
            levels[k] = min(levels[k], tops[k])
        if not levels.any():
            break
        _above(levels, sums, counts, X)
        size = _size(levels, sums, counts, total)
        resting = True
        for k in range(r):
            level = min(max((sums[k] - size) / counts[k], 0.0), tops[k])
            resting = resting and level == levels[k]
            levels[k] = level
        if resting:
            return
    for k in range(r):
        levels[k] = tops[k]
    size = 0.0
    while True:
        _cut(levels, sums, counts, X, tops, size)
        better = _size(levels, sums, counts, total)
        if not better > size:
            return
        size = better


@njit(cache=True)
def _size(levels, sums, counts, total):
    """Where the levels, as linear functions of the size on their present piece, sum to a total."""
    height = slope = 0.0
    for k in range(len(levels)):
        if levels[k] > 0.0:
            height += sums[k] / counts[k]
            slope += 1.0 / counts[k]
    return (height - total) / slope


_JOINT_STEPS = 20
