"""Corrections of p-values for their number."""

from __future__ import annotations

import numpy as np
from scipy import stats

__all__ = ["benjamini_hochberg", "holm"]


def holm(p_values):
    """p-values after Holm's step-down correction for their number.

    Parameters
    ----------
    p_values : array-like of shape (n,)

    Returns
    -------
    ndarray of shape (n,)

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)
    adjusted = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    return np.minimum(adjusted, 1.0)[np.argsort(order)]


def benjamini_hochberg(p_values):
    """p-values after Benjamini and Hochberg's step-up correction for their number.

    Of the rejections at a level, the expected share of false ones is at most the level.

    Parameters
    ----------
    p_values : array-like of shape (n,)

    Returns
    -------
    ndarray of shape (n,)

    References
    ----------
    Benjamini and Hochberg (1995), Controlling the false discovery rate.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    array([0.03, 0.04, 0.04])
    """
    p = np.asarray(p_values, dtype=float)
    return stats.false_discovery_control(p) if len(p) else p
