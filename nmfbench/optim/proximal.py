r"""Group norms :math:`\Omega_p(X) = \sum_k \|x_k\|_p` of the columns of X, p = 2 or infinity.

Their proximal operators, and the projections on the non-negative part of their balls. One number
:math:`\theta` gives both: the projection is the proximal operator whose step brings the norm down
to the radius.
"""

from __future__ import annotations

import numpy as np

from nmfbench.optim.kernels.cut_levels import cut_levels, cut_levels_to_sum

__all__ = [
    "GroupBall",
    "GroupPenalty",
    "group_norm",
    "group_norms",
    "project_group_ball",
    "project_simplex",
    "prox_group_norm",
]


class GroupBall:
    """Projection of the rows of each group on the ball of the group norm, in place.

    Parameters
    ----------
    groups : list of ndarray of int
        Indices of rows.
    p : {2, inf}
    radii : list of float
        One for each group.
    """

    def __init__(self, groups, p, radii):
        self.groups, self.p, self.radii = [_rows(group) for group in groups], p, radii
        self._levels = _Levels(len(groups))

    def __call__(self, factor, step):
        levels = self._levels.of(factor)
        for group, radius, start in zip(self.groups, self.radii, levels, strict=True):
            part = project_group_ball(factor[group], radius, self.p, levels=start)
            if not isinstance(group, slice):
                factor[group] = part


class GroupPenalty:
    """The proximal operator of ``weight`` times the sum of the group norms, in place.

    Parameters
    ----------
    groups : list of ndarray of int
        Indices of rows.
    p : {2, inf}
    weight : float
    signed : bool, default=False
        Without the constraint that nothing is negative.
    """

    def __init__(self, groups, p, weight, *, signed=False):
        self.groups, self.p, self.weight = [_rows(group) for group in groups], p, weight
        self.signed = signed
        self._levels = _Levels(len(groups))

    def __call__(self, factor, step):
        size, levels = self.weight * step, self._levels.of(factor)
        for group, start in zip(self.groups, levels, strict=True):
            part = prox_group_norm(factor[group], size, self.p, signed=self.signed, levels=start)
            if not isinstance(group, slice):
                factor[group] = part

    def value(self, factor):
        return self.weight * sum(group_norm(factor[group], self.p) for group in self.groups)


class _Levels:
    """Levels of the last call for each group, from which the next call starts.

    They save passes and change nothing: the levels that are found do not depend on them.
    """

    def __init__(self, n_groups):
        self._shape = n_groups, 0
        self._last = np.zeros(self._shape)

    def of(self, factor):
        if self._last.shape[1] != factor.shape[1]:
            self._last = np.full((self._shape[0], factor.shape[1]), np.inf)
        return self._last


def _rows(group):
    """The sorted indices as a slice, where they are in one piece: a view of them is in place."""
    first, last = int(group[0]), int(group[-1])
    return slice(first, last + 1) if last - first + 1 == len(group) else group


def group_norms(X, groups, p):
    """Norms of the columns of ``X`` within each group of rows.

    Parameters
    ----------
    X : ndarray of shape (n, r)
    groups : list of ndarray of int
        Indices of rows.
    p : {2, inf}

    Returns
    -------
    ndarray of shape (n_groups, r), float64
    """
    return np.array([_norms(X[group], p) for group in groups])


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


def prox_group_norm(X, step, p, *, signed=False, levels=None):
    r"""The minimiser of :math:`t\,\Omega_p(Y) + \frac12 \|Y - X\|_F^2`, by default over ``Y >= 0``.

    Parameters
    ----------
    X : ndarray of shape (n, r)
        Its columns are the vectors; modified in place.
    step : float
        t, not negative.
    p : {2, inf}
        With 2, columns shrink towards zero. With infinity, their largest entries are cut down
        to one level. Columns become zero where the 2-norm, or the sum, is no more than t.
    signed : bool, default=False
        Over all Y: negative entries shrink as positive ones do. Otherwise they become 0.
    levels : ndarray of shape (r,), float64, optional
        For p infinity, where to start, such as the levels of a similar ``X``. Overwritten by those
        at which columns are cut.

    Returns
    -------
    ndarray
        ``X``.

    Notes
    -----
    Sums are in float64. For p infinity this is Moreau's identity: what is cut off is the
    projection on the ball of the 1-norm of radius t.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 4.3, Eqs. (54)-(57).
    """
    if not signed:
        np.maximum(X, 0, out=X)
    if p == 2:
        return _shrink(X, _norms(X, 2), step)
    levels = np.full(X.shape[1], np.inf) if levels is None else levels
    cut_levels(levels, X, step)
    levels = levels.astype(X.dtype)
    return np.clip(X, -levels if signed else None, levels, out=X)


def project_group_ball(X, radius, p, *, levels=None):
    r"""Project on the set with ``X >= 0`` and :math:`\Omega_p(X) \le s`, exactly.

    Parameters
    ----------
    X : ndarray of shape (n, r)
        Its columns are the vectors; modified in place.
    radius : float
        s, not negative.
    p : {2, inf}
    levels : ndarray of shape (r,), float64, optional
        For p infinity, where to start, such as the levels of a similar ``X``. Overwritten by those
        at which columns are cut, if any is.

    Returns
    -------
    ndarray
        ``X``.

    Notes
    -----
    Negative entries become 0. Guan et al. project the absolute values, which is right only
    without the sign constraint: for (-1, 0.5) and s = 1 the nearest point is (0, 0.5).

    For p infinity, the sum of the levels as a function of theta is convex, decreasing and
    piecewise linear, so that Newton's method ends, exactly, on the right piece, after a few passes
    over X.

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
        levels = np.full(X.shape[1], np.inf) if levels is None else levels
        cut_levels_to_sum(levels, X, radius)
        np.minimum(X, levels.astype(X.dtype), out=X)
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
