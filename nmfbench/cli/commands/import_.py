"""``nmfbench import``: merge exported records; equal keys are not doubled."""

from __future__ import annotations

from nmfbench.cli import options
from nmfbench.cli.output import Result


def add(commands):
    sub = options.add_command(
        commands,
        "import",
        run,
        "merge exported records; equal keys are not doubled",
        "Nothing is written unless all rows are whole. Records from files count as computed "
        "elsewhere until 'nmfbench audit' has computed some of theirs again. Of classes from "
        "outside no code is looked for, read or run.",
    )
    options.store(sub)
    options.print_json(sub)
    sub.add_argument(
        "names", nargs="+", metavar="FILE", help="or a folder: all parquet files below it"
    )


def run(args) -> Result:
    from nmfbench.cli.merged import merge_data, merge_text
    from nmfbench.engine.exchange import read_exports
    from nmfbench.engine.merge import import_records
    from nmfbench.engine.saved import is_saved
    from nmfbench.engine.store import Store

    pairs = read_exports(args.names)
    with Store(args.store) as store:
        found = import_records(pairs, store)
    names = sorted({record["solver"] for record, _ in pairs if is_saved(record["solver"])})
    text = [merge_text(found, args.store)]
    text += [f"To compare with these records: --against '{name}'" for name in names]
    return Result(merge_data(found) | {"saved": names}, "\n".join(text))
