"""Tests of sizes: scores and ratios within bounds, events that are seldom, and theorems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from nmfbench.artefacts.comparisons import (
    At,
    Side,
    estimate,
    name_of,
    paired,
    per_repeat,
    rows_of,
    words_of,
)
from nmfbench.artefacts.estimate import Estimate, of_units, standard_error
from nmfbench.artefacts.finding import NO_PAIR, Finding, Test, within
from nmfbench.artefacts.region import Bounds, Margin

__all__ = [
    "at_least",
    "at_most",
    "near",
    "not_below",
    "seldom",
    "slower",
    "stays",
    "within_factor",
    "without_exception",
]

Whose = Literal["paper", "ours"]


def at_least(
    sides: Side | Sequence[Side],
    value: str,
    bound: float,
    *,
    whose: Whose = "ours",
    measured_from: float = 0.0,
    ratio: bool = False,
    at: At = None,
) -> Test:
    """The score of each of ``sides`` is above ``bound``.

    ``whose`` and ``measured_from`` as in :class:`~nmfbench.artefacts.region.Bounds`.
    """
    return _score(sides, value, Bounds(bound, np.inf, whose, measured_from), ratio, at)


def at_most(
    sides: Side | Sequence[Side],
    value: str,
    bound: float,
    *,
    whose: Whose = "ours",
    measured_from: float = 0.0,
    ratio: bool = False,
    at: At = None,
) -> Test:
    """The score of each of ``sides`` is below ``bound``."""
    return _score(sides, value, Bounds(-np.inf, bound, whose, measured_from), ratio, at)


def near(side: Side, value: str, number: float, margin: float | None = None, *, at: At = None):
    """The score of ``side`` differs by at most ``margin``, which is ours, from a number.

    By default the margin is twice the smallest difference that matters.
    """
    return _score(side, value, Margin(margin, around=number), False, at)


def not_below(sides: Side | Sequence[Side], value: str, number: float, *, at: At = None) -> Test:
    """The score of each of ``sides`` is not below a number by more than the margin.

    The margin is twice the smallest difference that matters.
    """
    return _score(sides, value, Margin(both=False, around=number), False, at)


def _score(sides, value, region, ratio, at):
    sides = [sides] if isinstance(sides, str | Mapping) else list(sides)

    def test(frame):
        scores = {name_of(side): per_repeat(frame, side, value, ratio=ratio) for side in sides}
        found = [of_units(s, value, name, ratio=ratio) for name, s in scores.items() if len(s)]
        if not found:
            return Finding.without("not run", "no trial of this grid measures it")
        text = f"{words_of(value)} of {{name}}: {{}} ({asked_of(region)})"
        return Finding(text, found, region, complete=len(found) == len(sides))

    return within(at, test)


def asked_of(region: Bounds | Margin) -> str:
    """The bound or margin that a claim names, with whose number it is."""
    if isinstance(region, Margin):
        size = "twice the smallest difference that matters" if region.size is None else region.size
        near = "near" if region.both else "not below"
        return f"{near} {region.around:g} means within {size}"
    whose = "the paper's bound" if region.whose == "paper" else "our bound"
    if np.isfinite(region.low) and np.isfinite(region.high):
        return f"{whose}s: {region.low:.3g} to {region.high:.3g}"
    if np.isfinite(region.low):
        return f"{whose}: at least {region.low:g}"
    return f"{whose}: at most {region.high:g}"


def seldom(
    side: Side, events: str, chances: str, bound: float, *, whose: Whose = "ours", at: At = None
) -> Test:
    """``events`` happen in less than ``bound`` of the ``chances``.

    A repeat is one observation, as events of one repeat depend on each other. The standard error
    is that over repeats, or that of independent events at the bound, whichever is larger: where no
    event was seen, many chances are needed.
    """

    def test(frame):
        rows = rows_of(frame, side).reindex(columns=["repeat", events, chances]).dropna()
        sums = rows.groupby("repeat")[[events, chances]].sum()
        sums = sums[sums[chances] > 0]
        total, n = float(sums[chances].sum()), len(sums)
        if not n:
            return Finding.without("inconclusive", "nothing was counted")
        share = float(sums[events].sum() / total)
        residuals = (sums[events] - share * sums[chances]) * n / total
        spread = standard_error(residuals.to_numpy())
        error = max(spread, np.sqrt(bound * (1 - bound) / total))
        found = Estimate(share, error, n - 1, n)
        text = (
            f"{sums[events].sum():g} of {total:g} "
            f"{words_of(chances)}: {{}} (seldom means below {bound:g})"
        )
        return Finding(text, [found], Bounds(high=bound, whose=whose))

    return within(at, test)


def within_factor(
    slow: Side, fast: Side, value: str, factor: float, *, whose: Whose = "ours", at: At = None
) -> Test:
    """``slow`` takes 1 / ``factor`` to ``factor`` times the ``value`` of ``fast``."""
    return _factor(slow, fast, value, Bounds(1 / factor, factor, whose), at)


def slower(
    slow: Side,
    fast: Side,
    value: str,
    factor: float,
    *,
    most: float = np.inf,
    whose: Whose = "ours",
    at: At = None,
) -> Test:
    """``slow`` takes ``factor`` to ``most`` times the ``value`` (such as seconds) of ``fast``."""
    return _factor(slow, fast, value, Bounds(factor, most, whose), at)


def _factor(slow, fast, value, region, at):
    ours, theirs = name_of(slow), name_of(fast)

    def test(frame):
        scores = {
            name: per_repeat(frame, side, value, ratio=True)
            for name, side in ((ours, slow), (theirs, fast))
        }
        table = paired(scores)
        if table.empty:
            return Finding.without("not run", NO_PAIR)
        found = estimate(table[ours] - table[theirs], value, ratio=True)
        text = f"{ours} takes {{}} times the {words_of(value)} of {theirs} ({asked_of(region)})"
        return Finding(text, [found], region)

    return within(at, test)


def without_exception(
    methods: str | Sequence[str],
    value: str,
    low: float = -np.inf,
    high: float = np.inf,
    *,
    whose: Whose = "ours",
    measured_from: float = 0.0,
    at: At = None,
) -> Test:
    """A theorem: ``value`` lies within the bounds in every trial of ``methods``.

    A single trial outside refutes it; where there is none, it is confirmed by five repeats or
    more, as far as trials can.
    """
    methods = [methods] if isinstance(methods, str) else list(methods)
    region = Bounds(low, high, whose, measured_from)

    def test(frame):
        rows = frame[frame["method"].isin(methods)]
        rows = rows.reindex(columns=["repeat", value]).dropna()
        n = rows["repeat"].nunique()
        if not n:
            return Finding.without("not run", "no trial of this grid measures it")
        values = rows[value].to_numpy(float)
        outside = int(((values < low) | (values > high)).sum())
        ends = sorted({float(values.min()), float(values.max())})
        return Finding(
            f"{words_of(value)} ({asked_of(region)}): outside in {outside} of {len(values)} "
            f"trials, {values.min():.3g} to {values.max():.3g}, median {np.median(values):.3g}",
            [Estimate(end, 0.0, 0, n, exact=True) for end in ends],
            region,
        )

    return within(at, test)


def stays(
    methods: str | Sequence[str],
    value: str,
    margin: float,
    *,
    whose: Whose = "ours",
    at: At = None,
) -> Test:
    """A ratio ``value`` differs from 1 by at most ``margin`` in every trial of ``methods``."""
    return without_exception(
        methods, value, 1 - margin, 1 + margin, whose=whose, measured_from=1.0, at=at
    )
