"""Errors of a background image by image, where masks tell what is foreground.

Masks use the codes of changedetection.net: 0 background, 50 shadow, 170 unknown, 255
foreground.
"""

from __future__ import annotations

import numpy as np

__all__ = ["background_errors", "expected_background"]

_VISIBLE = 20.00005 / 255  # above 20 grey levels once it is rounded to four decimals


def expected_background(X, masks, least=5):
    """Mean of each pixel over the frames in which it is background.

    Parameters
    ----------
    X : ndarray of shape (n_frames, n_pixels)
    masks : ndarray of uint8 of the same shape
    least : int, default=5
        Pixels that are background in fewer frames are unknown.

    Returns
    -------
    ndarray of shape (n_pixels,)
        In the precision of ``X``; NaN where unknown.

    Examples
    --------
    >>> masks = np.array([[0, 0], [0, 255], [50, 0]])
    >>> expected_background(np.array([[1.0, 2.0], [3.0, 9.0], [9.0, 5.0]]), masks, least=2)
    array([2. , 3.5])
    """
    seen = masks == 0
    counts = seen.sum(axis=0)
    sums = np.sum(X, axis=0, where=seen, dtype=np.float64)
    means = np.full(X.shape[1], np.nan)
    np.divide(sums, counts, out=means, where=counts >= least)
    return means.astype(X.dtype)


def background_errors(X, L, masks, expected):
    """Errors of backgrounds where they can be seen, and under the foreground.

    Parameters
    ----------
    X : ndarray of shape (n_frames, n_pixels)
        Frames with grey levels from 0 to 1.
    L : array-like that broadcasts to that shape
        Backgrounds found.
    masks : ndarray of uint8 of the same shape
    expected : array-like that broadcasts to that shape
        Backgrounds as they are; NaN where unknown. See :func:`expected_background`.

    Returns
    -------
    dict of str to float
        ``age``, the mean of :math:`|L - X|` in grey levels of 255 where the mask is 0: how much
        of the background is lost. ``peps``, the share of these pixels with an error above 20 grey
        levels, where errors are rounded to four decimals: between whole levels many are 20, but
        for the last place of a number, and are not counted. ``age-fg`` and ``peps-fg``,
        the same of :math:`|L - b|` with the expected background b where the mask is 255: how much
        of the foreground is left in the background. What has no pixels is left out.

    Examples
    --------
    >>> X, masks = np.array([[0.0, 0.2, 1.0]]), np.array([[0, 0, 255]])
    >>> found = background_errors(X, np.array([0.0, 0.0, 0.5]), masks, [0.0, 0.2, 0.3])
    >>> {name: round(error, 1) for name, error in found.items()}
    {'age': 25.5, 'peps': 0.5, 'age-fg': 51.0, 'peps-fg': 1.0}
    """
    L, expected = np.broadcast_to(L, X.shape), np.broadcast_to(expected, X.shape)
    under = (masks == 255) & np.isfinite(expected)
    return _mean_errors(L, X, masks == 0, "") | _mean_errors(L, expected, under, "-fg")


def _mean_errors(L, wanted, where, suffix):
    total = large = 0.0
    for found, true, here in zip(L, wanted, where, strict=True):  # no array of the clip's size
        error = np.abs(found[here] - true[here])
        total += error.sum(dtype=np.float64)
        large += np.count_nonzero(error > _VISIBLE)
    n = np.count_nonzero(where)
    means = {f"age{suffix}": 255 * total / n, f"peps{suffix}": large / n} if n else {}
    return {name: float(mean) for name, mean in means.items()}
