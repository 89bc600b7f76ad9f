"""MahNMF-EN: the l1 loss and a ridge on the residual."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_choice, check_number
from nmfbench.optim.kernels.ridge_median import elastic_sweep
from nmfbench.optim.projections.manhattan_ridge import (
    certify_manhattan_ridge,
    project_manhattan_ridge,
)
from nmfbench.solvers.manhattan.smoothed import BaseSmoothed
from nmfbench.solvers.manhattan.smoothing import SmoothedLoss


@register_solver(
    "mahnmf-en",
    name="MahNMF-EN",
    family="manhattan",
    paper="mahnmf",
    reference="Guan et al. 2012",
    cost=("nmr",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class MahNMFEN(BaseSmoothed):
    r"""The elastic net on the residual, :math:`\min_{W,H\ge0}\|X-WH\|_1+\frac\lambda2\|X-WH\|_F^2`.

    Parameters
    ----------
    lam : float, default=0.1
        In the inverse unit of ``X``.
    method : {"ogm", "rri"}, default="ogm"
        Smoothing and the optimal gradient method, which moves all coordinates of a factor
        together, or exact minimisation over one coordinate after the other.
    mu0, decay, lipschitz, stop, inner_max_iter, inner_tol, monotone, restart, safeguard
        See :class:`~nmfbench.solvers.manhattan.smoothed.BaseSmoothed`; for ``method="ogm"``.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.manhattan.base.BaseManhattan`.

    Notation
    --------
    The paper's V, W, H are our X.T, Ht, W.T.

    Cost
    ----
    Per iteration: two products of the size of ``X`` with r vectors for each inner gradient, or
    :math:`O(n m r)` for a sweep over both factors.

    Notes
    -----
    With ``method="rri"`` the objective never rises. Its fixed points are optimal in every
    coordinate, not in all together: the ridge does not remove the kinks. With ``method="ogm"`` the
    objective may rise, unless ``safeguard``; the best factors met are kept. ``transform`` and
    ``certificate`` solve their convex problem to seven digits.

    Departures
    ----------
    The text gives no weight to the loss, no factor of one half to the ridge, and the value of
    lambda is lost. It solves the problem by OGM alone; RRI follows from Theorem 3, with weights
    :math:`H_{kj}`, :math:`q = \lambda \sum_j H_{kj}^2` and :math:`c = \sum_j H_{kj} Z_{ij} /
    \sum_j H_{kj}^2`.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 4.4, Eq. (58), and Theorem 3.
    """

    lam: float = 0.1
    method: str = "ogm"

    loss: ClassVar[str | None] = None

    def represent(self, X, H, W):
        """The weights to which the method leads from ``W`` on a fixed basis.

        One smoothed sub-problem, as in
        :meth:`~nmfbench.solvers.manhattan.smoothed.BaseSmoothed.represent`, or sweeps until none
        lowers the objective.
        """
        if self.method == "ogm":
            return super().represent(X, H, W)
        W, R, H = W.copy(), X - W @ H, np.ascontiguousarray(H)
        before = np.inf
        for _ in range(_SWEEPS):
            elastic_sweep(W, R, H, self.lam)
            now = self._of_residual(R.copy())
            if now >= before:
                break
            before = now
        return W

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.lam, "lam", at_least=0)
        check_choice(self.method, "method", ("ogm", "rri"))

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        if self.method == "rri":
            s.R = np.empty_like(X)
        return s

    def _step(self, X, s):
        if self.method == "ogm":
            super()._step(X, s)
            return
        if s.t % _REFRESH == 0:  # as rounding errors add up
            np.matmul(s.W, s.Ht.T, out=s.R)
            np.subtract(X, s.R, out=s.R)
        s.t += 1
        elastic_sweep(s.W, s.R, np.ascontiguousarray(s.Ht.T), self.lam)
        Rt = s.buffer.reshape(X.shape[::-1])
        np.copyto(Rt, s.R.T)
        elastic_sweep(s.Ht, Rt, np.ascontiguousarray(s.W.T), self.lam)
        np.copyto(s.R, Rt.T)

    def _smoothed(self, X, s, other, mu, varies):
        return SmoothedLoss(
            X, other, mu, s.buffer, varies=varies, lipschitz=self.lipschitz, ridge=self.lam
        )

    def _objective(self, X, s):
        np.matmul(s.W, s.Ht.T, out=s.buffer)
        np.subtract(s.buffer, X, out=s.buffer)
        return self._of_residual(s.buffer)

    def _of_residual(self, E):
        """The objective; ``E`` is overwritten."""
        square = np.einsum("ij,ij->", E, E, dtype=np.float64)
        np.abs(E, out=E)
        return float(E.sum(dtype=np.float64) + 0.5 * self.lam * square)

    def _project(self, X):
        return project_manhattan_ridge(X, self._basis(X), self.lam)

    def _certify(self, X):
        return certify_manhattan_ridge(X, self.components_, self.lam)


_REFRESH = 10  # iterations after which the residual is recomputed
_SWEEPS = 1000  # most for a sub-problem
