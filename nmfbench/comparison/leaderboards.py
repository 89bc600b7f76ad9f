"""Leaderboards: which of all solvers for which job, from the records of comparisons.

A job is a task under one kind of corruption, or under none; or a race of the solvers that minimise
one loss. Its solvers are ordered by mean rank over the problems of the job, as a comparison ranks
them. Beside the order stands how far it can be
trusted: against which rivals the first has a significant lead, by the paired tests of comparisons,
and how much of the order is the same in two halves of the repeats.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from scipy import stats

from nmfbench.comparison.evaluate import (
    centers_of,
    race_scores,
    race_times,
    races_of,
    score_table,
    with_failures,
)
from nmfbench.comparison.plan import Plan
from nmfbench.comparison.questions import ALPHA, Question, question_of, repeats_to_decide
from nmfbench.problems.noise import NOISES
from nmfbench.records.store import Store
from nmfbench.stats.ranks import complete_block, mean_ranks, wins_ties_losses

__all__ = ["LOSSES", "Leaderboard", "leaderboards", "places", "race_traces"]


LOSSES = {
    "frobenius": "Frobenius norm",
    "kl": "Kullback-Leibler divergence",
    "itakura-saito": "Itakura-Saito divergence",
    "manhattan": "Manhattan distance",
}


@dataclass(frozen=True)
class Leaderboard:
    """Order of the solvers for a job.

    Attributes
    ----------
    question : Question
    corruption, loss : str or None
    problems : list of str
    repeats : int
        Draws of data, split and start, which all solvers share.
    asked : int
        Solvers that can do the job; a solver that lacks a record is not ranked.
    table : DataFrame
        One row per solver, the first one first: ``method``, ``mean_rank`` and ``standing``:
        "first"; "behind" of a rival over which the first one has a significant lead on a problem
        and none the other way round; "level" of one without a significant difference on any; else
        "mixed".
    scores : DataFrame
        ``problem``, ``method``, ``center``, ``low``, ``high``.
    agreement : float
        Kendall's tau between the orders in two halves of the repeats: 1 of equal orders, 0 of
        unrelated ones.
    first_of_halves : tuple of str
        Solvers that are first in the halves.
    records : DataFrame
        Scores behind it: ``problem``, ``method``, ``repeat``, ``score`` and more.
    """

    question: Question
    corruption: str | None
    loss: str | None
    problems: list[str]
    repeats: int
    asked: int
    table: pd.DataFrame
    scores: pd.DataFrame
    agreement: float
    first_of_halves: tuple[str, str]
    records: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)

    @property
    def key(self) -> str:
        """Task, corruption and loss, as the address of the job."""
        return "-".join(filter(None, [self.question.task, self.corruption, self.loss]))

    @property
    def title(self) -> str:
        """The job in words."""
        title = self.question.title
        if self.corruption is not None:
            title = f"{title} under {NOISES[self.corruption].title} noise"
        return title if self.loss is None else f"{title}, {LOSSES[self.loss]}"

    def among(self, methods: Iterable[str]) -> Leaderboard | None:
        """The leaderboard of some of its solvers alone; None if fewer than two have records."""
        own = self.records[self.records["method"].isin(list(methods))]
        return _leaderboard(self.question, self.corruption, self.loss, own) if len(own) else None

    @property
    def first(self) -> str:
        return self.table["method"].iloc[0]

    @property
    def level(self) -> list[str]:
        """Solvers not significantly different from the first one."""
        return self.table.query("standing == 'level'")["method"].tolist()


def leaderboards(records: pd.DataFrame) -> tuple[list[Leaderboard], list[Question]]:
    """Leaderboards of the jobs that most solvers have done, and tasks that too few have.

    Parameters
    ----------
    records : DataFrame
        Of :func:`nmfbench.comparison.evaluate.gather`.
    """
    ranked = records[records["ranked"]].copy()
    for _, runs in races_of(ranked):
        # Without its trace, which may have stayed where it was computed, a run has no time.
        runs = runs[["trace" in arrays for arrays in runs["arrays"]]]
        ranked.loc[runs.index, "score"] = race_scores(runs, race_times(runs))
    ranked["score"] = with_failures(ranked)
    found, lacking = [], []
    for task, of_task in ranked.groupby("task", sort=False):
        jobs = of_task.groupby(["corruption", "loss"], sort=False, dropna=False)
        made = [
            _leaderboard(question_of(task), _known(corruption), _known(loss), own)
            for (corruption, loss), own in jobs
        ]
        found += [board for board in made if board is not None]
        if all(board is None for board in made):
            lacking.append(question_of(task))
    return found, lacking


def places(boards: Sequence[Leaderboard]) -> dict[str, dict[str, Any]]:
    """Where each solver stands on the leaderboards.

    Returns
    -------
    dict
        By solver ``first``: address and title of the boards on which it is first in both halves of
        the repeats; ``level``: on how many others it is not significantly different from the first;
        ``boards``: on how many it is; ``speed``: seconds on the first problem of its race.
    """
    found: dict[str, dict[str, Any]] = {}
    for board in boards:
        stable = board.first_of_halves[0] == board.first_of_halves[1]
        for method, standing in zip(board.table["method"], board.table["standing"], strict=True):
            place = found.setdefault(method, {"first": [], "level": 0, "boards": 0, "speed": ""})
            place["boards"] += 1
            if standing == "first" and stable:
                place["first"].append((board.key, board.title))
            place["level"] += standing == "level" or (standing == "first" and not stable)
            if board.question.race:
                rows = board.scores.query("problem == @board.problems[0] and method == @method")
                seconds = rows["center"].iloc[0]
                place["speed"] = f"{seconds:.2g} s" if math.isfinite(seconds) else "not reached"
    return found


def race_traces(plan: Plan, store: Store) -> set[tuple[str, str]]:
    """Keys and names of the available arrays that leaderboards of races read."""
    races = [cell.trial.key for cell in plan.cells if question_of(cell.problem.task).race]
    return {(key, "trace") for key in races if "trace" in store.array_names(key)}


def _known(name: Any) -> Any:
    return None if pd.isna(name) else name


def _leaderboard(question, corruption, loss, records):
    """Of one job; None where too few repeats have records of most solvers."""
    asked = records["method"].nunique()
    has_all = records["score"].notna().groupby([records["repeat"], records["method"]]).all()
    by_repeat = has_all.unstack().sum(axis=1)
    records = records[records["repeat"].isin(by_repeat.index[by_repeat > asked / 2])]
    if records["repeat"].nunique() < repeats_to_decide(1):
        return None
    block = _block(records)
    if block.shape[1] < 2:
        return None
    higher = question.higher_is_better
    records = records[records["method"].isin(block.columns)]
    ranks = mean_ranks(block, higher)
    repeats = sorted(records["repeat"].unique())
    halves = [
        mean_ranks(_block(records[records["repeat"].isin(repeats[start::2])]), higher)
        for start in (0, 1)
    ]
    return Leaderboard(
        question=question,
        corruption=corruption,
        loss=loss,
        problems=list(dict.fromkeys(records["problem"])),
        repeats=len(repeats),
        asked=asked,
        table=_standings(records, ranks, higher),
        scores=score_table(records),
        agreement=float(stats.kendalltau(halves[0], halves[1].reindex(halves[0].index)).statistic),
        first_of_halves=(halves[0].index[0], halves[1].index[0]),
        records=records.drop(columns="arrays", errors="ignore"),
    )


def _block(records):
    """Scores of the solvers that have all problems and repeats: one row per problem."""
    return complete_block(centers_of(records, score_table(records)))


def _standings(records, ranks, higher):
    first = ranks.index[0]
    tests = wins_ties_losses(
        records.assign(task=records["problem"]), first, higher_is_better=higher, alpha=ALPHA
    )
    outcomes = tests.groupby("rival")["outcome"].agg(set)

    def standing(method):
        if method == first:
            return "first"
        decided = outcomes[method] & {"win", "loss"}
        return {frozenset(): "level", frozenset({"win"}): "behind"}.get(frozenset(decided), "mixed")

    table = ranks.rename_axis("method").reset_index()
    return table.assign(standing=[standing(method) for method in table["method"]])
