"""XRAY under the Frobenius norm."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from nmfbench.core.registry import register_solver
from nmfbench.optim.kernels.nnls import nnls_gram
from nmfbench.optim.projections.manhattan import (
    certify_manhattan,
    fit_manhattan,
    project_manhattan,
)
from nmfbench.solvers.separable.xray import BaseXRAY

_OUTSIDE = 1e-12  # `rand` ignores squared residuals below this share of the largest norm
_RECOMPUTE = 1e-8  # squared residuals this small (relative) have lost digits to cancellation
_EXHAUSTED = 1e-9  # residual norms below this share of the largest norm are rounding
_TOL = 1e-12  # of the optimality conditions of the projection
_BLOCK = 1 << 21  # entries of the residual in memory at once


@register_solver(
    "xray-l2",
    name="XRAY-l2",
    family="separable",
    paper="robust-xray",
    reference="Kumar, Sindhwani & Kambadur 2013",
    cost=("nm", "nrr"),
    nested=True,
    monotone=True,
)
@dataclass(eq=False, repr=False, kw_only=True)
class XRAYL2(BaseXRAY):
    r"""Grow the cone of the anchors until its squared distance from the rows is small.

    .. math:: \min_{A, W \ge 0} \|X - W X_A\|_F^2

    With :math:`R = X - W X_A`, a step chooses an exterior row ``i`` and then the anchor
    :math:`\arg\max_j R_i^T x_j / p^T x_j`.

    Parameters
    ----------
    selection : {"max", "rand", "dist", "greedy", "greedy_p"}, default="max"
        The exterior row: the worst fitted; any outside the cone; the one with the largest
        :math:`\|(X R_i)_+\|`. ``greedy`` has none: it takes the row whose addition lowers the
        loss most, the other coefficients fixed, :math:`\arg\max_j \|(R x_j)_+\| / \|x_j\|`;
        ``greedy_p`` divides by :math:`p^T x_j` instead.
    refit_loss : {None, "manhattan"}, default=None
        The loss of refits, and of ``transform`` after them: the squared distance, or the l1
        distance, as Kumar & Sindhwani (2015) print them for this method too.
    p : array-like of shape (n_features,), optional
        Positive vector; ``1 + U(0, 1e-5)`` by default.
    refits
        See :class:`~nmfbench.solvers.separable.base.BaseSeparable`.

    Notation
    --------
    Their columns :math:`X_j` are our rows, their :math:`H` is our ``W.T``.

    Cost
    ----
    Per iteration: a product of ``X`` with a vector for the choice and one for the Gram
    products, which are kept, and :math:`O(nr^2)` for each sweep of the projection. ``dist``,
    ``greedy`` and ``greedy_p`` keep :math:`X X^T`.

    Notes
    -----
    On noiseless separable data every rule but ``greedy`` finds the anchors: a linear (or convex)
    function on the normalised rows is largest at an extreme one, while ``greedy`` normalises
    differently.

    Departures
    ----------
    The residual matrix is formed, a block of rows at a time, only once cancellation has eaten
    the residual norms.
    """

    refit_loss: str | None = None

    selections: ClassVar[tuple[str, ...]] = ("max", "rand", "dist", "greedy", "greedy_p")

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        if self.refit_loss not in (None, "manhattan"):
            raise ValueError(f"refit_loss must be None or 'manhattan', got {self.refit_loss!r}.")

    @property
    def _refitted_in_l1(self):
        return self.refits > 0 and self.refit_loss == "manhattan"

    def _project(self, X):
        if self._refitted_in_l1:
            return project_manhattan(X, self._basis(X))
        return super()._project(X)

    def _certify(self, X):
        if self._refitted_in_l1:
            return certify_manhattan(X, self.components_.astype(np.float64))
        return super()._certify(X)

    def _fit_factor(self, X, H, W0):
        if self.refit_loss == "manhattan":
            return fit_manhattan(X, H, W0)
        return super()._fit_factor(X, H, W0)

    def _start_projection(self, s):
        s.cross = np.zeros((s.data.shape[0], 0))  # X X_A^T
        s.residual = s.squares.copy()
        s.negligible = max(_EXHAUSTED, 4 * s.eps) ** 2 * s.squares.max()
        if self.selection in ("dist", "greedy", "greedy_p"):
            gram = s.data @ s.data.T
            s.gram = gram.toarray() if sp.issparse(gram) else gram
        if self.selection == "greedy":
            s.heights = np.sqrt(s.squares)

    def _numerators(self, s):
        if self.selection in ("dist", "greedy", "greedy_p"):
            products = s.gram - s.W @ s.cross.T  # R X^T
            np.maximum(products, 0, out=products)
            if self.selection == "dist":
                badness = np.einsum("ij,ij->i", products, products)
                return self._along(s, self._exterior(s, badness, 0.0))
            return np.sqrt(np.einsum("ij,ij->j", products, products))
        threshold = _OUTSIDE * s.squares.max()
        return self._along(s, self._exterior(s, s.residual, threshold))

    def _along(self, s, i):
        """Products of all rows with the residual of row ``i``."""
        return s.data @ self._residual_rows(s, slice(i, i + 1)).ravel()

    def _residual_rows(self, s, rows):
        data = s.data[rows]
        data = data.toarray() if sp.issparse(data) else data
        return data - s.W[rows] @ s.basis[: len(s.anchors)]

    def _project_on_anchors(self, s):
        k = len(s.anchors)
        s.cross = np.column_stack([s.cross, s.data @ s.basis[k - 1]])
        gram = s.cross[s.anchors]
        gram = (gram + gram.T) / 2
        nnls_gram(s.W, gram, s.cross, _TOL, 10 * k)
        s.residual = s.squares - np.einsum("ij,ij->i", s.W, 2 * s.cross - s.W @ gram)
        if s.residual.max() <= _RECOMPUTE * s.squares.max():
            self._recompute(s)
        np.maximum(s.residual, 0.0, out=s.residual)
        s.exhausted = s.residual.max() <= s.negligible

    def _recompute(self, s):
        n, m = s.data.shape
        for rows in gen_batches(n, max(1, _BLOCK // m)):
            residual = self._residual_rows(s, rows)
            s.residual[rows] = np.einsum("ij,ij->i", residual, residual)

    def _objective(self, X, s):
        return s.residual.sum()
