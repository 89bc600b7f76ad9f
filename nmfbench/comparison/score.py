"""Scores of given factors of a data set, and of baselines of the same rank beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from nmfbench.core.validation import canonical_csr, check_factors
from nmfbench.guests.spec import SolverSpec
from nmfbench.metrics.clustering import accuracy, clustering_accuracy, nmi_max
from nmfbench.optim.losses import LOSSES
from nmfbench.optim.projections import CERTIFICATES
from nmfbench.optim.stationarity import EXPONENTS, factor_gap, kkt_residual
from nmfbench.solvers import make_solver
from nmfbench.tasks.base import in_units_of
from nmfbench.tasks.clustering import strongest_component

__all__ = ["defined_losses", "fit_baseline", "matrix_of", "score_factors", "sum_ratio"]


def matrix_of(data):
    """The data matrix in double precision, in the form that losses and projections take."""
    X = data.X.astype(np.float64)
    return canonical_csr(X.tocsr()) if sp.issparse(X) else np.ascontiguousarray(X)


def defined_losses(X) -> list[str]:
    """Losses that these data have; Itakura-Saito is undefined at zero."""
    positive = not sp.issparse(X) and X.min() > 0
    return [name for name in LOSSES if name != "itakura-saito" or positive]


def sum_ratio(X, W, H) -> float:
    """Sum of the entries of ``W @ H`` over that of ``X``: far from 1 where units differ.

    Examples
    --------
    >>> sum_ratio(np.full((2, 2), 8.0), np.ones((2, 1)), np.ones((1, 2)))
    0.125
    """
    return float(W.sum(axis=0) @ H.sum(axis=1) / X.sum())


def score_factors(X, W, H, y=None, *, losses: Sequence[str]) -> dict:
    """Judge a factorization of all samples.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        As :func:`matrix_of` gives it.
    W : ndarray of shape (n_samples, r), non-negative
    H : ndarray of shape (r, n_features), non-negative
    y : array-like of shape (n_samples,), optional
        Classes.
    losses : sequence of str
        Keys of :data:`~nmfbench.optim.losses.LOSSES`.

    Returns
    -------
    dict
        ``losses``, for each its ``objective``, ``kkt_residual``, ``gap_w`` and ``gap_h``, see
        :mod:`nmfbench.optim.stationarity`: None where there is none, as of the residual of a loss
        that has no gradient, or the gap of one that is not convex. ``relative_error``,
        :math:`\\|X - W H\\|_F / \\|X\\|_F`. ``recognition``, the share of samples whose nearest
        other sample by the cosine of codes, components at unit length, is of their class; a code
        that is zero is an error. ``clustering_accuracy`` and ``nmi_max`` of clusters by the
        strongest component. The last three are None without classes.
    """
    W, Ht = check_factors(W, H, X, H.shape[0])
    flipped = X.T.tocsr() if sp.issparse(X) else np.ascontiguousarray(X.T)
    values = {name: LOSSES[name](X, W, Ht) for name in {*losses, "frobenius"}}
    found: dict[str, Any] = {
        "losses": {name: _stationarity(X, flipped, W, Ht, name, values[name]) for name in losses}
    }
    norm = sp.linalg.norm(X) if sp.issparse(X) else np.linalg.norm(X)
    error = np.sqrt(max(0.0, values["frobenius"]))
    found["relative_error"] = float(error / norm)
    if y is None:
        return found | dict.fromkeys(("recognition", "clustering_accuracy", "nmi_max"))
    y, clusters = np.asarray(y), strongest_component(W, H)
    return found | {
        "recognition": _recognition(W * np.linalg.norm(Ht, axis=0), y),
        "clustering_accuracy": clustering_accuracy(y, clusters),
        "nmi_max": nmi_max(y, clusters),
    }


def _stationarity(X, flipped, W, Ht, loss, value):
    finite = bool(np.isfinite(value))
    has_gap = finite and loss in CERTIFICATES
    return {
        "objective": value if finite else None,
        "kkt_residual": kkt_residual(X, W, Ht, loss) if loss in EXPONENTS else None,
        "gap_w": factor_gap(X, Ht, loss, value) if has_gap else None,
        "gap_h": factor_gap(flipped, W, loss, value) if has_gap else None,
    }


def _recognition(codes, y):
    """Accuracy of the nearest other sample by cosine."""
    nearest = NearestNeighbors(n_neighbors=1, metric="cosine").fit(codes).kneighbors()[1][:, 0]
    return accuracy(np.ones(len(y), dtype=bool), (y[nearest] == y) & codes.any(axis=1))


def fit_baseline(spec: SolverSpec, X, n_components, seed):
    """Factors ``W`` and ``H`` of a solver of the suite.

    Raises
    ------
    ValueError, TypeError
        If the solver cannot factorize these data at this rank, or its factors have signs.
    """
    solver = make_solver(spec.solver, **spec.params, n_components=n_components)
    if "random_state" in solver.get_params():
        solver.set_params(random_state=seed)
    W = solver.fit_transform(X)
    if not hasattr(solver, "components_"):
        raise ValueError("it has no components_.")
    W = in_units_of(X, solver, W)
    W, Ht = check_factors(W, solver.components_, X, n_components)
    return W, np.ascontiguousarray(Ht.T)
