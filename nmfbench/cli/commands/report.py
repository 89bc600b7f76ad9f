"""``nmfbench report``: make the pages of the report from the records."""

from __future__ import annotations

from nmfbench.cli import options
from nmfbench.cli.output import ReportError, Result

_RELEASED = "released.json"


def add(commands):
    sub = options.add_command(
        commands, "report", run, "make the pages of the report from the records"
    )
    options.targets(sub)
    options.judged_profile(sub)
    options.store(sub)
    options.output(sub)
    options.since(sub)
    options.site(sub)


def run(args) -> Result:
    from nmfbench.cli.targets import select

    return make_report([target.artefact for target in select(args.names)], args, args.profile)


def make_report(artefacts, args, profile=None) -> Result:
    """Make the report of some artefacts, by default each on its largest grid of whole repeats."""
    from pathlib import Path

    from nmfbench.report.build import NotebookError, build_report

    try:
        made = build_report(
            artefacts,
            args.store,
            profile=profile,
            output=args.output,
            stand_in=args.stand_in,
            since=args.since or (_RELEASED if Path(_RELEASED).exists() else None),
            site=args.site,
        )
    except NotebookError as error:
        raise ReportError(str(error)) from error
    broken = [text for evaluation in made.evaluations for text in evaluation.broken]
    text = [f"a test of a claim, or a picture, failed: {line}" for line in broken]
    data = {"index": str(made.index)}
    return Result(data, "\n".join([*text, f"{made.index}"]), int(bool(broken)))
