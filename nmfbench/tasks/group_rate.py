"""Rate of Algorithm 2 of MahNMF on a smoothed sub-problem, with and without a group penalty."""

from __future__ import annotations

import numpy as np

from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.optim.proximal import GroupPenalty
from nmfbench.solvers.manhattan.smoothing import SmoothedLoss, nonnegative, optimal_gradient
from nmfbench.tasks.base import Outcome, fit_of

__all__ = ["PENALTIES", "group_rate"]

PENALTIES = {"none": None, "2": 2.0, "infinity": np.inf}
"""Norms of the group penalty, by name."""

_REFERENCE = 5000  # iterations of the reference, with restarts
_ROUNDING = 1e-11  # share of the first excess below which an excess is rounding


@register_task(
    "group-rate",
    summary="excess of the smoothed sub-problem with a group penalty, against iterations",
    tolerances={"bound-share": 0.01, "exponent": 0.02},
    matters={"bound-share": 0.02, "exponent": 0.05, "zero-groups": None},
)
def group_rate(
    data, solver, rng, *, n_components, penalty, steps, mu=0.1, weight=0.2, n_groups=4, zeros=0.0
):
    r"""Run Algorithm 2 on the smoothed sub-problem over H for more and more iterations.

    Parameters
    ----------
    data : Bunch
        With ``X``.
    solver : ignored
    rng : Generator
        Draws W and the start, whatever the penalty.
    n_components : int
    penalty : {"none", "2", "infinity"}
        Norm of the group penalty, or none.
    steps : sequence of int
        Iterations of the runs, each from the start.
    mu : float, default=0.1
        Smoothing parameter, which is fixed.
    weight : float, default=0.2
        Of the penalty, times the samples.
    n_groups : int, default=4
        Groups of features of equal size.
    zeros : float, default=0
        Share of the entries of W that are zero.

    Returns
    -------
    Outcome
        Metrics ``bound-share``, the largest excess of all runs as a share of the bound
        :math:`4 L D / ((k+1)(k+2))` on it after iteration k = 0, 1, ..., with D half the squared
        distance from the start to the solution; ``exponent``, minus the slope of the logarithm of
        the excess in that of the iterations, where more than rounding is left, and absent where
        that is so after one run at most; ``zero-groups``, the share of rows of a group that are
        zero at the solution. Arrays ``steps`` and ``excess``, as shares of the excess at the
        start.

    Notes
    -----
    The solution is the best point of all runs and of 5000 iterations with restarts.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 4.3, Eqs. (52)-(57).
    """
    X = data.X.astype(np.float64)
    W = rng.uniform(size=(len(X), n_components))
    start = rng.uniform(size=(X.shape[1], n_components))
    W[rng.random(W.shape) < zeros] = 0.0
    p = PENALTIES[penalty]
    groups = np.array_split(np.arange(X.shape[1]), n_groups)
    penalised = None if p is None else GroupPenalty(groups, p, weight * len(X))
    prox = nonnegative if penalised is None else penalised
    loss = SmoothedLoss(X, W, mu, np.empty_like(X), varies="H")

    def value(H):
        smooth = loss.gradient(H, np.empty_like(H))
        return smooth + (0.0 if penalised is None else penalised.value(H))

    def run(count, **more):
        options = {"tol": 0.0, "min_iter": count, "max_iter": count}
        return optimal_gradient(loss, start, prox=prox, **options, **more).factor

    clock = Trace()
    with clock.clock():
        found = [run(count) for count in steps]
    best = min([*found, run(_REFERENCE, restart=True)], key=value)
    excess = np.array([value(H) for H in found]) - value(best)
    first = value(start) - value(best)
    k = np.array(steps) - 1.0
    bounds = 2 * loss.lipschitz * np.sum((start - best) ** 2) / ((k + 1) * (k + 2))
    left = excess > _ROUNDING * first
    zero = [not best[group, j].any() for group in groups for j in range(n_components)]
    metrics = {
        "bound-share": float((excess / bounds).max()),
        "zero-groups": float(np.mean(zero)),
    }
    if left.sum() > 1:
        slope = np.polyfit(np.log(np.array(steps)[left]), np.log(excess[left]), 1)[0]
        metrics["exponent"] = float(-slope)
    arrays = {"steps": np.array(steps), "excess": excess / first}
    return Outcome(metrics, fit_of(clock, sum(steps), value(best), "max_iter"), arrays)
