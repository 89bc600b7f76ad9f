"""RCC: robust co-clustering, with a sparse part and unsquared differences along the edges."""

from dataclasses import dataclass

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.optim.init import random
from nmfbench.optim.kernels.edge_norms import pull_along_edges
from nmfbench.optim.kernels.floored_ratio import FLOOR, power_ratio
from nmfbench.optim.kernels.huber import pull_to_fit
from nmfbench.solvers.graph.clusterers import CoClusterer
from nmfbench.solvers.graph.rnmfd import check_lam, resolve_lam

__all__ = ["RCC"]


@register_solver(
    "rcc",
    name="RCC",
    family="graph",
    reference="Du & Shen 2013",
    cost=("nmr",),
    properties=("locality", "robustness"),
)
@dataclass(eq=False, repr=False, kw_only=True)
class RCC(CoClusterer):
    r"""Robust co-clustering: three factors, a sparse part, and two graphs whose edges may break.

    .. math:: \min_{W,B,G\ge0,\,E} \|X-WBG^T-E\|_F^2 + \lambda\|E\|_1
              + \alpha \sum_{i<j} S_{ij}\|w_i-w_j\|_2 + \mu \sum_{i<j} S'_{ij}\|g_i-g_j\|_2

    with the affinity S of a graph of the samples, whose rows of W are :math:`w_i`, and S' of one
    of the features. An edge norm lies below :math:`\|\cdot\|^2/(2\omega)+\omega/2`, and touches
    it at :math:`\omega` equal to it, which gives graphs with the affinities
    :math:`\tilde S_{ij}=S_{ij}/(2\omega_{ij})` and their degrees :math:`\tilde D`. One iteration,
    with :math:`\hat X=X-E`, updates in turn

    .. math:: G \leftarrow G \odot \frac{\hat X^T A + \mu \tilde S' G}
              {G A^T A + \mu \tilde D' G}, \qquad
              B \leftarrow B \odot \frac{W^T \hat X G}{W^T W B\, G^T G}, \qquad
              W \leftarrow W \odot \frac{\hat X C + \alpha \tilde S W}
              {W C^T C + \alpha \tilde D W},

    where :math:`A=WB` and :math:`C=GB^T`, and then

    .. math:: \hat X \leftarrow WBG^T + \operatorname{clip}(X-WBG^T,-\lambda/2,\lambda/2).

    Parameters
    ----------
    lam : float or {"q95", "mad", "none"}, default="q95"
        Weight :math:`\lambda` of the sparse part, as in
        :class:`~nmfbench.solvers.graph.rnmfd.RNMFD`; the plain NMF that "q95" and "mad" look at
        has a random start. Infinity, or "none", switches E off.
    alpha, alpha_features, normalize, n_neighbors, affinity, init
        See :class:`~nmfbench.solvers.graph.clusterers.CoClusterer`; :math:`\mu` is
        ``alpha_features``. B starts as the least squares solution, its negative entries set to
        zero, plus noise of up to 1 % of its mean.
    n_components, random_state, scale, max_iter, tol
        See :class:`~nmfbench.solvers.graph.base.BaseScaled`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), of int
        The largest entry of each row of W, with unit columns.
    lam_ : float
        :math:`\lambda` as used.

    Notation
    --------
    Here X, W, B, G stand for :math:`X^T`, V, :math:`S^T`, U in a model :math:`X\approx USV^T`
    of samples in columns.

    Cost
    ----
    Per iteration: three products of the size of ``X`` with r vectors and one pass over ``X``,
    :math:`O((n+m)r^2)`, and r operations per edge of the graphs. E is never stored.

    Notes
    -----
    ``fit_transform`` gives W, and ``components_`` are :math:`BG^T`.

    With ``normalize=False`` the objective never rises: each step lowers a bound that touches it,
    and the step on W or G does so since a reweighted graph is one like any other; see
    :class:`~nmfbench.solvers.graph.gnmf.GNMF`.

    An edge whose ends meet has a weight of up to :math:`5\cdot10^5\alpha`, so that they move
    on together, and slowly: an iteration sees each held back by the other.

    Departures
    ----------
    The abstract of the paper names the ingredients, a sparse part and unsquared errors on both
    graphs, but not whether a norm is that of an edge or of an entry: here it is of an edge.
    :math:`\omega` is :math:`\sqrt{\|\cdot\|^2+10^{-12}}`, also in the objective. Denominators
    are at least 1e-10 and factors at least 1e-12. Samples are scaled to unit length.
    ``transform`` is least squares, without graph and sparse part.

    References
    ----------
    Du & Shen (2013), Towards robust co-clustering. Guo, Ding & Zhou (2014), Eqs. (3) and (19),
    who compare with it.
    """

    lam: float | str = "q95"

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_lam(self.lam)

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.target = np.empty_like(s.X)
        s.sums, s.feature_sums = np.empty_like(s.W), np.empty_like(s.G)
        s.pulls, s.feature_pulls = (np.empty(len(factor)) for factor in (s.W, s.G))
        W, Ht = random(s.X, r, rng)
        self.lam_ = resolve_lam(self.lam, s.X, W, Ht, s.target)
        left, right = (np.linalg.pinv(a.astype(np.float64), rcond=1e-9) for a in (s.W, s.G))
        middle = np.maximum(left @ s.X @ right.T, 0)
        middle += 0.01 * middle.mean() * rng.random((r, r))
        s.B = np.maximum(middle, FLOOR).astype(X.dtype)
        self._separate(s)
        return s

    def _sweep(self, X, s):
        self._unit_columns(s)
        cross, gram = np.ascontiguousarray((s.W.T @ s.target).T), s.W.T @ s.W
        graph = s.feature_affinity, self.alpha_features, s.feature_sums, s.feature_pulls
        _graph_step(s.G, cross @ s.B, s.B.T @ gram @ s.B, *graph)
        power_ratio(s.B, s.B, cross.T @ s.G, gram @ s.B @ (s.G.T @ s.G), 1.0)
        basis = s.G @ s.B.T
        graph = s.affinity, self.alpha, s.sums, s.pulls
        _graph_step(s.W, s.target @ basis, basis.T @ basis, *graph)
        self._separate(s)

    def _separate(self, s):
        """Make ``s.target`` the scaled data without E, and put what is lost in ``s.loss``."""
        s.Ht = s.G @ s.B.T
        np.matmul(s.W, s.Ht.T, out=s.target)
        s.loss = pull_to_fit(s.target, s.X, 0.5 * self.lam_)

    def _value(self, X, s):
        edges = _reweigh(s.W, s.affinity, s.sums, s.pulls)
        feature_edges = _reweigh(s.G, s.feature_affinity, s.feature_sums, s.feature_pulls)
        return s.loss + self.alpha * edges + self.alpha_features * feature_edges

    def _finish(self, X, s):
        for factor in (s.G, s.B):
            factor[factor <= FLOOR] = 0
        s.Ht = s.G @ s.B.T
        super()._finish(X, s)


def _reweigh(factor, S, sums, degrees):
    """The sum of the edge norms; the products with the graph that bounds it are put in place."""
    return pull_along_edges(S.indptr, S.indices, S.data, factor, _SQUARED, sums, degrees)


def _graph_step(factor, cross, gram, S, weight, sums, degrees):
    """The step for ``tr(factor gram factor.T) - 2 <factor, cross>`` and edge norms, in place."""
    weight = factor.dtype.type(weight)
    _reweigh(factor, S, sums, degrees)
    denominator = factor @ gram
    denominator += weight * degrees.astype(factor.dtype)[:, None] * factor
    power_ratio(factor, factor, cross + weight * sums, denominator, 1.0)


_SQUARED = 1e-12  # added to the squares of edge norms
