"""Comparison of solvers with baselines."""

from __future__ import annotations

import base64
import contextlib
import io
import os
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from nmfbench.checks import check_solver
from nmfbench.commands.answer import Answer, text_table
from nmfbench.commands.errors import UsageError
from nmfbench.commands.own_data import check_unused, read_matrix
from nmfbench.commands.progress import Note, Progress, events, silent
from nmfbench.commands.values import command, converted, listed
from nmfbench.comparison.evaluate import Findings, evaluate, gather
from nmfbench.comparison.page import as_data, draw_pictures, write_page
from nmfbench.comparison.plan import CompareError, Plan, check_tasks, make_plan
from nmfbench.comparison.run import compute, look_up, timings_folder
from nmfbench.comparison.saved import add_saved, save_records, saved_solvers
from nmfbench.core import registry
from nmfbench.core.text import counted
from nmfbench.engine.runner import Limits
from nmfbench.engine.worker import Worker
from nmfbench.guests import SolverSpec, parse_solver
from nmfbench.guests.errors import GuestError
from nmfbench.guests.examine import examine
from nmfbench.own import OwnData, is_own
from nmfbench.own.entry import provided
from nmfbench.own.loader import labels_key
from nmfbench.problems.own import OwnMatrix
from nmfbench.records.store import Store

__all__ = ["Comparison", "compare"]

_CHECK_LIMIT = 30.0  # seconds for each of the common checks
_DPI = 80  # of pictures in a notebook


@dataclass(frozen=True, repr=False)
class Comparison(Answer):
    """Result of a comparison; a notebook shows its table and its pictures.

    Attributes
    ----------
    plan : Plan
        Its trials, and what was left out.
    findings : Findings
        All tables: records, scores, paired tests, profiles, curves.
    page : Path
        The page as a file.
    """

    plan: Plan = field(kw_only=True)
    findings: Findings = field(kw_only=True)
    page: Path = field(kw_only=True)

    @property
    def table(self) -> pd.DataFrame:
        """One row for each task and new solver: mean rank, wins, ties and losses."""
        return self.findings.summary

    @cached_property
    def figures(self) -> dict[str, Figure]:
        """Pictures of the page by name; they belong to no window."""
        found = draw_pictures(self.plan, self.findings)
        for figure in found.values():
            plt.close(figure)
        return found

    def to_html(self) -> str:
        """The page, complete in itself."""
        return self.page.read_text(encoding="utf-8")

    def _repr_html_(self) -> str:
        pictures = (
            f'<img alt="{name}" src="data:image/png;base64,{_png(figure)}">'
            for name, figure in self.figures.items()
        )
        return "\n".join([self.table.to_html(index=False), *pictures])


def _png(figure):
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=_DPI, bbox_inches="tight")
    return base64.b64encode(png.getvalue()).decode()


@command
def compare(
    *solvers: str,
    task: str | Sequence[str] = (),
    against: str | Sequence[str] = (),
    profile: str = "quick",
    data: Any = None,
    rank: int | None = None,
    labels: Any = None,
    transpose: bool = False,
    variable: str | None = None,
    image_side: int | None = None,
    store: str | PathLike[str] = "results",
    output: str | PathLike[str] = "comparison",
    save: str | PathLike[str] | None = None,
    jobs: int | None = None,
    retry_failed: bool = False,
    renew: bool = False,
    time_limit: float = 300.0,
    memory_limit: int | str | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare solvers with baselines: recovery, recognition, clustering, separation, speed.

    Baselines come from the store where they have been run.

    Parameters
    ----------
    *solvers : str
        A key (``"mu"``), ``"package.module:Class"`` or ``"path/to/file.py:Class"``, with parameters
        if need be, as in ``"file.py:MyNMF(alpha=0.1)"``.
    task : str or sequence of str, optional
        By default all tasks that the solvers can do.
    against : str or sequence of str, optional
        Baselines, named as solvers; ``"all"`` is every solver of the suite; by default a few for
        each task. ``"file.py:Class@version"`` stands for imported records.
    profile : {"smoke", "quick", "paper"}, default="quick"
        A minute, some ten minutes, or the problems of the papers.
    data : path-like, array, sparse matrix, DataFrame or AnnData, optional
        A matrix of your own, as :func:`nmfbench.own.read` takes it, on which the tasks
        reconstruction, held-out, convergence, stability and rank-search are set instead, and with
        labels clustering and recognition.
    rank : int, optional
        Rank of the factorizations of ``data``; by default the number of classes, else 10 or half
        the smaller side of the matrix, if that is less.
    labels, transpose, variable, image_side
        How to read ``data``, see :func:`nmfbench.own.read`.
    store : path-like, default="results"
        Folder of the records; made if it is missing.
    output : path-like, default="comparison"
        Folder of the page, its tables and its figures; made if it is missing.
    save : path-like, optional
        Write the records of the solvers to this file, without times, for other machines: as CSV if
        its name ends so, else as parquet.
    jobs : int, optional
        Trials at a time, by default as many as there are cores; timed ones run one at a time.
    retry_failed : bool, default=False
        Compute failed trials once more.
    renew : bool, default=False
        Timings that are taken again, since the store has them from another machine, take the place
        of these, with all others that it has of the same problems, whatever the loss or artefact:
        ``nmfbench publish`` then renews them in the record book. By default they are kept beside.
    time_limit : float, default=300
        Seconds after which a trial has failed.
    memory_limit : int or str, optional
        Bytes, or ``"500M"``, ``"4G"``, for the process of a trial.
    progress : callable, optional
        Called with each event.

    Returns
    -------
    Comparison
        ``table``, ``figures``, ``page`` and ``to_html()``. ``failed`` if a trial failed.

    Raises
    ------
    UnknownNameError, GuestError
        If there is no such solver or task, or none of the solvers can be imported.
    OwnDataError
        If ``data`` cannot be read or factorized.
    CompareError, UsageError
        If there is nothing to compare, or a value is not valid.

    Examples
    --------
    >>> import tempfile
    >>> import nmfbench
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = nmfbench.compare(
    ...         "spa",
    ...         task="recovery",
    ...         against="xray-l2",
    ...         profile="smoke",
    ...         store=folder,
    ...         output=f"{folder}/page",
    ...     )
    >>> found.table[["solver", "task"]].to_dict("records")
    [{'solver': 'spa', 'task': 'recovery'}]
    >>> "robustness-recovery" in found.figures
    True
    """
    if not solvers:
        raise UsageError("compare needs a solver.")
    tell = progress or silent
    tasks, against = listed(task), listed(against)
    reading = {"labels": labels, "transpose": transpose, "variable": variable}
    matrix = _own_data(data, rank, reading | {"image_side": image_side}, tell)
    own = None if matrix is None else _facts(matrix, rank)
    check_tasks(tasks, own)  # before any solver is imported
    named = list(registry.solvers) if "all" in against else against
    specs, rivals = ([parse_solver(t) for t in texts] for texts in (solvers, named))
    output = Path(output)
    _check_places(output, save)
    saved = [spec for spec in rivals if spec.is_saved]
    rivals = [spec for spec in rivals if not spec.is_saved]
    limits = Limits(time_limit, converted(memory_limit))
    with contextlib.ExitStack() as stack:
        if matrix is not None:
            stack.enter_context(provided(matrix))
        with contextlib.closing(Worker(limits.memory)) as worker:  # which built-in solvers share
            plan, lost = _plan(specs, rivals, worker, tasks=tasks, profile=profile, own=own)
            _make_folder(output)
            whole = [text for text, spec in zip(solvers, specs, strict=True) if spec not in lost]
            checked = _checked(whole, worker, tell)
        _note_left_out(plan.left_out, plan, tell)
        started, planned = time.monotonic(), len(plan.left_out)
        opened = stack.enter_context(Store(store))
        _check_saved(saved, opened)
        timings = timings_folder(store)
        todo = look_up(plan, opened, timings, retry_failed=retry_failed, renew=renew)
        _compute(
            *(plan, todo, opened, timings, tell),
            jobs=jobs or os.cpu_count() or 1,
            limits=limits,
            retry_failed=retry_failed,
        )
        _note_left_out(plan.left_out[planned:], plan, tell)
        written = None if save is None else _save(plan, opened, save)
        add_saved(plan, saved, opened)
        timed = stack.enter_context(Store(timings)) if todo.timed_here else None
        findings = evaluate(plan, gather(plan, opened, timed, todo.timed_here))
        line = _command_line(solvers, tasks, against, profile, own)
        page = write_page(plan, todo, findings, output, checked=checked, command=line)
    data = as_data(findings) | {
        "output": str(page),
        "profile": profile,
        "data": own and {"name": own.name, "key": own.key, "rank": own.rank},
        "found": todo.held,
        "computed": {"own": todo.own, "baselines": todo.baselines},
        "seconds": round(time.monotonic() - started, 3),
    }
    failed = int(findings.failures["trials"].sum())
    text = _standing(data, failed, [spec.label for spec in specs])
    if written is not None:
        data["saved"] = written
        names = ", ".join(written["solvers"]) or "no solver"
        text += f"\n{written['file']}: {counted(written['trials'], 'record')} of {names}"
    return Comparison(
        data, text, failed > 0, data["summary"], plan=plan, findings=findings, page=page
    )


def _check_places(output, save):
    if output.exists() and not output.is_dir():
        raise UsageError(f"--output needs a folder, but {output} is a file.")
    if save is not None and Path(save).is_dir():
        raise UsageError(f"--save needs a file, but {save} is a folder.")


def _plan(specs, rivals, worker, **asked) -> tuple[Plan, list[SolverSpec]]:
    """The plan, and the new solvers that cannot be imported."""
    others = [examine(spec, worker=worker) for spec in rivals]
    found, broken = _examined(specs, worker)
    try:
        plan = make_plan(found, against=others, **asked)
    except CompareError as error:
        lines = [str(error), *(f"{spec.label} cannot be used: {why}." for spec, why in broken)]
        raise CompareError("\n".join(lines)) from None
    for spec, why in broken:
        plan.leave_out(why, solver=spec.label, task="all")
    return plan, [spec for spec, _ in broken]


def _own_data(data, rank, reading, tell) -> OwnData | None:
    """The user's matrix, if one is given and can be factorized."""
    if data is None:
        check_unused(reading | {"rank": rank}, ": name it with data.")
        return None
    if not is_own(data):
        raise UsageError(
            f"data: {data!r} is a registered data set, and takes part through the problems that "
            f"are registered on it (nmfbench.problems); a file of that name is given as ./{data}."
        )
    return read_matrix(data, reading, tell)


def _facts(matrix, rank) -> OwnMatrix:
    """Facts that the problems on the user's matrix depend on."""
    n, m = matrix.X.shape
    y = matrix.classes
    sizes: list[int] = [] if y is None else np.bincount(y).tolist()
    if rank is None:
        rank = len(sizes) or max(1, min(10, min(n, m) // 2))
    elif rank > min(n, m):
        raise UsageError(f"rank: {rank} is more than the smaller side of {n} x {m} has.")
    return OwnMatrix(
        matrix.key,
        matrix.name,
        *(n, m, rank),
        sparse=matrix.diagnosis.sparse,
        positive=matrix.diagnosis.smallest > 0,
        labels=None if y is None else labels_key(y),
        n_classes=len(sizes),
        smallest_class=min(sizes, default=0),
    )


def _checked(solvers, worker, tell):
    """Common checks of external solvers that failed or have a note, by name."""
    found = {}
    for text in solvers:
        if (spec := parse_solver(text)).is_guest:
            tell(Note(f"checking {_without_folder(text)}"))
            _, findings = check_solver(spec, time_limit=_CHECK_LIMIT, worker=worker)
            noted = [f for f in findings if f.status in ("failed", "note")]
            found[_without_folder(text)] = noted
            for finding in noted:
                tell(Note(f"{_without_folder(text)}: {finding.problem}"))
    return found


def _compute(plan, todo, store, timings, tell, **given):
    rest = todo.steps - todo.own - todo.baselines
    others = "fits that they start from"
    if todo.renewed:
        others += " or rivals that are timed with them"
    tell(
        Note(
            f"{todo.held} trials have a record; {todo.steps} to compute: {todo.own} of the solvers "
            f"compared, {todo.baselines} of baselines, {rest} {others}"
        )
    )
    with events(tell, todo.steps) as progress:
        try:
            compute(plan, todo, store, timings, progress=progress, **given)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"stopped. What has finished is in {store.folder}; the same command resumes."
            ) from None


def _examined(specs, worker):
    """The solvers that can be imported, and why the others cannot; one at least has to."""
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
    known = saved_solvers(store) if specs else []
    for spec in specs:
        if spec not in known:
            names = ", ".join(map(str, known)) or "none"
            raise UsageError(
                f"{store.folder} has no imported record of {spec}; it has records of: {names}."
            )


def _save(plan, store, path):
    """Write the records of the new solvers; what was written."""
    kind = "csv" if str(path).endswith(".csv") else "parquet"
    names = save_records(plan, store, path, format=kind)
    return {"file": str(path), "trials": len(names), "solvers": sorted(set(names))}


def _note_left_out(rows, plan, tell):
    """One notice for each reason; only the page has the reasons of baselines."""
    rivals = {entrant.label for entrant in plan.entrants if not entrant.new}
    reasons: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row["solver"] not in rivals:
            reasons.setdefault((row["solver"], row["why"]), []).append(row["task"])
    for (solver, why), tasks in reasons.items():
        tell(Note(f"not run: {', '.join(dict.fromkeys(tasks))} of {solver}: {why}"))


def _make_folder(path):
    """Before anything is computed for it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--output {path} cannot be made: {error.strerror}.") from None


def _command_line(solvers, tasks, against, profile, own):
    """Command that makes the page again, without the folders of this machine."""
    words = ["nmfbench", "compare", *map(_without_folder, solvers)]
    words += [word for task in tasks for word in ("--task", task)]
    words += [word for key in against for word in ("--against", _without_folder(key))]
    words += [] if own is None else ["--data", own.name, "--rank", str(own.rank)]
    return shlex.join([*words, "--profile", profile])


def _without_folder(text):
    place, colon, rest = text.partition(":")
    return os.path.basename(place) + colon + rest if place.endswith(".py") else text


def _standing(data, failed, new):
    """The summary, one line for each task and solver; then failures, and the place of the page.

    Of the ``new`` solvers those that no task took are named, too.
    """
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
    text = [text_table(rows, (*columns, "wins", "ties", "losses", "too_few")) if rows else ""]
    here = {row["solver"] for row in data["summary"]}
    why = {row["solver"]: row["why"] for row in data["not_run"]}
    text += [f"{name} was not run: {why[name]}" for name in new if name in why.keys() - here]
    if failed:
        worst = data["failures"][0]
        text.append(f"{counted(failed, 'trial')} failed: {worst['method']}: {worst['reason']}")
    return "\n".join(filter(None, [*text, data["output"]]))
