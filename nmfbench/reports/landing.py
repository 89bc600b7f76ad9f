"""The landing page: what was found of each paper, what to do next, and how it is decided.

Every sentence on what was found is computed from verdicts; what a paper claims is declared by its
package.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from PIL import Image

import nmfbench
from nmfbench.artefacts.artefact import Artefact
from nmfbench.artefacts.finding import ALPHA
from nmfbench.comparison.leaderboards import Leaderboard, preferred
from nmfbench.core import registry
from nmfbench.pages.environment import render_page
from nmfbench.papers.paper import Paper, paper
from nmfbench.reports import race
from nmfbench.reports.boards import solver_name
from nmfbench.reports.changes import Changes
from nmfbench.reports.choose import address_of
from nmfbench.reports.numbers import KINDS, NUMBERED, named, share
from nmfbench.reports.outcomes import is_baseline
from nmfbench.reports.printed import number_tally
from nmfbench.reports.section import Section, picture_path
from nmfbench.reports.sentences import decided_share, sentence_counts
from nmfbench.reports.two_targets import TwoTargets
from nmfbench.verdicts.evaluate import Evaluation
from nmfbench.verdicts.verdict import DECIDED, POLICY, VERDICTS

__all__ = [
    "expected_wrong",
    "named",
    "share",
    "write_landing",
]

_PREVIEW = (760, 380)  # pixels that the picture of a row has at most
_QUALITY = 55


@dataclass(frozen=True)
class PaperRow:
    """Row of a paper on the landing page.

    Attributes
    ----------
    key : str
    paper : Paper
    claims, questions : dict of str to int
        Verdicts on its claims, and on our own questions about it.
    done, total : int
        Trials of the paper grid, in all planned repeats.
    numbered, others : list of Artefact
        Its tables and figures, and further experiments.
    answers : dict of str to Artefact
        Questions of readers, and what answers them.
    found : list of dict
        What came out of it, the decided findings first.
    figure : Artefact or None
        The figure that says most, if it is drawn.
    preview : str
        Path of its picture, made small.
    size : (int, int)
        Width and height of that.
    """

    key: str
    paper: Paper
    claims: dict[str, int]
    questions: dict[str, int]
    done: int
    total: int
    numbered: list[Artefact]
    others: list[Artefact]
    answers: dict[str, Artefact]
    found: list[Mapping[str, str]]
    figure: Artefact | None
    preview: str
    size: tuple[int, int]


def paper_row(
    key: str,
    sections: Sequence[Section],
    output: Path,
    found: Sequence[Mapping[str, str]] = (),
) -> PaperRow:
    """Sum up the evaluations of a paper, and write the preview of its figure.

    Parameters
    ----------
    key : str
        Of the paper.
    sections : sequence of Section
    output : Path
        Folder of the report, where the pictures are.
    found : sequence of dict
        Findings, as :func:`~nmfbench.reports.findings.findings` gives them.
    """
    declared = paper(key)
    evaluations = [section.evaluation for section in sections]
    claims = [pair for e in evaluations for pair in e.verdicts]
    of_paper = [e for e in evaluations if any(c.origin == "paper" for c, _ in e.verdicts)]
    artefacts = [e.artefact for e in evaluations]
    by_name = {artefact.name: artefact for artefact in artefacts}
    drawn = {s.evaluation.artefact.name: s.pictures[0] for s in sections if s.pictures}
    figure = by_name[declared.figure] if declared.figure in drawn else None
    preview, size = _preview(figure, drawn[declared.figure], output) if figure else ("", (0, 0))
    return PaperRow(
        key,
        declared,
        counts(v for claim, v in claims if claim.origin == "paper"),
        counts(v for claim, v in claims if claim.origin == "ours"),
        sum(e.done for e in of_paper if e.profile != "smoke"),
        sum(e.artefact.paper_total for e in of_paper),
        sorted(filter(_numbered, artefacts), key=_numbered),
        [artefact for artefact in artefacts if not _numbered(artefact)],
        {text: by_name[name] for text, name in declared.answers.items() if name in by_name},
        sorted(
            (one for one in found if one["id"].startswith(f"{key}/")),
            key=lambda one: one["verdict"] not in DECIDED,
        ),
        figure,
        preview,
        size,
    )


def _preview(artefact, picture, output):
    """Write a small copy of the picture of a figure; its path and size."""
    name = picture_path(artefact, "small.webp")
    with Image.open(output / picture) as large:
        small = large.convert("RGB")
    small.thumbnail(_PREVIEW, Image.Resampling.LANCZOS)
    small.save(output / name, "WEBP", quality=_QUALITY, method=6)
    return name, small.size


def _numbered(artefact):
    """Place of a figure or table of a paper among the others; None of another experiment."""
    found = NUMBERED.fullmatch(artefact.name)
    return (found[1], int(found[2])) if found and found[1] in KINDS else None


def counts(verdicts) -> dict[str, int]:
    """How many verdicts there are of each kind, in the order of
    :data:`~nmfbench.verdicts.verdict.VERDICTS`."""
    found = Counter(verdict.verdict for verdict in verdicts)
    return {word: found[word] for word in VERDICTS}


def expected_wrong(evaluations: Sequence[Evaluation]) -> dict[str, tuple[int, float]]:
    """Number of decided tests, and how many of them may be expected to be wrong, by outcome.

    Within each artefact they are at most the share :data:`~nmfbench.verdicts.verdict.ALPHA` of the
    claims that are confirmed or refuted, and of those without a lead. What has no p-value, such as
    a theorem with a counterexample, does not count.

    Parameters
    ----------
    evaluations : sequence of Evaluation

    Returns
    -------
    dict
        "confirmed or refuted" and "without a lead" -> number of tests, and the most that may be
        expected to be wrong.
    """
    tested = [
        verdict.verdict
        for evaluation in evaluations
        for _, verdict in evaluation.verdicts
        if verdict.p_value is not None
    ]
    sides = {"confirmed or refuted": ("confirmed", "refuted"), "without a lead": ("no lead",)}
    numbers = {name: sum(word in words for word in tested) for name, words in sides.items()}
    return {name: (n, ALPHA * n) for name, n in numbers.items()}


def write_landing(
    sections: Sequence[Section],
    papers: Sequence[str],
    boards: Sequence[Leaderboard],
    output: Path,
    profile: str | None,
    changes: Changes | None = None,
    twice: TwoTargets | None = None,
    sentences: Sequence[Mapping[str, Any]] = (),
    numbers: Sequence[Mapping[str, Any]] = (),
    found: Sequence[Mapping[str, str]] = (),
    *,
    hours: bool = False,
    audits: bool = False,
) -> list[Path]:
    """Write ``index.html`` and the small pictures on it; their paths.

    The papers are ordered by the share of their sentences that is decided.

    Parameters
    ----------
    sections : sequence of Section
        In the order of the notebooks.
    papers : sequence of str
        Keys of the papers.
    boards : sequence of Leaderboard
    output : Path
        Folder of the report, where the pictures are.
    profile : str or None
        On whose grid all was judged; None if each on its largest one.
    changes : Changes, optional
        Since a release.
    twice : TwoTargets, optional
        Verdicts that hang on rounding.
    sentences : sequence of dict
        Of the papers, as :func:`~nmfbench.verdicts.sentences.sentence_rows` gives them.
    numbers : sequence of dict
        That the papers print, as :func:`~nmfbench.verdicts.numbers.number_rows` gives them.
    found : sequence of dict
        Sentences on what came out, as :func:`~nmfbench.reports.findings.findings` gives them.
    hours, audits : bool, default=False
        Whether there is a page ``hours.html``, and one ``audits.html``.
    """
    evaluations = [section.evaluation for section in sections]
    rows = [
        paper_row(key, [s for s in sections if s.evaluation.artefact.paper == key], output, found)
        for key in papers
    ]
    outcomes = {
        key: sentence_counts([row for row in sentences if row["paper"] == key]) for key in papers
    }
    rows.sort(key=lambda row: -decided_share(outcomes[row.key]))
    index = _write(
        "index.html",
        output,
        rows=rows,
        tested={word: sum(row.claims[word] for row in rows) for word in VERDICTS},
        wrong=expected_wrong(evaluations),
        boards=boards,
        jobs=preferred(boards),
        choice=address_of,
        race=race.soonest(race.rows_of()),
        policy=POLICY,
        n_solvers=len(registry.solvers),
        comparison=(output / "comparison" / "index.html").exists(),
        profile=profile,
        changes=changes,
        twice=twice,
        hours=hours,
        audits=audits,
        sentences=outcomes,
        all_sentences=sentence_counts(sentences),
        numbers={
            key: number_tally([row for row in numbers if row["paper"] == key]) for key in papers
        },
        all_numbers=number_tally(numbers),
        version=nmfbench.__version__,
        written=datetime.now(UTC).strftime("%Y-%m-%d"),
    )
    return [index, *(output / row.preview for row in rows if row.preview)]


def _write(page, output, **values):
    values |= {
        "named": named,
        "is_baseline": is_baseline,
        "share": share,
        "name": solver_name,
        "names": lambda keys: [solver_name(key) for key in keys],
    }
    return render_page(page, output, **values)
