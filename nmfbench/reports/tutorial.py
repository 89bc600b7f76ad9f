"""The tutorial as a page of the report, with its code."""

from __future__ import annotations

from pathlib import Path

import nbformat
from markupsafe import Markup

from nmfbench.pages.environment import render_page
from nmfbench.reports.notebooks import (
    execute_notebook,
    notebook_body,
    notebook_path,
    plain_kernels,
)

__all__ = ["write_tutorial"]


def write_tutorial(output: Path, **parameters) -> list[Path]:
    """Execute the tutorial; write ``tutorial.ipynb`` and ``tutorial.html``; their paths.

    Parameters
    ----------
    output : Path
        Folder of a report.
    **parameters
        Of the notebook.

    Raises
    ------
    NotebookError
        If a cell raises, or there is no such parameter.
    """
    output.mkdir(parents=True, exist_ok=True)
    executed = output / "tutorial.ipynb"
    with plain_kernels():
        execute_notebook(notebook_path("tutorial"), executed, parameters)
    notebook = nbformat.read(executed, as_version=4)
    body = Markup(notebook_body(notebook, code=True))
    title = notebook.metadata["title"]
    return [executed, render_page("page.html", output, "tutorial.html", body=body, title=title)]
