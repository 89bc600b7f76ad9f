"""``nmfbench export``: write records to one file, one row per trial."""

from __future__ import annotations

from nmfbench.cli import options
from nmfbench.commands.values import FORMATS


def add(commands):
    sub = options.add_command(
        commands,
        "export",
        "export:export",
        "write records to one file, one row per trial, arrays left out",
        "'all', the default, takes the whole store, also records that no artefact asks for any "
        "more; a trial that several artefacts share is one row, with their names joined by ';'.",
    )
    options.targets(sub)
    options.store(sub)
    options.choose(
        sub,
        "--profile",
        options.PROFILES,
        metavar="P",
        help="only the trials of this profile",
    )
    options.choose(
        sub,
        "--format",
        FORMATS,
        metavar="{parquet,csv}",
        help="by default what the name of the file says, else parquet",
    )
    sub.add_argument("--output", required=True, metavar="FILE")
