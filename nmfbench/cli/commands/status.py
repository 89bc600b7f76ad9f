"""``nmfbench status``: how many trials are done, failed and missing."""

from __future__ import annotations

from nmfbench.cli import options


def add(commands):
    sub = options.add_command(
        commands,
        "status",
        "status:status",
        "how many trials are done, failed and missing",
        "Further columns: by which code the records were computed; and how many records that are "
        "not timed under the reference target, another, or one that they do not say.",
    )
    options.targets(sub)
    sub.add_argument(
        "--open",
        action="store_true",
        help="artefacts with open tests instead: what their next look and their planned repeats "
        "take in CPU time, and how many tests these may be expected to decide (by the paper grid, "
        "unless --profile is given)",
    )
    options.profile(sub)
    sub.set_defaults(profile=None)
    options.store(sub)
    options.print_json(sub)
