"""Base of the online family: a stream of samples, coefficients by NNLS, bases on the simplex."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from nmfbench.core.validation import check_count, check_data, check_rng
from nmfbench.optim.kernels.nnls import nnls_gram
from nmfbench.optim.kernels.simplex import project_rows
from nmfbench.optim.projections.frobenius import project_frobenius
from nmfbench.solvers.bases.loop import BaseNMF, State

__all__ = ["BaseOnline", "exact_codes", "feed", "mean_cost"]

_JUDGED = 10_000  # rows on which the objective is evaluated, at most
_TOL = 1e-12  # of the coefficients, see project_frobenius


def feed(solver, blocks: Iterable):
    """Give a solver blocks of rows one after the other.

    Parameters
    ----------
    solver : estimator with ``partial_fit``
    blocks : iterable of array-like of shape (n_rows, n_features)
        Such as slices of a memory-mapped file, or a generator that reads one.

    Returns
    -------
    estimator
        ``solver``.
    """
    for block in blocks:
        solver.partial_fit(block)
    return solver


def exact_codes(V, H, *, lam=0.0, beta=0.0):
    """Non-negative least-squares coefficients of the rows of ``V`` on the rows of ``H``.

    With ``lam`` times their sum, and ``beta / 2`` times their squares, as penalties.
    """
    codes, gram, cross = np.zeros((len(V), len(H))), H @ H.T, V @ H.T
    if lam:
        cross -= lam
    if beta:
        gram += beta * np.eye(len(H))
    nnls_gram(codes, gram, cross, _TOL, 10 * len(H))
    return codes


def mean_cost(X, H):
    r"""Mean of :math:`\min_{h\ge0} \frac12\|v - H^T h\|^2` over the rows v of ``X``.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, m)
    H : ndarray of shape (r, m)
    """
    codes = project_frobenius(X, H)
    values = X.data if sp.issparse(X) else X
    # By its terms, so that sparse data stay sparse.
    squares = np.sum(np.square(values, dtype=np.float64))
    cross = np.sum(codes * (X @ H.T), dtype=np.float64)
    return 0.5 * max(squares - 2 * cross + np.sum((codes @ (H @ H.T)) * codes), 0.0) / len(codes)


@dataclass(eq=False, repr=False, kw_only=True)
class BaseOnline(BaseNMF):
    r"""Base of solvers of :math:`\min_W E_v \min_{h\ge0} \frac12\|v-Wh\|^2` on a stream.

    A solver gives ``_learn(V, s)``, which improves ``s.H`` by one chunk of samples, keeps in the
    state whatever it needs to remember, and returns the coefficients that it found for them. One
    iteration of ``fit`` is a pass over the data.

    Parameters
    ----------
    n_components : int, optional
        Rank; it may exceed the numbers of samples and features. By default the smaller of the two,
        of the first call.
    random_state : int, Generator or RandomState, optional
        Seed of the start, of the order of samples in ``fit``, and of what the solver draws.
    init : "uniform" or array of shape (n_components, n_features), default="uniform"
        First bases: random numbers, or those given; either way scaled to unit sum, where the
        solver has its bases on the simplex.
    n_epochs : int, default=2
        Passes of ``fit``.

    Attributes
    ----------
    n_samples_seen_, n_steps_ : int
        Samples, and chunks of them, that the bases have been improved by.
    inner_iterations_ : int
        Inner iterations of all steps together.
    latest_codes_ : ndarray of shape (n_samples, n_components)
        Coefficients of the samples of the last ``partial_fit``, each as its step found it, so that
        most belong to older bases (``transform`` gives the best ones); NaN where a peer does not
        tell.
    order_ : ndarray of shape (n_samples,)
        Order of the samples in each pass of ``fit``.
    """

    init: Any = "uniform"
    n_epochs: int = 2

    takes_factors: ClassVar[bool] = False
    any_rank: ClassVar[bool] = True
    on_simplex: ClassVar[bool] = True
    """Whether bases have unit sum."""

    # -- what a solver gives ---------------------------------------------------------------

    def _learn(self, V, s) -> np.ndarray:
        """Improve ``s.H`` by the chunk ``V``, a dense float64 array with a sample in each row.

        Returns its coefficients, of shape (n_rows, n_components).
        """
        raise NotImplementedError

    def _prepare(self, s) -> None:
        """Add to the state what is remembered from step to step."""

    def _chunk_size(self, r: int) -> int:
        """Samples of a step."""
        return 1

    # -- streams ---------------------------------------------------------------------------

    def partial_fit(self, X, y=None):
        """Improve the bases by the rows of ``X``, in the order given.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            At least one row. A chunk does not reach from one call into the next.
        y : ignored
        """
        first = not hasattr(self, "_state")
        X = check_data(self, X, reset=first, accept_sparse=self.accepts_sparse)
        if first:
            self._validate_params_of_solver()
            self._warm_up(X)
            self._state = self._begin(X, self._rank(X), check_rng(self.random_state), None)
        self.latest_codes_ = self._consume(X, self._state).astype(X.dtype)
        self._expose(X, self._state)
        return self

    def steps_of(self, n_samples: int, r: int) -> int:
        """Steps of one pass over ``n_samples`` samples, at rank ``r``."""
        return -(-n_samples // self._chunk_size(r))

    def _begin(self, X, r, rng, n_samples):
        """The state before the first sample; ``n_samples`` of ``fit`` are known, else None."""
        ordering, start, run = rng.spawn(3)
        H = self._first_bases(r, X.shape[1], start)
        if self.on_simplex:
            project_rows(H, *self._bounds())
        s = State(H=H, rng=run, n_samples=0, n_steps=0, inner=0)
        s.horizon, s.order = None, None
        if n_samples is not None:
            s.horizon = self.steps_of(n_samples, r) * self.n_epochs
            s.order = ordering.permutation(n_samples)
        self._prepare(s)
        return s

    def _first_bases(self, r, m, rng):
        if isinstance(self.init, str):
            H = rng.random((r, m)) + np.finfo(float).tiny
        else:
            H = np.array(self.init, dtype=np.float64, order="C")
            if H.shape != (r, m):
                raise ValueError(
                    f"init has shape {H.shape}, but {r} components of {m} features need {(r, m)}."
                )
            if not (np.isfinite(H).all() and (H >= 0).all()):
                raise ValueError("init must hold finite, non-negative numbers.")
        if self.on_simplex:
            sums = H.sum(axis=1, keepdims=True)
            H = np.divide(H, sums, out=np.full_like(H, 1 / m), where=sums > 0)
        return H

    def _bounds(self) -> tuple[float, float]:
        """Bounds of the entries of the bases; equal ones stand for the simplex."""
        return 0.0, 0.0

    def _consume(self, X, s, order=None):
        rows = np.arange(X.shape[0]) if order is None else order
        codes = np.empty((len(rows), len(s.H)))
        for chunk in gen_batches(len(rows), self._chunk_size(len(s.H))):
            V = X[rows[chunk]]
            V = V.toarray() if sp.issparse(V) else np.asarray(V)
            codes[chunk] = self._learn(np.ascontiguousarray(V, dtype=np.float64), s)
            s.n_steps += 1
            s.n_samples += len(V)
        return codes

    def _expose(self, X, s):
        """Set the fitted attributes."""
        self.components_ = s.H.astype(X.dtype)
        self.n_samples_seen_, self.n_steps_ = s.n_samples, s.n_steps
        self.inner_iterations_ = s.inner

    # -- fit, by the loop of all solvers ----------------------------------------------------

    def _validate_params_of_solver(self):
        if isinstance(self.init, str) and self.init != "uniform":
            raise ValueError(f"init must be 'uniform' or an array, got {self.init!r}.")
        check_count(self.n_epochs, "n_epochs")

    def _start(self, X, r, rng, factors):
        s = self._begin(X, r, rng, X.shape[0])
        s.judged = s.order[:_JUDGED]
        return s

    def _step(self, X, s):
        self._consume(X, s, s.order)

    def _objective(self, X, s):
        return mean_cost(X if len(s.judged) == X.shape[0] else X[s.judged], s.H)

    def _converged(self, s, trace):
        return False

    def _n_steps(self, r):
        return self.n_epochs

    def _finish(self, X, s):
        self.order_ = s.order
        s.order = s.judged = None  # a stream that goes on has neither
        self._state = s
        self._expose(X, s)

    def _representation(self, X, s):
        return self._project(X)

    def _tiny_problem(self):
        params, X = super()._tiny_problem()
        return params | {"init": "uniform", "n_epochs": 1}, X
