"""``nmfbench publish``: merge the records of a store into the record book."""

from __future__ import annotations

from nmfbench.cli import options
from nmfbench.cli.output import Result, counted

_BOOK = "reports/records"


def add(commands):
    sub = options.add_command(
        commands, "publish", run, "merge the records of a store into the record book"
    )
    options.store(sub)
    options.print_json(sub)
    sub.add_argument(
        "--book", default=_BOOK, metavar="DIR", help=f"folder of the record book ({_BOOK})"
    )
    sub.add_argument(
        "--compact",
        action="store_true",
        help="write all records of an artefact into as few files as there can be, instead of "
        "those that are new into a further one",
    )


def run(args) -> Result:
    from dataclasses import asdict

    from nmfbench.cards.card import plan_of_the_field
    from nmfbench.cli.merged import merge_beside, merge_data, merge_text
    from nmfbench.compare.leaderboards import race_traces
    from nmfbench.records.store import Store
    from nmfbench.verdicts.book import publish

    with Store(args.store, create=False) as store:
        store.check_writable()
        merge_beside(args.book, args.store)
        also = race_traces(plan_of_the_field(), store)
        found = publish(store, args.book, also, compact=args.compact)
    measured = merge_beside(args.store, args.book, own=True)
    data = asdict(found) | {"merge": merge_data(found.merge), "book": args.book}
    data["measured"] = measured
    text = (
        f"{merge_text(found.merge, args.book)}\n{args.book}: {counted(found.records, 'record')} in "
        f"{counted(found.files, 'file')}, {found.size / 1e6:.1f} MB; {found.written} written anew"
    )
    if found.outdated:
        text += f", and {counted(found.outdated, 'record')} left out, as versions were raised since"
    if found.unaudited:
        text += (
            f"; {counted(found.unaudited, 'record')} left out that others computed, as no audit of "
            "this store vouches for them: 'nmfbench audit' computes a sample again"
        )
    if measured:
        text += f"; exponents of time of {counted(measured, 'solver')} were renewed"
    return Result(data, f"{text}.")
