"""``nmfbench export``: write records to one file, a row a trial."""

from __future__ import annotations

from nmfbench.cli import options
from nmfbench.cli.output import Result, UsageError, counted


def add(commands):
    sub = options.add_command(
        commands,
        "export",
        run,
        "write records to one file, a row a trial, arrays left out",
        "'all', the default, takes the whole store, also records that no artefact asks for any "
        "more; a trial that several artefacts share is one row, with their names joined by ';'.",
    )
    options.targets(sub)
    options.store(sub)
    sub.add_argument(
        "--profile",
        type=options.one_of(options.PROFILES),
        metavar="P",
        help="only the trials of this profile",
    )
    sub.add_argument(
        "--format",
        type=options.one_of(("parquet", "csv")),
        metavar="{parquet,csv}",
        help="by default what the name of the file says, else parquet",
    )
    sub.add_argument("--output", required=True, metavar="FILE")


def run(args) -> Result:
    from pathlib import Path

    from nmfbench.cli.targets import select
    from nmfbench.records.exchange import export_records
    from nmfbench.records.store import Store
    from nmfbench.verdicts.book import owners

    targets = select(args.names)
    whole = (not args.names or "all" in args.names) and args.profile is None
    profiles = options.PROFILES if args.profile is None else (args.profile,)
    output = Path(args.output)
    kind = args.format or ("csv" if output.suffix == ".csv" else "parquet")
    if output.is_dir():
        raise UsageError(f"--output needs a file, but {output} is a folder.")
    with Store(args.store, create=False) as store:
        records = store.records()
        wanted = owners((target.artefact for target in targets), records, profiles)
        rows = [record for record in records if whole or record["key"] in wanted]
        count = export_records(rows, output, format=kind, artefacts=wanted)
    return Result(
        {"output": str(output), "format": kind, "trials": count},
        f"{counted(count, 'trial')} written to {output}; arrays stay in {args.store}.",
    )
