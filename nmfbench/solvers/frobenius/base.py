"""Base of the iterative solvers of ``||X - W H||_F^2``: start, objective, stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from nmfbench.optim import losses
from nmfbench.solvers.bases.alternating import BaseAlternating

__all__ = ["BaseFrobenius", "error_from_products"]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseFrobenius(BaseAlternating):
    """Base of alternating solvers that update W, then H, each from Gram products.

    A solver gives ``_update(factor, cross, gram)``: it lowers the objective over one factor, in
    place, given ``cross = X @ other`` and ``gram = other.T @ other``. By symmetry the same
    function serves both factors.

    Parameters
    ----------
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.
    """

    loss: ClassVar[str | None] = "frobenius"

    def _update(self, factor, cross, gram):
        raise NotImplementedError

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        values = (X.data if sp.issparse(X) else X.ravel()).astype(np.float64, copy=False)
        s.norm_sq = float(np.dot(values, values))
        s.latest, s.cross, s.gram = s.W, X @ s.Ht, s.Ht.T @ s.Ht
        return s

    def _step(self, X, s):
        if s.latest is not s.W:  # in the first iteration the products of the start serve
            s.cross, s.gram = X @ s.Ht, s.Ht.T @ s.Ht
        self._update(s.W, s.cross, s.gram)
        # Kept for the objective, which needs no product with X then.
        # Some BLAS multiply X faster from the left than its transpose from the right.
        cross = np.ascontiguousarray((s.W.T @ X).T)
        s.latest, s.cross, s.gram = s.Ht, cross, s.W.T @ s.W
        self._update(s.Ht, s.cross, s.gram)

    def _objective(self, X, s):
        value = error_from_products(s.norm_sq, s.latest, s.cross, s.gram)
        # The sum cancels: below a share of ||X||^2 too few digits are left (float32: always).
        if value > _CANCELLED[X.dtype.type] * s.norm_sq:
            return value
        if sp.issparse(X):
            exact = X.astype(np.float64), s.W.astype(np.float64), s.Ht.astype(np.float64)
            return max(losses.frobenius_sq(*exact), 0.0)
        return losses.frobenius_sq(X, s.W, s.Ht)


def error_from_products(norm_sq, factor, cross, gram):
    """``||X - factor @ other.T||^2`` from ``||X||^2``, ``X @ other`` and ``other.T @ other``.

    Its error is a share of ``||X||^2``, by rounding.
    """
    linear = np.einsum("ij,ij->", cross, factor, dtype=np.float64)
    quadratic = np.einsum("ij,ij->", gram, factor.T @ factor, dtype=np.float64)
    return norm_sq - 2 * linear + quadratic


_CANCELLED = {np.float64: 1e-6, np.float32: 1.0}
