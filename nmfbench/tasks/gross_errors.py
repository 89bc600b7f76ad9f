"""Gross errors: what do they do to the low-rank part of images, there and everywhere else?"""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import normalize

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.metrics.factors import relative_error
from nmfbench.tasks.base import Outcome, drawn_start, low_rank_of, timed_fit

__all__ = ["gross_errors"]


@register_task(
    "gross-errors",
    summary="errors of the low-rank part against clean images, where these were corrupted and "
    "where they were not",
    # Two per cent of an error are seen in a reconstruction.
    # Of the share of a loss two points.
    matters={"error-*": Ratio(0.02), "share-corrupted": None, "loss-corrupted": 0.02},
    version=2,  # the share of the loss
)
def gross_errors(data, solver, rng, *, n_components, fit_clean=False):
    r"""Fit samples of unit length, and compare the low-rank part with the clean samples.

    The low-rank part is scaled back by the lengths of the samples of the fit, so that errors are in
    the unit of the data: :math:`\|C - L\|_F / \|C\|_F` over the entries in question, with ``C`` the
    clean samples.

    Parameters
    ----------
    data : Bunch
        Corrupted, with ``X``, ``clean`` and ``mask``.
    solver : estimator
    rng : Generator
        Draws the start.
    n_components : int
    fit_clean : bool, default=False
        Fit the clean samples instead, and measure on the same entries.

    Returns
    -------
    Outcome
        Metrics ``error-all`` over all entries, ``error-corrupted`` over the entries that the
        corruption changed, ``error-untouched`` over the others; ``share-corrupted`` of the entries,
        and ``loss-corrupted``: what these have of the squared error of the fit, in its units.

    Raises
    ------
    ValueError
        If the data have no corruption that leaves entries as they are.

    References
    ----------
    After Guo, Ding & Zhou (2014), Sections 1 and 3.1.
    """
    mask = data.get("mask")
    if mask is None or not mask.any() or mask.all():
        raise ValueError(
            "gross-errors needs a corruption that changes some entries and leaves others: take one "
            "such as salt-pepper or occlusion, at a level above 0."
        )
    clean = data.clean.astype(np.float64)
    X = clean if fit_clean else data.X.astype(np.float64)
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    X = normalize(X)
    start = drawn_start(solver, X, n_components, rng)
    solver.set_params(n_components=n_components)
    fit, arrays = timed_fit(solver, X, representation=True, **start)
    low_rank = low_rank_of(solver, arrays["W"], X)
    losses = (X - low_rank) ** 2
    found = lengths * low_rank
    metrics = {
        "error-all": relative_error(clean, found),
        "error-corrupted": relative_error(clean[mask], found[mask]),
        "error-untouched": relative_error(clean[~mask], found[~mask]),
        "share-corrupted": mask.mean(),
        "loss-corrupted": losses[mask].sum() / losses.sum(),
    }
    return Outcome(metrics, fit)
