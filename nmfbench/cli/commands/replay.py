"""``nmfbench replay``: rerun one trial, and compare."""

from __future__ import annotations

from nmfbench.cli import options


def add(commands):
    sub = options.add_command(
        commands,
        "replay",
        "replay:replay",
        "rerun one trial: same bits, same digits, rounding decides, or different",
    )
    options.store(sub)
    options.print_json(sub)
    sub.add_argument("key", metavar="TRIAL-KEY", help="key of a record, or how it begins")
    options.limits(sub)
    options.target(sub)
