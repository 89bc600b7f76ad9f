"""Sparseness of codes: does a sample use few components, or all?"""

from __future__ import annotations

import numpy as np

from nmfbench.core.registry import register_task
from nmfbench.metrics.factors import sparseness
from nmfbench.tasks.base import Outcome

__all__ = ["code_sparseness"]


@register_task(
    "code-sparseness",
    summary="Hoyer sparseness of the codes of a factorization",
    based_on="factorization",
    matters={"code-sparseness": 0.02},
)
def code_sparseness(data, solver, rng, base):
    """Mean sparseness of the codes of the training samples.

    Parameters
    ----------
    data, solver, rng : ignored
    base : Outcome
        Of the task ``factorization``, of two components or more.

    Returns
    -------
    Outcome
        Metric ``code-sparseness``, the mean of :func:`~nmfbench.metrics.sparseness` over the rows
        of W.

    References
    ----------
    Guo, Ding & Zhou (2014), Section 4.2, on Figure 2(c); Hoyer (2004).
    """
    values = [sparseness(row) for row in base.arrays["W"]]
    return Outcome({"code-sparseness": float(np.mean(values))}, base.fit)
