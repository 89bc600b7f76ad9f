"""Multiplicative updates of bases and of the coefficients of one sample, with sums of the past."""

import numpy as np
from numba import njit

__all__ = ["incremental_updates", "multiplicative_code"]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def incremental_updates(H, h, v, A, B, old, new, tol, max_iter, floor):
    r"""Update the coefficients ``h`` of a sample and the bases ``H`` in turn.

    .. math:: h \leftarrow h \odot \frac{H v}{H H^T h}, \quad
              H \leftarrow H \odot \frac{S_o B + S_n h v^T}{S_o A H + S_n h (H^T h)^T}

    until a step moves ``H`` by no more than ``tol`` of its norm.

    Parameters
    ----------
    H : ndarray of shape (r, m), changed in place
    h : ndarray of shape (r,), changed in place
    v : ndarray of shape (m,)
    A : ndarray of shape (r, r)
    B : ndarray of shape (r, m)
    old, new : float
        Weights of the past and of the sample.
    tol : float
    max_iter : int
    floor : float
        Denominators are no smaller.

    Returns
    -------
    steps, floored : int
        Steps made, and denominators that were below the floor.
    """
    r, m = H.shape
    model = np.empty(m)
    cross = np.empty(r)
    down = np.empty(r)
    floored = 0
    for step in range(max_iter):
        for i in range(m):
            model[i] = 0.0
        for k in range(r):
            for i in range(m):
                model[i] += h[k] * H[k, i]
        for k in range(r):
            cross[k] = 0.0
            down[k] = 0.0
            for i in range(m):
                cross[k] += H[k, i] * v[i]
                down[k] += H[k, i] * model[i]
        for k in range(r):
            if down[k] < floor:
                floored += 1
                down[k] = floor
            h[k] *= cross[k] / down[k]
        for i in range(m):
            model[i] = 0.0
        for k in range(r):
            for i in range(m):
                model[i] += h[k] * H[k, i]
        past = np.dot(A, H)
        moved = 0.0
        size = 0.0
        for k in range(r):
            for i in range(m):
                below = old * past[k, i] + new * h[k] * model[i]
                if below < floor:
                    floored += 1
                    below = floor
                value = H[k, i] * (old * B[k, i] + new * h[k] * v[i]) / below
                change = value - H[k, i]
                moved += change * change
                size += value * value
                H[k, i] = value
        if moved <= tol * tol * size:
            return step + 1, floored
    return max_iter, floored


@njit(cache=True, nogil=True)
def multiplicative_code(h, gram, cross, n_updates, floor):
    r"""Update the coefficients of a sample on fixed bases, in place.

    .. math:: h \leftarrow h \odot \frac{H v}{H H^T h}

    Parameters
    ----------
    h : ndarray of shape (r,), changed in place
    gram : ndarray of shape (r, r)
        :math:`H H^T`.
    cross : ndarray of shape (r,)
        :math:`H v`.
    n_updates : int
    floor : float
        Denominators are no smaller.
    """
    for _ in range(n_updates):
        down = np.dot(gram, h)
        for k in range(len(h)):
            h[k] *= cross[k] / max(down[k], floor)
