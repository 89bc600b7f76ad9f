"""Base of the manifold-regularised MahNMF solvers: graph, penalty, objective."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nmfbench.core.validation import check_count, check_number
from nmfbench.optim import graphs
from nmfbench.optim.kernels.smoothing import absolute_residual
from nmfbench.solvers.manhattan.base import BaseManhattan

__all__ = ["BaseManifold"]


@dataclass(eq=False, repr=False, kw_only=True)
class BaseManifold(BaseManhattan):
    r"""Base of solvers whose representation varies smoothly over a graph of the samples.

    .. math:: \min_{W,H\ge0} \|X-WH\|_1 + \frac\beta2 \operatorname{tr}(W^T L W),
              \qquad \textstyle\sum_j H_{kj} = 1

    with L the Laplacian of an affinity S: the penalty is
    :math:`\frac\beta4\sum_{il}S_{il}\|w_i-w_l\|^2`.

    Parameters
    ----------
    beta : float, default=1e-3
        Weight of the smoothness of W over the graph.
    n_neighbors : int, default=5
        Of the graph made of the data; see :func:`nmfbench.optim.graphs.knn_affinity`.
    affinity : array-like or sparse matrix of shape (n_samples, n_samples), optional
        The graph itself: symmetric and non-negative. Samples without neighbours are not
        penalised.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.manhattan.base.BaseManhattan`.

    Notes
    -----
    Without the condition on H the problem is ill-posed: dividing W by a number and multiplying H
    by it leaves the loss, and takes the penalty to nothing. Instead of scaling factors to and
    fro, the penalty is written for factors of any scale, with :math:`\sigma_k=\sum_j H_{kj}`:

    .. math:: \frac12 \sum_k \beta \sigma_k^2 \; w_k^T L w_k
    """

    beta: float = 1e-3
    n_neighbors: int = 5
    affinity: Any = None

    loss: ClassVar[str | None] = None

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.beta, "beta", at_least=0)
        check_count(self.n_neighbors, "n_neighbors")

    def _tiny_problem(self):
        params, X = super()._tiny_problem()
        return params | {"affinity": None}, X

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        if self.affinity is None:
            s.affinity = graphs.knn_affinity(X, self.n_neighbors)
        else:
            s.affinity = graphs.check_affinity(self.affinity, X.shape[0])
        return s

    def _penalties(self, Ht):
        """beta sigma_k^2, the weight of the smoothness of each column of W."""
        return self.beta * Ht.sum(axis=0, dtype=np.float64) ** 2

    def _objective(self, X, s):
        np.matmul(s.W, s.Ht.T, out=s.buffer)
        loss = absolute_residual(s.buffer, X)
        weighted = s.W * np.sqrt(self._penalties(s.Ht))
        return loss + 0.5 * graphs.smoothness(s.affinity, weighted)
