"""A run, and the report of what it computed."""

from __future__ import annotations

from datetime import time
from os import PathLike

from nmfbench.commands.merged import import_files
from nmfbench.commands.progress import Note, Progress, silent
from nmfbench.commands.report import Pages, make_report
from nmfbench.commands.run import run
from nmfbench.commands.targets import runnable, select
from nmfbench.commands.values import command

__all__ = ["reproduce"]


@command
def reproduce(
    *targets: str,
    profile: str = "quick",
    stand_in: bool = False,
    store: str | PathLike[str] = "results",
    budget: float | str | None = None,
    until: str | time | None = None,
    timed: str | None = None,
    recompute: bool = False,
    jobs: int = 1,
    scheduler: str | None = None,
    retry_failed: bool = False,
    time_limit: float = 3600.0,
    memory_limit: int | str | None = None,
    target: str | None = None,
    output: str | PathLike[str] = "report",
    since: str | PathLike[str] | None = None,
    site: str | None = None,
    book: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Pages:
    """Compute the trials of artefacts that have no record yet, then make their report.

    Parameters
    ----------
    *targets, profile, stand_in, store, budget, until, timed, recompute, jobs, scheduler, \
    retry_failed, time_limit, memory_limit, target, progress
        As of :func:`~nmfbench.commands.run.run`.
    output, since, site
        As of :func:`~nmfbench.commands.report.report`.
    book : path-like, optional
        Folder of published records: import them first, compute again what fits, and say how much of
        it agrees.

    Returns
    -------
    Pages
        ``table`` has one row for each artefact, as of :func:`~nmfbench.commands.run.run`, and
        ``index`` is the page to start from.

    Raises
    ------
    TargetError, UsageError, DataMissingError, StoreError, ReportError
        As of :func:`~nmfbench.commands.run.run` and :func:`~nmfbench.commands.report.report`.

    Examples
    --------
    >>> import nmfbench
    >>> nmfbench.reproduce("robust-xray/fig33")
    Traceback (most recent call last):
    nmfbench.commands.targets.TargetError: no artefact or paper is called 'robust-xray/fig33'; ...
    """
    tell = progress or silent
    if book is not None:
        tell(Note(f"importing {book}"))
        import_files([book], store)
    first = run(
        *targets,
        profile=profile,
        stand_in=stand_in,
        store=store,
        budget=budget,
        until=until,
        timed=timed,
        recompute=recompute or book is not None,
        jobs=jobs,
        scheduler=scheduler,
        retry_failed=retry_failed,
        time_limit=time_limit,
        memory_limit=memory_limit,
        target=target,
        progress=progress,
    )
    artefacts, _ = runnable(select(targets), profile, stand_in=stand_in)
    tell(Note("the report is being made"))
    # It may show records of earlier runs, so each artefact is judged on its largest grid.
    second = make_report(artefacts, store, output, since, stand_in=stand_in, site=site)
    return Pages(
        {"run": first.data, "report": second.data},
        f"{first.text}\n{second.text}",
        first.failed or second.failed,
        first.rows,
        second.index,
    )
