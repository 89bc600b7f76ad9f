"""Stability: do fits of one matrix from several starts find the same components?"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.validation import check_count
from nmfbench.metrics.factors import matched_cosines
from nmfbench.tasks.base import Outcome, drawn_start, timed_fit, total_cost

__all__ = ["stability"]


@register_task(
    "stability",
    summary="mean cosine of matched components of fits from several starts",
    title="Stability over starts",
    score="matched-similarity",
    score_name="mean cosine of matched components",
    higher_is_better=True,
    # Some starts end in another basin where rounding tips the balance.
    tolerances={"*": 0.05},
    matters={"*-similarity": 0.02, "objective-spread": Ratio(0.02)},
)
def stability(data, solver, rng, *, n_components, n_starts=5):
    """Fit a matrix from several random starts, and match the components of each pair of fits.

    Parameters
    ----------
    data : Bunch
        With ``X``.
    solver : estimator
        With ``components_`` once fitted. One that takes initial factors is given uniform ones,
        others a ``random_state``; what uses neither has the same components each time.
    rng : Generator
        Draws the starts: the same for every solver.
    n_components : int
    n_starts : int, default=5

    Returns
    -------
    Outcome
        Metrics ``matched-similarity``, the mean over pairs of fits of
        :func:`~nmfbench.metrics.factors.matched_cosines`, and ``lowest-similarity``, the least of
        a pair.
    """
    check_count(n_starts, "n_starts", least=2)
    solver.set_params(n_components=n_components)
    fits, components = [], []
    for _ in range(n_starts):
        start = drawn_start(solver, data.X, n_components, rng)
        seed = int(rng.integers(2**31))
        if "random_state" in solver.get_params():
            solver.set_params(random_state=seed)
        fit, _ = timed_fit(solver, data.X, **start)
        fits.append(fit)
        components.append(np.array(solver.components_, dtype=np.float64))
    found = [matched_cosines(A, B).mean() for A, B in combinations(components, 2)]
    metrics = {"matched-similarity": np.mean(found), "lowest-similarity": np.min(found)}
    return Outcome({name: float(value) for name, value in metrics.items()}, total_cost(fits))
