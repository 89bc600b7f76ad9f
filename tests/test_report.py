"""The report: pages, pictures, notebooks and their parameters."""

import html
import json
import re
from pathlib import Path

import nbformat
import pytest

from nmfbench import registry
from nmfbench.engine.store import StoreError
from nmfbench.report.build import (
    NotebookError,
    _typeset,
    build_report,
    execute_notebook,
    notebook_path,
)

ARTEFACTS = [entry.target for entry in registry.artefacts.entries()]


@pytest.fixture(scope="module")
def report(smoke_store, tmp_path_factory):
    """A smoke report of everything."""
    output = tmp_path_factory.mktemp("report")
    build_report(ARTEFACTS, smoke_store, profile="smoke", output=output, stand_in=True)
    return output


def test_the_index_shows_every_artefact(report):
    """Each artefact has its picture or table, a verdict a claim, and its trials of total."""
    page = (report / "index.html").read_text()
    words = html.unescape(page)
    for artefact in ARTEFACTS:
        assert f'id="{artefact.paper}-{artefact.name}"' in page
        for claim in artefact.claims:
            assert claim.statement in words
    pictures = re.findall(r'<img src="([^"]+)"', page)
    assert len(pictures) == sum(artefact.kind == "figure" for artefact in ARTEFACTS)
    assert all((report / picture).stat().st_size > 5000 for picture in pictures)
    assert page.count("trials done") == len(ARTEFACTS)


def test_stand_ins_are_named(report):
    """Where data are synthetic stand-ins, the page says so."""
    page = (report / "index.html").read_text()
    assert "reuters (synthetic stand-in)" in page
    assert "on a stand-in" in page


def test_pages_stand_alone(report):
    """No page loads anything from elsewhere, and none names a folder of the machine."""
    for path in report.glob("*.html"):
        page = path.read_text()
        assert not re.findall(r'(?:src|href)="https?://', page)
        assert "<math" in page or path.name == "index.html"
    for path in [*report.glob("*.html"), *report.glob("*.ipynb")]:
        assert str(Path.cwd()) not in path.read_text()


def test_notebooks_are_thin_and_committed_without_outputs():
    """A notebook holds prose and calls; every artefact of its paper is in it."""
    for paper in {artefact.paper for artefact in ARTEFACTS}:
        notebook = nbformat.read(notebook_path(paper), as_version=4)
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
        assert max(len(cell.source.splitlines()) for cell in code) <= 8
        shown = set(re.findall(r'section\("([^"]+)"', "\n".join(cell.source for cell in code)))
        assert shown == {artefact.id for artefact in ARTEFACTS if artefact.paper == paper}


def test_an_unknown_notebook_parameter_is_an_error(tmp_path):
    """A misspelt parameter stops with the nearest valid name; papermill alone would go on."""
    with pytest.raises(NotebookError, match="did you mean 'profile'"):
        execute_notebook(notebook_path("robust-xray"), tmp_path / "x.ipynb", {"profil": "smoke"})
    assert not (tmp_path / "x.ipynb").exists()


def test_a_bad_notebook_parameter_is_a_clear_error(tmp_path, smoke_store):
    """An error inside a notebook says which notebook, and what was wrong."""
    parameters = {"profile": "huge", "store": str(smoke_store), "only": ["robust-xray/fig3"]}
    with pytest.raises(NotebookError, match=r"robust-xray.ipynb failed.*profile must be one of"):
        execute_notebook(notebook_path("robust-xray"), tmp_path / "x.ipynb", parameters)


def test_a_report_needs_a_store(tmp_path):
    """Without a store there is no report, and no empty store is made."""
    with pytest.raises(StoreError, match="no store"):
        build_report(ARTEFACTS[:1], tmp_path / "none", output=tmp_path / "report")
    assert not (tmp_path / "none").exists()


def test_a_paper_without_notebook_is_named():
    """Asking for the notebook of an unknown paper says which one is missing."""
    with pytest.raises(NotebookError, match="'nonesuch'"):
        notebook_path("nonesuch")


def test_mathematics_becomes_mathml():
    """Formulas need no script to show."""
    page = _typeset(r"Let $x \ge 0$ and $$y = x^2.$$")
    assert page.count("<math") == 2
    assert "$" not in page


def test_executed_notebooks_keep_no_trace_of_the_host(report):
    """Papermill's times and paths are removed from what is published."""
    notebook = json.loads((report / "robust-xray.ipynb").read_text())
    assert "papermill" not in notebook["metadata"]
    assert all("papermill" not in cell["metadata"] for cell in notebook["cells"])
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    assert {output["output_type"] for output in outputs} == {"execute_result"}  # no warnings
