"""ONMF beside what it saves: factoring all samples so far once more with each new chunk."""

from __future__ import annotations

import time

import numpy as np
from sklearn.preprocessing import normalize

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.solvers.online.base import exact_codes, mean_cost
from nmfbench.solvers.online.onmf import factorize
from nmfbench.tasks.base import Outcome, ability, fit_of
from nmfbench.tasks.online import draw_samples, first_bases, start_at

__all__ = ["refactoring"]

_SMALL = 1e-2  # added where multiplicative updates start, as in ONMF


@register_task(
    "refactoring",
    summary="cost and time of ONMF beside factoring all samples again with each chunk",
    needs={"partial_fit": "the class has no partial_fit"},
    tolerances={"seconds-*": np.inf},
    matters={"cost*": Ratio(0.02), "seconds-*": Ratio(0.10)},
)
def refactoring(data, solver, rng, *, n_components, n_samples=None, rivals=True):
    r"""Learn in chunks of ``n_components`` samples, by Eq. (36) and by Eq. (35).

    Eq. (36) factors the old bases and the new chunk; Eq. (35) all samples so far. Both begin at the
    coefficients and bases of the step before, with least-squares coefficients of the new samples,
    and make multiplicative updates.

    Parameters
    ----------
    data : Bunch
        With ``X``, whose rows are scaled to unit norm.
    solver : estimator
        ONMF, for its number of updates.
    rng : Generator
        Draws samples, first bases and the order.
    n_components : int
    n_samples : int, optional
        Samples drawn at random; by default all.
    rivals : bool, default=True
        Carry two runs of (35) along: one makes as many updates of a chunk as ONMF, the other as
        many as take as many multiplications. Otherwise time one step of each, at the last chunk.

    Returns
    -------
    Outcome
        Mean costs of all samples after one pass, with best coefficients: ``cost``, of ONMF,
        ``cost-all``, of (35) with as many updates, and ``cost-equal``, with as much work. Without
        rivals ``seconds-chunk`` and ``seconds-all``, CPU time of the updates of the last chunk by
        (36), as ONMF makes them, and by (35).

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Eqs. (35) to (37).
    """
    ability(solver, "partial_fit", "take ONMF")
    X = normalize(draw_samples(data, rng, n_samples)[0])
    H = first_bases(X, n_components, rng)
    X = X[rng.permutation(len(X))]
    solver.set_params(n_components=n_components)
    start_at(solver, H, len(X), 1)
    ends = [*range(n_components, len(X), n_components), len(X)]
    clock, updates = Trace(), solver.max_iter_inner
    none = np.empty((0, n_components))
    runs = {name: [none, H] for name in ("cost-all", "cost-equal")}
    owed, begin = 0.0, 0
    for end in ends:
        before = [getattr(solver, "codes_", none), getattr(solver, "components_", H)]
        started = time.thread_time()  # which does not tick in milliseconds, as a process's may
        with clock.clock():
            solver.partial_fit(X[begin:end])
        last = time.thread_time() - started
        if rivals:
            _again(runs["cost-all"], X[:end], updates)
            # A row of [H; U] costs as much as a row of X.
            owed += updates * min(1.0, (n_components + end - begin) / end)
            _again(runs["cost-equal"], X[:end], int(owed))
            owed -= int(owed)
        begin = end
    metrics = {"cost": mean_cost(X, solver.components_)}
    if rivals:
        metrics |= {name: mean_cost(X, bases) for name, (_, bases) in runs.items()}
    else:
        started = time.thread_time()
        _again(before, X, updates)
        metrics["seconds-chunk"] = last
        metrics["seconds-all"] = time.thread_time() - started
    fit = fit_of(clock, len(X), metrics["cost"], stop_reason="max_iter")
    return Outcome({name: float(value) for name, value in metrics.items()}, fit)


def _again(run, X, updates):
    """Add coefficients of the samples that a run does not have yet, and update both factors."""
    codes, H = run
    new = exact_codes(X[len(codes) :], H)
    new += _SMALL * (new.mean() or 1.0)
    C, H = np.concatenate([codes, new]), np.array(H, dtype=np.float64)
    factorize(X, C, H, updates)
    run[:] = C, H
