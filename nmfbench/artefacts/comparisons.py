"""Paired comparisons of methods: who is ahead, by how much, and whether repeats can tell.

All tests here compare within a repeat, where rivals saw the same data, and count a repeat as one
observation: levels and starts of one repeat share its data and are averaged first.

Averages over a grid can be compared if it is the same for all sides. Where it is not, such as
fewer ranks for a slow method, ``by`` names the columns in which the sides are paired besides the
repeat. Only cells that all sides have count, and of these the ones that most repeats have, so
that a repeat is the average over the same cells as any other.

A *side* of a comparison is the label of a method, or a mapping from columns to values, such as
``{"method": "GNMF", "level": 0.5}``. ``at`` names the rows that a test looks at, see
:func:`~nmfbench.artefacts.frames.narrow`: the panel of a figure, the block of a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from nmfbench.artefacts.claim import (
    ALPHA,
    MIN_REPEATS,
    NO_PAIR,
    Threshold,
    Verdict,
    settle,
    thresholded,
    whose_number,
    within,
)
from nmfbench.artefacts.frames import narrow
from nmfbench.stats.corrections import holm
from nmfbench.stats.intervals import p_of_place, t_interval

__all__ = [
    "always_best",
    "at_least",
    "better",
    "comparable",
    "decide",
    "decide_all",
    "flat",
    "margin_grows",
    "per_repeat",
    "smaller",
]

Side = str | Mapping[str, Any]
At = Mapping[str, Any] | None


def rows_of(frame: pd.DataFrame, side: Side) -> pd.DataFrame:
    """The rows of one side of a comparison."""
    return narrow(frame, {"method": side} if isinstance(side, str) else side)


def name_of(side: Side) -> str:
    """One side of a comparison in words."""
    if isinstance(side, str):
        return side
    words = [str(v) if k == "method" else f"{k.replace('_', ' ')} {v}" for k, v in side.items()]
    return ", ".join(words)


def per_repeat(frame: pd.DataFrame, side: Side, value: str, by: Sequence[str] = ()) -> pd.Series:
    """Mean of ``value`` for each repeat (and each of ``by``) that has it."""
    rows = rows_of(frame, side)
    if value not in rows:  # no trial so far has measured it
        rows = rows.assign(**{value: np.nan})
    return rows.groupby(["repeat", *by], observed=True)[value].mean().dropna()


def _paired(scores):
    """Scores of the sides (columns) for each repeat, averaged over the cells that all have.

    A repeat with other cells than the rest would be the average of something else: the cells that
    most repeats have are kept.
    """
    table = pd.DataFrame(scores).dropna()
    cells = table.index.names.difference(["repeat"])
    if cells and len(table):
        repeats = table.groupby(level=cells).transform("size")
        table = table[repeats == repeats.max()]
    return table.groupby(level="repeat").mean()


def _too_few(n):
    return f"{n} repeat{' is' if n == 1 else 's are'} too few for a verdict"


def decide(differences, describe) -> Verdict:
    """Confirmed if the mean of the differences is above 0, refuted if below, by a paired t test."""
    d = np.asarray(differences, dtype=float)
    n = len(d)
    if n == 0:
        return Verdict("not run", NO_PAIR)
    effect, interval = float(d.mean()), t_interval(d)
    text = describe(effect, interval)
    if n < MIN_REPEATS:
        text += f"; {_too_few(n)}"
        return Verdict("inconclusive", text, effect, interval, None, n)
    if not d.any():
        return Verdict("inconclusive", text + "; no difference at all", effect, interval, 1.0, n)
    verdict, p = settle(*p_of_place(effect, stats.sem(d), n - 1, 0.0, np.inf))
    return Verdict(verdict, f"{text}; p = {p:.2g}, n = {n}", effect, interval, p, n)


def decide_all(leads, errors, freedom, *, complete: bool = True) -> Verdict:
    """Confirmed if every lead is above 0, refuted if any is below, by t tests.

    All must succeed, so that none needs a correction; what is below 0 is so after Holm's.

    Parameters
    ----------
    leads, errors : array-like of shape (n,)
        With their standard errors.
    freedom : int or array-like of shape (n,)
        Degrees of freedom behind the errors.
    complete : bool, default=True
        Whether all comparisons were made: some of them can refute, but not confirm.
    """
    above, below = p_of_place(leads, errors, freedom, 0.0, np.inf)
    below = holm(below)
    ahead, behind = (above < ALPHA).sum(), (below < ALPHA).sum()
    verdict, p = settle(above.max() if complete else 1.0, below.min())
    text = f"ahead in {ahead} of {len(above)} comparisons, behind in {behind}"
    return Verdict(verdict, text, float(np.min(leads)), None, p)


def _number(value, interval, unit=""):
    if interval is None:
        return f"{value:.3g}{unit}"
    return f"{value:.3g}{unit} (95 % interval {interval[0]:.3g} to {interval[1]:.3g})"


def better(side: Side, rival: Side, value: str, by: Sequence[str] = (), *, at: At = None):
    """``side`` scores higher than ``rival``, on average over levels."""
    ours, theirs = name_of(side), name_of(rival)

    def test(frame):
        sides = {ours: side, theirs: rival}
        scores = _paired({name: per_repeat(frame, s, value, by) for name, s in sides.items()})
        return decide(
            scores[ours] - scores[theirs],
            lambda effect, ci: f"{ours} minus {theirs}: {_number(effect, ci)} in {value}",
        )

    return within(at, test)


def margin_grows(side: Side, rival: Side, value: str, *, along: str = "level", at: At = None):
    """The lead of ``side`` over ``rival`` grows with the level of the noise, or other ``along``."""
    ours, theirs = name_of(side), name_of(rival)

    def test(frame):
        lead = per_repeat(frame, side, value, [along])
        lead = (lead - per_repeat(frame, rival, value, [along])).dropna().unstack(along)
        if lead.shape[1] < 2:
            return Verdict("inconclusive", f"fewer than two {along}s have both methods")
        slopes = [
            np.polyfit(row.dropna().index.to_numpy(float), row.dropna(), 1)[0]
            for _, row in lead.iterrows()
            if row.notna().sum() >= 2
        ]
        return decide(
            slopes,
            lambda effect, ci: (
                f"lead of {ours} over {theirs} changes by {_number(effect, ci)} for one unit of "
                f"the {along}"
            ),
        )

    return within(at, test)


def flat(side: Side, value: str, margin: float, *, whose: str = "ours", at: At = None):
    """The score of ``side`` changes by less than ``margin`` over the levels."""

    def test(margin, frame):
        wide = per_repeat(frame, side, value, ["level"]).unstack("level")
        spread = (wide.max(axis=1) - wide.min(axis=1)).dropna()
        return decide(
            margin - spread,
            lambda effect, ci: (
                f"{value} of {name_of(side)} varies by {margin - effect:.3g} over the levels "
                f"within a repeat (allowed: {margin:g})"
            ),
        )

    return within(at, thresholded(Threshold(margin, whose), test))


def comparable(
    sides: Sequence[Side],
    values: str | Sequence[str],
    margin: float,
    by: Sequence[str] = (),
    *,
    whose: str = "ours",
    at: At = None,
):
    """No two of ``sides`` differ by more than ``margin`` in any of ``values``.

    Scores are means over levels within a repeat. Confirmed if every difference is within the
    margin, each by its t interval (all must succeed, so that none needs a correction); refuted if
    one is beyond it, after Holm's correction.
    """
    values = [values] if isinstance(values, str) else list(values)
    names = [name_of(side) for side in sides]

    def test(margin, frame):
        columns = {
            (name, v): per_repeat(frame, side, v, by)
            for name, side in zip(names, sides, strict=True)
            for v in values
        }
        scores = _paired(columns)
        n = len(scores)
        if not n:
            return Verdict("not run", "no repeat of this grid has all of the methods")
        pairs = [(a, b, v) for a, b in combinations(names, 2) for v in values]
        gaps = np.array([scores[a, v] - scores[b, v] for a, b, v in pairs])
        sizes = np.abs(gaps.mean(axis=1))
        worst = int(sizes.argmax())
        a, b, v = pairs[worst]
        gap = np.sign(gaps[worst].mean() or 1.0) * gaps[worst]
        effect, interval = float(sizes[worst]), t_interval(gap)
        means = ", ".join(
            f"{name} {np.mean([scores[name, v].mean() for v in values]):.3g}" for name in names
        )
        text = (
            f"largest difference {_number(effect, interval)}, of {a} and {b} in {v} (comparable "
            f"means below {margin:g}); means: {means}"
        )
        if n < MIN_REPEATS:
            return Verdict("inconclusive", f"{text}; {_too_few(n)}", effect, interval, n=n)
        inside, outside = p_of_place(
            gaps.mean(axis=1), stats.sem(gaps, axis=1), n - 1, -margin, margin
        )
        verdict, p = settle(inside.max(), holm(outside).min())
        return Verdict(verdict, text, effect, interval, p, n)

    return within(at, thresholded(Threshold(margin, whose), test))


def always_best(
    side: Side,
    rivals: Sequence[Side],
    values: str | Sequence[str],
    by: Sequence[str] = (),
    *,
    at: At = None,
    each: Mapping[str, Sequence[Any]] | None = None,
    lower: bool = False,
    share: Threshold | None = None,
):
    """``side`` beats every rival in every one of ``values``, such as each sample size.

    Confirmed if it is ahead in every comparison, each by a paired t test (all must succeed, so
    that none needs a correction); refuted if it is behind in any, after Holm's correction.

    Parameters
    ----------
    side : str or mapping
    rivals : sequence of str or mapping
        Those that the frame has no row of can refute the claim, but then not confirm it.
    values : str or sequence of str
    by : sequence of str, default=()
    at : mapping, optional
    each : mapping, optional
        Column -> values at each of which it must be ahead, such as every corruption.
    lower : bool, default=False
        The lower value is the better one.
    share : Threshold, optional
        It must beat this share of the rivals' values, such as half of their error.
    """
    values = [values] if isinstance(values, str) else list(values)
    each = each or {}
    places = [dict(zip(each, found, strict=True)) for found in product(*each.values())]
    method, names = name_of(side), [name_of(rival) for rival in rivals]

    def test(share, frame):
        present = [k for k, rival in enumerate(rivals) if len(rows_of(frame, rival))]
        absent = [name for k, name in enumerate(names) if k not in present]
        scores = {}
        for v, place in product(values, places):
            there, told = narrow(frame, place), ", ".join([v, *map(str, place.values())])
            scores[method, told] = per_repeat(there, side, v, by)
            for k in present:
                scores[names[k], told] = share * per_repeat(there, rivals[k], v, by)
        table = _paired(scores)
        if table.empty or not present:
            return Verdict("not run", NO_PAIR)
        pairs = [(name, told) for name, told in scores if name != method]
        leads = np.array([table[method, told] - table[name, told] for name, told in pairs])
        leads = -leads if lower else leads
        worst = int(leads.mean(axis=1).argmin())
        effect, interval = float(leads[worst].mean()), t_interval(leads[worst])
        smallest = (
            f"smallest lead of {method} {_number(effect, interval)}, over "
            f"{'' if share == 1 else f'{share:g} times '}{pairs[worst][0]} in {pairs[worst][1]}"
        )
        if len(table) < MIN_REPEATS:
            text = f"{smallest}; {_too_few(len(table))}"
            return Verdict("inconclusive", text, effect, interval, n=len(table))
        found = decide_all(
            leads.mean(axis=1), stats.sem(leads, axis=1), len(table) - 1, complete=not absent
        )
        text = f"{found.evidence}; {smallest}"
        if absent:  # the others can refute the claim, but not confirm it
            text += f"; {', '.join(absent)} not run in this grid"
        return replace(found, evidence=text, effect=effect, interval=interval, n=len(table))

    if share is None:
        return within(at, lambda frame: test(1.0, frame))
    return within(at, thresholded(share, test))


def at_least(
    side: Side,
    value: str,
    bound: float,
    *,
    whose: str = "ours",
    measured_from: float = 0.0,
    at: At = None,
):
    """The score of ``side`` is above ``bound``.

    ``whose`` and ``measured_from`` are those of :class:`~nmfbench.artefacts.claim.Threshold`.
    """

    def test(bound, frame):
        scores = per_repeat(frame, side, value).dropna()
        return decide(
            scores - bound,
            lambda effect, ci: (
                f"{value} of {name_of(side)}: {effect + bound:.3g} "
                f"({whose_number(whose)}: at least {bound:g})"
            ),
        )

    return within(at, thresholded(Threshold(bound, whose, measured_from), test))


def smaller(side: Side, rival: Side, value: str, lower_bound: str | None = None, *, at: At = None):
    """``side`` has the smaller ``value`` (rounds, seconds, an objective), by a ratio.

    Parameters
    ----------
    side, rival : str or mapping
    value : str
        Its values are positive.
    lower_bound : str, optional
        A column that is true where ``value`` is only a lower bound, as of a run that was ended
        before it stopped by itself. A repeat where it is not clear which of the two is smaller
        is left out, and a verdict must stand even if all of these had gone against it.
    at : mapping, optional
    """
    method, other = name_of(side), name_of(rival)

    def test(frame):
        logs = []
        for one in (side, rival):
            rows = rows_of(frame, one)
            rows = rows.assign(log=np.log(rows[value]) if value in rows else np.nan)
            rows["open"] = rows[lower_bound].astype(bool) if lower_bound in rows else False
            grouped = rows.groupby("repeat").agg({"log": "mean", "open": "any"})
            logs.append(grouped.dropna())
        both = logs[0].join(logs[1].add_suffix("_rival"), how="inner")
        d = both["log_rival"] - both["log"]
        clear = ~(both["open"] & (d >= 0)) & ~(both["open_rival"] & (d <= 0))
        bounded = clear & (both["open"] | both["open_rival"])
        unit = value.replace("-", " ").replace("_", " ")

        def describe(effect, ci):
            ratio = np.exp(-effect)
            bounds = None if ci is None else (np.exp(-ci[1]), np.exp(-ci[0]))
            text = f"{method} has {_number(ratio, bounds)} times the {unit} of {other}"
            if bounded.any():
                text += f"; in {bounded.sum()} of {clear.sum()} repeats one run had not stopped"
            return text

        if len(both) and not clear.any():
            text = "no run stopped in time to tell which of the two is smaller"
            return Verdict("inconclusive", text)
        found = decide(d[clear], describe)
        if found.effect is None:
            return found
        if not clear.all() and found.verdict in ("confirmed", "refuted"):
            against = d.where(clear, -np.sign(found.effect) * d[clear].abs().median())
            if decide(against, describe).verdict != found.verdict:
                text = (
                    f"{found.evidence}; {(~clear).sum()} repeats that are not clear could undo it"
                )
                found = replace(found, verdict="inconclusive", evidence=text)
        interval = found.interval and (np.exp(-found.interval[1]), np.exp(-found.interval[0]))
        return replace(
            found,
            effect=float(np.exp(-found.effect)),
            interval=interval and (float(interval[0]), float(interval[1])),
        )

    return within(at, test)
