"""SPA: the successive projection algorithm."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches
from sklearn.utils.extmath import row_norms

from nmfbench.core.registry import register_solver
from nmfbench.solvers.bases.loop import State
from nmfbench.solvers.separable.base import BaseSeparable

_TIE = 1e-6  # residual norms this close (relative) count as equal
_EXHAUSTED = 1e-9  # a residual below this share of the largest norm is rounding
_BLOCK = 1 << 21  # entries of the residual in memory at once


@register_solver(
    "spa",
    name="SPA",
    family="separable",
    reference="Gillis & Vavasis 2012",
    cost=("nm",),
    nested=True,
    monotone=True,
)
@dataclass(eq=False, repr=False, kw_only=True)
class SPA(BaseSeparable):
    r"""Repeatedly take the row with the largest residual, and project all rows off it.

    The objective recorded is :math:`\|R\|_F^2`, the squared distance of the (normalised) rows
    from the *linear span* of the anchors; it never rises. ``transform`` solves the non-negative
    least-squares problem on the anchors.

    Parameters
    ----------
    normalize : bool, default=False
        Divide rows by their sums first, as the conic model asks. Rows of ``X`` that are already
        convex combinations of the anchors need none.

    Notation
    --------
    Their columns :math:`X_j` are our rows.

    Cost
    ----
    Per iteration: one product of ``X`` with a row of its own, and :math:`O(nr)`.

    Departures
    ----------
    No residual matrix is formed. With ``u`` the part of the anchor orthogonal to those before
    it, squared norms drop by :math:`(u^T X_j)^2`, and these products are a column of the
    pivoted Cholesky factor of the Gram matrix. Once residuals are so small that the factor has
    lost half its digits, they are recomputed from an orthonormal basis of the anchors, and
    ``u`` is orthogonalised against it from then on.

    References
    ----------
    Gillis & Vavasis (2012), Fast and robust recursive algorithms for separable NMF, Algorithm 1.
    """

    normalize: bool = False

    def _start(self, X, r, rng, factors):
        self._require_a_nonzero_row(X)
        if sp.issparse(X):
            norms = row_norms(X, squared=True).astype(np.float64)
        else:
            norms = np.einsum("ij,ij->i", X, X).astype(np.float64)
        scale = np.ones(X.shape[0])
        if self.normalize:
            sums = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
            scale = np.divide(1.0, sums, out=scale, where=sums > 0)
            norms *= scale**2
        eps = np.finfo(X.dtype).eps
        return State(
            anchors=[],
            exhausted=False,
            scale=scale,
            original=norms.copy(),
            residual=norms,
            products=np.empty((r, X.shape[0])),
            basis=None,
            last_exact=norms.max(),
            # Updated squared norms this small (relative) have lost half their digits.
            doubtful=np.sqrt(eps),
            negligible=max(_EXHAUSTED, 4 * eps) ** 2 * norms.max(),
        )

    def _step(self, X, s):
        largest = s.residual.max()
        tied = np.flatnonzero(s.residual >= largest * (1 - _TIE))
        j = int(tied[np.argmax(s.original[tied])])
        row = _row(X, j) * s.scale[j]
        if s.basis is None:
            known = s.products[: len(s.anchors)]
            t = self._products(X, s, row) - known[:, j] @ known
            t /= np.sqrt(s.residual[j])
            s.products[len(s.anchors)] = t
        else:
            for _ in range(2):  # twice is enough for orthogonality to rounding
                row -= s.basis.T @ (s.basis @ row)
            row /= np.linalg.norm(row)
            t = self._products(X, s, row)
            s.basis = np.vstack([s.basis, row])
        s.anchors.append(j)
        s.residual -= t**2
        s.residual[s.anchors] = 0.0
        if s.residual.max() < s.doubtful * s.last_exact:
            self._recompute(X, s)
        np.maximum(s.residual, 0.0, out=s.residual)
        s.exhausted = s.residual.max() <= s.negligible

    def _products(self, X, s, vector):
        """Products of the scaled rows with a vector."""
        return (X @ vector.astype(X.dtype, copy=False)) * s.scale

    def _recompute(self, X, s):
        """Residual norms from the residuals themselves, a block of rows at a time."""
        if s.basis is None:
            anchors = np.stack([_row(X, j) * s.scale[j] for j in s.anchors], axis=1)
            s.basis = np.linalg.qr(anchors.astype(np.float64))[0].T
        for block in gen_batches(X.shape[0], max(1, _BLOCK // X.shape[1])):
            rows = X[block].toarray() if sp.issparse(X) else X[block]
            rows = rows * s.scale[block, None]
            for _ in range(2):
                rows -= (rows @ s.basis.T) @ s.basis
            s.residual[block] = np.einsum("ij,ij->i", rows, rows)
        s.residual[s.anchors] = 0.0
        s.last_exact = s.residual.max()

    def _objective(self, X, s):
        return s.residual.sum()


def _row(X, j):
    """Row ``j`` of a dense or CSR matrix as a dense vector."""
    if not sp.issparse(X):
        return X[j]
    entries = slice(X.indptr[j], X.indptr[j + 1])
    row = np.zeros(X.shape[1], dtype=X.dtype)
    row[X.indices[entries]] = X.data[entries]
    return row
