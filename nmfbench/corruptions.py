"""Noise: ``(X, level, rng) -> (X, mask)``.

Each corruption keeps ``X`` non-negative, states what its level means, and returns the mask of the
entries it changed (None where every entry is redrawn). With the same generator, two levels are
driven by the same underlying draws (*common random numbers*), so that a curve over levels shows
the level and not the luck.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from nmfbench.registry import register_corruption

__all__ = ["exponential", "poisson", "sparse_laplace"]


@register_corruption("sparse-laplace", level="standard deviation of the Laplace noise")
def sparse_laplace(X, level, rng):
    """Add ``max(N, 0)`` with Laplace ``N``: about half of the entries are touched.

    Parameters
    ----------
    X : ndarray
    level : float
        Standard deviation of ``N`` before the cut; its scale is ``level / sqrt(2)``.
    rng : Generator

    References
    ----------
    Kumar & Sindhwani (2015), Section 5.1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> Y, mask = sparse_laplace(np.ones((2, 3)), 0.5, rng)
    >>> bool(np.all(Y >= 1) and np.all((Y > 1) == mask))
    True
    """
    _check_level(level)
    noise = np.maximum(rng.laplace(scale=1 / np.sqrt(2), size=X.shape), 0) * level
    return X + noise, noise > 0


@register_corruption("exponential", level="factor on the mean")
def exponential(X, level, rng):
    """Draw every entry from an exponential distribution of mean ``level * X``.

    References
    ----------
    Kumar & Sindhwani (2015), Section 5.1: their lambda is the level.
    """
    _check_level(level)
    return level * rng.exponential(size=X.shape) * X, None


@register_corruption("poisson", level="counts for one unit of X")
def poisson(X, level, rng):
    """Draw counts of mean ``level * X`` from a Poisson distribution and divide them by the level.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.2; Kumar & Sindhwani (2015), Section 5.1, up to the
    factor, to which no method there is sensitive.
    """
    _check_level(level)
    if level == 0:
        return np.zeros_like(X), None
    # The quantile function, not rng.poisson: it rises with the mean for the same uniform draw.
    return stats.poisson.ppf(rng.random(X.shape), level * X) / level, None


def _check_level(level):
    if not (np.isfinite(level) and level >= 0):
        raise ValueError(f"level must be a finite number >= 0, got {level!r}.")
