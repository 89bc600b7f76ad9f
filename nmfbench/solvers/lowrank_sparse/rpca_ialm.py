"""Robust PCA by the inexact augmented Lagrangian method."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import svds
from sklearn.utils import gen_batches

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_choice, check_count, check_number
from nmfbench.optim.kernels.shrinkage import shrink_remainder, step_dual
from nmfbench.solvers.bases.loop import State
from nmfbench.solvers.lowrank_sparse.base import (
    BaseLowRankSparse,
    orthonormal_factors,
    sum_of_squares,
)


@register_solver(
    "rpca-ialm",
    name="RPCA (IALM)",
    family="lowrank_sparse",
    reference="Candès et al. 2011; Lin, Chen & Ma 2010",
    cost=("nnm", "nmm"),
)
@dataclass(eq=False, repr=False, kw_only=True)
class RPCAIALM(BaseLowRankSparse):
    r"""Low rank plus sparse by convex relaxation.

    .. math:: \min_{L,S}\ \|L\|_* + \lambda\|S\|_1 \quad\text{s.t.}\quad L + S = X

    Parameters
    ----------
    n_components : int, optional
        How many components to show. The rank is found, not given: with fewer the best of L are
        kept in ``components_``, with more zeros are added. By default as many as the rank.
        ``low_rank_`` does not depend on it.
    lam : float, optional
        :math:`\lambda`, by default :math:`1/\sqrt{\max(n,m)}`.
    rho : float, default=1.5
        Growth of the penalty :math:`\mu` in each iteration. A smaller one takes longer and
        comes closer to the optimum.
    svd : {"gram", "full", "lanczos"}, default="gram"
        Singular values from the eigenvalues of the small Gram matrix, by LAPACK's SVD, or only
        as many as the next L is predicted to need, by Lanczos' method. The Gram matrix is
        several times faster than LAPACK; it loses singular values below about 1e-8 of the
        largest, which the threshold removes anyway. The prediction is that of Lin et al.'s
        code: 10 at first, then one more than the rank of the last L, or, if that was as large
        as predicted, a twentieth of min(n, m) more.
    max_iter : int, default=1000
        Most iterations.
    tol : float, default=1e-7
        Stop when ``||X - L - S||_F`` has fallen to this share of ``||X||_F``, or to 20 times the
        rounding of the dtype, whichever is larger.
    random_state
        Start of "lanczos", which matters to rounding only.

    Attributes
    ----------
    rank_ : int
        Of ``low_rank_``.
    objective_ : float
        :math:`\|L\|_*+\lambda\|X-L\|_1`: of a pair that obeys the constraint.
    dual_bound_ : float
        What no pair goes below: :math:`\langle X,Y\rangle` with the multiplier made feasible,
        :math:`\|Y\|_2\le1` and :math:`|Y_{ij}|\le\lambda`. How far ``objective_`` lies above it
        tells how near the optimum the method came.
    low_rank_, sparse_ : ndarray of shape (n_samples, n_features)
        L and S. The latter has exact zeros; their sum is X up to ``tol``.

    Notation
    --------
    Lin et al.'s D, A, E are our X, L, S (transposing changes nothing).

    Cost
    ----
    Per iteration: a singular value decomposition, with "gram" about :math:`2nm\min(n,m)` for
    the Gram matrix, and several times that for its eigenvectors unless X is long or wide; X,
    three arrays of its size and a few of the Gram matrix's are in memory.

    Notes
    -----
    The objective recorded may rise. The limit is optimal, because :math:`\mu` is bounded (by
    :math:`10^7\mu_0`), but the method stops at feasibility, long before. Where X is exactly low
    rank plus sparse the gap to ``dual_bound_`` is then small; on noisy data ``rho=1.5`` may end
    a few thousandths above the optimum, and 1.05 far nearer in four times as long.

    Departures
    ----------
    The multiplier starts at :math:`X/J(X)` with
    :math:`J(X)=\max(\|X\|_2,\max_{ij}|X_{ij}|/\lambda)`; with the norm induced by the maximum
    norm, as often coded, it is far from the boundary of the dual's feasible set.

    References
    ----------
    Lin, Chen & Ma (2010), The augmented Lagrange multiplier method for exact recovery of
    corrupted low-rank matrices, Algorithm 5.
    Candès, Li, Ma & Wright (2011), Robust principal component analysis?, Theorem 1.1.
    """

    lam: float | None = None
    rho: float = 1.5
    svd: str = "gram"
    max_iter: int = 1000
    tol: float = 1e-7

    unlike_transform: ClassVar[str | None] = (
        "transform is least squares, which cannot leave out the sparse part as the fit does"
    )

    def _validate_params_of_solver(self):
        check_number(self.lam, "lam", above=0, optional=True)
        check_number(self.rho, "rho", at_least=1)
        check_choice(self.svd, "svd", ("gram", "full", "lanczos"))
        check_count(self.max_iter, "max_iter")
        check_number(self.tol, "tol", at_least=0)

    def _start(self, X, r, rng, factors):
        lam = 1 / np.sqrt(max(X.shape)) if self.lam is None else self.lam
        spectral = _spectral_norm(X)
        J = max(spectral, _largest(X) / lam) or 1.0
        mu = 1.25 / (spectral or 1.0)
        return State(
            lam=lam,
            mu=mu,
            mu_max=1e7 * mu,
            norm=np.sqrt(sum_of_squares(X)),
            tol=max(self.tol, 20 * np.finfo(X.dtype).eps),
            L=np.zeros_like(X),
            S=np.empty_like(X),
            Y=X / X.dtype.type(J),
            error=np.inf,
            nuclear=0.0,
            predicted=_FIRST,
            rng=rng,
        )

    def _step(self, X, s):
        shrink_remainder(s.L, s.S, X, s.Y, s.lam / s.mu, 1 / s.mu)
        s.A = s.B = None  # frees them
        s.A, s.B, s.nuclear = self._threshold(s, 1 / s.mu)
        np.matmul(s.A, s.B, out=s.L)
        s.error = np.sqrt(step_dual(s.Y, X, s.L, s.S, s.mu))
        s.mu = min(self.rho * s.mu, s.mu_max)

    def _threshold(self, s, t):
        """Factors of the minimiser of ``t ||A||_* + ||A - L||_F^2 / 2``, and its nuclear norm."""
        if self.svd == "gram":
            return _threshold_by_gram(s.L, t)
        smaller = min(s.L.shape)
        if self.svd == "full" or s.predicted >= smaller or not s.L.any():
            found = _full_svd(s.L)
        else:
            found = _leading_svd(s.L, s.predicted, s.rng.standard_normal(smaller))
        U, values, Vt = found
        A, B, nuclear = _shrink(U, values, Vt, t)
        rank = A.shape[1]
        more = 1 if rank < s.predicted else round(_SHARE * smaller)
        s.predicted = min(rank + more, smaller)
        return A, B, nuclear

    def _objective(self, X, s):
        l1 = sum(np.abs(x - y).sum(dtype=np.float64) for x, y in zip(X, s.L, strict=True))
        return float(s.nuclear + s.lam * l1)

    def _converged(self, s, trace):
        return s.error <= s.tol * s.norm

    def _n_steps(self, r):
        return self.max_iter

    def _finish(self, X, s):
        # The multiplier obeys one constraint of the dual and nearly the other: clipped it obeys
        # the other, and is then scaled to obey the first.
        np.clip(s.Y, -s.lam, s.lam, out=s.Y)
        inner = sum(np.dot(x, y) for x, y in zip(X, s.Y, strict=True))
        self.dual_bound_ = float(inner) / max(1.0, _spectral_norm(s.Y))
        self.rank_ = s.A.shape[1]
        r = max(self.rank_, 1) if self.n_components is None else self.n_components
        self._set_factors(s, *orthonormal_factors(s.A, s.B, r))
        self.low_rank_, self.sparse_ = s.L, s.S


def _full_svd(M):
    return scipy.linalg.svd(M, full_matrices=False, overwrite_a=True, check_finite=False)


def _leading_svd(M, k, start):
    """The ``k`` largest singular values and their vectors, in the precision of M."""
    # Lanczos' method squares M, so that single precision would leave too few digits.
    U, sigma, Vt = svds(M.astype(np.float64, copy=False), k=k, v0=start)
    order = np.argsort(-sigma)
    parts = U[:, order], sigma[order], Vt[order]
    return tuple(part.astype(M.dtype, copy=False) for part in parts)


def _shrink(U, sigma, Vt, t):
    """Factors of the matrix with the singular values lowered by ``t``, and their sum."""
    k = int(np.sum(sigma > t))
    shrunk = sigma[:k] - sigma.dtype.type(t)
    return U[:, :k] * shrunk, np.ascontiguousarray(Vt[:k]), float(shrunk.sum(dtype=np.float64))


def _threshold_by_gram(M, t):
    """Factors and sum of :func:`_shrink` from eigenvalues of the Gram matrix above ``t ** 2``."""
    # Half of the digits are lost in squaring, so that single precision would leave too few.
    values, vectors = scipy.linalg.eigh(
        _small_gram(M), subset_by_value=(t * t, np.inf), overwrite_a=True, check_finite=False
    )
    sigma = np.sqrt(values)
    shrunk = sigma - t
    vectors, factors = vectors.astype(M.dtype, copy=False), (shrunk / sigma).astype(M.dtype)
    if M.shape[0] <= M.shape[1]:
        A, B = vectors * factors, vectors.T @ M
    else:
        A, B = M @ (vectors * factors), np.ascontiguousarray(vectors.T)
    return A, B, float(shrunk.sum())


def _small_gram(M):
    """``M M^T`` or ``M^T M``, whichever is smaller, in float64."""
    if M.dtype == np.float64:
        return M @ M.T if M.shape[0] <= M.shape[1] else M.T @ M
    wide = M if M.shape[0] <= M.shape[1] else M.T
    gram = np.zeros((len(wide), len(wide)))
    for block in gen_batches(wide.shape[1], max(1, _BLOCK // len(wide))):
        part = wide[:, block].astype(np.float64)
        gram += part @ part.T
    return gram


def _spectral_norm(X):
    gram = _small_gram(X)
    last = len(gram) - 1
    top = scipy.linalg.eigh(gram, eigvals_only=True, subset_by_index=(last, last))
    return float(np.sqrt(max(top[0], 0.0)))


def _largest(X):
    """The largest absolute value."""
    return max(float(X.max()), -float(X.min()))


_FIRST = 10  # singular values that "lanczos" asks for at first
_SHARE = 0.05  # of min(n, m), that it asks for in addition where they did not suffice
_BLOCK = 1 << 20  # entries converted to float64 at once
