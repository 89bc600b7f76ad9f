"""GNMF: a representation that varies smoothly over a graph of the samples."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_number
from nmfbench.optim.kernels.floored_ratio import graph_ratio
from nmfbench.optim.kernels.laplacian import neighbor_smoothness
from nmfbench.solvers.graph.base import (
    BaseGraph,
    LeastSquares,
    csr,
    unit_components,
)

__all__ = ["GNMF"]


@register_solver(
    "gnmf",
    name="GNMF",
    family="graph",
    reference="Cai, He, Han & Huang 2011",
    cost=("nmr",),
    monotone=True,
    properties=("features", "locality"),
)
@dataclass(eq=False, repr=False, kw_only=True)
class GNMF(BaseGraph, LeastSquares):
    r"""Multiplicative updates for least squares with a graph penalty.

    .. math:: \min_{W,H\ge0} \|X-WH\|_F^2 + \alpha \operatorname{tr}(W^T L W)

    with L the Laplacian of a graph of the samples with the affinity S and the degrees D. One
    iteration updates H, then W with the new H:

    .. math:: H \leftarrow H \odot \frac{W^T X}{W^T W H}, \qquad
              W \leftarrow W \odot \frac{X H^T + \alpha S W}{W H H^T + \alpha D W}.

    Parameters
    ----------
    alpha : float, default=100
        Weight of the graph. With 0 this is NMF of the scaled data.
    normalize : bool, default=True
        Return components of unit length, with their lengths in W. This does not touch the fit:
        ``objective_`` is that of the factors before.
    n_neighbors, affinity
        See :class:`~nmfbench.solvers.graph.base.BaseGraph`.
    n_components, random_state, scale, init, max_iter, tol
        See :class:`~nmfbench.solvers.graph.base.BaseScaled`. The objective has no minimum, see
        below, so the result depends on ``max_iter``.

    Notation
    --------
    Their X, U, V, W, :math:`\lambda` are our :math:`X^T`, :math:`H^T`, W, S and alpha.

    Cost
    ----
    Per iteration: two products of ``X`` with r vectors, :math:`O((n+m)r^2)`, and r operations
    per edge of the graph.

    Notes
    -----
    The objective never rises. The step on a column w of W is :math:`w - K^{-1}(Qw-b)` for the
    quadratic :math:`w^TQw-2b^Tw`, with a diagonal K, and such a step descends if
    :math:`2K-Q\succeq0`. The graph adds D to K and L to Q, and :math:`2D-L=D+S\succeq0`.

    The penalty can be had for nothing: W divided by a number and H multiplied by it lower it and
    keep the fit. Multiplicative updates go that way, but slowly.

    Departures
    ----------
    Denominators are at least 1e-10 and factors at least 1e-12, so that no entry is locked at
    zero; what is left at that floor is returned as zero. Samples are scaled to unit length, as
    published weights have no meaning without a scale. ``transform`` is least squares, since new
    samples are in no graph.

    References
    ----------
    Cai, He, Han & Huang (2011), Graph regularized nonnegative matrix factorization for data
    representation. Guo, Ding & Zhou (2014), Eqs. (2), (3), (12) and (17), which with beta = 0 and
    without sparse part is this method.
    """

    alpha: float = 100.0
    normalize: bool = True

    accepts_sparse: ClassVar[bool] = True

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.alpha, "alpha", at_least=0)

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.sums, s.ones = np.empty_like(s.W), np.ones(len(s.W))
        s.rough = neighbor_smoothness(s.sums, s.W, s.ones, *csr(s.affinity))
        return s

    def _improve_representation(self, s, cross, gram):
        graph_ratio(s.W, cross, s.W @ gram, s.sums, s.degrees, self.alpha)
        # The sums serve the next step on W, as only H changes until then.
        s.rough = neighbor_smoothness(s.sums, s.W, s.ones, *csr(s.affinity))

    def _penalty(self, s):
        return self.alpha * s.rough

    def _finish(self, X, s):
        super()._finish(X, s)
        if self.normalize:
            unit_components(self.components_, s.W)
