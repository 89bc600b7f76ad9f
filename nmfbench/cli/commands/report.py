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
