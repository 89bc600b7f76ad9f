"""``nmfbench report``: make the pages of the report from the records."""

from __future__ import annotations

from nmfbench.cli import options


def add(commands):
    sub = options.add_command(
        commands, "report", "report:report", "make the pages of the report from the records"
    )
    options.targets(sub)
    options.judged_profile(sub)
    options.store(sub)
    options.output(sub)
    options.since(sub)
    options.site(sub)
    sub.add_argument(
        "--fresh",
        action="store_true",
        help="evaluate and draw all artefacts; by default those of which nothing has changed since "
        "an earlier report of this store into the same folder stay as they are",
    )
