"""Claims as tests over records: records in, a verdict with its evidence out.

A claim has an ``origin``: a sentence of a paper, or a question of ours. A test is a function from
the labelled records of an artefact (a DataFrame with a column ``method``, and one ``arrays`` with
the curves and factors of each trial) to a :class:`Verdict`. The functions below build the usual
ones. All of them compare within a repeat, where rivals saw the same data, and count a repeat as
one observation: levels and starts of one repeat share its data and are averaged first.

Averages over a grid can be compared if it is the same for all methods. Where it is not, such as
fewer ranks for a slow method, ``by`` names the columns in which the sides are paired besides the
repeat. Only cells that all sides have count, and of these the ones that most repeats have, so
that a repeat is the average over the same cells as any other.

Where a number decides, such as a margin or a bound, the test is a :class:`ThresholdTest`, which
says whose the number is. If it is ours, the verdict has beside it those at half and at twice of it.
Tests that the sign of a difference decides are plain functions. A test that calls another one keeps
its threshold by :func:`around`:

>>> test = around(flat("SPA", "seconds", margin=0.1), lambda test, records: test(records.head()))
>>> test.threshold
Threshold(value=0.1, whose='ours', measured_from=0.0)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from scipy import stats

from nmfbench.stats.intervals import holm

__all__ = [
    "Claim",
    "Threshold",
    "ThresholdTest",
    "Verdict",
    "always_best",
    "around",
    "at_least",
    "better",
    "comparable",
    "decided_by",
    "flat",
    "judge",
    "margin_grows",
    "ratio_within",
    "seldom",
    "smaller",
    "stays",
    "where",
    "within_factor",
    "without_exception",
]

ALPHA = 0.05
"""Level of every test, one-sided: a p-value below it decides, either way."""

_NO_PAIR = "no repeat of this grid has both sides of the comparison"

_MIN_REPEATS = 5  # with fewer, no signed-rank test can reach that level


@dataclass(frozen=True)
class Verdict:
    """What the records say of a claim.

    Attributes
    ----------
    verdict : {"confirmed", "refuted", "inconclusive", "not run"}
    evidence : str
        In words, with figures.
    effect : float, optional
        Size of the effect, in the unit that ``evidence`` names.
    interval : tuple of float, optional
        95 % confidence interval of the effect.
    p_value : float, optional
        One-sided, against the side that the verdict is on.
    n : int
        Independent observations (repeats) behind it.
    done, total : int
        Trials with a record, and trials of the profile's grid.
    paper_total : int
        Trials of the paper's grid. Fewer done than these is a partial verdict.
    data : {"own", "stand-in"}
        Whether the data were the paper's own (or generated as it says).
    sensitivity : dict, optional
        Verdicts at "half" and at "twice" of a threshold of ours.
    """

    verdict: Literal["confirmed", "refuted", "inconclusive", "not run"]
    evidence: str = ""
    effect: float | None = None
    interval: tuple[float, float] | None = None
    p_value: float | None = None
    n: int = 0
    done: int = 0
    total: int = 0
    paper_total: int = 0
    data: str = "own"
    sensitivity: Mapping[str, str] | None = None

    @property
    def partial(self) -> bool:
        return self.done < self.paper_total


@dataclass(frozen=True)
class Threshold:
    """A number that decides a claim, such as a margin, a bound or a tolerance.

    Parameters
    ----------
    value : float or tuple of float
        Several numbers, such as the ends of a range, are scaled together.
    whose : {"paper", "ours"}
        "paper" if it is printed there or follows from a theorem, "ours" if we chose it.
    measured_from : float, default=0
        Where the scale begins on which halves are taken: 1 for a share that should be near 1.

    Examples
    --------
    >>> Threshold(0.95, measured_from=1.0).scaled(0.5)
    0.975
    """

    value: float | tuple[float, ...]
    whose: Literal["paper", "ours"] = "ours"
    measured_from: float = 0.0

    def scaled(self, factor: float) -> float | tuple[float, ...]:
        """The number, or numbers, at ``factor`` times the distance from ``measured_from``."""
        if isinstance(self.value, tuple):
            return tuple(replace(self, value=value).scaled(factor) for value in self.value)
        return self.measured_from + factor * (self.value - self.measured_from)


@dataclass(frozen=True)
class ThresholdTest:
    """A test, records -> Verdict, with the threshold that decides it. See :func:`decided_by`."""

    run: Callable[[pd.DataFrame], Verdict]
    threshold: Threshold

    def __call__(self, records: pd.DataFrame) -> Verdict:
        return self.run(records)


def decided_by(threshold: Threshold, build: Callable) -> ThresholdTest:
    """The test that ``build`` makes of a number.

    Parameters
    ----------
    threshold : Threshold
    build : callable
        The number -> a test. If the number is ours, the verdicts of the tests at half and at twice
        of it become the ``sensitivity`` of the verdict.
    """

    def run(records):
        verdict = build(threshold.value)(records)
        if threshold.whose != "ours":
            return verdict
        others = {
            name: build(threshold.scaled(factor))(records).verdict
            for name, factor in (("half", 0.5), ("twice", 2.0))
        }
        return replace(verdict, sensitivity=others)

    return ThresholdTest(run, threshold)


def around(test: Callable, judged: Callable) -> Callable:
    """A test that calls another one, and has its threshold, if it has one.

    Parameters
    ----------
    test : callable
    judged : callable
        (test, records) -> Verdict. It may prepare the records and add to the evidence; what the
        verdict is, and its ``sensitivity``, it leaves to ``test``.
    """

    def run(records):
        return judged(test, records)

    threshold = getattr(test, "threshold", None)
    return run if threshold is None else ThresholdTest(run, threshold)


@dataclass(frozen=True)
class Claim:
    """What a paper asserts, in our words, or what we ask ourselves.

    Parameters
    ----------
    id : str
        Unique within its artefact; ``<artefact>/<id>`` is its public name.
    statement : str
    source : str
        Section or figure of the paper.
    test : callable
        Labelled records -> Verdict.
    reported : str
        The paper's own number, where it prints one, as the report shows it.
    origin : {"paper", "ours"}
        Who asserts it: a sentence of the paper, or we, as of a method or a question of ours.
    """

    id: str
    statement: str
    source: str
    test: Callable[[pd.DataFrame], Verdict]
    reported: str = ""
    origin: Literal["paper", "ours"] = "paper"

    @property
    def threshold(self) -> Threshold | None:
        """The number that decides it; None if the sign of a difference does."""
        return getattr(self.test, "threshold", None)

    def sensitivity_in_words(self, verdict: Verdict) -> str:
        """Verdicts at half and at twice of a threshold of ours; empty without one."""
        threshold, others = self.threshold, verdict.sensitivity
        if threshold is None or others is None or verdict.verdict == "not run":
            return ""
        half, twice = (_plain(threshold.scaled(factor)) for factor in (0.5, 2.0))
        if set(others.values()) == {verdict.verdict}:
            then = f"the same at {half} and at {twice}"
        else:
            then = f"{others['half']} at {half}, {others['twice']} at {twice}"
        return f"The threshold {_plain(threshold.value)} is ours: {then}."


def judge(
    claim: Claim, records: pd.DataFrame, *, done: int, total: int, paper_total: int, data: str
) -> Verdict:
    """Test a claim and note how much of the grid the verdict rests on.

    Parameters
    ----------
    records : DataFrame
        Finished trials, labelled.
    done, total : int
        Trials of the profile's grid with a finished record, and all.
    paper_total : int
        Trials of the paper's grid.
    data : {"own", "stand-in"}
    """
    rests_on = {"done": done, "total": total, "paper_total": paper_total, "data": data}
    if done == 0:
        ours = claim.threshold is not None and claim.threshold.whose == "ours"
        others = dict.fromkeys(("half", "twice"), "not run") if ours else None
        text = "no trial of this grid has finished"
        return Verdict("not run", text, sensitivity=others, **rests_on)
    verdict = replace(claim.test(records), **rests_on)
    if verdict.partial:
        note = f"{done} of the paper grid's {paper_total} trials"
        verdict = replace(verdict, evidence=f"{verdict.evidence} ({note})")
    return verdict


def _plain(value):
    values = value if isinstance(value, tuple) else (value,)
    return " with ".join(f"{v:g}" for v in values)


def where(column: str, value, test):
    """``test`` on the records whose ``column`` is ``value``, such as one term weighting."""

    def narrowed(test, records):
        return test(records[records[column] == value])

    return around(test, narrowed)


def _decided_by(threshold, test):
    """:func:`decided_by` of a function of the number and the records."""
    return decided_by(threshold, lambda number: functools.partial(test, number))


# -- paired comparisons -----------------------------------------------------------------------


def _per_repeat(records, method, value, by=()):
    """Mean of ``value`` for each repeat (and each of ``by``) that has it."""
    rows = records[records["method"] == method]
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


def _decide(differences, describe) -> Verdict:
    """Confirmed if the differences are above 0, refuted if below, by a signed-rank test."""
    d = np.asarray(differences, dtype=float)
    n = len(d)
    if n == 0:
        return Verdict("not run", _NO_PAIR)
    effect, interval = float(d.mean()), _interval(d)
    text = describe(effect, interval)
    if n < _MIN_REPEATS:
        text += f"; {_too_few(n)}"
        return Verdict("inconclusive", text, effect, interval, None, n)
    if not d.any():
        return Verdict("inconclusive", text + "; no difference at all", effect, interval, 1.0, n)
    above = stats.wilcoxon(d, alternative="greater").pvalue
    below = stats.wilcoxon(d, alternative="less").pvalue
    verdict = "confirmed" if above < ALPHA else "refuted" if below < ALPHA else "inconclusive"
    p = float(min(above, below))
    return Verdict(verdict, f"{text}; signed-rank p = {p:.2g}, n = {n}", effect, interval, p, n)


def _interval(d):
    """95 % t interval of the mean; None for a single value."""
    if len(d) < 2:
        return None
    half = stats.t.ppf(0.975, len(d) - 1) * np.std(d, ddof=1) / np.sqrt(len(d))
    return float(np.mean(d) - half), float(np.mean(d) + half)


def _number(value, interval, unit=""):
    if interval is None:
        return f"{value:.3g}{unit}"
    return f"{value:.3g}{unit} (95 % interval {interval[0]:.3g} to {interval[1]:.3g})"


def better(method: str, rival: str, value: str, by: Sequence[str] = ()):
    """``method`` scores higher than ``rival``, on average over levels."""

    def test(records):
        scores = _paired({m: _per_repeat(records, m, value, by) for m in (method, rival)})
        return _decide(
            scores[method] - scores[rival],
            lambda effect, ci: f"{method} minus {rival}: {_number(effect, ci)} in {value}",
        )

    return test


def margin_grows(method: str, rival: str, value: str):
    """The lead of ``method`` over ``rival`` grows with the level of the noise."""

    def test(records):
        lead = _per_repeat(records, method, value, ["level"])
        lead = (lead - _per_repeat(records, rival, value, ["level"])).dropna().unstack("level")
        if lead.shape[1] < 2:
            return Verdict("inconclusive", "fewer than two levels have both methods")
        slopes = [
            np.polyfit(row.dropna().index.to_numpy(float), row.dropna(), 1)[0]
            for _, row in lead.iterrows()
            if row.notna().sum() >= 2
        ]
        return _decide(
            slopes,
            lambda effect, ci: (
                f"lead of {method} over {rival} changes by {_number(effect, ci)} for one unit "
                "of the level"
            ),
        )

    return test


def flat(method: str, value: str, margin: float, *, whose: str = "ours"):
    """The score of ``method`` changes by less than ``margin`` over the levels."""

    def test(margin, records):
        wide = _per_repeat(records, method, value, ["level"]).unstack("level")
        spread = (wide.max(axis=1) - wide.min(axis=1)).dropna()
        return _decide(
            margin - spread,
            lambda effect, ci: (
                f"{value} of {method} varies by {margin - effect:.3g} over the levels within a "
                f"repeat (allowed: {margin:g})"
            ),
        )

    return _decided_by(Threshold(margin, whose), test)


def comparable(
    methods: Sequence[str],
    values: str | Sequence[str],
    margin: float,
    by: Sequence[str] = (),
    *,
    whose: str = "ours",
):
    """No two of ``methods`` differ by more than ``margin`` in any of ``values``.

    Scores are means over levels within a repeat, then over repeats; the largest difference over
    ``values`` decides, with a bootstrap interval over repeats.
    """
    values = [values] if isinstance(values, str) else list(values)

    def test(margin, records):
        columns = {(m, v): _per_repeat(records, m, v, by) for m in methods for v in values}
        scores = _paired(columns).to_numpy()
        n = len(scores)
        if not n:
            return Verdict("not run", "no repeat of this grid has all of the methods")
        scores = scores.reshape(n, len(methods), len(values))

        def spread(of):
            means = of.mean(axis=-3)
            return (means.max(axis=-2) - means.min(axis=-2)).max(axis=-1)

        effect = float(spread(scores))
        means = ", ".join(
            f"{m} {v:.3g}" for m, v in zip(methods, scores.mean(axis=(0, 2)), strict=True)
        )
        if n < _MIN_REPEATS:
            text = (
                f"largest difference between two methods {effect:.3g} (comparable means below "
                f"{margin:g}); means: {means}; {_too_few(n)}"
            )
            return Verdict("inconclusive", text, effect, n=n)
        draws = np.random.default_rng(0).integers(n, size=(2000, n))
        low, high = np.quantile(spread(scores[draws]), [0.025, 0.975])
        verdict = "confirmed" if high < margin else "refuted" if low > margin else "inconclusive"
        text = (
            f"largest difference between two methods {effect:.3g} (95 % interval {low:.3g} to "
            f"{high:.3g}; comparable means below {margin:g}); means: {means}"
        )
        return Verdict(verdict, text, effect, (float(low), float(high)), None, n)

    return _decided_by(Threshold(margin, whose), test)


def always_best(method: str, rivals: Sequence[str], values: Sequence[str], by: Sequence[str] = ()):
    """``method`` beats every rival in every one of ``values``, such as each sample size.

    Confirmed if it is ahead in every comparison, each by a paired t test (all must succeed, so
    that none needs a correction); refuted if it is behind in any, after Holm's correction. The
    t test, because with so many comparisons a signed-rank test of few repeats can decide nothing.
    """

    def test(records):
        seen = set(records["method"])
        present = [rival for rival in rivals if rival in seen]
        absent = [rival for rival in rivals if rival not in seen]
        table = _paired(
            {(m, v): _per_repeat(records, m, v, by) for m in [method, *present] for v in values}
        )
        if table.empty or not present:
            return Verdict("not run", _NO_PAIR)
        pairs = [(rival, value) for value in values for rival in present]
        leads = np.array([table[method, value] - table[rival, value] for rival, value in pairs])
        worst = int(leads.mean(axis=1).argmin())
        effect, interval = float(leads[worst].mean()), _interval(leads[worst])
        smallest = (
            f"smallest lead of {method} {_number(effect, interval)}, over {pairs[worst][0]} in "
            f"{pairs[worst][1]}"
        )
        if len(table) < _MIN_REPEATS:
            text = f"{smallest}; {_too_few(len(table))}"
            return Verdict("inconclusive", text, effect, interval, n=len(table))
        spread = leads.std(axis=1, ddof=1) / np.sqrt(len(table))
        # A lead that never varies is certain, and no lead at all is none.
        t = np.divide(
            leads.mean(axis=1), spread, out=np.sign(leads.mean(axis=1)) * np.inf, where=spread > 0
        )
        t[~leads.any(axis=1)] = 0
        above, below = stats.t.sf(t, len(table) - 1), stats.t.cdf(t, len(table) - 1)
        ahead, behind = above < ALPHA, holm(below) < ALPHA
        text = (
            f"ahead in {ahead.sum()} of {len(pairs)} comparisons, behind in {behind.sum()}; "
            f"{smallest}"
        )
        if absent:  # the others can refute the claim, but not confirm it
            text += f"; {', '.join(absent)} not run in this grid"
        won = ahead.all() and not absent
        verdict = "confirmed" if won else "refuted" if behind.any() else "inconclusive"
        p = float(holm(below).min() if behind.any() else above.max())
        return Verdict(verdict, text, effect, interval, p, len(table))

    return test


def at_least(
    method: str, value: str, bound: float, *, whose: str = "ours", measured_from: float = 0.0
):
    """The score of ``method`` is above ``bound``; the last two as of :class:`Threshold`."""

    def test(bound, records):
        scores = _per_repeat(records, method, value).dropna()
        return _decide(
            scores - bound,
            lambda effect, ci: f"{value} of {method}: {effect + bound:.3g} (claimed: {bound:g})",
        )

    return _decided_by(Threshold(bound, whose, measured_from), test)


def seldom(method: str, events: str, chances: str, bound: float, *, whose: str = "ours"):
    """``events`` happen in less than ``bound`` of the ``chances``, summed over all trials."""

    def test(bound, records):
        rows = records[records["method"] == method].reindex(columns=["repeat", events, chances])
        rows = rows.dropna()
        k, n = int(rows[events].sum()), int(rows[chances].sum())
        if n == 0:
            return Verdict("inconclusive", "nothing was counted")
        low, high = stats.binomtest(k, n).proportion_ci(0.95, method="wilson")
        verdict = "confirmed" if high < bound else "refuted" if low > bound else "inconclusive"
        text = (
            f"{k} of {n}, {100 * k / n:.3g} % (95 % interval {100 * low:.3g} to "
            f"{100 * high:.3g} %; seldom means below {100 * bound:g} %)"
        )
        repeats = rows["repeat"].nunique()
        return Verdict(verdict, text, k / n, (float(low), float(high)), None, repeats)

    return _decided_by(Threshold(bound, whose), test)


def ratio_within(slow: str, fast: str, value: str, low: float, high: float, *, whose: str = "ours"):
    """``slow`` takes ``low`` to ``high`` times the ``value`` (such as seconds) of ``fast``.

    The geometric mean over repeats decides: confirmed if its interval lies within the bounds,
    refuted if it lies outside.
    """

    def test(bounds, records):
        return _ratio_within(records, slow, fast, value, *bounds)

    return _decided_by(Threshold((low, high), whose), test)


def within_factor(slow: str, fast: str, value: str, factor: float, *, whose: str = "ours"):
    """``slow`` takes 1 / ``factor`` to ``factor`` times the ``value`` of ``fast``.

    As :func:`ratio_within`. Half and twice of a factor are those of its distance from 1.
    """

    def test(factor, records):
        return _ratio_within(records, slow, fast, value, 1 / factor, factor)

    return _decided_by(Threshold(factor, whose, 1.0), test)


def _ratio_within(records, slow, fast, value, low, high):
    a, b = (_per_repeat(records, m, value) for m in (slow, fast))
    logs = np.log((a / b).dropna())
    if len(logs) < 2:
        text = f"{len(logs)} repeats are too few" if len(logs) else _NO_PAIR
        return Verdict("inconclusive" if len(logs) else "not run", text, n=len(logs))
    ratio, (lower, upper) = np.exp(logs.mean()), np.exp(_interval(logs.to_numpy()))
    inside = low <= lower and upper <= high
    outside = upper < low or lower > high
    verdict = "confirmed" if inside else "refuted" if outside else "inconclusive"
    unit = value.replace("_", " ")
    text = (
        f"{slow} takes {ratio:.3g} times the {unit} of {fast} (95 % interval {lower:.3g} to "
        f"{upper:.3g}; claimed: {low:g} to {high:g})"
    )
    interval = (float(lower), float(upper))
    return Verdict(verdict, text, float(ratio), interval, None, len(logs))


def smaller(method: str, rival: str, value: str, lower_bound: str | None = None):
    """``method`` has the smaller ``value`` (rounds, seconds, an objective), by a ratio.

    Parameters
    ----------
    method, rival, value : str
        The values are positive.
    lower_bound : str, optional
        A column that is true where ``value`` is only a lower bound, as of a run that was ended
        before it stopped by itself. A repeat where it is not clear which of the two is smaller
        is left out, and a verdict must stand even if all of these had gone against it.
    """

    def test(records):
        logs = []
        for m in (method, rival):
            rows = records[records["method"] == m]
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
            text = f"{method} has {_number(ratio, bounds)} times the {unit} of {rival}"
            if bounded.any():
                text += f"; in {bounded.sum()} of {clear.sum()} repeats one run had not stopped"
            return text

        if len(both) and not clear.any():
            text = "no run stopped in time to tell which of the two is smaller"
            return Verdict("inconclusive", text)
        found = _decide(d[clear], describe)
        if found.effect is None:
            return found
        if not clear.all() and found.verdict in ("confirmed", "refuted"):
            against = d.where(clear, -np.sign(found.effect) * d[clear].abs().median())
            if _decide(against, describe).verdict != found.verdict:
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

    return test


def without_exception(
    methods: str | Sequence[str],
    value: str,
    low: float = -np.inf,
    high: float = np.inf,
    *,
    whose: str = "ours",
    measured_from: float = 0.0,
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

    def test(number, records):
        return _without_exception(records, methods, value, *bounds(number))

    return _decided_by(Threshold(number, whose, measured_from), test)


def stays(methods: str | Sequence[str], value: str, margin: float, *, whose: str = "ours"):
    """A ratio ``value`` differs from 1 by at most ``margin`` in every trial of ``methods``."""

    def test(margin, records):
        return _without_exception(records, methods, value, 1 - margin, 1 + margin)

    return _decided_by(Threshold(margin, whose), test)


def _without_exception(records, methods, value, low, high):
    methods = [methods] if isinstance(methods, str) else list(methods)
    rows = records[records["method"].isin(methods)]
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
    if verdict == "confirmed" and n < _MIN_REPEATS:
        verdict, text = "inconclusive", f"{text}; {n} repeats are too few for a verdict"
    return Verdict(verdict, text, float(extreme), None, None, n)
