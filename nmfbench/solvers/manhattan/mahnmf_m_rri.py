"""MahNMF-M by rank-one residual iteration."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.optim.kernels.ridge_median import graph_sweep
from nmfbench.solvers.manhattan.manifold import BaseManifold
from nmfbench.solvers.manhattan.rri import improve


@register_solver(
    "mahnmf-m-rri",
    name="MahNMF-M (RRI)",
    family="manhattan",
    paper="mahnmf",
    reference="Guan et al. 2012",
    cost=("nmr",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class MahNMFMRRI(BaseManifold):
    r"""Exact coordinate descent on the manifold-regularised problem.

    .. math:: \min_{W,H\ge0} \|X-WH\|_1 + \frac\beta2 \operatorname{tr}(W^T L W),
              \qquad \textstyle\sum_j H_{kj} = 1

    One iteration sweeps over W, each entry of which becomes the minimiser, by Theorem 3, of

    .. math:: \sum_j H_{kj} |x - Z_{ij} / H_{kj}| + \frac{\beta d_i}2
              \Big(x - \frac{(S W)_{ik}}{d_i}\Big)^2,

    where Z is the residual without component k and :math:`d_i` the degree of sample i; then over
    H, each entry of which becomes a weighted median.

    Parameters
    ----------
    beta, n_neighbors, affinity
        See :class:`~nmfbench.solvers.manhattan.manifold.BaseManifold`.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.manhattan.base.BaseManhattan`.

    Notation
    --------
    The paper's V, W, H, S are our X.T, Ht, W.T, S.

    Cost
    ----
    Per iteration: :math:`O(n m r)` by selection, and :math:`O(r)` for each edge.

    Notes
    -----
    A sweep over W never raises the objective, for H as it is. A sweep over H never raises the
    loss, but changes the sums of its rows, which the penalty is measured by; so the objective may
    rise. A fixed point is optimal in every coordinate, not in all together. ``transform`` and
    ``certificate`` refer to the problem without the graph, which has no new samples.

    Departures
    ----------
    The text does not say that the problem needs a fixed scale; see
    :class:`~nmfbench.solvers.manhattan.manifold.BaseManifold`. It sweeps component after
    component; here a sample makes all its updates while its residual is in cache. Samples take
    turns by increasing sum, so that the result does not depend on their order in X.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 4.2, Eqs. (32)-(33), (36)-(39), Theorem 3.
    """

    unlike_transform: ClassVar[str | None] = (
        "fit_transform weighs in the graph of the samples, and new samples are in none"
    )

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.t = 0
        s.R, s.buffer = np.empty_like(X), np.empty_like(X)
        s.order = np.argsort(X.sum(axis=1, dtype=np.float64), kind="stable")
        return s

    def _step(self, X, s):
        if s.t % _REFRESH == 0:  # as rounding errors add up
            np.matmul(s.W, s.Ht.T, out=s.R)
            np.subtract(X, s.R, out=s.R)
        s.t += 1
        self._improve_W(s)
        self._improve_H(s)

    def _improve_W(self, s):
        S, basis = s.affinity, np.ascontiguousarray(s.Ht.T)
        penalties = self._penalties(s.Ht)
        graph_sweep(s.W, s.R, basis, s.order, S.indptr, S.indices, S.data, penalties)

    def _improve_H(self, s):
        Rt = s.buffer.reshape(s.R.shape[::-1])
        np.copyto(Rt, s.R.T)
        improve(Rt, s.Ht, s.W)
        np.copyto(s.R, Rt.T)


_REFRESH = 10  # iterations after which the residual is recomputed
