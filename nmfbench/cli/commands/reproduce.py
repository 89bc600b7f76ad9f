"""``nmfbench reproduce``: run, then report."""

from __future__ import annotations

from nmfbench.cli import options


def add(commands):
    sub = options.add_command(commands, "reproduce", "reproduce:reproduce", "run, then report")
    options.targets(sub)
    options.profile(sub)
    options.store(sub)
    options.computing(sub)
    options.output(sub)
    options.since(sub)
    options.site(sub)
    sub.add_argument(
        "--book",
        metavar="DIR",
        help="a folder of published records: import them first, compute again what fits, and say "
        "how much of it agrees",
    )
