"""Verdicts that hang on rounding: one grid, computed under two numerical targets, judged twice.

``nmfbench claims --other STORE`` compares the verdicts of two stores, and keeps what differs
in a file beside the records, which goes into the record book and from there into reports. A grid
may be judged in parts: earlier artefacts of the same profile and targets stay in the file until one
of them is judged again. Timed artefacts are left out: their seconds differ from one run to the next
under any target.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from nmfbench.artefacts.artefact import Artefact
from nmfbench.core.files import atomic_write
from nmfbench.pages.environment import render_page
from nmfbench.records.beside import beside_error, read_beside
from nmfbench.records.provenance import machine
from nmfbench.records.store import Store
from nmfbench.reports.changes import Move, is_kept, kept
from nmfbench.trials.target import is_reference
from nmfbench.verdicts.evaluate import claim_rows, evaluate
from nmfbench.verdicts.verdict import DECIDED

__all__ = [
    "FILE_NAME",
    "TwoTargets",
    "judge_twice",
    "merge_two_targets",
    "read_two_targets",
    "write_page",
]

FILE_NAME = "two-targets.json"
_COMMAND = "claims --other"


@dataclass(frozen=True)
class TwoTargets:
    """Verdicts of one grid under two targets.

    Attributes
    ----------
    profile : str
    targets : list of str
        Names of both.
    date : str
    artefacts : list of str
        Artefacts that were judged.
    total : int
        Claims that were decided under one of the two, at least.
    rows : list of list of dict
        Of each claim whose verdict differs, its rows under both.
    machine : str
        Where they were judged; a copy does not say.
    """

    profile: str
    targets: list[str]
    date: str
    artefacts: list[str]
    total: int
    rows: list[list[dict[str, Any]]]
    machine: str = ""

    @property
    def moved(self) -> list[Move]:
        return [Move(*pair) for pair in self.rows]

    @cached_property
    def _by_id(self):
        return {move.now["id"]: move for move in self.moved}

    def of(self, claim: str) -> Move | None:
        """How the verdict on a claim differs, if it does."""
        return self._by_id.get(claim)

    def joined(self, before: TwoTargets | None) -> TwoTargets:
        """These verdicts and the earlier ones, if of the same grid and other artefacts."""
        if (
            before is None
            or (before.profile, before.targets) != (self.profile, self.targets)
            or not set(before.artefacts).isdisjoint(self.artefacts)
        ):
            return self
        return replace(
            self,
            artefacts=sorted([*before.artefacts, *self.artefacts]),
            total=before.total + self.total,
            rows=sorted([*before.rows, *self.rows], key=lambda pair: pair[0]["id"]),
        )

    def __str__(self):
        n = len(self.rows)
        return (
            f"{n or 'none'} of {self.total} decided verdicts {'hangs' if n == 1 else 'hang'} on "
            "rounding"
        )


def judge_twice(
    artefacts: Iterable[Artefact], store: Store, other: Store, *, profile: str, stand_in: bool
) -> TwoTargets:
    """Judge artefacts that are not timed on the records of two stores.

    Artefacts count of which both stores have the whole grid of the profile.
    """
    names, rows, total = [], [], 0
    targets: tuple[Counter, Counter] = (Counter(), Counter())
    for artefact in artefacts:
        plan = artefact.plan(profile, stand_in=stand_in)
        keys = [trial.key for trial in plan]
        if any(trial.timed for trial in plan) or not all(
            list(s.status(keys).values()) == ["done"] * len(set(keys)) for s in (store, other)
        ):
            continue
        names.append(artefact.id)
        both = []
        for side, found in zip((store, other), targets, strict=True):
            found.update(name_of_target(r["versions"]) for r in side.provenance(keys).values())
            evaluation = evaluate(artefact, side, profile=profile, stand_in=stand_in)
            both.append([kept(row) for row in claim_rows(evaluation)])
        for pair in zip(*both, strict=True):
            verdicts = [row["verdict"] for row in pair]
            total += any(verdict in DECIDED for verdict in verdicts)
            if verdicts[0] != verdicts[1]:
                rows.append(list(pair))
    names_of = [", ".join(name for name, _ in found.most_common()) for found in targets]
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    return TwoTargets(profile, names_of, date, names, total, rows, machine())


def name_of_target(versions) -> str:
    """Name of a record's target for readers."""
    if is_reference(versions):
        return "reference"
    if "blas" not in versions:
        return "unknown"
    kernels = sorted({library.split()[-2] for library in versions["blas"].split(", ")})
    return f"OpenBLAS {' and '.join(kernels)}, numba {versions['numba-target'].split()[0]}"


def write_two_targets(found: TwoTargets, folder) -> None:
    """Keep it in the folder of a store or a record book."""
    with atomic_write(Path(folder) / FILE_NAME) as part:
        part.write_text(json.dumps(asdict(found), indent=1) + "\n", encoding="utf-8")


def read_two_targets(folder) -> TwoTargets | None:
    """Read the file of a store or a record book; None if there is none.

    Raises
    ------
    ExchangeError
        If the file holds something else.
    """
    path = Path(folder) / FILE_NAME
    if (fields := read_beside(path, _COMMAND)) is None:
        return None
    try:
        found = TwoTargets(**fields)
        whole = all(is_kept(row) for pair in found.rows for row in pair)
        whole &= all(len(pair) == 2 for pair in found.rows) and len(found.targets) == 2
    except (ValueError, TypeError, KeyError):
        whole = False
    if not whole:
        raise beside_error(path, _COMMAND)
    return found


def merge_two_targets(source, target, *, own: bool = False) -> None:
    """Copy the file from one folder to another, where that has none, or an older one.

    A copy does not name the machine; with ``own``, only a file that does is copied, which was made
    where the source is.
    """
    offered, held = read_two_targets(source), read_two_targets(target)
    if offered is None or (own and not offered.machine):
        return
    if held is None or offered.date > held.date:
        write_two_targets(replace(offered, machine=""), target)


def write_page(found: TwoTargets, artefacts: Sequence[str], output: Path) -> Path:
    """Write ``rounding.html``; its path.

    Parameters
    ----------
    found : TwoTargets
    artefacts : sequence of str
        Ids of the artefacts in the report; others are not linked.
    output : Path
    """
    shown = [move for move in found.moved if move.now["artefact"] in artefacts]
    return render_page("rounding.html", output, found=found, moved=shown)
