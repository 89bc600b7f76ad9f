"""``nmfbench run``: compute the trials that have no record yet."""

from __future__ import annotations

from nmfbench.cli import options


def add(commands):
    sub = options.add_command(
        commands, "run", "run:run", "compute the trials that have no record yet"
    )
    options.targets(sub)
    options.profile(sub)
    options.store(sub)
    options.computing(sub)
    options.print_json(sub)
