"""DRCC: co-clustering of samples and features with a graph of each."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nmfbench.core.registry import register_solver
from nmfbench.optim import graphs
from nmfbench.optim.kernels.floored_ratio import FLOOR, neighbor_sums, power_ratio
from nmfbench.optim.kernels.laplacian import neighbor_smoothness
from nmfbench.solvers.frobenius.base import BaseFrobenius
from nmfbench.solvers.graph.clusterers import CoClusterer

__all__ = ["DRCC"]


@register_solver(
    "drcc",
    name="DRCC",
    family="graph",
    reference="Gu & Zhou 2009",
    cost=("nmr",),
    properties=("locality",),
)
@dataclass(eq=False, repr=False, kw_only=True)
class DRCC(CoClusterer):
    r"""Dual regularised co-clustering: three factors, of which the middle one may be negative.

    .. math:: \min_{W,G\ge0,\,B} \|X-WBG^T\|_F^2 + \alpha \operatorname{tr}(W^T L W)
              + \mu \operatorname{tr}(G^T L' G)

    with L = D - S the Laplacian of a graph of the samples and L' = D' - S' that of one of the
    features. One iteration updates W, then G, then B:

    .. math:: W \leftarrow W \odot \left(
              \frac{\alpha S W + P^+ + W Q^-}{\alpha D W + P^- + W Q^+}\right)^{1/2}, \qquad
              P = X G B^T, \quad Q = B G^T G B^T,

    the same for G with :math:`\mu`, S', D', :math:`P=X^TWB` and :math:`Q=B^TW^TWB`, and
    :math:`B=(W^TW)^{-1}W^TXG(G^TG)^{-1}`. Plus and minus are the parts of a matrix by sign.

    Parameters
    ----------
    alpha, alpha_features, normalize, n_neighbors, affinity, init
        See :class:`~nmfbench.solvers.graph.clusterers.CoClusterer`; :math:`\mu` is
        ``alpha_features``.
    n_components, random_state, scale, max_iter, tol
        See :class:`~nmfbench.solvers.graph.base.BaseScaled`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), of int
        The largest entry of each row of W, with unit columns.

    Notation
    --------
    Their X, G, S, F, :math:`\lambda`, :math:`\mu` are our :math:`X^T`, G, :math:`B^T`, W,
    alpha, alpha_features.

    Cost
    ----
    Per iteration: two products of ``X`` with r vectors, :math:`O((n+m)r^2)`, and r operations
    per edge of the graphs.

    Notes
    -----
    ``fit_transform`` gives W, and ``components_`` are :math:`BG^T`, which may have negative
    entries; the data may have, too.

    With ``normalize=False`` the objective never rises: the exponent 1/2 is that of semi-NMF, whose
    separable bound takes in the graphs, and B is the least squares solution.

    Departures
    ----------
    A ridge of 1e-9 of the mean diagonal keeps the solution B finite, and B stays as it was
    where that is no better. Denominators are at least 1e-10 and the entries of W and G at least
    1e-12. Data in single precision are factorized in double. Samples are scaled to unit length.
    ``transform`` is least squares, since new samples are in no graph.

    References
    ----------
    Gu & Zhou (2009), Co-clustering on manifolds; Ding, Li & Jordan (2010), Convex and semi-NMF.
    Guo, Ding & Zhou (2014), Section 2, on its normalisation.
    """

    signed: ClassVar[bool] = True

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        # In double precision, since the equations for B may be ill-conditioned.
        s.X, s.W, s.Ht = (a.astype(np.float64, copy=False) for a in (s.X, s.W, s.Ht))
        s.feature_degrees = graphs.degrees(s.feature_affinity)
        s.G, s.B = s.Ht, np.zeros((r, r))
        s.norm_sq = float(np.vdot(s.X, s.X))
        s.sums, s.feature_sums = np.empty_like(s.W), np.empty_like(s.G)
        self._solve_middle(s.X, s)
        return s

    def _sweep(self, X, s):
        self._unit_columns(s)
        basis = s.G @ s.B.T
        S, d = s.affinity, s.degrees
        _signed_step(s.W, X @ basis, basis.T @ basis, S, d, self.alpha, s.sums)
        basis, S, d = s.W @ s.B, s.feature_affinity, s.feature_degrees
        cross = np.ascontiguousarray((basis.T @ X).T)
        _signed_step(s.G, cross, basis.T @ basis, S, d, self.alpha_features, s.feature_sums)
        self._solve_middle(X, s)

    def _solve_middle(self, X, s):
        """Least squares for B, and what the objective is made of."""
        s.gram = s.W.T @ s.W
        s.cross = np.ascontiguousarray((s.W.T @ X).T)
        linear, feature_gram = s.cross.T @ s.G, s.G.T @ s.G

        def value(B):
            return np.vdot(B, s.gram @ B @ feature_gram) - 2 * np.vdot(B, linear)

        B = np.linalg.solve(_ridged(s.gram), linear)
        B = np.linalg.solve(_ridged(feature_gram), B.T).T
        if value(B) <= value(s.B):
            s.B[:] = B
        s.Ht = s.latest = s.G @ s.B.T

    def _finish(self, X, s):
        s.W = s.W.astype(X.dtype)
        super()._finish(X, s)

    def _value(self, X, s):
        roughness = _roughness(s.W, s.affinity, s.sums)
        feature_roughness = _roughness(s.G, s.feature_affinity, s.feature_sums)
        penalty = self.alpha * roughness + self.alpha_features * feature_roughness
        return BaseFrobenius._objective(self, X, s) + penalty


def _roughness(factor, S, sums):
    """Smoothness over a graph, as of :func:`nmfbench.optim.graphs.smoothness`, but faster."""
    ones = np.ones(len(factor))
    return neighbor_smoothness(sums, factor, ones, S.indptr, S.indices, S.data)


def _signed_step(factor, cross, gram, S, degrees, weight, sums):
    """The step for ``tr(factor gram factor.T) - 2 <factor, cross>`` and a graph, in place."""
    neighbor_sums(sums, factor, S.indptr, S.indices, S.data)
    numerator = weight * sums + np.maximum(cross, 0) + factor @ np.maximum(-gram, 0)
    denominator = (weight * degrees)[:, None] * factor
    denominator += np.maximum(-cross, 0) + factor @ np.maximum(gram, 0)
    power_ratio(factor, factor, numerator, denominator, 0.5)


def _ridged(gram):
    """A copy with 1e-9 of the mean of the diagonal added to it."""
    gram = gram.copy()
    gram[np.diag_indices(len(gram))] += _RIDGE * np.trace(gram) / len(gram) or FLOOR
    return gram


_RIDGE = 1e-9
