"""Base of the graph family: scaled data, graph, floors, stopping rule, transform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import row_norms

from nmfbench.core.validation import check_choice, check_count
from nmfbench.optim import graphs
from nmfbench.optim.kernels.floored_ratio import FLOOR, power_ratio
from nmfbench.optim.projections.frobenius import certify_frobenius, project_frobenius
from nmfbench.solvers.bases.alternating import BaseAlternating
from nmfbench.solvers.frobenius.base import BaseFrobenius

__all__ = [
    "SCALES",
    "BaseGraph",
    "BaseScaled",
    "LeastSquares",
    "csr",
    "feature_affinity",
    "gentle_step",
    "unit_components",
]

SCALES = ("unit", "max", "none")


@dataclass(eq=False, repr=False, kw_only=True)
class BaseScaled(BaseAlternating):
    """Base of solvers that scale the data first, since their penalties have a unit.

    A solver gives ``_sweep(X, s)`` and ``_value(X, s)``, an iteration and the objective on the
    scaled data; in ``_start``, which it may extend, those are ``s.X``. Features that are zero in
    every sample are left out of ``s.X`` and of ``s.Ht``, and have the component 0.

    Parameters
    ----------
    scale : {"unit", "max", "none"}, default="unit"
        What is factorized: samples divided by their Euclidean lengths, data divided by their
        largest entry, or data as they are. ``components_`` and what ``inverse_transform`` gives
        refer to the scaled data; :meth:`sample_scale` says what to multiply by.
    init : {"random", "uniform", "nndsvda", "nndsvd", "median"}, default="random"
        Start, unless ``fit`` is given factors, of the scaled data; see :mod:`nmfbench.optim.init`.
    max_iter : int, default=300
        Most iterations.
    tol : float, default=1e-6
        Stop when an iteration changes the objective by no more than this share of it.
    n_components, random_state
        See :class:`~nmfbench.solvers.bases.loop.BaseNMF`.

    Attributes
    ----------
    scale_ : float
        What the data were divided by, as a whole: 1 unless ``scale="max"``.
    """

    scale: str = "unit"
    init: str = "random"
    max_iter: int = 300
    tol: float = 1e-6

    accepts_sparse: ClassVar[bool] = False
    loss: ClassVar[str | None] = None

    def _sweep(self, X, s):
        """One iteration on the scaled data, in place."""
        raise NotImplementedError

    def _value(self, X, s):
        """The objective on the scaled data."""
        raise NotImplementedError

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_choice(self.scale, "scale", SCALES)

    def _start(self, X, r, rng, factors):
        self.scale_ = _largest(X) if self.scale == "max" else 1.0
        largest = abs(X).max(axis=0)
        kept: Any = np.flatnonzero(largest if _dense(X) else largest.toarray())
        X = self._scaled(X)
        if not 0 < len(kept) < X.shape[1]:  # all of them, also if all are zero
            kept = slice(None)
        else:
            X = X[:, kept]
        if factors is None:
            W, Ht = self.inits[self.init](X, r, rng)
        else:
            W, Ht = factors[0], np.ascontiguousarray(factors[1][kept])
        for factor in (W, Ht):
            np.maximum(factor, FLOOR, out=factor)
        s = super()._start(X, r, rng, (W, Ht))
        s.X, s.kept = X, kept
        return s

    def _scaled(self, X):
        """Data, fitted or new, as they are factorized."""
        if self.scale == "unit":  # divided by the largest entry first, as squares may underflow
            return normalize(_divided(X, _largest(X)), copy=False)
        return _divided(X, self.scale_) if self.scale == "max" else X

    def sample_scale(self, X, training=None):
        """What samples are divided by before they are factorized.

        Their representation times this, times ``components_``, stands for the samples as they are.

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n_samples, n_features)
        training : ndarray or CSR matrix of shape (n_training_samples, n_features), optional
            Samples of the fit; by default ``X``.

        Returns
        -------
        ndarray of shape (n_samples,)
            1 where a sample is zero.
        """
        if self.scale == "unit":
            largest = _largest(X)
            lengths = row_norms(_divided(X, largest)) * largest
            return np.where(lengths > 0, lengths, 1)
        scale = _largest(X if training is None else training) if self.scale == "max" else 1.0
        return np.full(X.shape[0], scale, dtype=X.dtype)

    def _step(self, X, s):
        self._sweep(s.X, s)

    def _objective(self, X, s):
        return self._value(s.X, s)

    def _converged(self, s, trace):
        before, now = trace.objective(1), trace.objective()
        return bool(abs(before - now) <= self.tol * max(abs(before), 1e-10))

    def _finish(self, X, s):
        for factor in (s.W, s.Ht):
            factor[np.abs(factor) <= FLOOR] = 0
        self.components_ = np.zeros((s.Ht.shape[1], X.shape[1]), dtype=X.dtype)
        self.components_[:, s.kept] = s.Ht.T

    def _project(self, X):
        return project_frobenius(self._scaled(X), self._basis(X))

    def _certify(self, X):
        return certify_frobenius(self._scaled(X), self.components_)


@dataclass(eq=False, repr=False, kw_only=True)
class BaseGraph(BaseScaled):
    r"""Base of solvers with a graph of the samples.

    ``_start`` gives the state ``affinity``, a CSR array S in float64, and ``degrees``, the sums
    of its rows. The penalty :math:`\operatorname{tr}(W^TLW) = \frac12 \sum_{il} S_{il}
    \|w_i - w_l\|^2` counts an edge once.

    Parameters
    ----------
    n_neighbors : int, default=5
        Of the graph made of the scaled samples; see :func:`nmfbench.optim.graphs.knn_affinity`.
    affinity : array-like or sparse matrix of shape (n_samples, n_samples), optional
        The graph itself: symmetric and non-negative. Samples may be without neighbours.
    n_components, random_state, scale, init, max_iter, tol
        See :class:`BaseScaled`.
    """

    n_neighbors: int = 5
    affinity: Any = None

    edge_weights: ClassVar[str] = "binary"
    """Of the graph made of the samples."""

    self_similarity: ClassVar[bool] = False
    """Whether the diagonal of a given affinity counts in the degrees."""

    unlike_transform: ClassVar[str | None] = (
        "fit_transform weighs in the graph of the samples, and new samples are in none"
    )

    def _validate_params_of_solver(self):
        super()._validate_params_of_solver()
        check_count(self.n_neighbors, "n_neighbors")

    def _tiny_problem(self):
        params, X = super()._tiny_problem()
        return params | {"affinity": None}, X

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        if self.affinity is None:
            s.affinity = graphs.knn_affinity(s.X, self.n_neighbors, weights=self.edge_weights)
        else:
            s.affinity = graphs.check_affinity(
                self.affinity, X.shape[0], diagonal=self.self_similarity
            )
        s.degrees = graphs.degrees(s.affinity)
        return s


@dataclass(eq=False, repr=False, kw_only=True)
class LeastSquares(BaseScaled, BaseFrobenius):
    r"""Base of solvers of :math:`\|X-WH\|_F^2` and penalties, which update H, then W.

    A solver gives ``_improve_basis(s, cross, gram)`` and ``_improve_representation(s, cross,
    gram)``, which put a better ``s.Ht`` and ``s.W`` in place, given ``W.T @ X`` and ``W.T @ W``,
    or ``X @ Ht`` and ``Ht.T @ Ht``, and ``_penalty(s)``. The objective needs no product with X.
    With a graph: ``class Solver(BaseGraph, LeastSquares)``. ``s.Ht`` is the transpose of a
    contiguous array: in this layout its products are faster, and none has to be transposed.

    Parameters
    ----------
    n_components, random_state, scale, init, max_iter, tol
        See :class:`BaseScaled`.
    """

    def _start(self, X, r, rng, factors):
        s = super()._start(X, r, rng, factors)
        s.Ht = np.asfortranarray(s.Ht)
        return s

    def _improve_basis(self, s, cross, gram):
        power_ratio(s.Ht.T, s.Ht.T, cross, gram @ s.Ht.T, 1.0)

    def _improve_representation(self, s, cross, gram):
        power_ratio(s.W, s.W, cross, s.W @ gram, 1.0)

    def _penalty(self, s):
        raise NotImplementedError

    def _sweep(self, X, s):
        self._improve_basis(s, np.ascontiguousarray(s.W.T @ X), s.W.T @ s.W)
        s.cross, s.gram = X @ s.Ht, s.Ht.T @ s.Ht
        self._improve_representation(s, s.cross, s.gram)
        s.latest = s.W

    def _value(self, X, s):
        return BaseFrobenius._objective(self, X, s) + self._penalty(s)


def _dense(X):
    return isinstance(X, np.ndarray)


def _largest(X):
    """The largest magnitude in ``X``, or 1 if all is zero."""
    return float(max(X.max(), -X.min())) or 1.0


def _divided(X, number):
    """A copy of ``X`` over a number, of the same dtype; scipy would give float64."""
    X = X.copy()
    values = X if _dense(X) else X.data
    values /= number
    return X


def csr(S):
    """The arrays of a CSR affinity, in the order in which kernels take them."""
    return S.indptr, S.indices, S.data


def feature_affinity(X, n_neighbors):
    """:func:`nmfbench.optim.graphs.knn_affinity` of the columns of ``X``, dense or CSR."""
    return graphs.knn_affinity(np.ascontiguousarray(X.T) if _dense(X) else X.T.tocsr(), n_neighbors)


def unit_components(H, W):
    """Give the rows of ``H`` unit length, and their lengths to the columns of ``W``, in place."""
    lengths = np.sqrt(np.einsum("kj,kj->k", H, H, dtype=np.float64)).astype(H.dtype)
    H /= np.where(lengths > 0, lengths, 1)[:, None]
    W *= lengths


def gentle_step(out, factor, numerator, denominator, value):
    r"""The multiplicative step with the largest exponent that does not raise the objective.

    Parameters
    ----------
    out : ndarray of shape (n, r)
        Not ``factor``. Filled with ``factor * (numerator / denominator) ** power``.
    factor, numerator, denominator : ndarray of shape (n, r), non-negative
    value : callable
        From a factor to that part of the objective that depends on it, in float64.

    Returns
    -------
    power : float
        1, 1/2 or, untried, 1/4, of which the mathematics has to say that it descends.

    Notes
    -----
    "Not raise" leaves ten units of rounding in the precision of ``factor``, relative to the value:
    a strict test would refuse on rounding alone.
    """
    now = value(factor)
    rounding = 10 * np.finfo(factor.dtype).eps * abs(now)
    for power in (1.0, 0.5):
        power_ratio(out, factor, numerator, denominator, power)
        if value(out) <= now + rounding:
            return power
    power_ratio(out, factor, numerator, denominator, 0.25)
    return 0.25
