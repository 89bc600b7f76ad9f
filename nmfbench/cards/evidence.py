"""Records of the methods of an artefact, summed up: ranks, failures, verdicts that name them."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact
from nmfbench.artefacts.claim import Claim
from nmfbench.core import registry
from nmfbench.problems.noise import NOISES
from nmfbench.records.results import reason
from nmfbench.stats.ranks import complete_block, mean_ranks
from nmfbench.trials.trial import canonical
from nmfbench.verdicts.evaluate import Evaluation

__all__ = ["Standing", "failures", "named_claims", "standings", "verdicts"]

_PROBLEM = ("dataset", "dataset_params", "stand_in", "corruption", "level", "options")
_DIGITS = 10


@dataclass(frozen=True)
class Standing:
    """Standing of a method among the others of an artefact, or of the field of all solvers.

    Attributes
    ----------
    artefact, task, metric, method : str
    solver : str
    rank : float
        Mean over the problems; 1 is the best possible.
    methods, problems : int
        How many were compared, and on how many.
    best, worst : dict of str to int
        Data and corruption, and on how many of their problems it is the best (alone or with
        others), or the worst.
    stand_ins : list of str
    """

    artefact: str
    task: str
    metric: str
    method: str
    solver: str
    rank: float
    methods: int
    problems: int
    best: dict[str, int] = field(default_factory=dict)
    worst: dict[str, int] = field(default_factory=dict)
    stand_ins: list[str] = field(default_factory=list)

    def to_dict(self):
        return asdict(self)


def standings(
    name: str,
    labelled: pd.DataFrame,
    solvers: Mapping[str, str],
    stand_ins: Sequence[str] = (),
) -> list[Standing]:
    """Ranks of methods by the score of each task that has one.

    A problem is one data set, corruption, level and choice of the task's options; its score is
    the mean over repeats. A method that the artefact shows at several parameters counts with their
    median. A method whose trials on a problem all failed is the worst there. Problems and methods
    that lack a record are left out.

    Parameters
    ----------
    name : str
        Of the artefact, or of what else the trials are for.
    labelled : DataFrame
        Records, of failed trials, too, with columns ``method`` and ``setting``, as of
        :func:`~nmfbench.artefacts.artefact.label_records`.
    solvers : mapping of str to str
        Keys of the solvers by method.
    stand_ins : sequence of str
        What stands in for the paper's data.
    """
    if not len(labelled):
        return []
    labelled = labelled.assign(problem=_problems(labelled))
    found = []
    for task, rows in labelled.groupby("task", sort=False):
        facts = registry.tasks[task].info
        score, higher = facts["score"], facts["higher_is_better"]
        if score is None or score not in rows:  # a task without a score has no winner
            continue
        scores = _scores(rows, score, higher)
        for method in scores:
            block = complete_block(scores, keep=[method])
            if block.shape[1] < 2 or not len(block):
                continue
            best, worst = _ends(block, method, higher)
            found.append(
                Standing(
                    artefact=name,
                    task=task,
                    metric=score,
                    method=method,
                    solver=solvers[method],
                    rank=float(mean_ranks(block, higher)[method]),
                    methods=block.shape[1],
                    problems=len(block),
                    best=best,
                    worst=worst,
                    stand_ins=list(stand_ins),
                )
            )
    return found


def _problems(records):
    return [
        canonical([row[name] if not _is_nan(row[name]) else None for name in _PROBLEM])
        for row in records[list(_PROBLEM)].to_dict("records")
    ]


def _is_nan(value):
    return isinstance(value, float) and math.isnan(value)


def _scores(rows, score, higher):
    """One row per problem, one column per method."""
    value = rows[score].astype(float)
    cell = [rows["problem"], rows["method"].astype(str), rows["setting"]]
    means = value.groupby(cell).mean()
    failed = (rows["status"] == "failed").groupby(cell).all()
    means[failed] = -np.inf if higher else np.inf
    return means.groupby(level=[0, 1]).median().unstack()


def _ends(block, method, higher):
    """Where a method is the best, and where the worst and not also the best."""
    rounded = block.map(lambda x: x if math.isinf(x) else float(f"{x:.{_DIGITS}g}"))
    top, low = rounded.max(axis=1), rounded.min(axis=1)
    if not higher:
        top, low = low, top
    is_best = rounded[method] == top
    is_worst = (rounded[method] == low) & ~is_best
    return (dict(Counter(map(_describe, block.index[chosen]))) for chosen in (is_best, is_worst))


def _describe(problem):
    dataset, _, _, corruption, _, _ = json.loads(problem)
    title = registry.datasets[dataset].info.get("title", dataset)
    return f"{title} under {NOISES[corruption].title}" if corruption in NOISES else title


def failures(records: pd.DataFrame) -> dict[str, dict[str, int]]:
    """By solver the reasons of its failed trials, with the task and how often, most first."""
    failed = records.loc[records["status"] == "failed", ["solver", "task", "dataset", "error"]]
    counts: dict[str, Counter] = {}
    for solver, task, dataset, error in failed.itertuples(index=False):
        why = f"{task} on {dataset}: {reason(error, 120)}"
        counts.setdefault(solver, Counter())[why] += 1
    return {solver: dict(found.most_common()) for solver, found in counts.items()}


def named_claims(artefact: Artefact, solver: str) -> list[Claim]:
    """Claims of an artefact that name a solver.

    A claim names the solver if its statement has the label of one of the solver's methods, or its
    name in the registry, and that is no part of a longer one there: "XRAY" does not stand in
    "RobustXRAY".
    """
    labels = {method.label: method.solver for method in artefact.methods}
    for key in dict.fromkeys(labels.values()):
        labels.setdefault(registry.solvers[key].info["name"], key)
    words = sorted(labels, key=len, reverse=True)
    named = re.compile("|".join(rf"(?<!\w){re.escape(word)}(?![\w-])" for word in words))
    return [
        claim
        for claim in artefact.claims
        if any(labels[word] == solver for word in named.findall(claim.statement))
    ]


def verdicts(evaluation: Evaluation, solver: str) -> list[dict]:
    """The claims of an artefact that name a solver, with their verdicts."""
    named = {claim.id for claim in named_claims(evaluation.artefact, solver)}
    return [
        {
            "id": f"{evaluation.artefact.id}/{claim.id}",
            "statement": claim.statement,
            "source": claim.source,
            "verdict": verdict.verdict,
            "look": evaluation.look_text or "final",
            "evidence": verdict.evidence,
            "data": verdict.data,
            "profile": evaluation.profile,
        }
        for claim, verdict in evaluation.verdicts
        if claim.id in named
    ]
