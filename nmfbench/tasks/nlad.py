"""Non-negative least absolute deviations: how near is a solver to the best weights of a basis?"""

from __future__ import annotations

import numpy as np

from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.core.validation import check_choice
from nmfbench.optim.projections.manhattan import project_manhattan
from nmfbench.tasks.base import Outcome, ability
from nmfbench.tasks.convergence import draw_per_class

__all__ = ["best_single_moves", "nlad"]


@register_task(
    "nlad",
    summary="excess of a solver over the optimum of its convex sub-problem",
    title="Non-negative least absolute deviations",
    score="excess",
    score_name="excess of the loss over the optimum",
    higher_is_better=False,
    needs={"represents": "it has no method represent(X, H, W)"},
    tolerances={"*": 1e-12},  # each may be zero up to rounding
    matters={  # shares of a loss, or of the bound on one
        "excess": 0.02,
        "worst-excess": 0.02,
        "rise": 0.02,
        "single-move": 0.02,
        "smoothing-gap": 0.02,
    },
)
def nlad(data, solver, rng, *, n_components, basis="uniform", weights="random", per_class=None):
    r"""Solve :math:`\min_{W \ge 0} \|X - W H\|_1` by the solver's own iteration, and exactly.

    Parameters
    ----------
    data : Bunch
        With ``X``; each of its rows is a problem of its own.
    solver : estimator
        With a method ``represent(X, H, W)``: the weights to which its iteration for W leads from
        ``W`` while the basis ``H`` stays as it is.
    rng : Generator
        Draws basis and start.
    n_components : int
        Rows of the basis.
    basis : {"uniform", "samples"}, default="uniform"
        Independent uniform numbers on [0, 1], or random rows of X, which are then left out of X.
    weights : {"random", "optimum"}, default="random"
        Where to start: uniform numbers on [0, 1/r], or the exact solution. What a method does to
        the latter shows whether it can ever make things worse.
    per_class : int, optional
        Number of samples of each class to keep, drawn at random; by default all.

    Returns
    -------
    Outcome
        Metrics ``excess``, the loss reached relative to the smallest one, less one, and
        ``worst-excess``, that of the worst row; ``rise``, the loss reached relative to that of the
        start, less one; ``single-move``, by which share of it any change of a single weight could
        still lower the loss. For a smoothing solver also ``smoothing-gap``, the loss less the
        smoothed loss, as a share of the bound on it. Array ``excess``, of every row.

    References
    ----------
    Guan et al. (2012), MahNMF, Eqs. (2), (6), (9), Theorems 1 and 2.
    """
    represent = ability(solver, "represent", "take one such as mahnmf-ogm or mahnmf-rri")
    X = data.X if per_class is None else data.X[draw_per_class(data.y, per_class, rng)]
    X = X.astype(np.float64)
    check_choice(basis, "basis", ("uniform", "samples"))
    check_choice(weights, "weights", ("random", "optimum"))
    if basis == "uniform":
        H = rng.uniform(size=(n_components, X.shape[1]))
    else:
        order = rng.permutation(len(X))
        H, X = X[order[:n_components]], X[np.sort(order[n_components:])]
    optimum = project_manhattan(X, H)
    if weights == "random":
        W = rng.uniform(0, 1 / n_components, (X.shape[0], n_components))
    else:
        W = optimum
    clock = Trace()
    with clock.clock():
        reached = represent(X, H, W)
    least, before, after = (np.abs(X - w @ H).sum(axis=1) for w in (optimum, W, reached))
    # A row that the basis fits exactly has no relative excess.
    floor = 1e-9 * X.sum(axis=1)
    excess = (after - least) / np.maximum(least, np.maximum(floor, np.finfo(float).tiny))
    metrics = {
        "excess": after.sum() / least.sum() - 1,
        "worst-excess": excess.max(),
        "rise": after.sum() / before.sum() - 1,
        "single-move": best_single_moves(X, reached, H).max(axis=1).sum() / after.sum(),
    }
    if hasattr(solver, "smoothed_loss"):
        smoothed, bound = solver.smoothed_loss(X, H, reached)
        metrics["smoothing-gap"] = (after.sum() - smoothed) / bound
    fit = {
        "seconds": clock.seconds,
        "cpu_seconds": clock.cpu_seconds,
        "n_iter": None,
        "objective": float(after.sum()),
        "stop_reason": None,
    }
    metrics = {name: float(value) for name, value in metrics.items()}
    return Outcome(metrics, fit, {"excess": excess})


def best_single_moves(X, W, H):
    r"""By how much the best change of each weight alone lowers the loss, by trying all of them.

    As a function of one weight the loss is convex and piecewise linear, so that one of its
    breakpoints, or zero, is a minimiser.

    Returns
    -------
    ndarray of the shape of W, non-negative

    Examples
    --------
    The weights (1, 1) stand still one at a time, although (0, 2) has no loss at all:

    >>> X = np.array([[6.0, 0.0, 1.0]])
    >>> H = np.array([[3.0, 1.0, 0.0], [3.0, 0.0, 0.5]])
    >>> best_single_moves(X, np.array([[1.0, 1.0]]), H)
    array([[0., 0.]])
    >>> np.abs(X - np.array([[1.0, 1.0], [0.0, 2.0]]) @ H).sum(axis=1)
    array([1.5, 0. ])
    """
    R = X - W @ H
    now = np.abs(R).sum(axis=1)
    gains = np.zeros(W.shape)
    for k, h in enumerate(H):
        used = np.flatnonzero(h)
        # Shifts of weight k, a row of candidates for each problem.
        shifts = np.maximum(R[:, used] / h[used], -W[:, [k]])
        shifts = np.hstack([shifts, -W[:, [k]]])
        for candidate in shifts.T:
            after = np.abs(R - candidate[:, None] * h).sum(axis=1)
            gains[:, k] = np.maximum(gains[:, k], now - after)
    return gains
