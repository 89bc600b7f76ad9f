"""KL-MU: multiplicative updates for the Kullback-Leibler divergence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from nmfbench.core.registry import register_solver
from nmfbench.optim.kernels.kl_sparse import kl_update_rows
from nmfbench.solvers.divergence.base import multiply
from nmfbench.solvers.divergence.kl import BaseKL


@register_solver(
    "kl-mu",
    name="KL-MU",
    family="divergence",
    reference="Lee & Seung 2001",
    cost=("nmr",),
    monotone=True,
    version=2,
)
@dataclass(eq=False, repr=False, kw_only=True)
class KLMU(BaseKL):
    r"""Multiplicative updates for the generalised Kullback-Leibler divergence.

    .. math:: \min_{W,H \ge 0} \sum_{ij} X_{ij} \log \frac{X_{ij}}{(WH)_{ij}} - X_{ij} + (WH)_{ij}

    One iteration updates W, then H with the new W:

    .. math:: W \leftarrow W \odot \frac{(X \oslash WH) H^T}{1 H^T}, \qquad
              H \leftarrow H \odot \frac{W^T (X \oslash WH)}{W^T 1} .

    Parameters
    ----------
    stop : {"objective", "labels"}, default="objective"
        "objective" is the rule of ``tol``. "labels" stops when no sample has changed its
        largest component for ``patience`` iterations, components being scaled to unit sum; set
        ``max_iter=2000`` with it, as the authors do.
    patience : int, default=40
        Iterations without a change that end a fit with "labels".
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.

    Notation
    --------
    Lee & Seung's V, W, H are our X, W, H. In Guan et al. (2012), MahNMF, "KLNMF" holds samples
    in columns, V = W H: its V, W, H are our X.T, Ht, W.T.

    Cost
    ----
    Per iteration: four products of the size of ``X H^T`` on dense data, a block of rows of the
    reconstruction in memory; :math:`O(r\,\mathrm{nnz}(X) + (n+m)r)` on sparse data, with a copy
    of ``X`` by columns and nothing else of its size.

    Notes
    -----
    The objective never rises: each update minimises a function above it. So it does with
    entries kept above a floor, as that function separates over them. It is convex in each
    factor, but iterations may be slow near zeros.

    Departures
    ----------
    Entries of the factors are not allowed below 1e-12 times ``sqrt(mean(X) / r)``, so that no
    denominator is zero, and no zero of the start is final. W is updated first, as in
    scikit-learn, whose iterates these are to rounding.

    References
    ----------
    Lee & Seung (2001), Algorithms for non-negative matrix factorization, Eq. (5).
    Guan et al. (2012), MahNMF, Section 5, for ``stop="labels"``; how many iterations is lost in
    the text, 40 is our setting.
    """

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        if sp.issparse(X):
            s.by_column = X.T.tocsr()
        else:
            s.blocks = self._blocks(X)
            s.buffer = np.empty((s.blocks[0].stop, X.shape[1]), X.dtype)
        return s

    def _step(self, X, s):
        if sp.issparse(X):
            _update_sparse(s.W, X, s.Ht, s)
            _update_sparse(s.Ht, s.by_column, s.W, s)
            return
        masses = s.Ht.sum(axis=0)
        numerator = np.zeros_like(s.Ht)
        for rows in s.blocks:
            W, x, y = s.W[rows], X[rows], s.buffer[: rows.stop - rows.start]
            np.matmul(W, s.Ht.T, out=y)
            np.divide(x, y, out=y)
            multiply(W, (y @ s.Ht) / masses, s.smallest)
            np.matmul(W, s.Ht.T, out=y)
            np.divide(x, y, out=y)
            numerator += y.T @ W
        numerator /= s.W.sum(axis=0)
        multiply(s.Ht, numerator, s.smallest)


def _update_sparse(factor, X, other, s):
    inverse = 1 / other.sum(axis=0)
    kl_update_rows(factor, X.data, X.indices, X.indptr, other, inverse, s.smallest)
