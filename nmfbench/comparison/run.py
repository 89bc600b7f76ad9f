"""The trials of a comparison that have no record, in an order that wastes little and is fair."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nmfbench.comparison.plan import Cell, Plan
from nmfbench.engine.runner import Limits
from nmfbench.engine.runner import run as run_trials
from nmfbench.records.exchange import current_trial
from nmfbench.records.pending import in_stages, timed_here
from nmfbench.records.provenance import host, versions
from nmfbench.records.store import Store
from nmfbench.trials.trial import Trial, canonical

__all__ = ["Todo", "compute", "look_up", "timings_folder"]

_TURN = 4  # timed repeats of one side before the other's turn
_FAILURE_LIMIT = 3  # fits in a row that had to be ended, after which a solver is left out


@dataclass
class Todo:
    """Present and missing records of a comparison.

    Attributes
    ----------
    held : int
        Trials with a record.
    own, baselines : int
        Trials to compute, of the new solvers and of the others.
    steps : int
        Records that will be written: with the fits that trials start from.
    timed_here : set of str
        Keys of timings of which the store has some that were taken elsewhere. All solvers of these
        problems are timed here, into a store for this host.
    renewed : list of Trial
        Timings that take the place of others in the store itself: those of these problems, if
        asked, with what else the store has timed on their data.
    timed_before : int
        Timings of baselines that an earlier run on this host took.
    """

    held: int
    own: int
    baselines: int
    steps: int
    timed_here: set[str] = field(default_factory=set)
    timed_before: int = 0
    renewed: list[Trial] = field(default_factory=list)


def timings_folder(store) -> Path:
    """Folder of the store for what is timed here since the main one has it from elsewhere.

    Each machine has its own, and each set of releases.

    Parameters
    ----------
    store : path-like
        Folder of the main store.
    """
    here = canonical([host(), versions()])
    return Path(store) / "timings" / hashlib.sha256(here.encode()).hexdigest()[:12]


def look_up(
    plan: Plan, store: Store, timings: Path, *, retry_failed: bool = False, renew: bool = False
) -> Todo:
    """Look up the records of a plan, and timings of baselines that cannot be used.

    A timing can be used if it was taken on this machine, under the installed releases. The setting
    of threads is one for all trials: one.

    Parameters
    ----------
    plan : Plan
    store : Store
    timings : path-like
        Of :func:`timings_folder`.
    retry_failed : bool, default=False
        Failed records count as none.
    renew : bool, default=False
        Timings that are taken here, since the store has some from elsewhere, take the place of
        these, with all that the store has timed on the same data.
    """
    elsewhere = _problems_timed_elsewhere(plan.cells, store)
    rest = [cell for cell in plan.cells if cell.problem in elsewhere]
    renewed = _with_rivals(rest, store) if renew else []
    timed_here = [] if renew else rest
    shared = [cell for cell in plan.cells if renew or cell.problem not in elsewhere]
    again = {trial.key for trial in renewed}
    asked: dict[str, Any] = {"retry_failed": retry_failed}
    trials = [*(cell.trial for cell in shared), *renewed]
    stages = in_stages(trials, store, recompute=again, **asked)
    steps = sum(map(len, stages))
    staged = {trial.key for stage in stages for trial in stage}
    status = store.status({cell.trial.key for cell in shared} - (staged & again))
    if timed_here:
        with Store(timings) as own:
            status |= own.status(cell.trial.key for cell in timed_here)
            stages = in_stages((cell.trial for cell in timed_here), own, **asked)
            steps += sum(map(len, stages))
    held = {"done"} if retry_failed else {"done", "failed"}
    lacking = {
        c.trial.key: c.entrant.new for c in plan.cells if status.get(c.trial.key) not in held
    }
    return Todo(
        held=len({cell.trial.key for cell in plan.cells}) - len(lacking),
        own=sum(lacking.values()),
        baselines=len(lacking) - sum(lacking.values()),
        steps=steps,
        timed_here={cell.trial.key for cell in timed_here},
        renewed=renewed,
        timed_before=sum(
            cell.problem.timed and not cell.entrant.new and cell.trial.key in status
            for cell in plan.cells
        ),
    )


def _with_rivals(cells, store):
    """Trials of some cells, and what else the store has timed on their problems."""
    trials = {cell.trial.key: cell.trial for cell in cells}
    problems = {trial.timed_problem for trial in trials.values()}
    found = [trial for record in store.timed() if (trial := current_trial(record)) is not None]
    rivals = {t.key: t for t in found if t.timed_problem in problems and t.key not in trials}
    by_problem = sorted(rivals.values(), key=lambda trial: (trial.timed_problem, trial.key))
    return [*trials.values(), *by_problem]


def _problems_timed_elsewhere(cells, store):
    """Problems with a timed record of another machine or other releases, or without its trace."""
    timed = {cell.trial.key: cell for cell in cells if cell.problem.timed}
    found = []
    for record in store.records(timed):
        problem = timed[record["key"]].problem
        no_trace = record["status"] == "done" and not store.array_names(record["key"])
        if problem not in found and (no_trace or not timed_here(record)):
            found.append(problem)
    return found


def compute(
    plan: Plan,
    todo: Todo,
    store: Store,
    timings: Path,
    *,
    jobs: int = 1,
    limits: Limits | None = None,
    retry_failed: bool = False,
    progress=lambda summary, record: None,
) -> None:
    """Compute what has no record; arguments as in :func:`look_up` and in a run.

    Of a solver that exceeds the time limit or ends its process three times in a row, the rest is
    left out, and the plan says so.
    """
    failures = _FailureLimit()

    def finished(summary, record):
        failures.count(record)
        progress(summary, record)

    given: dict[str, Any] = {
        "limits": limits,
        "retry_failed": retry_failed,
        "progress": finished,
        "wanted": failures.wanted,
    }
    untimed, timed = (_in_order(plan.cells, timed=timed) for timed in (False, True))
    here = [trial for trial in timed if trial.key not in todo.timed_here]
    again = {trial.key for trial in todo.renewed}
    run_trials([*untimed, *here, *todo.renewed], store, jobs=jobs, recompute=again, **given)
    if todo.timed_here:
        with Store(timings) as own:
            run_trials([trial for trial in timed if trial.key in todo.timed_here], own, **given)
    for entrant in plan.entrants:
        refused = (
            c for c in plan.cells if c.entrant is entrant and c.trial.key in failures.refused
        )
        for task in dict.fromkeys(cell.problem.task for cell in refused):
            why = f"{_FAILURE_LIMIT} of its fits in a row exceeded a limit or ended the process"
            plan.leave_out(why, solver=entrant.label, task=task, problem="the rest")


class _FailureLimit:
    """Refuse a solver after a number of time-outs and deaths in a row."""

    def __init__(self):
        self._in_a_row: Counter[tuple[str, str]] = Counter()
        self.refused: set[str] = set()

    def count(self, record):
        who = record["solver"], canonical(record["params"])
        if record["status"] == "done":
            self._in_a_row[who] = 0
        elif record["error"].startswith(("TimeoutError", "WorkerDied")):
            self._in_a_row[who] += 1

    def wanted(self, trial: Trial) -> bool:
        if self._in_a_row[trial.solver, canonical(trial.params)] < _FAILURE_LIMIT:
            return True
        self.refused.add(trial.key)
        return False


def _in_order(cells: Sequence[Cell], *, timed):
    """Trials by problem, whose data are then read once, external solvers last.

    A process that has run external code is ended before it computes for another solver, and
    starting one takes seconds. Timed trials take turns of a few repeats, in every second of which
    the order is reversed: so what slows the machine down for a while slows down all solvers.
    """
    problems: dict[int, int] = {}
    for cell in cells:
        problems.setdefault(id(cell.problem), len(problems))
    files = sorted({cell.trial.solver.rpartition(":")[0] for cell in cells})  # "" of our own

    def place(cell):
        turn = cell.repeat // _TURN if timed else 0
        file = files.index(cell.trial.solver.rpartition(":")[0])
        return turn, -file if turn % 2 else file, problems[id(cell.problem)], cell.repeat

    chosen = [cell for cell in cells if cell.problem.timed is timed]
    return [cell.trial for cell in sorted(chosen, key=place)]
