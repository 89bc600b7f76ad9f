"""Changes since a release: verdicts that moved, new claims, and claims that are gone.

A release keeps the verdicts of its day in a file, which ``nmfbench claims --release FILE`` writes;
later reports compare theirs with it.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import nmfbench
from nmfbench.core import registry
from nmfbench.pages.environment import environment
from nmfbench.report.numbers import measured

__all__ = [
    "RELEASED",
    "Changes",
    "Move",
    "Release",
    "ReleaseError",
    "read_release",
    "write_changes",
    "write_release",
]

RELEASED = "released.json"
"""Name of the file in a report."""

_KEPT = ("id", "artefact", "statement", "verdict", "effect", "interval", "n", "data")
_KEPT += ("profile", "done", "paper_total")

Row = Mapping[str, Any]


class ReleaseError(ValueError):
    """A file that does not hold the verdicts of a release."""


@dataclass(frozen=True)
class Move:
    """A claim whose verdict moved: its rows in the release and now."""

    before: Row
    now: Row

    @property
    def page(self) -> str:
        """Page of the report with its evidence."""
        return f"{self.now['artefact'].partition('/')[0]}.html"

    @property
    def effects(self) -> list[str]:
        """Effect with its interval, before and now."""
        return [_effect(row) or "none" for row in (self.before, self.now)]

    @property
    def grounds(self) -> list[str]:
        """Anything else that the two verdicts rest on, where it differs, in words."""
        said = []
        for words, told in _GROUNDS.items():
            before, now = told(self.before), told(self.now)
            if before != now:
                said.append(f"{words} {before} → {now}")
        return said


_GROUNDS = {
    "trials": lambda row: f"{row['done']} of {row['paper_total']}",
    "profile": lambda row: row["profile"],
    "data": lambda row: row["data"],
}


def _effect(row):
    ends = row["interval"]
    if ends is not None:  # JSON has no infinite numbers
        low, high = ends
        ends = (-math.inf if low is None else low, math.inf if high is None else high)
    return measured(row["effect"], ends)


@dataclass(frozen=True)
class Changes:
    """Verdicts of today compared with those of a release.

    Attributes
    ----------
    release : Release
    moved : list of Move
        Claims with another verdict.
    same : int
        How many have the same.
    new, gone : list of dict
        Rows of claims that only today has, and that only the release has.
    """

    release: Release
    moved: list[Move]
    same: int
    new: list[Row]
    gone: list[Row]

    @property
    def directions(self) -> dict[tuple[str, str], int]:
        """How often a verdict moved from one word to another, the most frequent first."""
        pairs = Counter((move.before["verdict"], move.now["verdict"]) for move in self.moved)
        return dict(pairs.most_common())

    def __str__(self):
        said = [
            f"{len(rows)} {one if len(rows) == 1 else several}"
            for rows, one, several in (
                (self.moved, "verdict moved", "verdicts moved"),
                (self.new, "claim is new", "claims are new"),
                (self.gone, "claim is gone", "claims are gone"),
            )
            if rows
        ]
        return f"Since {self.release.name}: {', '.join(said) or 'no verdict moved'}"


@dataclass(frozen=True)
class Release:
    """Verdicts of a release.

    Attributes
    ----------
    version, date : str
    claims : list of dict
        A row a claim, some columns of :func:`~nmfbench.artefacts.evaluate.claim_rows`.
    """

    version: str
    date: str
    claims: list[Row]

    @property
    def name(self) -> str:
        return f"release {self.version} ({self.date})"

    @cached_property
    def _by_id(self):
        return {row["id"]: row for row in self.claims}

    def compare(self, rows: Sequence[Row], artefacts: Collection[str]) -> Changes:
        """Compare the claims of some artefacts with those of the release.

        Parameters
        ----------
        rows : sequence of dict
            Of :func:`~nmfbench.artefacts.evaluate.claim_rows`.
        artefacts : collection of str
            Whose claims these are; a claim of any other is no claim that is gone, unless there is
            no such artefact any more.
        """
        today = {row["id"] for row in rows}
        known = [(self._by_id[row["id"]], row) for row in rows if row["id"] in self._by_id]
        moved = [Move(old, row) for old, row in known if old["verdict"] != row["verdict"]]
        return Changes(
            self,
            moved,
            same=len(known) - len(moved),
            new=[row for row in rows if row["id"] not in self._by_id],
            gone=[
                row
                for row in self.claims
                if row["id"] not in today
                and (row["artefact"] in artefacts or row["artefact"] not in registry.artefacts)
            ],
        )


def write_release(rows: Iterable[Row], path) -> None:
    """Keep verdicts as those of the release at hand, a line a claim.

    Parameters
    ----------
    rows : iterable of dict
        Of :func:`~nmfbench.artefacts.evaluate.claim_rows`.
    path : path-like
    """
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    lines = [json.dumps({name: row[name] for name in _KEPT}, ensure_ascii=False) for row in rows]
    head = f'{{"version": "{nmfbench.__version__}", "date": "{date}", "claims": [\n'
    Path(path).write_text(head + ",\n".join(lines) + "\n]}\n", encoding="utf-8")


def read_release(path) -> Release:
    """The verdicts that :func:`write_release` kept.

    Raises
    ------
    ReleaseError
        If the file holds something else.
    """
    try:
        release = Release(**json.loads(Path(path).read_text(encoding="utf-8")))
        whole = all(set(_KEPT) <= set(row) for row in release.claims)
    except (ValueError, TypeError):
        whole = False
    if not whole:
        raise ReleaseError(
            f"{path} does not hold the verdicts of a release; "
            "'nmfbench claims --release FILE' writes such a file."
        )
    return release


def write_changes(changes: Changes, output: Path) -> Path:
    """Write ``changes.html``; its path."""
    path = output / "changes.html"
    text = environment().get_template("changes.html").render(changes=changes)
    path.write_text(text, encoding="utf-8")
    return path
