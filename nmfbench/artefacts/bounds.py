"""Tests of sizes: ratios within a range, events that are seldom, and theorems without exception."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import stats

from nmfbench.artefacts.claim import (
    MIN_REPEATS,
    NO_PAIR,
    Threshold,
    Verdict,
    settle,
    thresholded,
    whose_number,
    within,
)
from nmfbench.artefacts.comparisons import At, Side, name_of, per_repeat, rows_of
from nmfbench.stats.intervals import p_of_place, t_interval

__all__ = ["near", "seldom", "slower", "stays", "within_factor", "without_exception"]


def seldom(
    side: Side, events: str, chances: str, bound: float, *, whose: str = "ours", at: At = None
):
    """``events`` happen in less than ``bound`` of the ``chances``, summed over all trials."""

    def test(bound, frame):
        rows = rows_of(frame, side).reindex(columns=["repeat", events, chances])
        rows = rows.dropna()
        k, n = int(rows[events].sum()), int(rows[chances].sum())
        if n == 0:
            return Verdict("inconclusive", "nothing was counted")
        low, high = stats.binomtest(k, n).proportion_ci(0.95, method="wilson")
        # The interval's own test.
        z = (bound - k / n) / np.sqrt(bound * (1 - bound) / n)
        verdict, p = settle(2 * stats.norm.sf(z), 2 * stats.norm.cdf(z))
        text = (
            f"{k} of {n}, {100 * k / n:.3g} % (95 % interval {100 * low:.3g} to "
            f"{100 * high:.3g} %; seldom means below {100 * bound:g} %)"
        )
        repeats = rows["repeat"].nunique()
        return Verdict(verdict, text, k / n, (float(low), float(high)), p, repeats)

    return within(at, thresholded(Threshold(bound, whose), test))


def near(side: Side, value: str, number: float, margin: float, *, at: At = None):
    """The score of ``side`` differs by at most ``margin``, which is ours, from a printed number."""

    def test(margin, frame):
        scores = per_repeat(frame, side, value)
        n = len(scores)
        if n < 2:
            return Verdict("inconclusive" if n else "not run", f"repeats that measure it: {n}", n=n)
        mean, (low, high) = float(scores.mean()), t_interval(scores.to_numpy())
        place = number - margin, number + margin
        verdict, p = settle(*p_of_place(mean, scores.sem(), n - 1, *place))
        text = (
            f"{value} of {name_of(side)}: {mean:.3g} (95 % interval {low:.3g} to {high:.3g}; "
            f"near means {place[0]:.3g} to {place[1]:.3g})"
        )
        return Verdict(verdict, text, mean, (float(low), float(high)), p, n)

    return within(at, thresholded(Threshold(margin), test))


def within_factor(
    slow: Side, fast: Side, value: str, factor: float, *, whose: str = "ours", at: At = None
):
    """``slow`` takes 1 / ``factor`` to ``factor`` times the ``value`` of ``fast``.

    The geometric mean over repeats decides: confirmed if its interval lies within the bounds,
    refuted if it lies outside. Half and twice of a factor are those of its distance from 1.
    """

    def test(factor, frame):
        return _ratio_within(frame, slow, fast, value, 1 / factor, factor, whose)

    return within(at, thresholded(Threshold(factor, whose, 1.0), test))


def slower(
    slow: Side,
    fast: Side,
    value: str,
    factor: float,
    *,
    most: float = np.inf,
    whose: str = "ours",
    at: At = None,
):
    """``slow`` takes at least ``factor`` times the ``value`` (such as seconds) of ``fast``.

    The geometric mean over repeats decides: confirmed if its interval lies above the factor,
    refuted if it lies below. Where it lies above ``most``, the evidence says so.
    """

    def test(factor, frame):
        found = _ratio_within(frame, slow, fast, value, factor, np.inf, whose)
        if found.interval is None or found.interval[0] <= most:
            return found
        text = f"{found.evidence}; that exceeds {factor:g} to {most:g}"
        return replace(found, evidence=text)

    return within(at, thresholded(Threshold(factor, whose), test))


def _ratio_within(frame, slow, fast, value, low, high, whose):
    a, b = (per_repeat(frame, m, value) for m in (slow, fast))
    logs = np.log((a / b).dropna())
    if len(logs) < 2:
        text = f"{len(logs)} repeats are too few" if len(logs) else NO_PAIR
        return Verdict("inconclusive" if len(logs) else "not run", text, n=len(logs))
    ratio, (lower, upper) = np.exp(logs.mean()), np.exp(t_interval(logs.to_numpy()))
    place = np.log([low, high])
    verdict, p = settle(*p_of_place(logs.mean(), logs.sem(), len(logs) - 1, *place))
    unit = value.replace("_", " ")
    asked = f"{low:.3g} to {high:.3g}" if np.isfinite(high) else f"at least {low:g}"
    text = (
        f"{name_of(slow)} takes {ratio:.3g} times the {unit} of {name_of(fast)} (95 % interval "
        f"{lower:.3g} to {upper:.3g}; {whose_number(whose)}: {asked})"
    )
    interval = (float(lower), float(upper))
    return Verdict(verdict, text, float(ratio), interval, p, len(logs))


def without_exception(
    methods: str | Sequence[str],
    value: str,
    low: float = -np.inf,
    high: float = np.inf,
    *,
    whose: str = "ours",
    measured_from: float = 0.0,
    at: At = None,
):
    """A theorem: ``value`` lies within the bounds in every trial of ``methods``.

    A single trial outside refutes it; where there is none, it is confirmed by five repeats or
    more, as far as trials can. ``whose`` and ``measured_from`` are those of :class:`Threshold`.
    """
    if np.isfinite(low) and np.isfinite(high):
        number, bounds = (low, high), lambda pair: pair
    elif np.isfinite(high):
        number, bounds = high, lambda high: (low, high)
    else:
        number, bounds = low, lambda low: (low, high)

    def test(number, frame):
        return _without_exception(frame, methods, value, *bounds(number))

    return within(at, thresholded(Threshold(number, whose, measured_from), test))


def stays(
    methods: str | Sequence[str],
    value: str,
    margin: float,
    *,
    whose: str = "ours",
    at: At = None,
):
    """A ratio ``value`` differs from 1 by at most ``margin`` in every trial of ``methods``."""

    def test(margin, frame):
        return _without_exception(frame, methods, value, 1 - margin, 1 + margin)

    return within(at, thresholded(Threshold(margin, whose), test))


def _without_exception(frame, methods, value, low, high):
    methods = [methods] if isinstance(methods, str) else list(methods)
    rows = frame[frame["method"].isin(methods)]
    rows = rows.reindex(columns=["repeat", value]).dropna()
    n = rows["repeat"].nunique()
    if not n:
        return Verdict("not run", "no trial of this grid measures it")
    values = rows[value].to_numpy(float)
    outside = (values < low) | (values > high)
    extreme = values.max() if np.isfinite(high) else values.min()
    unit = value.replace("-", " ").replace("_", " ")
    allowed = " and ".join(
        text
        for text in (
            f"at least {low:g}" if np.isfinite(low) else "",
            f"at most {high:g}" if np.isfinite(high) else "",
        )
        if text
    )
    text = (
        f"{unit} ({allowed}): outside in {outside.sum()} of {len(values)} trials, "
        f"{values.min():.3g} to {values.max():.3g}, median {np.median(values):.3g}"
    )
    verdict = "refuted" if outside.any() else "confirmed"
    if verdict == "confirmed" and n < MIN_REPEATS:
        verdict, text = "inconclusive", f"{text}; {n} repeats are too few for a verdict"
    return Verdict(verdict, text, float(extreme), None, None, n)
