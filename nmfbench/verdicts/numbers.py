"""Numbers that a paper prints, compared with ours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nmfbench.artefacts.finding import MIN_UNITS
from nmfbench.core.matters import Ratio
from nmfbench.stats.intervals import t_interval
from nmfbench.verdicts.evaluate import Evaluation

__all__ = ["OUTCOMES", "Compared", "compare", "number_rows"]

OUTCOMES = ("agrees", "differs", "open", "not comparable")


@dataclass(frozen=True)
class Compared:
    """Our value of a printed number.

    Attributes
    ----------
    outcome : {"agrees", "differs", "open"}
    mean : float or None
        None if no repeat measured it.
    interval : (float, float) or None
        95 % t interval of the mean.
    n : int
        Number of repeats; 1 for the size of a data set.
    """

    outcome: str
    mean: float | None = None
    interval: tuple[float, float] | None = None
    n: int = 0


def compare(
    ends: tuple[float, float],
    values: Sequence[float],
    smallest: float | Ratio | None,
    spread: float | None = None,
) -> Compared:
    """Compare a printed number with ours.

    The printed number, or range, is widened on both sides by the larger of the paper's own spread
    and the smallest difference that matters. It *agrees* if the 95 % t interval of our mean over
    repeats, at least five of them, lies wholly within, it *differs* if the interval lies wholly
    outside, and is *open* otherwise. Where differences matter as ratios, means and intervals are of
    logarithms. The size of a data set has no sample: it agrees if it is equal.

    Whether it is comparable at all, :func:`number_rows` decides.

    Parameters
    ----------
    ends : (float, float)
        See :attr:`PrintedNumber.ends`.
    values : sequence of float
        Ours, one for each repeat.
    smallest : float, Ratio or None
        Smallest difference that matters; None for the size of a data set.
    spread : float, optional
        As printed.

    Examples
    --------
    >>> compare((0.65, 0.65), [0.64, 0.65, 0.66, 0.65, 0.64], 0.02).outcome
    'agrees'
    >>> compare((10, math.inf), [2.1, 2.2, 2.0, 2.1, 2.3], Ratio(0.1)).outcome
    'differs'
    """
    ours = np.asarray(values, dtype=float)
    n = len(ours)
    if not n:
        return Compared("open")
    if smallest is None:
        equal = bool((ours >= ends[0]).all() and (ours <= ends[1]).all())
        return Compared("agrees" if equal else "differs", float(ours.mean()), None, 1)
    if isinstance(smallest, Ratio):
        logs = np.log(ours)
        mean, interval = float(np.exp(logs.mean())), t_interval(logs)
        interval = interval and (math.exp(interval[0]), math.exp(interval[1]))
    else:
        mean, interval = float(ours.mean()), t_interval(ours)
    low, high = _widened(ends, smallest, spread or 0.0)
    word = "open"
    if n >= MIN_UNITS and interval is not None:
        if low <= interval[0] and interval[1] <= high:
            word = "agrees"
        elif interval[1] < low or interval[0] > high:
            word = "differs"
    return Compared(word, mean, interval, n)


def _widened(ends, smallest, spread):
    low, high = ends
    if isinstance(smallest, Ratio):
        factor = 1 + smallest.share
        return min(low / factor, low - spread), max(high * factor, high + spread)
    margin = max(smallest, spread)
    return low - margin, high + margin


def number_rows(evaluation: Evaluation) -> list[dict[str, Any]]:
    """One row for each printed number, as ``nmfbench claims --numbers --json`` prints it.

    ``outcome`` is that of :func:`compare`, or "not comparable" where our data stand in for the
    paper's, or are another set. CPU seconds of another machine would not be comparable either;
    their ratios are, and no paper here prints others.

    Parameters
    ----------
    evaluation : Evaluation
        With its records, and their store open: a frame may read arrays.
    """
    artefact, frame = evaluation.artefact, None
    records = evaluation.records
    if artefact.printed and records is not None:
        finished = records[records["status"] == "done"]
        frame = evaluation.made("summary", lambda table: artefact.frame(finished))
    return [_row(evaluation, frame, number) for number in artefact.printed]


def _row(evaluation, frame, number):
    artefact = evaluation.artefact
    smallest = None if number.metric is None else artefact.smallest_difference(number.metric)
    measured = frame is not None and number.ours is not None
    ours = evaluation.made("number", lambda table: list(number.ours(frame))) if measured else []
    found = compare(number.ends, ours or [], smallest, number.spread)
    kinds = [evaluation.data.get(name, "own") for name in number.data]
    other = [kind for kind in kinds if kind != "own"]
    low, high = (end if math.isfinite(end) else None for end in number.ends)
    return {
        "id": f"{artefact.id}/{number.key}",
        "paper": artefact.paper,
        "artefact": artefact.id,
        "what": number.what,
        "printed": [low, high] if isinstance(number.value, tuple) else low,
        "spread": number.spread,
        "place": number.place,
        "per_cent": number.per_cent,
        "ours": found.mean,
        "interval": found.interval and list(found.interval),
        "n": found.n,
        "unit": "data set" if number.metric is None else "repeat",
        "outcome": "not comparable" if other else found.outcome,
        "stand_ins": other,
        "profile": evaluation.profile,
    }
