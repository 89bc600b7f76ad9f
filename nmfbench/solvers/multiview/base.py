"""Base of the multi-view family: features in groups, Gram products, double precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nmfbench.core.validation import check_groups
from nmfbench.solvers.bases.alternating import BaseAlternating

__all__ = ["BaseMultiview"]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseMultiview(BaseAlternating):
    """Base of solvers of a penalised least-squares problem over features in groups.

    Factors are in float64 while they move, as the objective of a sub-problem is a difference of
    Gram products, and in the precision of the data at the end.

    Parameters
    ----------
    groups : array-like of n_features labels, or list of index lists or slices, optional
        Groups of features, such as views, which partition them. By default all are one group.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.
    """

    groups: Any = None

    accepts_sparse: ClassVar[bool] = False

    def _tiny_problem(self):
        params, X = super()._tiny_problem()
        return params | {"groups": None}, X

    def _start(self, X, r, rng, factors):
        groups = check_groups(self.groups, X.shape[1])
        X = X.astype(np.float64, copy=False)
        s = super()._start(X, r, rng, factors)
        s.X, s.groups = X, groups
        s.W, s.Ht = (factor.astype(np.float64, copy=False) for factor in (s.W, s.Ht))
        return s

    def _finish(self, X, s):
        super()._finish(X, s)
        self.components_ = self.components_.astype(X.dtype, copy=False)

    def _representation(self, X, s):
        return s.W.astype(X.dtype, copy=False)
