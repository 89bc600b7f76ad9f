"""Iterations of a batch method until one of them lowers the objective by little."""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import normalize

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.optim.init import INITS
from nmfbench.tasks.base import Outcome, timed_fit
from nmfbench.tasks.online import draw_samples

__all__ = ["iterations_needed"]

_SHORTER = (15, 4, 1)  # parts of the limit that are tried, one after the other


@register_task(
    "iterations-needed",
    summary="iterations until one of them lowers the objective by a small share or less",
    needs={"start": "fit does not take W and H, or the class has no max_iter"},
    tolerances={"iterations": np.inf},  # rounding may move the iteration that meets the rule
    matters={"iterations": Ratio(0.10), "reached": None},
)
def iterations_needed(data, solver, rng, *, n_components, n_samples, tol=1e-4, limit=3000):
    """Count iterations from one start, until one lowers the objective by no more than a share.

    The rule is the same for every solver, whatever its own one is: it is applied to the trace.

    Parameters
    ----------
    data : Bunch
        With ``X``, whose rows are scaled to unit norm.
    solver : estimator
        A batch solver with a record of each iteration.
    rng : Generator
        Draws the samples and the start.
    n_components, n_samples : int
    tol : float, default=1e-4
        Share of the objective before the iteration.
    limit : int, default=3000
        Iterations at most.

    Returns
    -------
    Outcome
        Metrics ``iterations``, and ``reached``, 0 where the limit ended the run.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Introduction.
    """
    X = normalize(draw_samples(data, rng, n_samples)[0])
    W, Ht = INITS["uniform"](X, n_components, rng)
    start = {"W": W, "H": np.ascontiguousarray(Ht.T)}
    for part in _SHORTER:
        solver.set_params(n_components=n_components, max_iter=max(limit // part, 1), tol=0.0)
        fit, arrays = timed_fit(solver, X, **start)
        objective = arrays["trace"]["objective"]
        small = np.flatnonzero(objective[:-1] - objective[1:] <= tol * objective[:-1])
        if len(small):
            break
    count = arrays["trace"]["iteration"][small[0] + 1] if len(small) else limit
    metrics = {"iterations": float(count), "reached": float(len(small) > 0)}
    return Outcome(metrics, fit)
