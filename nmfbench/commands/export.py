"""Records written to one file, one row per trial."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from nmfbench.commands.answer import Answer
from nmfbench.commands.errors import UsageError
from nmfbench.commands.targets import select
from nmfbench.commands.values import PROFILES, command
from nmfbench.core.text import counted
from nmfbench.records.exchange import export_records
from nmfbench.records.store import Store
from nmfbench.verdicts.book import owners

__all__ = ["export"]


@command
def export(
    *targets: str,
    output: str | PathLike[str],
    store: str | PathLike[str] = "results",
    profile: str | None = None,
    format: str | None = None,
) -> Answer:
    """Write records to one file, one row per trial, without arrays.

    Parameters
    ----------
    *targets : str
        Artefacts, papers or ``"all"``, the default, which takes the whole store, also records that
        no artefact asks for any more.
    output : path-like
        The file. A trial that several artefacts share is one row, with their names joined by
        ``";"``.
    store : path-like, default="results"
        Folder of the records; it has to exist.
    profile : {"smoke", "quick", "paper"}, optional
        Only the trials of this profile.
    format : {"parquet", "csv"}, optional
        By default csv if the name of the file ends so, else parquet.

    Returns
    -------
    Answer
        ``data`` has ``output``, ``format`` and the number of ``trials``.

    Raises
    ------
    TargetError, UsageError
        If there is no such artefact, or ``output`` is a folder.
    NoStoreError
        If there is no store.

    Examples
    --------
    >>> import tempfile
    >>> import nmfbench
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = nmfbench.run("rnmfd/table2", profile="smoke", stand_in=True, store=folder)
    ...     answer = nmfbench.export("rnmfd/table2", store=folder, output=f"{folder}/all.csv")
    >>> answer.data["format"], answer.data["trials"]
    ('csv', 5)
    """
    chosen = select(targets)
    whole = (not targets or "all" in targets) and profile is None
    profiles = PROFILES if profile is None else (profile,)
    output = Path(output)
    kind = format or ("csv" if output.suffix == ".csv" else "parquet")
    if output.is_dir():
        raise UsageError(f"--output needs a file, but {output} is a folder.")
    with Store(store, create=False) as opened:
        records = opened.records()
        wanted = owners((target.artefact for target in chosen), records, profiles)
        rows = [record for record in records if whole or record["key"] in wanted]
        count = export_records(rows, output, format=kind, artefacts=wanted)
    data = {"output": str(output), "format": kind, "trials": count}
    text = f"{counted(count, 'trial')} written to {output}; arrays stay in {store}."
    return Answer(data, text, rows=[data])
