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
def graph_ratio(out, factor, numerator, denominator, indptr, indices, data, degrees, weight):
    r"""A multiplicative update with a graph penalty, whose products are formed on the way.

    .. math:: \text{out} = \text{factor} \odot \frac{\text{numerator} + \omega S\,\text{factor}}
              {\text{denominator} + \omega D\,\text{factor}}

    Parameters
    ----------
    out : ndarray of shape (n, r)
        Not ``factor``.
    factor, numerator, denominator : ndarray of shape (n, r), non-negative
    indptr, indices, data : ndarray
        Of the affinity S, a CSR array.
    degrees : ndarray of shape (n,)
        Sums of the rows of S, the diagonal of D.
    weight : float
        :math:`\omega`.

    Notes
    -----
    Floors are those of :func:`power_ratio`.
    """
    for i in range(factor.shape[0]):
        for k in range(factor.shape[1]):
            out[i, k] = 0
        for e in range(indptr[i], indptr[i + 1]):
            for k in range(factor.shape[1]):
                out[i, k] += data[e] * factor[indices[e], k]
        pull = weight * degrees[i]
        for k in range(factor.shape[1]):
            below = max(denominator[i, k] + pull * factor[i, k], _SMALLEST)
            value = factor[i, k] * (numerator[i, k] + weight * out[i, k]) / below
            out[i, k] = max(value, FLOOR)


@njit(cache=True)
def neighbor_sums(out, factor, indptr, indices, data):
    """``out = S @ factor`` for a CSR array S, in the precision of ``out``, without allocation."""
    for i in range(out.shape[0]):
        for k in range(factor.shape[1]):
            out[i, k] = 0
        for e in range(indptr[i], indptr[i + 1]):
            for k in range(factor.shape[1]):
                out[i, k] += data[e] * factor[indices[e], k]
