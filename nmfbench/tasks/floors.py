"""Floors: how much of a loss that is undefined at zero is owed to what stands for zero?"""

from __future__ import annotations

import copy

import numpy as np

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.optim.init import INITS
from nmfbench.tasks.base import Outcome, fit_of
from nmfbench.tasks.online import draw_samples

__all__ = ["floors"]


@register_task(
    "floors",
    summary="change of the lowest objective when the floor of the data and of the model changes",
    matters={"cost@*": Ratio(0.02), "change": 0.02, "zeros": 0.02},
)
def floors(data, solver, rng, *, n_components, n_samples=None, floors=(1e-9, 1e-6)):
    """Fit the same data from the same start with one floor after the other.

    Parameters
    ----------
    data : Bunch
        With ``X``.
    solver : estimator
        With a parameter ``floor``, as a share of the mean of the data.
    rng : Generator
        Draws samples and start.
    n_components : int
    n_samples : int, optional
        By default all.
    floors : sequence of float, default=(1e-9, 1e-6)

    Returns
    -------
    Outcome
        Metrics ``zeros``, the share of the data that is zero; ``cost@1e-09``, ..., the objective
        at the end a sample; ``change``, that from the first floor to the last as a share of the
        first, without sign.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Section V-A.3, calls the
    Itakura-Saito divergence ill-posed on sparse data; the measure is ours.
    """
    X, _ = draw_samples(data, rng, n_samples)
    W, Ht = INITS["uniform"](X, n_components, rng)
    costs, n_iter, clock = [], 0, Trace()
    for floor in floors:
        fitted = copy.deepcopy(solver).set_params(n_components=n_components, floor=floor)
        with clock.clock():
            fitted.fit(X, W=W, H=Ht.T)
        costs.append(fitted.objective_ / len(X))
        n_iter += fitted.n_iter_
    metrics = {f"cost@{floor:g}": float(c) for floor, c in zip(floors, costs, strict=True)}
    metrics |= {"zeros": float(np.mean(X == 0)), "change": abs(costs[-1] / costs[0] - 1)}
    return Outcome(metrics, fit_of(clock, n_iter, costs[0], fitted.stop_reason_))
