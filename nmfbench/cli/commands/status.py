"""``nmfbench status``: how many trials are done, failed and missing."""

from __future__ import annotations

from nmfbench.cli import options
from nmfbench.cli.output import Result, reading, table

_COLUMNS = ("id", "profile", "done", "failed", "missing", "total")
_COLUMNS += ("current", "audited", "different", "unaudited", "elsewhere", "missing_data")


def add(commands):
    sub = options.add_command(
        commands, "status", run, "how many trials are done, failed and missing"
    )
    options.targets(sub)
    options.profile(sub)
    options.store(sub)
    options.print_json(sub)


def run(args) -> Result:
    from nmfbench.cli.computing import count_trials, planned
    from nmfbench.cli.targets import select
    from nmfbench.engine.audit import standing

    artefacts = [target.artefact for target in select(args.names)]
    with reading(args.store) as store:
        rows = [count_trials(artefact, store, args) for artefact in artefacts]
        for row, artefact in zip(rows, artefacts, strict=True):
            row |= standing(store, planned(artefact, args))
    return Result(rows, table(rows, _COLUMNS))
