"""The papers' own numbers, from ``reported.toml``: never typed anywhere else."""

from __future__ import annotations

import functools
import tomllib
from importlib.resources import files
from typing import Any, NamedTuple


class Reported(NamedTuple):
    """A number that a paper prints.

    Attributes
    ----------
    value : float or list of float
        As a fraction where the paper prints per cent.
    text : str
        As the report shows it.
    source : str
        Where in the paper.
    """

    value: Any  # whoever reads one knows which
    text: str
    source: str


def reported(artefact: str, name: str) -> Reported:
    """A number that the paper prints for an artefact.

    Examples
    --------
    >>> reported("robust-xray/fig5", "robust-xray-at-10").value
    0.7
    """
    return Reported(**_table()[artefact][name])


@functools.cache
def _table():
    return tomllib.loads(files("nmfbench.papers").joinpath("reported.toml").read_text("utf-8"))
