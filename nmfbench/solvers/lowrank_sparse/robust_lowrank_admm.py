"""Robust low-rank approximation: local search for the l1 norm."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.linalg
from sklearn.utils.extmath import randomized_svd

from nmfbench.core.registry import register_solver
from nmfbench.solvers.bases.l1_admm import BaseL1ADMM
from nmfbench.solvers.lowrank_sparse.base import BaseLowRankSparse, orthonormal_factors


def _svd(X, r, rng):
    U, sigma, Vt = randomized_svd(X, r, random_state=int(rng.integers(2**31)))
    return U * sigma, np.ascontiguousarray(Vt.T)


def _random(X, r, rng):
    # Small against X, so that the first fit is one of X clipped.
    scale = 0.1 * np.abs(X).mean(dtype=np.float64)
    W = scale * rng.standard_normal((X.shape[0], r))
    return W.astype(X.dtype), rng.standard_normal((X.shape[1], r)).astype(X.dtype)


@register_solver(
    "robust-lowrank-admm",
    name="robust low rank (ADMM)",
    family="lowrank_sparse",
    reference="Kumar & Sindhwani 2015",
    cost=("nmr",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class RobustLowRankADMM(BaseL1ADMM, BaseLowRankSparse):
    r"""Local search for :math:`\min_{W,H}\|X-WH\|_1` without signs.

    One iteration fits the target :math:`T=X-Z-U` by alternating least squares, W first:

    .. math:: W \leftarrow \text{orth}(T H^T), \qquad H \leftarrow W^T T.

    Parameters
    ----------
    init : {"svd", "random"}, default="svd"
        Start, unless ``fit`` is given factors: the truncated singular value decomposition, or
        small Gaussian numbers.
    n_components, random_state, rho, n_init, max_iter, tol
        See :class:`~nmfbench.solvers.bases.l1_admm.BaseL1ADMM`.

    Attributes
    ----------
    low_rank_, sparse_ : ndarray of shape (n_samples, n_features)
        W H, and X - W H, whose entries are small where they are not sparse, but not zero.

    Notation
    --------
    Kumar & Sindhwani hold samples in columns, X = W H; their X, W, H are our X.T, Ht, W.T.

    Cost
    ----
    Per iteration: three products of X's size with r vectors; memory for X and two arrays of its
    size.

    Notes
    -----
    The objective may rise; the best factors met are returned.

    Departures
    ----------
    The paper says "local search" and no more; the penalty that follows the residual is ours. W
    is orthonormalised in each iteration, which leaves the product as it is: the scale of the
    factors is free and would drift. ``transform`` is least squares, not an l1 fit.

    References
    ----------
    Kumar & Sindhwani (2015), Near-separable non-negative matrix factorization with l1 and
    Bregman loss functions, Section 5.3.
    """

    init: str = "svd"

    loss: ClassVar[str | None] = "manhattan"
    takes_factors: ClassVar[bool] = True
    any_rank: ClassVar[bool] = False  # the components are orthonormal
    inits: ClassVar[dict] = {"svd": _svd, "random": _random}

    def _update(self, s):
        s.W = scipy.linalg.qr(s.target @ s.Ht, mode="economic", check_finite=False)[0]
        s.Ht = s.target.T @ s.W

    def _finish(self, X, s):
        _, W, Ht = s.best
        self._set_factors(s, *orthonormal_factors(W, Ht.T))
        self.low_rank_ = np.matmul(s.W, self.components_, out=s.target)
        self.sparse_ = np.subtract(X, self.low_rank_, out=s.U)
