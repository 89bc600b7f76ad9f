"""``nmfbench publish``: merge the records of a store into the record book."""

from __future__ import annotations

from nmfbench.cli import options
from nmfbench.commands.values import BOOK


def add(commands):
    sub = options.add_command(
        commands,
        "publish",
        "publish:publish",
        "merge the records of a store into the record book",
        "The book is a folder, and nothing leaves this machine. Authors send what 'compare --save' "
        "writes: see docs/maintainers.md.",
    )
    options.store(sub)
    options.print_json(sub)
    sub.add_argument(
        "--book", default=BOOK, metavar="DIR", help=f"folder of the record book ({BOOK})"
    )
    sub.add_argument(
        "--compact",
        action="store_true",
        help="write all records of an artefact into as few files as there can be, instead of "
        "only the new records into a further one",
    )
    sub.add_argument(
        "--own-data",
        action="append",
        default=[],
        metavar="KEY",
        help="publish records on this matrix of your own (own:...), too; may be repeated",
    )
