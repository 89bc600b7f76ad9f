"""Multiplicative updates that keep denominators and factors off zero, and neighbour sums."""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["FLOOR", "graph_ratio", "neighbor_sums", "power_ratio"]

FLOOR = 1e-12
"""The smallest entry of a factor, so that none is locked at zero."""

_SMALLEST = 1e-10  # denominator


@njit(cache=True)
def power_ratio(out, factor, numerator, denominator, power):
    """``out = factor * (numerator / denominator) ** power``, entry by entry.

    Parameters
    ----------
    out : ndarray of shape (n, r)
        May be ``factor`` itself.
    factor, numerator, denominator : ndarray of shape (n, r), non-negative
    power : float
        1, 1/2 and 1/4 are fast.

    Notes
    -----
    Denominators are raised to 1e-10, which only shortens the step, and results to ``FLOOR``.
    """
    for i in range(factor.shape[0]):
        for k in range(factor.shape[1]):
            below = max(denominator[i, k], _SMALLEST)
            if power == 1.0:
                value = factor[i, k] * numerator[i, k] / below
            elif power == 0.5:
                value = factor[i, k] * np.sqrt(numerator[i, k] / below)
            elif power == 0.25:
                value = factor[i, k] * np.sqrt(np.sqrt(numerator[i, k] / below))
            else:
                value = factor[i, k] * (numerator[i, k] / below) ** power
            out[i, k] = max(value, FLOOR)


@njit(cache=True)
def graph_ratio(factor, numerator, denominator, sums, degrees, weight):
    r"""A multiplicative update with a graph penalty, in place.

    .. math:: \text{factor} \leftarrow \text{factor} \odot
              \frac{\text{numerator} + \omega\,\text{sums}}
              {\text{denominator} + \omega D\,\text{factor}}

    Parameters
    ----------
    factor, numerator, denominator : ndarray of shape (n, r), non-negative
    sums : ndarray of shape (n, r)
        Of the neighbours, S factor.
    degrees : ndarray of shape (n,)
        The diagonal of D.
    weight : float
        :math:`\omega`.

    Notes
    -----
    Floors as in :func:`power_ratio`.
    """
    for i in range(factor.shape[0]):
        pull = weight * degrees[i]
        for k in range(factor.shape[1]):
            below = max(denominator[i, k] + pull * factor[i, k], _SMALLEST)
            value = factor[i, k] * (numerator[i, k] + weight * sums[i, k]) / below
            factor[i, k] = max(value, FLOOR)


@njit(cache=True, fastmath={"contract"})
def neighbor_sums(out, factor, indptr, indices, data):
    """``out = S @ factor`` for a CSR array S, in the precision of ``out``, without allocation."""
    kind = out.dtype.type
    for i in range(out.shape[0]):
        row = out[i]
        for k in range(factor.shape[1]):
            row[k] = kind(0)
        for e in range(indptr[i], indptr[i + 1]):
            neighbor, share = factor[indices[e]], kind(data[e])
            for k in range(factor.shape[1]):
                row[k] += share * neighbor[k]
