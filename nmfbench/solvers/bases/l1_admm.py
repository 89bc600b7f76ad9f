"""The alternating direction method of multipliers for ``||X - W H||_1``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.validation import check_count, check_number
from nmfbench.optim.kernels.shrinkage import step_residual
from nmfbench.solvers.bases.alternating import BaseAlternating

__all__ = ["BaseL1ADMM"]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseL1ADMM(BaseAlternating):
    r"""Base of solvers that split the residual off: :math:`\min \|Z\|_1`, ``W H + Z = X``.

    With the scaled multiplier U one iteration is

    .. math:: Z = \mathcal S_t(X - WH - U), \quad U \leftarrow U + WH + Z - X, \quad
              (W, H) \leftarrow \text{lower } \|(X - Z - U) - WH\|_F^2,

    and a solver gives the last as ``_update(s)``, of ``s.W`` and ``s.Ht`` for the matrix
    ``s.target``. The threshold t, which is 1 over the penalty, has the unit of the data. It starts
    at their mean magnitude and follows the mean magnitude of the best residual as that falls,
    both divided by ``rho``; U is scaled along with it.

    The problem is not convex: nothing is proved of the limit, and the objective may rise, so
    the best factors met are returned.

    Parameters
    ----------
    rho : float, default=1.0
        Penalty, relative to the inverse of the mean residual. A smaller one gets ahead faster,
        and may settle too early.
    n_init : int, default=1
        Number of starts; the best factors of all are returned. The first is by ``init``, the
        others are random. Given initial factors are the only start.
    init, max_iter, tol
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`; the last two hold for each
        start. It stops when ten iterations together lowered its best objective by no more than
        the share ``tol``.
    n_components, random_state
        See :class:`~nmfbench.solvers.bases.loop.BaseNMF`.
    """

    rho: float = 1.0
    n_init: int = 1

    keeps_best: ClassVar[bool] = True

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.rho, "rho", above=0)
        check_count(self.n_init, "n_init")

    def _update(self, s):
        raise NotImplementedError

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.mean = sum(np.abs(row).sum(dtype=np.float64) for row in X) / X.size
        s.rng = rng
        s.left = self.n_init - 1 if factors is None else 0
        s.target, s.U = np.empty_like(X), np.empty_like(X)
        s.best = np.inf, s.W, s.Ht
        self._restart(X, s)
        return s

    def _restart(self, X, s):
        s.U[:] = 0
        s.threshold, s.scale = s.mean / self.rho, 1.0
        s.t, s.ended, s.lowest = 0, False, []  # the best objectives, of this start
        self._measure(X, s)

    def _measure(self, X, s):
        np.matmul(s.W, s.Ht.T, out=s.target)
        s.objective = step_residual(s.target, s.U, X, s.threshold, s.scale)
        s.lowest.append(min([s.objective, *s.lowest[-1:]]))
        before = s.threshold
        residual = max(s.objective / X.size, _SMALLEST * s.mean)
        s.threshold = min(before, residual / self.rho)
        s.scale = s.threshold / before if before else 1.0
        if s.objective < s.best[0]:
            s.best = s.objective, s.W.copy(), s.Ht.copy()

    def _step(self, X, s):
        if s.ended:
            s.left -= 1
            s.W, s.Ht = self.inits["random"](X, s.W.shape[1], s.rng)
            self._restart(X, s)
        s.t += 1
        self._update(s)
        self._measure(X, s)

    def _objective(self, X, s):
        return s.objective

    def _converged(self, s, trace):
        s.stalled = (
            s.t >= _WINDOW
            and s.lowest[-1 - _WINDOW] - s.lowest[-1] <= self.tol * s.lowest[-1 - _WINDOW]
        )
        s.ended = s.stalled or s.t == self.max_iter
        return s.ended and s.left == 0

    def _n_steps(self, r):
        return self.n_init * self.max_iter

    def _finish(self, X, s):
        _, s.W, s.Ht = s.best
        super()._finish(X, s)

    def _fit(self, X, W, H):
        X, s = super()._fit(X, W, H)
        if self.stop_reason_ == "converged" and not s.stalled:
            self.stop_reason_ = "max_iter"  # of the last start
        return X, s


_WINDOW = 10
_SMALLEST = 1e-6  # mean residual, relative to the data, that the threshold follows
