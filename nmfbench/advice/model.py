"""The recommended factorization: fits from several starts, their stability, named components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.cluster.hierarchy import average, cophenet
from scipy.spatial.distance import squareform

from nmfbench.advice.folds import lifted, start_of
from nmfbench.metrics.factors import matched_cosines
from nmfbench.optim.losses import LOSSES
from nmfbench.optim.projections import CERTIFICATES
from nmfbench.optim.stationarity import factor_gap
from nmfbench.solvers import make_solver
from nmfbench.tasks.clustering import strongest_component

__all__ = ["Model", "Stability", "describe", "fit_model", "stability_of"]

_SAMPLES = 400  # at most, whose consensus is looked at
_TOP = 10


@dataclass(frozen=True)
class Model:
    """A fit.

    Attributes
    ----------
    W : ndarray of shape (n_samples, r)
    H : ndarray of shape (r, n_features)
        Components, the one with the largest share of the sum first.
    objective, seconds : float
    seed : int
    max_iter : int or None
        Number of iterations that it was given, if any.
    """

    W: np.ndarray
    H: np.ndarray
    objective: float
    seconds: float
    seed: int
    max_iter: int | None


@dataclass(frozen=True)
class Stability:
    """How alike fits from several starts are.

    Attributes
    ----------
    starts : int
    similarity : float
        Mean cosine of matched components of two fits.
    by_component : list of float
        The same for each component of the best fit.
    cophenetic : float or None
        Correlation of Brunet et al. (2004) of the consensus of clusters: 1 where all fits put
        the same samples together. None of a single component.
    spread : float
        Largest objective over the smallest.
    """

    starts: int
    similarity: float
    by_component: list[float]
    cophenetic: float | None
    spread: float


def fit_model(X, key, loss, n_components, seed, max_iter=None, **params) -> Model:
    """Fit a solver from a start at random.

    Parameters
    ----------
    X : ndarray or CSR matrix
    key : str
        Solver.
    loss : str
    n_components : int
    seed : int
    max_iter : int, optional
        By default the solver's own.

    Returns
    -------
    Model
    """
    if max_iter is not None:
        params["max_iter"] = max_iter
    solver = make_solver(key, n_components=n_components, **params)
    if "random_state" in solver.get_params():
        solver.set_params(random_state=seed)
    start = start_of(X, n_components, np.random.default_rng(seed))
    if loss != "frobenius":
        start = lifted(**start, X=X)
    W = np.asarray(solver.fit_transform(X, **start), dtype=np.float64)
    H = np.asarray(solver.components_, dtype=np.float64)
    share = W.sum(axis=0) * H.sum(axis=1)
    order = np.argsort(-share, kind="stable")
    W, H = np.ascontiguousarray(W[:, order]), np.ascontiguousarray(H[order])
    trace = getattr(solver, "trace_", None)
    seconds = float(trace["seconds"][-1]) if trace is not None else float("nan")
    objective = float(LOSSES[loss](X, W, np.ascontiguousarray(H.T)))
    return Model(W, H, objective, seconds, seed, params.get("max_iter"))


def stability_of(models: Sequence[Model]) -> Stability:
    """How alike fits are.

    Parameters
    ----------
    models : sequence of Model
        At least two, of one matrix and rank.
    """
    pairs = combinations([model.H for model in models], 2)
    similarity = float(np.mean([matched_cosines(A, B).mean() for A, B in pairs]))
    best = min(models, key=lambda model: model.objective)
    own = [matched_cosines(best.H, other.H) for other in models if other is not best]
    objectives = [model.objective for model in models]
    spread = max(objectives) / min(objectives) if min(objectives) > 0 else 1.0
    by_component = [float(v) for v in np.mean(own, axis=0)]
    return Stability(len(models), similarity, by_component, _cophenetic(models), float(spread))


def _cophenetic(models):
    """Cophenetic correlation of the consensus matrix; components are clusters."""
    if len(models[0].H) < 2:
        return None
    n = len(models[0].W)
    rows = np.linspace(0, n - 1, min(n, _SAMPLES)).astype(int)
    together = np.zeros((len(rows), len(rows)))
    for model in models:
        clusters = strongest_component(model.W, model.H)[rows]
        together += clusters[:, None] == clusters
    distance = squareform(1 - together / len(models), checks=False)
    if distance.size < 2 or np.ptp(distance) == 0:
        return 1.0
    return float(cophenet(average(distance), distance)[0])


def describe(model: Model, features: Sequence[str] | None, samples: Sequence[str] | None):
    """Each component: its share, its largest features and samples by name.

    Parameters
    ----------
    model : Model
    features, samples : sequence of str, optional
        Names; by default numbers.

    Returns
    -------
    list of dict
        ``component``, ``share`` of the sum of W H, ``features`` and ``samples`` as lists of
        (name, weight): of features the share in the component, of samples the share of the sample.
    """
    total = float(model.W.sum(axis=0) @ model.H.sum(axis=1)) or 1.0
    codes = model.W * model.H.sum(axis=1)
    codes = codes / np.maximum(codes.sum(axis=1, keepdims=True), 1e-300)
    rows = []
    for k, component in enumerate(model.H):
        mass = float(component.sum()) or 1.0
        rows.append(
            {
                "component": k + 1,
                "share": float(model.W[:, k].sum() * component.sum() / total),
                "features": _top(component / mass, features, "column"),
                "samples": _top(codes[:, k], samples, "row"),
            }
        )
    return rows


def _top(weights, names, kind):
    order = np.argsort(-weights, kind="stable")[:_TOP]
    named = names if names is not None else [f"{kind} {i}" for i in range(len(weights))]
    return [(str(named[i]), float(weights[i])) for i in order if weights[i] > 0]


def proof(X, model: Model, loss: str) -> dict[str, Any] | None:
    """Certificate of a fit: gaps of both convex sub-problems, None where there is none.

    Returns
    -------
    dict or None
        ``gap_w``, the share of the objective that the best W for this H could save at most, and
        ``gap_h``.
    """
    if loss not in CERTIFICATES or not np.isfinite(model.objective):
        return None
    flipped = X.T.tocsr() if sp.issparse(X) else np.ascontiguousarray(X.T)
    Ht = np.ascontiguousarray(model.H.T)
    return {
        "gap_w": float(factor_gap(X, Ht, loss, model.objective)),
        "gap_h": float(factor_gap(flipped, model.W, loss, model.objective)),
    }
