"""``nmfbench verify``: is a copy of a report what was published?"""

from __future__ import annotations

from nmfbench.cli import options


def add(commands):
    sub = options.add_command(
        commands,
        "verify",
        "verify:verify",
        "compare the files of a report with its check sums",
        "Exit code 1 if a file is missing, changed or not listed in SHA256SUMS.",
    )
    options.print_json(sub)
    sub.add_argument("folder", metavar="DIR", help="a report, such as reports")
