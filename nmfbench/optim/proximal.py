r"""Group norms :math:`\Omega_p(X) = \sum_k \|x_k\|_p` of the columns of X >= 0, p = 2 or infinity.

Their proximal operators and the projections on their balls. One number :math:`\theta` gives
both: the projection is the proximal operator whose step brings the norm down to the radius.
"""

from __future__ import annotations

import numpy as np

__all__ = ["group_norm", "project_group_ball", "project_simplex", "prox_group_norm"]


def group_norm(X, p):
    r"""Sum over the columns of ``X`` of their norms.

    Parameters
    ----------
    X : ndarray of shape (n, r)
    p : {2, inf}

    Returns
    -------
    float
    """
    return float(_norms(X, p).sum())


def prox_group_norm(X, step, p):
    r"""The minimiser of :math:`t\,\Omega_p(Y) + \frac12 \|Y - X\|_F^2` over ``Y >= 0``.

    Parameters
    ----------
    X : ndarray of shape (n, r)
        Its columns are the vectors; modified in place. Negative entries become 0.
    step : float
        t, not negative.
    p : {2, inf}
        With 2, columns shrink towards zero. With infinity, their largest entries are cut down
        to one level. Columns become zero where the 2-norm, or the sum, is no more than t.

    Returns
    -------
    ndarray
        ``X``.

    Notes
    -----
    Sums are in float64. For p infinity this is Moreau's identity: what is cut off is the
    projection on the vectors with ``y >= 0`` and sum at most t. Columns are sorted for it.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 4.3, Eqs. (54)-(57).
    """
    np.maximum(X, 0, out=X)
    if p == 2:
        return _shrink(X, _norms(X, 2), step)
    return _cap(X, _Levels(X)(step)[0])


def project_group_ball(X, radius, p):
    r"""Project on the set with ``X >= 0`` and :math:`\Omega_p(X) \le s`, exactly.

    Parameters
    ----------
    X : ndarray of shape (n, r)
        Its columns are the vectors; modified in place.
    radius : float
        s, not negative.
    p : {2, inf}

    Returns
    -------
    ndarray
        ``X``.

    Notes
    -----
    Negative entries become 0. Guan et al. project the absolute values, which is right only
    without the sign constraint: for (-1, 0.5) and s = 1 the nearest point is (0, 0.5).

    For p infinity, the sum of the levels as a function of theta is convex, decreasing and
    piecewise linear, so that Newton's method from the left ends, exactly, on the right piece.
    It takes a few steps, of no more than O(n r) each, after the columns are sorted.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 4.3, Eqs. (45)-(50).
    """
    np.maximum(X, 0, out=X)
    norms = _norms(X, p)
    if norms.sum() <= radius:
        return X
    if radius <= 0:
        X[:] = 0
    elif p == 2:
        _shrink(X, norms, _simplex_threshold(norms, radius))
    else:
        _cap(X, _Levels(X).of_sum(radius))
    return X


def project_simplex(x, size=1.0):
    """The nearest point with entries that are not negative and have the sum ``size``.

    Parameters
    ----------
    x : array-like of shape (n,)
        Of any sign.
    size : float, default=1.0
        Positive.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> project_simplex([0.5, -1.0, 1.5])
    array([0., 0., 1.])
    """
    x = np.asarray(x)
    x = x.astype(np.result_type(x.dtype, np.float32), copy=False)
    return np.maximum(x - _simplex_threshold(x, size), 0).astype(x.dtype, copy=False)


def _norms(X, p):
    if p == 2:
        return np.sqrt(np.einsum("ik,ik->k", X, X, dtype=np.float64))
    return np.abs(X).max(axis=0, initial=0).astype(np.float64)


def _simplex_threshold(x, size):
    """The number whose subtraction brings the sum of the positive parts to ``size``."""
    ordered = np.sort(x.astype(np.float64))[::-1]
    counts, sums = np.arange(1, len(x) + 1), np.cumsum(ordered)
    last = np.flatnonzero(sums - counts * ordered < size)[-1]  # never empty: the first is 0
    return (sums[last] - size) / counts[last]


def _shrink(X, norms, step):
    kept = np.maximum(norms - step, 0) / np.where(norms > 0, norms, 1)
    X *= kept.astype(X.dtype)
    return X


def _cap(X, levels):
    return np.minimum(X, levels.astype(X.dtype), out=X)


class _Levels:
    """Where each column of ``X >= 0`` is cut if the parts cut off are to sum to theta."""

    def __init__(self, X):
        ordered = -np.sort(-X.T, axis=1)  # columns of X, largest entries first
        self.counts = np.arange(1, X.shape[0] + 1)
        self.sums = np.cumsum(ordered, axis=1, dtype=np.float64)
        # Sum that is cut off if the level is that of the i-th largest entry; zero for the first.
        self.parts = np.maximum.accumulate(self.sums - self.counts * ordered, axis=1)

    def __call__(self, theta):
        """The levels, and how many entries are cut in each column; none in one that vanishes."""
        n_cut = np.count_nonzero(self.parts <= theta, axis=1)
        levels = (self.sums[np.arange(len(n_cut)), n_cut - 1] - theta) / n_cut
        return np.maximum(levels, 0), np.where(self.sums[:, -1] > theta, n_cut, 0)

    def of_sum(self, size):
        """The levels whose sum is ``size``, which is positive and less than that of the maxima."""
        theta = 0.0
        while True:
            levels, n_cut = self(theta)
            (cut,) = np.nonzero(n_cut)
            # The piece at theta, as a line; where it meets the size depends on n_cut alone.
            averages = self.sums[cut, n_cut[cut] - 1] / n_cut[cut]
            better = (averages.sum() - size) / (1 / n_cut[cut]).sum()
            if not better > theta:
                return levels
            theta = better
