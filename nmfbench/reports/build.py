"""The report: an executed notebook for each paper, a card for each solver, and a landing page.

Each artefact is evaluated and drawn once, by its cell in the notebook of its paper. The cell's
output holds the page's section, and what landing page, cards and claims take from it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

import pandas as pd
from jupyter_core.utils import ensure_event_loop
from markupsafe import Markup

from nmfbench.artefacts.artefact import Artefact
from nmfbench.cards import card_list, card_page, make_card
from nmfbench.cards.card import Evidence, of_the_field, plan_of_the_field
from nmfbench.comparison.criteria import Criterion
from nmfbench.comparison.evaluate import gather
from nmfbench.comparison.leaderboards import Leaderboard, leaderboards, places
from nmfbench.comparison.saved import add_saved, saved_solvers
from nmfbench.core import registry
from nmfbench.guests import SolverSpec
from nmfbench.pages.environment import ASSETS, environment
from nmfbench.papers.paper import paper as paper_of
from nmfbench.records import tally
from nmfbench.records.store import Store
from nmfbench.reports import growth, race
from nmfbench.reports.about import add_addresses, write_about
from nmfbench.reports.audits import audited_of, write_audits
from nmfbench.reports.boards import write_leaderboards
from nmfbench.reports.changes import RELEASED, Changes, read_release, write_changes
from nmfbench.reports.choose import write_choose
from nmfbench.reports.claims import write_claims
from nmfbench.reports.codecheck import write_codecheck
from nmfbench.reports.crate import write_crate
from nmfbench.reports.findings import findings
from nmfbench.reports.hours import write_hours
from nmfbench.reports.landing import write_landing
from nmfbench.reports.notebooks import (
    execute_notebook,
    notebook_body,
    notebook_path,
    plain_kernels,
    take_sections,
    write_complete,
)
from nmfbench.reports.printed import write_numbers
from nmfbench.reports.race_page import write_race
from nmfbench.reports.reference import write_reference
from nmfbench.reports.regret import RANKS_FILE, rows_of, write_regret
from nmfbench.reports.section import Section, contents, with_sentences
from nmfbench.reports.sentences import sentence_counts, write_sentences
from nmfbench.reports.still_open import write_open
from nmfbench.reports.sums import write_sums
from nmfbench.reports.two_targets import TwoTargets, read_two_targets, write_page
from nmfbench.verdicts import cores, course
from nmfbench.verdicts.evaluate import ClaimRow, Evaluation, claim_rows
from nmfbench.verdicts.sentences import sentence_rows

__all__ = ["Report", "build_report"]


@dataclass(frozen=True)
class Report:
    """Result of making a report.

    Attributes
    ----------
    index : Path
        The page to start from.
    evaluations : list of Evaluation
        Of its artefacts, without tables and records.
    """

    index: Path
    evaluations: list[Evaluation]


def build_report(
    artefacts: Sequence[Artefact],
    store,
    *,
    profile: str | None = None,
    output="report",
    stand_in: bool = False,
    since=None,
    site: str | None = None,
) -> Report:
    """Execute the notebooks of the artefacts' papers; write all pages of the report.

    An artefact that the notebook of its paper does not show gets a cell there.

    Notebooks run at the same time, as many as there are cores. Beside the pages come
    ``claims.json``, the verdicts as ``nmfbench claims --json`` has them, and ``sentences.json``
    and ``numbers.json``, as with ``--sentences`` and ``--numbers``; ``changes.json``, where there
    is a release to compare with; ``codecheck.yml``, what somebody else has to regenerate;
    ``ro-crate-metadata.json``, how each figure came about and what became of each claim; and
    ``SHA256SUMS`` of all files that were written, and of the record book and the comparison that
    are published with them.

    Parameters
    ----------
    artefacts : sequence of Artefact
        Sections of the report; other artefacts of the same papers are left out.
    store : path-like
        Folder with the records.
    profile : {"smoke", "quick", "paper"}, optional
        By default each artefact is judged on its largest grid of whole repeats.
    output : path-like, default="report"
    stand_in : bool, default=False
    since : path-like, optional
        Verdicts of a release, to compare with the verdicts of today. The report keeps a copy.
    site : str, optional
        Address under which the folder is published, for canonical links and previews.

    Returns
    -------
    Report

    Raises
    ------
    NotebookError
        If a notebook is missing or fails.
    StoreError
        If there is no store.
    ReleaseError
        If ``since`` holds no verdicts of a release.
    """
    output = Path(output)
    Store(store, create=False).close()  # before anything is written: is there one?
    release = None if since is None else read_release(since)
    papers: dict[str, list[Artefact]] = {}
    for artefact in artefacts:
        papers.setdefault(artefact.paper, []).append(artefact)
    sources = {paper: notebook_path(paper) for paper in papers}
    output.mkdir(parents=True, exist_ok=True)
    if release is not None and not _is_same(output / RELEASED, since):
        shutil.copyfile(since, output / RELEASED)
    parameters = {
        # Relative to the notebook's working folder: a report names no folder of its host.
        "store": os.path.relpath(store, output),
        "profile": profile,
        "stand_in": stand_in,
        "since": RELEASED if release else None,
    }

    audits = tally.KEPT.read(store)

    def show(paper):
        asked = parameters | {"only": [artefact.id for artefact in papers[paper]]}
        return _show(paper, sources[paper], papers[paper], asked, output, audits)

    # The work is done by kernels, one for each notebook; these threads wait for them.
    with plain_kernels(), ThreadPool(max(1, min(len(papers), os.cpu_count() or 1))) as pool:
        longest_first = sorted(papers, key=lambda paper: -len(papers[paper]))
        coming = pool.imap(show, longest_first, chunksize=1)
        compared = _compared(store)
        boards = _write_boards(compared, output)  # while notebooks run
        shown = dict(zip(longest_first, coming, strict=True))
    as_in_notebooks = [section for paper in papers for section in shown[paper]]
    content = _content(artefacts, list(papers), as_in_notebooks, release, store, audits)
    evidence = [*(section.evidence for section in content.sections), compared.field]
    known = [e for e in evidence if e is not None]
    cards = _write_cards(known, store, output, profile, compared.boards)
    written = _write_pages(content, compared, output, profile) + boards + cards
    written += _write_more(content, output)
    if site:
        made = (path for path in written if path.suffix == ".html")
        add_addresses((path for path in made if "comparison" not in path.parts), output, site)
    crate = write_crate(content.sections, content.papers, written, output)
    write_sums([*written, crate], output)
    return Report(output / "index.html", [section.evaluation for section in content.sections])


@dataclass(frozen=True)
class _Content:
    """What pages show of papers.

    Attributes
    ----------
    papers : list of str
    as_in_notebooks : list of Section
        All sections of these papers, in the order of their notebooks.
    sections : list of Section
        The requested artefacts, in the order in which they were requested.
    rows, sentences, numbers : list of dict
        Claims, sentences and printed numbers.
    changes : Changes or None
        What is different since a release.
    twice : TwoTargets or None
        Verdicts that hang on rounding.
    looks, cores, audits
        How verdicts came about, hours on a number of cores, and samples of records that were
        computed again, where known.
    """

    papers: list[str]
    as_in_notebooks: list[Section]
    sections: list[Section]
    rows: list[ClaimRow]
    sentences: list[dict[str, Any]]
    numbers: list[dict[str, Any]]
    changes: Changes | None
    twice: TwoTargets | None
    looks: pd.DataFrame | None
    cores: pd.DataFrame | None
    audits: Any

    @property
    def ids(self) -> list[str]:
        return [section.evaluation.artefact.id for section in self.as_in_notebooks]


def _content(artefacts, papers, as_in_notebooks, release, store, audits) -> _Content:
    by_id = {section.evaluation.artefact.id: section for section in as_in_notebooks}
    sections = [by_id[artefact.id] for artefact in artefacts]
    rows = [
        row
        for section in sections
        for row in claim_rows(
            section.evaluation, paper_of(section.evaluation.artefact.paper).sentences
        )
    ]
    sentences = [row for key in papers for row in sentence_rows(key, paper_of(key).sentences, rows)]
    numbers = [row for section in sections for row in section.numbers]
    changes = None if release is None else release.compare(rows, by_id, sentences)
    return _Content(
        *(papers, as_in_notebooks, sections, rows, sentences, numbers, changes),
        twice=read_two_targets(store),
        looks=course.KEPT.read(store),
        cores=cores.KEPT.read(store),
        audits=audits,
    )


@dataclass(frozen=True)
class _Compared:
    """Leaderboards, the tasks with too few records for one, and where entrants come from."""

    field: Evidence | None
    boards: list[Leaderboard]
    lacking: list[Criterion]
    origins: dict[str, str]


def _compared(store) -> _Compared:
    with Store(store, create=False) as opened:
        field = of_the_field(opened)
        plan = plan_of_the_field()
        add_saved(plan, saved_solvers(opened), opened)
        boards, lacking = leaderboards(gather(plan, opened))
        real, _ = leaderboards(gather(plan_of_the_field(by_kind=True), opened), by_kind=True)
    origins = {entrant.label: entrant.origin for entrant in plan.entrants if entrant.origin}
    return _Compared(field, [*real, *boards], lacking, origins)


def _write_boards(compared: _Compared, output) -> list[Path]:
    """Pages of leaderboards and of choices, with their pictures."""
    boards = write_leaderboards(compared.boards, compared.lacking, compared.origins, output)
    return [write_choose(compared.boards, output), *boards]


def _write_pages(content: _Content, compared: _Compared, output, profile) -> list[Path]:
    """Pages that every report has, with their data and pictures; the landing page comes first."""
    sections, rows, sentences = content.sections, content.rows, content.sentences
    index, *previews = write_landing(
        content.as_in_notebooks,
        content.papers,
        compared.boards,
        output,
        profile,
        content.changes,
        content.twice,
        sentences,
        content.numbers,
        findings(rows),
        hours=content.looks is not None,
        audits=content.audits is not None,
    )
    return [
        index,
        write_claims([section.evaluation for section in content.as_in_notebooks], output),
        write_open(rows, output),
        _write_rows(rows, output / "claims.json"),
        _write_rows(sentences, output / "sentences.json"),
        write_sentences(sentences, output),
        _write_rows(content.numbers, output / "numbers.json"),
        write_numbers(content.numbers, output),
        write_codecheck(sections, content.papers, output),
        *previews,
        *(output / f"{paper}.{end}" for paper in content.papers for end in ("html", "ipynb")),
        *(output / picture for section in sections for picture in section.pictures),
        *(output / section.trials for section in sections if section.trials),
        *shutil.copytree(ASSETS, output / "assets", dirs_exist_ok=True).iterdir(),
    ]


def _write_more(content: _Content, output) -> list[Path]:
    """Further pages; most of them only where there is something to show."""
    written = [*write_reference(output), *_published_beside(output)]
    if content.changes is not None:
        written += [output / RELEASED, *write_changes(content.changes, output)]
    if content.twice is not None:
        written.append(write_page(content.twice, content.ids, output))
    if content.looks is not None:
        written += write_hours(content.looks, content.cores, content.ids, output)
    if content.audits is not None:
        written.append(write_audits(content.audits, output))
    if regrets := rows_of():
        written.append(write_regret(regrets, output, rows_of(RANKS_FILE)))
    if races := race.rows_of():
        written += write_race(races, growth.rows_of(), output)
    return written + write_about(content.papers, output, changes=content.changes is not None)


def _show(paper, source, artefacts, parameters, output, audits) -> list[Section]:
    """Execute the notebook of a paper, and write its page."""
    target = output / f"{paper}.ipynb"
    write_complete(source, target, artefacts)
    loop = ensure_event_loop()  # that of this thread, which the notebook's client uses
    try:
        execute_notebook(target, target, parameters)
    finally:
        loop.close()
    sections, notebook = take_sections(target)
    _export(notebook, paper, sections, output, audits)
    return sections


def _is_same(path, other) -> bool:
    return path.exists() and path.samefile(other)


def _write_rows(rows, path) -> Path:
    """Write rows as JSON, one a line: small, and a change of one shows as one."""
    tight: dict[str, Any] = {"ensure_ascii": False, "allow_nan": False, "separators": (",", ":")}
    lines = [json.dumps(row, **tight) for row in rows]
    path.write_text("[\n{}\n]\n".format(",\n".join(lines)), encoding="utf-8")
    return path


def _export(notebook, key: str, sections: Sequence[Section], output: Path, audits) -> None:
    """HTML of an executed notebook, as one page of the report.

    Beside what the notebook shows it has contents with outcomes, and the outcomes of the paper's
    sentences, at its head and in each section.
    """
    body = notebook_body(notebook)
    rows = [row for section in sections for row in claim_rows(section.evaluation)]
    sentences = sentence_rows(key, paper_of(key).sentences, rows)
    head = (
        environment()
        .get_template("about_paper.html")
        .render(
            paper=paper_of(key),
            key=key,
            counts=sentence_counts(sentences),
            found=findings(rows),
            audited=audited_of([s.evaluation.artefact for s in sections], audits),
        )
    )
    body = with_sentences(body.replace("</h1>", f"</h1>{head}", 1), sentences)
    page = (
        environment()
        .get_template("page.html")
        .render(
            body=Markup(body),
            title=notebook.metadata.get("title", key),
            contents=contents(sections),
            description=_description(paper_of(key), sentence_counts(sentences)),
        )
    )
    (output / f"{key}.html").write_text(page, encoding="utf-8")


def _description(paper, counts) -> str:
    """One sentence on a paper, as search engines show it."""
    counted = ", ".join(f"{n} {word}" for word, n in counts.items() if n)
    return f"{paper.authors} ({paper.year}), {paper.title}: recomputed. Its sentences: {counted}."


def _write_cards(
    evidence: Sequence[Evidence],
    store,
    output: Path,
    profile: str | None,
    boards: Sequence[Leaderboard] = (),
) -> list[Path]:
    """A page for each registered solver, and one that lists them; their paths."""
    folder = output / "solvers"
    folder.mkdir(exist_ok=True)
    families: dict[str, list[dict]] = {}
    where = places(boards)
    written = [folder / "index.html"]
    for key in registry.solvers:
        card = make_card(SolverSpec(key), evidence, store, profile=profile)
        families.setdefault(card["family"], []).append(card)
        written.append(folder / f"{key}.html")
        rows = where[key]["rows"] if key in where else ()
        written[-1].write_text(card_page(card, rows), encoding="utf-8")
    written[0].write_text(card_list(families, where), encoding="utf-8")
    return written


def _published_beside(output: Path) -> list[Path]:
    """Files of the record book, the comparison and the tutorial that pages lead to, if any."""
    folders = (output / "records", output / "comparison")
    beside = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return sorted([*beside, *(path for path in output.glob("tutorial.*"))])
