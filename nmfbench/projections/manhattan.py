r"""Least absolute deviations: :math:`\min_{W \ge 0} \|X - W H\|_1`.

The problem separates into a linear programme for each row of ``X``. It is solved exactly, by a
simplex method that starts at the vertex where the last basis left it (see
:mod:`nmfbench.kernels.l1_projection`).
"""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import gen_batches

from nmfbench.kernels.l1_projection import lad_dense, lad_sparse

__all__ = ["ManhattanCone", "certify_manhattan", "lower_bound", "project_manhattan"]

_BLOCK = 1 << 20  # entries of the dual held at once
_MAX_PIVOTS = 100_000
_MANY, _STRIDE = 2048, 5  # with so many features, solve for every fifth of them first


def project_manhattan(X, H, *, max_iter=_MAX_PIVOTS, return_dual=False):
    r"""Minimise :math:`\|X - W H\|_1` over ``W >= 0``, exactly.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features), non-negative
    H : ndarray or CSR matrix of shape (r, n_features), non-negative
        Rows may be zero, repeated or dependent.
    max_iter : int
        Most pivots for one row of ``X``: a safeguard. A row that meets it keeps the
        coefficients reached, and a ConvergenceWarning is given.
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
    Works in float64 whatever the dtype. Exact means to rounding: objectives agree with those of
    a general LP solver to about 1e-12.

    Examples
    --------
    >>> project_manhattan(np.array([[2.0, 2.0, 9.0]]), np.array([[1.0, 1.0, 1.0]]))
    array([[2.]])
    """
    if H.ndim != 2 or H.shape[1] != X.shape[1]:
        raise ValueError(f"H has shape {H.shape}, but X has {X.shape[1]} features.")
    cone = ManhattanCone(X, H.shape[0], max_iter=max_iter)
    cone.extend(H)
    warn_if_unfinished(cone.unfinished, max_iter)
    W = cone.W.astype(np.result_type(X.dtype, np.float32), copy=False)
    W += 0.0  # no negative zeros
    return (W, cone.duals(np.arange(X.shape[0]))) if return_dual else W


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
        no representation can go below; ``gap``, their difference relative to ``primal``, or to
        1e-9 of the l1 norm of ``X`` where that is larger.
    """
    cone = ManhattanCone(X, H.shape[0])
    cone.extend(H)
    primal, bound = float(cone.norms.sum()), 0.0
    for block in gen_batches(X.shape[0], max(1, _BLOCK // X.shape[1])):
        D = cone.duals(np.arange(block.start, block.stop))
        bound += float(lower_bound(X[block], H, D).sum())
    scale = max(primal, 1e-9 * float(X.sum(dtype=np.float64))) or 1.0
    return {"primal": primal, "dual_bound": bound, "gap": max(primal - bound, 0.0) / scale}


def warn_if_unfinished(unfinished, max_iter):
    """Say that ``unfinished`` rows met ``max_iter``, if there are any."""
    if unfinished:
        warnings.warn(
            f"{unfinished} projections of a row did not end within max_iter={max_iter} "
            "pivots; the best coefficients found are kept.",
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
        Pivots so far, and rows that met ``max_iter`` in the last call.

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
            X = sp.csr_matrix(X)
            if not X.has_canonical_format or (X.data.size and not X.data.all()):
                X = X.copy()
                X.sum_duplicates()
                X.eliminate_zeros()
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

    def extend(self, H):
        """Add the rows of ``H`` to the generators and project."""
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
            if old == 0 and self._X.shape[1] >= _MANY and self._k > 1:
                self._start_coarse(H)
        pivots, self.unfinished = self._run(points, np.empty((0, 0)))
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

    def _start_coarse(self, H):
        """Start from the solution for some of the features: its vertex is one of ours."""
        some = slice(None, None, _STRIDE)
        coarse = ManhattanCone(self._X[:, some], self._capacity, max_iter=self._max_iter)
        coarse.extend(H[:, some])
        self._basis = np.where(coarse._basis >= 0, _STRIDE * coarse._basis, coarse._basis)
        self.pivots += coarse.pivots

    def _run(self, points, duals):
        masses = self._masses[: self._k]
        state = (self._W, self._basis, self.norms, duals, points)
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
