"""The report: a notebook a paper, executed and exported, a card a solver, and a landing page.

Each artefact is evaluated and drawn once, by its cell in the notebook of its paper. The cell's
output holds the page's section, and what landing page, cards and claims take from it.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

import nbformat
import papermill
from jupyter_core.utils import ensure_event_loop
from latex2mathml.converter import convert as to_mathml
from markupsafe import Markup
from nbconvert import HTMLExporter

import nmfbench
from nmfbench.artefacts.artefact import Artefact
from nmfbench.cards import card_list, card_page, make_card
from nmfbench.cards.card import Evidence, of_the_field, plan_of_the_field
from nmfbench.comparison.evaluate import gather
from nmfbench.comparison.leaderboards import Leaderboard, leaderboards, places
from nmfbench.comparison.saved import add_saved, saved_solvers
from nmfbench.core import registry
from nmfbench.guests import SolverSpec
from nmfbench.pages.environment import ASSETS, environment
from nmfbench.papers.paper import paper as paper_of
from nmfbench.records.store import Store
from nmfbench.records.tally import read_tally
from nmfbench.reports import race
from nmfbench.reports.about import add_addresses, write_about
from nmfbench.reports.audits import write_audits
from nmfbench.reports.boards import write_leaderboards
from nmfbench.reports.changes import RELEASED, read_release, write_changes
from nmfbench.reports.choose import write_choose
from nmfbench.reports.claims import write_claims
from nmfbench.reports.codecheck import write_codecheck
from nmfbench.reports.crate import write_crate
from nmfbench.reports.findings import findings
from nmfbench.reports.hours import write_hours
from nmfbench.reports.landing import write_landing
from nmfbench.reports.printed import write_numbers
from nmfbench.reports.reference import write_reference
from nmfbench.reports.regret import rows_of, write_regret
from nmfbench.reports.section import SECTION, Section, contents, with_sentences
from nmfbench.reports.sentences import sentence_counts, write_sentences
from nmfbench.reports.sums import write_sums
from nmfbench.reports.two_targets import read_two_targets, write_page
from nmfbench.verdicts.course import read_course
from nmfbench.verdicts.evaluate import Evaluation, claim_rows
from nmfbench.verdicts.sentences import sentence_rows

__all__ = ["NotebookError", "Report", "build_report", "execute_notebook", "notebook_path"]


class NotebookError(RuntimeError):
    """A notebook that is missing, has no such parameter, or failed."""


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
        Verdicts of a release, with which those of today are compared. The report keeps a copy.
    site : str, optional
        Address under which the folder is published, for canonical links and previews.

    Returns
    -------
    Report

    Raises
    ------
    NotebookError
        If a notebook is missing, fails, or does not show an artefact of its paper.
    StoreError
        If there is no store.
    ReleaseError
        If ``since`` holds no verdicts of a release.
    """
    output = Path(output)
    Store(store, create=False).close()  # before anything is written: is there one?
    release = None if since is None else read_release(since)
    papers: dict[str, list[str]] = {}
    for artefact in artefacts:
        papers.setdefault(artefact.paper, []).append(artefact.id)
    sources = {paper: notebook_path(paper) for paper in papers}
    output.mkdir(parents=True, exist_ok=True)
    released = output / RELEASED
    if release is not None and not (released.exists() and released.samefile(since)):
        shutil.copyfile(since, released)

    def show(paper):
        parameters = {
            # Relative to the notebook's working folder: a report names no folder of its host.
            "store": os.path.relpath(store, output),
            "profile": profile,
            "stand_in": stand_in,
            "only": papers[paper],
            "since": RELEASED if release else None,
        }
        target = output / f"{paper}.ipynb"
        loop = ensure_event_loop()  # that of this thread, which the notebook's client uses
        try:
            execute_notebook(sources[paper], target, parameters)
        finally:
            loop.close()
        sections = _take_sections(target)
        _export(target, paper, sections)
        return sections

    # The work is done by kernels, one a notebook; these threads wait for them.
    with _plain_ipython(), ThreadPool(max(1, min(len(papers), os.cpu_count() or 1))) as pool:
        longest_first = sorted(papers, key=lambda paper: -len(papers[paper]))
        coming = pool.imap(show, longest_first, chunksize=1)
        with Store(store, create=False) as opened:
            field = of_the_field(opened)
            plan = plan_of_the_field()
            add_saved(plan, saved_solvers(opened), opened)
            boards, lacking_records = leaderboards(gather(plan, opened))
            real, _ = leaderboards(gather(plan_of_the_field("quick"), opened), by_kind=True)
        shown = dict(zip(longest_first, coming, strict=True))
    boards = [*real, *boards]
    as_in_notebooks = [section for paper in papers for section in shown[paper]]
    by_id = {section.evaluation.artefact.id: section for section in as_in_notebooks}
    if lacking := [artefact.id for artefact in artefacts if artefact.id not in by_id]:
        raise NotebookError(f"no notebook shows {', '.join(lacking)}.")
    sections = [by_id[artefact.id] for artefact in artefacts]
    evaluations = [section.evaluation for section in sections]

    evidence = [e for e in [*(section.evidence for section in sections), field] if e is not None]
    cards = _write_cards(evidence, store, output, profile, boards)
    rows = [
        row
        for evaluation in evaluations
        for row in claim_rows(evaluation, paper_of(evaluation.artefact.paper).sentences)
    ]
    sentences = [row for key in papers for row in sentence_rows(key, paper_of(key).sentences, rows)]
    numbers = [row for section in sections for row in section.numbers]
    changes = None if release is None else release.compare(rows, by_id, sentences)
    twice, looks, audits = read_two_targets(store), read_course(store), read_tally(store)
    index, *previews = write_landing(
        as_in_notebooks,
        list(papers),
        boards,
        output,
        profile,
        changes,
        twice,
        sentences,
        numbers,
        findings(rows),
        hours=looks is not None,
        audits=audits is not None,
    )
    chosen = write_choose(boards, output)
    table = write_claims([section.evaluation for section in as_in_notebooks], output)
    origins = {entrant.label: entrant.origin for entrant in plan.entrants if entrant.origin}
    ranked, *fronts = write_leaderboards(boards, lacking_records, origins, output)
    reference = write_reference(output)
    data = [
        _write_rows(rows, output / "claims.json"),
        _write_rows(sentences, output / "sentences.json"),
        write_sentences(sentences, output),
        _write_rows(numbers, output / "numbers.json"),
        write_numbers(numbers, output),
    ]
    pages = [output / f"{paper}.{ending}" for paper in papers for ending in ("html", "ipynb")]
    pictures = [output / picture for section in sections for picture in section.pictures]
    trials = [output / section.trials for section in sections if section.trials]
    assets = shutil.copytree(ASSETS, output / "assets", dirs_exist_ok=True).iterdir()
    codecheck = write_codecheck(sections, papers, output)
    written = [
        index,
        table,
        chosen,
        ranked,
        *fronts,
        *data,
        codecheck,
        *previews,
        *pages,
        *pictures,
        *trials,
        *assets,
        *cards,
    ]
    written += [*reference, *_published_beside(output)]
    if changes is not None:
        written += [released, *write_changes(changes, output)]
    if twice is not None:
        written.append(write_page(twice, list(by_id), output))
    if looks is not None:
        written += write_hours(looks, list(by_id), output)
    if audits is not None:
        written.append(write_audits(audits, output))
    if regrets := rows_of():
        written.append(write_regret(regrets, output))
    if races := race.rows_of():
        written.append(race.write_race(races, output))
    written += write_about(list(papers), output, changes=changes is not None)
    if site:
        made = (path for path in written if path.suffix == ".html")
        add_addresses((path for path in made if "comparison" not in path.parts), output, site)
    crate = write_crate(sections, list(papers), written, output)
    write_sums([*written, crate], output)
    return Report(index, evaluations)


@contextmanager
def _plain_ipython():
    """Kernels without the start-up files of a user, who may have no folder for them, either."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get("IPYTHONDIR")
        os.environ["IPYTHONDIR"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["IPYTHONDIR"]
            else:
                os.environ["IPYTHONDIR"] = before


def _write_rows(rows, path) -> Path:
    """Write rows as JSON, one a line: small, and a change of one shows as one."""
    tight: dict[str, Any] = {"ensure_ascii": False, "allow_nan": False, "separators": (",", ":")}
    lines = [json.dumps(row, **tight) for row in rows]
    path.write_text("[\n{}\n]\n".format(",\n".join(lines)), encoding="utf-8")
    return path


def notebook_path(paper: str) -> Path:
    """The notebook of a paper: beside the package in a checkout, inside it when installed."""
    package = Path(nmfbench.__file__).parent
    for folder in (package / "notebooks", package.parent / "notebooks"):
        if (folder / f"{paper}.ipynb").exists():
            return folder / f"{paper}.ipynb"
    raise NotebookError(f"there is no notebook for {paper!r}.")


def execute_notebook(source, target, parameters) -> None:
    """Run a notebook with papermill, in the folder of ``target``.

    Parameters
    ----------
    source, target : path-like
    parameters : dict
        Each must stand in the notebook's cell tagged ``parameters``; papermill alone would only
        warn of one that does not.

    Raises
    ------
    NotebookError
        If a parameter is unknown, with the nearest ones, or a cell raises.
    """
    known = list(papermill.inspect_notebook(str(source)))
    for name in parameters:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}."
            raise NotebookError(f"{Path(source).name} has no parameter {name!r}; {hint}")
    try:
        papermill.execute_notebook(
            str(source),
            str(target),
            parameters=parameters,
            kernel_name="python3",
            # Of the kernel; papermill's own ``cwd`` is that of this process and all its threads.
            resources={"metadata": {"path": str(Path(target).parent)}},
            progress_bar=False,
            log_output=False,
            # A kernel logs the end of its work as an error. Errors of cells are raised here.
            extra_arguments=["--log-level=CRITICAL"],
        )
    except papermill.PapermillExecutionError as error:
        raise NotebookError(
            f"{Path(source).name} failed: {error.ename}: {error.evalue}; the notebook as far as "
            f"it ran is {target}."
        ) from error
    notebook = nbformat.read(target, as_version=4)
    for part in [notebook, *notebook.cells]:  # times and paths of this host
        part.metadata.pop("papermill", None)
        part.metadata.pop("execution", None)
    for cell in notebook.cells:
        if "injected-parameters" in cell.metadata.get("tags", ()):
            cell.id = "injected-parameters"  # papermill's is a random one
    nbformat.write(notebook, target)


def _take_sections(path: Path) -> list[Section]:
    """Read the sections of an executed notebook, and leave only what a reader sees in it."""
    notebook = nbformat.read(path, as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    found = [output.data.pop(SECTION) for output in outputs if SECTION in output.get("data", ())]
    nbformat.write(notebook, path)
    return [Section.from_json(text) for text in found]


def _export(path: Path, key: str, sections: Sequence[Section]) -> None:
    """HTML of an executed notebook, as one page of the report.

    Beside what the notebook shows it has contents with outcomes, and the outcomes of the paper's
    sentences, at its head and in each section.
    """
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _typeset(cell.source)
    exporter = HTMLExporter(
        template_name="basic",
        exclude_input=True,
        exclude_output_prompt=True,
        exclude_input_prompt=True,
        exclude_anchor_links=True,
    )
    body, _ = exporter.from_notebook_node(notebook)
    body = body.replace("<th></th>", "<td></td>")  # a head of nothing
    body = body.replace('<table border="1" class="dataframe">', '<table tabindex="0">')
    rows = [row for section in sections for row in claim_rows(section.evaluation)]
    sentences = sentence_rows(key, paper_of(key).sentences, rows)
    head = (
        environment()
        .get_template("about_paper.html")
        .render(
            paper=paper_of(key), key=key, counts=sentence_counts(sentences), found=findings(rows)
        )
    )
    body = with_sentences(body.replace("</h1>", f"</h1>{head}", 1), sentences)
    page = (
        environment()
        .get_template("page.html")
        .render(
            body=Markup(body),
            title=notebook.metadata.get("title", path.stem),
            contents=contents(sections),
            description=_description(paper_of(key), sentence_counts(sentences)),
        )
    )
    path.with_suffix(".html").write_text(page, encoding="utf-8")


def _description(paper, counts) -> str:
    """One sentence on a paper, as search engines show it."""
    told = ", ".join(f"{n} {word}" for word, n in counts.items() if n)
    return f"{paper.authors} ({paper.year}), {paper.title}: recomputed. Its sentences: {told}."


def _typeset(markdown: str) -> str:
    """Turn ``$...$`` and ``$$...$$`` into MathML, which browsers show without any script."""
    markdown = re.sub(r"\$\$(.+?)\$\$", lambda m: _formula(m[1]), markdown, flags=re.DOTALL)
    return re.sub(r"\$(.+?)\$", lambda m: to_mathml(m[1]), markdown)


def _formula(latex):
    """One in a line of its own; where it is wider than a phone, the keyboard scrolls it."""
    return to_mathml(latex, display="block").replace("<math ", '<math tabindex="0" ', 1)


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
    """Files of the record book and of the comparison that the landing page leads to, if any."""
    folders = (output / "records", output / "comparison")
    return sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
