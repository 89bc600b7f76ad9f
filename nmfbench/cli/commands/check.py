"""``nmfbench check``: the common checks on one solver, in words."""

from __future__ import annotations

import textwrap

from nmfbench.cli import options
from nmfbench.cli.output import Result


def add(commands):
    sub = options.add_command(
        commands,
        "check",
        run,
        "the common checks on one solver, in words",
        "Each runs in a child process. Exit code 1 if one fails; notes are no failures.",
    )
    options.print_json(sub)
    sub.add_argument("solver", metavar="SOLVER", help=options.SOLVER)
    options.limits(sub, 60.0, "check")


def run(args) -> Result:
    from nmfbench.checks import as_data, check_solver
    from nmfbench.guests import parse_solver

    spec = parse_solver(args.solver)
    examined, findings = check_solver(
        spec, time_limit=args.time_limit, memory_limit=args.memory_limit
    )
    failed = any(finding.status == "failed" for finding in findings)
    found = as_data(examined, findings)
    return Result(found, _findings(found), int(failed))


def _findings(found):
    """A line a check; of those that did not pass also the problem, the fix, and the input."""
    lines = [found["solver"]]
    for row in found["checks"]:
        said = row["problem"] if row["status"] == "skipped" else ""
        head = f"  {row['status']:<8} {row['name']}: {row['statement']}"
        lines.append(f"{head} ({said})" if said else head)
        if row["status"] in ("failed", "note"):
            for word in ("problem", "fix", "input"):
                lines += textwrap.wrap(
                    f"{word + ':':<9}{row[word]}",
                    width=100,
                    initial_indent=" " * 11,
                    subsequent_indent=" " * 20,
                    break_long_words=False,
                    break_on_hyphens=False,
                )
    statuses = [row["status"] for row in found["checks"]]
    counts = [(statuses.count(word), word) for word in ("passed", "failed", "skipped", "note")]
    lines.append(", ".join(f"{n} {word}{'s' * (n > 1 and word == 'note')}" for n, word in counts))
    if any(row["input"] for row in found["checks"]):
        lines.append("The inputs need: from nmfbench.checks import easy_data")
    lines.append(f"Tasks it can do: {', '.join(found['tasks']) or 'none'}.")
    why = {}
    for task, text in found["cannot"].items():
        why.setdefault(text, []).append(task)
    lines += [f"Not {', '.join(tasks)}: {text}." for text, tasks in why.items()]
    return "\n".join(lines)
