"""``nmfbench check``: the common checks on one solver, in words."""

from __future__ import annotations

from nmfbench.cli import options


def add(commands):
    sub = options.add_command(
        commands,
        "check",
        "check:check",
        "the common checks on one solver, in words",
        "Each runs in a child process. Exit code 1 if one fails; notes are no failures. What a "
        "class needs, and what more it may have: pydoc nmfbench.guests",
    )
    options.print_json(sub)
    options.solvers(sub, "solver", metavar="SOLVER", help=options.SOLVER)
    options.limits(sub, 60.0, "check")
