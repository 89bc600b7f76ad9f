"""``nmfbench status``: how many trials are done, failed and missing."""

from __future__ import annotations

from nmfbench.cli import options
from nmfbench.cli.output import Result, reading, table

_COLUMNS = ("id", "profile", "done", "failed", "missing", "total")
_COLUMNS += ("current", "audited", "different", "unaudited", "elsewhere")
_COLUMNS += ("reference", "another", "unknown", "missing_data")


def add(commands):
    sub = options.add_command(
        commands,
        "status",
        run,
        "how many trials are done, failed and missing",
        "Further columns: by which code the records were computed; and how many of those that are "
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


def run(args) -> Result:
    from nmfbench.cli.computing import count_trials, planned
    from nmfbench.cli.targets import select
    from nmfbench.records.vouchers import standing

    artefacts = [target.artefact for target in select(args.names)]
    args.profile = args.profile or ("paper" if args.open else "quick")
    if args.open:
        return _open(artefacts, args)
    with reading(args.store) as store:
        rows = [count_trials(artefact, store, args) for artefact in artefacts]
        for row, artefact in zip(rows, artefacts, strict=True):
            row |= standing(store, planned(artefact, args))
        once = {trial.key: trial for artefact in artefacts for trial in planned(artefact, args)}
        total = standing(store, list(once.values()))
    return Result(rows, f"{table(rows, _COLUMNS)}\n{_share(total)}")


def _share(total) -> str:
    """How many records of all artefacts, each once, are of the reference target."""
    n = sum(total[name] for name in ("reference", "another", "unknown"))
    if n == 0:
        return "No record that is not timed."
    share = f"{total['reference']} of {n} records that are not timed ({total['reference'] / n:.1%})"
    return f"Of the reference target: {share}."


def _open(artefacts, args) -> Result:
    from nmfbench.cli.agenda import agenda_of, open_rows, open_text
    from nmfbench.cli.computing import planned
    from nmfbench.records.pending import Held

    with reading(args.store) as store:
        grids = {artefact.id: planned(artefact, args) for artefact in artefacts}
        held = Held.of((trial for grid in grids.values() for trial in grid), store)
        agenda = agenda_of(artefacts, grids, store, args.profile, held, stand_in=args.stand_in)
        rows = open_rows(agenda)
    return Result(rows, open_text(rows))
