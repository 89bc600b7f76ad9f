"""MahNMF-M by Nesterov's smoothing and his optimal gradient method."""

from dataclasses import dataclass

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.optim import graphs
from nmfbench.solvers.manhattan.manifold import BaseManifold
from nmfbench.solvers.manhattan.smoothed import BaseSmoothed
from nmfbench.solvers.manhattan.smoothing import SmoothedLoss


class SmoothedManifold(SmoothedLoss):
    r"""The smoothed loss over W, plus :math:`\frac12 \sum_k p_k w_k^T L w_k`.

    Parameters
    ----------
    S : CSR array of shape (n_samples, n_samples)
        Affinity, of which L is the Laplacian.
    penalties : ndarray of shape (r,)
        The weights p.
    X, other, mu, buffer, lipschitz
        See :class:`~nmfbench.solvers.manhattan.smoothing.SmoothedLoss`.
    """

    def __init__(self, X, other, mu, buffer, S, penalties, *, lipschitz="trace"):
        super().__init__(X, other, mu, buffer, varies="W", lipschitz=lipschitz)
        self.lipschitz += float(penalties.max()) * graphs.laplacian_norm(S)
        self.L = graphs.laplacian(S).astype(X.dtype)
        self.penalties = penalties.astype(X.dtype)

    def gradient(self, factor, out):
        value, pull = super().gradient(factor, out), self._pull(factor)
        out += pull
        return value + 0.5 * float(np.vdot(pull, factor))

    def value(self, factor):
        return super().value(factor) + 0.5 * float(np.vdot(self._pull(factor), factor))

    def _pull(self, factor):
        return (self.L @ factor) * self.penalties


@register_solver(
    "mahnmf-m-ogm",
    name="MahNMF-M (OGM)",
    family="manhattan",
    paper="mahnmf",
    reference="Guan et al. 2012",
    cost=("nmr",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class MahNMFMOGM(BaseManifold, BaseSmoothed):
    r"""Smoothing method for the manifold-regularised problem.

    .. math:: \min_{W,H\ge0} \|X-WH\|_1 + \frac\beta2 \operatorname{tr}(W^T L W),
              \qquad \textstyle\sum_j H_{kj} = 1

    The sub-problem of W has the gradient :math:`U H^T + \beta L W`; that of H is the plain one.

    Parameters
    ----------
    beta, n_neighbors, affinity
        See :class:`~nmfbench.solvers.manhattan.manifold.BaseManifold`.
    mu0, decay, lipschitz, stop, inner_max_iter, inner_tol, monotone, restart, safeguard
        See :class:`~nmfbench.solvers.manhattan.smoothed.BaseSmoothed`.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.manhattan.base.BaseManhattan`.

    Notation
    --------
    The paper's V, W, H, S are our X.T, Ht, W.T, S.

    Cost
    ----
    Per iteration: two products of the size of ``X`` with r vectors for each inner gradient, and
    :math:`O(r)` for each edge.

    Notes
    -----
    The objective may rise, unless ``safeguard``; the best factors met are kept. ``transform`` and
    ``certificate`` refer to the problem without the graph, which has no new samples.

    Departures
    ----------
    The text does not say that the problem needs a fixed scale; see
    :class:`~nmfbench.solvers.manhattan.manifold.BaseManifold`. The norm of the Laplacian, which
    the step size needs, is bounded by the largest sum of the degrees of two neighbours.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 4.2, Eqs. (32)-(35).
    """

    def _smoothed(self, X, s, other, mu, varies):
        if varies == "H":
            return super()._smoothed(X, s, other, mu, varies)
        penalties = self._penalties(s.Ht)
        return SmoothedManifold(
            X, other, mu, s.buffer, s.affinity, penalties, lipschitz=self.lipschitz
        )
