"""The contract of every solver: validation, loop, clock, trace, stop reason, attributes.

A solver gives ``_start``, ``_step`` and ``_objective``; hyper-parameters live on the object and
whatever moves lives in its :class:`State`.
"""

from __future__ import annotations

import contextlib
import warnings
from dataclasses import dataclass
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import psutil
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from nmfbench.core.trace import Trace
from nmfbench.core.validation import (
    check_data,
    check_factors,
    check_rank,
    check_rng,
    check_symmetric_data,
)
from nmfbench.optim.projections.frobenius import certify_frobenius, project_frobenius

__all__ = ["UNFINISHED", "BaseNMF", "State"]

UNFINISHED = "fit_transform returns the last W of a slow iteration, transform the exact optimum"
"""Why ``fit_transform`` is unlike ``transform`` for several solvers."""


class State(SimpleNamespace):
    """Values that change while a solver runs: factors, duals, buffers."""


@dataclass(eq=False, repr=False, kw_only=True)
class BaseNMF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of all solvers.

    Parameters
    ----------
    n_components : int, optional
        Rank ``r``; by default the smaller of the numbers of samples and features.
    random_state : int, Generator or RandomState, optional
        Seed of everything random in the fit.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
    n_iter_ : int
    objective_ : float
        What is minimised, at the factors returned: the last objective of the trace, or, for
        a solver that is not monotone and keeps its best factors, the smallest.
    trace_ : structured ndarray
        Fields ``iteration``, ``seconds``, ``cpu_seconds``, ``objective``. Iteration 0 is the
        state before the first step. Evaluating the objective is not counted in the seconds.
    stop_reason_ : {"converged", "max_iter", "diverged"}
    """

    n_components: int | None = None
    random_state: Any = None

    accepts_sparse: ClassVar[bool] = True
    """Whether the solver works on CSR data without making it dense."""

    loss: ClassVar[str | None] = None
    """The key of ``losses.LOSSES`` that the objective is, if it is one and nothing else."""

    signed: ClassVar[bool] = False
    """Whether data and factors may be negative."""

    symmetric: ClassVar[bool] = False
    """Whether data must be a symmetric matrix, of similarities of the samples."""

    square: ClassVar[bool] = False
    """Whether there must be as many components as features."""

    takes_factors: ClassVar[bool] = True
    """Whether the iteration starts from factors, so that ``fit`` can be given them."""

    keeps_best: ClassVar[bool] = False
    """Whether ``_finish`` goes back to the best factors met, as the objective may rise."""

    any_rank: ClassVar[bool] = False
    """Whether the rank may exceed the smaller of the numbers of samples and features."""

    fixes_scale: ClassVar[bool] = False
    """Whether the problem fixes the scale of W, which the columns then should keep."""

    convex: ClassVar[bool] = True
    """Whether ``transform`` solves a convex problem, so that there is a ``certificate``."""

    unlike_transform: ClassVar[str | None] = None
    """Why ``fit_transform`` is not ``fit`` and then ``transform``, where it is not."""

    diagnostics: ClassVar[tuple[str, ...]] = ()
    """Numbers among the fitted attributes that records keep, such as ``"outlier_share_"``."""

    def fit(self, X, y=None, *, W=None, H=None):
        """Fit the factorization.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            Non-negative data, unless the solver is ``signed``.
        y : ignored
        W, H : array-like of shape (n_samples, r) and (r, n_features), optional
            Initial factors, so that two solvers can start from the same point. A solver that
            does not start from factors refuses them.
        """
        self._fit(X, W, H)
        return self

    def fit_transform(self, X, y=None, *, W=None, H=None):
        """Fit and return the representation ``W`` of shape (n_samples, n_components)."""
        return self._representation(*self._fit(X, W, H))

    def transform(self, X):
        """The best representation of ``X`` on the fitted components, under the solver's loss.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        W : ndarray of shape (n_samples, n_components)
            Non-negative, unless the solver is ``signed``.
        """
        return self._project(self._new_data(X))

    @available_if(attrgetter("convex"))
    def certificate(self, X):
        """How near :meth:`transform` is to the best representation of ``X``, with proof.

        There is none where the problem that :meth:`transform` solves is not convex.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)

        Returns
        -------
        dict
            ``primal``, the objective of :meth:`transform`, doubled where the solver halves its
            squares; ``dual_bound``, a number that no representation on the fitted components
            goes below; ``gap``, their difference relative to the objective of a representation
            that is zero or, as the Kullback-Leibler divergence is infinite there, to the sum of
            ``X``.
        """
        return self._certify(self._new_data(X).astype(np.float64, copy=False))

    def inverse_transform(self, W):
        """Reconstruct data from a representation: ``W @ components_``."""
        check_is_fitted(self)
        W = np.asarray(W)
        if W.ndim != 2 or W.shape[1] != self.components_.shape[0]:
            raise ValueError(
                f"W has shape {W.shape}, but {type(self).__name__} was fitted with "
                f"{self.components_.shape[0]} components: pass (n_samples, "
                f"{self.components_.shape[0]})."
            )
        return W @ self.components_

    # -- what a solver gives ---------------------------------------------------------------

    def _start(self, X, r, rng, factors) -> State:
        """The state before the first step. ``factors`` is None or the given ``(W, Ht)``."""
        raise NotImplementedError

    def _step(self, X, s) -> None:
        """One iteration, in place."""
        raise NotImplementedError

    def _objective(self, X, s) -> float:
        """Objective that is minimised, at ``s``."""
        raise NotImplementedError

    def _converged(self, s, trace) -> bool:
        """Whether to stop after the step just made."""
        raise NotImplementedError

    def _n_steps(self, r) -> int:
        """The most steps to make."""
        raise NotImplementedError

    def _after_loop(self, X, s, trace, n_iter: int) -> int:
        """Iterations of another kind, which follow whatever ended the others but divergence.

        They are timed and recorded as the loop does it. Returns the number of all iterations.
        """
        return n_iter

    def _finish(self, X, s) -> None:
        """Set ``components_`` and the solver's own fitted attributes."""
        raise NotImplementedError

    def _representation(self, X, s):
        """``W`` of the data just fitted."""
        raise NotImplementedError

    def _project(self, X):
        """The representation of validated rows; a solver with another problem gives its own."""
        return project_frobenius(X, self._basis(X))

    def _certify(self, X):
        """The certificate of ``_project`` for validated rows in double precision.

        A solver with a ``_project`` of its own gives its own, unless it is not ``convex``.
        """
        return certify_frobenius(X, self.components_)

    def _new_data(self, X):
        """Validate rows that the solver was not fitted to."""
        check_is_fitted(self)
        sparse, nonnegative = self.accepts_sparse, not self.signed
        return check_data(self, X, reset=False, accept_sparse=sparse, nonnegative=nonnegative)

    def _basis(self, X):
        """The components in the dtype of ``X``."""
        return self.components_.astype(X.dtype, copy=False)

    def _rank_bound(self, X):
        """Largest rank that ``X`` allows, and what it is called in an error message."""
        return min(X.shape), "min(n_samples, n_features)"

    def _rank(self, X):
        """Number of components for ``X``."""
        if self.square and self.n_components is None:
            return X.shape[1]
        upper, bound = self._rank_bound(X)
        if self.any_rank and self.n_components is not None:
            upper, bound = np.iinfo(np.intp).max, "the largest integer"
        r = check_rank(self.n_components, upper, bound=bound)
        size = r * (sum(X.shape) + r) * X.dtype.itemsize
        if size > (room := psutil.virtual_memory().total):
            raise ValueError(
                f"n_components={r} is too large: factors of a {X.shape[0]} x {X.shape[1]} matrix "
                f"and their inner products take {size / 1e9:.3g} GB, and this machine has "
                f"{room / 1e9:.3g} GB; use fewer components, {min(X.shape)} at most as a rule."
            )
        if self.square and r != X.shape[1]:
            raise ValueError(
                f"n_components={r}, but {type(self).__name__} needs as many components as "
                f"features, {X.shape[1]}."
            )
        return r

    # -- the loop --------------------------------------------------------------------------

    def _fit(self, X, W, H):
        if not self.takes_factors and (W is not None or H is not None):
            raise ValueError(
                f"{type(self).__name__} takes no initial factors: it does not start from any. "
                "Call fit without W and H."
            )
        X = check_data(self, X, accept_sparse=self.accepts_sparse, nonnegative=not self.signed)
        if self.symmetric:
            check_symmetric_data(X)
        r = self._rank(X)
        factors = None
        if W is not None or H is not None:
            factors = check_factors(W, H, X, r, nonnegative=not self.signed)
        self._validate_params_of_solver()
        self._warm_up(X)
        trace = Trace()
        rng = check_rng(self.random_state)
        with trace.clock():
            s = self._start(X, r, rng, factors)
        trace.record(0, self._objective(X, s))
        reason, n_iter = "max_iter", 0
        for n_iter in range(1, self._n_steps(r) + 1):
            with trace.clock():
                self._step(X, s)
            trace.record(n_iter, self._objective(X, s))
            if not np.isfinite(trace.objective()):
                reason = "diverged"
                break
            if self._converged(s, trace):
                reason = "converged"
                break
        if reason != "diverged":
            n_iter = self._after_loop(X, s, trace, n_iter)
        with trace.clock():
            self._finish(X, s)
        self.n_iter_ = n_iter
        objectives = trace.as_array()["objective"]
        self.objective_ = float(np.nanmin(objectives) if self.keeps_best else objectives[-1])
        self.trace_ = trace.as_array()
        self.stop_reason_ = reason
        return X, s

    def _validate_params_of_solver(self):
        """Raise ValueError, naming the parameter, if a hyper-parameter makes no sense."""

    def _warm_up(self, X):
        """Compile the kernels before the clock starts, by a fit of a tiny matrix like ``X``."""
        choices = tuple(v for v in self.get_params().values() if isinstance(v, str | bool))
        signature = (type(self), X.dtype, sp.issparse(X), choices)
        if signature in _COMPILED:
            return
        _COMPILED.add(signature)  # first: the tiny fit comes through here too
        params, tiny = self._tiny_problem()
        tiny = tiny.astype(X.dtype)
        # What is right for the data may be wrong for so few; then something compiles on the clock.
        with contextlib.suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clone(self).set_params(**params).fit(sp.csr_matrix(tiny) if sp.issparse(X) else tiny)

    def _tiny_problem(self):
        """Parameters and data of a fit that compiles everything."""
        return {"n_components": 2, "random_state": 0}, np.random.default_rng(0).random((6, 5))

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = not self.signed
        tags.input_tags.pairwise = self.symmetric
        tags.input_tags.sparse = self.accepts_sparse
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @classmethod
    def expected_failed_checks(cls) -> dict[str, str]:
        """scikit-learn's checks of estimators that do not suit the solver, each with its reason.

        As ``expected_failed_checks`` of :func:`sklearn.utils.estimator_checks.check_estimator`
        takes them.
        """
        found = {}
        if cls.unlike_transform is not None:
            found = dict.fromkeys(_OF_TRANSFORM, cls.unlike_transform)
        if cls.square:
            found |= dict.fromkeys(_OF_THE_RANK, _SQUARE)
        if hasattr(cls, "fit_predict") and not cls.signed:
            found["check_clustering"] = "its data are negative"
        return found


_OF_TRANSFORM = ("check_transformer_general", "check_transformer_data_not_an_array")
_OF_THE_RANK = (
    "check_dont_overwrite_parameters",
    "check_fit2d_1sample",
    "check_fit2d_predict1d",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
)
_SQUARE = "it sets n_components to 1 or 2, whatever the number of features"

_COMPILED: set[tuple] = set()
