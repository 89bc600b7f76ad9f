"""IGNMF: graph-regularised NMF with the constraint of a normalised cut."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_choice, check_number
from nmfbench.optim.kernels.floored_ratio import FLOOR, neighbor_sums, power_ratio
from nmfbench.optim.kernels.laplacian import neighbor_smoothness
from nmfbench.solvers.graph.base import BaseGraph, LeastSquares, csr, gentle_step

__all__ = ["IGNMF"]


@register_solver(
    "ignmf",
    name="IGNMF",
    family="graph",
    reference="Gu, Ding & Han 2011",
    cost=("nmr",),
    properties=("features", "locality", "discriminability", "nontrivial"),
)
@dataclass(eq=False, repr=False, kw_only=True)
class IGNMF(BaseGraph, LeastSquares):
    r"""Multiplicative updates for a graph penalty that can neither vanish nor be escaped.

    .. math:: \min_{W,H\ge0} \|X-WH\|_F^2 + \alpha \operatorname{tr}(W^T L W)
              \quad \text{s.t.} \quad W^T D W = I

    with L, S, D the Laplacian, affinity and degrees of a graph of the samples. One iteration
    updates H as NMF does, then W with the new H,

    .. math:: W \leftarrow W \odot \left(
              \frac{XH^T + \alpha SW + DW\operatorname{diag}(\Gamma)^-}{WHH^T + DW\Gamma^+}
              \right)^{1/2}, \qquad
              \Gamma = \operatorname{sym}(W^T (XH^T + \alpha SW - WHH^T)),

    and gives each column of W the length :math:`w_k^TDw_k=1`, with its own in H.

    Parameters
    ----------
    alpha : float, default=100
        Weight of the graph.
    constraint : {"multiplier", "penalty"}, default="multiplier"
        The iteration above, or one for the constraint as a penalty
        :math:`\xi\|W^TDW-I\|_F^2`, whose objective never rises.
    xi : float, default=100
        Weight of that penalty; not used otherwise.
    n_neighbors, affinity
        See :class:`~nmfbench.solvers.graph.base.BaseGraph`.
    n_components, random_state, scale, init, max_iter, tol
        See :class:`~nmfbench.solvers.graph.base.BaseScaled`. Columns of an initial W are scaled
        to the constraint, and H against them, but for factors given to the penalty.

    Notation
    --------
    Their X, U, V, W, :math:`\lambda` are our :math:`X^T`, :math:`H^T`, W, S and alpha.

    Cost
    ----
    Per iteration: two products of ``X`` with r vectors, :math:`O((n+m)r^2)`, and r operations
    per edge of the graph; a few times the last two with the penalty, which tries steps.

    Notes
    -----
    The multiplier: on the constraint :math:`\operatorname{tr}(W^TLW) = r -
    \operatorname{tr}(W^TSW)`, so the penalty is a reward whose gradient has one sign. Gamma is
    what complementary slackness makes of the multiplier where the constraint holds. The objective
    may rise, as Gamma changes from step to step. Columns keep their lengths, but come to be
    orthogonal only nearly: limits need be neither feasible nor stationary.

    The penalty: the step on W is

    .. math:: W \odot \left(\frac{XH^T + \alpha SW + 2\xi DW}
              {WHH^T + \alpha DW + 2\xi DW(W^TDW)}\right)^\gamma,

    with :math:`\gamma` the largest of 1, 1/2, 1/4 that does not raise the objective; 1/4 never
    does. For ``W = W' T`` entrywise, each positive term of the objective lies below a mean of
    fourth powers of the entries of T, and each negative one below a mean of their logarithms;
    :math:`\gamma=1/4` minimises the sum.

    Departures
    ----------
    Multipliers between columns are not let fall below zero: as W is non-negative, their
    constraints are as much :math:`w_k^TDw_l\le0`, whose multipliers have that sign. Negative
    ones, which come with small weights alone, draw columns together until they are equal and
    the objective is far above its start. The step is written for
    :math:`-\operatorname{tr}(W^TSW)`, and columns are scaled after it: with :math:`\alpha DW`
    in the denominator and without the scaling the iteration overflows. Denominators are at
    least 1e-10 and factors at least 1e-12; what is left at that floor is returned as zero.
    Samples are scaled to unit length. Samples without neighbours are outside the constraint.
    ``transform`` is least squares.

    References
    ----------
    Gu, Ding & Han (2011), On trivial solution and scale transfer problems in graph regularized
    NMF. Guo, Ding & Zhou (2014), Section 4, who compare with it.
    """

    alpha: float = 100.0
    constraint: str = "multiplier"
    xi: float = 100.0

    accepts_sparse: ClassVar[bool] = True
    any_rank: ClassVar[bool] = False  # orthonormal columns are no more than the samples
    fixes_scale: ClassVar[bool] = True

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.alpha, "alpha", at_least=0)
        check_number(self.xi, "xi", at_least=0)
        check_choice(self.constraint, "constraint", ("multiplier", "penalty"))

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.sums, s.next_W = np.empty_like(s.W), np.empty_like(s.W)
        s.scratch, s.ones = np.empty_like(s.W), np.ones(len(s.W))
        if factors is None or self.constraint == "multiplier":
            self._normalize(s)
        return s

    def _normalize(self, s):
        """Scale the columns of W to the constraint, and Ht and its products against them."""
        lengths = np.sqrt(np.einsum("i,ik,ik->k", s.degrees, s.W, s.W))
        lengths[lengths == 0] = 1  # a graph without edges constrains nothing
        lengths = lengths.astype(s.W.dtype)
        s.W /= lengths
        s.Ht *= lengths
        s.cross *= lengths
        s.gram *= np.outer(lengths, lengths)
        np.maximum(s.W, FLOOR, out=s.W)
        np.maximum(s.Ht, FLOOR, out=s.Ht)

    def _improve_representation(self, s, cross, gram):
        neighbor_sums(s.sums, s.W, *csr(s.affinity))
        weighted = s.W * s.degrees.astype(s.W.dtype)[:, None]
        numerator, denominator = cross + self.alpha * s.sums, s.W @ gram
        if self.constraint == "penalty":
            numerator += 2 * self.xi * weighted
            denominator += self.alpha * weighted + 2 * self.xi * (weighted @ (s.W.T @ weighted))
            gentle_step(s.next_W, s.W, numerator, denominator, lambda W: self._part(s, W))
            s.W, s.next_W = s.next_W, s.W
            return
        gamma = s.W.T @ (numerator - denominator)
        gamma = (gamma + gamma.T) / 2
        numerator += weighted * np.maximum(-np.diagonal(gamma), 0)
        denominator += weighted @ np.maximum(gamma, 0)
        power_ratio(s.W, s.W, numerator, denominator, 0.5)
        self._normalize(s)

    def _part(self, s, W):
        """Part of the objective that depends on W, with the penalty."""
        fit = np.einsum("ik,ik->", W @ s.gram - 2 * s.cross, W, dtype=np.float64)
        return fit + self._penalty_of(s, W)

    def _penalty(self, s):
        return self._penalty_of(s, s.W)

    def _penalty_of(self, s, W):
        value = self.alpha * neighbor_smoothness(s.scratch, W, s.ones, *csr(s.affinity))
        if self.constraint == "penalty":
            gram = (W * s.degrees[:, None]).T @ W.astype(np.float64)
            value += self.xi * np.sum((gram - np.eye(len(gram))) ** 2)
        return value
