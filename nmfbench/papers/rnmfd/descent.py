"""Fits of RNMFD with their traces: does the objective rise, and how fast does it fall?"""

from __future__ import annotations

import numpy as np

from nmfbench.artefacts.grids import Method
from nmfbench.engine.trials import Trial
from nmfbench.papers.rnmfd.sets import ImageSet, clustering_trial, method

__all__ = ["RULES", "TOLERANCE", "by_rule", "fit", "rises"]

RULES = {
    "paper": "RNMFD, Eq. (17)",
    "root": "RNMFD, exponent 1/4",
    "safe": "RNMFD",
}
"""Labels of the updates of the representation; that of the default is the method itself."""

TOLERANCE = 1e-9
"""Relative change of the objective below which a rise may be one of rounding."""


def by_rule(rule: str, **params) -> Method:
    """RNMFD with one of the three rules."""
    return method(RULES[rule], "rnmfd", v_update=rule, **params)


def fit(images: ImageSet, tried: Method, repeat: int, *, smoke: bool = False) -> Trial:
    """The factorization behind a trial of clustering, whose record has the trace."""
    return clustering_trial(images, tried, repeat, smoke=smoke).base


def rises(trace) -> np.ndarray:
    """Relative changes of the objective of each iteration, 0 where it falls.

    Relative to the value before, but not to less than 1e-12 of the first value, where there is
    nothing but rounding.
    """
    values = np.asarray(trace["objective"], dtype=float)
    size = np.maximum(np.abs(values[:-1]), 1e-12 * abs(values[0]))
    return np.maximum(np.diff(values) / size, 0)
