"""``nmfbench reproduce``: run, then report."""

from __future__ import annotations

from nmfbench.cli import options
from nmfbench.cli.output import Result, notice


def add(commands):
    sub = options.add_command(commands, "reproduce", run, "run, then report")
    options.targets(sub)
    options.profile(sub)
    options.store(sub)
    options.computing(sub)
    options.output(sub)
    options.since(sub)
    options.site(sub)
    sub.add_argument(
        "--book",
        metavar="DIR",
        help="a folder of published records: import them first, compute again what fits, and say "
        "how much of it agrees",
    )


def run(args) -> Result:
    from nmfbench.cli.commands.report import make_report
    from nmfbench.cli.computing import compute_grids
    from nmfbench.cli.merged import import_files
    from nmfbench.cli.targets import runnable, select

    if args.book is not None:
        notice(f"importing {args.book}")
        import_files([args.book], args.store)
    first = compute_grids(args, anew=args.anew or args.book is not None)
    artefacts, _ = runnable(select(args.names), args.profile, stand_in=args.stand_in)
    notice("all trials have ended; the report is being made")
    second = make_report(artefacts, args)  # which may show records of earlier runs
    data = {"run": first.data, "report": second.data}
    return Result(data, f"{first.text}\n{second.text}", max(first.code, second.code))
