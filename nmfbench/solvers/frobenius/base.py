"""What the iterative solvers of ``||X - W H||_F^2`` share: start, objective, stop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from nmfbench import losses
from nmfbench.init import INITS
from nmfbench.solvers.base import BaseNMF, State
from nmfbench.stopping import relative_decrease

__all__ = ["BaseFrobenius"]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseFrobenius(BaseNMF):
    """Base of alternating solvers that update W, then H, each from Gram products.

    A solver gives ``_update(factor, cross, gram)``: it lowers the objective over one factor, in
    place, given ``cross = X @ other`` and ``gram = other.T @ other``. By symmetry the same
    function serves both factors.

    Parameters
    ----------
    init : {"nndsvda", "nndsvd", "random"}, default="nndsvda"
        Start, unless ``fit`` is given factors. Zeros of "nndsvd" are kept by some updates.
    max_iter : int, default=200
    tol : float, default=1e-4
        Stop when an iteration lowers the objective by less than this share of it.
    """

    init: str = "nndsvda"
    max_iter: int = 200
    tol: float = 1e-4

    def _update(self, factor, cross, gram):
        raise NotImplementedError

    def _validate_params_of_solver(self):
        if self.init not in INITS:
            raise ValueError(f"init must be one of {', '.join(INITS)}, got {self.init!r}.")
        if self.max_iter < 1:
            raise ValueError(f"max_iter must be at least 1, got {self.max_iter}.")
        if self.tol < 0:
            raise ValueError(f"tol must not be negative, got {self.tol}.")

    def _start(self, X, r, rng, factors):
        W, Ht = INITS[self.init](X, r, rng) if factors is None else factors
        values = X.data if sp.issparse(X) else X.ravel()
        return State(
            W=W,
            Ht=Ht,
            cross=X.T @ W,
            gram=W.T @ W,
            norm_sq=float(np.dot(values.astype(np.float64), values.astype(np.float64))),
        )

    def _step(self, X, s):
        self._update(s.W, X @ s.Ht, s.Ht.T @ s.Ht)
        # Kept for the objective, which needs no product with X then.
        s.cross, s.gram = X.T @ s.W, s.W.T @ s.W
        self._update(s.Ht, s.cross, s.gram)

    def _objective(self, X, s):
        cross = np.einsum("ij,ij->", s.cross, s.Ht, dtype=np.float64)
        gram = np.einsum("ij,ij->", s.gram, s.Ht.T @ s.Ht, dtype=np.float64)
        value = s.norm_sq - 2 * cross + gram
        # The sum cancels: below a share of ||X||^2 too few digits are left (float32: always).
        if value > _CANCELLED[X.dtype.type] * s.norm_sq:
            return value
        if sp.issparse(X):
            exact = X.astype(np.float64), s.W.astype(np.float64), s.Ht.astype(np.float64)
            return max(losses.frobenius_sq(*exact), 0.0)
        return losses.frobenius_sq(X, s.W, s.Ht)

    def _converged(self, s, trace):
        return relative_decrease(trace, self.tol)

    def _n_steps(self, r):
        return self.max_iter

    def _finish(self, X, s):
        self.components_ = np.ascontiguousarray(s.Ht.T)

    def _representation(self, X, s):
        return s.W


_CANCELLED = {np.float64: 1e-6, np.float32: 1.0}
