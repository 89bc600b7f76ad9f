"""Notebooks of the papers: where they are, cells for what they do not show, and their execution."""

from __future__ import annotations

import difflib
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import nbformat
import papermill
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from nmfbench.artefacts.artefact import Artefact
from nmfbench.cards.markup import formula_html
from nmfbench.core.shipped import shipped
from nmfbench.reports.section import SECTION, Section

__all__ = [
    "NotebookError",
    "execute_notebook",
    "notebook_body",
    "notebook_path",
    "plain_kernels",
    "take_sections",
    "write_complete",
]

_OURS = "## Our own questions"


class NotebookError(RuntimeError):
    """A notebook that is missing, has no such parameter, or failed."""


def notebook_path(paper: str) -> Path:
    """The notebook of a paper: beside the package in a checkout, inside it when installed."""
    if (path := shipped(f"notebooks/{paper}.ipynb")) is not None:
        return path
    raise NotebookError(
        f"there is no notebook for {paper!r}: a new paper needs notebooks/{paper}.ipynb and a "
        f"package nmfbench.papers.{paper.replace('-', '_')} that declares its PAPER."
    )


def write_complete(source, target, artefacts: Sequence[Artefact]) -> None:
    """Copy a notebook, with a heading and a cell for each of the artefacts that it does not show.

    What a paper reports stands before the part with our own questions, and what we ask, in it.
    """
    notebook = nbformat.read(source, as_version=4)
    text = "\n".join(cell.source for cell in notebook.cells)
    shown = set(re.findall(r'^section\("([^"]+)"', text, re.MULTILINE))
    for artefact in artefacts:
        if artefact.id not in shown:
            place = _place(notebook.cells, any(c.origin == "paper" for c in artefact.claims))
            name = re.sub("[^a-z0-9]", "-", artefact.id)
            notebook.cells[place:place] = [
                new_markdown_cell(f"### {artefact.title}", id=f"{name}-heading"[-64:]),
                new_code_cell(f'section("{artefact.id}", **report)', id=name[-64:]),
            ]
    nbformat.write(notebook, target)


def _place(cells, of_paper: bool) -> int:
    """Where a further section goes: to the end of what the paper says, or of what we ask."""
    parts = [i for i, cell in enumerate(cells) if re.match("## ", cell.source)]
    ours = next((i for i in parts if cells[i].source.startswith(_OURS)), None)
    if ours is None or of_paper:
        return len(cells) if ours is None else ours
    return next((i for i in parts if i > ours), len(cells))


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


def notebook_body(notebook, *, code: bool = False) -> str:
    """What a page shows of an executed notebook, as HTML.

    Parameters
    ----------
    notebook : NotebookNode
        Its text is changed: formulas become MathML.
    code : bool, default=False
        Show the source of its cells, but not of the one with its parameters.
    """
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _typeset(cell.source)
    exporter = HTMLExporter(
        template_name="basic",
        exclude_input=not code,
        exclude_output_prompt=True,
        exclude_input_prompt=True,
        exclude_anchor_links=True,
    )
    body, _ = exporter.from_notebook_node(notebook)
    body = body.replace("<th></th>", "<td></td>")  # a head of nothing
    body = body.replace("<pre>", '<pre tabindex="0">')  # which scrolls where it is too wide
    return body.replace('<table border="1" class="dataframe">', '<table tabindex="0">')


def _typeset(markdown: str) -> str:
    """Turn ``$...$`` and ``$$...$$`` into MathML, which browsers show without any script."""
    markdown = re.sub(
        r"\$\$(.+?)\$\$", lambda m: formula_html(m[1], "block"), markdown, flags=re.DOTALL
    )
    return re.sub(r"\$(.+?)\$", lambda m: formula_html(m[1]), markdown)


def take_sections(path: Path) -> tuple[list[Section], NotebookNode]:
    """Read the sections of an executed notebook, and shorten them in its file.

    Returns
    -------
    sections : list of Section
    notebook : NotebookNode
        With all of each section, as the page of its paper has it. In the file a section has what
        is not folded there, and leads to the page for the rest.
    """
    notebook = nbformat.read(path, as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    outputs = [output for output in outputs if SECTION in output.get("data", ())]
    sections = [Section.from_json(output.data.pop(SECTION)) for output in outputs]
    for output, section in zip(outputs, sections, strict=True):
        output.data["text/html"] = section.brief
    nbformat.write(notebook, path)
    for output, section in zip(outputs, sections, strict=True):
        output.data["text/html"] = section.html
    return sections, notebook


@contextmanager
def plain_kernels() -> Iterator[None]:
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
