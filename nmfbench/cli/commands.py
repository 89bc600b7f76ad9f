"""What each command does: parsed arguments in, a :class:`Result` out.

A command returns its answer twice, as data and as text; :mod:`nmfbench.cli` prints one of the two.
Progress and notices go to standard error meanwhile.
"""

from __future__ import annotations

import contextlib
import shlex
import sqlite3
import sys
import textwrap
import time
from collections import Counter
from pathlib import Path

from nmfbench.artefacts.artefact import PROFILES
from nmfbench.cli.catalogue import catalogue
from nmfbench.cli.output import Result, UsageError
from nmfbench.cli.output import notice as _notice
from nmfbench.cli.output import reading as _reading
from nmfbench.cli.output import table as _table
from nmfbench.cli.progress import Progress, describe
from nmfbench.cli.records import agreement_text, audit, export, import_, publish, replay
from nmfbench.cli.targets import TargetError, how_to_get, runnable, select
from nmfbench.cli.versions import VersionError
from nmfbench.compare.plan import CompareError
from nmfbench.core import registry
from nmfbench.core.registry import UnknownNameError
from nmfbench.datasets.base import dataset_available, dataset_info
from nmfbench.datasets.errors import DataError
from nmfbench.engine.agreement import compare as compare_records
from nmfbench.engine.audit import standing
from nmfbench.engine.budget import Costs, run_units, units_of
from nmfbench.engine.exchange import ExchangeError, read_exports
from nmfbench.engine.merge import import_records
from nmfbench.engine.missing import in_stages
from nmfbench.engine.results import reason
from nmfbench.engine.runner import Crew, Limits, SchedulerError
from nmfbench.engine.runner import run as run_trials
from nmfbench.engine.store import Store, StoreError
from nmfbench.engine.worker import Worker, WorkerError
from nmfbench.guests import GuestError, parse_solver
from nmfbench.guests.examine import examine

__all__ = ["Result", "audit", "exit_code", "export", "import_", "publish", "replay"]


def exit_code(error: Exception) -> int | None:
    """1 where something failed, 2 where the user asked for what cannot be; None: our mistake."""
    if isinstance(error, DataError | ReportError | WorkerError):
        return 1
    names = (TargetError, UnknownNameError, GuestError, CompareError)
    wrong = (StoreError, SchedulerError, ExchangeError, UsageError, VersionError, sqlite3.Error)
    wrong += (OSError,)
    return 2 if isinstance(error, (*names, *wrong)) else None


class ReportError(RuntimeError):
    """The report could not be made."""


# -- list -------------------------------------------------------------------------------------

_SHOWN = {
    "solvers": ("key", "name", "family", "paper", "reference"),
    "datasets": ("name", "n_samples", "n_features", "n_classes", "available", "title"),
    "corruptions": ("key", "level"),
    "metrics": ("key", "name", "higher_is_better"),
    "tasks": ("key", "summary"),
    "artefacts": ("id", "kind", "task", "claims", *PROFILES, "title"),
}


def list_(args) -> Result:
    rows = catalogue(args.things)
    shown = rows
    if args.things == "artefacts":
        shown = [row | row["trials"] | {"claims": len(row["claims"])} for row in rows]
    return Result(rows, _table(shown, _SHOWN[args.things]))


# -- run, status, report, reproduce, claims ---------------------------------------------------


def run(args) -> Result:
    anew = args.anew
    artefacts, left_out = runnable(select(args.names), args.profile, stand_in=args.stand_in)
    for artefact, names in left_out.items():
        _notice(f"{artefact} is left out: {how_to_get(names)}, or give --stand-in")
    started = time.monotonic()
    grids = {artefact.id: _plan(artefact, args) for artefact in artefacts}
    plan = {trial.key: trial for grid in grids.values() for trial in grid}
    with Store(args.store) as store:
        asked = {"retry_failed": args.retry_failed, "anew": anew}
        todo = {t.key for stage in in_stages(plan.values(), store, **asked) for t in stage}
        lacking = len(todo.intersection(plan))
        _notice(
            f"{len(plan)} trials, of which {len(plan) - lacking} have a record already"
            if not anew
            else f"{len(plan)} trials, of which {lacking} have no record that was computed here"
        )
        before = {r["key"]: r for r in store.records(store.imported(todo))} if anew else {}
        with _Computing(plan, store, args, len(todo), before) as computing:
            if args.budget is None:
                computing.run(plan.values(), **asked)
            else:
                computing.run_within(args.budget, grids, asked)
        rows = [_status(artefact, store, args) for artefact in artefacts]
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
    text = [_table(rows, ("id", "done", "failed", "missing", "total")) if rows else ""]
    if counts["failed"]:
        text.append(f"{counts['failed']} trials failed; --retry-failed computes them once more.")
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
        self._crew = self.enter_context(contextlib.closing(Crew(args.memory_limit)))
        self._progress = self.enter_context(Progress(todo))

    def _told(self, summary, record):
        self._progress(summary, record)
        key = record["key"]
        if record["status"] == "failed":
            why = reason(record["error"])
            self.failures.append({"key": key, "trial": describe(record), "error": why})
        self.computed.add(key)
        if key in self.before and key in self.plan:
            self.agreement[compare_records(self.before[key], record).outcome] += 1

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
        _notice(f"{len(begun)} repeats of {len({unit.artefact for unit in begun})} artefacts")


def status(args) -> Result:
    targets = select(args.names)
    with _reading(args.store) as store:
        rows = [_status(target.artefact, store, args) for target in targets]
        for row, target in zip(rows, targets, strict=True):
            row |= standing(store, _plan(target.artefact, args))
    columns = ("id", "profile", "done", "failed", "missing", "total")
    code = ("current", "audited", "different", "unaudited", "missing_data")
    return Result(rows, _table(rows, (*columns, *code)))


def _status(artefact, store, args):
    plan = {trial.key for trial in _plan(artefact, args)}
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


def _plan(artefact, args):
    return artefact.plan(args.profile, stand_in=args.stand_in)


def report(args) -> Result:
    return _report([target.artefact for target in select(args.names)], args, args.profile)


def _report(artefacts, args, profile=None) -> Result:
    from nmfbench.report.build import NotebookError, build_report

    try:
        made = build_report(
            artefacts, args.store, profile=profile, output=args.output, stand_in=args.stand_in
        )
    except NotebookError as error:
        raise ReportError(str(error)) from error
    broken = [text for evaluation in made.evaluations for text in evaluation.broken]
    text = [f"the test of a claim failed: {line}" for line in broken]
    data = {"index": str(made.index)}
    return Result(data, "\n".join([*text, f"{made.index}"]), int(bool(broken)))


def reproduce(args) -> Result:
    if args.book is not None:
        _notice(f"importing {args.book}")
        pairs = read_exports([args.book])
        with Store(args.store) as store:
            import_records(pairs, store)
        del pairs
        args.anew = True
    first = run(args)
    artefacts, _ = runnable(select(args.names), args.profile, stand_in=args.stand_in)
    _notice("all trials have ended; the report is being made")
    second = _report(artefacts, args)  # each on its largest grid, which may be of earlier runs
    data = {"run": first.data, "report": second.data}
    return Result(data, f"{first.text}\n{second.text}", max(first.code, second.code))


def claims(args) -> Result:
    from nmfbench.artefacts.evaluate import claim_rows

    targets = select(args.names)
    with _reading(args.store) as store:
        found = [_evaluate(target.artefact, store, args) for target in targets]
    rows = [row for evaluation in found for row in claim_rows(evaluation)]
    broken = [text for evaluation in found for text in evaluation.broken]
    for text in broken:
        _notice(f"the test of a claim failed: {text}")
    return Result(rows, "\n\n".join(map(_verdicts, found)), int(bool(broken)))


def _evaluate(artefact, store, args):
    from nmfbench.artefacts.evaluate import evaluate

    return evaluate(artefact, store, profile=args.profile, stand_in=args.stand_in)


def _verdicts(evaluation):
    """One artefact: a heading, then for each claim the verdict, the statement, the evidence."""
    e = evaluation
    repeats = f"{e.whole} of {e.repeats} repeats, " if e.left_out else ""
    head = f"{e.artefact.id}: {e.title} ({e.profile}, {repeats}{e.done} of {e.total} trials)"
    lines = [head]
    for claim, verdict in e.verdicts:
        lines += textwrap.wrap(
            f"{verdict.verdict:<13} {claim.id}: {claim.statement} ({claim.source})",
            width=100,
            initial_indent="  ",
            subsequent_indent=" " * 16,
        )
        for text in (verdict.evidence, claim.sensitivity_in_words(verdict)):
            indent = " " * 16
            lines += textwrap.wrap(text, width=100, initial_indent=indent, subsequent_indent=indent)
    return "\n".join(lines if e.verdicts else [head, "  no claim is tested"])


# -- check ------------------------------------------------------------------------------------


def check(args) -> Result:
    from nmfbench.checks.contract import as_data, check_solver

    spec = parse_solver(args.solver)
    examined, findings = check_solver(
        spec, time_limit=args.time_limit, memory_limit=args.memory_limit
    )
    failed = any(finding.status == "failed" for finding in findings)
    found = as_data(examined, findings)
    return Result(found, _findings(found), int(failed))


def _findings(found):
    """A line a check; of those that did not pass also what is wrong, how to mend it, the input."""
    lines = [found["solver"]]
    for row in found["checks"]:
        said = row["wrong"] if row["status"] == "skipped" else ""
        head = f"  {row['status']:<8} {row['name']}: {row['statement']}"
        lines.append(f"{head} ({said})" if said else head)
        if row["status"] in ("failed", "note"):
            for word in ("wrong", "mend", "input"):
                lines += textwrap.wrap(
                    f"{word + ':':<7}{row[word]}",
                    width=100,
                    initial_indent=" " * 11,
                    subsequent_indent=" " * 18,
                    break_long_words=False,
                    break_on_hyphens=False,
                )
    statuses = [row["status"] for row in found["checks"]]
    counts = [(statuses.count(word), word) for word in ("passed", "failed", "skipped", "note")]
    lines.append(", ".join(f"{n} {word}{'s' * (n > 1 and word == 'note')}" for n, word in counts))
    if any(row["input"] for row in found["checks"]):
        lines.append("The inputs need: from nmfbench.checks.contract import easy_data")
    lines.append(f"Tasks it can do: {', '.join(found['tasks']) or 'none'}.")
    why = {}
    for task, text in found["cannot"].items():
        why.setdefault(text, []).append(task)
    lines += [f"Not {', '.join(tasks)}: {text}." for text, tasks in why.items()]
    return "\n".join(lines)


# -- compare ----------------------------------------------------------------------------------

_CHECK_LIMIT = 30.0  # seconds for each of the common checks


def compare(args) -> Result:
    from nmfbench.checks.contract import check_solver
    from nmfbench.compare.evaluate import evaluate, gather
    from nmfbench.compare.page import as_data, write_page
    from nmfbench.compare.plan import check_tasks, make_plan
    from nmfbench.compare.run import compute, look_up, timings_folder

    check_tasks(args.task)  # before any solver is imported
    against = list(registry.solvers) if "all" in args.against else args.against
    solvers, rivals = ([parse_solver(t) for t in texts] for texts in (args.names, against))
    output = Path(args.output)
    if output.exists() and not output.is_dir():
        raise UsageError(f"--output needs a folder, but {output} is a file.")
    checked = {}
    with contextlib.closing(Worker(args.memory_limit)) as worker:  # which solvers of ours share
        against, found = ([examine(s, worker=worker) for s in specs] for specs in (rivals, solvers))
        plan = make_plan(found, tasks=args.task, against=against, profile=args.profile)
        _make_folder(output)
        for text, spec in zip(args.names, solvers, strict=True):
            if spec.is_guest:
                _, findings = check_solver(spec, time_limit=_CHECK_LIMIT, worker=worker)
                told = [f for f in findings if f.status in ("failed", "note")]
                checked[_without_folder(text)] = told
                for finding in told:
                    _notice(f"{_without_folder(text)}: {finding.wrong}")
    _say_left_out(plan.left_out, plan)
    started, planned = time.monotonic(), len(plan.left_out)
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(Store(args.store))
        timings = timings_folder(args.store)
        todo = look_up(plan, store, timings, retry_failed=args.retry_failed)
        _notice(
            f"{todo.held} trials have a record; to compute: {todo.own} of the solvers compared, "
            f"{todo.baselines} of baselines"
        )
        limits = Limits(args.time_limit, args.memory_limit)
        with Progress(todo.steps) as progress:
            try:
                compute(
                    plan,
                    todo,
                    store,
                    timings,
                    jobs=args.jobs,
                    limits=limits,
                    retry_failed=args.retry_failed,
                    progress=progress,
                )
            except KeyboardInterrupt:
                raise KeyboardInterrupt(
                    f"stopped. What has finished is in {args.store}; the same command resumes."
                ) from None
        _say_left_out(plan.left_out[planned:], plan)
        own = stack.enter_context(Store(timings)) if todo.anew else None
        findings = evaluate(plan, gather(plan, todo, store, own))
        page = write_page(
            plan, todo, findings, output, checked=checked, command=_compare_command(args)
        )
    data = as_data(findings) | {
        "output": str(page),
        "profile": args.profile,
        "found": todo.held,
        "computed": {"own": todo.own, "baselines": todo.baselines},
        "seconds": round(time.monotonic() - started, 3),
    }
    failed = int(findings.failures["trials"].sum())
    return Result(data, _standing(data, failed), int(failed > 0))


def _say_left_out(rows, plan):
    """A line a reason; of baselines only the page tells."""
    reasons, rivals = {}, {entrant.label for entrant in plan.entrants if not entrant.new}
    for row in rows:
        if row["solver"] not in rivals:
            reasons.setdefault((row["solver"], row["why"]), []).append(row["task"])
    for (solver, why), tasks in reasons.items():
        _notice(f"not run: {', '.join(dict.fromkeys(tasks))} of {solver}: {why}")


def _make_folder(path):
    """Before anything is computed for it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--output {path} cannot be made: {error.strerror}.") from None


def _compare_command(args):
    """What makes the page again, without the folders of this machine."""
    words = ["nmfbench", "compare", *map(_without_folder, args.names)]
    words += [word for task in args.task for word in ("--task", task)]
    words += [word for key in args.against for word in ("--against", _without_folder(key))]
    return shlex.join([*words, "--profile", args.profile])


def _without_folder(text):
    place, colon, rest = text.partition(":")
    return Path(place).name + colon + rest if place.endswith(".py") else text


def _standing(data, failed):
    """The summary, a line a task and solver; then what failed, and where the page is."""
    rows = [
        row
        | {
            "task": row["title"],
            "mean_rank": f"{row['mean_rank']:.2f} of {row['methods']}",
            "best": f"{row['best']} ({row['best_rank']:.2f})",
        }
        for row in data["summary"]
    ]
    columns = ("solver", "task", "problems", "repeats", "mean_rank", "best")
    text = [_table(rows, (*columns, "wins", "ties", "losses", "too_few")) if rows else ""]
    if failed:
        worst = data["failures"][0]
        text.append(f"{failed} trials failed: {worst['method']}: {worst['reason']}")
    return "\n".join(filter(None, [*text, data["output"]]))


# -- card -------------------------------------------------------------------------------------


def card(args) -> Result:
    from nmfbench.cards import card_text, gather, make_card

    alone = len(args.names) == 1 and args.names != ["all"]
    names = [key for name in args.names for key in (registry.solvers if name == "all" else [name])]
    specs = list({str(spec): spec for spec in map(parse_solver, names)}.values())
    if args.measure:
        _measure(specs, args, again=alone)
    artefacts = [entry.target for entry in registry.artefacts.entries()]
    with _reading(args.store) as store:
        evidence = gather(
            artefacts,
            store,
            profile=args.profile,
            stand_in=args.stand_in,
            solvers=[spec.solver for spec in specs],
        )
    found = [
        make_card(spec, evidence, args.store, profile=args.profile, time_limit=args.time_limit)
        for spec in specs
    ]
    text = f"\n\n{'=' * 100}\n\n".join(map(card_text, found))
    return Result(found[0] if alone else found, text)


def _measure(specs, args, *, again):
    """Measure exponents of time, and keep each as it comes; ``again``: also what is current."""
    from nmfbench.cards.scaling import is_current, measure_exponents, write_measured

    todo = [s for s in specs if again or not is_current(args.store, s.solver, s.params)]
    if len(specs) > len(todo):
        _notice(f"{len(specs) - len(todo)} of {len(specs)} solvers have been measured already")
    done = 0
    with contextlib.closing(Worker()) as worker:
        try:
            for spec in todo:
                _notice(f"measuring {spec} ({done + 1} of {len(todo)})")
                limits = {"time_limit": args.time_limit, "worker": worker}
                measured = measure_exponents(spec.solver, spec.params, **limits)
                write_measured(args.store, spec.solver, spec.params, measured)
                done += 1
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"stopped. {done} of {len(todo)} solvers were measured, and are kept in "
                f"{args.store}; the same command resumes."
            ) from None


# -- data -------------------------------------------------------------------------------------


def data(args) -> Result:
    names = _datasets(args.names)
    return {"list": _data_list, "fetch": _data_fetch, "verify": _data_verify}[args.action](
        names, named="all" not in args.names and bool(args.names)
    )


def _datasets(names):
    for name in names:
        if name != "all":
            registry.datasets[name]  # an unknown one ends here, with its near misses
    if not names or "all" in names:
        return list(registry.datasets)
    return list(dict.fromkeys(names))


def _data_list(names, named):
    rows = [dataset_info(name) for name in names]
    columns = ("name", "n_samples", "n_features", "n_classes", "available", "public_home")
    return Result(rows, _table(rows, (*columns, "licence")))


def _data_fetch(names, named):
    from nmfbench.datasets.fetch import fetch

    rows = []
    for name in names:
        row = {"name": name, "status": "at hand", "path": None, "error": None}
        rows.append(row)
        here, info = dataset_available(name), dataset_info(name)
        if not named and not here and not info["public_home"]:
            row["status"] = "no public home"
            continue
        try:
            path = fetch(name, progress=sys.stderr.isatty())
        except DataError as error:
            row |= {"status": "failed", "error": str(error)}
            _notice(str(error))
            continue
        row["path"] = None if path is None else str(path)
        if not here:
            row["status"] = "fetched" if dataset_available(name) else "variant"
            _notice(f"{name}: {row['status']}")
    failed = any(row["status"] == "failed" for row in rows)
    return Result(rows, _table(rows, ("name", "status", "path")), int(failed))


def _data_verify(names, named):
    from nmfbench.datasets.fetch import verify

    rows = [{"name": name, "status": verify(name)} for name in names]
    bad = {"corrupt", "missing"} if named else {"corrupt"}
    return Result(
        rows, _table(rows, ("name", "status")), int(any(row["status"] in bad for row in rows))
    )


# -- doctor --------------------------------------------------------------------------------


def doctor(args) -> Result:
    from nmfbench.cli.doctor import diagnose, diagnose_data

    findings, sets = diagnose(args.store), diagnose_data()
    usable = all(finding.state != "broken" for finding in findings)
    rows = [finding.to_dict() for finding in findings]
    here = [f.topic for f in sets if f.state == "ok"]
    public = [f.topic for f in sets if f.state != "ok" and dataset_info(f.topic)["public_home"]]
    private = [f.topic for f in sets if f.state != "ok" and f.topic not in public]
    paragraphs = {
        "Data at hand": here,
        "Missing data that 'nmfbench data fetch NAME' gets": public,
        "Missing data without a public home (their prepared files go into the folder that "
        "NMFBENCH_DATA names; 'nmfbench doctor --json' has the names of the files)": private,
        "What would help": [f"{f.topic}: {f.remedy}" for f in findings if f.remedy],
    }
    text = [
        _table(rows, ("state", "topic", "detail")),
        *(f"{head}: {', '.join(names)}." for head, names in paragraphs.items() if names),
        "The suite can be used." if usable else "The suite cannot be used: see what is broken.",
    ]
    data = {"usable": usable, "findings": rows, "data": [finding.to_dict() for finding in sets]}
    return Result(data, "\n\n".join(text), int(not usable))
