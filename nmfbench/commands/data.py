"""Data sets of the suite: which are here, how to get others, and whether files are whole."""

from __future__ import annotations

from nmfbench.commands.answer import Answer, text_table
from nmfbench.commands.progress import Note, Progress, silent
from nmfbench.commands.values import command
from nmfbench.core import registry
from nmfbench.datasets.base import dataset_available, dataset_info
from nmfbench.datasets.download import fetch, verify
from nmfbench.datasets.errors import DataError

__all__ = ["data"]

_COLUMNS = ("name", "n_samples", "n_features", "n_classes", "available", "public_home", "licence")


@command
def data(
    *names: str, action: str = "list", bar: bool = False, progress: Progress | None = None
) -> Answer:
    """List, fetch or verify data sets.

    Parameters
    ----------
    *names : str
        By default all; of those to fetch, all that are missing and have a public home.
    action : {"list", "fetch", "verify"}, default="list"
        Fetching downloads into the user's cache; verifying reads the files and checks them.
    bar : bool, default=False
        Whether a download shows its bar on a terminal.
    progress : callable, optional
        Called with each event.

    Returns
    -------
    Answer
        ``table`` has one row for each data set. ``failed`` if a download failed, or a file is
        damaged or, if it was named, missing.

    Raises
    ------
    UnknownNameError
        If there is no such data set.

    Examples
    --------
    >>> data("digits", action="verify").data
    [{'name': 'digits', 'status': 'ok'}]
    """
    for name in names:
        if name != "all":
            registry.datasets[name]  # an unknown one ends here, with its near misses
    named = bool(names) and "all" not in names
    chosen = list(dict.fromkeys(names)) if named else list(registry.datasets)
    if action == "list":
        rows = [dataset_info(name) for name in chosen]
        return Answer(rows, text_table(rows, _COLUMNS), rows=rows)
    if action == "verify":
        rows = [{"name": name, "status": verify(name)} for name in chosen]
        bad = {"corrupt", "missing"} if named else {"corrupt"}
        failed = any(row["status"] in bad for row in rows)
        return Answer(rows, text_table(rows, ("name", "status")), failed, rows)
    rows = [_fetched(name, bar, progress or silent, named=named) for name in chosen]
    failed = any(row["status"] == "failed" for row in rows)
    return Answer(rows, text_table(rows, ("name", "status", "path")), failed, rows)


def _fetched(name, bar, tell, *, named):
    row = {"name": name, "status": "at hand", "path": None, "error": None}
    here, info = dataset_available(name), dataset_info(name)
    if not named and not here and not info["public_home"]:
        return row | {"status": "no public home"}
    try:
        path = fetch(name, progress=bar)
    except DataError as error:
        tell(Note(str(error)))
        return row | {"status": "failed", "error": str(error)}
    row["path"] = None if path is None else str(path)
    if not here:
        row["status"] = "fetched" if dataset_available(name) else "variant"
        tell(Note(f"{name}: {row['status']}"))
    return row
