"""``nmfbench compare``: solvers against the baselines, on one page."""

from __future__ import annotations

import contextlib
import os
import shlex
import time

from nmfbench.cli import options
from nmfbench.cli.output import Result, UsageError, counted, notice, table

_CHECK_LIMIT = 30.0  # seconds for each of the common checks


def add(commands):
    sub = options.add_command(
        commands,
        "compare",
        run,
        "solvers against the baselines: one page",
        "Baselines come from the store where they have been run. Exit code 1 if a trial failed.",
    )
    options.jobs(
        sub,
        default=os.cpu_count() or 1,
        help="trials at a time (as many as there are cores); timed ones run one at a time",
    )
    options.retry_failed(sub)
    options.limits(sub, 300.0)
    options.print_json(sub)
    sub.add_argument("names", nargs="+", metavar="SOLVER", help=options.SOLVER)
    sub.add_argument(
        "--task",
        action="append",
        default=[],
        metavar="TASK",
        help="may be repeated; by default all tasks that the solvers can do",
    )
    sub.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="KEY",
        help="a baseline, named as SOLVER; may be repeated; 'all' is every solver of the suite; by "
        "default a few for each task; file.py:Class@version stands for imported records",
    )
    sub.add_argument(
        "--profile",
        type=options.one_of(options.PROFILES),
        default="quick",
        metavar="P",
        help="smoke: a minute; quick (the default): some ten; paper: the papers' own problems",
    )
    sub.add_argument(
        "--output", default="comparison", metavar="DIR", help="folder of the page (comparison)"
    )
    sub.add_argument(
        "--save",
        metavar="FILE",
        help="write the records of SOLVER, without times, for 'nmfbench import' on other machines; "
        "as CSV if its name says so, else as parquet",
    )
    options.store(sub)


def run(args) -> Result:
    from pathlib import Path

    from nmfbench.checks import check_solver
    from nmfbench.cli.progress import Progress
    from nmfbench.compare.evaluate import evaluate, gather
    from nmfbench.compare.page import as_data, write_page
    from nmfbench.compare.plan import check_tasks, make_plan
    from nmfbench.compare.run import compute, look_up, timings_folder
    from nmfbench.compare.saved import add_saved
    from nmfbench.core import registry
    from nmfbench.engine.runner import Limits
    from nmfbench.engine.worker import Worker
    from nmfbench.guests import parse_solver
    from nmfbench.guests.examine import examine
    from nmfbench.records.store import Store

    check_tasks(args.task)  # before any solver is imported
    against = list(registry.solvers) if "all" in args.against else args.against
    solvers, rivals = ([parse_solver(t) for t in texts] for texts in (args.names, against))
    output = Path(args.output)
    if output.exists() and not output.is_dir():
        raise UsageError(f"--output needs a folder, but {output} is a file.")
    if args.save is not None and Path(args.save).is_dir():
        raise UsageError(f"--save needs a file, but {args.save} is a folder.")
    saved = [spec for spec in rivals if spec.is_saved]
    rivals = [spec for spec in rivals if not spec.is_saved]
    checked = {}
    with contextlib.closing(Worker(args.memory_limit)) as worker:  # which built-in solvers share
        against = [examine(spec, worker=worker) for spec in rivals]
        found, broken = _examined(solvers, worker)
        plan = make_plan(found, tasks=args.task, against=against, profile=args.profile)
        for spec, why in broken:
            plan.leave_out(why, solver=spec.label, task="all")
        _make_folder(output)
        for text, spec in zip(args.names, solvers, strict=True):
            if spec.is_guest and spec not in [spec for spec, _ in broken]:
                _, findings = check_solver(spec, time_limit=_CHECK_LIMIT, worker=worker)
                told = [f for f in findings if f.status in ("failed", "note")]
                checked[_without_folder(text)] = told
                for finding in told:
                    notice(f"{_without_folder(text)}: {finding.problem}")
    _say_left_out(plan.left_out, plan)
    started, planned = time.monotonic(), len(plan.left_out)
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(Store(args.store))
        _check_saved(saved, store)
        timings = timings_folder(args.store)
        todo = look_up(plan, store, timings, retry_failed=args.retry_failed)
        fits = todo.steps - todo.own - todo.baselines
        notice(
            f"{todo.held} trials have a record; {todo.steps} to compute: {todo.own} of the solvers "
            f"compared, {todo.baselines} of baselines, {fits} fits that they start from"
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
        written = None if args.save is None else _save(plan, store, args.save)
        add_saved(plan, saved, store)
        own = stack.enter_context(Store(timings)) if todo.anew else None
        findings = evaluate(plan, gather(plan, store, own, todo.anew))
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
    text = _standing(data, failed)
    if written is not None:
        data["saved"] = written
        names = ", ".join(written["solvers"]) or "no solver"
        text += f"\n{written['file']}: {counted(written['trials'], 'record')} of {names}"
    return Result(data, text, int(failed > 0))


def _examined(specs, worker):
    """The solvers that can be imported, and why the others cannot; one at least has to."""
    from nmfbench.guests.errors import GuestError
    from nmfbench.guests.examine import examine

    found, broken = [], []
    for spec in specs:
        try:
            found.append(examine(spec, worker=worker))
        except GuestError as error:
            broken.append((spec, str(error).rstrip(".")))
            if len(broken) == len(specs):
                raise
    return found, broken


def _check_saved(specs, store):
    """Raise a UsageError for a class of which the store has no imported record."""
    from nmfbench.compare.saved import saved_solvers

    known = saved_solvers(store) if specs else []
    for spec in specs:
        if spec not in known:
            names = ", ".join(map(str, known)) or "none"
            raise UsageError(
                f"{store.folder} has no imported record of {spec}; it has those of: {names}."
            )


def _save(plan, store, path):
    """Write the records of the new solvers; what was written."""
    from nmfbench.compare.saved import save_records

    kind = "csv" if path.endswith(".csv") else "parquet"
    names = save_records(plan, store, path, format=kind)
    return {"file": path, "trials": len(names), "solvers": sorted(set(names))}


def _say_left_out(rows, plan):
    """A line a reason; of baselines only the page tells."""
    reasons, rivals = {}, {entrant.label for entrant in plan.entrants if not entrant.new}
    for row in rows:
        if row["solver"] not in rivals:
            reasons.setdefault((row["solver"], row["why"]), []).append(row["task"])
    for (solver, why), tasks in reasons.items():
        notice(f"not run: {', '.join(dict.fromkeys(tasks))} of {solver}: {why}")


def _make_folder(path):
    """Before anything is computed for it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--output {path} cannot be made: {error.strerror}.") from None


def _compare_command(args):
    """Command that makes the page again, without the folders of this machine."""
    words = ["nmfbench", "compare", *map(_without_folder, args.names)]
    words += [word for task in args.task for word in ("--task", task)]
    words += [word for key in args.against for word in ("--against", _without_folder(key))]
    return shlex.join([*words, "--profile", args.profile])


def _without_folder(text):
    place, colon, rest = text.partition(":")
    return os.path.basename(place) + colon + rest if place.endswith(".py") else text


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
    text = [table(rows, (*columns, "wins", "ties", "losses", "too_few")) if rows else ""]
    if failed:
        worst = data["failures"][0]
        text.append(f"{counted(failed, 'trial')} failed: {worst['method']}: {worst['reason']}")
    return "\n".join(filter(None, [*text, data["output"]]))
