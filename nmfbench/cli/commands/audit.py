"""``nmfbench audit``: recompute a sample of the records, and compare."""

from __future__ import annotations

import contextlib
import math
import os
import shlex

from nmfbench.cli import options
from nmfbench.cli.output import Result, UsageError, counted, notice, table

_COLUMNS = ("task", "solver", "dataset", "records", "changed", "audited")
_COLUMNS += ("same_bits", "same_digits", "rounding", "different")


def add(commands):
    sub = options.add_command(
        commands,
        "audit",
        run,
        "compute a sample of the records again, and compare",
        "A row of the answer is a task, a solver and a data set. Exit code 1 if a record comes "
        "out different.",
    )
    options.targets(sub)
    options.store(sub)
    options.print_json(sub)
    sub.add_argument(
        "--sample",
        type=options.positive(int),
        default=1,
        metavar="N",
        help="records of each row (1)",
    )
    sub.add_argument(
        "--draw",
        metavar="TEXT",
        help="draw the sample that an earlier audit showed as this text, to repeat it (by default "
        "it is random; only a random sample vouches for records of others)",
    )
    sub.add_argument(
        "--changed", action="store_true", help="only records that other source computed"
    )
    sub.add_argument(
        "--accept",
        action="store_true",
        help="raise the versions of what came out different, in the source",
    )
    kinds = sub.add_mutually_exclusive_group()
    kinds.add_argument(
        "--sensitivity",
        action="store_true",
        help="measure instead what rounding does to the sample, from data changed in the last "
        "place, and keep it beside the store",
    )
    kinds.add_argument(
        "--renew",
        action="store_true",
        help="compute imported records of another numerical target again instead, and keep the "
        "new ones",
    )
    sub.add_argument(
        "--solver",
        metavar="SOLVER",
        help="only records of this one; of records that were imported, name the file of the class, "
        "path/to/file.py:Class, which is run",
    )
    options.budget(sub)
    options.jobs(sub)
    options.limits(sub)
    options.target(sub)


def run(args) -> Result:
    from nmfbench.cli.targets import select
    from nmfbench.guests import parse_solver
    from nmfbench.records.store import Store
    from nmfbench.verdicts.book import owners

    targets = select(args.names)
    spec = None if args.solver is None else parse_solver(args.solver)
    everything = not args.names or "all" in args.names
    with Store(args.store, create=False) as store:
        store.check_writable()
        keys = places = None
        if not everything:
            keys = owners((target.artefact for target in targets), store.records())
        if spec is not None:
            keys, places = _records_of(spec, store, keys)
        if args.sensitivity:
            return _measure(args, store, keys)
        if args.renew:
            return _renew(args, store, keys)
        return _audit(args, store, keys, places)


def _audit(args, store, keys, places) -> Result:
    from nmfbench.audit.audit import audit, moved
    from nmfbench.cli.progress import describe

    groups = audit(
        store,
        keys,
        sample=args.sample,
        changed=args.changed,
        draw=args.draw,
        places=places,
        target=args.target,
        progress=_tell,
        **_means(args),
    )
    raised = _raised(moved(store, groups), args.accept)
    rows = [_group_row(group) for group in groups]
    different = [found for g in groups for found in g.audits if found.outcome == "different"]
    shown = [row for row in rows if row["audited"] or (args.changed and row["changed"])]
    text = [table(shown, _COLUMNS) if shown else "no record had to be computed again"]
    if shown:
        text.append(f"--draw {shlex.quote(rows[0]['draw'])} draws this sample again")
    for found in different:
        where = "" if found.at_one_target else ", of another or an unknown numerical target"
        text.append(f"different: {describe(found.record)} ({found.record['key'][:8]}{where})")
        text += [f"    {line}" for line in found.differences]
    drifted = [row for row in rows if row["drift"]]
    for row in drifted:
        text.append(f"different: {row['task']} of {row['solver']} on {row['dataset']}, in the mean")
        text += [f"    {line}" for line in row["drift"]]
    decided = sum(row["rounding"] for row in rows)
    if decided:
        text.append(
            f"rounding decides {decided} of the numbers audited: they were computed under another "
            "numerical target, and differ by no more than from data changed in the last place"
        )
    if raised:
        done = "raised" if args.accept else "if the change is meant, raise (or give --accept)"
        text += [f"{done}:", *(f"    {line}" for line in raised)]
    missed = sum(row["changed"] > 0 and row["audited"] == 0 for row in rows)
    if args.changed and missed:
        text.append(f"{missed} groups with changed source were not audited: the budget was spent.")
    failed = bool(different or drifted) and not args.accept
    return Result(rows, "\n".join(text), int(failed))


def _means(args) -> dict:
    from nmfbench.engine.runner import Limits

    limits = Limits(args.time_limit, args.memory_limit)
    return {"budget": args.budget, "jobs": args.jobs, "limits": limits}


def _measure(args, store, keys) -> Result:
    from nmfbench.audit.sensitivity import sensitivity
    from nmfbench.cli.progress import describe
    from nmfbench.records.rounding import largest

    rows = []

    def tell(record, spread):
        metric, share = largest(record, spread)
        finite = {name: s if math.isfinite(s) else None for name, s in spread.items()}
        rows.append({"key": record["key"], "trial": describe(record), "spread": finite})
        notice(f"{describe(record)}: {'nothing' if metric is None else f'{metric} by {share:.1%}'}")

    given = {"sample": args.sample, "draw": args.draw, "target": args.target}
    done = sensitivity(store, keys, progress=tell, **given, **_means(args))
    return Result(rows, f"{counted(done, 'measurement')} of what rounding does, in {store.folder}")


def _renew(args, store, keys) -> Result:
    from nmfbench.audit.renew import renew

    groups = renew(store, keys, progress=_tell, **_means(args))
    rows = [_group_row(group) for group in groups]
    done = sum(row["audited"] for row in rows)
    lacking = sum(row["records"] for row in rows) - done
    text = [table([row for row in rows if row["audited"]], _COLUMNS)] if done else []
    text.append(f"{counted(done, 'record')} computed again, {lacking} to go.")
    return Result(rows, "\n".join(text))


def _records_of(spec, store, keys):
    """Keys of the records of a solver, and where the code is of those made elsewhere."""
    from nmfbench.core import registry
    from nmfbench.records.saved import saved_name
    from nmfbench.trials.trial import version_of

    places = {}
    if spec.is_guest:
        name = saved_name(spec.solver, version_of(registry.solvers[spec.solver]))
        places[name] = spec.solver
    found = [
        record["key"]
        for record in store.records(keys)
        if record["solver"] in {spec.solver, *places} and spec.params in ({}, record["params"])
    ]
    if not found:
        name, *_ = [*places, spec.solver]
        raise UsageError(
            f"{store.folder} has no record of {name}"
            + (", the class as it is in this file." if places else ".")
        )
    return found, places


def _group_row(group) -> dict:
    return {
        "task": group.task,
        "solver": group.solver,
        "dataset": group.dataset,
        "draw": group.draw,
        "records": group.records,
        "changed": group.changed,
        "drawn_from": group.drawn_from,
        "audited": len(group.audits),
        "same_bits": group.count("same bits"),
        "same_digits": group.count("same digits"),
        "rounding": group.count("rounding"),
        "different": group.count("different"),
        "differences": [
            {"key": found.record["key"], "what": found.differences}
            for found in group.audits
            if found.outcome == "different"
        ],
        "drift": group.drift(),
    }


def _tell(found):
    from nmfbench.cli.progress import describe

    if found.outcome == "different":
        notice(f"different: {describe(found.record)}: {'; '.join(found.differences[:2])}")


def _raised(entries, accept) -> list[str]:
    """Where the versions to raise are declared, in a form that can be pasted."""
    from nmfbench.cli.versions import VersionError, declaration, raise_version

    places: dict[tuple, tuple] = {}
    lines = []
    for kind, key in entries:
        try:
            path, line, name, version = declaration(kind, key)
        except VersionError as error:
            lines.append(str(error))
            continue
        if (path, line, name) in places:  # several entries that one line declares
            continue
        places[path, line, name] = kind, key
        if accept:
            raise_version(kind, key)
        with contextlib.suppress(ValueError):  # on another drive
            path = os.path.relpath(path)
        lines.append(f"{path}:{line}: {kind} {key!r}: {name}={version + 1}")
    return lines
