"""Base of the solvers of ``||X - W H||_1``: start, objective, stop, certificate."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.optim import losses
from nmfbench.optim.projections.manhattan import certify_manhattan, project_manhattan
from nmfbench.optim.stopping import relative_progress
from nmfbench.solvers.bases.alternating import BaseAlternating

__all__ = ["BaseManhattan"]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseManhattan(BaseAlternating):
    """Base of the MahNMF solvers.

    Parameters
    ----------
    init : {"uniform", "random", "nndsvda", "nndsvd", "median"}, default="uniform"
        Start, unless ``fit`` is given factors; see :mod:`nmfbench.optim.init`.
    tol : float, default=1e-3
        Stop after ten iterations or more, when the last one changed the objective by no more
        than this share of the change since the start (Guan et al. 2012, Eq. (4)).
    n_components, random_state, max_iter
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.

    Attributes
    ----------
    n_dead_components_ : int
        Components that are zero in either factor: a median kills them more readily than a mean.

    Notation
    --------
    The paper holds samples in columns, V = W H. Its V, W, H are our X.T, Ht, W.T. Its "H first"
    is our W first.
    """

    init: str = "uniform"
    tol: float = 1e-3

    accepts_sparse: ClassVar[bool] = False
    loss: ClassVar[str | None] = "manhattan"

    rescaled: ClassVar[bool] = True
    """Whether the fitted components are scaled to unit sum, which only leaves a loss as it is
    that depends on the product alone."""

    def _project(self, X):
        return project_manhattan(X, self._basis(X))

    def _certify(self, X):
        return certify_manhattan(X, self.components_.astype(np.float64))

    def _objective(self, X, s):
        return losses.manhattan(X, s.W, s.Ht)

    def _converged(self, s, trace):
        return relative_progress(trace, self.tol)

    def _finish(self, X, s):
        dead = ~(s.W.any(axis=0) & s.Ht.any(axis=0))
        if self.rescaled:
            sums = s.Ht.sum(axis=0, dtype=np.float64)
            scale = np.where(sums > 0, sums, 1.0).astype(X.dtype)
            s.Ht /= scale
            s.W *= scale
        self.n_dead_components_ = int(dead.sum())
        if dead.all() and X.max() > 0:
            warnings.warn(
                "all components are zero: where more than half of the entries of X are zeros, "
                "that is often the best fit in the l1 norm. Use a Frobenius or Kullback-Leibler "
                "solver for sparse data, or another start.",
                UserWarning,
                stacklevel=4,
            )
        super()._finish(X, s)
