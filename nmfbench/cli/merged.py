"""Import of files into a store, and the outcome of a merge as data and in words."""

from __future__ import annotations

from nmfbench.cli.output import counted

__all__ = ["agreement_text", "import_files", "merge_data", "merge_text"]


def import_files(names, store):
    """Merge records of files and folders into a store, and what else a record book holds.

    Returns
    -------
    Merge
        Of the records.
    """
    from nmfbench.cards.measured import merge_measured
    from nmfbench.engine.exchange import read_exports
    from nmfbench.engine.merge import import_records
    from nmfbench.engine.store import Store

    pairs = read_exports(names)
    for name in names:
        merge_measured(name, store)
    with Store(store) as opened:
        return import_records(pairs, opened)


def merge_data(found) -> dict:
    """Counts of a :class:`~nmfbench.engine.merge.Merge` as plain values."""
    counts = ("new", "replaced", "held", "left_out", "unknown")
    data = {name: getattr(found, name) for name in counts}
    more = {"different": found.different, "saved": found.saved}
    return data | more | {"agreement": dict(found.agreement)}


def merge_text(found, place) -> str:
    """Counts of a :class:`~nmfbench.engine.merge.Merge` into ``place``, in words."""
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
    same_bits, same_digits, different = (
        counts.get(outcome, 0) for outcome in ("same bits", "same digits", "different")
    )
    return f"the same bits {same_bits}, digits {same_digits}, different {different}"
