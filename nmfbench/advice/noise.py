r"""Log density of held-out entries under the noise model of each loss: one unit for all of them.

Each loss is the deviance of a noise model, whose scale is estimated on the training entries with
their degrees of freedom, :math:`N - r (n + m)`:

=============== ======================== =============================================
loss            variance                 log density of an entry x with prediction y
=============== ======================== =============================================
frobenius       constant                 :math:`-\tfrac12 \log 2\pi s^2 - (x-y)^2 / 2s^2`
manhattan       constant, heavy tails    :math:`-\log 2b - |x-y| / b`
kl              proportional to mean     :math:`-\tfrac12 \log 2\pi\phi(x + \phi/6) - d / 2\phi`
itakura-saito   to its square            :math:`-\tfrac12 \log 2\pi\phi x^2 - d / 2\phi`
=============== ======================== =============================================

with the unit deviance d, twice the divergence. A density is not bounded, so that a model would win
by entries that repeat (zeros, counts, grey levels). Data have a resolution: under the two models of
constant variance an entry has the probability of its cell, divided by the width of the cell, and no
scale is smaller than the width.

A few gross errors would make any density lose that is not the heaviest in its tails. The model of
the Manhattan distance has a share of them, uniform over the range of the data and estimated with b
by maximum likelihood: :math:`(1-\varepsilon) \, e^{-|x-y|/b} / 2b + \varepsilon / \max x`.

References
----------
Nelder & Pregibon (1987), An extended quasi-likelihood function, Biometrika 74(2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from nmfbench.optim.projections.bregman import GENERATORS

__all__ = ["NOISES", "Scale", "cell_width", "deviance", "is_counts", "log_density", "scale_of"]

NOISES = {
    "frobenius": "Gaussian noise of one size",
    "manhattan": "heavy tails or gross errors (Laplace)",
    "kl": "variance proportional to the mean (counts)",
    "itakura-saito": "variance proportional to the square of the mean (multiplicative)",
}
"""Noise model of each loss, as readers see it; the keys of :data:`nmfbench.optim.losses.LOSSES`."""

_TINY = 1e-9  # of the mean of the training entries: least prediction


@dataclass(frozen=True)
class Scale:
    """Scale of a noise model.

    Attributes
    ----------
    size : float
        The mean square s**2, the mean absolute residual b, or the mean deviance phi.
    errors : float, default=0
        Share of gross errors.
    top : float, default=0
        Largest gross error.
    """

    size: float
    errors: float = 0.0
    top: float = 0.0


def is_counts(X) -> bool:
    """Whether all entries are whole numbers.

    Examples
    --------
    >>> is_counts(np.array([[0.0, 3.0]])), is_counts(np.array([[0.5, 3.0]]))
    (True, False)
    """
    return bool(np.all(np.rint(X) == X))


def cell_width(X) -> tuple[float, float]:
    """Width of the cells that entries were rounded to, for positive entries and for zeros.

    Parameters
    ----------
    X : ndarray

    Returns
    -------
    (float, float)
        Of positive entries the smallest distance between different ones where most are repeated,
        else 0; of zeros, where more than 1 % are, at least the smallest positive entry.

    Examples
    --------
    >>> cell_width(np.array([0.0, 1.0, 1.0, 2.0, 2.0, 1.0]))
    (1.0, 1.0)
    >>> cell_width(np.array([0.3, 1.1, 2.0, 2.5]))
    (0.0, 0.0)
    """
    values, counts = np.unique(X[X > 0], return_counts=True)
    width = 0.0
    if len(values) > 1 and counts.sum() >= 2 * len(values):
        gaps = np.diff(values)
        width = float(np.quantile(gaps, 0.05))
    elif len(values) == 1:
        width = float(values[0])
    zeros = float(values[0]) if len(values) and np.mean(X == 0) > 0.01 else 0.0
    return width, max(width, zeros)


def scale_of(loss, x, y, freedom, width=0.0) -> Scale:
    """Scale of a noise model, from training entries.

    Parameters
    ----------
    loss : str
        A key of :data:`NOISES`.
    x, y : ndarray of shape (n,)
        Entries and their fit.
    freedom : float
        Degrees of freedom that the fit leaves, above 0.
    width : float, default=0
        Least scale, in the unit of the data.

    Examples
    --------
    >>> scale_of("frobenius", np.array([1.0, 3.0]), np.array([2.0, 2.0]), 1.0).size
    2.0
    """
    floor = _TINY * max(float(np.mean(x)), np.finfo(float).tiny)
    found = deviance(loss, x, y, floor)
    if loss == "manhattan":
        return _with_errors(found, len(x) / freedom, max(width / 4, floor), float(x.max()))
    least = {"frobenius": max(width**2 / 12, floor**2), "kl": max(width, floor)}
    return Scale(max(float(found.sum()) / freedom, least.get(loss, _LEAST)))


_LEAST = 1e-18  # mean deviance, which has no unit under multiplicative noise
_ROUNDS, _MOST = 30, 0.3  # of expectation-maximization; share of gross errors


def _with_errors(distance, correction, least, top):
    """Scale of Laplace's distribution beside a share of gross errors, by maximum likelihood."""
    plain = Scale(max(float(distance.mean()) * correction, least))
    b, share = max(float(np.median(distance)) / np.log(2), least), 0.05
    if top <= 0:
        return plain
    for _ in range(_ROUNDS):
        inlier = (1 - share) * np.exp(-distance / b) / (2 * b)
        wild = share / top
        weight = inlier / (inlier + wild)
        share = min(float(1 - weight.mean()), _MOST)
        b = max(float(weight @ distance / max(weight.sum(), 1e-300)), least)
    return Scale(max(b * correction, least), share, top) if share > _FEWEST else plain


_FEWEST = 1e-3  # gross errors, as a share of the entries


def deviance(loss, x, y, floor=1e-300):
    """Deviance of each entry; of the Manhattan distance that itself."""
    if loss == "manhattan":
        return np.abs(x - y)
    if loss == "frobenius":
        return (x - y) ** 2
    y = np.maximum(y, floor)
    if loss == "itakura-saito":
        x = np.maximum(x, floor)
    return 2 * GENERATORS[loss].divergence(x, y)


def log_density(loss, x, y, scale, widths=(0.0, 0.0), floor=0.0):
    """Log density of each entry.

    Parameters
    ----------
    loss : str
        A key of :data:`NOISES`.
    x, y : ndarray of shape (n,)
        Held-out entries and their predictions.
    scale : Scale
        Of :func:`scale_of`.
    widths : (float, float), default=(0, 0)
        Of :func:`cell_width`.
    floor : float, default=0
        Entries and predictions below it are raised to it where the model has none there.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> log_density("manhattan", np.array([1.0]), np.array([1.0]), Scale(0.5))
    array([-0.])
    """
    if loss in ("frobenius", "manhattan"):
        found = _constant(loss, x, y, scale.size, np.where(x > 0, *widths))
        if not scale.errors:
            return found
        wild = np.log(scale.errors / scale.top)
        return np.logaddexp(np.log1p(-scale.errors) + found, wild)
    apart, size = deviance(loss, x, y, floor), scale.size
    spread = np.maximum(x, floor) ** 2 if loss == "itakura-saito" else x + size / 6
    return -0.5 * np.log(2 * np.pi * size * spread) - apart / (2 * size)


def _constant(loss, x, y, scale, width):
    """Log of the probability of a cell over its width; the density where it has none."""
    distance = np.abs(x - y)
    if loss == "frobenius":
        found = -0.5 * np.log(2 * np.pi * scale) - distance**2 / (2 * scale)
        half = width / (2 * np.sqrt(scale))
        near, far = half - distance / np.sqrt(scale), -half - distance / np.sqrt(scale)
        log_of = log_ndtr
    else:
        found = -np.log(2 * scale) - distance / scale
        half = width / (2 * scale)
        near, far = half - distance / scale, -half - distance / scale
        log_of = _log_laplace
    wide = half > _NARROW
    if np.any(wide):
        upper, lower = log_of(near[wide]), log_of(far[wide])
        share = upper + np.log(-np.expm1(np.minimum(lower - upper, -1e-300)))
        found = found.copy()
        found[wide] = share - np.log(width[wide])
    return found


_NARROW = 1e-3  # of the scale: a cell in which the density hardly changes


def _log_laplace(z):
    """Log of the distribution function of Laplace's distribution with scale 1."""
    return np.where(z < 0, z - np.log(2), np.log1p(-0.5 * np.exp(-np.abs(z))))
