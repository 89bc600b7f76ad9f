"""Criteria of a comparison: by what score, and in which direction, a task ranks its solvers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nmfbench.core import registry
from nmfbench.core.matters import Ratio, smallest_difference

__all__ = ["ALPHA", "FACTORS", "Criterion", "criterion_of", "repeats_to_decide", "why_no_criterion"]

ALPHA = 0.05
"""Level of all tests."""

FACTORS = (1.01, 1.001)
"""Targets of races, as multiples of the best objective; the time to the first is the score."""


@dataclass(frozen=True)
class Criterion:
    """Score of a task's trials, as its registration declares it.

    Attributes
    ----------
    task, title : str
    metric : str or None
        None of a race, whose score comes from the traces of all who take part.
    score : str
        The metric as text.
    higher_is_better, race : bool
    center : {"mean", "median"}
        What stands for the repeats of a problem in tables and ranks. A mean of times would be
        infinite if one repeat of ten missed the target.
    smallest : float, Ratio or None
        Smallest difference of the score that matters; below it, two solvers tie.
    """

    task: str
    title: str
    metric: str | None
    score: str
    higher_is_better: bool
    race: bool
    center: str
    smallest: float | Ratio | None


def criterion_of(task: str) -> Criterion:
    """The criterion of a task that declares a score."""
    facts = registry.tasks[task].info
    if facts["race"]:
        score = f"seconds to {FACTORS[0]:g} times the best objective"
        smallest = smallest_difference("seconds", facts["matters"])
        return Criterion(task, facts["title"], None, score, False, True, "median", smallest)
    metric, higher = facts["score"], bool(facts["higher_is_better"])
    try:
        smallest = None if metric is None else smallest_difference(metric, facts["matters"])
    except KeyError:  # an external task that does not say which difference matters
        smallest = None
    score = facts["score_name"] or ""
    return Criterion(task, facts["title"], metric, score, higher, False, "mean", smallest)


def why_no_criterion(task: str) -> str | None:
    """Why solvers cannot be compared on a task; None if they can.

    Parameters
    ----------
    task : str
        Key of a task.
    """
    if task not in registry.problems:
        return "no problems are registered for it (see nmfbench.problems)"
    facts = registry.tasks[task].info
    return None if facts["race"] or facts["score"] else "it declares no score"


def repeats_to_decide(comparisons: int) -> int:
    r"""The number of repeats from which on a lead in all of them is a significant one.

    The smallest p-value of a signed-rank test of n differences is :math:`2^{1-n}`, and Holm's
    correction multiplies the smallest of all by the number of comparisons.

    Examples
    --------
    >>> repeats_to_decide(1), repeats_to_decide(24), repeats_to_decide(25)
    (6, 10, 10)
    """
    return math.floor(math.log2(comparisons / ALPHA)) + 2
