"""Comparison of a copy of a report with its check sums."""

from __future__ import annotations

from dataclasses import asdict
from os import PathLike

from nmfbench.commands.answer import Answer
from nmfbench.commands.values import command
from nmfbench.core.text import one_line
from nmfbench.reports import sums

__all__ = ["verify"]


@command
def verify(folder: str | PathLike[str]) -> Answer:
    """Compare the files of a report with its ``SHA256SUMS``.

    Parameters
    ----------
    folder : path-like
        A report, such as ``"reports"``.

    Returns
    -------
    Answer
        ``data`` lists files that are whole, changed, missing and not listed. ``failed`` unless all
        are whole.

    Raises
    ------
    SumsError
        If there are no check sums.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verify(folder)
    Traceback (most recent call last):
    nmfbench.reports.sums.SumsError: ...
    """
    found = sums.verify(folder)
    lines = [
        f"{word}: {one_line(name)}"
        for word, names in (
            ("changed", found.changed),
            ("missing", found.missing),
            ("not listed", found.unlisted),
        )
        for name in names
    ]
    if found.is_whole:
        lines.append(f"{folder}: all {len(found.whole)} files are as they were written.")
    else:
        lines.append(
            f"{folder} is not as it was written: of its files {len(found.changed)} are "
            f"changed, {len(found.missing)} missing and {len(found.unlisted)} not listed; "
            f"{len(found.whole)} are whole."
        )
    return Answer({"folder": str(folder)} | asdict(found), "\n".join(lines), not found.is_whole)
