"""``nmfbench data``: list, fetch and verify data sets."""

from __future__ import annotations

import sys

from nmfbench.cli import options

_ACTIONS = ("list", "fetch", "verify")


def add(commands):
    sub = options.add_command(commands, "data", "data:data", "list, fetch and check data sets")
    options.print_json(sub)
    sub.add_argument(
        "action",
        choices=_ACTIONS,
        help="fetch downloads into the user's cache; verify reads the files and checks them",
    )
    sub.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="data sets; by default all (fetch: all that are missing and have a public home)",
    ).completer = options.names_of("datasets")
    sub.set_defaults(bar=sys.stderr.isatty())
