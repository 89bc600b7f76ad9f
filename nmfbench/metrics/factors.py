"""Scores of factors: reconstruction, sparseness, recovery of anchors and of true factors."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.preprocessing import normalize

from nmfbench.core.registry import register_metric

__all__ = [
    "anchor_recovery",
    "matched_cosines",
    "relative_error",
    "sparseness",
    "spectral_angle",
    "spectral_angles",
]


@register_metric("anchor-recovery", name="fraction of anchors recovered", higher_is_better=True)
def anchor_recovery(found, true):
    """Share of the true anchors among those found; order does not count.

    Parameters
    ----------
    found, true : array-like of int
        Row indices. ``true`` must not be empty.

    Returns
    -------
    float in [0, 1]

    References
    ----------
    Kumar & Sindhwani (2015), Figures 3 and 4.

    Examples
    --------
    >>> anchor_recovery([4, 0, 9], [0, 1, 4, 7])
    0.5
    """
    true = np.unique(true)
    if true.size == 0:
        raise ValueError("true is empty: the fraction of anchors recovered is undefined.")
    return float(np.isin(true, found).mean())


@register_metric("relative-error", name="relative error", higher_is_better=False)
def relative_error(X, X_hat):
    r"""Relative error of a reconstruction, :math:`\|X - \hat X\|_F / \|X\|_F`.

    Parameters
    ----------
    X, X_hat : ndarray of one shape
        What should be found, and what was found.

    Returns
    -------
    float, >= 0

    Raises
    ------
    ValueError
        If the shapes differ, or ``X`` is zero, where the ratio is undefined.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.2 and Table 1.

    Examples
    --------
    >>> relative_error(np.array([[3.0, 4.0]]), np.array([[3.0, 1.0]]))
    0.6
    """
    X, X_hat = np.asarray(X, dtype=np.float64), np.asarray(X_hat, dtype=np.float64)
    if X.shape != X_hat.shape:
        raise ValueError(f"X has shape {X.shape}, but X_hat has shape {X_hat.shape}.")
    norm = np.linalg.norm(X)
    if norm == 0:
        raise ValueError("X is zero: the relative error is undefined. Leave out empty samples.")
    return float(np.linalg.norm(X - X_hat) / norm)


@register_metric("sparseness", name="sparseness (Hoyer)", higher_is_better=True)
def sparseness(x):
    r"""Hoyer sparseness of a vector: 0 when flat, 1 with one non-zero entry.

    .. math:: (\sqrt{n} - \|x\|_1 / \|x\|_2) / (\sqrt{n} - 1)

    The formula says nothing of a zero vector. Here it counts as 1: nothing is sparser.

    Parameters
    ----------
    x : array-like of shape (n,)
        At least two entries.

    Returns
    -------
    float in [0, 1]

    Raises
    ------
    ValueError
        If ``x`` is not a vector, or ``n < 2``, where the ratio is undefined.

    References
    ----------
    Guan et al. (2012), MahNMF, Eq. (65), after Hoyer (2004).

    Examples
    --------
    >>> sparseness([0.0, 3.0, 0.0]), sparseness([2.0, 2.0, 2.0, 2.0])
    (1.0, 0.0)
    """
    x = np.abs(np.asarray(x, dtype=np.float64))
    if x.ndim != 1 or len(x) < 2:
        raise ValueError(
            f"x has shape {x.shape}: sparseness is defined for a vector of at least two entries."
        )
    largest = x.max()
    if largest == 0:
        return 1.0
    x = x / largest  # so that no square overflows, nor all of them vanish
    root = np.sqrt(len(x))
    ratio = (root - x.sum() / np.linalg.norm(x)) / (root - 1)
    return float(np.clip(ratio, 0, 1))  # rounding leads out by an ulp


@register_metric("spectral-angle", name="mean spectral angle (degrees)", higher_is_better=False)
def spectral_angle(true, found):
    """Mean angle, in degrees, of spectra to those found for them.

    Each spectrum gets at most one of those found and each of those found belongs to at most one,
    matched so that the mean is smallest. A spectrum that gets none is at a right angle, the largest
    between non-negative spectra.

    Parameters
    ----------
    true : ndarray of shape (n, n_bands)
    found : ndarray of shape (n_found, n_bands)

    Returns
    -------
    float in [0, 90] for non-negative spectra

    References
    ----------
    Kruse et al. (1993), The spectral image processing system; Miao & Qi (2007).

    Examples
    --------
    >>> true = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> round(spectral_angle(true, [[3.0, 3.0], [2.0, 0.0]]), 6)
    0.0
    >>> round(spectral_angle(true, [[1.0, 1.0]]), 6)
    45.0
    """
    angles = spectral_angles(true, found)
    matched = angles[linear_sum_assignment(angles)]
    return float((matched.sum() + 90 * (len(angles) - len(matched))) / len(angles))


def spectral_angles(true, found):
    """Angles, in degrees, between each of some spectra and each of others.

    Zero spectra are at a right angle to all.

    Returns
    -------
    ndarray of shape (n, n_found)

    Examples
    --------
    >>> spectral_angles([[1.0, 0.0]], [[5.0, 0.0], [1.0, 1.0], [0.0, 0.0]]).round(6)
    array([[ 0., 45., 90.]])
    """
    A, B = (normalize(np.asarray(spectra, dtype=np.float64)) for spectra in (true, found))
    # Not by the arc cosine, which loses half of the digits of small angles.
    apart, along = (np.linalg.norm(A[:, None] + s * B, axis=2) for s in (-1, 1))
    return np.degrees(2 * np.arctan2(apart, along))


def matched_cosines(A, B):
    """Cosine of each component with its partner, matched one to one so that the mean is largest.

    Parameters
    ----------
    A, B : ndarray of shape (r, n_features)
        A component that is zero has the cosine 0 with any other.

    Returns
    -------
    ndarray of shape (r,)
        In the order of ``A``.

    Examples
    --------
    >>> matched_cosines(np.eye(3), 2 * np.eye(3)[[2, 0, 1]])
    array([1., 1., 1.])
    """
    cosines = normalize(A) @ normalize(B).T
    return cosines[linear_sum_assignment(-cosines)]
