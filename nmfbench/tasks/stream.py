"""Streams: how well do the bases of the past fit the samples that come next?"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from sklearn.preprocessing import normalize
from sklearn.utils import gen_batches

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.optim.projections.frobenius import project_frobenius
from nmfbench.tasks.base import Outcome, fit_of

__all__ = ["sample_costs", "stream"]


@register_task(
    "stream",
    summary="cost of each sample of a stream on the bases learned before it",
    score="mean-cost",
    score_name="mean cost of samples before they are learned",
    higher_is_better=False,
    needs={"partial_fit": "it learns from whole data only, and would know the samples to come"},
    matters={"mean-cost": Ratio(0.02)},
)
def stream(
    data,
    solver,
    rng,
    *,
    n_components,
    classes_per_part=None,
    per_part=None,
    unit_samples=False,
    block=None,
    head=None,
):
    r"""Prequential evaluation: each block of samples is a test, and then is learned from.

    The cost of a sample v is :math:`\min_{h\ge0} \frac12\|v - Wh\|^2`, where W is what has been
    learned before its *block*, so that a block takes one call for exact coefficients. The first
    block, before which nothing has been learned, has no cost. Only learning is on the clock, and
    not that of the first block, during which kernels are compiled.

    Parameters
    ----------
    data : Bunch
        With ``X`` in the order of time, and perhaps ``segments``, the first rows of its pieces; or
        with labels ``y``, if ``classes_per_part`` is given.
    solver : estimator
        With ``partial_fit``. One without learns *in hindsight*: it is fitted to each segment, on
        which its bases then are tested, as a reference. With ``head`` it is fitted to this share
        of the stream, its beginning, and keeps its bases.
    rng : Generator
        Draws and orders the samples of classes.
    n_components : int
    classes_per_part : int, optional
        Number of classes in a group. Groups come one after the other, with samples in random order
        within a group; each group is a segment.
    per_part : int, optional
        Number of samples of each group to keep, drawn at random; by default all.
    unit_samples : bool, default=False
        Scale the samples to unit length.
    block : int, optional
        Samples that are tested and learned at once, by default ``n_components``; a multiple of the
        chunk of a solver that learns by chunks.
    head : float, optional

    Returns
    -------
    Outcome
        Metric ``mean-cost``. Arrays ``cost`` of each sample, NaN in the first block, and
        ``segments``.
    """
    X, segments = data.X, np.asarray(data.get("segments", [0]))
    if classes_per_part is not None:
        rows = _in_turn(data.y, classes_per_part, per_part, rng)
        X = X[np.concatenate(rows)]
        segments = np.cumsum([0, *map(len, rows[:-1])])
    X = normalize(X) if unit_samples else X
    block = block or n_components
    solver.set_params(n_components=n_components)
    cost, clock = np.full(len(X), np.nan), Trace()
    if hasattr(solver, "partial_fit"):
        blocks = list(gen_batches(len(X), block))
        solver.partial_fit(X[blocks[0]])
        for rows in blocks[1:]:
            cost[rows] = sample_costs(X[rows], solver.components_)
            with clock.clock():
                solver.partial_fit(X[rows])
    else:
        ends = [0, len(X)] if head is not None else [*segments, len(X)]
        for begin, end in pairwise(ends):
            with clock.clock():
                solver.fit(X[begin : end if head is None else int(head * end)])
            cost[begin:end] = sample_costs(X[begin:end], solver.components_)
        cost[:block] = np.nan
    fit = fit_of(clock, len(X), stop_reason="max_iter")
    return Outcome({"mean-cost": np.nanmean(cost)}, fit, {"cost": cost, "segments": segments})


def sample_costs(X, H):
    """Half the squared distance of each row of ``X`` from the cone of the rows of ``H``."""
    return 0.5 * np.sum((X - project_frobenius(X, H) @ H) ** 2, axis=1)


def _in_turn(y, classes_per_part, per_part, rng):
    """Rows of each group of classes, in the order of their labels, shuffled."""
    labels = np.unique(y)
    parts = []
    for group in gen_batches(len(labels), classes_per_part):
        rows = rng.permutation(np.flatnonzero(np.isin(y, labels[group])))
        if per_part is not None and per_part > len(rows):
            raise ValueError(
                f"per_part is {per_part}, but the classes {labels[group]} have {len(rows)} samples."
            )
        parts.append(rows[:per_part])
    return parts
