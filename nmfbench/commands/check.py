"""Common checks on one solver."""

from __future__ import annotations

import textwrap

from nmfbench.checks import as_data, check_solver
from nmfbench.commands.answer import Answer
from nmfbench.commands.values import command, converted
from nmfbench.guests import parse_solver

__all__ = ["check"]


@command
def check(
    solver: str, *, time_limit: float = 60.0, memory_limit: int | str | None = None
) -> Answer:
    """Run the common checks on one solver, each in a child process.

    Parameters
    ----------
    solver : str
        A key (``"mu"``), ``"package.module:Class"`` or ``"path/to/file.py:Class"``, with parameters
        if need be, as in ``"file.py:MyNMF(alpha=0.1)"``.
    time_limit : float, default=60
        Seconds after which a check has failed.
    memory_limit : int or str, optional
        Bytes, or ``"500M"``, ``"4G"``.

    Returns
    -------
    Answer
        ``table`` has one row for each check: status, problem, fix and input. ``failed`` if a check
        failed; notes do not count.

    Raises
    ------
    UnknownNameError, GuestError
        If there is no such solver.

    Examples
    --------
    >>> import nmfbench
    >>> nmfbench.check("spaa")
    Traceback (most recent call last):
    nmfbench.core.registry.UnknownNameError: no solver is called 'spaa'; did you mean 'spa'...
    """
    spec = parse_solver(solver)
    examined, findings = check_solver(
        spec, time_limit=time_limit, memory_limit=converted(memory_limit)
    )
    data = as_data(examined, findings)
    failed = any(finding.status == "failed" for finding in findings)
    return Answer(data, _findings(data), failed, data["checks"])


def _findings(found):
    """One line for each check; the problem, the fix and the input of one that did not pass."""
    lines = [found["solver"]]
    fails = found["checks"][0]["status"] == "failed"  # the first fit: there is nothing else to say
    for row in found["checks"][:1] if fails else found["checks"]:
        why = row["problem"] if row["status"] == "skipped" else ""
        head = f"  {row['status']:<8} {row['name']}: {row['statement']}"
        lines.append(f"{head} ({why})" if why else head)
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
    if fails:
        lines.append(
            f"The other {len(found['checks']) - 1} checks, and all tasks, need such a fit."
        )
        lines.append("The input needs: from nmfbench.checks import easy_data")
        return "\n".join(lines)
    statuses = [row["status"] for row in found["checks"]]
    counts = [(statuses.count(word), word) for word in ("passed", "failed", "skipped", "note")]
    lines.append(", ".join(f"{n} {word}{'s' * (n > 1 and word == 'note')}" for n, word in counts))
    if any(row["input"] for row in found["checks"]):
        lines.append("The inputs need: from nmfbench.checks import easy_data")
    lines.append(f"Tasks it can do: {', '.join(found['tasks']) or 'none'}.")
    reasons: dict[str, list[str]] = {}
    for task, text in found["cannot"].items():
        reasons.setdefault(text, []).append(task)
    lines += [f"Not {', '.join(tasks)}: {text}." for text, tasks in reasons.items()]
    return "\n".join(lines)
