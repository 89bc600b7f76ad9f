"""Base of the separable family: anchors are rows of ``X``, and the transform is a projection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from nmfbench.solvers.bases.loop import BaseNMF

__all__ = ["BaseSeparable"]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseSeparable(BaseNMF):
    """Base of solvers that choose ``components_`` among the rows of ``X``.

    A step of the greedy ones adds one anchor, so that ``n_iter_`` is the number of anchors.

    Attributes
    ----------
    anchor_indices_ : ndarray of shape (n_components,)
        Rows of ``X``, in order of selection. Fewer than asked for if the data are exhausted:
        every row already lies in the cone of those found.
    """

    takes_factors: ClassVar[bool] = False

    def _require_a_nonzero_row(self, X):
        if not (X.data.any() if sp.issparse(X) else X.any()):
            raise ValueError("X is all zero: there is no row to choose as an anchor.")

    def _rank_bound(self, X):
        return X.shape[0], "n_samples"

    def _n_steps(self, r):
        return r

    def _converged(self, s, trace):
        return s.exhausted

    def _anchors(self, s):
        return s.anchors

    def _finish(self, X, s):
        self.anchor_indices_ = np.asarray(self._anchors(s), dtype=np.intp)
        rows = X[self.anchor_indices_]
        self.components_ = rows.toarray() if sp.issparse(rows) else rows.copy()

    def _representation(self, X, s):
        return self._project(X)
