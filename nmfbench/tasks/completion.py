"""Completion: what does the low-rank part of a matrix say of entries that were hidden?"""

from __future__ import annotations

import numpy as np

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.validation import check_count, check_number
from nmfbench.metrics.factors import relative_error
from nmfbench.tasks.base import Outcome, drawn_start, low_rank_of, timed_fit, total_cost
from nmfbench.tasks.convergence import draw_per_class

__all__ = ["complete", "completion", "visible_means"]

_HALF_A_GREY_LEVEL = 1 / 510
_STILL = 1e-3  # relative change of the hidden entries in a round


@register_task(
    "completion",
    summary="errors of low-rank parts on hidden entries, and the share of entries below zero",
    # Two per cent of an error; two points of a share.
    matters={"hidden-error*": Ratio(0.02), "negative-share": 0.02, "rounds": None},
)
def completion(
    data, solver, rng, *, n_components, hidden, n_rounds=20, n_classes=None, per_class=None
):
    r"""Hide entries at random, and let low-rank parts fill them in, round after round.

    Parameters
    ----------
    data : Bunch
        With labels ``y`` if samples are drawn.
    solver : estimator
        With ``low_rank_`` once fitted, or ``inverse_transform``.
    rng : Generator
        Draws classes, samples, hidden entries and the start, in this order.
    n_components : int
        Rank, of solvers that are given one.
    hidden : float in (0, 1)
        Probability with which each entry is hidden.
    n_rounds : int, default=20
        Most rounds of :func:`complete`.
    n_classes : int, optional
        Number of classes to keep, drawn at random; by default all.
    per_class : int, optional
        Number of samples of each class to keep, drawn at random; by default all.

    Returns
    -------
    Outcome
        Metrics ``hidden-error``, the relative error of the low-rank part on the hidden entries,
        and ``hidden-error-means``, that of :func:`visible_means`; ``negative-share``, the share of
        all entries of the low-rank part below zero by more than half of a grey level, 1/510 of
        the largest entry; ``rounds``. Cost is the sum over rounds.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 6; Zhou & Tao (2011), GoDec, Section on matrix completion.
    """
    check_number(hidden, "hidden", above=0)
    check_count(n_rounds, "n_rounds")
    if hidden >= 1:
        raise ValueError(f"hidden must be below 1, got {hidden}.")
    rows = np.arange(data.X.shape[0])
    if n_classes is not None:
        chosen = rng.choice(np.unique(data.y), n_classes, replace=False)
        rows = np.flatnonzero(np.isin(data.y, chosen))
    if per_class is not None:
        rows = rows[draw_per_class(np.asarray(data.y)[rows], per_class, rng)]
    X = np.asarray(data.X[rows], dtype=np.float64)
    mask = rng.random(X.shape) < hidden
    means = visible_means(X, mask)
    solver.set_params(n_components=n_components)
    L, fits = complete(X, mask, means, solver, rng, n_components, n_rounds)
    metrics = {
        "hidden-error": relative_error(X[mask], L[mask]),
        "hidden-error-means": relative_error(X[mask], means[mask]),
        "negative-share": np.mean(-_HALF_A_GREY_LEVEL * X.max() > L),
        "rounds": len(fits),
    }
    return Outcome({name: float(value) for name, value in metrics.items()}, total_cost(fits))


def visible_means(X, mask):
    """Mean of the visible entries of each column, as a matrix; of all where a column has none.

    Examples
    --------
    >>> X = np.array([[1.0, 5.0], [3.0, 8.0]])
    >>> visible_means(X, np.array([[False, True], [False, True]]))
    array([[2., 2.],
           [2., 2.]])
    """
    counts = (~mask).sum(axis=0)
    sums = np.where(mask, 0.0, X).sum(axis=0)
    overall = sums.sum() / max(counts.sum(), 1)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), overall)
    return np.broadcast_to(means, X.shape)


def complete(X, mask, guess, solver, rng, n_components, n_rounds):
    """Fit, put the low-rank part in the place of hidden entries, and fit again.

    A round is a fit of the matrix as it is filled. The hidden entries then do not count: there the
    low-rank part is compared with what it was itself. It ends when they move by less than a
    thousandth of their norm. Solvers that start from given factors go on from the last ones.

    Parameters
    ----------
    X : ndarray of shape (n, m)
        Of which only what is visible is looked at.
    mask : ndarray of bool of shape (n, m)
        True where entries are hidden.
    guess : ndarray of shape (n, m)
        First values of the hidden entries.
    solver : estimator
    rng : Generator
        Draws the start.
    n_components, n_rounds : int

    Returns
    -------
    L : ndarray of shape (n, m)
    fits : list of dict
        Cost of each round.
    """
    filled = np.where(mask, guess, X)
    start, fits = drawn_start(solver, filled, n_components, rng), []
    for _ in range(n_rounds):
        fit, arrays = timed_fit(solver, filled, representation=True, **start)
        fits.append(fit)
        L = low_rank_of(solver, arrays["W"], filled)
        moved = np.linalg.norm(L[mask] - filled[mask])
        size = np.linalg.norm(filled[mask])
        filled[mask] = L[mask]
        if moved <= _STILL * size:
            break
        if start:
            start = {"W": arrays["W"], "H": solver.components_}
    return L, fits
