"""Trials of artefacts, computed with progress and counted, for ``run`` and ``reproduce``."""

from __future__ import annotations

import contextlib
import math
import time
from collections import Counter
from datetime import datetime, timedelta
from datetime import time as dtime

from nmfbench.audit import sensitivity
from nmfbench.cli.agenda import (
    account_rows,
    account_text,
    agenda_of,
    of_clock,
    stayed_behind,
)
from nmfbench.cli.idle import Idle
from nmfbench.cli.merged import agreement_text
from nmfbench.cli.output import Result, UsageError, counted, notice, table
from nmfbench.cli.progress import Progress, describe
from nmfbench.cli.targets import how_to_get, runnable, select
from nmfbench.engine.budget import run_units, units_of
from nmfbench.engine.runner import Crew, Limits
from nmfbench.engine.runner import run as run_trials
from nmfbench.engine.worker import Worker
from nmfbench.records import rounding
from nmfbench.records.agreement import compare, same_target
from nmfbench.records.pending import Held, in_stages
from nmfbench.records.results import reason
from nmfbench.records.store import Store
from nmfbench.trials.target import target_of
from nmfbench.verdicts.scheduler import Computed, run_batches

__all__ = ["compute_grids", "count_trials", "planned"]

_LIMITS = ("TimeoutError", "WorkerDied", "MemoryError")


def compute_grids(args, *, anew: bool) -> Result:
    """Compute the trials of the targets that have no record yet; ``anew``: none computed here."""
    artefacts, left_out = runnable(select(args.names), args.profile, stand_in=args.stand_in)
    for artefact, names in left_out.items():
        notice(f"{artefact} is left out: {how_to_get(names)}, or give --stand-in")
    started = time.monotonic()
    if args.timed == "only" and args.scheduler:
        raise UsageError(
            "--timed only looks at the load of this machine, and --scheduler computes on others: "
            "leave out one of them"
        )
    grids = {a.id: of_clock(planned(a, args), args.timed) for a in artefacts}
    plan = {trial.key: trial for grid in grids.values() for trial in grid}
    with Store(args.store) as store:
        asked = {"retry_failed": args.retry_failed, "anew": anew}
        batches = args.budget is not None or args.until is not None
        deadline = time.monotonic() + seconds_left(args.budget, args.until)
        held = Held.of(plan.values(), store)
        if batches:
            agenda = agenda_of(
                *(artefacts, grids, store, args.profile, held), stand_in=args.stand_in, **asked
            )
            asked = agenda.pending.asked
        elif not anew:
            asked["anew"] = stayed_behind(artefacts, grids, store)
        if asked["anew"] and not anew:
            notice(
                f"{counted(len(asked['anew']), 'trial')} to be computed again, imported without "
                "arrays that are read"
            )
        todo = {t.key for stage in in_stages(plan.values(), held, **asked) for t in stage}
        lacking = len(todo.intersection(plan))
        trials = counted(len(plan), "trial")
        notice(
            f"{trials}, of which {len(plan) - lacking} have a record already"
            if not anew
            else f"{trials}, of which {lacking} have no record that was computed here"
        )
        before = {r["key"]: r for r in store.records(store.imported(todo))} if anew else {}
        with _Computing(plan, store, args, len(todo), before) as computing:
            accounts = {}
            if batches:
                accounts = computing.run_within(agenda, grids, deadline)
            else:
                computing.run(plan.values(), **asked)
            if not (batches or anew):
                again = set(asked["anew"])
                # Where no record had an array, only those of one repeat were known to lack it.
                while more := asked["anew"] and stayed_behind(artefacts, grids, store) - again:
                    again |= more
                    computing.run(plan.values(), **asked | {"anew": again})
            computing.explain()
        rows = [count_trials(artefact, store, args) for artefact in artefacts]
        held = list(store.status(plan).values())
    counts = {word: held.count(word) for word in ("done", "failed")}
    data = {
        "profile": args.profile,
        "store": str(args.store),
        **counts,
        "found": len(plan) - lacking,
        "computed": len(computing.computed.intersection(plan)),
        "agreement": dict(computing.agreement),
        "total": len(plan),
        "seconds": round(time.monotonic() - started, 3),
        "artefacts": rows,
        "batches": account_rows(accounts),
        "left_out": [{"id": name, "missing_data": lacks} for name, lacks in left_out.items()],
        "failures": computing.failures,
    }
    text = [table(rows, ("id", "done", "failed", "missing", "total")) if rows else ""]
    if accounts:
        text.append(account_text(data["batches"]))
    if counts["failed"]:
        failed = counted(counts["failed"], "trial")
        text.append(f"{failed} failed; --retry-failed computes what failed once more.")
    if left_out:
        text.append(f"Left out, because data are missing: {', '.join(left_out)}.")
    if anew:
        here = f"Computed here: {data['computed']} of {len(plan)}"
        compared = f"; {agreement_text(computing.agreement)}" if computing.agreement else ""
        text.append(f"{here}{compared}.")
    return Result(data, "\n".join(filter(None, text)), int(counts["failed"] > 0))


class _Computing(contextlib.ExitStack):
    """The calls of one command that compute trials: their progress, failures and agreement."""

    def __init__(self, plan, store, args, todo, before):
        super().__init__()
        self.plan, self.store, self.args, self.before = plan, store, args, before
        self._spreads = rounding.Spreads(store.folder)
        self._unexplained: list[tuple[dict, dict]] = []
        self.failures: list[dict] = []
        self.computed: set[str] = set()
        self._records: list[dict] = []
        self.agreement: Counter[str] = Counter()
        self._crew = self.enter_context(contextlib.closing(Crew(args.memory_limit, args.jobs)))
        self._progress = self.enter_context(Progress(todo))

    def _told(self, summary, record):
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
        outcome = compare(old, new, spread=self._spreads.of(old)).outcome
        if outcome == "different" and new["status"] == "done" and not same_target(old, new):
            self._unexplained.append((old, new))
        else:
            self.agreement[outcome] += 1

    def explain(self):
        """Measure what rounding does where records of another target differ by more than usual."""
        if self._unexplained:
            notice(
                f"{counted(len(self._unexplained), 'trial')} of another numerical target came out "
                "otherwise; measuring what rounding does to them"
            )
        with contextlib.ExitStack() as stack:
            workers = {}
            for old, new in self._unexplained:
                trial, limit = self.plan[old["key"]], self.args.time_limit
                name = target_of(timed=trial.timed, untimed=self.args.target)
                if name not in workers:
                    worker = Worker(self.args.memory_limit, name)
                    workers[name] = stack.enter_context(contextlib.closing(worker))
                found = sensitivity.agreement(old, new, trial, workers[name], limit)
                self.agreement[found.outcome] += 1

    def run(self, trials, *, wanted=lambda trial: True, **asked):
        args = self.args
        try:
            run_trials(
                trials,
                self.store,
                jobs=args.jobs,
                scheduler=args.scheduler,
                limits=Limits(args.time_limit, args.memory_limit),
                target=args.target,
                progress=self._told,
                wanted=wanted,
                ready=Idle() if args.timed == "only" else lambda trial: True,
                crew=self._crew,
                **asked,
            )
        except KeyboardInterrupt:
            held = len(self.store.status(self.plan))
            raise KeyboardInterrupt(
                f"stopped. {held} of {len(self.plan)} trials have a record in {args.store}; the "
                "same command resumes."
            ) from None

    def run_within(self, agenda, grids, deadline):
        """Batches by expected verdicts, then what else fits, evenly, in complete repeats."""
        args = self.args

        def compute(trials, deadline, most=math.inf):
            known, start = {trial.key: trial for trial in trials}, len(self._records)
            new, seconds = [], 0.0

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
            jobs=args.jobs,
            one_look=args.until == "look",
            all_planned=args.until == "planned",
            say=notice,
        )
        if args.until not in ("look", "planned"):
            self._run_evenly(grids, compute, agenda, deadline)
        return accounts

    def _run_evenly(self, grids, compute, agenda, deadline):
        def lacking(trials):
            stages = in_stages(trials, self.store, **agenda.pending.asked)
            return [trial for stage in stages for trial in stage]

        begun = run_units(
            units_of(grids),
            compute,
            lacking,
            budget=deadline - time.monotonic(),
            costs=agenda.costs,
            jobs=self.args.jobs,
        )
        if begun:
            names = {unit.artefact for unit in begun}
            notice(
                f"then {counted(len(begun), 'repeat')} of {counted(len(names), 'artefact')}, evenly"
            )


def seconds_left(budget: float | None, until: str | dtime | None) -> float:
    """Seconds until neither a budget nor a time of day is left; infinite without either."""
    left = math.inf if budget is None else budget
    if isinstance(until, dtime):
        now = datetime.now()
        end = datetime.combine(now, until)
        left = min(left, (end + timedelta(days=end <= now) - now).total_seconds())
    return left


def count_trials(artefact, store, args) -> dict:
    """How many trials of an artefact are done, failed and missing."""
    plan = {trial.key for trial in planned(artefact, args)}
    held = list(store.status(plan).values())
    done, failed = held.count("done"), held.count("failed")
    return {
        "id": artefact.id,
        "profile": args.profile,
        "done": done,
        "failed": failed,
        "missing": len(plan) - done - failed,
        "total": len(plan),
        "missing_data": artefact.missing_data(args.profile),
    }


def planned(artefact, args):
    """The trials of an artefact that the options of a command ask for."""
    return artefact.plan(args.profile, stand_in=args.stand_in)
