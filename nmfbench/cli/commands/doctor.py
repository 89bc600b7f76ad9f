"""``nmfbench doctor``: installed packages, available data, and how to get what is missing."""

from __future__ import annotations

from nmfbench.cli import options


def add(commands):
    sub = options.add_command(
        commands,
        "doctor",
        "doctor:doctor",
        "what is installed and available, what is missing, and how to get it",
    )
    options.store(sub)
    sub.add_argument(
        "--repair",
        action="store_true",
        help="set damaged records aside, so that the rest can be used",
    )
    options.print_json(sub)
