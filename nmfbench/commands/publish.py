"""Records of a store, merged into the record book."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from os import PathLike

from nmfbench.cards.card import plan_of_the_field
from nmfbench.commands.answer import Answer
from nmfbench.commands.merged import merge_beside, merge_data, merge_text
from nmfbench.commands.values import BOOK, command, listed
from nmfbench.comparison.leaderboards import race_traces
from nmfbench.core import registry
from nmfbench.core.text import counted
from nmfbench.records import tally
from nmfbench.records.store import Store
from nmfbench.verdicts import book as record_book
from nmfbench.verdicts import cores, course

__all__ = ["publish"]


@command
def publish(
    *,
    store: str | PathLike[str] = "results",
    book: str | PathLike[str] = BOOK,
    compact: bool = False,
    own_data: str | Sequence[str] = (),
) -> Answer:
    """Merge the records of a store into the record book.

    Parameters
    ----------
    store : path-like, default="results"
        Folder of the records; it has to exist.
    book : path-like, default="reports/records"
        Folder of the record book.
    compact : bool, default=False
        Write all records of an artefact into as few files as there can be, instead of new ones into
        a further file.
    own_data : str or sequence of str, optional
        Keys (``own:...``) of matrices of your own whose records are to be published. Without, no
        record on such data is: it says how a matrix that others do not have can be factorized.

    Returns
    -------
    Answer
        ``data`` counts records and files.

    Raises
    ------
    StoreError
        If there is no store, or it cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     publish(store=f"{folder}/none", book=f"{folder}/book")
    Traceback (most recent call last):
    nmfbench.records.errors.NoStoreError: there is no store in ...
    """
    with Store(store, create=False) as opened:
        opened.check_writable()
        merge_beside(book, store)
        also = race_traces(plan_of_the_field(), opened)
        also |= race_traces(plan_of_the_field(by_kind=True), opened, by_kind=True)
        found = record_book.publish(opened, book, also, compact=compact, own_data=listed(own_data))
        artefacts = [entry.target for entry in registry.artefacts.entries()]
        course.KEPT.write(course.course(artefacts, opened), store)
        cores.KEPT.write(cores.on_cores(artefacts, opened), store)
        tally.KEPT.offer(tally.tally(opened), store)
    measured = merge_beside(store, book, own=True)
    data = asdict(found) | {"merge": merge_data(found.merge), "book": str(book)}
    data["measured"] = measured
    text = (
        f"{merge_text(found.merge, book)}\n{book}: {counted(found.records, 'record')} in "
        f"{counted(found.files, 'file')}, {found.size / 1e6:.1f} MB; {found.written} rewritten"
    )
    if found.outdated:
        text += f", and {counted(found.outdated, 'record')} left out, as versions were raised since"
    if found.unaudited:
        text += (
            f"; {counted(found.unaudited, 'record')} left out that others computed, as no audit of "
            "this store vouches for them: 'nmfbench audit' computes a sample again"
        )
    if found.withheld:
        text += (
            f"; {counted(found.withheld, 'record')} left out that are on data of your own: name "
            "these with --own-data KEY if they are to be published"
        )
    if measured:
        text += f"; exponents of time of {counted(measured, 'solver')} were renewed"
    return Answer(data, f"{text}.")
