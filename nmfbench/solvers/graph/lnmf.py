"""LNMF: the sum of the lengths of the residuals of the samples, not of their squares."""

from dataclasses import dataclass

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.optim.kernels.floored_ratio import power_ratio
from nmfbench.optim.kernels.row_norms import row_distances
from nmfbench.solvers.graph.base import BaseScaled, unit_components

__all__ = ["LNMF"]


@register_solver(
    "lnmf",
    name="LNMF",
    family="graph",
    reference="Kong, Ding & Huang 2011",
    cost=("nmr",),
    monotone=True,
    properties=("features", "robustness", "nontrivial"),
)
@dataclass(eq=False, repr=False, kw_only=True)
class LNMF(BaseScaled):
    r"""Multiplicative updates for the :math:`\ell_{2,1}` norm, which is robust to outlying samples.

    .. math:: \min_{W,H\ge0} \sum_i \|x_i - w_i H\|_2

    One iteration weighs the samples by :math:`\Omega=\operatorname{diag}(1/\|x_i-w_iH\|)`,
    then updates H, and W with the new H:

    .. math:: H \leftarrow H \odot \frac{W^T \Omega X}{W^T \Omega W H}, \qquad
              W \leftarrow W \odot \frac{X H^T}{W H H^T}.

    Parameters
    ----------
    normalize : bool, default=True
        Return components of unit length, with their lengths in W, which changes nothing else.
    n_components, random_state, scale, init, max_iter, tol
        See :class:`~nmfbench.solvers.graph.base.BaseScaled`.

    Notation
    --------
    Their X, F, G are our :math:`X^T`, :math:`H^T` and :math:`W^T`, their D our :math:`\Omega`.
    This is the method that Guo, Ding & Zhou (2014) call LNMF, not the local NMF of that name.

    Cost
    ----
    Per iteration: three products of ``X`` with r vectors, the third for the residuals, which
    the objective needs too, a pass over them, and :math:`O((n+m)r^2)`. Memory: one matrix of
    the size of ``X``.

    Notes
    -----
    The objective never rises: :math:`\|e\| \le \|e\|^2/2\|e'\| + \|e'\|/2` majorises it by the
    weighted squares that the updates lower. An update of W with the weights would be the same, as
    they multiply whole rows of both parts.

    Departures
    ----------
    A residual counts as at least 1e-10 in a weight, so that, where a sample is fitted exactly,
    the objective may rise by half of that. Denominators are at least 1e-10 and factors at least
    1e-12; what is left at that floor is returned as zero. Samples are scaled to unit length.

    References
    ----------
    Kong, Ding & Huang (2011), Robust nonnegative matrix factorization using L21-norm.
    """

    normalize: bool = True

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.reconstruction, s.lengths = np.empty_like(s.X), np.empty(s.X.shape[0])
        self._measure(s.X, s)
        return s

    def _measure(self, X, s):
        """The lengths of the residuals."""
        np.matmul(s.W, s.Ht.T, out=s.reconstruction)
        row_distances(s.lengths, X, s.reconstruction)

    def _sweep(self, X, s):
        # Relative to the largest residual: a common factor does not matter to the ratio, but
        # small weights would to the floor of its denominator.
        lengths = np.maximum(s.lengths, _EXACT)
        weighted = s.W * (lengths.max() / lengths).astype(s.W.dtype)[:, None]
        cross = np.ascontiguousarray((weighted.T @ X).T)
        power_ratio(s.Ht, s.Ht, cross, s.Ht @ (weighted.T @ s.W), 1.0)
        power_ratio(s.W, s.W, X @ s.Ht, s.W @ (s.Ht.T @ s.Ht), 1.0)
        self._measure(X, s)

    def _value(self, X, s):
        return float(s.lengths.sum())

    def _finish(self, X, s):
        super()._finish(X, s)
        if self.normalize:
            unit_components(self.components_, s.W)


_EXACT = 1e-10  # the smallest residual of a sample that a weight sees
