"""Share of the CPU seconds of a sweep of RRI that it takes to sort the piecewise points."""

from __future__ import annotations

import numpy as np

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.core.validation import check_count
from nmfbench.optim.kernels.sorting import gather_and_sort
from nmfbench.solvers.manhattan.rri import improve
from nmfbench.tasks.base import Outcome, drawn_start, fit_of

__all__ = ["sorting_share"]

_TINY = (4, 6)


@register_task(
    "sorting-share",
    summary="share of the CPU seconds of a sweep of RRI by sorting that the sorts take",
    # All of them are times.
    tolerances={"*": np.inf},
    matters={"sorting-share": 0.02, "*-seconds": Ratio(0.10)},
)
def sorting_share(data, solver, rng, *, n_components, n_sweeps=5):
    r"""Time a sweep over the first factor by sorting, and the sorts of the same points alone.

    Parameters
    ----------
    data : Bunch
        With ``X``.
    solver : estimator
        RRI; the start is one that it takes.
    rng : Generator
        Draws the start.
    n_components : int
    n_sweeps : int, default=5
        Of each kind, in turn; the least seconds of each count.

    Returns
    -------
    Outcome
        Metrics ``sweep-seconds``; ``sort-seconds``, the time of gathering and sorting the points of
        every coordinate less the time of gathering them; ``sorting-share``, their ratio.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 2, Algorithm 1, sentence 6.
    """
    check_count(n_sweeps, "n_sweeps")
    X = np.ascontiguousarray(data.X, dtype=np.float64)
    start = drawn_start(solver, X, n_components, rng)
    first, Ht = start["W"], np.ascontiguousarray(start["H"].T)
    basis = np.ascontiguousarray(start["H"])
    inverse = np.divide(1, basis, out=np.zeros_like(basis), where=basis > 0)
    residual = X - first @ basis
    _compile()
    whole = Trace()
    seconds: dict[str, list[float]] = {"sweep": [], "both": [], "gather": []}
    with whole.clock():
        for _ in range(n_sweeps):
            W, left = first.copy(), residual.copy()
            for name, work in (
                ("sweep", lambda W=W, left=left: improve(left, W, Ht, median="sort", threads=1)),
                ("both", lambda: gather_and_sort(residual, inverse, True)),
                ("gather", lambda: gather_and_sort(residual, inverse, False)),
            ):
                clock = Trace()
                with clock.clock():
                    work()
                seconds[name].append(clock.cpu_seconds)
    least = {name: min(values) for name, values in seconds.items()}
    sorts = max(least["both"] - least["gather"], 0.0)
    metrics = {
        "sweep-seconds": least["sweep"],
        "sort-seconds": sorts,
        "sorting-share": sorts / least["sweep"],
    }
    return Outcome(metrics, fit_of(whole, n_sweeps))


def _compile():
    """Run both kernels once on little data, so that compilation is not timed."""
    X = np.ones(_TINY)
    improve(X.copy(), np.ones((_TINY[0], 1)), np.ones((_TINY[1], 1)), median="sort", threads=1)
    for sort in (True, False):
        gather_and_sort(X, np.ones((1, _TINY[1])), sort)
