"""Recomputation of one trial, and its comparison with the record."""

from __future__ import annotations

from os import PathLike

from nmfbench.audits.replay import find_record
from nmfbench.audits.replay import replay as replay_record
from nmfbench.commands.answer import Answer
from nmfbench.commands.errors import UsageError
from nmfbench.commands.progress import describe
from nmfbench.commands.values import command, converted
from nmfbench.engine.runner import Limits
from nmfbench.records.results import reason
from nmfbench.records.store import Store

__all__ = ["replay"]


@command
def replay(
    key: str,
    *,
    store: str | PathLike[str] = "results",
    time_limit: float = 3600.0,
    memory_limit: int | str | None = None,
    target: str | None = None,
) -> Answer:
    """Compute one trial again, in a fresh process, and compare.

    Parameters
    ----------
    key : str
        Key of a record, or its first digits.
    store : path-like, default="results"
        Folder of the records; it has to exist.
    time_limit, memory_limit, target
        As of :func:`~nmfbench.commands.run.run`.

    Returns
    -------
    Answer
        ``data["verdict"]`` is "same bits", "same digits", "rounding", "different" or "failed";
        ``failed`` for the last two.

    Raises
    ------
    UsageError
        If no record has such a key, or several have.
    NoStoreError
        If there is no store.
    DataError
        If the data of the trial are missing or damaged.

    Examples
    --------
    >>> import tempfile
    >>> import nmfbench
    >>> from nmfbench.records.store import Store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Store(folder).close()  # nothing has run yet
    ...     nmfbench.replay("zz", store=folder)
    Traceback (most recent call last):
    nmfbench.commands.errors.UsageError: no trial in ... has a key that begins with 'zz'; ...
    """
    with Store(store, create=False) as opened:
        try:
            record = find_record(opened, key)
        except LookupError as error:
            raise UsageError(error.args[0]) from None
        limits = Limits(time_limit, converted(memory_limit))
        found = replay_record(dict(record), opened, limits, target=target)
    data = {
        "key": record["key"],
        "trial": describe(record),
        "verdict": found.verdict,
        "compared": found.compared,
        "differences": found.differences,
        "same_code": found.same_code,
        "error": found.error,
    }
    lines = [f"{describe(record)}: {found.verdict}", *(f"  {text}" for text in found.differences)]
    if found.error:
        lines.append(f"  {reason(found.error)}")
    if record["status"] == "failed":
        lines.append(f"  the record is a failure: {reason(record['error'])}")
    if not found.same_code:
        lines.append("  the record was computed by other source than today's")
    failed = found.verdict in ("different", "failed")
    return Answer(data, "\n".join(lines), failed, [data])
