"""CPU seconds of the parts of a step of OR-NMF, and of one of its inner steps.

Parts last microseconds, and the clock of a process may tick in milliseconds: the thread's counts.
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.preprocessing import normalize

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.optim.kernels.averaged_gradient import averaged_gradient
from nmfbench.tasks.base import Outcome, ability, fit_of
from nmfbench.tasks.online import draw_samples, first_bases, start_at

__all__ = ["inner_step_cost", "step_parts"]

_PLAIN = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, np.inf)
"""Algorithm 2 with no norm so far, no ridge, the simplex, no stop rule, no divergence, no cap."""
_RUNS = 5  # of which the fastest counts


@register_task(
    "step-parts",
    summary="share of the CPU time of a step of OR-NMF that updates the bases",
    needs={"partial_fit": "the class has no partial_fit"},
    tolerances={"*": np.inf},
    matters={"share-update": 0.02, "seconds-*": Ratio(0.10)},
)
def step_parts(data, solver, rng, *, n_components, n_samples=None, n_epochs=2):
    """Time the statements of Algorithm 1 along a stream.

    Parameters
    ----------
    data : Bunch
        With ``X``, whose rows are scaled to unit norm.
    solver : estimator
        OR-NMF or MOR-NMF.
    rng : Generator
        Draws samples, first bases and the order, which all passes share.
    n_components : int
    n_samples : int, optional
        By default all.
    n_epochs : int, default=2

    Returns
    -------
    Outcome
        CPU seconds a sample: ``seconds-codes``, of its coefficients, ``seconds-keep``, of putting
        it into the buffer, and ``seconds-update``, of Algorithm 2; and ``share-update``, of the
        last in all three.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Algorithm 1.
    """
    ability(solver, "_keep", "take one with a buffer, such as or-nmf")
    X = normalize(draw_samples(data, rng, n_samples)[0])
    H = first_bases(X, n_components, rng)
    stream = X[np.tile(rng.permutation(len(X)), n_epochs)]
    solver.set_params(n_components=n_components)
    start_at(solver, H, len(X), n_epochs)
    type(solver)(**solver.get_params()).partial_fit(stream[: 2 * n_components])  # compiles
    spent = dict.fromkeys(("_codes", "_keep", "_learn"), 0.0)
    for name in spent:
        setattr(solver, name, _timed(getattr(solver, name), name, spent))
    clock = Trace()
    with clock.clock():
        solver.partial_fit(stream)
    update = spent["_learn"] - spent["_codes"] - spent["_keep"]
    metrics = {
        "seconds-codes": spent["_codes"] / len(stream),
        "seconds-keep": spent["_keep"] / len(stream),
        "seconds-update": update / len(stream),
        "share-update": update / spent["_learn"],
    }
    return Outcome(metrics, fit_of(clock, len(stream), stop_reason="max_iter"))


def _timed(method, name, spent):
    """``method``, which adds its CPU time to ``spent``."""

    def timed(*arguments):
        begin = time.thread_time()
        found = method(*arguments)
        spent[name] += time.thread_time() - begin
        return found

    return timed


@register_task(
    "inner-step-cost",
    summary="CPU time of an inner step of Algorithm 2, projection included",
    tolerances={"*": np.inf},
    matters={"seconds-step": Ratio(0.10)},
)
def inner_step_cost(data, solver, rng, *, n_components, steps=2000):
    """Run Algorithm 2 without its stop rule on samples and positive coefficients.

    No coefficient is zero, as a basis whose coefficient is zero costs nothing.

    Parameters
    ----------
    data : Bunch
        With ``X``, whose rows are scaled to unit norm.
    solver : estimator
        OR-NMF, for its ``theta``.
    rng : Generator
        Draws bases and coefficients.
    n_components : int
    steps : int, default=2000

    Returns
    -------
    Outcome
        Metric ``seconds-step``, CPU seconds of a step, of the fastest of five runs.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Algorithm 2.
    """
    X = normalize(np.asarray(data.X, dtype=np.float64))
    H = first_bases(X, n_components, rng)
    codes = rng.random((len(X), n_components)) + 0.5
    codes *= 2 / codes.mean(axis=1, keepdims=True) / n_components
    size, draws = solver.theta * np.sqrt(2.0 * n_components), rng.random(steps)
    clock, seconds = Trace(), []
    averaged_gradient(H.copy(), X, codes, np.arange(len(X)), draws[:2], size, *_PLAIN)
    for _ in range(_RUNS):
        mean, begin = H.copy(), time.thread_time()
        with clock.clock():
            averaged_gradient(mean, X, codes, np.arange(len(X)), draws, size, *_PLAIN)
        seconds.append((time.thread_time() - begin) / steps)
    fit = fit_of(clock, _RUNS * steps, stop_reason="max_iter")
    return Outcome({"seconds-step": min(seconds)}, fit)
