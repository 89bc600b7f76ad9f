"""Records read from files into a store."""

from __future__ import annotations

from os import PathLike
from shlex import quote

from nmfbench.commands.answer import Answer
from nmfbench.commands.errors import UsageError
from nmfbench.commands.merged import import_files, merge_data, merge_text
from nmfbench.commands.values import BOOK, command
from nmfbench.core.shipped import shipped_folder

__all__ = ["import_records"]


def _published():
    folder = shipped_folder() / BOOK
    if not folder.is_dir():
        raise UsageError(f"import needs a file or a folder: there are no records in {folder}.")
    return folder


@command
def import_records(
    *files: str | PathLike[str],
    store: str | PathLike[str] = "results",
    without_digests: bool = False,
) -> Answer:
    """Merge exported records into a store; equal keys are not doubled.

    Nothing is written unless all rows are whole. Records from files count as computed elsewhere
    until an audit has recomputed some of them.

    Parameters
    ----------
    *files : path-like
        Files that :func:`~nmfbench.commands.export.export` wrote, or folders, of which all parquet
        files are read. Without any, the published records that come with the suite: all of them
        in a checkout, those of the rivals of comparisons in an installed wheel.
    store : path-like, default="results"
        Folder of the records; made if it is missing.
    without_digests : bool, default=False
        Also read records without digests, of which damage goes unnoticed, from files whose sums no
        ``SHA256SUMS`` beside or above them has.

    Returns
    -------
    Answer
        ``data`` counts records that are new, replaced, already here and left out.

    Raises
    ------
    ExchangeError
        If a file is missing, damaged, or no export.
    StoreError
        If the store cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import nmfbench
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nmfbench.import_records(f"{folder}/none.csv", store=folder)
    Traceback (most recent call last):
    nmfbench.records.exchange.ExchangeError: there is no file ...
    """
    found = import_files(files or [_published()], store, without_digests=without_digests)
    text = [merge_text(found, store)]
    # Names come from the file, and are for a shell.
    text += [f"To compare with these records: --against {quote(name)}" for name in found.saved]
    data = merge_data(found)
    return Answer(data, "\n".join(text), rows=[data])
