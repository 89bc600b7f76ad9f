"""Course of the verdicts: how many tests were decided after how many CPU hours.

Records say when they were finished and what they took, so that the course can be read off them,
whoever computed them, and in whatever order. It is kept beside them, as every look has to be judged
again to find it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from nmfbench.artefacts.artefact import Artefact
from nmfbench.engine.budget import cpu_of
from nmfbench.records.beside import KeptTable
from nmfbench.records.store import Store
from nmfbench.verdicts.evaluate import find
from nmfbench.verdicts.known import Known
from nmfbench.verdicts.scheduler import looks_of
from nmfbench.verdicts.verdict import DECIDED, decide

__all__ = ["KEPT", "course"]

KEPT = KeptTable(
    "course.json",
    "looks",
    {
        "finished": str,
        "hours": float,
        "artefact": str,
        "repeats": int,
        "decided": int,
        "all_decided": int,
    },
    amount=lambda table: max(table["hours"], default=0.0),
)
"""The course in a folder; a copy replaces none of more hours."""


def course(artefacts: Iterable[Artefact], store: Store) -> pd.DataFrame:
    """Looks that artefacts came to, in the order of time.

    A look is come to when the last record of its repeats is finished, of which those for further
    readings may be missing, as in the choice of a grid. A record that was computed
    again counts once, when it was finished last.

    Parameters
    ----------
    artefacts : iterable of Artefact
        Those without a plan are left out.
    store : Store

    Returns
    -------
    DataFrame
        Columns ``finished`` (UTC, as records have it), ``hours`` (CPU hours of all records of the
        artefacts until then), ``artefact``, ``repeats``, ``decided`` (tests of this artefact after
        the look), ``all_decided`` (tests of all artefacts).
    """
    known = Known(store)
    looks: list[tuple[Any, ...]] = []
    costs: dict[str, tuple[str, float | None]] = {}
    for artefact in artefacts:
        if artefact.planned is not None:
            trials = {trial.key: trial for trial in artefact.planned_trials}
            bases = {t.base.key: t.base for t in trials.values() if t.base is not None}
            records = {record["key"]: record for record in store.records({**bases, **trials})}
            costs |= {
                key: (record["finished"], cpu_of(record, whole=(trials | bases)[key].base is None))
                for key, record in records.items()
            }
            looks += _looks(artefact, store, known, trials, records)
    known.keep()
    spent = pd.DataFrame(costs.values(), columns=["finished", "cost"], dtype=object)
    spent = spent.sort_values("finished", ignore_index=True)
    until = np.concatenate([[0.0], spent["cost"].astype(float).fillna(0.0).cumsum()])
    table = pd.DataFrame(looks, columns=["finished", "artefact", "repeats", "decided"])
    table = table.sort_values(["finished", "artefact", "repeats"], ignore_index=True)
    before = table.groupby("artefact")["decided"].shift(fill_value=0)
    computed = spent["finished"].searchsorted(table["finished"], side="right")
    table.insert(1, "hours", until[computed] / 3600)
    return table.assign(all_decided=(table["decided"] - before).cumsum())


def _looks(artefact, store, known, trials, records):
    unit = artefact.planned.unit
    for look in looks_of(artefact.planned, final=True):
        chosen = [t for t in trials.values() if getattr(t, unit) < look.repeats]
        if not all(trial.key in records for trial in chosen):
            chosen = [trial for trial in chosen if not artefact.further(trial)]
        if not all(trial.key in records for trial in chosen):
            return
        keys = [trial.key for trial in chosen]
        judged = partial(_decided, artefact, store, chosen, look)
        decided = known.of(artefact, {"decided": asdict(look)}, keys, judged)
        if decided is None:
            return
        finished = max(records[trial.key]["finished"] for trial in chosen)
        yield finished, artefact.id, look.repeats, decided


def _decided(artefact, store, trials, look):
    """Number of tests that a look decided; None if arrays that they read stayed behind."""
    findings = find(artefact, store, trials)
    if findings is None:
        return None
    settled = decide(findings, artefact.smallest_difference, look)
    return sum(verdict.verdict in DECIDED for verdict in settled)
