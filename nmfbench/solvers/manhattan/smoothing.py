r"""Nesterov's smoothing of ``||X - W H||_1`` over one factor, and his optimal gradient method.

The function :math:`|e| = \max_{|u| \le 1} u e` becomes smooth when a quadratic is taken from
the maximum. Guan et al. (2012), Section 3, Eqs. (9)-(22).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nmfbench.kernels.smoothing import smooth_residual

__all__ = ["SmoothedLoss", "nonnegative", "optimal_gradient"]


class SmoothedLoss:
    r"""The smoothed loss as a function of one factor, the other fixed (Eq. (11)-(15)).

    .. math:: F_\mu(W) = \sum_{ij} \max_{|u| \le 1} u E_{ij} - \tfrac{\mu}{2} d_j u^2,
              \qquad E = W H - X, \quad d_j = \|H_{:j}\|_2

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    other : ndarray of shape (n_features, r) or (n_samples, r)
        The fixed factor: ``Ht`` if W varies, ``W`` if Ht varies.
    mu : float
        Smoothing, in the unit of the varying factor.
    buffer : ndarray of the shape of X
        Overwritten at every evaluation; nothing else of that size is ever made.
    varies : {"W", "H"}
    lipschitz : {"trace", "spectral"}, default="trace"
        The constant of Eq. (16): :math:`\sum_j d_j / \mu`, the paper's bound, or the norm that
        it bounds, :math:`\sigma_\max^2(\mathrm{diag}(d)^{-1/2} H^T) / \mu`.
    ridge : float, default=0
        Weight of :math:`\frac12 \|E\|_F^2`, added to the loss.

    Attributes
    ----------
    lipschitz : float
        Of the gradient.
    smoothing_error : float
        ``F - F_mu`` is never more: ``mu / 2`` times the sum of d, for each row of the factor
        that varies (Theorem 1).
    """

    def __init__(self, X, other, mu, buffer, *, varies, lipschitz="trace", ridge=0.0):
        d = np.sqrt(np.einsum("ij,ij->i", other, other, dtype=np.float64))
        # The loss does not depend on a coordinate whose row of the basis is zero.
        d = np.maximum(d, max(1e-12 * d.max(initial=0.0), np.finfo(X.dtype).tiny / mu))
        self.X, self.other, self.buffer, self.ridge = X, other, buffer, ridge
        self.rows = varies == "W"
        self.thresholds = (mu * d).astype(X.dtype)
        n_problems = X.shape[0] if self.rows else X.shape[1]
        self.smoothing_error = 0.5 * mu * float(d.sum()) * n_problems
        if lipschitz == "trace":
            self.lipschitz = float(d.sum()) / mu
        else:
            weighted = other / np.sqrt(d)[:, None]
            self.lipschitz = float(np.linalg.norm(weighted.T @ weighted, 2)) / mu
        if ridge:
            self.lipschitz += ridge * float(np.linalg.norm(other.T @ other, 2))

    def gradient(self, factor, out):
        """Write the gradient at ``factor`` to ``out``, and return the smoothed loss there."""
        if self.rows:
            np.matmul(factor, self.other.T, out=self.buffer)
        else:
            np.matmul(self.other, factor.T, out=self.buffer)
        value = smooth_residual(self.buffer, self.X, self.thresholds, not self.rows, self.ridge)
        np.matmul(self.buffer if self.rows else self.buffer.T, self.other, out=out)
        return value


def nonnegative(factor, step):
    """Projection on the non-negative orthant, in place; ``step`` plays no part."""
    np.maximum(factor, 0, out=factor)


@dataclass
class Descent:
    """What :func:`optimal_gradient` returns: the last ``Y`` and how many gradients it took."""

    factor: np.ndarray
    n_iter: int


def optimal_gradient(
    loss,
    start,
    *,
    prox: Callable = nonnegative,
    tol=1e-2,
    min_iter=10,
    max_iter=1000,
):
    r"""Minimise a smooth convex function plus a simple one (Algorithm 2, Eqs. (17)-(22)).

    .. math:: Y_k = P_{1/L}[X_k - g_k / L], \quad
              Z_k = P_{s_k/L}[X_0 - \tfrac1L \sum_{i \le k} \tfrac{i+1}{2} g_i], \quad
              X_{k+1} = \tfrac{2}{k+3} Z_k + \tfrac{k+1}{k+3} Y_k

    Parameters
    ----------
    loss : object
        With ``gradient(factor, out)`` and ``lipschitz``, such as a :class:`SmoothedLoss`.
    start : ndarray
        Where to start, and the centre of the prox-function. Not modified.
    prox : callable
        ``prox(factor, step)`` replaces ``factor`` by the minimiser of ``step`` times the simple
        function plus half the squared distance; a projection ignores ``step``. Here
        :math:`s_k = (k+1)(k+2)/4` is the sum of the weights of the gradients.
    tol : float
        Stop when the gradient mapping, ``L`` times the length of ``X_k - Y_k``, has fallen to
        this share of its first length.
    min_iter, max_iter : int

    Returns
    -------
    Descent

    Notes
    -----
    ``F(Y_N) - min F <= 4 L D / ((N+1)(N+2))`` with D half the squared distance from the start to
    a solution. The objective may rise on the way.
    """
    L = loss.lipschitz
    X = start.copy()
    g, Y, Z, total = (np.empty_like(X) for _ in range(4))
    total[:] = 0
    first = 0.0
    for k in range(max_iter):
        loss.gradient(X, g)
        np.multiply(g, -1 / L, out=Y)
        Y += X
        prox(Y, 1 / L)
        # Rounding aside, the total is the sum of (i + 1) / 2 times the gradients.
        g *= (k + 1) / 2
        total += g
        np.multiply(total, -1 / L, out=Z)
        Z += start
        prox(Z, (k + 1) * (k + 2) / (4 * L))
        X -= Y
        length = float(np.linalg.norm(X))
        first = first or length
        if k + 1 >= min_iter and length <= tol * first:
            break
        np.multiply(Y, (k + 1) / (k + 3), out=X)
        Z *= 2 / (k + 3)
        X += Z
    return Descent(Y, k + 1)
