"""KL-Newton: cyclic Newton steps for the Kullback-Leibler divergence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from nmfbench.core.registry import register_solver
from nmfbench.core.validation import check_count
from nmfbench.optim.kernels.kl_newton import kl_newton_csr, kl_newton_dense
from nmfbench.solvers.divergence.kl import BaseKL


@register_solver(
    "kl-newton",
    name="KL-Newton",
    family="divergence",
    reference="after Hsieh & Dhillon 2011",
    cost=("nmr",),
    monotone=True,
    version=3,  # the floor of the reconstruction has the reconstruction's unit
)
@dataclass(eq=False, repr=False, kw_only=True)
class KLNewton(BaseKL):
    r"""Coordinate-wise Newton steps on the generalised Kullback-Leibler divergence.

    .. math:: \min_{W,H \ge 0} \sum_{ij} X_{ij} \log \frac{X_{ij}}{(WH)_{ij}} - X_{ij} + (WH)_{ij}

    One iteration makes ``sweeps`` passes over the entries of W, then over the entries of H. With
    :math:`Y = WH` kept up to date, an entry changes by

    .. math:: W_{ik} \leftarrow \Big(W_{ik} + \frac{p}{q} \Big(\frac{p}{S_k} - 1\Big)\Big)_+,
              \qquad p = \sum_j \frac{X_{ij} H_{kj}}{Y_{ij}}, \quad
              q = \sum_j \frac{X_{ij} H_{kj}^2}{Y_{ij}^2}, \quad S_k = \sum_j H_{kj} :

    Newton's method for :math:`1/p = 1/S_k`, which is where the slope :math:`S_k - p` vanishes.

    Parameters
    ----------
    sweeps : int, default=2
        Passes over a factor for each computation of the reconstruction.
    stop, patience
        See :class:`~nmfbench.solvers.divergence.base.BaseDivergence`.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.bases.alternating.BaseAlternating`.

    Notation
    --------
    Hsieh & Dhillon's V, W, H are our X, W, H.

    Cost
    ----
    Per iteration: that of an iteration of multiplicative updates, and for each sweep one division
    and some five multiplications for each entry of ``X`` that is not zero and component that
    takes part: :math:`O(r\,\mathrm{nnz}(X) + (n+m)r)` in all, with a copy of ``X`` by columns.
    On dense data all entries count, and three blocks of the size of a cache are in memory.

    Notes
    -----
    The objective never rises. A step upwards stops short of the minimum along its coordinate; a
    step downwards that takes more than .68 of an entry of Y is shortened by a factor that
    guarantees half of the decrease promised by the slope. Entries at the floor whose slope is
    positive at the start of the half-iteration take no part in its sweeps, so that the cost falls
    with the share of positive entries. Fixed points are coordinate-wise optima and, the
    divergence being smooth, optimal over each factor.

    Departures
    ----------
    Hsieh & Dhillon take Newton's step for :math:`p = S_k`, which is the one above times
    :math:`S_k / p`, and do not shorten it; Hien & Gillis shorten it by the constant of
    self-concordance, which needs the smallest positive entry of ``X``. Both factors have the
    floor of multiplicative updates, 1e-12 times ``sqrt(mean(X) / r)``, as the divergence from
    zero is infinite.

    References
    ----------
    Hsieh & Dhillon (2011), Fast coordinate descent methods with variable selection for
    non-negative matrix factorization, Section 3.3.
    Hien & Gillis (2021), Algorithms for nonnegative matrix factorization with the
    Kullback-Leibler divergence, Section 4.
    """

    sweeps: int = 2
    unlike_transform: ClassVar[str | None] = None  # a fit ends near enough to the optimum

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_count(self.sweeps, "sweeps")

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        if sp.issparse(X):
            s.by_column = X.T.tocsr()
        else:
            s.active = np.empty(r + 1, np.intp)
        return s

    def _step(self, X, s):
        if sp.issparse(X):
            self._improve_sparse(s.W, X, s.Ht, s)
            self._improve_sparse(s.Ht, s.by_column, s.W, s)
        else:
            self._improve_dense(s.W, X, s.Ht, s)
            self._improve_dense(s.Ht, X.T, s.W, s)

    def _improve_sparse(self, factor, X, other, s):
        csr, masses = (X.data, X.indices, X.indptr), other.sum(axis=0)
        kl_newton_csr(factor, *csr, other, masses, s.smallest, self.sweeps)

    def _improve_dense(self, factor, X, other, s):
        basis, masses = np.ascontiguousarray(other.T), other.sum(axis=0)
        for rows in self._blocks(X):
            x = np.ascontiguousarray(X[rows])
            y = factor[rows] @ basis
            pull = (x / y) @ other
            kl_newton_dense(
                factor[rows], x, y, pull, basis, masses, s.smallest, self.sweeps, s.active
            )
