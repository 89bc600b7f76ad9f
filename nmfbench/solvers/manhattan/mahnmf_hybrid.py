"""MahNMF by smoothing that fades with the residual, and weighted medians to finish."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_count, check_number
from nmfbench.optim.kernels.smoothing import absolute_residual
from nmfbench.optim.kernels.weighted_median import absolute_sum
from nmfbench.optim.stopping import relative_progress
from nmfbench.solvers.manhattan.base import BaseManhattan
from nmfbench.solvers.manhattan.rri import improve
from nmfbench.solvers.manhattan.smoothing import SmoothedLoss, optimal_gradient

_FADING = 0.95  # of the smoothing from round to round
_LEAST = 1e-3  # smoothing below which there is none
_MOST = 200  # gradients for a sub-problem
_LITTLE = 1e-4  # share of the objective by which a round must lower it to be followed by another


@register_solver(
    "mahnmf-hybrid",
    name="MahNMF (hybrid)",
    family="manhattan",
    reference="nmfbench, after Guan et al. 2012",
    cost=("nmr",),
    monotone=True,
)
@dataclass(eq=False, repr=False, kw_only=True)
class MahNMFHybrid(BaseManhattan):
    r"""Smoothing, then rank-one residual iteration, for :math:`\min_{W,H\ge0}\|X-WH\|_1`.

    Gradients come from products of matrices and cost a small part of what as many weighted
    medians do, and they move all coordinates together. So smoothing leads, if it is neither so
    strong that the loss becomes a quadratic one nor so weak that steps are short. Here it
    follows the residual: in round t of the sub-problem over W

    .. math:: \mu = \alpha_t \frac{\|X-WH\|_1}{n \sum_j \|H_{:j}\|_2}, \qquad
              \alpha_t = 0.95^t \alpha_0,

    which is :math:`\alpha_t` times the mean of what it is compared with. When a round gains
    little, sweeps of weighted medians take over, which know no smoothing.

    Parameters
    ----------
    smoothing : float, default=1.0
        :math:`\alpha_0`.
    inner_max_iter : int, default=20
        Gradients for a sub-problem of the first round. Later ones have up to 200, in proportion
        to :math:`\alpha_t^{-1/2}` as their condition demands.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.manhattan.base.BaseManhattan`. When ``tol`` would stop the
        smoothing, the sweeps begin; it stops these.

    Attributes
    ----------
    n_smoothing_ : int
        Iterations that were rounds of smoothing; the others were sweeps.

    Notation
    --------
    The paper's V, W, H are our X.T, Ht, W.T.

    Cost
    ----
    Per iteration: two products of ``X`` 's size with r vectors for each gradient, or a sweep
    over both factors.

    Notes
    -----
    The objective never rises: the solution of a smoothed sub-problem that would raise it is
    rejected, and smoothing halved. Multiplying the data or a factor of the start by a number
    changes nothing but the scale.

    Departures
    ----------
    It is not in the paper. It takes its two methods (Sections 2 and 3) with the spectral
    Lipschitz constant, restarts of the momentum, and the smoothing above instead of
    :math:`\mu_0 / t`. Which phase an iteration belongs to is decided by objectives, never by a
    clock.
    """

    smoothing: float = 1.0
    inner_max_iter: int = 20

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.smoothing, "smoothing", above=0)
        check_count(self.inner_max_iter, "inner_max_iter")

    def _tiny_problem(self):
        params, X = super()._tiny_problem()
        return params | {"max_iter": 12, "tol": 1.0}, X  # long enough to come to the sweeps

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.n_smoothing, s.polishing = 0, False
        s.smoothing = self.smoothing
        s.buffer, s.transposed = np.empty_like(X), None
        np.matmul(s.W, s.Ht.T, out=s.buffer)
        s.objective = absolute_residual(s.buffer, X)
        return s

    def _objective(self, X, s):
        return s.objective

    def _step(self, X, s):
        if s.polishing:
            self._polish(X, s)
        else:
            self._smooth(X, s)

    def _smooth(self, X, s):
        s.n_smoothing += 1
        before, rejected = s.objective, False
        n_iter = min(_MOST, round(self.inner_max_iter * (self.smoothing / s.smoothing) ** 0.5))
        n_iter = max(n_iter, self.inner_max_iter)
        for varies in ("W", "H"):
            start, other = (s.W, s.Ht) if varies == "W" else (s.Ht, s.W)
            lengths = np.linalg.norm(other, axis=1).sum(dtype=np.float64)
            if s.objective == 0 or lengths == 0:
                continue
            mu = s.smoothing * s.objective / (len(start) * lengths)
            loss = SmoothedLoss(X, other, mu, s.buffer, varies=varies, lipschitz="spectral")
            factor = optimal_gradient(loss, start, tol=0, max_iter=n_iter, restart=True).factor
            objective = loss.exact(factor)
            if not objective <= s.objective:
                rejected = True
                continue
            s.objective = objective
            s.W, s.Ht = (factor, s.Ht) if varies == "W" else (s.W, factor)
        s.smoothing *= 0.5 if rejected else _FADING
        stalled = before - s.objective <= _LITTLE * before and not rejected
        s.polishing = stalled or s.smoothing < _LEAST * self.smoothing

    def _polish(self, X, s):
        if s.transposed is None:
            s.transposed = np.empty_like(X, shape=X.shape[::-1])
        np.matmul(s.W, s.Ht.T, out=s.buffer)
        np.subtract(X, s.buffer, out=s.buffer)
        improve(s.buffer, s.W, s.Ht)
        np.copyto(s.transposed, s.buffer.T)
        improve(s.transposed, s.Ht, s.W)
        s.objective = absolute_sum(s.transposed)

    def _converged(self, s, trace):
        small = relative_progress(trace, self.tol)
        if small and s.transposed is None:
            s.polishing = True  # the last sweep, if there was one, is what may stop
            return False
        return small

    def _finish(self, X, s):
        self.n_smoothing_ = s.n_smoothing
        super()._finish(X, s)
