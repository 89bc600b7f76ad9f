"""Page of the race on hard problems, as ``benchmarks/race.py`` measured it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nmfbench.comparison.leaderboards import LOSSES
from nmfbench.pages.environment import render_page
from nmfbench.reports.boards import solver_name

__all__ = [
    "FILE",
    "GOALS",
    "LEVELS",
    "REFERENCE",
    "TARGETS",
    "Goal",
    "Ratio",
    "judge",
    "mean_ratio",
    "ratio",
    "rows_of",
    "seconds_to",
    "titled",
    "words_of",
    "write_race",
]

FILE = Path(__file__).with_name("race.json")
"""Results of the benchmark."""

LEVELS = (1.1, 1.05, 1.02, 1.01, 1.005, 1.002, 1.001, 1.0005, 1.0002, 1.0001)
"""Multiples of the objective at which a run ends, or should."""

TARGETS = (1.01, 1.001, 1.0001)
"""Those levels that tables show."""

REFERENCE = {"frobenius": "hals", "kl": "kl-mu"}
"""By loss, the solver that others are compared with."""


@dataclass(frozen=True)
class Goal:
    """A largest ratio of a solver's time to a peer's: the mean over problems, or on each."""

    solver: str
    peer: str
    target: float
    most: float
    each: bool = False
    text: bool = False

    def __str__(self):
        where = "on every problem" if self.each else "as the geometric mean over problems"
        texts = " of text" if self.text else ""
        return (
            f"{self.solver}: to {self.target:g} in at most {self.most:g} of {self.peer}'s time "
            f"{where}{texts}"
        )


GOALS = (
    Goal("hals-her", "sklearn-cd", 1.01, 0.35),
    *(Goal("hals-her", "hals", target, 1.05, each=True) for target in TARGETS),
    *(Goal("hals-her", peer, 1.001, 1.0, each=True) for peer in ("nenmf", "sklearn-cd")),
    Goal("nenmf", "hals", 1.01, 1.5, each=True),
    Goal("kl-newton", "kl-mu", 1.01, 0.4, each=True, text=True),
    Goal("kl-newton", "kl-mu", 1.001, 0.1, each=True, text=True),
)
"""A peer that never comes so near took longer than its limit."""


@dataclass(frozen=True)
class Ratio:
    """Ratio of two solvers' medians over starts, or its mean over problems, and how far it reaches.

    Attributes
    ----------
    value : float
        0 where the first alone comes near, infinite where the second alone does.
    low, high : float
        Smallest and largest ratio of one start; of a mean its 95 % interval.
    """

    value: float
    low: float
    high: float

    def __str__(self):
        return words_of(self.value)


def words_of(value: float) -> str:
    """A ratio in words.

    Examples
    --------
    >>> words_of(0.524), words_of(0.0), words_of(float("inf"))
    ('0.52 ×', 'alone', 'never')
    """
    if np.isinf(value):
        return "never"
    return f"{value:.2f} ×" if value > 0 else "alone"


def rows_of(file: Path = FILE) -> list[dict[str, Any]]:
    """One row for each problem and solver measured so far; what was never reached is infinite."""
    rows = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    for row in rows:
        row["seconds"] = {
            level: [np.inf if s is None else s for s in starts]
            for level, starts in row["seconds"].items()
        }
    return rows


def seconds_to(row: dict[str, Any], level: float) -> np.ndarray:
    """CPU seconds to one of :data:`LEVELS` from each start."""
    return np.array(row["seconds"][f"{level:g}"])


def ratio(row: dict[str, Any], other: dict[str, Any], target: float) -> Ratio | None:
    """The ratio of two solvers on one problem, or None where neither comes so near."""
    ours, theirs = (seconds_to(side, target) for side in (row, other))
    with np.errstate(invalid="ignore"):
        value, *each = np.r_[np.median(ours), ours] / np.r_[np.median(theirs), theirs]
    if np.isnan(value):
        return None
    known = [one for one in each if not np.isnan(one)]
    return Ratio(float(value), float(min(known)), float(max(known)))


def judge(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[Goal, str, bool | None]]:
    """Each goal that the rows can decide, what was measured, and whether it is met.

    A peer that never came so near took longer than its limit, which bounds the ratio from above.
    None where such a bound is too large to tell.
    """
    by_place = {(row["problem"], row["loss"], row["solver"]): row for row in rows}
    for goal in GOALS:
        found = {}
        for (problem, loss, solver), row in by_place.items():
            peer = by_place.get((problem, loss, goal.peer))
            if solver == goal.solver and peer is not None and row["text"] >= goal.text:
                value = ratio(row, peer, goal.target)
                if value is not None:
                    bound = _median(row, goal.target) / peer["limit"]
                    found[problem] = (value.value, True) if value.value else (bound, False)
        if not found:
            continue
        if goal.each:
            met, open_ = _each(goal, found)
            worst = max(found, key=lambda problem: found[problem])
            measured = f"on {met} of {len(found)}; most on {worst}, {_words(*found[worst])}"
            yield (
                goal,
                measured,
                met == len(found) or (None if met + open_ == len(found) else False),
            )
            continue
        values = [value for value, _ in found.values()]
        exact = all(known for _, known in found.values())
        mean = float(np.exp(np.mean(np.log(values))))
        measured = f"{_words(mean, exact)} over {len(values)} problems"
        yield goal, measured, mean <= goal.most or (False if exact else None)


def _each(goal, found):
    """On how many problems a goal is met, and on how many nobody knows."""
    met = [value <= goal.most for value, _ in found.values()]
    unknown = [not exact for _, exact in found.values()]
    return sum(met), sum(u and not m for u, m in zip(unknown, met, strict=True))


def _words(value, exact):
    return words_of(value) if exact else f"at most {words_of(value)}"


def _median(row, target):
    return float(np.median(seconds_to(row, target)))


def write_race(
    rows: Sequence[dict[str, Any]], output: Path, growth: dict[str, Any] | None = None
) -> Path:
    """Write ``race.html``; its path.

    Parameters
    ----------
    rows : list of dict
        At least one.
    output : Path
        Folder of the report.
    growth : dict, optional
        As :func:`nmfbench.reports.growth.tables` gives it.
    """
    problems: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        problems.setdefault((row["loss"], row["problem"]), []).append(row)
    tables = []
    for (loss, problem), found in problems.items():
        reference = next(row for row in found if row["solver"] == REFERENCE[loss])
        tables.append(
            {
                "title": f"{problem}, {LOSSES[loss]}",
                "shape": found[0]["shape"],
                "starts": len(found[0]["ends"]),
                "rows": [
                    {
                        **titled(row),
                        "cells": [_cell(row, reference, target) for target in TARGETS],
                        "ends": [100 * (x - 1) for x in np.quantile(row["ends"], [0.5, 0, 1])],
                    }
                    for row in found
                ],
            }
        )
    limits = sorted({row["limit"] for row in rows})
    dates = sorted({row["date"] for row in rows})
    return render_page(
        "race.html",
        output,
        over=list(_over_problems(rows)),
        tables=tables,
        goals=[(str(goal), measured, met) for goal, measured, met in judge(rows)],
        targets=TARGETS,
        limits=limits,
        dates=dates,
        processors=sorted({row["processor"] for row in rows}),
        load=max(row["load"] for row in rows),
        growth=growth,
    )


def titled(row):
    """Name of a solver, and its card if it is one of the registry."""
    if row.get("name"):
        return {"name": row["name"], "card": None}
    return {"name": solver_name(row["solver"]), "card": f"solvers/{row['solver']}.html"}


def _over_problems(rows):
    """For each loss a table of means over problems, the fastest to the first target first."""
    for loss in dict.fromkeys(row["loss"] for row in rows):
        there = [row for row in rows if row["loss"] == loss]
        references = {row["problem"]: row for row in there if row["solver"] == REFERENCE[loss]}
        shown = []
        for solver in dict.fromkeys(row["solver"] for row in there):
            own = [row for row in there if row["solver"] == solver]
            means = [mean_ratio(own, references, target) for target in TARGETS]
            reached = [sum(np.isfinite(_median(row, target)) for row in own) for target in TARGETS]
            cells = [
                _texts(mean) | {"reached": count, "of": len(own)}
                for mean, count in zip(means, reached, strict=True)
            ]
            first = np.inf if means[0] is None else means[0].value
            shown.append((first, {**titled(own[0]), "cells": cells}))
        yield {
            "loss": loss,
            "title": LOSSES[loss],
            "reference": solver_name(REFERENCE[loss]),
            "rows": [row for _, row in sorted(shown, key=lambda pair: pair[0])],
        }


def mean_ratio(rows, references, target) -> Ratio | None:
    """Geometric mean over problems of a solver's median time over that of the reference.

    A median that is beyond a limit counts as the limit; a problem on which both are does not count.

    Parameters
    ----------
    rows : list of dict
        Of one solver, one for each problem.
    references : dict
        Problem -> row of the reference.
    target : float
        One of :data:`TARGETS`.

    Returns
    -------
    Ratio or None
        With its 95 % interval by draws of starts with replacement; None without a problem.
    """
    rng, logs = np.random.default_rng(0), []
    for row in rows:
        other = references[row["problem"]]
        if not np.isfinite([_median(row, target), _median(other, target)]).any():
            continue
        sides = np.array([seconds_to(side, target) for side in (row, other)])
        sides = np.log(np.minimum(sides, [[row["limit"]], [other["limit"]]]))
        starts = np.arange(sides.shape[1])
        drawn = np.vstack([starts, rng.choice(starts, (_DRAWS, len(starts)))])
        ours, theirs = np.median(sides[:, drawn], axis=2)
        logs.append(ours - theirs)
    if not logs:
        return None
    mean, *means = np.exp(np.mean(logs, axis=0))
    low, high = np.quantile(means, [0.025, 0.975])
    return Ratio(float(mean), float(low), float(high))


_DRAWS = 2000  # of starts, for intervals


def _cell(row, reference, target):
    seconds = seconds_to(row, target)
    found = None if row is reference else ratio(row, reference, target)
    return {
        "median": float(np.median(seconds)),
        "reached": int(np.isfinite(seconds).sum()),
    } | _texts(found)


def _texts(found: Ratio | None) -> dict[str, str]:
    if found is None:
        return {"ratio": "", "range": ""}
    return {"ratio": str(found), "range": f"{words_of(found.low)} to {words_of(found.high)}"}
