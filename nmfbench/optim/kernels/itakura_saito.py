"""Coefficients of samples under the Itakura-Saito divergence, by multiplicative updates."""

import numpy as np
from numba import njit

__all__ = ["itakura_saito_codes", "itakura_saito_cost"]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def itakura_saito_codes(C, V, H, floor, power, tol, max_iter):
    r"""Update the coefficients of each sample until they rest.

    .. math:: h \leftarrow h \odot \left(\frac{W^T (v / (Wh)^2)}{W^T (1 / Wh)}\right)^p,
              \quad W = H^T

    Parameters
    ----------
    C : ndarray of shape (n, r), changed in place
        Where to start: positive.
    V : ndarray of shape (n, m)
    H : ndarray of shape (r, m)
    floor : float
        Samples and models are taken to be no smaller.
    power : float
        1, or 1/2, with which the divergence never rises.
    tol : float
        Stop when no update moves a sample's coefficients by more than this share of their norm.
    max_iter : int

    Returns
    -------
    int
        Updates of all samples together.
    """
    n, m = V.shape
    r = H.shape[0]
    up = np.empty(m)
    down = np.empty(m)
    updates = 0
    for s in range(n):
        h = C[s]
        for _ in range(max_iter):
            updates += 1
            for i in range(m):
                down[i] = 0.0
            for k in range(r):
                if h[k] != 0:
                    for i in range(m):
                        down[i] += h[k] * H[k, i]
            for i in range(m):
                inverse = 1.0 / max(down[i], floor)
                up[i] = max(V[s, i], floor) * inverse * inverse
                down[i] = inverse
            moved = 0.0
            size = 0.0
            for k in range(r):
                above = 0.0
                below = 0.0
                for i in range(m):
                    above += H[k, i] * up[i]
                    below += H[k, i] * down[i]
                if below <= 0:
                    continue
                ratio = above / below
                if power != 1.0:
                    ratio = ratio**power
                value = h[k] * ratio
                moved += (value - h[k]) ** 2
                size += value * value
                h[k] = value
            if moved <= tol * tol * size:
                break
    return updates


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def itakura_saito_cost(V, C, H, floor):
    r"""Sum of :math:`v/y - \log(v/y) - 1` over all entries, with ``y = C H``, both floored."""
    n, m = V.shape
    r = H.shape[0]
    model = np.empty(m)
    total = 0.0
    for s in range(n):
        for i in range(m):
            model[i] = 0.0
        for k in range(r):
            if C[s, k] != 0:
                for i in range(m):
                    model[i] += C[s, k] * H[k, i]
        for i in range(m):
            ratio = max(V[s, i], floor) / max(model[i], floor)
            total += ratio - np.log(ratio) - 1.0
    return total
