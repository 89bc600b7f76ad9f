"""Pages of the report, made from the records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from nmfbench.artefacts.artefact import Artefact
from nmfbench.commands.answer import Answer
from nmfbench.commands.errors import ReportError
from nmfbench.commands.progress import Progress
from nmfbench.commands.targets import select
from nmfbench.commands.values import command
from nmfbench.reports import build
from nmfbench.reports.notebooks import NotebookError
from nmfbench.reports.remembered import forget

__all__ = ["Pages", "make_report", "report"]

_RELEASED = "released.json"


@dataclass(frozen=True, repr=False)
class Pages(Answer):
    """Result of making a report.

    Attributes
    ----------
    index : Path
        The page to start from.
    """

    index: Path = field(default=Path())


@command
def report(
    *targets: str,
    profile: str | None = None,
    stand_in: bool = False,
    store: str | PathLike[str] = "results",
    output: str | PathLike[str] = "report",
    since: str | PathLike[str] | None = None,
    site: str | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
) -> Pages:
    """Make the pages of the report from the records.

    Parameters
    ----------
    *targets : str
        Artefacts, papers or ``"all"``, the default.
    profile : {"smoke", "quick", "paper"}, optional
        Judge all artefacts on this grid; by default each on its largest grid of complete repeats.
    stand_in : bool, default=False
        Show trials on stand-ins where real data are missing.
    store : path-like, default="results"
        Folder of the records; it has to exist.
    output : path-like, default="report"
        Folder of the pages.
    since : path-like, optional
        Verdicts of a release, to say which have moved since; by default ``released.json`` of the
        working folder, if there is one.
    site : str, optional
        Address under which the pages are published, for canonical links and previews.
    fresh : bool, default=False
        Evaluate and draw all artefacts. By default those of which nothing has changed since an
        earlier report of this store into the same folder stay as they are.
    progress : callable, optional
        Called with each event.

    Returns
    -------
    Pages
        ``index`` is the page to start from. ``failed`` if the test of a claim or a picture raised
        an exception.

    Raises
    ------
    TargetError, UsageError
        If there is no such artefact or profile.
    ReportError
        If a notebook fails.
    NoStoreError
        If there is no store.

    Examples
    --------
    >>> import tempfile
    >>> import nmfbench
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nmfbench.report("anp/fig2", store=f"{folder}/none", output=f"{folder}/report")
    Traceback (most recent call last):
    nmfbench.records.errors.NoStoreError: there is no store in ...
    """
    artefacts = [target.artefact for target in select(targets)]
    if fresh:
        forget(store)
    return make_report(
        artefacts, store, output, since, stand_in=stand_in, profile=profile, site=site
    )


def make_report(
    artefacts: Sequence[Artefact],
    store: str | PathLike[str],
    output: str | PathLike[str],
    since: str | PathLike[str] | None,
    *,
    stand_in: bool,
    profile: str | None = None,
    site: str | None = None,
) -> Pages:
    """Make the report of some artefacts, as :func:`report` does of those it names."""
    try:
        made = build.build_report(
            artefacts,
            store,
            profile=profile,
            output=output,
            stand_in=stand_in,
            since=since or (_RELEASED if Path(_RELEASED).exists() else None),
            site=site,
        )
    except NotebookError as error:
        raise ReportError(str(error)) from error
    broken = [text for evaluation in made.evaluations for text in evaluation.broken]
    lines = [f"a test of a claim, or a picture, failed: {line}" for line in broken]
    text = "\n".join([*lines, f"{made.index}"])
    return Pages({"index": str(made.index)}, text, bool(broken), index=made.index)
