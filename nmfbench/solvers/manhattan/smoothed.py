"""Algorithm 3 of Guan et al. (2012), which the smoothing solvers of the family fill in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.validation import check_choice, check_count, check_number
from nmfbench.optim.kernels.smoothing import absolute_residual
from nmfbench.solvers.manhattan.base import BaseManhattan
from nmfbench.solvers.manhattan.smoothing import SmoothedLoss, nonnegative, optimal_gradient

__all__ = ["BaseSmoothed"]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseSmoothed(BaseManhattan):
    r"""Base of solvers that alternate over W and H by the optimal gradient method.

    At iteration t both sub-problems are smoothed with :math:`\mu_t = \mu_0 / t^{decay}`.

    Parameters
    ----------
    mu0 : float, default=1.0
        First smoothing parameter. It has the unit of the factors, so it suits data and starts
        of order one.
    decay : float, default=1.0
        1 as in the paper; 0.5 as in the authors' later code.
    lipschitz : {"trace", "spectral"}, default="trace"
        Step size: the paper's, or the larger one that the norm itself allows.
    stop : {"gradient", "objective"}, default="gradient"
        What has to become small to end a sub-problem: the gradient, or the change of the smoothed
        objective (Eq. (22)); see :func:`~.smoothing.optimal_gradient`.
    inner_max_iter : int, default=1000
        Most gradients for a sub-problem; the least is 10.
    inner_tol : float, default=1e-2
        Stop a sub-problem when its gradient has fallen to this share, or when its objective
        changes by less than this share. The former is divided by 10 whenever 10 gradients sufficed.
    monotone : bool, default=False
        Keep the best point met inside a sub-problem, so that its smoothed objective never rises.
    restart : bool, default=False
        Drop the momentum of a sub-problem where it leads uphill.
    safeguard : bool, default=False
        Reject the solution of a sub-problem if it raises the objective, and halve the smoothing
        of that factor from then on. The objective never rises then.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.manhattan.base.BaseManhattan`.
    """

    mu0: float = 1.0
    decay: float = 1.0
    lipschitz: str = "trace"
    stop: str = "gradient"
    inner_max_iter: int = 1000
    inner_tol: float = 1e-2
    monotone: bool = False
    restart: bool = False
    safeguard: bool = False

    check_every: ClassVar[int | None] = None
    """Steps from one look at the stop rule to the next."""
    keeps_best: ClassVar[bool] = True
    _stops: ClassVar[tuple] = ("gradient", "objective")

    def represent(self, X, H, W):
        """The weights to which one sub-problem leads from ``W``, smoothed with ``mu0``.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        H : ndarray of shape (r, n_features)
            The basis, which stays as it is.
        W : ndarray of shape (n_samples, r)
            Not modified.

        Returns
        -------
        ndarray of shape (n_samples, r)
        """
        s = self._start(X, len(H), None, (W.copy(), np.array(H.T, order="C")))
        return self._descend(X, s, "W", self.mu0)

    def smoothed_loss(self, X, H, W):
        """The loss smoothed with ``mu0``, and the most that the loss itself can exceed it by."""
        s = self._start(X, len(H), None, (W.copy(), np.array(H.T, order="C")))
        loss = self._smoothed(X, s, s.Ht, self.mu0, "W")
        return loss.gradient(s.W, np.empty_like(s.W)), loss.smoothing_error

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.mu0, "mu0", above=0)
        check_number(self.decay, "decay", at_least=0)
        check_choice(self.lipschitz, "lipschitz", ("trace", "spectral"))
        check_choice(self.stop, "stop", self._stops)
        check_count(self.inner_max_iter, "inner_max_iter")
        check_number(self.inner_tol, "inner_tol", above=0)

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.t = 0
        s.best = np.inf, s.W, s.Ht  # _descend makes new arrays, so these stay as they are
        s.buffer = np.empty_like(X)
        s.inner_tol = {"W": self.inner_tol, "H": self.inner_tol}
        s.damping = {"W": 1.0, "H": 1.0}
        s.objective = None
        s.rejected = False
        return s

    def _objective(self, X, s):
        np.matmul(s.W, s.Ht.T, out=s.buffer)
        return absolute_residual(s.buffer, X)

    def _converged(self, s, trace):
        if s.t == 1:
            s.best = trace.objective(1), *s.best[1:]
        if trace.objective() < s.best[0]:
            s.best = trace.objective(), s.W, s.Ht
        return not s.rejected and super()._converged(s, trace)

    def _finish(self, X, s):
        _, s.W, s.Ht = s.best
        super()._finish(X, s)

    def _step(self, X, s):
        s.t += 1
        s.rejected = False
        mu = self.mu0 / s.t**self.decay
        s.W = self._guarded(X, s, "W", mu)
        s.Ht = self._guarded(X, s, "H", mu)

    def _guarded(self, X, s, varies, mu):
        """The factor after its sub-problem, or as it is if the objective would rise."""
        if not self.safeguard:
            return self._descend(X, s, varies, mu)
        name = "W" if varies == "W" else "Ht"
        if s.objective is None:
            s.objective = self._objective(X, s)
        before = getattr(s, name)
        setattr(s, name, self._descend(X, s, varies, mu * s.damping[varies]))
        objective = self._objective(X, s)
        if objective > s.objective:
            s.rejected = True
            s.damping[varies] /= 2
            return before
        s.objective = objective
        return getattr(s, name)

    def _descend(self, X, s, varies, mu):
        start, other = (s.W, s.Ht) if varies == "W" else (s.Ht, s.W)
        if not other.any():  # the loss does not depend on the factor
            return start
        loss = self._smoothed(X, s, other, mu, varies)
        result = optimal_gradient(
            loss,
            start,
            prox=self._prox(s, varies),
            tol=s.inner_tol[varies],
            min_iter=min(_MIN_ITER, self.inner_max_iter),
            max_iter=self.inner_max_iter,
            stop=self._stop_of(loss, s),
            every=self.check_every,
            monotone=self.monotone,
            restart=self.restart,
        )
        if self.stop == "gradient" and result.n_iter <= _MIN_ITER:
            s.inner_tol[varies] /= 10
        return result.factor

    def _smoothed(self, X, s, other, mu, varies):
        """The smooth part of the objective over one factor."""
        return SmoothedLoss(X, other, mu, s.buffer, varies=varies, lipschitz=self.lipschitz)

    def _stop_of(self, loss, s):
        """Stop rule of a sub-problem; see :func:`~.smoothing.optimal_gradient`."""
        return self.stop

    def _prox(self, s, varies):
        """The proximal operator of the rest; see :func:`~.smoothing.optimal_gradient`."""
        return nonnegative


_MIN_ITER = 10
