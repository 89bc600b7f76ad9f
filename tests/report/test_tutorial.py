"""The tutorial: executed as a reader would, and as a page."""

import tempfile

import nbformat
import pytest

from nmfbench.reports.notebooks import notebook_path
from nmfbench.reports.tutorial import write_tutorial


def test_the_tutorial_is_committed_without_outputs():
    """A reader runs it; what came out is in the published report."""
    notebook = nbformat.read(notebook_path("tutorial"), as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


@pytest.mark.slow
def test_the_tutorial_runs_from_end_to_end(tmp_path):
    """Each cell does its work, and the page shows code, tables and figures, no folder."""
    executed, page = write_tutorial(tmp_path, budget="20s")
    notebook = nbformat.read(executed, as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    kinds = {kind for output in outputs for kind in output.get("data", ())}
    assert {"text/html", "image/png"} <= kinds
    text = page.read_text(encoding="utf-8")
    assert "class Alternating" in text
    assert text.count("<table") >= 3
    assert text.count("<img") >= 2
    assert tempfile.gettempdir() not in text
    assert str(tmp_path) not in text
