"""Verdicts of the records on the claims, sentences and numbers of the papers."""

from __future__ import annotations

import itertools
import textwrap
from dataclasses import asdict
from os import PathLike

from nmfbench.commands.answer import Answer
from nmfbench.commands.errors import UsageError
from nmfbench.commands.progress import Note, Progress, silent
from nmfbench.commands.reading import reading
from nmfbench.commands.targets import select
from nmfbench.commands.values import command
from nmfbench.core import registry
from nmfbench.papers import paper
from nmfbench.reports.changes import write_release
from nmfbench.reports.findings import findings as most_telling
from nmfbench.reports.findings import findings_table
from nmfbench.reports.numbers import decided_by
from nmfbench.reports.printed import as_printed, number_tally, our_number
from nmfbench.reports.two_targets import judge_twice, read_two_targets, write_two_targets
from nmfbench.verdicts.evaluate import claim_rows, evaluate
from nmfbench.verdicts.numbers import number_rows
from nmfbench.verdicts.published import read_published
from nmfbench.verdicts.sentences import sentence_rows
from nmfbench.verdicts.verdict import DECIDED, VERDICTS

__all__ = ["claims"]

_NOTHING_RAN = "none of these trials has run here; --published shows the verdicts of this release"


@command
def claims(
    *targets: str,
    profile: str | None = None,
    stand_in: bool = False,
    store: str | PathLike[str] = "results",
    sentences: bool = False,
    numbers: bool = False,
    findings: bool = False,
    published: bool = False,
    release: str | PathLike[str] | None = None,
    other: str | PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Judge the claims of the papers by the records.

    Parameters
    ----------
    *targets : str
        Artefacts, papers or ``"all"``, the default.
    profile : {"smoke", "quick", "paper"}, optional
        Judge all artefacts on this grid, as far as it has run; by default each on its largest grid
        of complete repeats.
    stand_in : bool, default=False
        Judge trials on stand-ins where real data are missing.
    store : path-like, default="results"
        Folder of the records.
    sentences : bool, default=False
        The outcome of each sentence of the papers instead.
    numbers : bool, default=False
        Each printed number beside ours instead.
    findings : bool, default=False
        The effects that say most of each paper instead; the text is a table in Markdown.
    published : bool, default=False
        The verdicts published with this release instead of those of a store.
    release : path-like, optional
        Also write the verdicts to this file, for later reports to compare with.
    other : path-like, optional
        Store of the same grid under another numerical target: say instead which verdicts depend on
        rounding, and keep it beside the store. The profile is then quick by default.
    progress : callable, optional
        Called with each event.

    Returns
    -------
    Answer
        ``table`` has one row for each claim, with its verdict, effect, interval and p-value.
        ``failed`` if the test of a claim raised an exception; a refuted claim is a result.

    Raises
    ------
    TargetError, UsageError
        If there is no such artefact or profile.
    StoreError
        If the store cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> import nmfbench
    >>> with tempfile.TemporaryDirectory() as store:
    ...     table = nmfbench.claims("robust-xray/fig3", store=store).table
    >>> set(table["verdict"])
    {'not run'}
    """
    tell = progress or silent
    artefacts = [target.artefact for target in select(targets)]
    if published:
        if profile or release or other:
            raise UsageError("published: takes no profile, release or other store; leave them out")
        return _published({artefact.id for artefact in artefacts}, sentences, numbers, findings)
    if other is not None:
        options = {"profile": profile or "quick", "stand_in": stand_in}
        return _twice(artefacts, store, other, tell, **options)
    with reading(store, tell) as opened:
        found = [evaluate(a, opened, profile=profile, stand_in=stand_in) for a in artefacts]
        printed = [row for e in found for row in number_rows(e)] if numbers else []
    rows = [row for e in found for row in claim_rows(e, paper.sentences_of(e.artefact.paper))]
    broken = [text for evaluation in found for text in evaluation.broken]
    for text in broken:
        tell(Note(f"a test of a claim, or a picture, failed: {text}"))
    if release is not None:
        write_release(rows, release, _sentence_rows(rows))
    if numbers:
        return _numbers(printed, bool(broken))
    if not any(evaluation.done for evaluation in found):
        tell(Note(_NOTHING_RAN))
    text = "\n\n".join(map(_verdicts, found))
    return _of_claims(rows, text, bool(broken), sentences, findings)


def _published(ids, sentences, numbers, findings) -> Answer:
    if numbers:
        return _numbers(read_published("numbers.json", ids), False)
    rows = read_published("claims.json", ids)
    return _of_claims(rows, _published_text(rows), False, sentences, findings)


def _of_claims(rows, text, failed, sentences, findings) -> Answer:
    """Rows of claims with their text, or what follows from them."""
    if findings:
        telling = most_telling(rows)
        return Answer(telling, findings_table(rows), failed, telling)
    if sentences:
        rows = _sentence_rows(rows)
        return Answer(rows, "\n".join(_sentence_lines(rows)), failed, rows)
    return Answer(rows, text, failed, rows)


def _numbers(rows, failed) -> Answer:
    lines = [
        f"{row['outcome']:<14} {row['id']}: {row['what']} ({row['place']}): printed "
        f"{as_printed(row)}, ours {our_number(row) or 'not measured'}"
        + (f", n = {row['n']}" if row["unit"] == "repeat" else "")
        for row in rows
    ]
    texts = [textwrap.fill(line, width=100, subsequent_indent=" " * 15) for line in lines]
    return Answer(rows, "\n".join([*texts, number_tally(rows)]), failed, rows)


def _sentence_rows(rows):
    """Sentences of the papers of some claims; one that none of these tests is left out."""
    tested, found = {row["id"] for row in rows}, []
    for key in dict.fromkeys(row["artefact"].partition("/")[0] for row in rows):
        found += [
            row
            for row in sentence_rows(key, paper.sentences_of(key), rows)
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


def _twice(artefacts, store, other, tell, **options) -> Answer:
    with reading(store, tell) as one, reading(other, tell) as two:
        found = judge_twice(artefacts, one, two, **options)
    found = found.joined(read_two_targets(store))
    if found.artefacts:
        write_two_targets(found, store)
    lines = [f"{found}, of {len(found.artefacts)} artefacts ({' / '.join(found.targets)})"]
    lines += [
        f"  {move.now['id']}: {move.before['verdict']} / {move.now['verdict']}"
        for move in found.moved
    ]
    rows = [
        {"id": m.now["id"], "verdict": m.before["verdict"], "other": m.now["verdict"]}
        for m in found.moved
    ]
    return Answer(asdict(found), "\n".join(lines), rows=rows)


def _verdicts(evaluation):
    """One artefact: a heading, then for each claim the verdict, the statement, the evidence."""
    e = evaluation
    repeats = f"{e.whole} of {e.repeats} repeats, " if e.left_out else ""
    look = f"; {e.look_text}" if e.look_text else ""
    lines = [
        f"{e.artefact.id}: {e.title} ({e.profile}, {repeats}{e.done} of {e.total} trials{look})"
    ]
    for claim, verdict in e.verdicts:
        mark = "; interim" if look and verdict.verdict in DECIDED else ""
        head = f"{claim.id}: {claim.statement} ({claim.source}{mark})"
        adjusted = _adjusted_text(verdict.p_adjusted)
        texts = (verdict.evidence, adjusted, decided_by(verdict), verdict.sensitivity_text)
        lines += _claim_lines(verdict.verdict, head, texts)
    return "\n".join(lines if e.verdicts else [*lines, "  no claim is tested"])


def _adjusted_text(p):
    """What the p-value of the evidence comes to, which decides at .05; empty without one."""
    return "" if p is None else f"Corrected for the number of claims and an early look p = {p:.2g}."


def _published_text(rows):
    parts = []
    for artefact, own in itertools.groupby(rows, key=lambda row: row["artefact"]):
        tests = list(own)
        one = tests[0]
        grid = f"{one['profile']}, {one['whole_repeats']} of {one['repeats']} repeats"
        lines = [f"{artefact}: {registry.artefacts[artefact].target.title} (published; {grid})"]
        for row in tests:
            mark = "; interim" if row["look"] == "interim" and row["verdict"] in DECIDED else ""
            name = row["id"].removeprefix(f"{artefact}/")
            head = f"{name}: {row['statement']} ({row['source']}{mark})"
            texts = (row["evidence"], _adjusted_text(row["p_adjusted"]))
            lines += _claim_lines(row["verdict"], head, texts)
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _claim_lines(verdict, head, texts):
    width = 1 + max(map(len, VERDICTS))
    yield from textwrap.wrap(
        f"{verdict:<{width}} {head}",
        width=100,
        initial_indent="  ",
        subsequent_indent=" " * (width + 3),
    )
    for text in texts:
        indent = " " * (width + 3)
        yield from textwrap.wrap(text, width=100, initial_indent=indent, subsequent_indent=indent)
