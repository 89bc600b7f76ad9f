"""``nmfbench verify``: is a copy of a report what was published?"""

from __future__ import annotations

from nmfbench.cli import options
from nmfbench.cli.output import Result


def add(commands):
    sub = options.add_command(
        commands,
        "verify",
        run,
        "compare the files of a report with its check sums",
        "Exit code 1 if a file is missing, changed or not listed in SHA256SUMS.",
    )
    options.print_json(sub)
    sub.add_argument("folder", metavar="DIR", help="a report, such as reports")


def run(args) -> Result:
    from dataclasses import asdict

    from nmfbench.core.text import one_line
    from nmfbench.report.sums import verify

    found = verify(args.folder)
    lines = [
        f"{word}: {one_line(name)}"
        for word, names in (
            ("changed", found.changed),
            ("missing", found.missing),
            ("not listed", found.unlisted),
        )
        for name in names
    ]
    if found.is_whole:
        lines.append(f"{args.folder}: all {len(found.whole)} files are as they were written.")
    else:
        lines.append(
            f"{args.folder} is not as it was written: of its files {len(found.changed)} are "
            f"changed, {len(found.missing)} missing and {len(found.unlisted)} not listed; "
            f"{len(found.whole)} are whole."
        )
    data = {"folder": args.folder} | asdict(found)
    return Result(data, "\n".join(lines), int(not found.is_whole))
