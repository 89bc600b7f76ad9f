"""Hottopixx: separable NMF as a linear program."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_choice, check_count, check_number
from nmfbench.optim.kernels.hottopixx import project_diagonal_dominant, sgd_epoch
from nmfbench.optim.projections.manhattan import (
    certify_manhattan,
    fit_manhattan,
    project_manhattan,
)
from nmfbench.solvers.bases.loop import State
from nmfbench.solvers.separable.base import BaseSeparable

_ROUNDS = 20  # of the exact solver in one iteration, so that a trace costs little
_RELAX = 1.6  # over-relaxation of the ADMM
# Primal step, dual step, and the range of p of the incremental solver.
_STEPS = {"published": (0.1, 0.01, 1.0), "tuned": (0.01, 0.001, 1e-4)}


@register_solver(
    "hottopixx",
    name="Hottopixx",
    family="separable",
    reference="Bittorf, Recht, Ré & Tropp 2012",
    cost=("nnm",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class Hottopixx(BaseSeparable):
    r"""The r points that best reconstruct all others, by a convex programme.

    .. math:: \min_B \|X - XB\|_1 + p^T\operatorname{diag}B \quad\text{s.t.}\quad
              0\le B_{ij}\le B_{ii}\le 1,\ \operatorname{tr}B=r,

    with columns of X divided by their sums. Anchors are the r largest :math:`B_{ii}`, in that
    order. ``transform`` is a least-absolute-deviations fit.

    Parameters
    ----------
    solver : {"exact", "sgd"}, default="exact"
        "exact" solves the problem above to a certified gap. "sgd" is the authors' incremental
        algorithm; it enforces the trace by a slowly moving multiplier only.
    steps : {"tuned", "published"}, default="tuned"
        Of "sgd". The published steps (0.1 primal, 0.01 dual, p of order 1) saturate the diagonal
        on dense data; the tuned ones are 0.01, 0.001 and 1e-4.
    epochs : int, default=50
        Of "sgd".
    tol : float, default=3e-4
        Of "exact": the duality gap to accept, in units of the mass of ``X``, which is the number
        of points.
    max_iter : int, default=100
        Of "exact": iterations of 20 rounds each.
    n_components, random_state, refits
        See :class:`~nmfbench.solvers.separable.base.BaseSeparable`.

    Attributes
    ----------
    diagonal_ : ndarray of shape (n_samples,)
        :math:`\operatorname{diag}B`. Rows of zeros have 0 and are no anchors.
    dual_gap_ : float
        Objective minus the best lower bound; infinite for "sgd", which has none.
    objective_ : float
        The objective above, at the last B.

    Notation
    --------
    Bittorf et al. write ``X = C X`` with points in rows; their C is :math:`B^T`, and our rows
    are their rows.

    Cost
    ----
    Per iteration: with n points and m features, 20 times :math:`O(n^2m+n^2)` for "exact", and
    :math:`O(n^2m)` for "sgd". Memory :math:`O(n^2)`.

    Notes
    -----
    "exact" converges to the optimum (the objective of its feasible iterates may rise on the way)
    and recovers all anchors of separable data without noise.

    Departures
    ----------
    The linear program bounds the error of each column by a noise level, which is unknown in
    practice; its Lagrangian needs none. "exact" is an ADMM on :math:`E = XC - X`, :math:`C = B`
    that solves a linear system in each round: the columns of non-negative data are strongly
    correlated, and first-order steps take ten times as many rounds. "sgd" draws a new
    permutation of the features for each epoch.

    References
    ----------
    Bittorf, Recht, Ré & Tropp (2012), Factoring nonnegative matrices with linear programs,
    Eq. (5) and Algorithms 3 to 5.
    """

    solver: str = "exact"
    steps: str = "tuned"
    epochs: int = 50
    tol: float = 3e-4
    max_iter: int = 100

    accepts_sparse: ClassVar[bool] = False

    def _project(self, X):
        return project_manhattan(X, self._basis(X))

    def _certify(self, X):
        return certify_manhattan(X, self.components_.astype(np.float64))

    def _fit_factor(self, X, H, W0):
        return fit_manhattan(X, H, W0)

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_choice(self.solver, "solver", ("exact", "sgd"))
        check_choice(self.steps, "steps", _STEPS)
        for name in ("epochs", "max_iter"):
            check_count(getattr(self, name), name)
        check_number(self.tol, "tol", at_least=0)

    def _n_steps(self, r):
        return self.max_iter if self.solver == "exact" else self.epochs

    def _start(self, X, r, rng, factors):
        self._require_a_nonzero_row(X)
        sums = X.sum(axis=1)
        points = np.flatnonzero(sums > 0)
        XT = X[points] / sums[points, None]  # from here on, X is (features, points) as in print
        n, dtype = len(points), X.dtype
        s = State(
            r=min(r, n),
            rng=rng,
            points=points,
            n_samples=len(sums),
            X=np.ascontiguousarray(XT.T),
            XT=XT,
            B=np.zeros((n, n), dtype),
            diagonal=np.zeros(n, dtype),
            beta=0.0,
            bound=-np.inf,
        )
        if self.solver == "sgd":
            s.p = (_STEPS[self.steps][2] * rng.random(n)).astype(dtype)
            s.mu = (XT > 0).mean(axis=1).astype(dtype)
            s.buffer = np.empty(n, dtype)
        else:
            s.p = (1e-3 * rng.permutation(np.arange(1, n + 1)) / n).astype(dtype)
            self._factor(s)
        return s

    def _step(self, X, s):
        if self.solver == "sgd":
            self._epoch(s)
        else:
            for _ in range(_ROUNDS):
                self._round(s)
            V = np.clip(s.rho * s.U, -1, 1)
            s.bound = max(s.bound, _lower_bound(s.X, s.XT, V, s.p, s.r))

    def _epoch(self, s):
        step, dual_step, _ = _STEPS[self.steps]
        order = s.rng.permutation(len(s.X))
        dtype = s.X.dtype
        drift = (step * s.mu * (s.beta + s.p)).astype(dtype)
        sgd_epoch(s.B, s.X, order, dtype.type(step), drift, s.buffer)
        project_diagonal_dominant(s.B, s.diagonal, 0.0, -1, _rounding(dtype))
        s.beta += dual_step * (s.diagonal.sum(dtype=np.float64) - s.r)

    def _factor(self, s):
        """Penalties, and the matrix that solves for C in each round."""
        n = len(s.points)
        dtype = s.X.dtype
        gram = s.XT.astype(np.float64) @ s.X
        gamma = np.trace(gram) / n  # weight of C = B against E = X C - X
        s.rho = dtype.type(1 / s.X.mean(dtype=np.float64))
        s.K = np.linalg.solve(gram + gamma * np.eye(n), s.XT).astype(dtype)
        s.p_scaled = s.p / dtype.type(gamma * s.rho)
        s.E, s.U, s.Y = np.zeros_like(s.X), np.zeros_like(s.X), np.zeros_like(s.B)

    def _round(self, s):
        """One round of ADMM; U and Y are the scaled multipliers."""
        X, relax = s.X, s.X.dtype.type(_RELAX)
        target = s.B + s.Y
        # argmin_C |XC - X - E - U|^2 + gamma |C - target|^2, as a correction of the target
        C = target + s.K @ (s.E + X + s.U - X @ target)
        A = relax * (X @ C - X) + (1 - relax) * s.E
        s.U -= A
        s.E = -s.U - np.clip(-s.U, -1 / s.rho, 1 / s.rho)
        s.U += s.E
        C = relax * C + (1 - relax) * s.B
        s.B = C - s.Y
        s.B.flat[:: len(C) + 1] -= s.p_scaled
        tol = _rounding(X.dtype)
        s.beta = project_diagonal_dominant(s.B, s.diagonal, s.beta, s.r, tol)
        s.Y += s.B - C

    def _objective(self, X, s):
        fit = np.abs(s.X - s.X @ s.B).sum(dtype=np.float64)
        return float(fit + s.p @ s.diagonal)

    def _converged(self, s, trace):
        return self.solver == "exact" and trace.objective() - s.bound <= self.tol * len(s.points)

    def _anchors(self, s):
        order = np.argsort(-s.diagonal, kind="stable")
        return s.points[order[: s.r]]

    def _finish(self, X, s):
        super()._finish(X, s)
        self.diagonal_ = np.zeros(s.n_samples, X.dtype)
        self.diagonal_[s.points] = s.diagonal
        self.dual_gap_ = self._objective(X, s) - s.bound


def _rounding(dtype):
    return 1e-12 if dtype == np.float64 else 1e-6


def _lower_bound(X, XT, V, p, r):
    """Lagrangian dual at V, |V| <= 1: the least <V, X - XB> + <p, diag B> over feasible B."""
    gain = -(XT @ V)
    diagonal = gain.diagonal() + p
    np.fill_diagonal(gain, 0)
    # A row's best off-diagonal entries are all or nothing, in proportion to its diagonal.
    cost = diagonal + np.minimum(gain, 0, out=gain).sum(axis=1)
    chosen = np.sort(cost.astype(np.float64))[:r].sum()
    return float(np.einsum("ij,ij->", V, X, dtype=np.float64) + chosen)
