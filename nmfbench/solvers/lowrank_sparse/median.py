"""The temporal median: a background that is the same in every sample."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.solvers.bases.loop import State
from nmfbench.solvers.lowrank_sparse.base import BaseLowRankSparse


@register_solver(
    "median",
    name="median",
    family="lowrank_sparse",
    reference="baseline",
    monotone=True,
)
@dataclass(eq=False, repr=False, kw_only=True)
class Median(BaseLowRankSparse):
    r"""Every sample is the median of all, feature by feature, plus something sparse.

    .. math:: \min_h \|X - \mathbf 1 h\|_1

    Parameters
    ----------
    n_components : int, optional
        1 by default. The rank is 1; more components are zero.
    random_state
        Plays no part.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The median in the first row; its norm is not 1.
    low_rank_, sparse_ : ndarray of shape (n_samples, n_features)
        The median in every row, and the differences from it.

    Notation
    --------
    None. With frames as samples, this is the usual model of a background.

    Cost
    ----
    One selection for each feature. ``transform`` returns ones, as the fit does.

    Notes
    -----
    For an even number of samples every value between the two middle ones is as good; this is
    their mean.
    """

    loss: ClassVar[str | None] = "manhattan"
    convex: ClassVar[bool] = False  # the weights are ones: nothing is solved

    def _start(self, X, r, rng, factors):
        return State(median=np.zeros(X.shape[1], dtype=X.dtype))

    def _step(self, X, s):
        s.median = np.median(X, axis=0)

    def _objective(self, X, s):
        return float(sum(np.abs(row - s.median).sum(dtype=np.float64) for row in X))

    def _converged(self, s, trace):
        return True

    def _n_steps(self, r):
        return 1

    def _finish(self, X, s):
        self.components_ = np.zeros((self.n_components or 1, X.shape[1]), dtype=X.dtype)
        self.components_[0] = s.median
        self.low_rank_ = np.tile(s.median, (len(X), 1))
        self.sparse_ = X - s.median

    def _representation(self, X, s):
        return self._project(X)

    def _project(self, X):
        W = np.zeros((len(X), len(self.components_)), dtype=X.dtype)
        W[:, 0] = 1
        return W
