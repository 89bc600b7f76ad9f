"""The commands that take records out of a store, into it, and to the test."""

from __future__ import annotations

import contextlib
import os
from dataclasses import asdict
from pathlib import Path

from nmfbench.artefacts.artefact import PROFILES
from nmfbench.cli.output import Result, UsageError, notice, table
from nmfbench.cli.progress import describe
from nmfbench.cli.targets import select
from nmfbench.engine.exchange import export_records, read_exports
from nmfbench.engine.results import reason
from nmfbench.engine.runner import Limits
from nmfbench.engine.store import Store

__all__ = ["agreement_text", "audit", "export", "import_", "publish", "replay"]


def export(args) -> Result:
    from nmfbench.artefacts.book import owners

    targets = select(args.names)
    whole = (not args.names or "all" in args.names) and args.profile is None
    profiles = PROFILES if args.profile is None else (args.profile,)
    output = Path(args.output)
    kind = args.format or ("csv" if output.suffix == ".csv" else "parquet")
    if output.is_dir():
        raise UsageError(f"--output needs a file, but {output} is a folder.")
    with Store(args.store, create=False) as store:
        records = store.records()
        wanted = owners((target.artefact for target in targets), records, profiles)
        rows = [record for record in records if whole or record["key"] in wanted]
        count = export_records(rows, output, format=kind, artefacts=wanted)
    return Result(
        {"output": str(output), "format": kind, "trials": count},
        f"{count} trials written to {output}; their arrays stay in {args.store}.",
    )


def import_(args) -> Result:
    from nmfbench.engine.merge import import_records

    pairs = read_exports(args.names)
    with Store(args.store) as store:
        found = import_records(pairs, store)
    return Result(_merged(found), _merged_text(found, args.store))


def _merged(found) -> dict:
    counts = ("new", "replaced", "held", "left_out", "unknown")
    data = {name: getattr(found, name) for name in counts}
    return data | {"different": found.different, "agreement": dict(found.agreement)}


def _merged_text(found, place):
    text = (
        f"{found.new} new trials, {found.replaced} in place of others, {found.held} that {place} "
        "had already"
    )
    if found.agreement:
        text += f" ({agreement_text(found.agreement)})"
    if found.left_out:
        text += (
            f"; {found.left_out} left out, as their rivals there were timed on another host, or "
            "the fits that they start from came out otherwise there"
        )
    if found.unknown:
        text += f"; {found.unknown} of solvers, tasks or data that are not registered here"
    return f"{text}."


def agreement_text(counts) -> str:
    """How many trials agree, in words: "the same bits 5, digits 1, different 0"."""
    same_bits, same_digits, different = (
        counts.get(outcome, 0) for outcome in ("same bits", "same digits", "different")
    )
    return f"the same bits {same_bits}, digits {same_digits}, different {different}"


def publish(args) -> Result:
    from nmfbench.artefacts.book import publish as write

    with Store(args.store, create=False) as store:
        found = write(store, args.book)
    data = asdict(found) | {"merge": _merged(found.merge), "book": args.book}
    text = (
        f"{_merged_text(found.merge, args.book)}\n{args.book}: {found.records} records in "
        f"{found.files} files, {found.size / 1e6:.1f} MB; {found.written} files were written"
    )
    if found.outdated:
        text += f", and {found.outdated} records left out, as versions were raised since"
    return Result(data, f"{text}.")


def replay(args) -> Result:
    from nmfbench.cli.replay import find_record
    from nmfbench.cli.replay import replay as rerun

    with Store(args.store, create=False) as store:
        try:
            record = find_record(store, args.key)
        except LookupError as error:
            raise UsageError(error.args[0]) from None
        found = rerun(record, store, Limits(args.time_limit, args.memory_limit))
    data = {
        "key": record["key"],
        "trial": describe(record),
        "verdict": found.verdict,
        "compared": found.compared,
        "differences": found.differences,
        "same_code": found.same_code,
        "error": found.error,
    }
    lines = [f"{describe(record)}: {found.verdict}", *(f"  {text}" for text in found.differences)]
    if found.error:
        lines.append(f"  {reason(found.error)}")
    if record["status"] == "failed":
        lines.append(f"  the record is a failure: {reason(record['error'])}")
    if not found.same_code:
        lines.append("  the record was computed by other source than today's")
    return Result(data, "\n".join(lines), int(not found.verdict.startswith("same")))


_COLUMNS = ("task", "solver", "dataset", "records", "changed", "audited")
_COLUMNS += ("same_bits", "same_digits", "different")


def audit(args) -> Result:
    from nmfbench.artefacts.book import owners
    from nmfbench.engine.audit import audit as compute
    from nmfbench.engine.audit import moved

    targets = select(args.names)
    everything = not args.names or "all" in args.names
    with Store(args.store, create=False) as store:
        keys = None
        if not everything:
            keys = owners((target.artefact for target in targets), store.records())
        groups = compute(
            store,
            keys,
            sample=args.sample,
            changed=args.changed,
            budget=args.budget,
            jobs=args.jobs,
            limits=Limits(args.time_limit, args.memory_limit),
            salt=args.draw,
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
