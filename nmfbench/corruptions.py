"""Noise, as functions ``(data, level, rng) -> (X, mask)`` of a data set.

:func:`corrupt` applies one by name, and keeps the result in the range of the data. Each
corruption states what its level means, and returns the mask of the entries that it set out to
change, or None where it redraws every entry. With the same generator, two levels are driven by
the same underlying draws (*common random numbers*), so that a curve over levels shows the level
and not the luck.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp
from scipy import stats
from sklearn.utils import Bunch

from nmfbench.core import registry
from nmfbench.core.registry import register_corruption
from nmfbench.core.validation import check_number
from nmfbench.optim.kernels.poisson import poisson_quantile

__all__ = [
    "broken_samples",
    "corrupt",
    "exponential",
    "gaussian",
    "laplace",
    "occlusion",
    "poisson",
    "salt_pepper",
    "sparse_laplace",
    "view_mismatch",
    "view_salt_pepper",
]

_LARGE_MEAN = 500.0  # from here on scipy's quantiles are as fast as summing up


def corrupt(data, name, level, rng):
    """Corrupt a data set, and clip it to its range.

    Parameters
    ----------
    data : Bunch
        With ``X``, a dense array (n_samples, n_features), and where they are known
        ``image_shape`` and ``upper``, as :func:`nmfbench.load_dataset` returns it. It is left
        as it is.
    name : str
        A name that ``nmfbench list corruptions`` shows.
    level : float
        How much of it; what it means differs from one corruption to the next.
    rng : numpy.random.Generator

    Returns
    -------
    Bunch
        ``data``, with a new ``X`` of the same dtype, clipped to ``[0, upper]``, or at 0 only if
        there is no ``upper``; ``clean``, the ``X`` that was given; and ``mask``, of bool, which
        tells where the two differ. It is None if the corruption replaces every entry.

    Raises
    ------
    TypeError
        If ``X`` is sparse.
    UnknownNameError
        If no corruption has that name.
    ValueError
        If the level is out of range, or the data lack what the corruption needs.

    Examples
    --------
    >>> data = Bunch(X=np.full((2, 3), 0.9), upper=1.0)
    >>> noisy = corrupt(data, "sparse-laplace", 5.0, np.random.default_rng(0))
    >>> noisy.X
    array([[1. , 0.9, 0.9],
           [0.9, 1. , 1. ]])
    >>> noisy.mask
    array([[ True, False, False],
           [False,  True,  True]])
    """
    function = registry.corruptions[name].target
    clean = data.X
    if sp.issparse(clean):
        raise TypeError(
            f"X is sparse, but {name!r} needs dense data. Use X.toarray() to convert it."
        )
    X, mask = function(data, level, rng)
    dtype = clean.dtype if np.issubdtype(clean.dtype, np.floating) else np.float64
    X = np.clip(X, 0, data.get("upper")).astype(dtype, copy=False)
    if mask is not None:
        mask = mask & (clean != X)
    return Bunch(**{**data, "X": X, "clean": clean, "mask": mask})


@register_corruption("sparse-laplace", level="standard deviation of the noise before its cut at 0")
def sparse_laplace(data, level, rng):
    """Add ``max(N, 0)`` with Laplace ``N``: about half of the entries are touched.

    Parameters
    ----------
    data : Bunch
    level : float
        Standard deviation of ``N`` before the cut; its scale is ``level / sqrt(2)``.
    rng : numpy.random.Generator

    References
    ----------
    Kumar & Sindhwani (2015), Section 5.1.
    """
    check_number(level, "level", at_least=0)
    noise = np.maximum(rng.laplace(scale=1 / np.sqrt(2), size=data.X.shape), 0) * level
    return data.X + noise, noise > 0


@register_corruption("exponential", level="factor on the mean")
def exponential(data, level, rng):
    """Draw every entry from an exponential distribution of mean ``level * X``.

    References
    ----------
    Kumar & Sindhwani (2015), Section 5.1: their lambda is the level.
    """
    check_number(level, "level", at_least=0)
    return level * rng.exponential(size=data.X.shape) * data.X, None


@register_corruption("poisson", level="counts for one unit of X: the more, the less noise")
def poisson(data, level, rng):
    """Draw counts of mean ``level * X`` from a Poisson distribution and divide them by the level.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.2; Kumar & Sindhwani (2015), Section 5.1, up to the
    factor, to which no method there is sensitive.
    """
    check_number(level, "level", at_least=0)
    if level == 0:
        return np.zeros_like(data.X), None
    # The quantile function, not rng.poisson: it rises with the mean for the same uniform draw.
    mean = np.multiply(level, data.X, dtype=np.float64).ravel()
    counts = rng.random(mean.shape)
    large = mean > _LARGE_MEAN
    counts_of_large = stats.poisson.ppf(counts[large], mean[large])
    mean[large] = 0
    poisson_quantile(counts, mean)
    counts[large] = counts_of_large
    return counts.reshape(data.X.shape) / level, None


@register_corruption("laplace", level="scale of the Laplace noise")
def laplace(data, level, rng):
    """Add Laplace noise of scale ``level``: its standard deviation is ``sqrt(2) * level``.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.2.
    """
    check_number(level, "level", at_least=0)
    noise = level * rng.laplace(size=data.X.shape)
    return data.X + noise, noise != 0


@register_corruption("gaussian", level="standard deviation of the Gaussian noise")
def gaussian(data, level, rng):
    """Add Gaussian noise of standard deviation ``level``.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.2.
    """
    check_number(level, "level", at_least=0)
    noise = level * rng.standard_normal(data.X.shape)
    return data.X + noise, noise != 0


@register_corruption("salt-pepper", level="share of entries set to 0 or the top of the range")
def salt_pepper(data, level, rng):
    """Set each entry with probability ``level`` to 0 or to the top of the range, half and half.

    The top is ``data.upper``, or the largest entry of ``X`` where that is None. What a low level
    touches, a higher one sets to the same value.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.2.
    """
    check_number(level, "level", at_least=0, at_most=1)
    mask = rng.random(data.X.shape) < level
    value = np.where(rng.random(data.X.shape) < 0.5, 0, _top(data))
    return np.where(mask, value, data.X), mask


@register_corruption(
    "broken-samples", level="share of samples whose entries are all set to 0 or the top"
)
def broken_samples(data, level, rng):
    """Set all entries of some samples to 0 or to the top of the range, half and half.

    The top is ``data.upper``, or the largest entry of ``X`` where that is None. Samples corrupted
    at a low level are also corrupted at a higher one, with the same values.
    """
    check_number(level, "level", at_least=0, at_most=1)
    rows = rng.random(len(data.X)) < level
    mask = np.broadcast_to(rows[:, None], data.X.shape).copy()
    values = np.where(rng.random(data.X.shape) < 0.5, 0, _top(data))
    return np.where(mask, values, data.X), mask


@register_corruption(
    "view-salt-pepper", level="share of the widest view's entries set to 0 or its largest entry"
)
def view_salt_pepper(data, level, rng):
    """Set entries of the widest view to 0 or to the largest entry of that view, half and half.

    Data without ``views`` are one view. What a low level touches, a higher one sets to the same
    value.
    """
    check_number(level, "level", at_least=0, at_most=1)
    X, mask, view = _widest(data)
    touched = rng.random(X[:, view].shape) < level
    value = np.where(rng.random(touched.shape) < 0.5, 0, X[:, view].max())
    X[:, view] = np.where(touched, value, X[:, view])
    mask[:, view] = touched
    return X, mask


@register_corruption(
    "view-mismatch", level="share of samples whose widest view is that of another sample"
)
def view_mismatch(data, level, rng):
    """Replace the widest view of some samples by that of another sample.

    Data without ``views`` are one view. Samples corrupted at a low level are also corrupted at a
    higher one, in the same view, as it was before.
    """
    check_number(level, "level", at_least=0, at_most=1)
    X, mask, view = _widest(data)
    n = len(X)
    rows = np.flatnonzero(rng.random(n) < level)
    others = (np.arange(n) + rng.integers(1, max(n, 2), size=n)) % n
    X[rows, view] = data.X[others[rows], view]
    mask[rows, view] = True
    return X, mask


def _widest(data):
    """A copy of the data, a mask of nothing, and the widest view, of equal ones the first."""
    views = data.get("views", [slice(None)])
    sizes = [np.arange(data.X.shape[1])[view].size for view in views]
    return data.X.copy(), np.zeros(data.X.shape, dtype=bool), views[int(np.argmax(sizes))]


@register_corruption("occlusion", level="side of the square as a share of the side of the image")
def occlusion(data, level, rng):
    """Cover a square of each image, at a random place, with the top of the range.

    Of a level, each side of an image loses the nearest whole number of pixels to its share; an
    image that is not square is covered by a rectangle of its own proportions. Every place within
    the image is equally likely, and the square of a low level lies in that of a higher one. The
    top is ``data.upper``, or the largest entry of ``X`` where that is None.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.2.
    """
    check_number(level, "level", at_least=0, at_most=1)
    shape = data.get("image_shape")
    if shape is None or math.prod(shape) != data.X.shape[1]:
        raise ValueError(
            f"occlusion needs images, but data set {data.get('name')!r} has image_shape={shape} "
            f"and {data.X.shape[1]} features. Set data.image_shape = (height, width), or choose "
            "another corruption, such as salt-pepper."
        )
    n = len(data.X)
    sides = []
    for length, place in zip(shape, rng.random((2, n, 1)), strict=True):
        covered = int(level * length + 0.5)
        # With x = place * (length - covered + 1), a square that is d pixels smaller starts at
        # floor(x + place * d), between floor(x) and floor(x) + d: inside the larger one.
        first = np.floor(place * (length - covered + 1))
        pixels = np.arange(length)
        sides.append((pixels >= first) & (pixels < first + covered))
    mask = (sides[0][:, :, None] & sides[1][:, None, :]).reshape(n, -1)
    return np.where(mask, _top(data), data.X), mask


def _top(data):
    upper = data.get("upper")
    return data.X.max() if upper is None else upper
