r"""Nesterov's smoothing of ``||X - W H||_1`` over one factor, and his optimal gradient method.

The function :math:`|e| = \max_{|u| \le 1} u e` becomes smooth when a quadratic is taken from
the maximum. Guan et al. (2012), Section 3, Eqs. (9)-(22), and Section 4.1 for a box.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nmfbench.optim.kernels.smoothing import (
    absolute_residual,
    average_points,
    optimal_step,
    smooth_residual,
    two_points,
)

__all__ = ["Box", "DualityGap", "SmoothedLoss", "nonnegative", "optimal_gradient"]


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
    linear : float
        :math:`\langle U, E \rangle` at the point of the last gradient, with U the maximiser
        (plus ``ridge`` times E).
    """

    def __init__(self, X, other, mu, buffer, *, varies, lipschitz="trace", ridge=0.0):
        d = np.sqrt(np.einsum("ij,ij->i", other, other, dtype=np.float64))
        # The loss does not depend on a coordinate whose row of the basis is zero.
        d = np.maximum(d, max(1e-12 * d.max(initial=0.0), np.finfo(X.dtype).tiny / mu))
        self.X, self.other, self.buffer, self.ridge = X, other, buffer, ridge
        self.rows = varies == "W"
        self.thresholds = (mu * d).astype(X.dtype)
        self.linear = 0.0
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
        self._fit(factor)
        value, self.linear = smooth_residual(
            self.buffer, self.X, self.thresholds, not self.rows, self.ridge
        )
        np.matmul(self.buffer if self.rows else self.buffer.T, self.other, out=out)
        return value

    def value(self, factor):
        """The smoothed loss at ``factor``."""
        self._fit(factor)
        return smooth_residual(self.buffer, self.X, self.thresholds, not self.rows, self.ridge)[0]

    def exact(self, factor):
        """The loss as it is, not smoothed, and without the ridge."""
        self._fit(factor)
        return absolute_residual(self.buffer, self.X)

    def _fit(self, factor):
        if self.rows:
            np.matmul(factor, self.other.T, out=self.buffer)
        else:
            np.matmul(self.other, factor.T, out=self.buffer)


@dataclass(frozen=True)
class Box:
    """Projection on the factors with entries in [0, upper], in place.

    The step that a proximal operator is given plays no part.
    """

    upper: float = np.inf

    def __call__(self, factor, step):
        np.clip(factor, 0, self.upper, out=factor)


nonnegative = Box()
"""Projection on the non-negative orthant."""


class DualityGap:
    r"""A stop rule for a box, with proof: the objective is near the minimum of the loss itself.

    The average :math:`\hat U` of the dual variables met, weighted as in Eq. (25), gives the bound

    .. math:: \phi(\hat U) = -\langle X, \hat U\rangle - b \sum [-(\hat U H^T)]_+
              \le \min_{0 \le W \le b} \|X - W H\|_1 .

    Only inner products with :math:`\hat U` are needed, and the method has them: the products with
    H are gradients, so nothing of the size of X is kept.

    Parameters
    ----------
    loss : SmoothedLoss
        Without a ridge.
    upper : float
        The bound b.
    tol : float
        Stop when objective and bound differ by no more than this share of the objective.
    slack : float, default=0
        By which they may differ in addition.

    Attributes
    ----------
    primal, dual_bound : float
        As of the last check.
    """

    def __init__(self, loss, upper, tol, *, slack=0.0):
        self.loss, self.upper, self.tol, self.slack = loss, upper, tol, slack
        self.primal, self.dual_bound = np.inf, -np.inf
        self._products = 0.0

    def observe(self, k, X, g):
        """Take in the dual variable at ``X``, the point of the gradient ``g`` of step ``k``."""
        # <U, fitted - X> - <U, fitted>
        self._products += (k + 1) / 2 * (self.loss.linear - float(np.vdot(g, X)))

    def reached(self, k, Y, total):
        """Whether ``Y`` is good enough; ``total`` is the weighted sum of gradients so far."""
        weight = (k + 1) * (k + 2) / 4
        negative = float(np.minimum(total, 0).sum(dtype=np.float64))
        self.dual_bound = (self._products + self.upper * negative) / weight
        self.primal = self.loss.exact(Y)
        return self.primal - self.dual_bound <= self.tol * self.primal + self.slack


@dataclass
class Descent:
    """Result of :func:`optimal_gradient`: the last ``Y`` and how many gradients it took."""

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
    stop="gradient",
    every=None,
    monotone=False,
    restart=False,
):
    r"""Minimise a smooth convex function plus a simple one (Algorithm 2, Eqs. (17)-(22)).

    .. math:: Y_k = P_{1/L}[X_k - g_k / L], \quad
              Z_k = P_{s_k/L}[X_0 - \tfrac1L \sum_{i \le k} \tfrac{i+1}{2} g_i], \quad
              X_{k+1} = \tfrac{2}{k+3} Z_k + \tfrac{k+1}{k+3} Y_k

    Parameters
    ----------
    loss : object
        With ``gradient(factor, out)``, which also returns the value, ``value(factor)`` and
        ``lipschitz``, such as a :class:`SmoothedLoss`.
    start : ndarray
        Where to start, and the centre of the prox-function. Not modified.
    prox : callable
        ``prox(factor, step)`` replaces ``factor`` by the minimiser of ``step`` times the simple
        function plus half the squared distance; a projection ignores ``step``. Here
        :math:`s_k = (k+1)(k+2)/4` is the sum of the weights of the gradients. If it has a method
        ``value(factor)``, that is the simple function, for ``stop="objective"`` and ``monotone``.
    tol : float
    min_iter, max_iter : int
        Fewest and most gradients.
    stop : {"gradient", "objective"} or DualityGap, default="gradient"
        When to stop. By the length of the gradient mapping, ``L`` times that of ``X_k - Y_k``,
        at ``tol`` of its first length. By the objective, when it has changed since the last look
        by no more than ``tol`` times its value (Eq. (22), made independent of scale). A duality
        gap has its own tolerance.
    every : int, optional
        Steps from one look at the objective, or at the gap, to the next, which needs an evaluation
        more; by default the objective is looked at in each step, and the gap every ten steps.
    monotone : bool, default=False
        Let :math:`Y_k` be the best of :math:`Y_{k-1}, X_k` and the gradient step, so that the
        smoothed objective never rises. Also an evaluation more for each step.
    restart : bool, default=False
        Restart, with :math:`Y_k` as the centre, whenever the step from :math:`X_k` to
        :math:`X_{k+1}` goes against the gradient. Not with a duality gap.

    Returns
    -------
    Descent

    Notes
    -----
    ``F(Y_N) - min F <= 4 L D / ((N+1)(N+2))`` with D half the squared distance from the start to
    a solution. The objective may rise on the way.

    The authors' code stops by the projected gradient, which is not continuous: a positive entry
    counts in full however near to its bound it is, and entries of :math:`X_k`, an average of
    :math:`Y` and :math:`Z`, are seldom zero. The gradient mapping is never longer, and differs
    there only.
    """
    L = loss.lipschitz
    gap = stop if isinstance(stop, DualityGap) else None
    every = every or (10 if gap else 1)
    X = start.copy()
    g, Y, total, *spare = (np.empty_like(X) for _ in range(3 if isinstance(prox, Box) else 5))
    total[:] = 0
    centre, best = start, (np.inf, None)
    first, before, k = 0.0, np.inf, 0
    for n_iter in range(1, max_iter + 1):
        value = loss.gradient(X, g)
        if gap:
            gap.observe(k, X, g)
        kept = X.copy() if monotone else None
        square, slope = _step(X, g, total, centre, Y, spare, L, k, prox)
        length = np.sqrt(square)
        first = first or length
        done = stop == "gradient" and length <= tol * first
        looks = n_iter % every == 0
        if monotone or (stop == "objective" and looks):
            now = loss.value(Y) + _simple(prox, Y)
            if monotone:
                trial = now, Y.copy()
                rivals = [best, (value + _simple(prox, kept), kept), trial]
                best = min(rivals, key=lambda rival: rival[0])
                now, Y[:] = best
                X += (k + 1) / (k + 3) * (Y - trial[1])
            if stop == "objective" and looks:
                done = abs(before - now) <= tol * abs(now)
                before = now
        elif gap and looks:
            done = gap.reached(k, Y, total)
        if done and n_iter >= min_iter:
            break
        if restart and slope > 0:
            X[:] = Y
            centre, k = Y.copy(), 0
            total[:] = 0
        else:
            k += 1
    return Descent(Y, n_iter)


def _step(X, g, total, centre, Y, spare, L, k, prox):
    """Eqs. (17), (18) and (21); see :func:`~nmfbench.optim.kernels.smoothing.optimal_step`."""
    if isinstance(prox, Box):
        return optimal_step(X, g, total, centre, Y, 1 / L, k, prox.upper)
    Z, difference = spare
    two_points(X, g, total, centre, Y, Z, 1 / L, k)
    prox(Y, 1 / L)
    prox(Z, (k + 1) * (k + 2) / (4 * L))
    average_points(X, Y, Z, difference, k)
    return float(np.linalg.norm(difference)) ** 2, float(np.vdot(g, Z))


def _simple(prox, factor):
    return prox.value(factor) if hasattr(prox, "value") else 0.0
