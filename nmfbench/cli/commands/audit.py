"""``nmfbench audit``: recompute a sample of the records, and compare."""

from __future__ import annotations

import contextlib
import os

from nmfbench.cli import options
from nmfbench.cli.output import Result, UsageError, notice, table

_COLUMNS = ("task", "solver", "dataset", "records", "changed", "audited")
_COLUMNS += ("same_bits", "same_digits", "different")


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
    sub.add_argument("--draw", default="", metavar="TEXT", help="another text draws another sample")
    sub.add_argument(
        "--changed", action="store_true", help="only records that other source computed"
    )
    sub.add_argument(
        "--accept",
        action="store_true",
        help="raise the versions of what came out different, in the source",
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


def run(args) -> Result:
    from nmfbench.artefacts.book import owners
    from nmfbench.cli.progress import describe
    from nmfbench.cli.targets import select
    from nmfbench.engine.audit import audit, moved
    from nmfbench.engine.runner import Limits
    from nmfbench.engine.store import Store
    from nmfbench.guests import parse_solver

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
        groups = audit(
            store,
            keys,
            sample=args.sample,
            changed=args.changed,
            budget=args.budget,
            jobs=args.jobs,
            limits=Limits(args.time_limit, args.memory_limit),
            salt=args.draw,
            places=places,
            progress=_tell,
        )
        raised = _raised(moved(store, groups), args.accept)
    rows = [_group_row(group) for group in groups]
    different = [found for g in groups for found in g.audits if found.outcome == "different"]
    said = [row for row in rows if row["audited"] or (args.changed and row["changed"])]
    text = [table(said, _COLUMNS) if said else "no record had to be computed again"]
    for found in different:
        text.append(f"different: {describe(found.record)} ({found.record['key'][:8]})")
        text += [f"    {line}" for line in found.differences]
    if raised:
        done = "raised" if args.accept else "if the change is meant, raise (or give --accept)"
        text += [f"{done}:", *(f"    {line}" for line in raised)]
    missed = sum(row["changed"] > 0 and row["audited"] == 0 for row in rows)
    if args.changed and missed:
        text.append(f"{missed} groups with changed source were not audited: the budget was spent.")
    return Result(rows, "\n".join(text), int(bool(different) and not args.accept))


def _records_of(spec, store, keys):
    """Keys of the records of a solver, and where the code is of those made elsewhere."""
    from nmfbench.core import registry
    from nmfbench.engine.saved import saved_name
    from nmfbench.engine.trials import version_of

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
        "records": group.records,
        "changed": group.changed,
        "audited": len(group.audits),
        "same_bits": group.count("same bits"),
        "same_digits": group.count("same digits"),
        "different": group.count("different"),
        "differences": [
            {"key": found.record["key"], "compared": found.compared, "what": found.differences}
            for found in group.audits
            if found.outcome == "different"
        ],
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
