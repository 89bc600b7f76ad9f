"""Computation of the trials of artefacts that have no record yet."""

from __future__ import annotations

import contextlib
import math
import time
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from datetime import time as dtime
from os import PathLike
from typing import Any

from nmfbench.audits import sensitivity
from nmfbench.commands.agenda import (
    account_rows,
    account_text,
    agenda_of,
    of_clock,
    stayed_behind,
    timed_rivals,
)
from nmfbench.commands.answer import Answer, text_table
from nmfbench.commands.errors import UsageError
from nmfbench.commands.merged import agreement_text, difference_lines
from nmfbench.commands.progress import Note, Progress, describe, events, silent
from nmfbench.commands.status import count_trials
from nmfbench.commands.targets import how_to_get, runnable, select
from nmfbench.commands.values import command, converted
from nmfbench.core.text import counted
from nmfbench.engine.budget import run_units, units_of
from nmfbench.engine.idle import Idle
from nmfbench.engine.runner import Limits, WorkerPool
from nmfbench.engine.runner import run as run_trials
from nmfbench.engine.worker import Worker
from nmfbench.records import rounding
from nmfbench.records.agreement import compare, same_target
from nmfbench.records.pending import Held, in_stages
from nmfbench.records.results import reason
from nmfbench.records.store import Store
from nmfbench.trials.target import target_of
from nmfbench.verdicts.known import Known
from nmfbench.verdicts.scheduler import Computed, run_batches

__all__ = ["run"]

_LIMITS = ("TimeoutError", "WorkerDied", "MemoryError")


@command
def run(
    *targets: str,
    profile: str = "quick",
    stand_in: bool = False,
    store: str | PathLike[str] = "results",
    budget: float | str | None = None,
    until: str | dtime | None = None,
    timed: str | None = None,
    recompute: bool = False,
    jobs: int = 1,
    scheduler: str | None = None,
    retry_failed: bool = False,
    time_limit: float = 3600.0,
    memory_limit: int | str | None = None,
    target: str | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Compute the trials of artefacts that have no record yet.

    Parameters
    ----------
    *targets : str
        Artefacts (``"robust-xray/fig3"``), papers (``"robust-xray"``) or ``"all"``, the default.
    profile : {"smoke", "quick", "paper"}, default="quick"
    stand_in : bool, default=False
        Use labelled synthetic stand-ins where real data are missing.
    store : path-like, default="results"
        Folder of the records; made if it is missing.
    budget : float or str, optional
        Seconds, or ``"90s"``, ``"30m"``, ``"2h"``, after which no trial begins. First comes what is
        expected to decide most open tests per CPU second.
    until : {"look", "planned"} or str or datetime.time, optional
        Up to the next look of each artefact with open tests, up to the planned repeats of all, or
        up to a time of day such as ``"6:30"``.
    timed : {"no", "only"}, optional
        Leave out trials whose seconds are the result, or compute no others, each as soon as the
        machine is idle. Rivals on one problem are timed on one machine: where other artefacts have
        some that were timed on another one, they are timed again together with these.
    recompute : bool, default=False
        Compute imported records again, and compare.
    jobs : int, default=1
        Trials at a time; records do not depend on it.
    scheduler : str, optional
        Address of a Dask scheduler, ``"tcp://host:port"`` or ``"tls://host:port"``.
    retry_failed : bool, default=False
        Compute failed trials once more.
    time_limit : float, default=3600
        Seconds after which a trial has failed.
    memory_limit : int or str, optional
        Bytes, or ``"500M"``, ``"4G"``, for the process of a trial with all that it starts. By
        default four fifths of what is available, shared by the jobs.
    target : {"reference", "native"}, optional
        Instructions that untimed trials are computed with; by default the reference target.
    progress : callable, optional
        Called with each event, such as ``print``; see :mod:`nmfbench.commands.progress`.

    Returns
    -------
    Answer
        ``table`` has one row for each artefact: trials done, failed and missing. ``failed`` if a
        trial of these artefacts has failed, now or earlier.

    Raises
    ------
    TargetError, UsageError
        If there is no such artefact, or a value is not valid; nothing is computed.
    DataMissingError
        If an artefact that is named by itself lacks its data.
    StoreError
        If the store cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import nmfbench
    >>> with tempfile.TemporaryDirectory() as store:
    ...     answer = nmfbench.run("rnmfd/table2", profile="smoke", stand_in=True, store=store)
    >>> answer.failed, answer.table["missing"].tolist()
    (False, [0])
    """
    tell = progress or silent
    artefacts, left_out = runnable(select(targets), profile, stand_in=stand_in)
    for artefact, names in left_out.items():
        tell(Note(f"{artefact} is left out: {how_to_get(names)}, or give --stand-in"))
    started = time.monotonic()
    if timed == "only" and scheduler:
        raise UsageError(
            "--timed only looks at the load of this machine, and --scheduler computes on others: "
            "leave out one of them"
        )
    whole = {a.id: a.plan(profile, stand_in=stand_in) for a in artefacts}
    grids = {name: of_clock(grid, timed) for name, grid in whole.items()}
    plan = {trial.key: trial for grid in grids.values() for trial in grid}
    limits = Limits(time_limit, converted(memory_limit))
    means = _Means(jobs, scheduler, limits, target, timed, until, tell)
    with Store(store) as opened:
        batches = budget is not None or until is not None
        deadline = time.monotonic() + seconds_left(converted(budget), until)
        asked: dict[str, Any] = {"retry_failed": retry_failed, "recompute": recompute}
        rivals = timed_rivals(list(plan.values()), opened, profile, stand_in=stand_in, **asked)
        everything = [*plan.values(), *rivals]
        held = Held.of(everything, opened)
        if batches:
            agenda = agenda_of(
                *(artefacts, grids, opened, profile, held, Known(opened)),
                rivals=rivals,
                stand_in=stand_in,
                **asked,
            )
            behind = agenda.pending.again
        else:
            behind = set() if recompute else stayed_behind(artefacts, grids, opened)
        if behind and not recompute:
            trials = counted(len(behind), "trial")
            tell(Note(f"{trials} to be computed again, imported without arrays that are read"))
        chosen = recompute or behind
        stages = in_stages(everything, held, retry_failed=retry_failed, recompute=chosen)
        todo = {trial.key for stage in stages for trial in stage}
        lacking = len(todo.intersection(plan))
        tell(Note(_lacking_text(len(plan), lacking, recompute)))
        if others := len(todo.intersection(trial.key for trial in rivals)):
            tell(Note(_rivals_text(others)))
        before = {r["key"]: r for r in opened.records(opened.imported(todo))} if recompute else {}
        with _Computing(plan, opened, means, len(todo), before) as computing:
            accounts = {}
            if batches:
                accounts = computing.run_within(agenda, grids, deadline)
            else:
                computing.run(everything, retry_failed=retry_failed, recompute=chosen, held=held)
            if not (batches or recompute):
                again = set(behind)
                # Where no record had an array, only one repeat was known to lack it.
                while more := behind and stayed_behind(artefacts, grids, opened) - again:
                    again |= more
                    computing.run(everything, retry_failed=retry_failed, recompute=again)
            computing.explain()
        rows = [count_trials(a, opened, profile, whole[a.id]) for a in artefacts]
        statuses = list(opened.status(plan).values())
    counts = {word: statuses.count(word) for word in ("done", "failed")}
    data = {
        "profile": profile,
        "store": str(store),
        **counts,
        "found": len(plan) - lacking,
        "computed": len(computing.computed.intersection(plan)),
        "agreement": dict(computing.agreement),
        "different": computing.different,
        "total": len(plan),
        "seconds": round(time.monotonic() - started, 3),
        "artefacts": rows,
        "batches": account_rows(accounts),
        "left_out": [{"id": name, "missing_data": lacks} for name, lacks in left_out.items()],
        "failures": computing.failures,
    }
    text = _text(data, recompute, computing.agreement)
    return Answer(data, text, failed=counts["failed"] > 0, rows=rows)


def _lacking_text(total, lacking, recompute):
    trials = counted(total, "trial")
    if recompute:
        return f"{trials}, of which {lacking} have no record that was computed here"
    return f"{trials}, of which {total - lacking} have a record already"


def _rivals_text(count):
    return (
        f"with {counted(count, 'trial')} of other artefacts, timed on another machine: rivals on "
        "one problem are timed on one machine"
    )


def _text(data, recompute, agreement):
    rows, batches = data["artefacts"], data["batches"]
    text = [text_table(rows, ("id", "done", "failed", "missing", "total")) if rows else ""]
    if batches:
        text.append(account_text(batches))
    if data["failed"]:
        failed = counted(data["failed"], "trial")
        text.append(f"{failed} failed; --retry-failed computes what failed once more.")
    if data["left_out"]:
        names = ", ".join(row["id"] for row in data["left_out"])
        text.append(f"Left out, because data are missing: {names}.")
    if recompute:
        here = f"Computed here: {data['computed']} of {data['total']}"
        compared = f"; {agreement_text(agreement)}" if agreement else ""
        text.append(f"{here}{compared}.")
        for found in data["different"]:
            text += difference_lines(found["trial"], found["key"], found["what"])
    return "\n".join(filter(None, text))


@dataclass(frozen=True)
class _Means:
    """How trials are computed, and up to when."""

    jobs: int
    scheduler: str | None
    limits: Limits
    target: str | None
    timed: str | None
    until: str | dtime | None
    tell: Progress


class _Computing(contextlib.ExitStack):
    """The calls of one command that compute trials: their progress, failures and agreement."""

    def __init__(self, plan, store, means, todo, before):
        super().__init__()
        self.plan, self.store, self.means, self.before = plan, store, means, before
        self._spreads = rounding.Spreads(store.folder)
        self._unexplained: list[tuple[dict, dict]] = []
        self.failures: list[dict] = []
        self.computed: set[str] = set()
        self._records: list[dict] = []
        self.agreement: Counter[str] = Counter()
        self.different: list[dict] = []
        self._pool = self.enter_context(
            contextlib.closing(WorkerPool(means.limits.memory, means.jobs))
        )
        self._progress = self.enter_context(events(means.tell, todo))

    def _note(self, text):
        self.means.tell(Note(text))

    def _record(self, summary, record):
        self._progress(summary, record)
        key = record["key"]
        if record["status"] == "failed":
            why = reason(record["error"])
            self.failures.append({"key": key, "trial": describe(record), "error": why})
        self.computed.add(key)
        cost = {name: record[name] for name in ("elapsed", "seconds", "cpu_seconds")}
        self._records.append({"key": key, "error": record["error"], **cost})
        if key in self.before and key in self.plan:
            self._compare(self.before[key], record)

    def _compare(self, old, new):
        found = compare(old, new, spread=self._spreads.of(old))
        different = found.outcome == "different"
        if different and new["status"] == "done" and not same_target(old, new):
            self._unexplained.append((old, new))
        else:
            self._count(found, new)

    def _count(self, found, record):
        self.agreement[found.outcome] += 1
        if found.outcome == "different":
            row = {"key": record["key"], "trial": describe(record), "what": found.details}
            self.different.append(row)

    def explain(self):
        """Measure what rounding does where records of another target differ by more than usual."""
        if self._unexplained:
            trials = counted(len(self._unexplained), "trial")
            self._note(
                f"{trials} of another numerical target came out otherwise; measuring what rounding "
                "does to them"
            )
        with contextlib.ExitStack() as stack:
            workers = {}
            for old, new in self._unexplained:
                trial, limits = self.plan[old["key"]], self.means.limits
                name = target_of(timed=trial.timed, untimed=self.means.target)
                if name not in workers:
                    worker = Worker(limits.memory, name)
                    workers[name] = stack.enter_context(contextlib.closing(worker))
                found = sensitivity.agreement(old, new, trial, workers[name], limits.seconds)
                self._count(found, new)

    def run(self, trials, *, wanted=lambda trial: True, **asked):
        means = self.means
        try:
            run_trials(
                trials,
                self.store,
                jobs=means.jobs,
                scheduler=means.scheduler,
                limits=means.limits,
                target=means.target,
                progress=self._record,
                wanted=wanted,
                ready=Idle(self._note) if means.timed == "only" else lambda trial: True,
                pool=self._pool,
                **asked,
            )
        except KeyboardInterrupt:
            held = len(self.store.status(self.plan))
            raise KeyboardInterrupt(
                f"stopped. {held} of {len(self.plan)} trials have a record in {self.store.folder}; "
                "the same command resumes."
            ) from None

    def run_within(self, agenda, grids, deadline):
        """Batches by expected verdicts, then what else fits, evenly, in complete repeats."""
        means = self.means

        def compute(trials, deadline, most=math.inf):
            known, start = {trial.key: trial for trial in trials}, len(self._records)
            new: list[dict] = []
            seconds = 0.0

            def spent():
                nonlocal seconds
                for record in self._records[start + len(new) :]:
                    new.append(record)
                    if record["key"] in known:
                        seconds += agenda.costs.see(known[record["key"]], record)
                return seconds

            self.run(
                trials,
                wanted=lambda trial: time.monotonic() < deadline and spent() < most,
                **agenda.pending.asked,
            )
            total = spent()
            own = [record for record in new if record["key"] in known]
            failed = [reason(record["error"]) for record in own if record["error"]]
            beyond = sum(error.startswith(_LIMITS) for error in failed)
            return Computed({record["key"] for record in own}, total, beyond)

        accounts = run_batches(
            agenda,
            compute,
            deadline=deadline,
            jobs=means.jobs,
            one_look=means.until == "look",
            all_planned=means.until == "planned",
            say=self._note,
        )
        if means.until not in ("look", "planned"):
            self._run_evenly(grids, compute, agenda, deadline)
        return accounts

    def _run_evenly(self, grids, compute, agenda, deadline):
        def lacking(trials):
            timed = (t.key for t in trials if t.key in agenda.pending.lacking and t.timed)
            trials = {t.key: t for t in trials} | agenda.pending.whole(timed)
            stages = in_stages(trials.values(), self.store, **agenda.pending.asked)
            return [trial for stage in stages for trial in stage]

        begun = run_units(
            units_of(grids),
            compute,
            lacking,
            budget=deadline - time.monotonic(),
            costs=agenda.costs,
            jobs=self.means.jobs,
        )
        if begun:
            names = {unit.artefact for unit in begun}
            self._note(
                f"then {counted(len(begun), 'repeat')} of {counted(len(names), 'artefact')}, evenly"
            )
        if agenda.pending.lacking and not self.computed:
            self._note("no repeat fits into the time that is left: nothing was computed")


def seconds_left(budget: float | None, until: str | dtime | None) -> float:
    """Seconds until neither a budget nor a time of day is left; infinite without either."""
    left = math.inf if budget is None else budget
    if isinstance(until, dtime):
        now = datetime.now()
        end = datetime.combine(now, until)
        left = min(left, (end + timedelta(days=end <= now) - now).total_seconds())
    return left
