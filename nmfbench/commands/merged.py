"""Import of files into a store, and the outcome of a merge as data and in words."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from nmfbench.core.text import counted

__all__ = [
    "agreement_text",
    "difference_lines",
    "import_files",
    "merge_beside",
    "merge_data",
    "merge_text",
]


def import_files(names, store, *, without_digests: bool = False):
    """Merge records of files and folders into a store, and what else a record book holds.

    Files whose records have no digests are read if a ``SHA256SUMS`` beside or above them has their
    sums, or if ``without_digests`` is set.

    Returns
    -------
    Merge
        Of the records.
    """
    from nmfbench.records.exchange import read_exports
    from nmfbench.records.merge import import_records
    from nmfbench.records.store import Store
    from nmfbench.reports.sums import has_listed_sum

    pairs = read_exports(names, bare=lambda path: without_digests or has_listed_sum(path))
    with Store(store) as opened:
        beside = [name for name in names if Path(name).is_dir()]
        return import_records(
            pairs, opened, beside=lambda: [merge_beside(name, store) for name in beside]
        )


def merge_beside(source, target, *, own: bool = False) -> int:
    """Copy all that is kept beside records from one folder to another.

    With ``own``, only what was measured where the source is, and not what it imported.

    Returns
    -------
    int
        Number of solvers whose exponents of time were copied.
    """
    from nmfbench.cards.measured import merge_measured
    from nmfbench.records import tally
    from nmfbench.records.rounding import merge_spreads
    from nmfbench.reports.two_targets import merge_two_targets
    from nmfbench.verdicts import cores, course

    merge_spreads(source, target, own=own)
    merge_two_targets(source, target, own=own)
    for kept in (course.KEPT, cores.KEPT, tally.KEPT):
        kept.merge(source, target)
    return merge_measured(source, target, own=own)


def merge_data(found) -> dict:
    """Counts of a :class:`~nmfbench.records.merge.Merge` as plain values."""
    counts = ("new", "replaced", "held", "left_out", "unknown")
    data = {name: getattr(found, name) for name in counts}
    more = {"different": found.different, "saved": found.saved}
    return data | more | {"agreement": dict(found.agreement)}


def merge_text(found, place) -> str:
    """Counts of a :class:`~nmfbench.records.merge.Merge` into ``place``, in words."""
    text = (
        f"{counted(found.new, 'new trial')}, {found.replaced} in place of others, {found.held} "
        f"that {place} had already"
    )
    if found.agreement:
        text += f" ({agreement_text(found.agreement)})"
    if found.left_out:
        text += (
            f"; {found.left_out} left out, as their rivals there were timed on another host, or "
            "the fits that they start from came out otherwise there"
        )
    if found.unknown:
        text += f"; {found.unknown} of solvers, tasks or data that are not registered here"
    return f"{text}."


def agreement_text(counts) -> str:
    """How many trials agree, in words: "the same bits 5, digits 1, different 0"."""
    words = [f"the same bits {counts['same bits']}", f"digits {counts['same digits']}"]
    if counts["rounding"]:
        words.append(f"rounding decides {counts['rounding']}")
    return ", ".join([*words, f"different {counts['different']}"])


def difference_lines(trial: str, key: str, what: Iterable[str], where: str = "") -> list[str]:
    """A trial that came out otherwise, and below it what differs.

    ``where`` may add to the trial of which target the earlier record was.
    """
    return [f"different: {trial} ({key[:8]}{where})", *(f"    {line}" for line in what)]
