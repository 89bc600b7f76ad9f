"""NeNMF: alternating non-negative least squares by Nesterov's optimal gradient method."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_count
from nmfbench.optim.kernels.nesterov import nesterov_step
from nmfbench.solvers.frobenius.base import BaseFrobenius

__all__ = ["NeNMF", "optimal_gradient_nnls"]


@register_solver(
    "nenmf",
    name="NeNMF",
    family="frobenius",
    paper="mahnmf",
    reference="Guan et al. 2012, NeNMF",
    cost=("nmr",),
    version=2,
)
@dataclass(eq=False, repr=False, kw_only=True)
class NeNMF(BaseFrobenius):
    r"""Both factors in turn by an accelerated gradient method on :math:`\|X-WH\|_F^2`.

    One iteration improves W, then H, each by :func:`optimal_gradient_nnls` with the other
    fixed.

    Parameters
    ----------
    max_inner : int, default=15
        Most inner iterations for a factor.
    tol : float, default=1e-5
        Stop when the projected gradient in both factors has fallen to this share of its norm at
        the start.
    n_components, random_state, init, max_iter
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.

    Attributes
    ----------
    n_inner_ : ndarray of shape (n_iter, 2)
        Inner iterations made for W and for H.

    Notation
    --------
    The paper holds samples in columns, V = W H, and updates H first. Its V, W, H are our X.T,
    Ht, W.T.

    Cost
    ----
    Per iteration: two products of ``X`` with r vectors, and :math:`O((n+m)r^2)` for each inner
    iteration, of which ``max_inner`` may be made.

    Notes
    -----
    The inner loop for a factor ends when its projected gradient is at most a tolerance, first
    :math:`\max(\mathrm{tol}, 10^{-3})` times that of both factors at the start, and a tenth of
    it whenever ten inner iterations were enough.

    The objective may rise, as the optimal gradient method is not monotone, but it was never
    seen to. Limit points of exact alternating minimisation are stationary.

    Departures
    ----------
    The authors allow 1000 inner iterations and make ten at least. To solve the first
    sub-problems, whose fixed factor is still poor, so well makes the method some three times
    slower; ``max_inner=1000`` brings it back.

    References
    ----------
    Guan, Tao, Luo & Yuan (2012), NeNMF: An optimal gradient method for nonnegative matrix
    factorization, Algorithms 1 and 2; "EucNMF" in Guan et al. (2012), MahNMF, Section 5.
    """

    max_inner: int = 15
    tol: float = 1e-5

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_count(self.max_inner, "max_inner")

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        in_W = _violation(s.W, s.cross, s.gram)
        s.first = s.violation = np.hypot(in_W, _violation(s.Ht, X.T @ s.W, s.W.T @ s.W))
        s.tol_W = s.tol_H = max(self.tol, _LOOSEST) * s.first
        s.n_inner = []
        return s

    def _step(self, X, s):
        steps_W, _ = optimal_gradient_nnls(s.W, s.cross, s.gram, s.tol_W, self.max_inner)
        cross = np.ascontiguousarray((s.W.T @ X).T)
        steps_H, in_H = optimal_gradient_nnls(s.Ht, cross, s.W.T @ s.W, s.tol_H, self.max_inner)
        s.tol_W *= 0.1 if steps_W <= _ENOUGH and steps_W < self.max_inner else 1
        s.tol_H *= 0.1 if steps_H <= _ENOUGH and steps_H < self.max_inner else 1
        # They tell the objective and when to stop, and serve the next iteration.
        s.cross, s.gram = X @ s.Ht, s.Ht.T @ s.Ht
        s.violation = np.hypot(_violation(s.W, s.cross, s.gram), in_H)
        s.n_inner.append((steps_W, steps_H))

    def _converged(self, s, trace):
        return bool(s.violation <= self.tol * s.first)

    def _finish(self, X, s):
        super()._finish(X, s)
        self.n_inner_ = np.array(s.n_inner)


_LOOSEST, _ENOUGH = 1e-3, 10


def optimal_gradient_nnls(factor, cross, gram, tol, max_iter=1000):
    r"""Minimise :math:`\|X - F B^T\|_F^2` over ``F >= 0`` by Nesterov's method, in place.

    .. math:: F_k = [Y_k - \nabla(Y_k) / L]_+, \quad
              \alpha_{k+1} = \tfrac12 (1 + \sqrt{4 \alpha_k^2 + 1}), \quad
              Y_{k+1} = F_k + \tfrac{\alpha_k - 1}{\alpha_{k+1}} (F_k - F_{k-1})

    with :math:`\nabla(Y) = Y B^T B - X B`, :math:`L = \|B^T B\|_2` and :math:`\alpha_0 = 1`.

    Parameters
    ----------
    factor : ndarray of shape (n, r), non-negative
        Where to start; becomes the last :math:`F_k`.
    cross : ndarray of shape (n, r)
        ``X @ B``.
    gram : ndarray of shape (r, r)
        ``B.T @ B``.
    tol : float
        Stop when the projected gradient has this norm.
    max_iter : int
        At least 1.

    Returns
    -------
    n_iter : int
    violation : float
        Norm of the projected gradient at the end.

    References
    ----------
    Guan, Tao, Luo & Yuan (2012), NeNMF, Algorithm 1.
    """
    norm = np.linalg.eigvalsh(gram)[-1]
    length = factor.dtype.type(1 / norm if norm > np.finfo(gram.dtype).tiny else 0)
    now, before = factor.copy(), factor.copy()
    slope, slope_before = np.empty_like(factor), np.zeros_like(factor)
    alpha, momentum = 1.0, factor.dtype.type(0)
    for k in range(max_iter + 1):
        np.matmul(now, gram, out=slope)
        args = now, slope_before, slope, cross, momentum, length
        violation = np.sqrt(nesterov_step(before, *args))
        if k > 0 and (violation <= tol or k == max_iter):
            break
        # ``before`` is F_{k+1} now.
        before, now, slope_before, slope = now, before, slope, slope_before
        alpha, last = (1 + np.sqrt(4 * alpha**2 + 1)) / 2, alpha
        momentum = factor.dtype.type((last - 1) / alpha)
    factor[:] = now
    return k, violation


def _violation(factor, cross, gram):
    """Norm of the projected gradient."""
    slope = factor @ gram - cross
    part = np.where(factor > 0, slope, np.minimum(slope, 0))
    power = int(np.frexp(np.abs(part).max())[1])  # squares of large data could overflow
    return math.ldexp(np.linalg.norm(np.ldexp(part, -power)), power)
