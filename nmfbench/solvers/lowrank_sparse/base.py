"""Base of the low-rank + sparse family: signed data, two parts, least-squares transform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.linalg
from sklearn.utils.extmath import svd_flip

from nmfbench.optim.projections.frobenius import certify_frobenius
from nmfbench.solvers.bases.loop import BaseNMF

__all__ = ["BaseLowRankSparse", "orthonormal_factors", "sum_of_squares"]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseLowRankSparse(BaseNMF):
    """Base of solvers that split ``X`` of any sign into ``low_rank_ + sparse_``.

    ``transform`` is least squares on the components: a new sample is not split in two. What it
    returns for the data of the fit differs from ``fit_transform`` where the sparse part is not
    orthogonal to the components.

    Parameters
    ----------
    n_components, random_state
        See :class:`~nmfbench.solvers.bases.loop.BaseNMF`.

    Attributes
    ----------
    low_rank_, sparse_ : ndarray of shape (n_samples, n_features)
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows that span the low-rank part, the one that explains most first.
    """

    accepts_sparse: ClassVar[bool] = False
    signed: ClassVar[bool] = True
    takes_factors: ClassVar[bool] = False

    def _representation(self, X, s):
        return s.W

    def _project(self, X):
        return X @ self._basis(X).T

    def _certify(self, X):
        return certify_frobenius(X, self.components_, self._project(X), signed=True)

    def _set_factors(self, s, W, components):
        s.W, self.components_ = np.ascontiguousarray(W), np.ascontiguousarray(components)


def orthonormal_factors(A, B, r=None):
    """``A @ B`` as ``W @ components`` with orthonormal components: its thin SVD, at small cost.

    Parameters
    ----------
    A : ndarray of shape (n_samples, k)
    B : ndarray of shape (k, n_features)
    r : int, optional
        Number of components: k by default. If fewer the best are kept; if more, zeros are added.

    Returns
    -------
    W : ndarray of shape (n_samples, r)
    components : ndarray of shape (r, n_features)
        In each, the entry of largest magnitude is positive.
    """
    k = A.shape[1]
    r = k if r is None else r
    W = np.zeros((A.shape[0], r), dtype=A.dtype)
    components = np.zeros((r, B.shape[1]), dtype=A.dtype)
    if k:
        Q, R = scipy.linalg.qr(B.T, mode="economic")
        U, sigma, Vt = scipy.linalg.svd(A @ R.T, full_matrices=False)
        U, V = svd_flip(U * sigma, Vt @ Q.T, u_based_decision=False)
        kept = min(r, len(V))
        W[:, :kept], components[:kept] = U[:, :kept], V[:kept]
    return W, components


def sum_of_squares(X):
    """Squared Frobenius norm, without a temporary of the size of X."""
    return float(sum(np.dot(row, row) for row in X))
