"""Templates of the pages, compiled once."""

from __future__ import annotations

import functools

import jinja2

__all__ = ["environment"]


@functools.cache
def environment() -> jinja2.Environment:
    """Templates of the report, the cards and the comparison."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("nmfbench.pages"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
