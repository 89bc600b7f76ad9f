"""Paired comparisons of methods: who is ahead, by how much, and whether repeats can tell.

All tests here compare within a repeat, where rivals saw the same data, and count a repeat as one
observation: levels and starts of one repeat share its data and are averaged first. Other columns
can be the unit of observation (``unit``), and runs can be units within ``blocks``, such as data
sets or images, which are taken as they are.

Averages over a grid can be compared if it is the same for all sides. Where it is not, such as
fewer ranks for a slow method, ``by`` names the columns in which the sides are paired besides the
repeat. Only cells that all sides have count, and of these the ones that most repeats have, so
that a repeat is the average over the same cells as any other.

A *side* of a comparison is the label of a method, or a mapping from columns to values, such as
``{"method": "GNMF", "level": 0.5}``. ``at`` names the rows that a test looks at, see
:func:`~nmfbench.artefacts.frames.select_rows`: the panel of a figure, the block of a table.
``ratio`` compares positive sizes, as logarithms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from types import EllipsisType
from typing import Any, Literal

import numpy as np
import pandas as pd

from nmfbench.artefacts.estimate import Estimate, of_blocks, of_units
from nmfbench.artefacts.finding import NO_PAIR, Finding, Test, within
from nmfbench.artefacts.frames import frozen, once, rows_at
from nmfbench.artefacts.region import Lead, Margin, Region
from nmfbench.core.matters import Ratio

__all__ = [
    "always_best",
    "better",
    "comparable",
    "estimate",
    "flat",
    "larger",
    "margin_grows",
    "not_worse",
    "paired",
    "per_repeat",
    "smaller",
]

Side = str | Mapping[str, Any]
At = Mapping[str, Any] | None


def rows_of(frame: pd.DataFrame, side: Side) -> pd.DataFrame:
    """The rows of one side of a comparison."""
    return rows_at(frame, _labels(side))


def _labels(side):
    return {"method": side} if isinstance(side, str) else dict(side)


def name_of(side: Side) -> str:
    """One side of a comparison as text."""
    if isinstance(side, str):
        return side
    words = [str(v) if k == "method" else f"{k.replace('_', ' ')} {v}" for k, v in side.items()]
    return ", ".join(words)


def words_of(value: str) -> str:
    """Name of a column as text."""
    return value.replace("_", " ") if " " in value else value.replace("-", " ").replace("_", " ")


def per_repeat(
    frame: pd.DataFrame,
    side: Side,
    value: str,
    by: Sequence[str] = (),
    *,
    unit: str = "repeat",
    ratio: bool = False,
) -> pd.Series:
    """Mean of ``value``, or of its logarithm, for each repeat (and each of ``by``) that has it."""
    key = ("per_repeat", frozen(_labels(side)), value, tuple(by), unit, ratio)
    return once(frame, key, lambda: _per_repeat(frame, side, value, by, unit, ratio))


def _per_repeat(frame, side, value, by, unit, ratio):
    rows = rows_of(frame, side)
    rows = rows[[name for name in dict.fromkeys([unit, *by, value]) if name in rows]]
    if value not in rows:  # no trial so far has measured it
        rows = rows.assign(**{value: np.nan})
    if ratio:
        if (rows[value] <= 0).any():
            raise ValueError(f"{value!r} of {name_of(side)} is not positive: it has no ratios.")
        rows = rows.assign(**{value: np.log(rows[value].astype(float))})
    return rows.groupby([unit, *by], observed=True)[value].mean().dropna()


def paired(scores: Mapping[Any, pd.Series], keep: Sequence[str] = ("repeat",)) -> pd.DataFrame:
    """Scores of the sides (columns) for each repeat, averaged over the cells that all have.

    A repeat with other cells than the rest would be the average of something else: the cells that
    most repeats have are kept.

    Parameters
    ----------
    scores : mapping
        Side -> values by repeat, and by what else tells cells apart.
    keep : sequence of str, default=("repeat",)
        Levels of the index that tell observations apart: the unit, and its block.
    """
    table = _side_by_side(scores).dropna()
    cells = table.index.names.difference(list(keep))
    if cells and len(table):
        repeats = table.groupby(level=cells).transform("size")
        table = table[repeats == repeats.max()]
    return table.groupby(level=list(keep)).mean()


def _side_by_side(scores):
    """A frame of series; without a join where all have one index."""
    first, *others = scores.values()
    if all(series.index.equals(first.index) for series in others):
        values = np.column_stack([series.to_numpy() for series in scores.values()])
        return pd.DataFrame(values, first.index, pd.Index(list(scores)))
    return pd.DataFrame(scores)


def estimate(
    differences: pd.Series, value: str | None, name: str = "", *, ratio: bool = False
) -> Estimate:
    """Mean of paired differences by unit, or of those within blocks if the index has two levels.

    Parameters
    ----------
    differences : Series
        By unit, or by unit and block; of ratios as logarithms.
    value : str or None
        Metric, which has a smallest difference that matters.
    name : str, optional
    ratio : bool, default=False
    """
    if differences.index.nlevels == 1:
        return of_units(differences, value, name, ratio=ratio)
    groups = [group for _, group in differences.groupby(level=1)]
    return of_blocks(groups, value, name, ratio=ratio)


def _keep(unit, blocks):
    return (unit,) if blocks is None else (unit, blocks)


def _units(unit, blocks):
    if blocks is None:
        return f"{unit.replace('_', ' ')}s"
    return f"runs within {'data sets' if blocks == 'dataset' else blocks.replace('_', ' ') + 's'}"


def better(
    side: Side,
    rival: Side,
    value: str,
    by: Sequence[str] = (),
    *,
    lower: bool = False,
    at: At = None,
    unit: str = "repeat",
    blocks: str | None = None,
) -> Test:
    """``side`` scores higher than ``rival``, or lower, on average over levels.

    Parameters
    ----------
    side, rival : str or mapping
    value : str
    by : sequence of str, default=()
        Columns in which the sides are paired, besides the unit.
    lower : bool, default=False
        The lower value is the better one.
    at : mapping, optional
    unit : str, default="repeat"
        Column of independent observations.
    blocks : str, optional
        Column within which they are, such as "dataset".
    """
    return always_best(side, [rival], value, by, lower=lower, at=at, unit=unit, blocks=blocks)


def margin_grows(
    side: Side, rival: Side, value: str, *, along: str = "level", at: At = None
) -> Test:
    """The lead of ``side`` over ``rival`` grows with the level of the noise, or other ``along``.

    The effect is what a line through the leads gains from the lowest level to the highest one.
    """
    ours, theirs = name_of(side), name_of(rival)

    def test(frame):
        lead = per_repeat(frame, side, value, [along])
        lead = (lead - per_repeat(frame, rival, value, [along])).dropna().unstack(along)
        if lead.shape[1] < 2:
            return Finding.without("inconclusive", f"fewer than two {along}s have both methods")
        reach = float(np.ptp(lead.columns.to_numpy(float)))
        gains = [
            reach * np.polyfit(row.dropna().index.to_numpy(float), row.dropna(), 1)[0]
            for _, row in lead.iterrows()
            if row.notna().sum() >= 2
        ]
        text = f"lead of {ours} over {theirs} changes by {{}} over the range of the {along}"
        return Finding(text, [of_units(gains, value)], Lead())

    return within(at, test)


def comparable(
    sides: Sequence[Side],
    values: str | Sequence[str],
    margin: float | Ratio | None = None,
    by: Sequence[str] = (),
    *,
    whose: Literal["paper", "ours"] = "ours",
    ratio: bool = False,
    at: At = None,
    unit: str = "repeat",
    blocks: str | None = None,
) -> Test:
    """No two of ``sides`` differ by more than ``margin`` in any of ``values``.

    Scores are means over levels within a repeat. By default the margin is twice the smallest
    difference that matters.
    """
    values = [values] if isinstance(values, str) else list(values)
    names = [name_of(side) for side in sides]
    keep = _keep(unit, blocks)

    def test(frame):
        columns = {
            (name, v): per_repeat(frame, side, v, [*keep[1:], *by], unit=unit, ratio=ratio)
            for name, side in zip(names, sides, strict=True)
            for v in values
        }
        scores = paired(columns, keep)
        if scores.empty:
            return Finding.without("not run", "no repeat of this grid has all of the methods")
        estimates = []
        for a, b in combinations(names, 2):
            for v in values:
                gap = scores[a, v] - scores[b, v]
                if gap.mean() < 0:
                    a, b, gap = b, a, -gap
                name = f"{a} {'over' if ratio else 'minus'} {b} in {words_of(v)}"
                estimates.append(estimate(gap, v, name, ratio=ratio))
        means = ", ".join(
            f"{name} {_mean(np.mean([scores[name, v].mean() for v in values]), ratio):.3g}"
            for name in names
        )
        return Finding(
            "largest difference {}, {name}" if len(estimates) > 1 else "{name}: {}",
            estimates,
            Margin(margin, whose=whose),
            unit=_units(unit, blocks),
            notes=[f"means: {means}"],
        )

    return within(at, test)


def _mean(value, ratio):
    return np.exp(value) if ratio else value


def flat(
    side: Side,
    value: str,
    margin: float | None = None,
    *,
    whose: Literal["paper", "ours"] = "ours",
    at: At = None,
) -> Test:
    """Mean scores of ``side`` at no two levels differ by more than ``margin``.

    By default the margin is twice the smallest difference that matters.
    """

    def test(frame):
        levels = sorted(rows_of(frame, side)["level"].unique())
        if len(levels) < 2:
            return Finding.without("not run", "there are fewer than two levels")
        sides = [_labels(side) | {"level": level} for level in levels]
        return comparable(sides, value, margin, whose=whose)(frame)

    return within(at, test)


def not_worse(
    side: Side,
    rivals: Sequence[Side],
    values: str | Sequence[str],
    by: Sequence[str] = (),
    *,
    margin: float | Ratio | None = None,
    **options: Any,
) -> Test:
    """``side`` is comparable to every rival or better: not worse by more than ``margin``.

    By default the margin is twice the smallest difference that matters. ``options`` as in
    :func:`always_best`.
    """
    return always_best(side, rivals, values, by, region=Margin(margin, both=False), **options)


def always_best(
    side: Side | Sequence[Side],
    rivals: Sequence[Side],
    values: str | Sequence[str],
    by: Sequence[str] = (),
    *,
    at: At = None,
    each: Mapping[str, Sequence[Any] | EllipsisType] | None = None,
    lower: bool = False,
    ratio: bool = False,
    region: Region | None = None,
    rule: Literal["every", "some"] = "every",
    unit: str = "repeat",
    blocks: str | None = None,
) -> Test:
    """``side`` beats every rival in every one of ``values``, such as each sample size.

    Parameters
    ----------
    side : str or mapping, or sequence of these
        Of several sides each is compared with each rival.
    rivals : sequence of str or mapping
        A rival without a row in the frame keeps the claim from being confirmed, not from being
        refuted.
    values : str or sequence of str
    by : sequence of str, default=()
        Columns in which the sides are paired, besides the unit.
    at : mapping, optional
    each : mapping, optional
        Column -> values at each of which it must be ahead, such as every corruption; ``...`` for
        all that the sides have.
    lower : bool, default=False
        The lower value is the better one.
    ratio : bool, default=False
        Compare sizes: a lead of 1.2 is by a factor of 1.2.
    region : Lead, Margin or Bounds, optional
        Of each lead; by default it is to be above 0. ``Bounds(2.0)`` of ratios asks for twice.
    rule : {"every", "some"}
        Whether all of these comparisons have to hold, or one.
    unit : str, default="repeat"
        Column of independent observations.
    blocks : str, optional
        Column within which they are, such as "dataset".
    """
    values = [values] if isinstance(values, str) else list(values)
    ours = [side] if isinstance(side, str | Mapping) else list(side)
    names = [name_of(rival) for rival in rivals]
    keep, region = _keep(unit, blocks), region or Lead()

    def test(frame):
        present = [k for k, rival in enumerate(rivals) if len(rows_of(frame, rival))]
        absent = [name for k, name in enumerate(names) if k not in present]
        sides = [(name_of(one), one) for one in (*ours, *(rivals[k] for k in present))]
        scores, value_of = {}, {}
        for v, place in product(values, _places(frame, each or {}, [one for _, one in sides])):
            where = ", ".join([words_of(v), *map(_text, place.values())])
            there, value_of[where] = rows_at(frame, place), v
            for name, one in sides:
                scores[name, where] = per_repeat(
                    there, one, v, [*keep[1:], *by], unit=unit, ratio=ratio
                )
        table = paired(scores, keep) if scores and present else pd.DataFrame()
        if table.empty:
            return Finding.without("not run", NO_PAIR)
        pairs = [
            (one, names[k], where)
            for where, one, k in product(value_of, map(name_of, ours), present)
        ]
        sign = -1 if lower else 1
        estimates = [
            estimate(
                sign * (table[one, where] - table[name, where]),
                value_of[where],
                f"{name} in {where}" if len(ours) == 1 else f"{one} over {name} in {where}",
                ratio=ratio,
            )
            for one, name, where in pairs
        ]
        return Finding(
            _lead_of(ours, pairs, lower, ratio, rule),
            estimates,
            region,
            rule,
            complete=not absent,
            unit=_units(unit, blocks),
            notes=[f"{', '.join(absent)} not run in this grid"] if absent else [],
        )

    return within(at, test)


def _text(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


def _places(frame, each, sides):
    """Places at each of which a side has to be ahead."""
    known = {}
    for column, values in each.items():
        if values is ...:
            there = (rows_of(frame, side)[column].dropna() for side in sides)
            values = sorted(set().union(*there))
        known[column] = values
    return [dict(zip(known, found, strict=True)) for found in product(*known.values())]


def _lead_of(ours, pairs, lower, ratio, rule):
    """Evidence on one lead, or on the smallest or the surest of several."""
    if len(pairs) > 1:
        which = "smallest" if rule == "every" else "surest"
        times = " times" if ratio else ""
        if len(ours) > 1:
            return f"{which} lead {{}}{times}, of {{name}}"
        return f"{which} lead of {name_of(ours[0])} {{}}{times}, over {{name}}"
    ((method, rival, where),) = pairs
    if ratio and lower:
        return f"{rival} has {{}} times the {where} of {method}"
    if ratio:
        return f"{method} has {{}} times the {where} of {rival}"
    first, second = (rival, method) if lower else (method, rival)
    return f"{first} minus {second}: {{}} in {where}"


def larger(side: Side, rival: Side, value: str, *, at: At = None) -> Test:
    """``side`` has the larger ``value``, which is positive, by a ratio."""
    return always_best(side, [rival], value, at=at, ratio=True)


def smaller(
    side: Side, rival: Side, value: str, lower_bound: str | None = None, *, at: At = None
) -> Test:
    """``side`` has the smaller ``value`` (rounds, seconds, an objective), by a ratio.

    Parameters
    ----------
    side, rival : str or mapping
    value : str
        Its values are positive.
    lower_bound : str, optional
        A column that is true where ``value`` is only a lower bound, as of a run that was ended
        before it stopped by itself. A repeat where it is not clear which of the two is smaller
        counts against what the others show, by their median; then the verdict cannot be *no lead*.
    at : mapping, optional
    """
    if lower_bound is None:
        return always_best(side, [rival], value, at=at, lower=True, ratio=True)
    method, other, unit = name_of(side), name_of(rival), words_of(value)

    def test(frame):
        logs = []
        for one in (side, rival):
            log = per_repeat(frame, one, value, ratio=True)
            is_open = rows_of(frame, one).reindex(columns=["repeat", lower_bound])
            is_open = is_open.fillna(False).groupby("repeat")[lower_bound].any()
            logs.append(pd.DataFrame({"log": log, "open": is_open}).dropna())
        both = logs[0].join(logs[1].add_suffix("_rival"), how="inner")
        if both.empty:
            return Finding.without("not run", NO_PAIR)
        d = both["log_rival"] - both["log"]
        of_ours, of_theirs = both["open"].astype(bool), both["open_rival"].astype(bool)
        clear = ~(of_ours & (d >= 0)) & ~(of_theirs & (d <= 0))
        if not clear.any():
            text = "no run stopped in time to tell which of the two is smaller"
            return Finding.without("inconclusive", text)
        notes = []
        if (of_ours | of_theirs).any():
            ended = int((clear & (of_ours | of_theirs)).sum())
            notes.append(f"in {ended} of {clear.sum()} repeats one run had not stopped")
        if not clear.all():
            notes.append(f"{(~clear).sum()} repeats that are not clear count against it")
            d = d.where(clear, -np.sign(d[clear].mean()) * d[clear].abs().median())
        of = value if clear.all() else None
        text = f"{other} has {{}} times the {unit} of {method}"
        return Finding(text, [of_units(d, of, ratio=True)], Lead(), notes=notes)

    return within(at, test)
