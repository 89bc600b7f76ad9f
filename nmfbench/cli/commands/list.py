"""``nmfbench list``: the entries of a registry."""

from __future__ import annotations

from nmfbench.cli import options
from nmfbench.cli.output import Result, table

_COLUMNS = {
    "solvers": ("key", "name", "family", "paper", "reference"),
    "datasets": ("name", "n_samples", "n_features", "n_classes", "available", "title"),
    "corruptions": ("key", "level"),
    "metrics": ("key", "name", "higher_is_better"),
    "tasks": ("key", "summary"),
    "artefacts": ("id", "kind", "task", "claims", *options.PROFILES, "title"),
}


def add(commands):
    sub = options.add_command(commands, "list", run, "what the suite has")
    options.print_json(sub)
    sub.add_argument("things", choices=_COLUMNS)


def run(args) -> Result:
    from nmfbench.cli.catalogue import catalogue

    rows = shown = catalogue(args.things)
    if args.things == "artefacts":
        shown = [row | row["trials"] | {"claims": len(row["claims"])} for row in rows]
    return Result(rows, table(shown, _COLUMNS[args.things]))
