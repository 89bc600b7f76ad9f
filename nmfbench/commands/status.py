"""Numbers of trials that are done, failed and missing, and tests that are open."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from nmfbench.artefacts.artefact import Artefact
from nmfbench.commands.agenda import agenda_of, open_rows, open_text
from nmfbench.commands.answer import Answer, text_table
from nmfbench.commands.progress import Progress, silent
from nmfbench.commands.reading import reading
from nmfbench.commands.targets import select
from nmfbench.commands.values import command
from nmfbench.core import registry
from nmfbench.datasets.base import dataset_available
from nmfbench.datasets.files import supplied_hash
from nmfbench.records.pending import Held
from nmfbench.records.store import Store
from nmfbench.records.vouchers import standing
from nmfbench.trials.trial import Trial
from nmfbench.verdicts.known import Known

__all__ = ["count_trials", "status"]

_COLUMNS: tuple[str, ...] = ("id", "profile", "done", "failed", "missing", "total")
_COLUMNS += ("current", "audited", "different", "unaudited", "elsewhere")
_COLUMNS += ("reference", "another", "unknown", "missing_data")


@command
def status(
    *targets: str,
    open: bool = False,
    profile: str | None = None,
    stand_in: bool = False,
    store: str | PathLike[str] = "results",
    progress: Progress | None = None,
) -> Answer:
    """Count the trials of artefacts that are done, failed and missing.

    Parameters
    ----------
    *targets : str
        Artefacts, papers or ``"all"``, the default.
    open : bool, default=False
        Tabulate artefacts with open tests instead: the CPU hours to their next look and to their
        planned repeats, and the number of tests that these are expected to decide.
    profile : {"smoke", "quick", "paper"}, optional
        By default quick, and paper with ``open``.
    stand_in : bool, default=False
        Count trials on stand-ins where real data are missing.
    store : path-like, default="results"
        Folder of the records. None is written, but ``outlooks.json``, from which the next call
        answers sooner, is.
    progress : callable, optional
        Called with each event.

    Returns
    -------
    Answer
        ``table`` has one row for each artefact.

    Raises
    ------
    TargetError, UsageError
        If there is no such artefact or profile.
    StoreError
        If the store cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> import nmfbench
    >>> with tempfile.TemporaryDirectory() as store:
    ...     answer = nmfbench.status("robust-xray/fig3", profile="smoke", store=store)
    >>> answer.table[["id", "done", "missing"]].to_dict("records")
    [{'id': 'robust-xray/fig3', 'done': 0, 'missing': 50}]
    """
    artefacts = [target.artefact for target in select(targets)]
    profile = profile or ("paper" if open else "quick")
    with reading(store, progress or silent) as opened:
        if open:
            rows = _open(artefacts, opened, profile, stand_in)
            return Answer(rows, open_text(rows), rows=rows)
        grids = {a.id: a.plan(profile, stand_in=stand_in) for a in artefacts}
        rows = [count_trials(a, opened, profile, grids[a.id]) for a in artefacts]
        for row in rows:
            row |= standing(opened, grids[row["id"]])
        once = {trial.key: trial for grid in grids.values() for trial in grid}
        total = standing(opened, list(once.values()))
    return Answer(rows, f"{text_table(rows, _COLUMNS)}\n{_share(total)}", rows=rows)


def _open(artefacts, store, profile, stand_in):
    """Rows of artefacts with open tests, known or worked out now."""
    known = Known(store)

    def work_out():
        grids = {a.id: a.plan(profile, stand_in=stand_in) for a in artefacts}
        held = Held.of((trial for grid in grids.values() for trial in grid), store)
        agenda = agenda_of(artefacts, grids, store, profile, held, known, stand_in=stand_in)
        return open_rows(agenda)

    files = {entry.key: entry.info for entry in registry.datasets.entries() if "file" in entry.info}
    asked = {
        "open": profile,
        "stand_in": stand_in,
        # What keys of trials depend on besides the source.
        "here": [name for name in files if stand_in and dataset_available(name)],
        "supplied": [supplied_hash(of["file"]) for of in files.values() if "sha256" not in of],
    }
    rows = known.of_store(artefacts, asked, work_out)
    known.keep()
    return rows


def count_trials(artefact: Artefact, store: Store, profile: str, grid: Sequence[Trial]) -> dict:
    """Numbers of trials of an artefact's grid that are done, failed and missing."""
    plan = {trial.key for trial in grid}
    held = list(store.status(plan).values())
    done, failed = held.count("done"), held.count("failed")
    return {
        "id": artefact.id,
        "profile": profile,
        "done": done,
        "failed": failed,
        "missing": len(plan) - done - failed,
        "total": len(plan),
        "missing_data": artefact.missing_data(profile),
    }


def _share(total) -> str:
    """Records of the reference target among all, each once."""
    n = sum(total[name] for name in ("reference", "another", "unknown"))
    if n == 0:
        return "No record that is not timed."
    share = f"{total['reference']} of {n} records that are not timed ({total['reference'] / n:.1%})"
    return f"Of the reference target: {share}."
