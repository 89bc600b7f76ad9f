"""Leaderboards: which of all solvers for which job, from the records of comparisons.

A job is a task under one kind of corruption, or under none; or a race of the solvers that minimise
one loss. There are jobs on small problems, which all solvers do, and jobs on one kind of real data,
of the solvers that have records there. The solvers of a job are ordered by mean rank over the
problems of the job, as a comparison ranks them. Beside the order stands how far it can be trusted:
which rivals the first is ahead of, by signed-rank tests over the repeats of mean ranks over the
problems, and how much of the order is the same in two halves of the repeats. One test for each
rival, whatever the number of problems: ten repeats decide at most 25 tests after Holm's correction.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from nmfbench.comparison.criteria import ALPHA, Criterion, criterion_of, repeats_to_decide
from nmfbench.comparison.evaluate import (
    centers_of,
    kind_of,
    race_scores,
    race_times,
    races_of,
    score_table,
    with_failures,
)
from nmfbench.comparison.plan import Plan
from nmfbench.problems.noise import NOISES
from nmfbench.records.store import Store
from nmfbench.stats.profiles import pareto_front
from nmfbench.stats.ranks import complete_block, mean_ranks, wilcoxon_holm

__all__ = [
    "KINDS",
    "LOSSES",
    "STANDINGS",
    "Leaderboard",
    "leaderboards",
    "places",
    "preferred",
    "race_traces",
]


LOSSES = {
    "frobenius": "Frobenius norm",
    "kl": "Kullback-Leibler divergence",
    "itakura-saito": "Itakura-Saito divergence",
    "manhattan": "Manhattan distance",
}

KINDS = {
    "images": "images",
    "text": "texts",
    "counts": "counts",
    "video": "videos",
    "spectra": "spectra",
    "multiview": "several views",
    "annotation": "annotated images",
    "segmentation": "photographs",
}
"""Titles of the kinds of real data."""

STANDINGS = {
    "first": "first",
    "level": "indistinguishable from the first",
    "behind": "behind the first",
    "mixed": "ahead of the first in most repeats, behind it by means",
    "open": "not tested: too few repeats for so many solvers",
}
"""Standing of a solver on a leaderboard, as text."""

_TICK = 1e-4  # seconds that the clock does not tell apart
_LEAST = 5  # solvers of a leaderboard on real data, where as many can do the job


@dataclass(frozen=True)
class Leaderboard:
    """Order of the solvers for a job.

    Attributes
    ----------
    criterion : Criterion
    corruption, loss : str or None
    kind : str or None
        Of the real data; None of small problems.
    problems : list of str
    repeats : int
        Draws of data, split and start, which all solvers share.
    asked : int
        Solvers that can do the job; a solver that lacks a record is not ranked.
    table : DataFrame
        One row per solver, the first one first: ``method``, ``mean_rank`` and ``standing``:
        "first"; "behind" of a rival over which the first one has a significant lead, "mixed" of one
        that has a significant lead over the first; "level" without a significant difference; "open"
        where even a lead in every repeat would not be significant among so many rivals.
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

    criterion: Criterion
    corruption: str | None
    loss: str | None
    kind: str | None
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
        """Task, corruption, loss and kind of data, as the address of the job."""
        return "-".join(filter(None, [self.criterion.task, self.corruption, self.loss, self.kind]))

    @property
    def title(self) -> str:
        """The job as text."""
        title = self.criterion.title
        if self.kind is not None:
            title = f"{title}: {KINDS.get(self.kind, self.kind)}"
        if self.corruption is not None:
            noise = NOISES[self.corruption].title
            title = f"{title} under {noise}{'' if noise == 'occlusion' else ' noise'}"
        return title if self.loss is None else f"{title}, {LOSSES[self.loss]}"

    def among(self, methods: Iterable[str]) -> Leaderboard | None:
        """The leaderboard of some of its solvers alone; None if fewer than two have records."""
        own = self.records[self.records["method"].isin(list(methods))]
        if own.empty:
            return None
        return _leaderboard(self.criterion, self.corruption, self.loss, self.kind, own)

    @property
    def first(self) -> str:
        return self.table["method"].iloc[0]

    @property
    def level(self) -> list[str]:
        """Solvers not significantly different from the first one."""
        return self.table.query("standing == 'level'")["method"].tolist()

    @property
    def open(self) -> bool:
        """Whether there are too few repeats to test so many solvers."""
        return bool((self.table["standing"] == "open").any())

    @property
    def stable(self) -> bool:
        """Whether the same solver is first in both halves of the repeats."""
        return self.first_of_halves[0] == self.first_of_halves[1]

    @property
    def winner(self) -> str | None:
        """The first one, where that is sure and it is ahead of another one."""
        ahead = (self.table["standing"] == "behind").any()
        return self.first if self.stable and ahead else None

    def costs(self) -> pd.DataFrame:
        """Quality and time of its solvers: ``method``, ``score``, ``seconds``, ``front``.

        The score is the mean over problems; seconds are CPU seconds of a fit, medians over repeats
        and their geometric mean over problems, on the processor that computed most of the records:
        another one may take three times as long. Who lacks a problem there is left out. No solver
        beats one of the front in both.
        """
        scores = self.scores.groupby("method")["center"].mean()
        fits = self.records.dropna(subset=["cpu_seconds"])
        processors = fits["host"].map(itemgetter("cpu"))
        fits = fits[processors.isin(processors.mode()[:1])]
        medians = fits.groupby(["method", "problem"])["cpu_seconds"].median().unstack().dropna()
        seconds = np.exp(np.log(medians.clip(lower=_TICK)).mean(axis=1))
        table = pd.DataFrame({"score": scores, "seconds": seconds})
        table = table[np.isfinite(table).all(axis=1)].rename_axis("method").reset_index()
        front = pareto_front(table["seconds"], table["score"], self.criterion.higher_is_better)
        return table.assign(front=front)


def leaderboards(
    records: pd.DataFrame, *, by_kind: bool = False
) -> tuple[list[Leaderboard], list[Criterion]]:
    """Leaderboards of the jobs that most solvers have done, and tasks that too few have.

    Parameters
    ----------
    records : DataFrame
        Of :func:`nmfbench.comparison.evaluate.gather`.
    by_kind : bool, default=False
        One for each kind of real data instead, without generated data, of the solvers that have
        records there, on the problems that most of these have done.
    """
    ranked = records[records["ranked"]]
    ranked = ranked[ranked["kind"].notna()].copy() if by_kind else ranked.assign(kind=None)
    for _, runs in races_of(ranked):
        # Without its trace, which may have stayed where it was computed, a run has no time.
        runs = runs[["trace" in arrays for arrays in runs["arrays"]]]
        ranked.loc[runs.index, "score"] = race_scores(runs, race_times(runs))
    ranked["score"] = with_failures(ranked)
    found, lacking = [], []
    for task, of_task in ranked.groupby("task", sort=False):
        jobs = of_task.groupby(["corruption", "loss", "kind"], sort=False, dropna=False)
        made = [
            _leaderboard(criterion_of(task), _known(corruption), _known(loss), _known(kind), own)
            for (corruption, loss, kind), own in jobs
        ]
        made = [
            board
            for board in made
            if board is not None
            and (board.kind is None or len(board.table) >= min(_LEAST, board.asked))
        ]
        found += made
        if not made:
            lacking.append(criterion_of(task))
    return found, lacking


def preferred(boards: Sequence[Leaderboard]) -> list[Leaderboard]:
    """Leaderboards on real data, and on small problems where a job has none on real data."""
    real = {(b.criterion.task, b.corruption, b.loss) for b in boards if b.kind is not None}
    return [b for b in boards if b.kind or (b.criterion.task, b.corruption, b.loss) not in real]


def places(boards: Sequence[Leaderboard]) -> dict[str, dict[str, Any]]:
    """Where each solver stands on the leaderboards.

    Returns
    -------
    dict
        By solver ``first``: address and title of the boards on which it is first in both halves of
        the repeats; ``level``: on how many others it is not significantly different from the first;
        ``boards``: on how many it is; ``speed``: seconds on the first problem of its race;
        ``rows``: address, title, rank, standing and its words, score with its interval on the
        first problem, and seconds of a fit of each board.
    """
    found: dict[str, dict[str, Any]] = {}
    for board in boards:
        seconds = {} if board.criterion.race else board.costs().set_index("method")["seconds"]
        on_first = board.scores[board.scores["problem"] == board.problems[0]].set_index("method")
        for method, rank, standing in board.table.itertuples(index=False):
            place = found.setdefault(
                method, {"first": [], "level": 0, "boards": 0, "speed": "", "rows": []}
            )
            place["boards"] += 1
            place["rows"].append(
                {
                    "address": board.key,
                    "title": board.title,
                    "real": board.kind is not None,
                    "rank": rank,
                    "of": len(board.table),
                    "standing": standing,
                    "words": STANDINGS[standing],
                    "problem": board.problems[0],
                    "score": board.criterion.score,
                    "center": on_first.loc[method, "center"],
                    "low": on_first.loc[method, "low"],
                    "high": on_first.loc[method, "high"],
                    "seconds": seconds.get(method),
                }
            )
            if standing == "first" and board.stable:
                place["first"].append((board.key, board.title))
            place["level"] += standing == "level" or (standing == "first" and not board.stable)
            if board.criterion.race:
                reached = on_first.loc[method, "center"]
                place["speed"] = f"{reached:.2g} s" if math.isfinite(reached) else "not reached"
    return found


def race_traces(plan: Plan, store: Store, *, by_kind: bool = False) -> set[tuple[str, str]]:
    """Keys and names of the available arrays that leaderboards of races read."""
    races = {
        cell.trial.key
        for cell in plan.cells
        if criterion_of(cell.problem.task).race and not (by_kind and kind_of(cell.problem) is None)
    }
    return {(key, "trace") for key in races if "trace" in store.array_names(key)}


def _known(name: Any) -> Any:
    return None if pd.isna(name) else name


def _leaderboard(criterion, corruption, loss, kind, records):
    """Of one job; None where too few repeats have records of most solvers."""
    asked = records["method"].nunique()
    if kind is not None:
        records = _of_those_there(records)
    has_all = records["score"].notna().groupby([records["repeat"], records["method"]]).all()
    by_repeat = has_all.unstack().sum(axis=1)
    most = by_repeat > records["method"].nunique() / 2
    records = records[records["repeat"].isin(by_repeat.index[most])]
    if records["repeat"].nunique() < repeats_to_decide(1):
        return None
    block = _block(records)
    if block.shape[1] < 2:
        return None
    higher = criterion.higher_is_better
    records = records[records["method"].isin(block.columns)]
    ranks = mean_ranks(block, higher)
    repeats = sorted(records["repeat"].unique())
    halves = [
        mean_ranks(_block(records[records["repeat"].isin(repeats[start::2])]), higher)
        for start in (0, 1)
    ]
    return Leaderboard(
        criterion=criterion,
        corruption=corruption,
        loss=loss,
        kind=kind,
        problems=list(dict.fromkeys(records["problem"])),
        repeats=len(repeats),
        asked=asked,
        table=_standings(records, ranks, higher),
        scores=score_table(records),
        agreement=float(stats.kendalltau(halves[0], halves[1].reindex(halves[0].index)).statistic),
        first_of_halves=(halves[0].index[0], halves[1].index[0]),
        records=records.drop(columns="arrays", errors="ignore"),
    )


def _of_those_there(records):
    """Without problems that have records of few of the solvers, and solvers that have none."""
    there = records["score"].notna().groupby([records["problem"], records["method"]]).any()
    done = there.unstack(fill_value=False)
    done = done.loc[done.sum(axis=1) > done.sum(axis=1).max() / 2]
    methods = done.columns[done.all()]
    return records[records["problem"].isin(done.index) & records["method"].isin(methods)]


def _block(records):
    """Scores of the solvers that have all problems and repeats: one row per problem."""
    return complete_block(centers_of(records, score_table(records)))


def _standings(records, ranks, higher):
    first = ranks.index[0]
    by_repeat = _ranks_by_repeat(records, higher)
    tests = wilcoxon_holm(by_repeat, higher_is_better=False, against=first).set_index("rival")
    enough = len(by_repeat) >= repeats_to_decide(len(tests))

    def standing(method):
        if method == first:
            return "first"
        if not enough:
            return "open"
        test = tests.loc[method]
        if test["p_adjusted"] >= ALPHA:
            return "level"
        return "behind" if test["effect"] > 0 else "mixed"

    table = ranks.rename_axis("method").reset_index()
    return table.assign(standing=[standing(method) for method in table["method"]])


def _ranks_by_repeat(records, higher):
    """Mean ranks over the problems: one row for each repeat in which nothing is missing."""
    whole = records.pivot(index="repeat", columns=["problem", "method"], values="score").dropna()
    found = {k: mean_ranks(row.unstack("method"), higher) for k, row in whole.iterrows()}
    return pd.DataFrame(found, index=records["method"].unique()).T
