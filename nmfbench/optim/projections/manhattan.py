r"""Least absolute deviations: :math:`\min_{W \ge 0} \|X - W H\|_1`.

The problem separates into a linear programme for each row of ``X``. It is solved exactly, by a
simplex method (see :mod:`nmfbench.optim.kernels.l1_projection`). It starts at the vertex where the
last basis left it or, for a new dense basis, near the optimum: some iterations of the alternating
direction method of multipliers, which are matrix products for many rows at once, save most pivots.
"""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import gen_batches

from nmfbench.core.validation import canonical_csr, check_projection, in_precision_of
from nmfbench.optim.kernels.l1_projection import lad_dense, lad_sparse, split_residuals
from nmfbench.optim.projections.certificate import as_certificate
from nmfbench.optim.projections.frobenius import project_frobenius

__all__ = [
    "ManhattanCone",
    "certify_manhattan",
    "fit_manhattan",
    "lower_bound",
    "project_manhattan",
]

_BLOCK = 1 << 20  # entries of the dual in memory at once
_MAX_PIVOTS = 100_000
_NONE = np.empty((0, 0))
_MANY = 50  # with fewer features the start costs more than it saves
_STRIDE = 16  # of the sample of features that a start is improved on
_GOLDEN = (np.sqrt(5) - 1) / 2
_LONG = 256 * _STRIDE  # with fewer features there is no such sample
_EASY, _HARD = 20, 120  # iterations: the rank more than the first, up to the second
_RELAX = 1.6  # over-relaxation
_TIE = 0.3  # weight of w = v relative to that of the residuals
_SMALL = 1e-4  # share of the data below which a median residual is not trusted


def project_manhattan(X, H, W0=None, *, max_iter=_MAX_PIVOTS, return_dual=False):
    r"""Minimise :math:`\|X - W H\|_1` over ``W >= 0``, exactly.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features), non-negative
    H : ndarray or CSR matrix of shape (r, n_features), non-negative
        Rows may be zero, repeated or dependent.
    W0 : ndarray of shape (n_samples, r), optional
        Where to start. The loss found does not depend on it; a near solution saves time.
    max_iter : int
        Most pivots for one row of ``X``: a safeguard. A row that meets it, or whose dual proves
        the loss to no less than 1e-7 of the row's sum, keeps the best coefficients reached, and a
        ConvergenceWarning is given.
    return_dual : bool, default=False
        Also return the dual matrix; dense, so not for large sparse data.

    Returns
    -------
    W : ndarray of shape (n_samples, r), non-negative, in the precision of ``X``
    D : ndarray of shape (n_samples, n_features), only if ``return_dual``
        Sub-gradients with :math:`|D| \le 1`, :math:`D H^T \le 0` and
        :math:`\langle D, X \rangle = \|X - W H\|_1`: a proof that ``W`` is optimal.

    Notes
    -----
    Works in float64 whatever the dtype. Exact means to rounding: objectives agree with a general LP
    solver's to about 1e-12. Where several representations are optimal, which one is returned may
    depend on the start, and the start on rounding in matrix products.

    Examples
    --------
    >>> project_manhattan(np.array([[2.0, 2.0, 9.0]]), np.array([[1.0, 1.0, 1.0]]))
    array([[2.]])
    """
    X = check_projection(X, H, W0)
    cone = ManhattanCone(X, H.shape[0], max_iter=max_iter)
    cone.extend(H, W0)
    warn_if_unfinished(cone.unfinished, max_iter)
    W = in_precision_of(X, cone.W)
    W += 0.0  # no negative zeros
    return (W, cone.duals(np.arange(X.shape[0]))) if return_dual else W


def fit_manhattan(X, H, W0=None, *, max_iter=_MAX_PIVOTS):
    r"""The weights of :func:`project_manhattan` in float64, and :math:`\|X - W H\|_1`.

    Parameters as in :func:`project_manhattan`. Where rows are long and dense, ``W0`` is
    improved on a sample of the features first.
    """
    X = check_projection(X, H, W0)
    if W0 is not None and not sp.issparse(X) and X.shape[1] >= _LONG:
        sample = _spread_out(X.shape[1])
        cone = ManhattanCone(X[:, sample], H.shape[0], max_iter=max_iter)
        cone.extend(H[:, sample], W0)
        W0 = cone.W
    cone = ManhattanCone(X, H.shape[0], max_iter=max_iter)
    cone.extend(H, W0)
    warn_if_unfinished(cone.unfinished, max_iter)
    return cone.W, float(cone.norms.sum())


def _spread_out(m):
    """One feature of each ``_STRIDE``, at a place that has no period."""
    starts = np.arange(0, m - _STRIDE + 1, _STRIDE)
    places = (np.arange(len(starts)) * _GOLDEN) % 1
    return starts + (places * _STRIDE).astype(np.intp)


def lower_bound(X, H, D):
    r"""A lower bound of :math:`\min_{W \ge 0} \|X - W H\|_1` for each row, from any ``D``.

    ``D`` is clipped to [-1, 1] and then, row by row, moved down and shrunk until
    :math:`D H^T \le 0`. By weak duality :math:`\langle D, X \rangle` is never above the optimum,
    so a poor ``D`` gives a poor bound, not a wrong one.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features), non-negative
    H : ndarray or CSR matrix of shape (r, n_features), non-negative
    D : ndarray of shape (n_samples, n_features)

    Returns
    -------
    bounds : ndarray of shape (n_samples,)
    """
    D = np.clip(np.asarray(D, dtype=np.float64), -1, 1)
    H = H.astype(np.float64, copy=False)
    masses = np.asarray(H.sum(axis=1)).ravel()
    used = masses > 0
    products = np.asarray((H @ D.T).T)[:, used] / masses[used]
    excess = np.maximum(products.max(axis=1, initial=0.0), 0.0)
    sums = np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()
    products = np.asarray(X.multiply(D).sum(axis=1)).ravel() if sp.issparse(X) else (X * D).sum(1)
    return np.maximum((products - excess * sums) / (1 + excess), 0.0)


def certify_manhattan(X, H):
    """How near the projection of ``X`` on the cone of ``H`` is to the optimum, with proof.

    Returns
    -------
    dict
        ``primal``, the objective of :func:`project_manhattan`; ``dual_bound``, a number that
        no representation can go below; ``gap``, their difference relative to the l1 norm of
        ``X``.
    """
    X = check_projection(X, H)
    cone = ManhattanCone(X, H.shape[0])
    cone.extend(H)
    primal, bound = float(cone.norms.sum()), 0.0
    for block in gen_batches(X.shape[0], max(1, _BLOCK // X.shape[1])):
        D = cone.duals(np.arange(block.start, block.stop))
        bound += float(lower_bound(X[block], H, D).sum())
    return as_certificate(primal, bound, X.sum(dtype=np.float64))


def warn_if_unfinished(unfinished, max_iter):
    """Say that ``unfinished`` rows met ``max_iter`` or have no proof, if there are any."""
    if unfinished:
        warnings.warn(
            f"{unfinished} projections of a row are not proved optimal, within max_iter="
            f"{max_iter} pivots; the best coefficients found are kept. Components that nearly "
            "repeat each other may be the cause.",
            ConvergenceWarning,
            stacklevel=3,
        )


class ManhattanCone:
    """The rows of ``X`` projected on a cone that grows: warm starts, and only where needed.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features), non-negative
    capacity : int
        Most generators the cone will have.
    max_iter : int
        Most pivots for one row in one call of :meth:`extend`.

    Attributes
    ----------
    W : ndarray of shape (n_samples, k)
        The representation on the ``k`` generators so far.
    norms : ndarray of shape (n_samples,)
        l1 norms of the rows of ``X - W H``. None ever rises.
    pivots, unfinished : int
        Pivots so far, and rows that met ``max_iter``, or have no proof, in the last call.

    Notes
    -----
    A row is left alone, exactly, if the new generators do not pair positively with its dual.
    For a sparse row that is still represented by zero, the dual is 1 on its support and -1
    elsewhere, so one sparse product with the pattern of ``X`` finds the few rows that a new
    generator can serve; the others are never touched. Nothing of the size of ``X`` is made
    dense if ``X`` is sparse: a row is scattered over the features that occur in the cone.
    """

    def __init__(self, X, capacity, *, max_iter=_MAX_PIVOTS):
        n, m = X.shape
        self._sparse = sp.issparse(X)
        if self._sparse:
            X = canonical_csr(sp.csr_matrix(X))
            self._pattern = sp.csr_matrix((np.ones(X.nnz), X.indices, X.indptr), shape=X.shape)
            self._label = np.full(m, -1, dtype=np.int64)
            self._features = np.empty(0, dtype=np.int64)
        else:
            X = np.ascontiguousarray(X)
            self._H = np.empty((capacity, m))
        self._Ht = np.zeros((0 if self._sparse else m, capacity))
        self._X, self._max_iter, self._capacity = X, max_iter, capacity
        self._rows: list = []  # generators, as (labels, values), if sparse
        self._masses = np.empty(capacity)
        self._W = np.zeros((n, capacity))
        self._basis = np.tile(-1 - np.arange(capacity, dtype=np.int32), (n, 1))
        self._active = np.zeros(n, dtype=bool)
        self._k = 0
        self.norms = np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()
        self.pivots = self.unfinished = 0

    @property
    def W(self):
        return self._W[:, : self._k]

    def extend(self, H, W0=None):
        """Add the rows of ``H`` to the generators and project.

        ``W0``, coefficients on all generators, is where to start instead of the old vertices.
        """
        old = self._k
        self._k += H.shape[0]
        new = slice(old, self._k)
        if self._sparse:
            H = sp.csr_matrix(H, dtype=np.float64)
            H.eliminate_zeros()
            self._masses[new] = np.asarray(H.sum(axis=1)).ravel()
            self._add_sparse(H, old)
            served = 2 * (self._pattern @ H.T) > sp.csr_matrix(
                np.ones((self._X.shape[0], 1))
            ) @ sp.csr_matrix(self._masses[None, new])
            points = np.flatnonzero(self._active | (served.getnnz(axis=1) > 0))
        else:
            H = H.toarray() if sp.issparse(H) else np.asarray(H, dtype=np.float64)
            self._masses[new] = H.sum(axis=1)
            self._H[new] = H
            self._Ht[:, new] = H.T
            points = np.arange(self._X.shape[0])
            if W0 is None and old == 0 and self._k > 1 and self._X.shape[1] >= _MANY:
                W0 = _near_optimum(self._X, H)
        start = _NONE if W0 is None else np.maximum(W0, 0.0, dtype=np.float64, order="C")
        pivots, self.unfinished = self._run(points, _NONE, start)
        self.pivots += pivots
        self._active[points] |= self._W[points].any(axis=1)

    def dual(self, i):
        """The sub-gradient (n_features,) that proves the projection of row ``i`` optimal."""
        return self.duals(np.array([i]))[0]

    def duals(self, points):
        """Sub-gradients of several rows, a dense row each."""
        if not self._sparse:
            D = np.empty((len(points), self._X.shape[1]))
            self._run(points, D)
            return D
        inside = np.empty((len(points), len(self._features)))
        self._run(points, inside)
        D = 2 * self._pattern[points].toarray() - 1
        D[:, self._features] = inside
        return D

    def residual(self, i):
        """Row ``i`` of ``X - W H``."""
        w = self._W[i, : self._k]
        if not self._sparse:
            return self._X[i] - w @ self._H[: self._k]
        x = self._X[[i]].toarray().ravel().astype(np.float64)
        x[self._features] -= self._Ht[: len(self._features), : self._k] @ w
        return x

    def _add_sparse(self, H, old):
        fresh = np.unique(H.indices)
        fresh = fresh[self._label[fresh] < 0]
        n_old = len(self._features)
        self._label[fresh] = n_old + np.arange(len(fresh))
        self._features = np.concatenate([self._features, fresh])
        if len(self._features) > len(self._Ht):
            grown = np.zeros((2 * len(self._features), self._capacity))
            grown[:n_old] = self._Ht[:n_old]
            self._Ht = grown
        for a in range(H.shape[0]):
            entries = slice(H.indptr[a], H.indptr[a + 1])
            labels, values = self._label[H.indices[entries]], H.data[entries]
            self._rows.append((labels, values))
            self._Ht[labels, old + a] = values

    def _run(self, points, duals, start=_NONE):
        masses = self._masses[: self._k]
        state = (self._W, self._basis, self.norms, duals, points, start)
        if not self._sparse:
            H = self._H[: self._k]
            return lad_dense(*state, self._X, H, self._Ht, masses, self._max_iter)
        indptr = np.cumsum([0, *(len(labels) for labels, _ in self._rows)])
        labels = np.concatenate([np.empty(0, dtype=np.int64), *(row[0] for row in self._rows)])
        values = np.concatenate([np.empty(0), *(row[1] for row in self._rows)])
        X, Ht = self._X, self._Ht[: len(self._features)]
        return lad_sparse(
            *state,
            X.indptr.astype(np.int64),
            X.indices,
            X.data,
            self._label,
            Ht,
            indptr,
            labels,
            values,
            masses,
            self._max_iter,
        )


def _near_optimum(X, H):
    """Coefficients near the optimum.

    With the residual z and a non-negative copy v of the coefficients w as variables of their
    own, the augmented Lagrangian is minimised over w, by a matrix product, and over z and v,
    entry by entry. The multipliers' weight is the reciprocal of the median residual of the
    least-squares solution. In single precision: it is a start.
    """
    norms = np.sqrt(np.einsum("ij,ij->i", H, H))
    norms[norms == 0] = 1
    H = H / norms[:, None]
    r = len(H)
    inverse = np.linalg.inv(H @ H.T + _TIE * np.eye(r)).astype(np.float32)
    single = H.astype(np.float32)
    W = np.empty((len(X), r))
    for block in gen_batches(len(X), max(1, _BLOCK // X.shape[1])):
        x = X[block].astype(np.float64)
        scale = x.max(axis=1, keepdims=True)
        scale[scale == 0] = 1
        x /= scale
        w = project_frobenius(x, H)
        most = np.maximum(np.median(np.abs(x - w @ H), axis=1), _SMALL).astype(np.float32)
        x, w = x.astype(np.float32), w.astype(np.float32)
        v, price = w, np.zeros_like(w)
        dual, target = np.zeros_like(x), w @ single
        for _ in range(min(_EASY + r, _HARD)):
            split_residuals(target, dual, x, w @ single, most, _RELAX)
            w = (target @ single.T + _TIE * (v - price)) @ inverse
            relaxed = _RELAX * w + (1 - _RELAX) * v
            v = np.maximum(relaxed + price, 0)
            price += relaxed - v
        W[block] = v * (scale / norms)
    return W
