"""Templates of the pages, compiled once."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from nmfbench.core.text import counted
from nmfbench.verdicts.sentences import OUTCOMES
from nmfbench.verdicts.verdict import VERDICTS

__all__ = ["ASSETS", "SIGNS", "badge", "environment", "render_page"]

ASSETS = Path(__file__).with_name("assets")
"""Scripts and styles that the pages of a report share: our own, and files of the npm package uplot,
release 1.6.32, as they come in it, with its licence. Templates may include them."""

SIGNS = dict(zip(VERDICTS, "✓=✗?–", strict=True))
"""Sign of each verdict: no page tells it by colour alone."""

_OF_SENTENCES = dict(zip(OUTCOMES, "✓◐=✗?", strict=True)) | {"no test yet": "–"}

_OF_NUMBERS = {"agrees": "✓", "differs": "✗", "not comparable": "–"}


def badge(verdict: str) -> Markup:
    """HTML of a verdict, or of the outcome of a sentence or a number: its sign and its word.

    Examples
    --------
    >>> badge("not run")
    Markup('<span class="badge not-run">– not run</span>')
    """
    form = Markup('<span class="badge {}">{} {}</span>')
    return form.format(
        verdict.replace(" ", "-"), (SIGNS | _OF_SENTENCES | _OF_NUMBERS)[verdict], verdict
    )


@functools.cache
def environment() -> jinja2.Environment:
    """Templates of the report, the cards and the comparison."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader([ASSETS.with_name("templates"), ASSETS]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {
        "badge": badge,
        "counted": counted,
        "signs": SIGNS,
        "sentence_signs": _OF_SENTENCES,
    }
    return made


def render_page(name: str, output: Path, place: str | None = None, /, **values: Any) -> Path:
    """Write a page to a folder, from the template of a name; its path.

    Parameters
    ----------
    name : str
        Of the template.
    output : Path
    place : str, optional
        Of the page in the folder; by default the name.
    **values
        That the template shows.
    """
    path = output / (place or name)
    path.write_text(environment().get_template(name).render(values), encoding="utf-8")
    return path
