"""Claims of the papers as tests over records: records in, a verdict with its evidence out.

A test is a function from the labelled records of an artefact (a DataFrame with a column
``method``, and one ``arrays`` with the curves and factors of each trial) to a :class:`Verdict`. The
functions below build the usual ones. All of them compare within a repeat, where rivals saw the
same data, and count a repeat as one observation: levels and starts of one repeat share its data
and are averaged first.

Averages over a grid can be compared if it is the same for all methods. Where it is not, such as
fewer ranks for a slow method, ``by`` names the columns in which the sides are paired besides the
repeat. Only cells that all sides have count, and of these the ones that most repeats have, so
that a repeat is the average over the same cells as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from scipy import stats

from nmfbench.summary import holm

__all__ = [
    "Claim",
    "Verdict",
    "always_best",
    "at_least",
    "better",
    "comparable",
    "flat",
    "judge",
    "margin_grows",
    "ratio_within",
    "seldom",
    "smaller",
    "where",
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
        Trials with a record, and trials of the grid. Fewer done than total is a partial verdict.
    data : {"own", "stand-in"}
        Whether the data were the paper's own (or generated as it says).
    """

    verdict: Literal["confirmed", "refuted", "inconclusive", "not run"]
    evidence: str = ""
    effect: float | None = None
    interval: tuple[float, float] | None = None
    p_value: float | None = None
    n: int = 0
    done: int = 0
    total: int = 0
    data: str = "own"

    @property
    def partial(self) -> bool:
        return self.done < self.total


@dataclass(frozen=True)
class Claim:
    """What a paper asserts, in our words.

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
    """

    id: str
    statement: str
    source: str
    test: Callable[[pd.DataFrame], Verdict]
    reported: str = ""


def judge(claim: Claim, records: pd.DataFrame, *, done: int, total: int, data: str) -> Verdict:
    """Test a claim and note how much of the grid the verdict rests on.

    Parameters
    ----------
    records : DataFrame
        Finished trials, labelled.
    done, total : int
        Trials of the artefact's grid with a finished record, and all.
    data : {"own", "stand-in"}
    """
    if done == 0:
        return Verdict("not run", "no trial of this grid has finished", total=total, data=data)
    verdict = replace(claim.test(records), done=done, total=total, data=data)
    if verdict.partial:
        note = f"partial grid: {done} of {total} trials"
        verdict = replace(verdict, evidence=f"{verdict.evidence} ({note})")
    return verdict


def where(column: str, value, test):
    """``test`` on the records whose ``column`` is ``value``, such as one term weighting."""

    def narrowed(records):
        return test(records[records[column] == value])

    return narrowed


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


def flat(method: str, value: str, margin: float):
    """The score of ``method`` changes by less than ``margin`` over the levels."""

    def test(records):
        wide = _per_repeat(records, method, value, ["level"]).unstack("level")
        spread = (wide.max(axis=1) - wide.min(axis=1)).dropna()
        return _decide(
            margin - spread,
            lambda effect, ci: (
                f"{value} of {method} varies by {margin - effect:.3g} over the levels within a "
                f"repeat (allowed: {margin:g})"
            ),
        )

    return test


def comparable(
    methods: Sequence[str], values: str | Sequence[str], margin: float, by: Sequence[str] = ()
):
    """No two of ``methods`` differ by more than ``margin`` in any of ``values``.

    Scores are means over levels within a repeat, then over repeats; the largest difference over
    ``values`` decides, with a bootstrap interval over repeats.
    """
    values = [values] if isinstance(values, str) else list(values)

    def test(records):
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

    return test


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


def at_least(method: str, value: str, bound: float):
    """The score of ``method`` is above ``bound``."""

    def test(records):
        scores = _per_repeat(records, method, value).dropna()
        return _decide(
            scores - bound,
            lambda effect, ci: f"{value} of {method}: {effect + bound:.3g} (claimed: {bound:g})",
        )

    return test


def seldom(method: str, events: str, chances: str, bound: float):
    """``events`` happen in less than ``bound`` of the ``chances``, summed over all trials."""

    def test(records):
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

    return test


def ratio_within(slow: str, fast: str, value: str, low: float, high: float):
    """``slow`` takes ``low`` to ``high`` times the ``value`` (such as seconds) of ``fast``.

    The geometric mean over repeats decides: confirmed if its interval lies within the bounds,
    refuted if it lies outside.
    """

    def test(records):
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

    return test


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
    methods: str | Sequence[str], value: str, low: float = -np.inf, high: float = np.inf
):
    """A theorem: ``value`` lies within the bounds in every trial of ``methods``.

    A single trial outside refutes it; where there is none, it is confirmed by five repeats or
    more, as far as trials can.
    """
    methods = [methods] if isinstance(methods, str) else list(methods)

    def test(records):
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

    return test
