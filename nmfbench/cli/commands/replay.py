"""``nmfbench replay``: rerun one trial, and compare."""

from __future__ import annotations

from nmfbench.cli import options
from nmfbench.cli.output import Result, UsageError


def add(commands):
    sub = options.add_command(
        commands,
        "replay",
        run,
        "rerun one trial: same bits, same digits, rounding decides, or different",
    )
    options.store(sub)
    options.print_json(sub)
    sub.add_argument("key", metavar="TRIAL-KEY", help="key of a record, or how it begins")
    options.limits(sub)
    options.target(sub)


def run(args) -> Result:
    from nmfbench.cli.progress import describe
    from nmfbench.cli.replay import find_record, replay
    from nmfbench.engine.runner import Limits
    from nmfbench.records.results import reason
    from nmfbench.records.store import Store

    with Store(args.store, create=False) as store:
        try:
            record = find_record(store, args.key)
        except LookupError as error:
            raise UsageError(error.args[0]) from None
        found = replay(
            record, store, Limits(args.time_limit, args.memory_limit), target=args.target
        )
    data = {
        "key": record["key"],
        "trial": describe(record),
        "verdict": found.verdict,
        "compared": found.compared,
        "differences": found.differences,
        "same_code": found.same_code,
        "error": found.error,
    }
    lines = [f"{describe(record)}: {found.verdict}", *(f"  {text}" for text in found.differences)]
    if found.error:
        lines.append(f"  {reason(found.error)}")
    if record["status"] == "failed":
        lines.append(f"  the record is a failure: {reason(record['error'])}")
    if not found.same_code:
        lines.append("  the record was computed by other source than today's")
    return Result(data, "\n".join(lines), int(found.verdict in ("different", "failed")))
