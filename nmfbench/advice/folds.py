"""Predictions of held-out entries by a solver: of blocks, and of cells at random.

Both are protocols of the suite. Of a block (:mod:`nmfbench.tasks.held_out`) rows and columns are
projected under the loss of the solver, so that no solver needs weights or masks. Cells
(:mod:`nmfbench.tasks.completion`) are filled by the last low-rank part, round after round: the
loss of the visible entries falls in each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nmfbench.optim.init import INITS
from nmfbench.optim.projections import PROJECTIONS
from nmfbench.solvers import make_solver
from nmfbench.tasks.completion import complete, visible_means
from nmfbench.tasks.held_out import draw_blocks, predict_block, split_at

__all__ = ["FITS", "Fold", "Prediction", "draw_cells", "draw_folds", "fit_from", "predict_fold"]

FITS = {
    "frobenius": ("hals", {"max_iter": 200}),
    "kl": ("kl-newton", {"max_iter": 100}),
    "manhattan": ("mahnmf-hybrid", {"max_iter": 60}),
    "itakura-saito": ("is-mu", {"max_iter": 300}),
}
"""Solver of each loss by which noise and rank are chosen; which solver to use is asked later."""

_ROUNDS, _STEPS = 30, 8  # of the completion of cells, and iterations in each
_LEAST = 1e-3  # of the mean size of a start's entries: zeros cannot be moved by some updates


@dataclass(frozen=True)
class Fold:
    """Held-out entries, and the way that they are predicted.

    Attributes
    ----------
    rows, columns : ndarray of int, optional
        A block.
    mask : ndarray of bool, optional
        Cells, where there is no block.
    seed : int
        Of the start.
    """

    seed: int
    rows: np.ndarray | None = None
    columns: np.ndarray | None = None
    mask: np.ndarray | None = None


@dataclass(frozen=True)
class Prediction:
    """Held-out entries ``x`` predicted by ``y``; training entries and fit; degrees of freedom."""

    x: np.ndarray
    y: np.ndarray
    train_x: np.ndarray
    train_y: np.ndarray
    freedom: float


def draw_folds(shape, n_folds, rng) -> list[Fold]:
    """Blocks on two diagonals of a grid of folds: no entry is in two, each leaves out most.

    Parameters
    ----------
    shape : (int, int)
    n_folds : int
        Of rows and of columns; there are twice as many blocks.
    rng : Generator

    Examples
    --------
    >>> len(draw_folds((20, 12), 4, np.random.default_rng(0)))
    8
    """
    blocks = draw_blocks(shape, n_folds, rng)
    chosen = [
        blocks[i * n_folds + (i + shift) % n_folds] for shift in (0, 1) for i in range(n_folds)
    ]
    seeds = rng.integers(2**31, size=len(chosen))
    return [
        Fold(int(seed), rows, columns) for seed, (rows, columns) in zip(seeds, chosen, strict=True)
    ]


def draw_cells(shape, n_folds, rng) -> list[Fold]:
    """Cells at random, each entry in one fold."""
    of = rng.permutation(np.arange(shape[0] * shape[1]) % n_folds).reshape(shape)
    return [Fold(int(rng.integers(2**31)), mask=of == k) for k in range(n_folds)]


def fit_from(X, n_components, rng, loss):
    """Factors under a loss, by its solver in :data:`FITS`, from least-squares factors.

    From one start the losses so end in neighbouring basins. An update that multiplies moves no
    zero, so that zeros are raised a little before.

    Returns
    -------
    W, H : ndarray
    """
    start = start_of(X, n_components, rng)
    key, params = FITS["frobenius"]
    solver = make_solver(key, n_components=n_components, **params)
    W, H = solver.fit_transform(X, **start), solver.components_
    if loss == "frobenius":
        return W, H
    key, params = FITS[loss]
    solver = make_solver(key, n_components=n_components, **params)
    return solver.fit_transform(X, **lifted(W, H, X)), solver.components_


def start_of(X, n_components, rng):
    """A start at random, as keyword arguments of ``fit``."""
    W, Ht = INITS["uniform"](X, n_components, rng)
    return {"W": W, "H": np.ascontiguousarray(Ht.T)}


def lifted(W, H, X):
    """Factors without zeros, as keyword arguments of ``fit``."""
    size = float(np.sqrt(X.mean() / len(H))) or 1.0
    return {"W": np.maximum(W, _LEAST * size), "H": np.maximum(H, _LEAST * size)}


def predict_fold(X, fold: Fold, n_components: int, loss: str, fit: Callable | None = None):
    """Predict the entries of a fold.

    Parameters
    ----------
    X : ndarray of shape (n, m)
    fold : Fold
    n_components : int
    loss : str
    fit : callable, optional
        ``(D, rng) -> (W, H)`` of the part of a block that is seen; by default :func:`fit_from`.

    Returns
    -------
    Prediction
    """
    rng = np.random.default_rng([fold.seed, n_components])
    if fold.mask is not None:
        return _predict_cells(X, fold.mask, n_components, loss, rng)
    if fold.rows is None or fold.columns is None:
        raise ValueError("a fold needs a block, or a mask of cells")
    x, B, C, D = map(np.ascontiguousarray, split_at(X, fold.rows, fold.columns))
    L, R = fit(D, rng) if fit else fit_from(D, n_components, rng, loss)
    y = predict_block(L, R, B, C, project=_projection(loss))
    freedom = D.size - n_components * sum(D.shape)
    return Prediction(x.ravel(), y.ravel(), D.ravel(), (L @ R).ravel(), freedom)


def _projection(loss):
    """The projection of a loss, for arrays of any layout."""
    project = PROJECTIONS[loss]
    return lambda X, H: project(np.ascontiguousarray(X), np.ascontiguousarray(H))


def _predict_cells(X, mask, n_components, loss, rng):
    key, _ = FITS[loss]
    solver = make_solver(key, n_components=n_components, max_iter=_STEPS)
    means = visible_means(X, mask)
    L, _ = complete(X, mask, means, solver, rng, n_components, _ROUNDS)
    seen = ~mask
    freedom = seen.sum() - n_components * sum(X.shape)
    return Prediction(X[mask], L[mask], X[seen], L[seen], float(freedom))
