"""``nmfbench list``: the entries of a registry."""

from __future__ import annotations

from nmfbench.cli import options

_THINGS = ("solvers", "datasets", "corruptions", "metrics", "tasks", "artefacts")


def add(commands):
    sub = options.add_command(commands, "list", "catalogue:catalogue", "what the suite has")
    options.print_json(sub)
    sub.add_argument("things", choices=_THINGS)
