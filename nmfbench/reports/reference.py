"""The reference of the public Python names, from their docstrings by pdoc."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path

import pdoc.doc
import pdoc.render

import nmfbench

__all__ = ["PUBLIC", "write_reference"]

PUBLIC = (
    "nmfbench",
    "nmfbench.guests",
    "nmfbench.solvers",
    "nmfbench.solvers.bases.loop",
    "nmfbench.solvers.separable.base",
    "nmfbench.datasets",
    "nmfbench.tasks",
    "nmfbench.tasks.base",
    "nmfbench.problems",
    "nmfbench.problems.problem",
    "nmfbench.corruptions",
    "nmfbench.metrics",
    "nmfbench.checks",
    "nmfbench.core.registry",
    "nmfbench.trials.trial",
    "nmfbench.engine.runner",
    "nmfbench.records.store",
    "nmfbench.papers",
    "nmfbench.artefacts.artefact",
    "nmfbench.artefacts.claim",
    "nmfbench.artefacts.comparisons",
    "nmfbench.artefacts.grids",
    "nmfbench.artefacts.plots",
    "nmfbench.optim.projections",
)
"""Modules that users, and authors of solvers, data sets, tasks and artefacts, import from."""


_ACCESSIBLE = {
    '<a class="headerlink" href': '<a class="headerlink" aria-label="Address of this name" href',
    '<div class="attr function">': '<div class="attr function" tabindex="0">',
    '<div class="attr class">': '<div class="attr class" tabindex="0">',
    '<div class="attr variable">': '<div class="attr variable" tabindex="0">',
    "<h5>Inherited": '<h5 aria-level="3">Inherited',
    "<pre>": '<pre tabindex="0">',
    "<h6 id": '<h6 aria-level="2" id',
}
"""Text that pdoc writes, and its replacement for screen readers and keyboards."""


def write_reference(output: Path) -> list[Path]:
    """Write a page for each of the modules, and their style, to ``api`` of a report; the paths."""
    # Names that are imported when first used are no attributes before.
    vars(nmfbench).update({name: getattr(nmfbench, name) for name in nmfbench.__all__})
    pdoc.render.configure(
        docformat="numpy",
        search=False,
        show_source=False,
        template_directory=Path(nmfbench.__file__).parent / "pages" / "templates" / "api",
    )
    modules = {name: pdoc.doc.Module(importlib.import_module(name)) for name in PUBLIC}
    # The pages' style stands in one file, not in each of them.
    written = [output / "api" / "style.css"]
    written[0].parent.mkdir(exist_ok=True)
    style = pdoc.render.env.get_template("style.css.jinja2").render()
    written[0].write_text(style, encoding="utf-8")
    for name, module in modules.items():
        path = output / "api" / f"{name.replace('.', '/')}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        with warnings.catch_warnings():  # of annotations that it cannot look up, and shows as text
            warnings.filterwarnings("ignore", module="pdoc")
            page = pdoc.render.html_module(module, modules)
        for found, better in _ACCESSIBLE.items():
            page = page.replace(found, better)
        path.write_text(page, encoding="utf-8")
        written.append(path)
    return written
