"""Trials of artefacts, computed with progress and counted, for ``run`` and ``reproduce``."""

from __future__ import annotations

import contextlib
import time
from collections import Counter

from nmfbench.cli.merged import agreement_text
from nmfbench.cli.output import Result, counted, notice, table
from nmfbench.cli.progress import Progress, describe
from nmfbench.cli.targets import how_to_get, runnable, select
from nmfbench.engine.agreement import compare
from nmfbench.engine.budget import Costs, run_units, units_of
from nmfbench.engine.missing import in_stages
from nmfbench.engine.results import reason
from nmfbench.engine.runner import Crew, Limits
from nmfbench.engine.runner import run as run_trials
from nmfbench.engine.store import Store

__all__ = ["compute_grids", "count_trials", "planned"]


def compute_grids(args, *, anew: bool) -> Result:
    """Compute the trials of the targets that have no record yet; ``anew``: none computed here."""
    artefacts, left_out = runnable(select(args.names), args.profile, stand_in=args.stand_in)
    for artefact, names in left_out.items():
        notice(f"{artefact} is left out: {how_to_get(names)}, or give --stand-in")
    started = time.monotonic()
    grids = {artefact.id: planned(artefact, args) for artefact in artefacts}
    plan = {trial.key: trial for grid in grids.values() for trial in grid}
    with Store(args.store) as store:
        asked = {"retry_failed": args.retry_failed, "anew": anew}
        todo = {t.key for stage in in_stages(plan.values(), store, **asked) for t in stage}
        lacking = len(todo.intersection(plan))
        trials = counted(len(plan), "trial")
        notice(
            f"{trials}, of which {len(plan) - lacking} have a record already"
            if not anew
            else f"{trials}, of which {lacking} have no record that was computed here"
        )
        before = {r["key"]: r for r in store.records(store.imported(todo))} if anew else {}
        with _Computing(plan, store, args, len(todo), before) as computing:
            if args.budget is None:
                computing.run(plan.values(), **asked)
            else:
                computing.run_within(args.budget, grids, asked)
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
        "left_out": [{"id": name, "missing_data": lacks} for name, lacks in left_out.items()],
        "failures": computing.failures,
    }
    text = [table(rows, ("id", "done", "failed", "missing", "total")) if rows else ""]
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
        self.failures: list[dict] = []
        self.computed: set[str] = set()
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
        if key in self.before and key in self.plan:
            self.agreement[compare(self.before[key], record).outcome] += 1

    def run(self, trials, *, wanted=lambda trial: True, **asked):
        args = self.args
        try:
            run_trials(
                trials,
                self.store,
                jobs=args.jobs,
                scheduler=args.scheduler,
                limits=Limits(args.time_limit, args.memory_limit),
                progress=self._told,
                wanted=wanted,
                crew=self._crew,
                **asked,
            )
        except KeyboardInterrupt:
            held = len(self.store.status(self.plan))
            raise KeyboardInterrupt(
                f"stopped. {held} of {len(self.plan)} trials have a record in {args.store}; the "
                "same command resumes."
            ) from None

    def run_within(self, seconds, grids, asked):
        """As much as fits, evenly over artefacts, in whole repeats."""

        def compute(trials, deadline):
            self.run(trials, wanted=lambda trial: time.monotonic() < deadline, **asked)

        def lacking(trials):
            return [t for stage in in_stages(trials, self.store, **asked) for t in stage]

        begun = run_units(
            units_of(grids),
            compute,
            lacking,
            budget=seconds,
            costs=Costs(self.store, self.plan.values()),
            jobs=self.args.jobs,
        )
        artefacts = {unit.artefact for unit in begun}
        notice(f"{counted(len(begun), 'repeat')} of {counted(len(artefacts), 'artefact')}")


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
