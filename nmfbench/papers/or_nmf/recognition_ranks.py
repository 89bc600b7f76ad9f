"""Tests of accuracy along the rank: a lead at some rank, a decline, and none at any."""

from __future__ import annotations

import pandas as pd

from nmfbench.artefacts.comparisons import always_best, per_repeat, rows_of
from nmfbench.artefacts.estimate import of_units
from nmfbench.artefacts.finding import NO_PAIR, Finding, Test
from nmfbench.artefacts.frames import rows_at
from nmfbench.artefacts.region import Bounds
from nmfbench.papers.or_nmf.recognition import ACCURACY, BY, MARGIN


def at_some_rank(codes, method, rival, *, region) -> Test:
    """The lead of ``method`` lies in a region, at one of the ranks that both methods have."""

    def test(frame):
        rows = rows_at(frame, {"codes": codes})
        own, best = (set(rows_of(rows, name)["n_components"]) for name in (method, rival))
        if not own & best:
            return Finding.without("not run", NO_PAIR)
        each = {"n_components": sorted(own & best)}
        return always_best(
            method, [rival], ACCURACY, ["train_per_class"], region=region, each=each, rule="some"
        )(rows)

    return test


def falls(codes, method) -> Test:
    """Accuracy at the largest rank is lower than at the best smaller one by over the margin."""

    def test(frame):
        losses = _losses(rows_at(frame, {"codes": codes}), method)
        if not losses:
            return _too_few(method)
        last, (lost, best) = losses.popitem()
        text = (
            f"{method} loses {{}} percentage points (margin {MARGIN:g}) from its best smaller "
            f"rank ({best}) to {last}"
        )
        return Finding(text, [of_units(lost, ACCURACY)], Bounds(MARGIN))

    return test


def robust(codes, method) -> Test:
    """Accuracy at no rank is lower than at the best smaller one by more than the margin."""

    def test(frame):
        losses = _losses(rows_at(frame, {"codes": codes}), method)
        if not losses:
            return _too_few(method)
        text = f"most that {method} loses: {{}} percentage points (margin {MARGIN:g}), {{name}}"
        found = [
            of_units(lost, name=f"from its best smaller rank ({best}) to {rank}")
            for rank, (lost, best) in losses.items()
        ]
        return Finding(text, found, Bounds(high=MARGIN))

    return test


def _too_few(method):
    return Finding.without("inconclusive", f"{method} has fewer than two ranks so far")


def _losses(frame, method):
    """By rank but the smallest: what a split loses from the best smaller rank, and which that is.

    The best rank is that of the highest mean, for each size of the training set; a split's loss is
    the mean over these sizes.
    """
    scores = per_repeat(frame, method, ACCURACY, BY)
    wide = scores.unstack("n_components").dropna()
    found = {}
    for rank in wide.columns[1:]:
        best = wide.loc[:, wide.columns < rank].groupby("train_per_class").mean().idxmax(axis=1)
        lost = [
            (rows[best[size]] - rows[rank]).droplevel("train_per_class")
            for size, rows in wide.groupby("train_per_class")
        ]
        words = ", ".join(f"{smaller} with {size}" for size, smaller in best.items())
        found[rank] = pd.concat(lost).groupby("repeat").mean(), f"{words} training images a person"
    return found
