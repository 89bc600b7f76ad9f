"""RNMFD: robust NMF with discriminability, by a sparse part, a graph and near orthogonality."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_choice, check_number
from nmfbench.optim.kernels.floored_ratio import FLOOR, power_ratio
from nmfbench.optim.kernels.huber import pull_to_fit
from nmfbench.optim.kernels.laplacian import add_penalties, neighbor_smoothness
from nmfbench.optim.projections.frobenius import certify_frobenius, project_frobenius
from nmfbench.solvers.graph.base import BaseGraph, gentle_step

__all__ = ["RNMFD", "check_lam", "resolve_lam"]


@register_solver(
    "rnmfd",
    name="RNMFD",
    family="graph",
    paper="rnmfd",
    reference="Guo, Ding & Zhou 2014",
    cost=("nmr",),
    monotone=True,
    properties=("features", "locality", "discriminability", "robustness", "nontrivial"),
)
@dataclass(eq=False, repr=False, kw_only=True)
class RNMFD(BaseGraph):
    r"""A sparse part for outliers, a graph of the samples, and nearly orthogonal columns of W.

    .. math:: \min_{W,H\ge0,\,S} \|X-WH-S\|_F^2 + \lambda\|S\|_1
              + \alpha \operatorname{tr}(W^T L W) + \beta\|W^TW-I\|_F^2

    with L the Laplacian of a graph of the samples with the affinity A and the degrees D. One
    iteration updates H, then W, then S, with :math:`\hat X = X - S`:

    .. math:: H \leftarrow H \odot \frac{W^T \hat X}{W^T W H}, \qquad
              W \leftarrow W \odot \left(
              \frac{\hat X H^T + \alpha A W + 2\beta W}{W H H^T + \alpha D W + 2\beta W W^T W}
              \right)^\gamma, \qquad
              \hat X \leftarrow WH + \operatorname{clip}(X - WH, -\lambda/2, \lambda/2).

    Without S the objective is a Huber loss: quadratic for errors up to :math:`\lambda/2`, linear
    beyond.

    Parameters
    ----------
    alpha : float, default=100
        Weight of the graph.
    beta : float, default=100
        Weight of the orthogonality.
    lam : float or {"q95", "mad", "none"}, default="q95"
        :math:`\lambda`, for the scaled data; half of it is the error beyond which an entry is an
        outlier. Infinity, or "none", switches S off. "q95" is twice the 95 % quantile, and "mad"
        twice 1.345 times the robust standard deviation, of the absolute errors of plain NMF after
        30 sweeps from the same start. If those vanish, it is infinity.
    v_update : {"safe", "paper", "root"}, default="safe"
        :math:`\gamma`: 1 for "paper", 1/4 for "root", and for "safe" the largest of 1, 1/2 and
        1/4 that does not raise the objective.
    laplacian : {"plain", "sym"}, default="plain"
        "sym" has :math:`D^{-1/2}AD^{-1/2}` for A and the identity for D, so that no column costs
        more than :math:`2\alpha` times its square; see the notes.
    n_neighbors, affinity
        See :class:`~nmfbench.solvers.graph.base.BaseGraph`.
    n_components, random_state, scale, init, max_iter, tol
        See :class:`~nmfbench.solvers.graph.base.BaseScaled`.

    Attributes
    ----------
    lam_ : float
        :math:`\lambda` as used.
    outlier_share_ : float
        Share of the entries of S that are not zero.
    n_dead_components_ : int
        Columns of W whose norm is below 0.3, where orthogonality asks for 1.
    orthogonality_gap_ : float
        :math:`\|W^TW-I\|_F`.

    Notation
    --------
    Their X, U, V, S, W are our :math:`X^T, H^T, W, S^T, A`.

    Cost
    ----
    Per iteration: three products of the size of ``X`` with r vectors and one pass over ``X``,
    :math:`O((n+m)r^2)`, and r operations per edge of the graph. S is never stored: one array of
    the size of ``X`` holds WH and then :math:`\hat X`. Making the graph costs :math:`O(n^2m)`,
    while the paper calls the whole linear in n.

    Notes
    -----
    With "safe" and "root" the objective never rises. The exponent 1/4 minimises a separable
    bound: products of two entries of the positive, quartic part are bounded by
    :math:`t^2\le(t^4+1)/2`, and products of the negative part by :math:`t\ge1+\log t`, where t is
    the ratio of new to old. With "paper" it may rise, against Theorem 1: the bound (22) is
    quadratic where the objective is quartic, and moves one entry at a time. For one sample and
    one component without data the rule reads :math:`v\leftarrow1/v`.

    A unit column f of W alone costs :math:`\alpha s^2\rho+\beta(s^2-1)^2` at the norm s, with
    :math:`\rho=f^TLf`, so it vanishes where :math:`\rho\ge2\beta/\alpha`. For the indicator of
    a cluster that is the number of edges that leave it, for each of its samples. See
    ``n_dead_components_`` before reading anything into the labels.

    Departures
    ----------
    The paper gives no scale, no start and no rule for :math:`\lambda`. Denominators are at
    least 1e-10 and factors at least 1e-12. ``transform`` minimises the Huber loss on the fitted
    components, since new samples are in no graph. "sym", "mad" and "q95" are not in the paper.

    References
    ----------
    Guo, Ding & Zhou (2014), Robust nonnegative matrix factorization with discriminability for
    image representation, Eqs. (3), (11), (12), (17), (19), (20), Theorem 1.
    """

    alpha: float = 100.0
    beta: float = 100.0
    lam: float | str = "q95"
    v_update: str = "safe"
    laplacian: str = "plain"

    diagnostics: ClassVar[tuple] = ("outlier_share_", "n_dead_components_", "orthogonality_gap_")
    fixes_scale: ClassVar[bool] = True

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.alpha, "alpha", at_least=0)
        check_number(self.beta, "beta", at_least=0)
        check_choice(self.v_update, "v_update", _UPDATES)
        check_choice(self.laplacian, "laplacian", _LAPLACIANS)
        check_lam(self.lam)

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.degrees, s.weights = s.degrees.astype(X.dtype), np.ones(X.shape[0], X.dtype)
        if self.laplacian == "sym":
            linked = s.degrees > 0
            s.weights[linked] = 1 / np.sqrt(s.degrees[linked])
            s.degrees = linked.astype(X.dtype)
        s.H = np.ascontiguousarray(s.Ht.T)  # the layout in which all its products are fast
        s.Ht = s.H.T
        s.target = np.empty_like(s.X)
        s.trial, s.sums, s.spare, s.numerator, s.denominator = (
            np.empty_like(s.W) for _ in range(5)
        )
        self.lam_ = resolve_lam(self.lam, s.X, s.W, s.Ht, s.target)
        s.gram, s.penalty = self._measure(s, s.W, s.sums)
        s.loss = self._separate(s, np.inf)  # S = 0 at the start
        return s

    def _sweep(self, X, s):
        power_ratio(s.H, s.H, s.W.T @ s.target, s.gram.astype(X.dtype) @ s.H, 1.0)
        self._improve_representation(s)
        s.loss = self._separate(s, 0.5 * self.lam_)

    def _improve_representation(self, s):
        W, kind = s.W, s.W.dtype.type
        cross, gram = s.target @ s.H.T, s.H @ s.H.T
        np.matmul(W, gram + kind(2 * self.beta) * s.gram.astype(kind), out=s.denominator)
        weights = self.alpha, 2 * self.beta
        add_penalties(s.numerator, s.denominator, cross, W, s.sums, s.degrees, *weights)
        measured: Any = None  # of the step tried last

        def value(V):
            nonlocal measured
            if V is not W:
                measured = self._measure(s, V, s.spare)
            own, penalty = (s.gram, s.penalty) if V is W else measured
            linear = np.vdot(cross, V.astype(np.float64, copy=False))
            return np.vdot(gram, own) - 2 * linear + penalty

        if self.v_update == "safe":
            power = gentle_step(s.trial, W, s.numerator, s.denominator, value)
            untried = power == 0.25
        else:
            power_ratio(s.trial, W, s.numerator, s.denominator, _POWERS[self.v_update])
            untried = True
        s.W, s.trial = s.trial, W
        s.gram, s.penalty = self._measure(s, s.W, s.spare) if untried else measured
        s.sums, s.spare = s.spare, s.sums

    def _measure(self, s, W, sums):
        """``W.T @ W`` and the penalties of W, in float64; fills the sums over neighbors."""
        A, wide = s.affinity, W.astype(np.float64, copy=False)
        roughness = neighbor_smoothness(sums, W, s.weights, A.indptr, A.indices, A.data)
        gram = wide.T @ wide
        return gram, self.alpha * roughness + self.beta * _squared_gap(gram)

    def _separate(self, s, threshold):
        """Make ``s.target`` the scaled data without S, and return what is lost by W and H."""
        np.matmul(s.W, s.H, out=s.target)
        return pull_to_fit(s.target, s.X, threshold)

    def _value(self, X, s):
        return s.loss + s.penalty

    def _finish(self, X, s):
        self.outlier_share_ = float(np.mean(s.target != s.X))
        norms = np.sqrt(np.diagonal(s.gram))
        self.n_dead_components_ = int((norms < _DEAD).sum())
        self.orthogonality_gap_ = float(np.sqrt(_squared_gap(s.gram)))
        super()._finish(X, s)

    def _project(self, X):
        X = self._scaled(X)
        H, dtype = self.components_.astype(np.float64), X.dtype
        W, left = project_frobenius(X, H).astype(np.float64), np.arange(len(X))
        for _ in range(_MAX_PROJECTIONS if self.lam_ < np.inf else 0):
            # A new least squares problem for each row that the last one changed.
            target, rows = W[left] @ H, X[left].astype(np.float64)
            pull_to_fit(target, rows, 0.5 * self.lam_)
            new = project_frobenius(target, H, W[left])
            moved = np.abs(new - W[left]).max(axis=1) > _STILL * np.abs(new).max(axis=1)
            W[left] = new
            left = left[moved]
            if not left.size:
                break
        return W.astype(dtype)

    def _certify(self, X):
        return certify_frobenius(
            self._scaled(X), self.components_, self._project(X), limit=self.lam_
        )


def _squared_gap(gram):
    """Squared Frobenius norm of a Gram matrix minus the identity."""
    gap = gram.copy()
    gap.flat[:: len(gap) + 1] -= 1
    return float(np.vdot(gap, gap))


def check_lam(lam):
    """Refuse a ``lam`` that is neither a positive number, or infinity, nor the name of a rule."""
    if isinstance(lam, str):
        if lam not in (known := (*_SIZES, "none")):
            raise ValueError(f"lam must be a number or one of {', '.join(known)}, got {lam!r}.")
    else:  # with 0 the data term vanishes
        check_number(lam, "lam", above=0, finite=False)


def resolve_lam(lam, X, W, Ht, buffer):
    """The number that ``lam`` stands for, by plain NMF of ``X`` from the factors given.

    Parameters
    ----------
    lam : float or {"q95", "mad", "none"}
        See :class:`RNMFD`.
    X : ndarray of shape (n_samples, n_features)
    W, Ht : ndarray of shape (n_samples, r) and (n_features, r)
        Left as they are.
    buffer : ndarray of the shape of ``X``
        Overwritten.
    """
    if lam == "none":
        return np.inf
    if isinstance(lam, numbers.Real):
        return float(lam)
    W, H = W.copy(), Ht.T.copy()
    for _ in range(_PILOT):
        power_ratio(H, H, W.T @ X, (W.T @ W) @ H, 1.0)
        power_ratio(W, W, X @ H.T, W @ (H @ H.T), 1.0)
    E = np.matmul(W, H, out=buffer)
    np.abs(np.subtract(X, E, out=E), out=E)
    size = float(_SIZES[lam](E))
    noise = max(10 * np.finfo(X.dtype).eps * float(X.max()), FLOOR)
    return 2 * size if size > noise else np.inf


_SIZES = {"q95": lambda E: np.quantile(E, 0.95), "mad": lambda E: 1.345 * 1.4826 * np.median(E)}
_UPDATES = ("safe", "paper", "root")
_POWERS = {"paper": 1.0, "root": 0.25}
_LAPLACIANS = ("plain", "sym")
_PILOT = 30  # sweeps of plain NMF whose errors tell the size of an outlier
_DEAD = 0.3  # norm of a column
_MAX_PROJECTIONS = 1000
_STILL = 1e-9  # relative change of a row
