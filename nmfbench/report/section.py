"""The section of one artefact, as notebooks and the index page show it."""

from __future__ import annotations

from pathlib import Path

import jinja2
import matplotlib.pyplot as plt

from nmfbench import registry
from nmfbench.engine.store import Store
from nmfbench.report.evaluate import Evaluation, evaluate
from nmfbench.report.style import figure_style

__all__ = ["environment", "render_section", "section", "write_figure"]


def section(artefact, *, store, profile, stand_in=False, output=".", only=None):
    """Evaluate an artefact, write its picture, and show both in a notebook.

    Parameters
    ----------
    artefact : str
        Such as ``"robust-xray/fig3"``.
    store : path-like
    profile : {"smoke", "quick", "paper"}
    stand_in : bool, default=False
    output : path-like
        Folder of the report; pictures go to ``figures`` in it.
    only : list of str, optional
        Artefacts of this report; any other gives nothing.

    Returns
    -------
    IPython.display.HTML or None
    """
    from IPython.display import HTML

    if only and artefact not in only:
        return None
    target = registry.artefacts[artefact].target
    with Store(store, create=False) as opened:
        evaluation = evaluate(target, opened, profile=profile, stand_in=stand_in)
    write_figure(evaluation, output)
    return HTML(render_section(evaluation))


def picture_path(evaluation: Evaluation) -> str:
    """Where the picture of a figure lies, relative to the report."""
    return f"figures/{evaluation.artefact.paper}-{evaluation.artefact.name}.png"


def write_figure(evaluation: Evaluation, output) -> None:
    """Draw a figure into the report's folder. Tables are part of the page instead."""
    if evaluation.artefact.kind != "figure" or evaluation.table is None:
        return
    path = Path(output) / picture_path(evaluation)
    path.parent.mkdir(parents=True, exist_ok=True)
    with figure_style():
        figure = evaluation.draw()
        if evaluation.stand_ins:
            figure.suptitle(f"stand-in data: {', '.join(evaluation.stand_ins)}", color="firebrick")
        # No software version or date in the file: the same records give the same bytes.
        figure.savefig(path, metadata={"Software": None})
        plt.close(figure)


def render_section(evaluation: Evaluation) -> str:
    """HTML of one artefact: picture or table, claims, data, assumptions, provenance."""
    table = None
    if evaluation.artefact.kind == "table" and evaluation.table is not None:
        table = evaluation.draw().to_html(border=0, index=False, na_rep="", escape=True)
    return (
        environment()
        .get_template("artefact.html")
        .render(e=evaluation, picture=picture_path(evaluation), table=table)
    )


def environment() -> jinja2.Environment:
    """Templates of the report."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("nmfbench.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
