"""Base of the separable family: anchors are rows of ``X``, and the transform is a projection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from nmfbench.core.validation import check_count
from nmfbench.optim import losses
from nmfbench.optim.projections.frobenius import project_frobenius
from nmfbench.solvers.bases.loop import BaseNMF

__all__ = ["BaseSeparable"]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseSeparable(BaseNMF):
    r"""Base of solvers that choose ``components_`` among the rows of ``X``.

    A step of the greedy ones adds one anchor, so that ``n_iter_`` is the number of anchors.
    Refits come after the selection, whatever ended it, and count as two iterations each:

    .. math:: W \leftarrow \arg\min_{C\ge0} d(X, C H), \qquad
              H \leftarrow \arg\min_{B\ge0} d(X, W B),

    where H, at first the anchors, are the components, and d is the loss of ``transform``. It is
    the objective of these iterations and never rises. Where the selection minimises d, the
    first half of the first refit changes nothing.

    Parameters
    ----------
    refits : int, default=0
        How often both factors are projected after the selection. Components are no longer rows
        of ``X`` then.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The rows of ``X`` at ``anchor_indices_``, or what refits made of them. ``fit_transform``
        then returns the W of the last refit, and ``transform`` the best on the last components.
    anchor_indices_ : ndarray of shape (n_components,)
        Rows of ``X``, in order of selection. Fewer than ``n_components`` if the data are exhausted:
        every row already lies in the cone of those found.
    """

    refits: int = 0

    takes_factors: ClassVar[bool] = False

    def _validate_params_of_solver(self):
        check_count(self.refits, "refits", least=0)

    def _tiny_problem(self):
        params, X = super()._tiny_problem()
        return params | {"refits": 1}, X

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
        if self.refits:
            self.components_ = np.ascontiguousarray(s.refitted_Ht.T, dtype=X.dtype)
        else:
            self.components_ = self._anchor_rows(X, s)

    def _representation(self, X, s):
        return s.refitted_W.astype(X.dtype, copy=False) if self.refits else self._project(X)

    def _anchor_rows(self, X, s):
        rows = X[np.asarray(self._anchors(s), dtype=np.intp)]
        return rows.toarray() if sp.issparse(rows) else rows.copy()

    # -- refits ----------------------------------------------------------------------------

    def _after_loop(self, X, s, trace, n_iter):
        for half in range(2 * self.refits):
            n_iter += 1
            with trace.clock():
                self._refit(X, s, half)
            trace.record(n_iter, s.loss)
        return n_iter

    def _refit(self, X, s, half):
        """Half a refit: the weights first, then the components."""
        if half == 0:
            s.transposed = X.T.tocsr() if sp.issparse(X) else np.ascontiguousarray(X.T)
            H = self._anchor_rows(X, s).astype(np.float64)
            s.refitted_Ht = np.ascontiguousarray(H.T)
            s.refitted_W, s.loss = self._first_weights(X, H, s)
        elif half % 2 == 0:
            s.refitted_W, s.loss = self._fit_factor(X, s.refitted_Ht.T, s.refitted_W)
        else:
            s.refitted_Ht, s.loss = self._fit_factor(s.transposed, s.refitted_W.T, s.refitted_Ht)

    def _first_weights(self, X, H, s):
        """Weights on the anchors ``H``, and their loss; a solver may have them already."""
        return self._fit_factor(X, H, None)

    def _fit_factor(self, X, H, W0):
        """Project the rows of ``X`` on the cone of ``H``, from ``W0``: the weights, their loss."""
        W = project_frobenius(X, H, W0)
        return W, losses.frobenius_sq(X, W, H.T)
