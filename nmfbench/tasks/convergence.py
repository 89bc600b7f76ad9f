"""Convergence: how does the objective fall, from a start that all rivals share?"""

from __future__ import annotations

from typing import Any

import numpy as np

from nmfbench.core.matters import Ratio
from nmfbench.core.randomness import same_global_states
from nmfbench.core.registry import register_task
from nmfbench.optim.init import INITS
from nmfbench.tasks.base import Outcome, timed_fit

__all__ = ["convergence", "draw_per_class"]


@register_task(
    "convergence",
    summary="objective against iterations and seconds, from one start",
    title="Speed",
    score="final",
    score_name="objective of the factors returned",
    higher_is_better=False,
    race=True,
    needs={"start": "fit does not take W and H, or the class has no max_iter"},
    # On a plateau rounding makes the smallest value and a rise of 100 units of it.
    tolerances={"best-iteration": 1, "rises": 1, "largest-rise": 1e-9},
    matters={
        "final": Ratio(0.02),
        "largest-rise": 0.02,  # a share of the objective
        "best-iteration": Ratio(0.10),
        "rises": None,
        "initial": None,
        "norm": None,
    },
)
def convergence(
    data,
    solver,
    rng,
    *,
    n_components,
    max_iter,
    tol=0.0,
    init="uniform",
    per_class=None,
    dtype="float64",
    shorter_fits=False,
    n_groups=None,
):
    """Fit a solver from the start of its trial's repeat, and keep the whole trace.

    Parameters
    ----------
    data : Bunch
        With ``X``, and with labels ``y`` if ``per_class`` is given.
    solver : estimator
        With ``trace_`` once fitted, whose ``fit`` takes the initial factors ``W`` and ``H``.
    rng : Generator
        Draws the samples and the start: the same for every solver.
    n_components : int
        Rank.
    max_iter : int
        Iterations of the solver's own kind, which cost very different times.
    tol : float, default=0
        Tolerance of the solver's stop rule; 0 makes all ``max_iter`` iterations.
    init : {"uniform", "random", "nndsvda", "nndsvd"}, default="uniform"
        Start; see :mod:`nmfbench.optim.init`.
    per_class : int, optional
        Number of samples of each class to keep, drawn at random; by default all.
    dtype : {"float64", "float32"}, default="float64"
    shorter_fits : bool, default=False
        Of a solver that makes all iterations in one call, and so knows the ends of its curve only,
        make fits of 1/2, 1/4, ... of the iterations from the same start besides, each timed by
        itself. One with a curve of its own keeps that.
    n_groups : int, optional
        Of a solver with groups of features, such as MahNMF-GS: how many, of neighbours and of
        equal size; by default those that the solver has.

    Returns
    -------
    Outcome
        Metrics ``initial`` and ``final``, the objective at the start and at the factors returned;
        ``norm``, the sum of the entries of X; ``best-iteration``, where the objective was
        smallest; ``rises``, how many iterations raised it, and ``largest-rise``, by which share
        of its value at most. Array ``trace``.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.1, Figures 3 and 4.
    """
    X = data.X if per_class is None else data.X[draw_per_class(data.y, per_class, rng)]
    X = X.astype(dtype)
    W, Ht = INITS[init](X, n_components, rng)
    solver.set_params(n_components=n_components, max_iter=max_iter, tol=tol)
    if n_groups is not None:
        solver.set_params(groups=np.arange(X.shape[1]) * n_groups // X.shape[1])
    start = {"W": W, "H": np.ascontiguousarray(Ht.T)}
    points = _ends_of_shorter_fits(solver, X, start, max_iter) if shorter_fits else []
    fit, arrays = timed_fit(solver, X, **start)
    if points:
        arrays["trace"] = _curve(arrays["trace"], points)
    objective = arrays["trace"]["objective"]
    # A rise of a rounding error is none: the sum of all entries is not exact to the last digit.
    rises = objective[1:] > objective[:-1] * (1 + 100 * np.finfo(X.dtype).eps)
    metrics = {
        "initial": objective[0],
        "final": solver.objective_,
        "norm": X.sum(dtype=np.float64),
        "best-iteration": np.argmin(objective),
        "rises": np.sum(rises),
        "largest-rise": np.max(np.where(rises, objective[1:] / objective[:-1] - 1, 0), initial=0),
    }
    return Outcome({name: float(value) for name, value in metrics.items()}, fit, arrays)


def _ends_of_shorter_fits(solver, X, start, max_iter):
    """Last records of fits of 1/2, 1/4, ... of the iterations; none of a solver with a curve."""
    ends: list[Any] = []
    for halvings in range(max_iter.bit_length() - 1, 0, -1):
        solver.set_params(max_iter=max_iter >> halvings)
        with same_global_states():
            trace = timed_fit(solver, X, **start)[1]["trace"]
        if len(trace) > 2:
            ends = []
            break
        ends.append(trace[-1])
    solver.set_params(max_iter=max_iter)
    return ends


def _curve(trace, points):
    """A trace with points between its ends, of which none is sooner than one before."""
    curve = np.array([*trace[:-1], *points, trace[-1]], dtype=trace.dtype)
    curve = curve[np.unique(curve["iteration"], return_index=True)[1]]
    for name in ("seconds", "cpu_seconds"):
        curve[name] = np.maximum.accumulate(curve[name])
    return curve


def draw_per_class(y, size, rng):
    """Rows of ``size`` random samples of each class, sorted.

    Raises
    ------
    ValueError
        If a class has fewer.

    Examples
    --------
    >>> draw_per_class([0, 0, 1, 1], 2, np.random.default_rng(0))
    array([0, 1, 2, 3])
    """
    y = np.asarray(y)
    labels, counts = np.unique(y, return_counts=True)
    if counts.min() < size:
        few = labels[counts.argmin()]
        raise ValueError(f"per_class is {size}, but class {few} has {counts.min()} samples only.")
    drawn = [rng.choice(np.flatnonzero(y == label), size, replace=False) for label in labels]
    return np.sort(np.concatenate(drawn))
