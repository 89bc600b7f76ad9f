"""Installed packages, data and store: what is missing or damaged, and how to get it."""

from __future__ import annotations

from os import PathLike

from nmfbench.commands.answer import Answer, text_table
from nmfbench.commands.diagnosis import diagnose, diagnose_data
from nmfbench.commands.values import command
from nmfbench.core.text import counted
from nmfbench.datasets.base import dataset_info
from nmfbench.records.repair import repair as repair_store

__all__ = ["doctor"]


@command
def doctor(*, store: str | PathLike[str] = "results", repair: bool = False) -> Answer:
    """Look at packages, data and store, and say what is missing and how to get it.

    Parameters
    ----------
    store : path-like, default="results"
        Folder of the records.
    repair : bool, default=False
        Set damaged records aside, so that the rest can be used.

    Returns
    -------
    Answer
        ``table`` has one row for each thing looked at. ``failed`` if the suite cannot be used.

    Raises
    ------
    NoStoreError
        If there is no store to repair.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as store:
    ...     table = doctor(store=store).table
    >>> "numpy" in set(table["topic"])
    True
    """
    repaired = _repair(store) if repair else None
    findings, sets = diagnose(store), diagnose_data()
    usable = all(finding.state != "broken" for finding in findings)
    rows = [finding.to_dict() for finding in findings]
    here = [f.topic for f in sets if f.state == "ok"]
    public = [f.topic for f in sets if f.state != "ok" and dataset_info(f.topic)["public_home"]]
    private = [f.topic for f in sets if f.state != "ok" and f.topic not in public]
    paragraphs = {
        "Available data": here,
        "Missing data that 'nmfbench data fetch NAME' gets": public,
        "Missing data without a public home (their prepared files go into the folder that "
        "NMFBENCH_DATA names; 'nmfbench doctor --json' has the names of the files)": private,
        "What would help": [f"{f.topic}: {f.remedy}" for f in findings if f.remedy],
    }
    text = [
        *([repaired.text] if repaired else []),
        text_table(rows, ("state", "topic", "detail")),
        *(f"{head}: {', '.join(names)}." for head, names in paragraphs.items() if names),
        "The suite can be used." if usable else "The suite cannot be used: see what is broken.",
    ]
    data = {"usable": usable, "findings": rows, "data": [finding.to_dict() for finding in sets]}
    if repaired:
        data["repair"] = repaired.data
    return Answer(data, "\n\n".join(text), not usable, rows)


def _repair(folder) -> Answer:
    """Repair a store, and say what was done."""
    found = repair_store(folder)
    lost = [{"key": damage.key, "what": damage.what, **damage.trial} for damage in found.damaged]
    aside = found.aside and str(found.aside)
    data = {"records": found.records, "set_aside": lost, "audits": found.audits, "file": aside}
    if found.is_whole:
        return Answer(data, f"Nothing is damaged in {folder}.")
    lines = [
        f"Kept {counted(found.records, 'record')}; removed {counted(len(lost), 'damaged record')} "
        f"and {counted(found.audits, 'damaged audit')}. The file as it was is {aside}: delete it "
        "once it is not needed.",
        *(
            f"    {row['key']}: {row['what']} ({row['task']}, {row['dataset']}, {row['solver']})"
            for row in lost
        ),
    ]
    if lost:
        lines.append(
            "'nmfbench run' computes these again where its targets ask for them; 'nmfbench import' "
            "takes those over again that came from a file."
        )
    return Answer(data, "\n".join(lines))
