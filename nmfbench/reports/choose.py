"""The page *Choose*: for a task, a loss and a kind of data two or three solvers, and why.

All of it comes from the records behind the leaderboards. Where two halves of the repeats put
different solvers first, no winner is named; trivial baselines are marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nmfbench.cards.facts import examined_by_class
from nmfbench.comparison.leaderboards import LOSSES, Leaderboard
from nmfbench.core import registry
from nmfbench.guests import SolverSpec
from nmfbench.pages.environment import render_page
from nmfbench.problems.noise import NOISES
from nmfbench.reports.numbers import interval, number
from nmfbench.reports.outcomes import is_baseline
from nmfbench.reports.regret import rows_of
from nmfbench.stats.intervals import t_interval

__all__ = ["Choice", "Suggestion", "choices", "losses_of", "takes_sparse", "write_choose"]

PLAIN = "mu"
"""Baseline of all leads: plain NMF, by multiplicative updates."""

_MOST = 3


@dataclass(frozen=True)
class Suggestion:
    """A solver for a job.

    Attributes
    ----------
    key, name : str
    score : str
        With its interval, on the first problem of the job.
    lead : str
        Over plain NMF, with its interval; empty for that itself, and where it is not compared.
    baseline : bool
        Whether it is a trivial one.
    """

    key: str
    name: str
    score: str
    lead: str
    baseline: bool


@dataclass(frozen=True)
class Choice:
    """Evidence of the records on one job under one restriction.

    Attributes
    ----------
    task, loss, data, outliers : str
        The job in words, as filters show them.
    key : str
        Of the task.
    winner : bool
        Whether the same solver is first in both halves of the repeats, and ahead of another one.
    why : str
    suggestions : list of Suggestion
        At most three, by mean rank: the first and what is not told apart from it, or those that
        are first in one half.
    board : str
        Address of the leaderboard.
    """

    task: str
    loss: str
    data: str
    outliers: str
    key: str
    winner: bool
    why: str
    suggestions: list[Suggestion]
    board: str


def losses_of(keys: Sequence[str]) -> dict[str, str | None]:
    """The loss that each solver minimises, if that is one alone."""
    return {key: examined_by_class(SolverSpec(key)).loss for key in keys}


def takes_sparse(key: str) -> bool:
    """Whether a solver keeps sparse data sparse."""
    return bool(getattr(registry.solvers[key].target, "accepts_sparse", False))


def choices(boards: Sequence[Leaderboard]) -> list[Choice]:
    """One for each job, loss and kind of data that at least two solvers have done.

    Those of any loss on dense data come first.

    Parameters
    ----------
    boards : sequence of Leaderboard
    """
    found = []
    for board in boards:
        known = [key for key in board.table["method"] if key in registry.solvers]
        losses = losses_of(known)
        groups = {"any": known} if board.loss is None else {}
        for loss, words in LOSSES.items():
            if board.loss in (None, loss):
                groups[words] = [key for key in known if board.loss or losses[key] == loss]
        for loss, keys in groups.items():
            for data, own in (("dense", keys), ("sparse", [k for k in keys if takes_sparse(k)])):
                among = board.among(own) if len(own) > 1 else None
                if among is not None:
                    found.append(_choice(board, among, loss, data))
    return sorted(found, key=lambda choice: (choice.loss != "any", choice.data != "dense"))


def _choice(board, among, loss, data):
    question = board.question
    level = among.level
    behind = int((among.table["standing"] == "behind").sum())
    agree = among.first_of_halves[0] == among.first_of_halves[1]
    keys = dict.fromkeys([*({among.first} if agree else among.first_of_halves), *level])
    first, n, rank = _name(among.first), len(among.table), among.table["mean_rank"].iloc[0]
    if not agree:
        one, other = map(_name, among.first_of_halves)
        why = f"No winner: {one} is first in one half of {among.repeats} repeats, {other} in the other."
    elif not behind:
        why = f"No winner: none of {n} solvers is behind another on {among.repeats} repeats."
    else:
        why = (
            f"{first} has the best mean rank, {rank:.1f} of {n}, in both halves of "
            f"{among.repeats} repeats: ahead of {behind}, not told apart from {len(level)}."
        )
    trivial = [_name(key) for key in level if is_baseline(key)]
    if is_baseline(among.first):
        why += f" Nothing is ahead of {first}, a trivial baseline."
    elif trivial:
        why += f" {first} is not told apart from {trivial[0]}, a trivial baseline."
    return Choice(
        task=question.title,
        loss=loss,
        data=data,
        outliers="none" if board.corruption is None else NOISES[board.corruption].title,
        key=question.task,
        winner=agree and behind > 0,
        why=why,
        suggestions=[_suggestion(board, among, key) for key in list(keys)[:_MOST]],
        board=board.key,
    )


def _suggestion(board, among, key):
    scores = among.scores
    rows = scores[(scores["method"] == key) & (scores["problem"] == among.problems[0])]
    row = rows.iloc[0]
    score = (
        f"{number(row['center'])} {interval(row['low'], row['high'])}"
        if np.isfinite(row["center"])
        else "not reached"
    )
    return Suggestion(key, _name(key), score, lead(board, key), is_baseline(key))


def lead(board: Leaderboard, key: str, over: str = PLAIN) -> str:
    """How far a solver is ahead of another one on a leaderboard, with a 95 % interval.

    A paired difference over repeats of the mean over problems, in units of the score; positive if
    the solver is the better one. Empty of races, whose times have no mean, and where one of both
    has no record.
    """
    records = board.records
    if board.question.race or key == over or not {key, over} <= set(records["method"]):
        return ""
    scores = records.pivot_table(index="repeat", columns="method", values="score", aggfunc="mean")
    ahead = (scores[key] - scores[over]).dropna()
    ahead = ahead[np.isfinite(ahead)]
    if len(ahead) < 2:
        return ""
    sign = 1 if board.question.higher_is_better else -1
    ahead = sign * ahead
    return f"{ahead.mean():+.3g} {interval(*t_interval(ahead))}"


def _name(key):
    return registry.solvers[key].info["name"] if key in registry.solvers else key


def write_choose(boards: Sequence[Leaderboard], output: Path) -> Path:
    """Write ``choose.html``; its path."""
    found = choices(boards)
    scores: Mapping[str, str] = {board.key: board.question.score for board in boards}
    return render_page(
        "choose.html",
        output,
        choices=found,
        scores=scores,
        plain=_name(PLAIN),
        regret=bool(rows_of()),
    )
