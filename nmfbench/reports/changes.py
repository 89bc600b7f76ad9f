"""Changes since a release: verdicts that moved, new claims, and claims that are gone.

A release keeps the verdicts of its day in a file, which ``nmfbench claims --release FILE`` writes;
later reports compare theirs with it, and give the reason of each change: other trials, another
test, or other rules of decision.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import nmfbench
from nmfbench.core import registry
from nmfbench.pages.environment import render_page
from nmfbench.reports.numbers import measured
from nmfbench.reports.sentences import STATES, sentence_state
from nmfbench.verdicts.verdict import VERDICTS

__all__ = [
    "REASONS",
    "RELEASED",
    "Changes",
    "Move",
    "Outcomes",
    "Release",
    "ReleaseError",
    "is_kept",
    "kept",
    "read_release",
    "write_changes",
    "write_release",
]

RELEASED = "released.json"
"""Name of the file in a report."""

_ALWAYS = (
    *("id", "artefact", "statement", "verdict", "effect", "interval", "n", "data"),
    *("profile", "done", "paper_total"),
)
# Releases before these were added have intervals at 95 %, and no early looks.
_ADDED = ("origin", "level", "unit", "threshold", "delta", "whole_repeats", "look")
_OLD_LEVEL = 0.95

REASONS = {
    "trials": "Other trials: more repeats, another profile, or other data.",
    "test": "Another test: the statement, the number that decides it, or the effect shown differs.",
    "rule": "Other rules: the same test of the same trials, with another correction for many "
    "claims, another demand on early looks, or with “no lead” as a verdict.",
}
"""Reasons why a verdict moved, the first that applies, for readers."""

_ROUNDING = 1e-6  # relative: effects that differ by less are of one test

Row = Mapping[str, Any]


class ReleaseError(ValueError):
    """A file that does not hold the verdicts of a release."""


@dataclass(frozen=True)
class Move:
    """A claim whose verdict moved: its rows in the release and now."""

    before: Row
    now: Row

    @property
    def reason(self) -> str:
        """The first of :data:`REASONS` that applies."""
        if self._differs("done", "profile", "data", "whole_repeats"):
            return "trials"
        same = not self._differs("statement", "n", "unit") and self._same_number
        return "rule" if same and _same(*(row["effect"] for row in self._rows)) else "test"

    @property
    def _rows(self):
        return self.before, self.now

    def _differs(self, *names):
        """Whether one of these fields is known of both and differs."""
        return any(
            self.before[name] != self.now[name]
            for name in names
            if name in self.before and name in self.now
        )

    @property
    def _same_number(self):
        """Whether one number decides, as far as a release keeps it."""
        return all(
            _same(*(row[name] and row[name]["value"] for row in self._rows))
            for name in ("threshold", "delta")
            if name in self.before and name in self.now
        )

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
        """Anything else that the two verdicts rest on, where it differs, as text."""
        pairs = {name: (text(self.before), text(self.now)) for name, text in _GROUNDS.items()}
        return [
            f"{name} {before} → {now}" for name, (before, now) in pairs.items() if before != now
        ]


_GROUNDS = {
    "trials": lambda row: f"{row['done']} of {row['paper_total']}",
    "profile": lambda row: row["profile"],
    "data": lambda row: row["data"],
}


def _same(before, now):
    """Whether numbers, or pairs of them, differ by no more than rounding."""
    if before is None or now is None:
        return before is now
    befores, nows = ([v] if isinstance(v, int | float) else list(v) for v in (before, now))
    return len(befores) == len(nows) and all(
        math.isclose(a, b, rel_tol=_ROUNDING, abs_tol=_ROUNDING**2)
        for a, b in zip(befores, nows, strict=True)
    )


def _effect(row):
    ends = row["interval"]
    if ends is not None:  # JSON has no infinite numbers
        low, high = ends
        ends = (-math.inf if low is None else low, math.inf if high is None else high)
    return measured(row["effect"], ends, row.get("level", _OLD_LEVEL))


@dataclass(frozen=True)
class Outcomes:
    """Numbers of claims, or of sentences, by outcome.

    Attributes
    ----------
    before : dict of str to int, or None
        In the release; None if it does not keep them.
    now : dict of str to int
    """

    before: dict[str, int] | None
    now: dict[str, int]


@dataclass(frozen=True)
class Changes:
    """Verdicts of today compared with the verdicts of a release.

    Attributes
    ----------
    release : Release
    moved : list of Move
        Claims with another verdict.
    same : int
        How many have the same.
    new, gone : list of dict
        Rows of claims that only today has, and that only the release has.
    tests, sentences : dict of str to Outcomes
        By paper.
    """

    release: Release
    moved: list[Move]
    same: int
    new: list[Row]
    gone: list[Row]
    tests: dict[str, Outcomes] = field(default_factory=dict)
    sentences: dict[str, Outcomes] = field(default_factory=dict)

    @property
    def directions(self) -> dict[tuple[str, str], int]:
        """How often a verdict moved from one word to another, the most frequent first."""
        pairs = Counter((move.before["verdict"], move.now["verdict"]) for move in self.moved)
        return dict(pairs.most_common())

    @property
    def by_reason(self) -> dict[str, list[Move]]:
        """Verdicts that moved, by the reasons that apply."""
        found = {name: [move for move in self.moved if move.reason == name] for name in REASONS}
        return {name: moves for name, moves in found.items() if moves}

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it: outcomes by paper, and each claim that changed with its reason.

        Of a claim there are its id and its verdicts: ``released.json`` and ``claims.json`` have
        its rows.
        """
        return {
            "release": {"version": self.release.version, "date": self.release.date},
            "tests": {key: asdict(found) for key, found in self.tests.items()},
            "sentences": {key: asdict(found) for key, found in self.sentences.items()},
            "same": self.same,
            "changed": [
                *(
                    {
                        "id": move.now["id"],
                        "reason": move.reason,
                        "before": move.before["verdict"],
                        "now": move.now["verdict"],
                    }
                    for move in self.moved
                ),
                *({"id": row["id"], "reason": "new"} for row in self.new),
                *(
                    {"id": row["id"], "reason": "gone", "before": row["verdict"]}
                    for row in self.gone
                ),
            ],
        }

    def __str__(self):
        parts = [
            f"{len(rows)} {one if len(rows) == 1 else several}"
            for rows, one, several in (
                (self.moved, "verdict moved", "verdicts moved"),
                (self.new, "claim is new", "claims are new"),
                (self.gone, "claim is gone", "claims are gone"),
            )
            if rows
        ]
        return f"Since {self.release.name}: {', '.join(parts) or 'no verdict moved'}"


@dataclass(frozen=True)
class Release:
    """Verdicts of a release.

    Attributes
    ----------
    version, date : str
    claims : list of dict
        A row a claim, some columns of :func:`~nmfbench.verdicts.evaluate.claim_rows`.
    sentences : list of dict
        Id and state of each testable sentence, if the release keeps them.
    """

    version: str
    date: str
    claims: list[Row]
    sentences: list[Row] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"release {self.version} ({self.date})"

    @cached_property
    def _by_id(self):
        return {row["id"]: row for row in self.claims}

    def compare(
        self, rows: Sequence[Row], artefacts: Collection[str], sentences: Sequence[Row] = ()
    ) -> Changes:
        """Compare the claims of some artefacts with the claims of the release.

        Parameters
        ----------
        rows : sequence of dict
            Of :func:`~nmfbench.verdicts.evaluate.claim_rows`.
        artefacts : collection of str
            Whose claims these are; a claim of any other is no claim that is gone, unless there is
            no such artefact any more.
        sentences : sequence of dict, optional
            Of :func:`~nmfbench.verdicts.sentences.sentence_rows`, of the same papers.
        """
        today = {row["id"] for row in rows}
        known = [(self._by_id[row["id"]], row) for row in rows if row["id"] in self._by_id]
        moved = [Move(old, row) for old, row in known if old["verdict"] != row["verdict"]]
        gone = [
            row
            for row in self.claims
            if row["id"] not in today
            and (row["artefact"] in artefacts or row["artefact"] not in registry.artefacts)
        ]
        compared = [old for old, _ in known] + gone
        papers = list(dict.fromkeys(_paper(row) for row in [*rows, *gone]))
        stated = _states(sentences)
        return Changes(
            self,
            moved,
            same=len(known) - len(moved),
            new=[row for row in rows if row["id"] not in self._by_id],
            gone=gone,
            tests={
                key: Outcomes(
                    *(_counts(side, key, "verdict", VERDICTS) for side in (compared, rows))
                )
                for key in papers
            },
            sentences={
                key: Outcomes(
                    _counts(self.sentences, key, "state", STATES) if self.sentences else None,
                    _counts(stated, key, "state", STATES),
                )
                for key in papers
                if any(_paper(row) == key for row in stated)
            },
        )


def _paper(row):
    return row["id"].partition("/")[0]


def _states(sentences):
    """Id and state of each testable sentence."""
    return [
        {"id": row["id"], "state": state} for row in sentences if (state := sentence_state(row))
    ]


def _counts(rows, paper, column, words):
    """How often each outcome is met among the rows of a paper."""
    found = Counter(row[column] for row in rows if _paper(row) == paper)
    return {word: found[word] for word in words}


def kept(row: Row) -> dict[str, Any]:
    """Columns of a claim's row that are kept to be compared with another."""
    return {name: row[name] for name in (*_ALWAYS, *_ADDED) if name in _ALWAYS or name in row}


def is_kept(row: Row) -> bool:
    """Whether a row has the columns that are kept, of today or of an earlier release."""
    return set(_ALWAYS) <= set(row) <= {*_ALWAYS, *_ADDED}


def write_release(rows: Iterable[Row], path, sentences: Iterable[Row] = ()) -> None:
    """Keep verdicts, and outcomes of sentences, under this release, one per line.

    Parameters
    ----------
    rows : iterable of dict
        Of :func:`~nmfbench.verdicts.evaluate.claim_rows`.
    path : path-like
    sentences : iterable of dict, optional
        Of :func:`~nmfbench.verdicts.sentences.sentence_rows`.
    """
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    claims, states = (
        ",\n".join(json.dumps(row, ensure_ascii=False) for row in part)
        for part in (map(kept, rows), _states(sentences))
    )
    head = f'{{"version": "{nmfbench.__version__}", "date": "{date}", "claims": [\n'
    text = f'{head}{claims}\n], "sentences": [\n{states}\n]}}\n'
    Path(path).write_text(text, encoding="utf-8")


def read_release(path) -> Release:
    """The verdicts that :func:`write_release` kept.

    Raises
    ------
    ReleaseError
        If the file holds something else.
    """
    try:
        release = Release(**json.loads(Path(path).read_text(encoding="utf-8")))
        whole = all(map(is_kept, release.claims))
        whole &= all({"id", "state"} == set(row) for row in release.sentences)
    except (ValueError, TypeError):
        whole = False
    if not whole:
        raise ReleaseError(
            f"{path} does not hold the verdicts of a release; "
            "'nmfbench claims --release FILE' writes such a file."
        )
    return release


def _tight(value) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def write_changes(changes: Changes, output: Path) -> list[Path]:
    """Write ``changes.html`` and ``changes.json``; their paths."""
    page = render_page("changes.html", output, changes=changes, reasons=REASONS)
    data = output / "changes.json"
    parts = changes.to_dict()
    changed = ",\n".join(map(_tight, parts.pop("changed")))
    data.write_text(f'{_tight(parts)[:-1]},"changed":[\n{changed}\n]}}\n', encoding="utf-8")
    return [page, data]
