"""Convergence: how does the objective fall, from a start that all rivals share?"""

from __future__ import annotations

import numpy as np

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
        Keep so many samples of each class, drawn at random; by default keep all.
    dtype : {"float64", "float32"}, default="float64"

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
    fit, arrays = timed_fit(solver, X, W=W, H=np.ascontiguousarray(Ht.T))
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
