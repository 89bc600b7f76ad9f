"""The report: a notebook a paper, executed and exported, a card a solver, and an index page."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import nbformat
import papermill
from latex2mathml.converter import convert as to_mathml
from markupsafe import Markup
from nbconvert import HTMLExporter

import nmfbench
from nmfbench import registry
from nmfbench.artefacts import Artefact
from nmfbench.cards import card_list, card_page, gather, make_card
from nmfbench.engine.store import Store
from nmfbench.guests import SolverSpec
from nmfbench.report.evaluate import Evaluation, evaluate
from nmfbench.report.section import environment, render_section

__all__ = ["NotebookError", "build_report", "execute_notebook", "notebook_path"]


class NotebookError(RuntimeError):
    """A notebook that is missing, has no such parameter, or failed."""


def build_report(
    artefacts: Sequence[Artefact],
    store,
    *,
    profile: str = "quick",
    output="reports",
    stand_in: bool = False,
) -> Path:
    """Execute the notebooks of the artefacts' papers; write their pages, the cards and the index.

    Parameters
    ----------
    artefacts : sequence of Artefact
        Sections of the report; other artefacts of the same papers are left out.
    store : path-like
        Folder with the records.
    profile : {"smoke", "quick", "paper"}
    output : path-like, default="reports"
    stand_in : bool, default=False

    Returns
    -------
    Path
        The index page.

    Raises
    ------
    NotebookError
        If a notebook is missing or fails.
    StoreError
        If there is no store.
    """
    output = Path(output)
    output.mkdir(parents=True, exist_ok=True)
    with Store(store, create=False) as opened:
        evaluations = [
            evaluate(artefact, opened, profile=profile, stand_in=stand_in) for artefact in artefacts
        ]
        evidence = gather(
            artefacts, opened, profile=profile, stand_in=stand_in, evaluations=evaluations
        )
    _write_cards(evidence, store, output, profile)
    papers = list(dict.fromkeys(artefact.paper for artefact in artefacts))
    for paper in papers:
        parameters = {
            # Relative to the notebook's working folder: a report names no folder of its host.
            "store": os.path.relpath(store, output),
            "profile": profile,
            "stand_in": stand_in,
            "only": [artefact.id for artefact in artefacts if artefact.paper == paper],
        }
        execute_notebook(notebook_path(paper), output / f"{paper}.ipynb", parameters)
        _export(output / f"{paper}.ipynb", profile)
    return _write_index(evaluations, papers, output, profile)


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
            cwd=str(Path(target).parent),
            progress_bar=False,
            log_output=False,
            extra_arguments=["--log-level=ERROR"],
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
    nbformat.write(notebook, target)


def _export(path: Path, profile: str) -> None:
    """HTML of an executed notebook, as one page of the report."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _typeset(cell.source)
    exporter = HTMLExporter(
        template_name="basic",
        exclude_input=True,
        exclude_output_prompt=True,
        exclude_input_prompt=True,
        anchor_link_text="",
    )
    body, _ = exporter.from_notebook_node(notebook)
    page = (
        environment()
        .get_template("page.html")
        .render(body=Markup(body), title=notebook.metadata.get("title", path.stem), profile=profile)
    )
    path.with_suffix(".html").write_text(page, encoding="utf-8")


def _typeset(markdown: str) -> str:
    """Turn ``$...$`` and ``$$...$$`` into MathML, which browsers show without any script."""
    markdown = re.sub(
        r"\$\$(.+?)\$\$", lambda m: to_mathml(m[1], display="block"), markdown, flags=re.DOTALL
    )
    return re.sub(r"\$(.+?)\$", lambda m: to_mathml(m[1]), markdown)


def _write_cards(evidence, store, output: Path, profile: str) -> None:
    """A page for each registered solver, and one that lists them."""
    folder = output / "solvers"
    folder.mkdir(exist_ok=True)
    families: dict[str, list[dict]] = {}
    for key in registry.solvers:
        card = make_card(SolverSpec(key), evidence, store, profile=profile)
        families.setdefault(card["family"], []).append(card)
        (folder / f"{key}.html").write_text(card_page(card), encoding="utf-8")
    (folder / "index.html").write_text(card_list(families), encoding="utf-8")


def _write_index(evaluations: list[Evaluation], papers, output: Path, profile: str) -> Path:
    sections = [{"evaluation": e, "html": Markup(render_section(e))} for e in evaluations]
    page = (
        environment()
        .get_template("index.html")
        .render(
            sections=sections,
            papers=papers,
            profile=profile,
            version=nmfbench.__version__,
            written=datetime.now(UTC).strftime("%Y-%m-%d"),
        )
    )
    (output / "index.html").write_text(page, encoding="utf-8")
    return output / "index.html"
