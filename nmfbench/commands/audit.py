"""Recomputation of a sample of the records, and its comparison with them."""

from __future__ import annotations

import contextlib
import math
import os
import shlex
from os import PathLike
from pathlib import Path
from typing import Any

from nmfbench.audits import audit as sampling
from nmfbench.audits import versions
from nmfbench.audits.renew import renew as renew_records
from nmfbench.audits.sensitivity import sensitivity as measure
from nmfbench.commands.answer import Answer, text_table
from nmfbench.commands.errors import UsageError
from nmfbench.commands.merged import difference_lines
from nmfbench.commands.progress import Note, Progress, describe, silent
from nmfbench.commands.targets import select
from nmfbench.commands.values import command, converted
from nmfbench.core import registry
from nmfbench.core.text import counted
from nmfbench.engine.runner import Limits
from nmfbench.guests import parse_solver
from nmfbench.records.rounding import largest
from nmfbench.records.saved import saved_name
from nmfbench.records.store import Store
from nmfbench.trials.trial import version_of
from nmfbench.verdicts.book import owners

__all__ = ["audit"]

_COLUMNS: tuple[str, ...] = ("task", "solver", "dataset", "records", "changed", "audited")
_COLUMNS += ("same_bits", "same_digits", "rounding", "different")


@command
def audit(
    *targets: str,
    store: str | PathLike[str] = "results",
    sample: int = 1,
    draw: str | None = None,
    changed: bool = False,
    accept: bool = False,
    sensitivity: bool = False,
    renew: bool = False,
    solver: str | None = None,
    budget: float | str | None = None,
    jobs: int = 1,
    time_limit: float = 3600.0,
    memory_limit: int | str | None = None,
    target: str | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Compute a sample of the records again, and compare.

    Parameters
    ----------
    *targets : str
        Artefacts, papers or ``"all"``, the default, which takes all records of the store.
    store : path-like, default="results"
        Folder of the records; it has to exist.
    sample : int, default=1
        Records of each group: a task, a solver and a data set.
    draw : str, optional
        Draw the sample that an earlier audit named by this text; by default it is random.
    changed : bool, default=False
        Only records that other source computed.
    accept : bool, default=False
        Raise the versions of what came out different, in the source.
    sensitivity : bool, default=False
        Measure instead what rounding does to the sample, and keep it beside the store.
    renew : bool, default=False
        Compute imported records of another numerical target again instead, and keep the new ones.
    solver : str, optional
        Only records of this one, named as in :func:`~nmfbench.commands.compare.compare`. Of
        imported records name the file of the class, which is run.
    budget : float or str, optional
        Seconds, or ``"30m"``, after which no record is begun.
    jobs, time_limit, memory_limit, target, progress
        As of :func:`~nmfbench.commands.run.run`.

    Returns
    -------
    Answer
        ``table`` has one row for each group: records, and how those audited agree. ``failed`` if
        one came out different and was not accepted.

    Raises
    ------
    TargetError, UsageError
        If there is no such artefact or record, or a value is not valid.
    StoreError
        If there is no store, or it cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import nmfbench
    >>> from nmfbench.records.store import Store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Store(folder).close()  # nothing has run yet
    ...     nmfbench.audit("rnmfd", store=folder)
    no record had to be computed again
    """
    if sensitivity and renew:
        raise UsageError("renew: not allowed with sensitivity, as each is done instead of an audit")
    tell, chosen = progress or silent, select(targets)
    spec = None if solver is None else parse_solver(solver)
    limits = Limits(time_limit, converted(memory_limit))
    means: dict[str, Any] = {"budget": converted(budget), "jobs": jobs, "limits": limits}
    with Store(store, create=False) as opened:
        opened.check_writable()
        keys = places = None
        if targets and "all" not in targets:
            keys = owners((target.artefact for target in chosen), opened.records())
        if spec is not None:
            keys, places = _records_of(spec, opened, keys)
        if sensitivity:
            drawn = {"sample": sample, "draw": draw, "target": target}
            return _measure(opened, keys, tell, **drawn, **means)
        if renew:
            return _renew(opened, keys, tell, **means)
        groups = sampling.audit(
            opened,
            keys,
            sample=sample,
            changed=changed,
            draw=draw,
            places=places,
            target=target,
            progress=_teller(tell),
            **means,
        )
        raised = _raised(sampling.moved(opened, groups), accept)
    rows = [_group_row(group) for group in groups]
    different = [found for g in groups for found in g.audits if found.outcome == "different"]
    text = _text(rows, different, raised, changed=changed, accept=accept)
    drifted = any(row["drift"] for row in rows)
    return Answer(rows, text, failed=bool(different or drifted) and not accept, rows=rows)


def _text(rows, different, raised, *, changed, accept):
    shown = [row for row in rows if row["audited"] or (changed and row["changed"])]
    text = [text_table(shown, _COLUMNS) if shown else "no record had to be computed again"]
    if shown:
        text.append(f"--draw {shlex.quote(rows[0]['draw'])} draws this sample again")
    for found in different:
        where = "" if found.at_one_target else ", of another or an unknown numerical target"
        record = found.record
        text += difference_lines(describe(record), record["key"], found.differences, where)
    for row in (row for row in rows if row["drift"]):
        text.append(f"different: {row['task']} of {row['solver']} on {row['dataset']}, in the mean")
        text += [f"    {line}" for line in row["drift"]]
    decided = sum(row["rounding"] for row in rows)
    if decided:
        text.append(
            f"rounding decides {decided} of the numbers audited: they were computed under another "
            "numerical target, and differ by no more than from data changed in the last place"
        )
    if raised:
        done = "raised" if accept else "if the change is meant, raise (or give --accept)"
        text += [f"{done}:", *(f"    {line}" for line in raised)]
    missed = sum(row["changed"] > 0 and row["audited"] == 0 for row in rows)
    if changed and missed:
        text.append(f"{missed} groups with changed source were not audited: the budget was spent.")
    return "\n".join(text)


def _measure(store, keys, tell, **given) -> Answer:
    rows = []

    def record_spread(record, spread):
        metric, share = largest(record, spread)
        finite = {name: s if math.isfinite(s) else None for name, s in spread.items()}
        rows.append({"key": record["key"], "trial": describe(record), "spread": finite})
        moved = "nothing" if metric is None else f"{metric} by {share:.1%}"
        tell(Note(f"{describe(record)}: {moved}"))

    done = measure(store, keys, progress=record_spread, **given)
    text = f"{counted(done, 'measurement')} of what rounding does, in {store.folder}"
    return Answer(rows, text, rows=rows)


def _renew(store, keys, tell, **means) -> Answer:
    groups = renew_records(store, keys, progress=_teller(tell), **means)
    rows = [_group_row(group) for group in groups]
    done = sum(row["audited"] for row in rows)
    lacking = sum(row["records"] for row in rows) - done
    text = [text_table([row for row in rows if row["audited"]], _COLUMNS)] if done else []
    text.append(f"{counted(done, 'record')} computed again, {lacking} to go.")
    return Answer(rows, "\n".join(text), rows=rows)


def _records_of(spec, store, keys):
    """Keys of the records of a solver, and where the code is of those made elsewhere."""
    places: dict[str, str] = {}
    if spec.is_guest:
        name = saved_name(spec.solver, str(version_of(registry.solvers[spec.solver])))
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


def _teller(tell):
    def record_audit(found):
        if found.outcome == "different":
            what = "; ".join(found.differences[:2])
            tell(Note(f"different: {describe(found.record)}: {what}"))

    return record_audit


def _raised(entries, accept) -> list[str]:
    """Where the versions to raise are declared, in a form that can be pasted."""
    places: dict[tuple, tuple] = {}
    lines = []
    for kind, key in entries:
        try:
            path, line, name, version = versions.declaration(kind, key)
        except versions.VersionError as error:
            lines.append(str(error))
            continue
        if (path, line, name) in places:  # several entries that one line declares
            continue
        places[path, line, name] = kind, key
        if accept:
            versions.raise_version(kind, key)
        shown: str | Path = path
        with contextlib.suppress(ValueError):  # on another drive
            shown = os.path.relpath(path)
        lines.append(f"{shown}:{line}: {kind} {key!r}: {name}={version + 1}")
    return lines
