"""``nmfbench claims``: the verdict of the records on each claim of the papers."""

from __future__ import annotations

import textwrap

from nmfbench.cli import options
from nmfbench.cli.output import Result, notice, reading


def add(commands):
    sub = options.add_command(
        commands, "claims", run, "what the records say of each claim of the papers"
    )
    options.targets(sub)
    options.judged_profile(sub)
    options.store(sub)
    options.print_json(sub)
    sub.add_argument(
        "--release",
        metavar="FILE",
        help="also keep the verdicts as those of a release, for later reports to compare with",
    )


def run(args) -> Result:
    from nmfbench.artefacts.evaluate import claim_rows, evaluate
    from nmfbench.cli.targets import select

    targets = select(args.names)
    asked = {"profile": args.profile, "stand_in": args.stand_in}
    with reading(args.store) as store:
        found = [evaluate(target.artefact, store, **asked) for target in targets]
    rows = [row for evaluation in found for row in claim_rows(evaluation)]
    broken = [text for evaluation in found for text in evaluation.broken]
    for text in broken:
        notice(f"the test of a claim failed: {text}")
    if args.release is not None:
        from nmfbench.report.changes import write_release

        write_release(rows, args.release)
    return Result(rows, "\n\n".join(map(_verdicts, found)), int(bool(broken)))


def _verdicts(evaluation):
    """One artefact: a heading, then for each claim the verdict, the statement, the evidence."""
    e = evaluation
    repeats = f"{e.whole} of {e.repeats} repeats, " if e.left_out else ""
    head = f"{e.artefact.id}: {e.title} ({e.profile}, {repeats}{e.done} of {e.total} trials)"
    lines = [head]
    for claim, verdict in e.verdicts:
        lines += textwrap.wrap(
            f"{verdict.verdict:<13} {claim.id}: {claim.statement} ({claim.source})",
            width=100,
            initial_indent="  ",
            subsequent_indent=" " * 16,
        )
        for text in (verdict.evidence, claim.sensitivity_in_words(verdict)):
            indent = " " * 16
            lines += textwrap.wrap(text, width=100, initial_indent=indent, subsequent_indent=indent)
    return "\n".join(lines if e.verdicts else [head, "  no claim is tested"])
