"""NSDR: non-negative spectral clustering with discriminative regularisation."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_choice, check_number
from nmfbench.optim.kernels.floored_ratio import FLOOR
from nmfbench.optim.projections.frobenius import project_frobenius
from nmfbench.solvers.graph.base import BaseGraph, gentle_step
from nmfbench.solvers.graph.clusterers import Clusterer, kmeans, soft_indicator, unset
from nmfbench.solvers.graph.spectral import normalized_affinity, spectral_rows

__all__ = ["NSDR"]


@register_solver(
    "nsdr",
    name="NSDR",
    family="graph",
    reference="Yang, Shen, Nie, Ji & Zhou 2011",
    cost=("nnr", "nmr"),
    monotone=True,
    properties=("locality", "discriminability", "nontrivial"),
)
@dataclass(eq=False, repr=False, kw_only=True)
class NSDR(Clusterer, BaseGraph):
    r"""Non-negative, nearly orthonormal indicators that are smooth and linearly predictable.

    .. math:: \min_{W\ge0} \operatorname{tr}(W^T M W) + \frac\xi2 \|W^TW-I\|_F^2, \qquad
              M = I - D^{-1/2} S D^{-1/2} + \lambda R,

    with the heat-kernel affinity S of the neighbour graph and its degrees D, and

    .. math:: R = C - \bar X (\bar X^T \bar X + \varrho I)^{-1} \bar X^T
                = \varrho (\bar X \bar X^T + \varrho I)^{-1} - \tfrac1n 1 1^T,

    where :math:`\bar X=CX` are the centred samples: :math:`w^TRw` is what ridge regression leaves
    of an indicator w. One iteration, with :math:`M=M^+-M^-` and both parts non-negative, is

    .. math:: W \leftarrow W \odot \left(\frac{M^- W + \xi W}{M^+ W + \xi W W^T W}\right)^\gamma.

    Parameters
    ----------
    lam : float, default=1
        Weight :math:`\lambda` of the discriminative term.
    ridge : float, default=1
        :math:`\varrho`, positive.
    xi : float, default=1000
        Weight of the orthogonality.
    split : {"auto", "entries", "factors"}, default="auto"
        How R is split in two non-negative parts: by the signs of its entries, which needs two
        arrays of shape (n_samples, n_samples), or by the signs of a factor of R, which needs two of
        the size of X. "auto" takes the first up to 3000 samples, or as many as features. The
        objective is the same; iterations by factors are shorter steps if ``lam`` is large.
    n_neighbors, affinity
        See :class:`~nmfbench.solvers.graph.base.BaseGraph`. The graph made of the data has
        the weights "heat" of :func:`nmfbench.optim.graphs.knn_affinity`.
    init : {"spectral"}, default="spectral"
        K-means, from one start, of eigenvectors as in
        :class:`~nmfbench.solvers.graph.ncuts.NCuts`; 1.2 in a sample's cluster, 0.2 elsewhere,
        with unit columns.
    n_components, random_state, scale, max_iter, tol
        See :class:`~nmfbench.solvers.graph.base.BaseScaled`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), of int
        The largest entry of each row of W, with unit columns.

    Notation
    --------
    Their F, X, :math:`\mu` are our W, :math:`X^T` and ridge.

    Cost
    ----
    Per iteration and exponent tried: :math:`O(n^2r)` by entries, :math:`O(nr\min(n,m))` by
    factors; :math:`O(nr^2)`, and r operations per edge.

    Notes
    -----
    ``fit_transform`` gives W, and ``components_`` are the non-negative ones that fit the scaled
    samples best with this W; the fit does not need them.

    The objective never rises: the exponent :math:`\gamma` is the largest of 1, 1/2 and 1/4 that
    does not raise it, and for 1/4 a separable bound says so, whatever the split.

    A unit column f alone costs :math:`s^2\rho+\frac\xi2(s^2-1)^2` at the norm s, with
    :math:`\rho=f^TMf`, and is best at :math:`s^2=1-\rho/\xi`: it vanishes where
    :math:`\rho\ge\xi`, so that a ``lam`` far above ``xi`` empties W. A large ``xi``, in turn,
    shortens all steps. With the default weights labels hardly change from the start, and the score
    is that of the eigenvectors of the graph.

    Departures
    ----------
    M has negative entries, so a rule with :math:`MW` in the denominator may divide by a
    negative number; hence the split. Denominators are at least 1e-10 and factors at least
    1e-12. The formulas are as commonly stated; the paper is cited by Guo, Ding & Zhou (2014),
    who search for the best weight by test score.

    References
    ----------
    Yang, Shen, Nie, Ji & Zhou (2011), Nonnegative spectral clustering with discriminative
    regularization; Ye, Zhao & Wu (2007), Discriminative k-means for clustering.
    """

    lam: float = 1.0
    ridge: float = 1.0
    xi: float = 1e3
    split: str = "auto"
    init: str = "spectral"

    inits: ClassVar[dict] = {"spectral": unset}
    edge_weights: ClassVar[str] = "heat"

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_number(self.lam, "lam", at_least=0)
        check_number(self.xi, "xi", at_least=0)
        check_number(self.ridge, "ridge", above=0)
        check_choice(self.split, "split", _SPLITS)

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        labels = kmeans(spectral_rows(s.affinity, r, rng), r, rng, n_init=1).labels_
        s.W = soft_indicator(labels, r, X.dtype)
        s.W /= np.linalg.norm(s.W, axis=0)
        n, m = s.X.shape
        by_entries = self.split == "entries" or (self.split == "auto" and n <= max(_DENSE, m))
        kind = _SplitByEntries if by_entries else _SplitByFactors
        s.split = kind(s.X, normalized_affinity(s.affinity), self.lam, self.ridge)
        s.trial, s.plus, s.minus = (np.empty_like(s.W) for _ in range(3))
        s.value = self._measure(s, s.W)
        return s

    def _measure(self, s, W):
        """The objective at W; leaves the products of W with both parts of M."""
        s.split.multiply(W, s.plus, s.minus)
        wide = W.astype(np.float64, copy=False)
        gap = np.linalg.norm(wide.T @ wide - np.eye(W.shape[1]))
        return np.vdot(wide, s.plus.astype(np.float64) - s.minus) + self.xi / 2 * gap**2

    def _sweep(self, X, s):
        xi = s.W.dtype.type(self.xi)
        numerator = s.minus + xi * s.W
        denominator = s.plus + s.W @ (xi * (s.W.T @ s.W))

        def value(W):
            if W is not s.W:
                s.tried = self._measure(s, W)
            return s.value if W is s.W else s.tried

        if gentle_step(s.trial, s.W, numerator, denominator, value) == 0.25:
            value(s.trial)
        s.value = s.tried
        s.W, s.trial = s.trial, s.W

    def _value(self, X, s):
        return s.value

    def _finish(self, X, s):
        s.W[s.W <= FLOOR] = 0
        s.Ht = project_frobenius(np.ascontiguousarray(s.X.T), np.ascontiguousarray(s.W.T))
        super()._finish(X, s)


class _SplitByEntries:
    """The positive and the negative entries of M, as two dense arrays."""

    def __init__(self, X, A, lam, ridge):
        n, m = X.shape
        centred = _centred(X)
        if n <= m:
            R = centred @ centred.T
            R[np.diag_indices(n)] += ridge
            R = ridge * cho_solve((cholesky(R, lower=True, overwrite_a=True), True), np.eye(n))
        else:
            Z = _whitened(centred, ridge)
            R = -(Z @ Z.T)
            R[np.diag_indices(n)] += 1
        R -= 1 / n
        M = np.multiply(R, lam, out=R)
        M[np.diag_indices(n)] += 1
        i, j = A.tocoo().coords
        M[i, j] -= A.data
        self.plus = np.maximum(M, 0).astype(X.dtype)
        self.minus = np.maximum(-M, 0).astype(X.dtype)

    def multiply(self, W, plus, minus):
        np.matmul(self.plus, W, out=plus)
        np.matmul(self.minus, W, out=minus)


class _SplitByFactors:
    r"""Both parts from a factor of the projection: :math:`ZZ^T`, the sum of four products.

    :math:`M^+ = (1+\lambda) I + \lambda (Z^+Z^{-T} + Z^-Z^{+T})` and :math:`M^- =
    D^{-1/2}SD^{-1/2} + \lambda (11^T/n + Z^+Z^{+T} + Z^-Z^{-T})`.
    """

    def __init__(self, X, A, lam, ridge):
        Z = _whitened(_centred(X), ridge)
        self.above, self.below = (np.maximum(z, 0).astype(X.dtype) for z in (Z, -Z))
        self.A, self.lam = A.astype(X.dtype), X.dtype.type(lam)

    def multiply(self, W, plus, minus):
        above, below = self.above.T @ W, self.below.T @ W
        plus[:] = self.above @ below
        plus += self.below @ above
        plus += W
        plus *= self.lam
        plus += W
        minus[:] = self.above @ above
        minus += self.below @ below
        minus += W.mean(axis=0)
        minus *= self.lam
        minus += self.A @ W


def _centred(X):
    X = X.astype(np.float64)
    X -= X.mean(axis=0)
    return X


def _whitened(X, ridge):
    r"""Z with :math:`ZZ^T = X(X^TX+\varrho I)^{-1}X^T`, of the shape of ``X``."""
    gram = X.T @ X
    gram[np.diag_indices(X.shape[1])] += ridge
    L = cholesky(gram, lower=True, overwrite_a=True)
    return np.ascontiguousarray(solve_triangular(L, X.T, lower=True).T)


_SPLITS = ("auto", "entries", "factors")
_DENSE = 3000  # samples up to which an array of their square is no burden
