"""Affinities of the pixels of an image, and their corruption."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.spatial import KDTree

__all__ = ["corrupted_affinity", "pixel_affinity"]

_ROUNDING = 1e-9  # of distances, relative: on the radius is outside


def pixel_affinity(grey, position, *, sigma_brightness, sigma_position, radius):
    r"""Affinity of pixels that are alike and close.

    .. math:: w_{ij} = e^{-(F_i-F_j)^2/\sigma_I^2} e^{-\|P_i-P_j\|^2/\sigma_P^2}
              \quad \text{if } \|P_i-P_j\| < R, \text{ else } 0

    Parameters
    ----------
    grey : ndarray of shape (n_pixels,)
        F.
    position : ndarray of shape (n_pixels, 2)
        P.
    sigma_brightness, sigma_position, radius : float
        The two sigmas, and R, which is positive.

    Returns
    -------
    CSR array of shape (n_pixels, n_pixels)
        Symmetric, with a diagonal of ones.

    References
    ----------
    Guan et al. (2012), MahNMF, Eq. (62); Shi & Malik (2000), Section 4.
    """
    if min(sigma_brightness, sigma_position, radius) <= 0:
        raise ValueError(
            "sigma_brightness, sigma_position and radius must be positive, got "
            f"{sigma_brightness}, {sigma_position} and {radius}."
        )
    pairs = KDTree(position).query_pairs(radius, output_type="ndarray")
    i, j = pairs.T.astype(np.int32)  # such indices of sparse arrays scikit-learn takes
    distance = ((position[i] - position[j]) ** 2).sum(axis=1)
    near = distance < ((1 - _ROUNDING) * radius) ** 2
    i, j, distance = i[near], j[near], distance[near]
    weights = np.exp(
        -(((grey[i] - grey[j]) / sigma_brightness) ** 2) - distance / sigma_position**2
    )
    n = len(grey)
    upper = sp.coo_array((weights, (i, j)), shape=(n, n)).tocsr()
    W = (upper + upper.T + sp.eye_array(n)).tocsr()
    W.eliminate_zeros()
    return W


def corrupted_affinity(V, share, rng):
    """Replace a share of the entries, in symmetric pairs, by uniform numbers up to the largest.

    Parameters
    ----------
    V : CSR array of shape (n, n)
        Symmetric. Its diagonal stays.
    share : float in [0, 1]
    rng : Generator

    Returns
    -------
    CSR array of the same shape
    """
    if not 0 <= share <= 1:
        raise ValueError(f"corrupted must be from 0 to 1, got {share}.")
    dense, largest = V.toarray(), V.max()
    rows, columns = np.triu_indices(V.shape[0], 1)
    hit = rng.random(len(rows)) < share
    values = rng.uniform(0, largest, hit.sum())
    dense[rows[hit], columns[hit]] = dense[columns[hit], rows[hit]] = values
    return sp.csr_array(dense)
