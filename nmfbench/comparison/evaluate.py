"""From the records of a comparison to its tables: all statistics of the page are made here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from nmfbench.comparison.criteria import ALPHA, FACTORS, criterion_of
from nmfbench.comparison.plan import Plan
from nmfbench.core import registry
from nmfbench.problems.problem import Problem
from nmfbench.records.results import reason
from nmfbench.records.store import Store
from nmfbench.records.stored import StoredArrays
from nmfbench.stats.breakdown import breakdown_levels
from nmfbench.stats.intervals import mean_and_interval
from nmfbench.stats.profiles import (
    anytime_curves,
    data_profile,
    pareto_front,
    performance_profile,
    times_to_target,
)
from nmfbench.stats.ranks import (
    complete_block,
    critical_difference,
    mean_ranks,
    wins_ties_losses,
)

__all__ = [
    "Findings",
    "Speed",
    "centers_of",
    "evaluate",
    "gather",
    "kind_of",
    "score_table",
    "with_failures",
]

_FEW = 4  # problems, of fewer no diagram is drawn
_TICK = 1e-4  # seconds that the clock does not tell apart


@dataclass(frozen=True)
class Speed:
    """Times and curves of the solvers that minimise one loss.

    Attributes
    ----------
    times : DataFrame
        ``problem``, ``repeat``, ``method``, ``factor``, ``target``, ``cost``.
    profile, budgets : DataFrame
        Performance and data profiles, with a column ``panel`` for the factor.
    curves : DataFrame
        Anytime curves, by ``problem``.
    """

    times: pd.DataFrame
    profile: pd.DataFrame
    budgets: pd.DataFrame
    curves: pd.DataFrame


@dataclass
class Findings:
    """Tables of a comparison.

    Attributes
    ----------
    records : DataFrame
        One row per trial: ``task``, ``problem``, ``method``, ``repeat``, ``status``, ``score``, ...
    scores : DataFrame
        Mean and interval over repeats by ``task``, ``problem`` and ``method``.
    outcomes : DataFrame
        The paired tests: ``solver``, ``task``, ``problem``, ``rival``, ``outcome``, ...
    summary : DataFrame
        One row per task and new solver.
    differences : dict of str to DataFrame
        Tables of critical-difference diagrams, by title.
    speed : dict of str to Speed
        By loss.
    quality_time : DataFrame
    robustness, breakdowns : DataFrame
    failures : DataFrame
        ``method``, ``task``, ``reason``, ``trials``.
    left_out : DataFrame
    """

    records: pd.DataFrame
    scores: pd.DataFrame
    outcomes: pd.DataFrame
    summary: pd.DataFrame
    differences: dict[str, pd.DataFrame] = field(default_factory=dict)
    speed: dict[str, Speed] = field(default_factory=dict)
    quality_time: pd.DataFrame = field(default_factory=pd.DataFrame)
    robustness: pd.DataFrame = field(default_factory=pd.DataFrame)
    breakdowns: pd.DataFrame = field(default_factory=pd.DataFrame)
    failures: pd.DataFrame = field(default_factory=pd.DataFrame)
    left_out: pd.DataFrame = field(default_factory=pd.DataFrame)


def gather(
    plan: Plan, store: Store, timings: Store | None = None, timed_here: Collection[str] = ()
) -> pd.DataFrame:
    """The records of a plan, one row per cell; without a record its status is ``missing``.

    Parameters
    ----------
    plan : Plan
    store : Store
    timings : Store, optional
        Of this host, where the main one has timings from elsewhere.
    timed_here : collection of str
        Keys of the timings to take from there.
    """
    own = [cell.trial.key for cell in plan.cells if cell.trial.key in timed_here]
    found = {r["key"]: r for r in store.records(c.trial.key for c in plan.cells)}
    for key in own:
        found.pop(key, None)
    if timings is not None:
        found |= {record["key"]: record for record in timings.records(own)}
    # Where the fit failed, its tasks may have no records.
    bases = {c.trial.base.key for c in plan.cells if c.trial.base is not None}
    failed = {r["key"]: r for r in store.records(bases) if r["status"] == "failed"}
    rows = []
    measured: dict[str, set[str]] = {}
    for cell in plan.cells:
        problem, key = cell.problem, cell.trial.key
        record: Any = found.get(key) or _NO_RECORD
        if record is _NO_RECORD and cell.trial.base is not None:
            record = failed.get(cell.trial.base.key, _NO_RECORD) | {"metrics": {}}
        criterion = criterion_of(problem.task)
        measured.setdefault(problem.task, set()).update(record["metrics"])
        where = timings if timings is not None and key in timed_here else store
        rows.append(
            {
                "task": problem.task,
                "problem": problem.label,
                "ranked": problem.ranked,
                "loss": problem.loss,
                "dataset": problem.dataset,
                "corruption": problem.corruption,
                "level": problem.level,
                "group": _group(problem),
                "kind": kind_of(problem),
                "method": cell.entrant.label,
                "new": cell.entrant.new,
                "repeat": cell.repeat,
                "key": key,
                "status": record["status"],
                "error": record["error"],
                "score": record["metrics"].get(criterion.metric, np.nan),
                "seconds": record.get("seconds"),
                "cpu_seconds": record.get("cpu_seconds"),
                "objective": record.get("objective"),
                "timed": problem.timed,
                "code": record.get("code"),
                "host": record.get("host"),
                "versions": record.get("versions"),
                "finished": record.get("finished"),
                "arrays": StoredArrays(where, key),
            }
        )
    _check_scores(measured)
    return pd.DataFrame(rows).astype(dict.fromkeys(["score", "seconds", "cpu_seconds"], float))


def _check_scores(measured: Mapping[str, set[str]]) -> None:
    """That no task declares a score which its outcomes lack, given names of metrics by task."""
    for task, names in measured.items():
        metric = criterion_of(task).metric
        if names and metric is not None and metric not in names:
            raise ValueError(
                f"score: task {task!r} declares {metric!r}, but its outcomes have only "
                f"{', '.join(sorted(names))}."
            )


_NO_RECORD: dict[str, Any] = {"status": "missing", "error": None, "metrics": {}}


def kind_of(problem: Problem) -> str | None:
    """Kind of the data of a problem, such as images; None if they are generated."""
    info = registry.datasets[problem.dataset].info
    real = not problem.stand_in and not info.get("generated")
    return info.get("kind") if real else None


def _group(problem):
    """Common name of problems that differ in their corruption only."""
    return problem.label.partition(",")[0]


def evaluate(plan: Plan, records: pd.DataFrame) -> Findings:
    """All tables of a comparison.

    Parameters
    ----------
    plan : Plan
    records : DataFrame
        Of :func:`gather`.
    """
    speed = {}
    records = records.copy()
    for loss, runs in races_of(records):
        speed[loss] = _speed(runs)
        records.loc[runs.index, "score"] = race_scores(runs, speed[loss].times)
    records["score"] = with_failures(records)
    ranked = records[records["ranked"]]
    outcomes = _outcomes(plan, ranked)
    scores = score_table(ranked)
    centers = _ordered(ranked, centers_of(ranked, scores))
    findings = Findings(
        records=records,
        scores=scores,
        outcomes=outcomes,
        summary=_summary(plan, ranked, outcomes, centers),
        differences=_differences(plan, centers),
        speed=speed,
        quality_time=_quality_time(records),
        failures=_failures(records),
        left_out=_left_out(plan),
    )
    findings.robustness, findings.breakdowns = _robustness(ranked)
    return findings


def races_of(records):
    """Records of races by loss."""
    races = records[[criterion_of(task).race for task in records["task"]]]
    return races.groupby("loss", sort=False)


def race_times(runs):
    """Seconds that each run of one loss took to come near the best of its problem and repeat."""
    return times_to_target(_with_traces(runs), ["problem", "repeat"], FACTORS)


def race_scores(runs, times):
    """Scores of races, given :func:`race_times`: seconds to the first of the targets."""
    run = ["problem", "method", "repeat"]
    found = times.query("factor == @FACTORS[0]").set_index(run)["cost"]
    return found.reindex(pd.MultiIndex.from_frame(runs[run])).to_numpy(dtype=float)


def with_failures(records):
    """Scores in which a failed trial is as bad as can be; NaN where there is no record."""
    higher = records["task"].map(lambda task: criterion_of(task).higher_is_better)
    worst = np.where(higher, -np.inf, np.inf)
    scores = np.where(records["status"] == "failed", worst, records["score"])
    return np.where(records["status"] == "missing", np.nan, scores)


_CELL = ["task", "problem", "method"]


def score_table(ranked):
    """Means with 95 % intervals, of seconds medians with quartiles; how many trials failed."""
    parts = []
    for task, own in ranked.groupby("task", sort=False):
        cells = own.groupby(_CELL, sort=False, observed=True)
        if criterion_of(task).center == "median":
            # Values may be infinite, so that nothing is interpolated between them.
            found = {
                name: cells["score"].quantile(q, interpolation="higher")
                for name, q in _QUARTILES.items()
            }
            table = pd.DataFrame(found | {"count": cells["score"].count()}).reset_index()
        else:
            with np.errstate(invalid="ignore"):
                table = mean_and_interval(cells["score"]).rename(columns={"mean": "center"})
        table["of"] = criterion_of(task).center
        table["finite"] = cells["score"].agg(lambda s: np.isfinite(s).sum()).to_numpy(dtype=int)
        table["failed"] = cells["status"].agg(lambda s: (s == "failed").sum()).to_numpy(dtype=int)
        parts.append(table)
    return pd.concat(parts, ignore_index=True)


_QUARTILES = {"center": 0.5, "low": 0.25, "high": 0.75}


def centers_of(ranked, scores):
    """Scores as :mod:`nmfbench.stats.ranks` takes them: one row per problem, one column per method.

    NaN where a repeat has no record.
    """
    found = scores.set_index(_CELL)
    repeats = ranked.groupby(_CELL, sort=False, observed=True).size().reindex(found.index)
    return found["center"].where(found["count"] == repeats).unstack("method")


def _better(index):
    """Direction of the scores by row: true if higher is better."""
    return {row: criterion_of(row[0]).higher_is_better for row in index}


def _ordered(ranked, scores):
    """Problems and methods in their order on the page; unstacking sorts them."""
    rows = dict.fromkeys(zip(ranked["task"], ranked["problem"], strict=True))
    return scores.reindex(index=list(rows), columns=list(dict.fromkeys(ranked["method"])))


def _outcomes(plan, ranked):
    """Each new solver against each rival on each problem. Holm's correction is by task."""
    parts = []
    for entrant in plan.new:
        for task, own in ranked.groupby("task", sort=False):
            if own.loc[own["method"] == entrant.label, "score"].isna().all():
                continue
            table = wins_ties_losses(
                own.assign(task=own["problem"]),
                entrant.label,
                higher_is_better=criterion_of(task).higher_is_better,
                alpha=ALPHA,
                smallest=criterion_of(task).smallest,
            )
            # Who minimises another loss, or takes no sparse data, has no part in the problem.
            there = set(zip(own["problem"], own["method"], strict=True))
            pairs = zip(table["task"], table["rival"], strict=True)
            table = table[[{pair, (pair[0], entrant.label)} <= there for pair in pairs]]
            table = table.rename(columns={"task": "problem"})
            parts.append(table.assign(solver=entrant.label, task=task))
    columns = ["solver", "task", "problem", "rival", "n", "difference", "effect", "p_value"]
    columns += ["p_adjusted", "outcome"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def _summary(plan, ranked, outcomes, centers):
    """For each task and new solver: its mean rank among how many, and wins, ties, losses."""
    rows = []
    for task in plan.tasks:
        for entrant in plan.new:
            label = entrant.label
            own = centers.loc[[task]] if task in centers.index.get_level_values(0) else centers[:0]
            if label not in own or own[label].isna().all():
                continue
            block = complete_block(own, keep=[label])
            ranks = mean_ranks(block, _better(block.index))
            counts = outcomes.query("solver == @label and task == @task")["outcome"].value_counts()
            rows.append(
                {
                    "solver": label,
                    "task": task,
                    "title": criterion_of(task).title,
                    "score": criterion_of(task).score,
                    "higher_is_better": criterion_of(task).higher_is_better,
                    "problems": len(block),
                    "repeats": int(ranked[ranked["task"] == task]["repeat"].max()) + 1,
                    "mean_rank": float(ranks[label]),
                    "methods": len(ranks),
                    "best": ranks.index[0],
                    "best_rank": float(ranks.iloc[0]),
                    "wins": int(counts.get("win", 0)),
                    "ties": int(counts.get("tie", 0)),
                    "losses": int(counts.get("loss", 0)),
                    "too_few": int(counts.get("too few", 0)),
                    "failed": int(
                        (
                            ranked.query("task == @task and method == @label")["status"] == "failed"
                        ).sum()
                    ),
                }
            )
    return pd.DataFrame(rows)


def _differences(plan, centers):
    """Diagrams over the problems of all tasks, and of each that has enough of them."""
    by_task = dict(list(centers.groupby(level="task", sort=False)))
    # In a race only those take part that minimise one loss.
    others = [own for task, own in by_task.items() if not criterion_of(task).race]
    titles = {"all tasks but speed": pd.concat(others)} if len(others) > 1 else {}
    titles |= {criterion_of(task).title: own for task, own in by_task.items()}
    tables = {}
    for title, scores in titles.items():
        new = [e.label for e in plan.new if e.label in scores and scores[e.label].notna().any()]
        block = complete_block(scores, keep=new)
        if new and block.shape[1] > 2 and len(block) >= _FEW:
            tables[title] = critical_difference(block, _better(block.index), alpha=ALPHA)
    return tables


def _speed(runs):
    """Times to targets, profiles and curves of the solvers of one loss."""
    times = race_times(runs)
    profiles, budgets = [], []
    for factor, own in times.groupby("factor", sort=False):
        panel = f"within {100 * (factor - 1):.1g} % of the best objective"
        costs = own.pivot(index=["problem", "repeat"], columns="method", values="cost")
        costs = costs[list(dict.fromkeys(own["method"]))]
        if costs.dropna().empty:
            continue
        costs = costs.clip(lower=_TICK)
        profiles.append(performance_profile(costs).assign(panel=panel))
        budgets.append(data_profile(costs).assign(panel=panel))
    curves = anytime_curves(_with_traces(runs), ["problem"])
    empty = pd.DataFrame()
    return Speed(
        times,
        pd.concat(profiles, ignore_index=True) if profiles else empty,
        pd.concat(budgets, ignore_index=True) if budgets else empty,
        curves,
    )


def _with_traces(runs):
    runs = runs.assign(trace=[_trace(row) for row in runs.itertuples()])
    return runs[runs["status"] != "missing"]


def _trace(row):
    """The trace of a finished fit; None of any other, and of one that kept none."""
    return row.arrays.get("trace") if row.status == "done" else None


def _quality_time(records):
    """Median score against median seconds of the fits that were timed, with the front.

    A timed fit is another run of what the same repeat of its problem scores, bit by bit.
    """
    keys = ["task", "problem", "method", "repeat"]
    timed = records[~records["ranked"] & (records["status"] == "done")]
    scores = records[records["ranked"] & np.isfinite(records["score"])][[*keys, "score"]]
    timed = timed.drop(columns="score").merge(scores, on=keys)
    if timed.empty:
        return pd.DataFrame(columns=["task", "panel", "method", "seconds", "score", "front"])
    table = timed.groupby(keys[:3], sort=False)[["seconds", "score"]].median().reset_index()
    parts = []
    for (task, problem), own in table.groupby(["task", "problem"], sort=False):
        better = criterion_of(task).higher_is_better
        front = pareto_front(own["seconds"], own["score"], better)
        title = f"{criterion_of(task).title}: {problem}"
        parts.append(own.assign(panel=title, front=front))
    return pd.concat(parts, ignore_index=True)


def _robustness(ranked):
    """Scores by level of each corruption with two levels or more besides none, and breakdowns."""
    rows, found = [], []
    ranked = ranked[np.isfinite(ranked["score"])]
    for (task, group), own in ranked.groupby(["task", "group"], sort=False):
        clean = own[own["corruption"].isna()]
        for corruption, noisy in own.groupby("corruption", sort=False):
            # A smaller level is less noise of all but one: more counts are less noise.
            if corruption == "poisson" or noisy["level"].nunique() < 2:
                continue
            both = pd.concat([clean.assign(level=0.0), noisy])
            table = mean_and_interval(both.groupby(["method", "level"], sort=False)["score"])
            panel = f"{criterion_of(task).title}: {group}, {corruption}"
            table = table.assign(task=task, panel=panel)
            rows.append(table)
            levels = breakdown_levels(
                table, by=["panel"], higher_is_better=criterion_of(task).higher_is_better
            )
            found.append(levels.assign(task=task))
    columns = ["task", "panel", "method", "level"]
    empty = pd.DataFrame(columns=columns)
    return (
        pd.concat(rows, ignore_index=True) if rows else empty,
        pd.concat(found, ignore_index=True) if found else empty,
    )


def _failures(records):
    failed = records[records["status"] == "failed"]
    why = failed["error"].map(lambda error: _root(reason(error, width=300)))
    table = failed.assign(reason=why)
    keys = ["method", "task", "reason"]
    return table.groupby(keys, sort=False).size().rename("trials").reset_index()


def _root(text):
    """Of a trial whose fit failed, why the fit did."""
    return text.partition(", failed: ")[2] if text.startswith("BaseFailed") else text


def _left_out(plan):
    """A row a reason of what is left out: problems joined, then solvers, new ones first."""
    columns = ["solver", "task", "problem", "why"]
    table = pd.DataFrame(plan.left_out, columns=columns)
    order = {entrant.label: i for i, entrant in enumerate(plan.entrants)}
    table = table.sort_values("solver", key=lambda names: names.map(order), kind="stable")
    for joined in ("problem", "solver"):
        keys = [name for name in columns if name != joined]
        table = table.groupby(keys, sort=False)[joined].agg("; ".join).reset_index()
    return table[columns]
