"""Starts: how far apart do fits of one matrix from different starts end?"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.tasks.base import Outcome, drawn_start, timed_fit, total_cost

__all__ = ["starts"]


@register_task(
    "starts",
    summary="how far apart fits of one matrix from several random starts end",
    needs={"start": "fit does not take W and H"},
    tolerances={"*": 0.01},
    matters={"objective-spread": Ratio(0.02), "product-distance": 0.02},
)
def starts(data, solver, rng, *, n_components, n_starts=5):
    r"""Fit a matrix from several uniform starts, by the solver's own stop rule.

    Parameters
    ----------
    data : Bunch
        With ``X``.
    solver : estimator
        With ``objective_`` once fitted, whose ``fit`` takes initial factors.
    rng : Generator
        Draws the starts, the same for every solver.
    n_components : int
    n_starts : int, default=5

    Returns
    -------
    Outcome
        Metrics, of two starts on (geometric) average over all pairs: ``objective-spread``, the
        larger objective at the end as a ratio to the smaller; ``product-distance``, that of the
        two products :math:`W H` in the Manhattan norm, as a share of the mean residual. Array
        ``objectives``.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.1; the measures are ours.
    """
    X = data.X.astype(np.float64)
    solver.set_params(n_components=n_components)
    fits, products = [], []
    for _ in range(n_starts):
        start = drawn_start(solver, X, n_components, rng)
        fit, arrays = timed_fit(solver, X, representation=True, **start)
        fits.append(fit)
        products.append(arrays["W"] @ solver.components_)
    objectives = np.array([fit["objective"] for fit in fits])
    pairs = list(combinations(range(n_starts), 2))
    gaps = [abs(np.log(objectives[i] / objectives[j])) for i, j in pairs]
    residual = np.mean([np.abs(X - product).sum() for product in products])
    apart = np.mean([np.abs(products[i] - products[j]).sum() for i, j in pairs])
    metrics = {
        "objective-spread": float(np.exp(np.mean(gaps))),
        "product-distance": float(apart / residual),
    }
    return Outcome(metrics, total_cost(fits), {"objectives": objectives})
