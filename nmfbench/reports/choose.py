"""The page *Choose*: for a task, a loss and a kind of data two or three solvers, and why.

All of it comes from the records behind the leaderboards. Where two halves of the repeats put
different solvers first, no winner is named; trivial baselines are marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

import numpy as np

from nmfbench.cards.facts import examined_by_class
from nmfbench.comparison.leaderboards import KINDS, LOSSES, Leaderboard, preferred
from nmfbench.core import registry
from nmfbench.guests import SolverSpec
from nmfbench.pages.environment import render_page
from nmfbench.problems.noise import NOISES
from nmfbench.reports import race
from nmfbench.reports.boards import score_of, solver_name, standing_of
from nmfbench.reports.numbers import interval
from nmfbench.reports.outcomes import is_baseline
from nmfbench.reports.regret import rows_of
from nmfbench.stats.intervals import t_interval

__all__ = [
    "Choice",
    "Suggestion",
    "address_of",
    "choices",
    "losses_of",
    "takes_sparse",
    "write_choose",
]

SMALL = "small problems"
"""Kind of the data of boards that all solvers have done."""

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
    seconds : str
        CPU seconds of a fit; empty of races, whose score they are.
    baseline : bool
        Whether it is a trivial one.
    """

    key: str
    name: str
    score: str
    lead: str
    seconds: str
    baseline: bool


@dataclass(frozen=True)
class Choice:
    """Evidence of the records on one job under one restriction.

    Attributes
    ----------
    task, kind, data, loss, outliers : str
        Terms of the job, as filters show them: the kind of data, and whether they are dense or
        sparse.
    problems : list of str
    key : str
        Of the task.
    winner : bool
        Whether the same solver is first in both halves of the repeats, and ahead of another one.
    why : str
    suggestions : list of Suggestion
        At most three, by mean rank: the first and what is indistinguishable from it, or those that
        are first in one half.
    board : str
        Address of the leaderboard.
    """

    task: str
    kind: str
    data: str
    loss: str
    outliers: str
    problems: list[str]
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
    """One for each job, loss and form of data that at least two solvers have done.

    Small problems count where a job has no leaderboard on real data. Jobs of any loss on
    dense data come first.

    Parameters
    ----------
    boards : sequence of Leaderboard
    """
    found = []
    for board in preferred(boards):
        known = [key for key in board.table["method"] if key in registry.solvers]
        losses = losses_of(known)
        groups = {"any": known} if board.loss is None else {}
        for loss, words in LOSSES.items():
            if board.loss in (None, loss):
                groups[words] = [key for key in known if board.loss or losses[key] == loss]
        for loss, keys in groups.items():
            for data, own in _forms(board, keys).items():
                among = board.among(own) if len(own) > 1 else None
                if among is not None:
                    found.append(_choice(board, among, loss, data))
    return sorted(
        found, key=lambda choice: (choice.loss != "any", choice.kind == SMALL, choice.data)
    )


def _forms(board, keys):
    """Solvers for dense and for sparse data: texts are sparse; on small problems, which are dense,
    those that keep sparse data sparse stand apart, too."""
    sparse = [key for key in keys if takes_sparse(key)]
    if board.kind == "text":
        return {"sparse": sparse}
    return {"dense": keys} | ({"sparse": sparse} if board.kind is None else {})


def _choice(board, among, loss, data):
    keys = dict.fromkeys(
        [*({among.first} if among.stable else among.first_of_halves), *among.level]
    )
    costs = board.costs().set_index("method")["seconds"]
    return Choice(
        task=board.criterion.title,
        kind=_kind(board),
        data=data,
        loss=loss,
        outliers=_outliers(board),
        problems=board.problems,
        key=board.criterion.task,
        winner=among.winner is not None,
        why=standing_of(among),
        suggestions=[_suggestion(board, among, key, costs) for key in list(keys)[:_MOST]],
        board=board.key,
    )


def _suggestion(board, among, key, costs):
    return Suggestion(
        key,
        solver_name(key),
        score_of(among, key, among.problems[0]),
        lead(board, key),
        f"{costs[key]:.2g} s" if key in costs and not board.criterion.race else "",
        is_baseline(key),
    )


def _kind(board):
    return SMALL if board.kind is None else KINDS.get(board.kind, board.kind)


def _outliers(board):
    return "none" if board.corruption is None else NOISES[board.corruption].title


def address_of(board: Leaderboard) -> str:
    """Where a leaderboard's own choice is shown, and no other."""
    terms = {
        "task": board.criterion.title,
        "on": _kind(board),
        "loss": "any" if board.loss is None else LOSSES[board.loss],
        "outliers": _outliers(board),
    }
    return f"choose.html#{urlencode(terms, quote_via=quote)}"


def lead(board: Leaderboard, key: str, over: str = PLAIN) -> str:
    """How far a solver is ahead of another one on a leaderboard, with a 95 % interval.

    A paired difference over repeats of the mean over problems, in units of the score; positive if
    the solver is the better one. Empty of races, whose times have no mean, and where one of both
    has no record.
    """
    records = board.records
    if board.criterion.race or key == over or not {key, over} <= set(records["method"]):
        return ""
    scores = records.pivot_table(index="repeat", columns="method", values="score", aggfunc="mean")
    ahead = (scores[key] - scores[over]).dropna()
    ahead = ahead[np.isfinite(ahead)]
    if len(ahead) < 2:
        return ""
    sign = 1 if board.criterion.higher_is_better else -1
    ahead = sign * ahead
    return f"{ahead.mean():+.3g} {interval(*t_interval(ahead))}"


def write_choose(boards: Sequence[Leaderboard], output: Path) -> Path:
    """Write ``choose.html``; its path."""
    found = choices(boards)
    scores: Mapping[str, str] = {board.key: board.criterion.score for board in boards}
    return render_page(
        "choose.html",
        output,
        choices=found,
        scores=scores,
        plain=solver_name(PLAIN),
        regret=bool(rows_of()),
        race=race.soonest(race.rows_of()),
    )
