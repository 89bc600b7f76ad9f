"""HALS with extrapolation on data compressed by a random projection, then on the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_count
from nmfbench.solvers.frobenius.hals_her import HALSHER

_POWERS = 2  # of X X', that the random directions are multiplied by
_WORTH = 1e-4  # share by which an iteration must lower the objective, or compression ends


@register_solver(
    "hals-compressed",
    name="HALS-HER, compressed",
    family="frobenius",
    reference="Tepper & Sapiro 2016; Erichson et al. 2018",
    cost=("nmr",),
    monotone=True,
)
@dataclass(eq=False, repr=False, kw_only=True)
class HALSCompressed(HALSHER):
    r"""HALS-HER for :math:`\|X-WH\|_F^2`, first with a compressed :math:`X \approx Q B`.

    The orthonormal columns of Q span nearly what the columns of X do, and :math:`B = Q^T X`. An
    iteration makes ``passes`` iterations of HALS-HER in which products cost little,

    .. math:: X H^T \approx Q (B H^T), \qquad W^T X \approx (W^T Q) B,

    and then evaluates the objective with X itself. Once that has not fallen by a share of 1e-4,
    iterations are those of HALS-HER, from the best factors so far.

    Parameters
    ----------
    passes : int, default=20
        Iterations of HALS-HER with compressed data in one iteration.
    oversampling : int, default=30
        Columns of Q more than components.
    sweeps, extrapolation
        See :class:`~nmfbench.solvers.frobenius.hals_her.HALSHER`.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`. ``random_state`` is that
        of the start; the directions of Q are always the same. ``tol`` ends no fit before its
        compression has ended.

    Attributes
    ----------
    n_compressed_ : int
        Iterations with compressed data.
    n_restarts_ : int

    Notation
    --------
    Erichson et al.'s A, W, H are our X, W, H; their QB is ours.

    Cost
    ----
    At the start six products of ``X`` with l = r + ``oversampling`` vectors. An iteration with
    compressed data: one product of ``X`` with r vectors, and in each pass :math:`O((n+m) l r)`. Any
    other: that of HALS-HER.

    Notes
    -----
    An iteration with compressed data that raises the objective is undone, so that it never rises.
    The gain is large where products dominate and many iterations are needed: large dense data of
    low rank, such as videos. Products with sparse data are as cheap as the compressed ones.

    Departures
    ----------
    Erichson et al. and Tepper & Sapiro factorize the compressed data alone, whose best factors
    are others, without extrapolation; the latter compress both sides.

    References
    ----------
    Tepper & Sapiro (2016), Compressed nonnegative matrix factorization is fast and accurate.
    Erichson, Mendible, Wihlborn & Kutz (2018), Randomized nonnegative matrix factorization,
    Algorithm 2.
    """

    passes: int = 20
    oversampling: int = 30

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_count(self.passes, "passes")
        check_count(self.oversampling, "oversampling")

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.compressed, s.n_compressed, s.value = True, 0, self._objective(X, s)
        s.data = _LowRank(X, min(r + self.oversampling, *X.shape))
        return s

    def _step(self, X, s):
        if not s.compressed:
            super()._step(X, s)
            return
        kept = s.W.copy(), s.Ht.copy()
        for _ in range(self.passes):
            super()._step(s.data, s)
        s.latest, s.gram = s.Ht, s.W.T @ s.W
        s.cross = np.ascontiguousarray((s.W.T @ X).T)
        before, s.value = s.value, self._objective(X, s)
        s.n_compressed += 1
        s.compressed = s.value < (1 - _WORTH) * before
        if not s.compressed:
            if s.value > before:
                s.W[:], s.Ht[:] = kept
            s.latest, s.cross, s.gram = s.W, X @ s.Ht, s.Ht.T @ s.Ht
            s.least = min(s.value, before)
            self._begin(s)

    def _converged(self, s, trace):
        return not s.compressed and super()._converged(s, trace)

    def _finish(self, X, s):
        super()._finish(X, s)
        self.n_compressed_ = s.n_compressed


class _LowRank:
    """``Q @ B``, where the columns of Q nearly span those of X (Halko et al., 2011)."""

    __array_ufunc__ = None  # so that an array leaves the product with it to __rmatmul__

    def __init__(self, X, rank):
        directions = np.random.default_rng(0).standard_normal((X.shape[1], rank))
        directions = directions.astype(X.dtype, copy=False)
        Q = np.linalg.qr(X @ directions)[0]
        for _ in range(_POWERS):
            Q = np.linalg.qr(X @ np.linalg.qr(X.T @ Q)[0])[0]
        self.Q, self.B = Q, np.ascontiguousarray((X.T @ Q).T)

    def __matmul__(self, other):
        return self.Q @ (self.B @ other)

    def __rmatmul__(self, other):
        return (other @ self.Q) @ self.B
