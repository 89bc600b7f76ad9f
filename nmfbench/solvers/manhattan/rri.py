"""Rank-one residual iteration: Algorithm 1 of Guan et al. (2012), and what its solvers share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar

import numba
import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_even_slices

from nmfbench.core.validation import canonical_csr, check_choice, check_count, check_number
from nmfbench.optim import losses
from nmfbench.optim.kernels.kl_sparse import reconstruct_entries
from nmfbench.optim.kernels.weighted_median import (
    absolute_sum,
    median_sweeps,
    median_sweeps_csr,
)
from nmfbench.solvers.manhattan.base import BaseManhattan

__all__ = ["BaseRRI", "improve", "improve_sparse"]

_PARALLEL = 10_000_000  # entries visited below which threads cost more than they save
_REFRESH = 10  # iterations after which the residual is recomputed
_SWEEPS = 10, 1000  # least and most of Algorithm 1


def improve(residual, factor, other, *, upper=np.inf, sweeps=1, median="select", threads=None):
    """Sweeps of exact coordinate updates of one factor, in place.

    Parameters
    ----------
    residual : ndarray of shape (n, m)
        ``X - factor @ other.T``, C-contiguous. Modified in place.
    factor : ndarray of shape (n, r), non-negative
        Modified in place.
    other : ndarray of shape (m, r), non-negative
    upper : float, default=inf
        Largest value of an entry of ``factor``.
    sweeps : int, default=1
    median : {"select", "sort"}, default="select"
    threads : int, optional
        By default ``NUMBA_NUM_THREADS``, one for each core, if there is work enough. Rows are
        independent, so the result is the same for any number.
    """
    basis = np.ascontiguousarray(other.T)
    used = basis > 0
    with np.errstate(over="ignore"):
        inverse = np.divide(1, basis, out=np.zeros_like(basis), where=used)
    # A reciprocal that overflows belongs to a weight that decides nothing.
    np.minimum(inverse, np.finfo(basis.dtype).max, out=inverse)
    masses = basis.sum(axis=1, dtype=np.float64)
    by_sorting = median == "sort"
    if threads is None:
        enough = sweeps * residual.size * len(basis) > _PARALLEL
        # Not numba.get_num_threads(), which starts threads of its own that survive no fork.
        threads = numba.config.NUMBA_NUM_THREADS if enough else 1
    upper = factor.dtype.type(upper)

    def work(rows):
        median_sweeps(
            residual[rows], factor[rows], basis, inverse, masses, upper, sweeps, by_sorting
        )

    if threads == 1:
        work(slice(None))
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, gen_even_slices(len(factor), min(4 * threads, len(factor)))))


def improve_sparse(X, factor, other, *, upper=np.inf, sweeps=1, median="select", only=None):
    """As :func:`improve`, for CSR data and in time proportional to its entries.

    Parameters
    ----------
    X : CSR matrix of shape (n, m), with positive entries
    factor, other, upper, sweeps, median
        As there.
    only : int, optional
        The one column of ``factor`` to change.
    """
    r = factor.shape[1]
    first, last = (0, r) if only is None else (only, only + 1)
    room = np.empty((r + 6, int(np.diff(X.indptr).max()) + 1), factor.dtype)
    work = room, np.empty(r), np.empty(r + 1, np.intp)
    masses, by_sorting = other.sum(axis=0, dtype=np.float64), median == "sort"
    csr, upper = (X.data, X.indices, X.indptr), factor.dtype.type(upper)
    args = masses, upper, sweeps, by_sorting, first, last
    median_sweeps_csr(factor, *csr, other, *args, *work)


@dataclass(eq=False, repr=False, kw_only=True)
class BaseRRI(BaseManhattan):
    """Base of solvers that minimise exactly over one coordinate after the other.

    Parameters
    ----------
    inner_sweeps : int or None, default=1
        Sweeps over a factor for each iteration. None is Algorithm 1: 10 to 1000 sweeps, until
        the last one lowered the objective by no more than ``inner_tol`` times the sum of all.
    inner_tol : float, default=1e-2
        Divided by 10 whenever 10 sweeps sufficed. Without effect unless ``inner_sweeps=None``.
    median : {"select", "sort"}, default="select"
        How the weighted median is found: in linear time, or by sorting, as in the paper.
    revive : bool, default=False
        Give a component that has died the positive part of the worst-fitted sample.
    n_components, random_state, init, max_iter, tol
        See :class:`~nmfbench.solvers.manhattan.base.BaseManhattan`.
    """

    inner_sweeps: int | None = 1
    inner_tol: float = 1e-2
    median: str = "select"
    revive: bool = False

    accepts_sparse: ClassVar[bool] = True
    unlike_transform: ClassVar[str | None] = (
        "fit_transform returns a coordinate-wise optimum, transform the exact one"
    )

    def represent(self, X, H, W):
        """The weights to which sweeps lead from ``W`` until none lowers the loss.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n_samples, n_features)
        H : ndarray of shape (r, n_features)
            The basis, which stays as it is.
        W : ndarray of shape (n_samples, r)
            Not modified.

        Returns
        -------
        ndarray of shape (n_samples, r)
            A coordinate-wise optimum.
        """
        W = W.copy()
        of = canonical_csr(X.tocsr()) if sp.issparse(X) else np.ascontiguousarray(X - W @ H)
        self._sweep_until(of, W, np.ascontiguousarray(H.T), tol=0.0)
        return W

    def _bound(self):
        """Largest value of an entry of a factor."""
        return np.inf

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_count(self.inner_sweeps, "inner_sweeps", optional=True)
        check_number(self.inner_tol, "inner_tol", above=0)
        check_choice(self.median, "median", ("select", "sort"))

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.t = 0
        s.inner_tol = {"W": self.inner_tol, "H": self.inner_tol}
        for factor in (s.W, s.Ht):
            np.minimum(factor, self._bound(), out=factor)
        if sp.issparse(X):
            s.by_column = X.T.tocsr()
            return s
        s.residual = X - s.W @ s.Ht.T
        s.transposed = np.empty_like(X, shape=X.shape[::-1])
        return s

    def _step(self, X, s):
        s.t += 1
        if sp.issparse(X):
            self._half(s, "W", X, s.W, s.Ht)
            self._half(s, "H", s.by_column, s.Ht, s.W)
            if self.revive:
                self._revive_sparse(X, s)
            return
        if s.t % _REFRESH == 0:  # rounding adds up
            np.matmul(s.W, s.Ht.T, out=s.residual)
            np.subtract(X, s.residual, out=s.residual)
        self._half(s, "W", s.residual, s.W, s.Ht)
        np.copyto(s.transposed, s.residual.T)
        self._half(s, "H", s.transposed, s.Ht, s.W)
        np.copyto(s.residual, s.transposed.T)
        if self.revive:
            self._revive(s)

    def _half(self, s, varies, of, factor, other):
        """Improve a factor, given the residual, or the data if they are sparse."""
        if self.inner_sweeps is not None:
            self._improve(of, factor, other, self.inner_sweeps)
        elif self._sweep_until(of, factor, other, s.inner_tol[varies]) == _SWEEPS[0]:
            s.inner_tol[varies] /= 10

    def _sweep_until(self, of, factor, other, tol):
        """Sweep until the last one did little against all together (Eq. (8)); count them."""
        first = before = _loss(of, factor, other)
        for sweep in range(1, _SWEEPS[1] + 1):
            self._improve(of, factor, other, 1)
            now = _loss(of, factor, other)
            if sweep >= _SWEEPS[0] and before - now <= tol * (first - before):
                break
            before = now
        return sweep

    def _improve(self, of, factor, other, sweeps):
        improves = improve_sparse if sp.issparse(of) else improve
        improves(of, factor, other, upper=self._bound(), sweeps=sweeps, median=self.median)

    def _revive(self, s):
        for k in np.flatnonzero(~(s.W.any(axis=0) & s.Ht.any(axis=0))):
            excess = np.maximum(s.residual, 0).sum(axis=1, dtype=np.float64)
            worst = int(excess.argmax())
            if excess[worst] == 0:
                return
            # The product of the pair stays zero until W moves, so the objective cannot rise.
            s.W[:, k] = 0
            s.Ht[:, k] = np.clip(s.residual[worst], 0, self._bound()) + 0.0  # no negative zeros
            column = np.zeros((len(s.W), 1), s.W.dtype)
            self._improve(s.residual, column, s.Ht[:, [k]], 1)
            s.W[:, k] = column[:, 0]

    def _revive_sparse(self, X, s):
        for k in np.flatnonzero(~(s.W.any(axis=0) & s.Ht.any(axis=0))):
            excess = X.copy()
            reconstruct_entries(excess.data, X.indices, X.indptr, s.W, s.Ht)
            np.maximum(X.data - excess.data, 0, out=excess.data)
            sums = np.asarray(excess.sum(axis=1, dtype=np.float64)).ravel()
            worst = int(sums.argmax())
            if sums[worst] == 0:
                return
            s.W[:, k] = 0
            s.Ht[:, k] = np.minimum(excess[[worst]].toarray().ravel(), self._bound())
            improve_sparse(X, s.W, s.Ht, upper=self._bound(), median=self.median, only=k)

    def _objective(self, X, s):
        return _loss(X if sp.issparse(X) else s.residual, s.W, s.Ht)


def _loss(of, factor, other):
    """The loss, from the residual or from sparse data."""
    return losses.manhattan(of, factor, other) if sp.issparse(of) else absolute_sum(of)
