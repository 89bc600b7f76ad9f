"""SPA: the successive projection algorithm."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from nmfbench.registry import register_solver
from nmfbench.solvers.base import State
from nmfbench.solvers.separable.base import BaseSeparable

_TIE = 1e-6  # residual norms this close (relative) count as equal
_EXHAUSTED = 1e-9  # a residual below this share of the largest norm is rounding
_BLOCK = 1 << 21  # entries of the residual held at once


@register_solver(
    "spa",
    name="SPA",
    family="separable",
    reference="Gillis & Vavasis 2012",
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

    Notes
    -----
    *Paper notation:* their columns :math:`X_j` are our rows.

    No residual matrix is formed: with ``u`` orthogonalised against the directions before it,
    squared norms drop by :math:`(u^T X_j)^2`. Cost: one product of ``X`` with a vector for each
    anchor. Norms that have lost their digits to cancellation are computed anew.

    References
    ----------
    Gillis & Vavasis (2012), Fast and robust recursive algorithms for separable NMF, Algorithm 1.
    """

    normalize: bool = False

    def _start(self, X, r, rng, factors):
        self._require_a_nonzero_row(X)
        if sp.issparse(X):
            norms = np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
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
            directions=np.empty((r, X.shape[1])),
            last_exact=norms.max(),
            # Updated squared norms this small (relative) have lost half their digits.
            doubtful=np.sqrt(eps),
            negligible=max(_EXHAUSTED, 4 * eps) ** 2 * norms.max(),
        )

    def _step(self, X, s):
        largest = s.residual.max()
        tied = np.flatnonzero(s.residual >= largest * (1 - _TIE))
        j = int(tied[np.argmax(s.original[tied])])
        k = len(s.anchors)
        U = s.directions[:k]
        u = (X[[j]].toarray().ravel() if sp.issparse(X) else X[j]) * s.scale[j]
        for _ in range(2):  # twice is enough for orthogonality to rounding
            u -= U.T @ (U @ u)
        u /= np.linalg.norm(u)
        s.directions[k] = u
        s.anchors.append(j)
        s.residual -= ((X @ u.astype(X.dtype, copy=False)) * s.scale) ** 2
        s.residual[s.anchors] = 0.0
        if s.residual.max() < s.doubtful * s.last_exact:
            self._recompute(X, s)
        np.maximum(s.residual, 0.0, out=s.residual)
        s.exhausted = s.residual.max() <= s.negligible

    def _recompute(self, X, s):
        """Residual norms from the residuals themselves, a block of rows at a time."""
        U = s.directions[: len(s.anchors)]
        for block in gen_batches(X.shape[0], max(1, _BLOCK // X.shape[1])):
            rows = X[block].toarray() if sp.issparse(X) else X[block]
            rows = rows * s.scale[block, None]
            for _ in range(2):
                rows -= (rows @ U.T) @ U
            s.residual[block] = np.einsum("ij,ij->i", rows, rows)
        s.residual[s.anchors] = 0.0
        s.last_exact = s.residual.max()

    def _objective(self, X, s):
        return s.residual.sum()
