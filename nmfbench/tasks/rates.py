"""Rates of convergence: of Algorithm 2 on a fixed buffer, and of the bases along a stream."""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import normalize

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.optim.kernels.averaged_gradient import averaged_gradient
from nmfbench.optim.kernels.simplex import row_sweeps
from nmfbench.solvers.online.base import exact_codes
from nmfbench.solvers.online.surrogate import surrogate
from nmfbench.tasks.base import Outcome, ability, fit_of
from nmfbench.tasks.online import draw_samples, first_bases, start_at

__all__ = ["inner_rate", "step_change"]

_TOL, _SWEEPS = 1e-12, 200_000  # of the reference
_PLAIN = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, np.inf)
"""Algorithm 2 with no norm so far, no ridge, the simplex, no stop rule, no divergence, no cap."""


@register_task(
    "inner-rate",
    summary="gap of averaged gradient steps on a fixed buffer to the minimum, against steps",
    matters={"gap": Ratio(0.02), "slack": None},
)
def inner_rate(data, solver, rng, *, n_components, n_samples, steps):
    r"""Run Algorithm 2 of OR-NMF on one buffer for more and more steps, without its stop rule.

    The buffer holds samples of unit norm with their least-squares coefficients on the first bases,
    from which every run starts, with the same draws: a longer run goes on where a shorter one ends.
    The gap is that of the surrogate :math:`\frac1n \sum_i \frac12 \|v_i - W h_i\|^2` to its
    minimum over bases on the simplex, by exact sweeps over them.

    Parameters
    ----------
    data : Bunch
        With ``X``.
    solver : estimator
        OR-NMF, for its ``theta``.
    rng : Generator
    n_components, n_samples : int
    steps : sequence of int
        Inner steps of the runs.

    Returns
    -------
    Outcome
        Metrics ``gap``, after the last of ``steps``, and ``slack``, an upper bound of the gap of
        what is taken for the minimum, both as shares of the gap at the start. Arrays ``steps``,
        and ``gap`` after each.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Section II-A.
    """
    X = normalize(draw_samples(data, rng, n_samples)[0])
    H = first_bases(X, n_components, rng)
    codes = exact_codes(X, H)
    A, B = codes.T @ codes / len(X), codes.T @ X / len(X)
    lowest = H.copy()
    row_sweeps(lowest, A, B, _SWEEPS, _TOL)
    # No bases on the simplex lie below the tangent plane at these.
    slope = A @ lowest - B
    slack = np.sum(slope * lowest) - slope.min(axis=1).sum()
    size, draws, clock = solver.theta * np.sqrt(2.0 * n_components), rng.random(max(steps)), Trace()
    values = []
    for k in steps:
        mean = H.copy()
        with clock.clock():
            averaged_gradient(mean, X, codes, np.arange(len(X)), draws[:k], size, *_PLAIN)
        values.append(surrogate(mean, A @ mean, B))
    first, least = (surrogate(bases, A @ bases, B) for bases in (H, lowest))
    gap = (np.array(values) - least) / (first - least)
    metrics = {"gap": gap[-1], "slack": slack / (first - least)}
    return Outcome(
        metrics,
        fit_of(clock, sum(steps), stop_reason="max_iter"),
        {"steps": np.array(steps), "gap": gap},
    )


@register_task(
    "step-change",
    summary="distance by which each sample of a stream moves the bases",
    needs={"partial_fit": "the class has no partial_fit"},
    matters={"last-change": None},  # its exponent is compared
)
def step_change(data, solver, rng, *, n_components, n_samples, n_epochs=2):
    r"""Give a solver one sample after the other, and measure :math:`\|W^t - W^{t-1}\|_F`.

    Parameters
    ----------
    data : Bunch
        With ``X``, whose rows are scaled to unit norm.
    solver : estimator
        Of the online family.
    rng : Generator
        Draws samples, first bases, and the order, which all passes share.
    n_components, n_samples : int
    n_epochs : int, default=2
        Passes.

    Returns
    -------
    Outcome
        Metric ``last-change``; array ``change``, by step.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Section II-B, step 2.
    """
    learn = ability(solver, "partial_fit", "take one of the online family, such as or-nmf")
    X = normalize(draw_samples(data, rng, n_samples)[0])
    H = first_bases(X, n_components, rng)
    order = np.tile(rng.permutation(len(X)), n_epochs)
    solver.set_params(n_components=n_components)
    start_at(solver, H, len(X), n_epochs)
    change, clock = [], Trace()
    for row in order:
        before = H
        with clock.clock():
            learn(X[[row]])
        H = solver.components_
        change.append(np.linalg.norm(H - before))
    return Outcome(
        {"last-change": float(change[-1])},
        fit_of(clock, len(order), stop_reason="max_iter"),
        {"change": np.array(change)},
    )
