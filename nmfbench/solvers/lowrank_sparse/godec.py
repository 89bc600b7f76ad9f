"""GoDec: alternate between the best low-rank part and the best sparse part."""

import numbers
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.linalg

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_count, check_number
from nmfbench.solvers.bases.loop import State
from nmfbench.solvers.lowrank_sparse.base import (
    BaseLowRankSparse,
    orthonormal_factors,
    sum_of_squares,
)


@register_solver(
    "godec",
    name="GoDec",
    family="lowrank_sparse",
    reference="Zhou & Tao 2011",
    cost=("nmr",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class GoDec(BaseLowRankSparse):
    r"""Low rank plus sparse plus small noise, with both complexities given.

    .. math:: \min_{L,S}\|X-L-S\|_F^2 \quad\text{s.t.}\quad
              \operatorname{rank}L\le r,\ \|S\|_0\le c

    One iteration finds L by a random projection of ``X - S``, then S as the c entries of
    ``X - L`` of largest magnitude.

    Parameters
    ----------
    card : int or float, default=0.05
        c, the entries of S that may differ from zero: a number of entries if an int, a share of
        all if a float.
    power : int, default=0
        Extra multiplications by ``(X-S)^T(X-S)`` in the random projection: each brings L
        nearer to the truncated singular value decomposition.
    max_iter : int, default=100
        Most iterations.
    tol : float, default=1e-3
        Stop when ``||X - L - S||_F`` has fallen to this share of ``||X||_F``.
    n_components, random_state
        See :class:`~nmfbench.solvers.bases.loop.BaseNMF`.

    Attributes
    ----------
    low_rank_, sparse_ : ndarray of shape (n_samples, n_features)
        L and S.

    Notation
    --------
    Zhou & Tao's X, L, S are ours or, if X is wide, transposed: their X is tall.

    Cost
    ----
    Per iteration: ``3 + 2 power`` products of X's size with r vectors, and a selection.

    Notes
    -----
    With exact singular value decompositions the objective would never rise. With random
    projections it may: on noisy data it fluctuates above the level that a larger ``power``
    reaches.

    Departures
    ----------
    The best iterate is returned, not the last. The paper carries ``M = L + (X - L - S)`` over
    to the next iteration; it is equal to ``X - S``, which we form, so that rounding does not
    add up. The tolerance is relative.

    References
    ----------
    Zhou & Tao (2011), GoDec: randomized low-rank & sparse matrix decomposition in noisy case,
    Algorithm 1.
    """

    card: int | float = 0.05
    power: int = 0
    max_iter: int = 100
    tol: float = 1e-3

    keeps_best: ClassVar[bool] = True

    def _validate_params_of_solver(self):
        if isinstance(self.card, numbers.Integral):  # entries; else a share of them
            check_count(self.card, "card", least=0)
        else:
            check_number(self.card, "card", at_least=0, at_most=1)
        check_count(self.power, "power", least=0)
        check_count(self.max_iter, "max_iter")
        check_number(self.tol, "tol", at_least=0)

    def _tiny_problem(self):
        params, X = super()._tiny_problem()
        return params | {"card": 0.05}, X  # a number may exceed its entries

    def _start(self, X, r, rng, factors):
        count = isinstance(self.card, numbers.Integral)
        if count and self.card > X.size:
            raise ValueError(f"card={self.card} is too large: X has {X.size} entries.")
        norm_sq = sum_of_squares(X)
        return State(
            r=r,
            c=int(self.card) if count else int(self.card * X.size),
            rng=rng,
            M=X.copy(),  # X - S
            R=np.empty_like(X),
            norm_sq=norm_sq,
            error=norm_sq,
            best=(np.inf, None, None),
        )

    def _step(self, X, s):
        A, B = _random_projection(s.M, s.r, self.power, s.rng)
        np.matmul(A, B, out=s.R)
        np.subtract(X, s.R, out=s.R)
        # Of X - L the largest entries are S; R keeps the others.
        large = _largest_entries(s.R, s.c)
        np.copyto(s.M, X)
        s.M.flat[large] -= s.R.flat[large]
        s.R.flat[large] = 0
        s.error = sum_of_squares(s.R)
        if s.error < s.best[0]:
            s.best = s.error, A, B

    def _objective(self, X, s):
        return s.error

    def _converged(self, s, trace):
        return s.error <= self.tol**2 * s.norm_sq

    def _n_steps(self, r):
        return self.max_iter

    def _finish(self, X, s):
        _, A, B = s.best
        self._set_factors(s, *orthonormal_factors(A, B))
        self.low_rank_ = np.matmul(A, B, out=s.M)
        np.subtract(X, self.low_rank_, out=s.R)
        large = _largest_entries(s.R, s.c)
        self.sparse_ = np.zeros_like(X)
        self.sparse_.flat[large] = s.R.flat[large]


def _random_projection(M, r, power, rng):
    """``A, B`` with ``A @ B`` of rank r near M: M projected on the range of a random image."""
    if M.shape[0] < M.shape[1]:
        A, B = _random_projection(M.T, r, power, rng)
        return B.T, A.T
    Y = rng.standard_normal((M.shape[1], r)).astype(M.dtype)
    for _ in range(power + 1):
        Y = M.T @ (M @ Y)
    Q = scipy.linalg.qr(Y, mode="economic")[0]
    return M @ Q, np.ascontiguousarray(Q.T)


def _largest_entries(R, c):
    """Positions in ``R.ravel()`` of the c entries of largest magnitude; of equal ones the first."""
    if c == 0:
        return np.empty(0, dtype=np.intp)
    size = np.abs(R).ravel()
    size.partition(len(size) - c)
    limit = size[len(size) - c]
    del size
    above = np.flatnonzero((limit < R) | (-limit > R))
    if len(above) == c:
        return above
    return np.concatenate([above, np.flatnonzero(np.abs(R) == limit)[: c - len(above)]])
