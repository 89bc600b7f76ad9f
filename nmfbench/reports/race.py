"""The race on hard problems, as ``benchmarks/race.py`` measured it: goals, ratios and means."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nmfbench.comparison.leaderboards import LOSSES
from nmfbench.core import registry
from nmfbench.reports.boards import solver_name

__all__ = [
    "FILE",
    "GOALS",
    "LEVELS",
    "REFERENCE",
    "TARGETS",
    "Goal",
    "Ratio",
    "by_solver",
    "judge",
    "mean_ratio",
    "median_to",
    "ratio",
    "rows_of",
    "seconds_to",
    "soonest",
    "titled",
    "words_of",
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


def median_to(row: dict[str, Any], level: float) -> float:
    """Median of :func:`seconds_to` over starts."""
    return float(np.median(seconds_to(row, level)))


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
                    bound = median_to(row, goal.target) / peer["limit"]
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


def titled(row: dict[str, Any]) -> dict[str, str | None]:
    """Name of a solver, with the version of another library, and its card if it has one."""
    key = row["solver"]
    card = f"solvers/{key}.html" if key in registry.solvers else None
    return {"name": row.get("name") or solver_name(key), "card": card}


def by_solver(
    rows: Sequence[dict[str, Any]], loss: str
) -> tuple[dict[str, list[dict[str, Any]]], dict[str, dict[str, Any]]]:
    """The rows of a loss by solver, and those of its reference by problem."""
    runs: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if row["loss"] == loss:
            runs.setdefault(row["solver"], []).append(row)
    return runs, {row["problem"]: row for row in runs.get(REFERENCE[loss], [])}


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
        if not np.isfinite([median_to(row, target), median_to(other, target)]).any():
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


def soonest(rows: Sequence[dict[str, Any]], target: float = TARGETS[0]) -> list[str]:
    """For each loss a sentence on who first comes near the best objective, on all problems.

    Parameters
    ----------
    rows : list of dict
    target : float
        One of :data:`TARGETS`.
    """
    found = []
    for loss, reference in REFERENCE.items():
        runs, references = by_solver(rows, loss)
        means = {
            solver: mean
            for solver, own in runs.items()
            if solver != reference and len(own) == len(references)
            if (mean := mean_ratio(own, references, target)) is not None
        }
        ranked = sorted(means, key=lambda solver: means[solver].value)
        theirs = [solver for solver in ranked if _is_of_others(solver)]
        shown = [
            (
                str(titled(runs[solver][0])["name"]),
                f"{_bound(runs[solver], references, target)}{lead}",
            )
            for solver in [*ranked[:1], *theirs[:1]]
            for mean in [means[solver]]
            for lead in [f"{mean.value:.2f} times [{mean.low:.2f}, {mean.high:.2f}]"]
        ]
        if not shown:
            continue
        name, lead = shown[0]
        text = (
            f"{name} takes {lead} the CPU time of {solver_name(reference)} to an objective within "
            f"{100 * (target - 1):g} % of where it ends ({LOSSES[loss]}, {len(references)} hard "
            "problems)"
        )
        if shown[1:] and shown[1] != shown[0]:
            text += f"; of other libraries the first is {', '.join(shown[1])}"
        found.append(f"{text}.")
    return found


def _bound(own, references, target):
    """What a mean ratio is where runs did not come so near, whose limit is counted."""
    ours, theirs = (
        [np.isinf(median_to(row, target)) for row in rows]
        for rows in (own, [references[row["problem"]] for row in own])
    )
    never = {(mine, peer) for mine, peer in zip(ours, theirs, strict=True) if mine != peer}
    words = {frozenset([(True, False)]): "at least ", frozenset([(False, True)]): "at most "}
    return words.get(frozenset(never), "about " if never else "")


def _is_of_others(solver):
    return solver not in registry.solvers or registry.solvers[solver].info["wraps"] is not None
