"""Averaged projected stochastic gradients over a buffer of samples (robust approximation)."""

import numpy as np
from numba import njit

from nmfbench.optim.kernels.simplex import lower_row

__all__ = ["averaged_gradient"]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"}, error_model="numpy")
def averaged_gradient(H, V, C, order, draws, size, largest, ridge, low, high, tol, floor, cap):
    r"""Replace ``H`` by the average of projected stochastic gradient steps.

    The steps have length :math:`\theta D_W / (M_* \sqrt k)`, and the k-th iterate has that weight
    in the average. Pairs are visited in a random order, a new one in each pass.

    Parameters
    ----------
    H : ndarray of shape (r, m), changed in place
        Bases in rows.
    V : ndarray of shape (n, m)
        Samples of the buffer.
    C : ndarray of shape (n, r)
        Their coefficients.
    order : ndarray of int of shape (n,), changed in place
        Any permutation; shuffled further as far as it is used.
    draws : ndarray of shape (max_iter,)
        Uniform numbers on [0, 1), one for each step.
    size : float
        :math:`\theta D_W`.
    largest : float
        :math:`M_*` so far.
    ridge : float
        Weight of half the squared norm of H.
    low, high : float
        Bounds of the entries; the simplex, if ``low >= high``.
    tol : float
        Stop when the average moves by no more than this share of its norm.
    floor : float
        Positive: the gradient is that of the Itakura-Saito divergence, with data and model not
        below it. Otherwise that of half the squared error.
    cap : float
        Norm of a gradient that counts at most in :math:`M_*`.

    Returns
    -------
    steps : int
    largest : float
        The new :math:`M_*`.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Algorithm 2.
    """
    r, m = H.shape
    n = V.shape[0]
    mean = np.zeros((r, m))
    residual = np.empty(m)
    model = np.empty(m)
    raised = np.zeros(r)
    weights, averaged = 0.0, 0
    for step in range(draws.shape[0]):
        place = step % n
        other = place + int(draws[step] * (n - place))
        chosen = order[other]
        order[other], order[place] = order[place], chosen
        for i in range(m):
            model[i] = 0.0
        coefficients = 0.0
        for k in range(r):
            weight = C[chosen, k]
            if weight != 0:
                coefficients += weight * weight
                for i in range(m):
                    model[i] += weight * H[k, i]
        error = 0.0
        along = 0.0
        residuals = 0.0
        for i in range(m):
            if floor > 0:
                y = max(model[i], floor)
                residual[i] = (y - max(V[chosen, i], floor)) / (y * y)
            else:
                residual[i] = model[i] - V[chosen, i]
            residuals += residual[i]
            error += residual[i] * residual[i]
            along += residual[i] * model[i]
        norm_sq = error * coefficients
        if ridge > 0:
            squares = 0.0
            for k in range(r):
                for i in range(m):
                    squares += H[k, i] * H[k, i]
            norm_sq += 2 * ridge * along + ridge * ridge * squares
        largest = max(largest, min(np.sqrt(max(norm_sq, 0.0)), cap))
        if largest == 0:  # an exact fit so far
            continue
        length = size / (largest * np.sqrt(step + 1.0))
        weights += length
        share = length / weights
        shrink = 1.0 - length * ridge
        moved = 0.0
        norm = 0.0
        for k in range(r):
            pull = length * C[chosen, k]
            if pull == 0 and ridge == 0:  # the row stays
                for i in range(m):
                    change = share * (H[k, i] - mean[k, i])
                    moved += change * change
                    norm += mean[k, i] * mean[k, i]
                    mean[k, i] += change
                continue
            # The threshold, were no entry left out, and raised by what it was last time.
            lowest = (shrink - pull * residuals - 1.0) / m
            guess = lowest + pull * raised[k]
            total, count = 0.0, 0
            for i in range(m):
                old = H[k, i]
                change = share * (old - mean[k, i])
                moved += change * change
                norm += mean[k, i] * mean[k, i]
                mean[k, i] += change
                new = shrink * old - pull * residual[i]
                H[k, i] = new
                inside = new > guess
                total += new if inside else 0.0
                count += inside
            if low < high:
                for i in range(m):
                    H[k, i] = min(max(H[k, i], low), high)
            else:
                if count == 0:
                    total, count = lowest * m + 1.0, m
                threshold = lower_row(H[k], total, count)
                if pull > 0:
                    raised[k] = (threshold - lowest) / pull
        averaged += 1
        if averaged > 1 and moved <= tol * tol * norm:
            _copy(H, mean)
            return step + 1, largest
    if averaged:
        _copy(H, mean)
    return draws.shape[0], largest


@njit(cache=True)
def _copy(out, given):
    for k in range(out.shape[0]):
        for i in range(out.shape[1]):
            out[k, i] = given[k, i]
