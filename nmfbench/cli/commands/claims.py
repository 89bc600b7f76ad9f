"""``nmfbench claims``: the verdict of the records on each claim of the papers."""

from __future__ import annotations

import textwrap
from dataclasses import asdict

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
        "--sentences",
        action="store_true",
        help="the outcome of each sentence of the papers, by the verdicts on its tests",
    )
    sub.add_argument(
        "--numbers",
        action="store_true",
        help="each number that the papers print beside ours, and whether they agree",
    )
    sub.add_argument(
        "--findings",
        action="store_true",
        help="the effects that say most of each paper, as a table in Markdown",
    )
    sub.add_argument(
        "--release",
        metavar="FILE",
        help="also keep the verdicts as those of a release, for later reports to compare with",
    )
    sub.add_argument(
        "--other",
        metavar="DIR",
        help="a store of the same grid under another numerical target: say instead which verdicts "
        "hang on rounding, and keep it beside the store for reports (quick, unless --profile)",
    )


def run(args) -> Result:
    from nmfbench.cli.targets import select
    from nmfbench.papers.paper import sentences_of
    from nmfbench.verdicts.evaluate import claim_rows, evaluate
    from nmfbench.verdicts.numbers import number_rows

    targets = select(args.names)
    if args.other is not None:
        return _twice([target.artefact for target in targets], args)
    asked = {"profile": args.profile, "stand_in": args.stand_in}
    with reading(args.store) as store:
        found = [evaluate(target.artefact, store, **asked) for target in targets]
        numbers = [row for e in found for row in number_rows(e)] if args.numbers else []
    rows = [
        row
        for evaluation in found
        for row in claim_rows(evaluation, sentences_of(evaluation.artefact.paper))
    ]
    broken = [text for evaluation in found for text in evaluation.broken]
    for text in broken:
        notice(f"a test of a claim, or a picture, failed: {text}")
    if args.release is not None:
        from nmfbench.report.changes import write_release

        write_release(rows, args.release, _sentence_rows(rows))
    if args.findings:
        from nmfbench.report.findings import findings, findings_table

        return Result(findings(rows), findings_table(rows), int(bool(broken)))
    if args.numbers:
        return _numbers(numbers, int(bool(broken)))
    if args.sentences:
        found = _sentence_rows(rows)
        return Result(found, "\n".join(_sentence_lines(found)), int(bool(broken)))
    return Result(rows, "\n\n".join(map(_verdicts, found)), int(bool(broken)))


def _numbers(rows, code) -> Result:
    from nmfbench.report.printed import as_printed, number_tally, our_number

    lines = [
        f"{row['outcome']:<14} {row['id']}: {row['what']} ({row['place']}): printed "
        f"{as_printed(row)}, ours {our_number(row) or 'not measured'}"
        + (f", n = {row['n']}" if row["unit"] == "repeat" else "")
        for row in rows
    ]
    texts = [textwrap.fill(line, width=100, subsequent_indent=" " * 15) for line in lines]
    return Result(rows, "\n".join([*texts, number_tally(rows)]), code)


def _sentence_rows(rows):
    """Sentences of the papers of some claims; one that none of these tests is left out."""
    from nmfbench.papers.paper import sentences_of
    from nmfbench.verdicts.sentences import sentence_rows

    tested, found = {row["id"] for row in rows}, []
    for key in dict.fromkeys(row["artefact"].partition("/")[0] for row in rows):
        found += [
            row
            for row in sentence_rows(key, sentences_of(key), rows)
            if not row["tests"] or tested & {test["id"] for test in row["tests"]}
        ]
    return found


def _sentence_lines(rows):
    for row in rows:
        total = len(row["tests"])
        word = row["outcome"] or "no test"
        tests = f"{row['decided']} of {total} tests decided" if total else ""
        why = [row["untestable"], row["pending"] and f"to be tested: {row['pending']}"]
        yield from textwrap.wrap(
            f"{word:<9} {row['id']}: {row['text']} ({row['place']})",
            width=100,
            subsequent_indent=" " * 10,
        )
        for text in filter(None, (tests, *why)):
            indent = " " * 10
            yield from textwrap.wrap(
                text, width=100, initial_indent=indent, subsequent_indent=indent
            )


def _twice(artefacts, args) -> Result:
    from nmfbench.report.two_targets import judge_twice, read_two_targets, write_two_targets

    asked = {"profile": args.profile or "quick", "stand_in": args.stand_in}
    with reading(args.store) as store, reading(args.other) as other:
        found = judge_twice(artefacts, store, other, **asked)
    found = found.joined(read_two_targets(args.store))
    if found.artefacts:
        write_two_targets(found, args.store)
    lines = [f"{found}, of {len(found.artefacts)} artefacts ({' / '.join(found.targets)})"]
    lines += [
        f"  {move.now['id']}: {move.before['verdict']} / {move.now['verdict']}"
        for move in found.moved
    ]
    return Result(asdict(found), "\n".join(lines))


def _verdicts(evaluation):
    """One artefact: a heading, then for each claim the verdict, the statement, the evidence."""
    from nmfbench.report.numbers import decided_by
    from nmfbench.verdicts.verdict import DECIDED, VERDICTS

    e = evaluation
    repeats = f"{e.whole} of {e.repeats} repeats, " if e.left_out else ""
    look = f"; {e.look_text}" if e.look_text else ""
    head = f"{e.artefact.id}: {e.title} ({e.profile}, {repeats}{e.done} of {e.total} trials{look})"
    lines, width = [head], 1 + max(map(len, VERDICTS))
    for claim, verdict in e.verdicts:
        mark = "; interim" if look and verdict.verdict in DECIDED else ""
        lines += textwrap.wrap(
            f"{verdict.verdict:<{width}} {claim.id}: {claim.statement} ({claim.source}{mark})",
            width=100,
            initial_indent="  ",
            subsequent_indent=" " * (width + 3),
        )
        for text in (verdict.evidence, decided_by(verdict), verdict.sensitivity_text):
            indent = " " * (width + 3)
            lines += textwrap.wrap(text, width=100, initial_indent=indent, subsequent_indent=indent)
    return "\n".join(lines if e.verdicts else [head, "  no claim is tested"])
