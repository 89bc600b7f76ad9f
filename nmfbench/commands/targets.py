"""Targets of a command: names of artefacts and papers -> artefacts that can be run."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from nmfbench.artefacts.artefact import Artefact
from nmfbench.core import registry
from nmfbench.datasets.base import DataMissingError, dataset_info

__all__ = ["Target", "TargetError", "missing_data", "runnable", "select"]


class TargetError(ValueError):
    """A name that is no artefact and no paper; the message lists the nearest ones."""


@dataclass(frozen=True)
class Target:
    """An artefact, and whether it was requested by its own name."""

    artefact: Artefact
    named: bool


def select(names: Sequence[str]) -> list[Target]:
    """The artefacts of ``names``, each once, sorted.

    Parameters
    ----------
    names : sequence of str
        Artefacts (``"robust-xray/fig3"``), papers (``"robust-xray"``) or ``"all"``; empty is all.

    Raises
    ------
    TargetError
        If a name is neither; the message has the nearest ones.
    """
    artefacts = [entry.target for entry in registry.artefacts.entries()]
    papers = {artefact.paper for artefact in artefacts}
    for name in names:
        if not isinstance(name, str):
            raise TargetError(f"{name!r} is no name; give names one by one, as in run('a', 'b').")
        if name != "all" and name not in papers and name not in registry.artefacts:
            raise TargetError(_unknown(name, artefacts, papers))
    wide = not names or "all" in names
    return [
        Target(artefact, artefact.id in names)
        for artefact in artefacts
        if wide or artefact.id in names or artefact.paper in names
    ]


def _unknown(name, artefacts, papers):
    by_word = {"all": ["all"]} | {paper: [paper] for paper in sorted(papers)}
    for artefact in artefacts:
        by_word.setdefault(artefact.id, []).append(artefact.id)
        by_word.setdefault(artefact.name, []).append(artefact.id)  # 'fig3' without its paper
    words = difflib.get_close_matches(name, by_word, n=3, cutoff=0.5)
    if name in by_word:
        words = [name]
    close = list(dict.fromkeys(full for word in words for full in by_word[word]))
    hint = (
        f"did you mean {' or '.join(map(repr, close))}?"
        if close
        else f"there are 'all', {', '.join(map(repr, sorted(papers)))} and their artefacts"
    )
    return f"no artefact or paper is called {name!r}; {hint} (see nmfbench list artefacts)"


def missing_data(artefact: Artefact, profile: str, *, stand_in: bool) -> list[str]:
    """Datasets of a profile that cannot be had, not even as a stand-in where that will do."""
    absent = artefact.missing_data(profile)
    if stand_in:
        absent = [name for name in absent if not dataset_info(name)["has_stand_in"]]
    return absent


def runnable(
    targets: Sequence[Target], profile: str, *, stand_in: bool
) -> tuple[list[Artefact], dict[str, list[str]]]:
    """Artefacts whose data are here, and left-out artefacts with the data they lack.

    Raises
    ------
    DataMissingError
        If an artefact that was requested by its own name lacks data.
    """
    kept, left_out = [], {}
    for target in targets:
        absent = missing_data(target.artefact, profile, stand_in=stand_in)
        if absent and target.named:
            raise DataMissingError(
                f"{target.artefact.id} cannot run: {how_to_get(absent)}"
                + ("" if stand_in else ", or give --stand-in for labelled synthetic stand-ins")
            )
        if absent:
            left_out[target.artefact.id] = absent
        else:
            kept.append(target.artefact)
    return kept, left_out


def how_to_get(names: Sequence[str]) -> str:
    """In words: which data are missing, and the commands that get them."""
    public = [name for name in names if dataset_info(name)["public_home"]]
    files = [dataset_info(name)["file"] for name in names]
    ways = [f"get them with 'nmfbench data fetch {' '.join(public)}'"] if public else []
    ways.append(
        f"put {' and '.join(files)} into a folder and name it in NMFBENCH_DATA"
        if len(public) < len(names)
        else "put the prepared files into a folder and name it in NMFBENCH_DATA"
    )
    return f"the data {', '.join(names)} are not on this machine; {', or '.join(ways)}"
