"""Audits: do the records still come out of this code?

A declared version is a promise that the numbers have not changed since. An audit computes a sample
of the records again and compares. Under the numerical target of a record
(:mod:`nmfbench.trials.target`) it has the same bits. Under another, and where that is not known, a
number may have changed by as much as rounding changes it (:mod:`nmfbench.audits.rounding`), which
is measured here, whatever the files of others say of it.

The sample is random, so that nobody who makes records can foresee it. An audit vouches for the
records that it drew the sample from, as they were then, and for none that come later. It cannot
vouch for times, nor for arrays, which are not compared.
"""

from __future__ import annotations

import functools
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from nmfbench.audits.sample import LARGE, availability, cost_of, draw_of, each, in_turns
from nmfbench.audits.sensitivity import agreement
from nmfbench.core import registry
from nmfbench.engine.runner import Limits, compute
from nmfbench.records.agreement import drift, same_target
from nmfbench.records.exchange import current_trial
from nmfbench.records.provenance import host
from nmfbench.records.record import digest, to_row
from nmfbench.records.results import reason
from nmfbench.records.store import Store
from nmfbench.records.vouchers import Vouchers, group_of, place_of
from nmfbench.trials.target import target_of
from nmfbench.trials.trial import Trial

__all__ = ["Audit", "Group", "audit", "moved"]


@dataclass(frozen=True)
class Audit:
    """One record computed again.

    Attributes
    ----------
    record : dict
    trial : Trial
    outcome : {"same bits", "same digits", "rounding", "different"}
    differences : list of str
        What is not the same to the bit, with both values.
    again : dict, optional
        The record of the second computation.
    """

    record: Mapping
    trial: Trial
    outcome: str
    differences: list[str]
    again: Mapping | None = None

    @property
    def at_one_target(self) -> bool:
        """Whether both were computed under one numerical target and releases."""
        return self.again is None or same_target(self.record, self.again)


@dataclass
class Group:
    """The audits of one task, solver and dataset.

    Attributes
    ----------
    records, changed : int
        Number of finished records, and how many were computed by other source than today's.
    audits : list of Audit
    draw : str
        Text that decided the sample.
    drawn_from : int
        Records that it was drawn from.
    """

    task: str
    solver: str
    dataset: str
    draw: str = ""
    records: int = 0
    changed: int = 0
    drawn_from: int = 0
    audits: list[Audit] = field(default_factory=list)

    def count(self, outcome: str) -> int:
        return sum(audit.outcome == outcome for audit in self.audits)

    def drift(self) -> list[str]:
        """Metrics that have changed in the mean where rounding decides single trials."""
        return drift(
            (a.record, a.again)
            for a in self.audits
            if a.outcome == "rounding" and a.again is not None
        )


def audit(
    store: Store,
    keys: Iterable[str] | None = None,
    *,
    sample: int = 1,
    changed: bool = False,
    budget: float | None = None,
    jobs: int = 1,
    limits: Limits | None = None,
    draw: str | None = None,
    places: Mapping[str, str] | None = None,
    target: str | None = None,
    progress: Callable[[Audit], None] = lambda found: None,
) -> list[Group]:
    """Compute a sample of the records of a store again, compare, and keep the outcomes there.

    Only finished records count whose key is still today's and whose data are available.

    Parameters
    ----------
    store : Store
    keys : iterable of str, optional
        Of the records to choose from; by default all.
    sample : int, default=1
        Records of each group (task, solver, dataset).
    changed : bool, default=False
        Only of records that were computed by other source than today's, unless an audit under
        today's vouches for them.
    budget : float, optional
        Seconds after which no computation is begun. Groups take turns in a random order. Without
        ``changed`` a record that takes more than a tenth of it is left out.
    jobs : int, default=1
        Records computed at a time.
    limits : Limits, optional
    draw : str, optional
        Text that decides the sample, which repeats an earlier one. By default it is random. An
        audit whose sample was decided by a given text vouches for nothing.
    places : mapping of str to str, optional
        Of classes of which only records are here, by their names in these
        (:mod:`nmfbench.records.saved`), where their code is, to be run. Records of others are left
        out.
    target : str, optional
        Numerical target of untimed trials, see :mod:`nmfbench.trials.target`.
    progress : callable
        Called with each audit as it ends.

    Returns
    -------
    list of Group
        All groups, also where nothing was computed.
    """
    places = places or {}
    groups: dict[tuple, Group] = {}
    chosen: dict[tuple, list] = {}
    drawn_from: dict[tuple, list] = {}
    text = draw or secrets.token_hex(8)
    vouchers, available = Vouchers(store), availability(places)
    for record in store.records(keys):
        trial = current_trial(record) if record["status"] == "done" else None
        if trial is None or not available(trial):
            continue
        group = groups.setdefault(group_of(record), Group(*group_of(record), text))
        other = record["code"] != trial.code
        group.records += 1
        group.changed += other
        affordable = budget is None or cost_of(record) <= LARGE * budget
        if (
            other and not vouchers.has(trial, record["code"], _seal(record))
            if changed
            else affordable
        ):
            chosen.setdefault(group_of(record), []).append((draw_of(record, text), record, trial))
            drawn_from.setdefault(place_of(trial, record["code"]), []).append(record)
            group.drawn_from += 1

    @functools.cache
    def seals(place):  # of many records, and an audit reaches few places
        return {record["key"]: _seal(record) for record in drawn_from[place]}

    lock = threading.Lock()
    audited: Counter[tuple[str, ...]] = Counter()
    limits = limits or Limits()

    def work(record, trial, workers):
        placed = replace(trial, solver=places.get(trial.solver, trial.solver))
        worker = workers.of(target_of(timed=trial.timed, untimed=target))
        found = replace(_audit(record, placed, worker, limits), trial=trial)
        with lock:
            store.put_audits([_row(found)])
            if draw is None:
                place = place_of(trial, record["code"])
                audited[place] += 1
                store.put_draws([_draw_row(text, place, audited[place], seals(place))])
            groups[group_of(record)].audits.append(found)
            progress(found)

    each(in_turns(chosen, sample), work, budget, jobs, limits)
    return [groups[name] for name in sorted(groups)]


def _seal(record) -> str:
    return digest(to_row(record))


def _audit(record, trial, worker, limits) -> Audit:
    again, _ = compute(trial, worker, limits.seconds)
    if again["status"] != "done":
        why = [f"it failed: {reason(again['error'])}"]
        return Audit(record, trial, "different", why, again)
    found = agreement(record, again, trial, worker, limits.seconds)
    return Audit(record, trial, found.outcome, found.details, again)


def _row(found: Audit) -> dict:
    """Row of an audit in the store."""
    return {
        "key": found.record["key"],
        "task": found.record["task"],
        "solver": found.record["solver"],
        "dataset": found.record["dataset"],
        "record_code": found.record["code"],
        "code": found.trial.code,
        "outcome": found.outcome,
        "compared": "all",
        "host": host(),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _draw_row(text, place, audited, records) -> dict:
    """Row, in the store, of the records that a sample was drawn from."""
    return {
        **{"draw": text, "audited": audited, "records": records, "host": host()},
        **dict(zip(("task", "solver", "dataset", "record_code", "code"), place, strict=True)),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }


# -- what to raise ----------------------------------------------------------------------------

KINDS = ("task", "corruption", "stand-in", "dataset", "solver")
"""Kinds of entries that have a version, in the order of preference where two explain the same."""


def moved(store: Store, groups: Sequence[Group]) -> list[tuple[str, str]]:
    """The entries whose numbers changed: the fewest that explain all differences.

    An entry explains a difference if nothing of it came out the same: no audit, and no record that
    today's source computed. Differences between two numerical targets ask for none.

    Returns
    -------
    list of (str, str)
        Kind and key, such as ``("solver", "hals")``.
    """
    same: set[tuple[str, str]] = set()
    different: dict[tuple[str, str], set[str]] = {}
    for group in groups:
        for one in group.audits:
            names = _entries(one.trial)
            if one.outcome == "different" and not one.at_one_target:
                continue
            if one.outcome == "different":
                for name in names:
                    different.setdefault(name, set()).add(one.record["key"])
            else:
                same |= names
    if not different:
        return []
    audited = {one.record["key"] for group in groups for one in group.audits}
    for record in store.records():
        if record["status"] != "done" or record["key"] in audited:
            continue
        trial = current_trial(record)
        if trial is not None and record["code"] == trial.code:
            same |= _entries(trial)
    explained: set[str] = set()
    everything: set[str] = set().union(*different.values())
    found: list[tuple[str, str]] = []
    while explained < everything:
        rest = {n: keys - explained for n, keys in different.items() if n not in same}
        best = max(rest, key=lambda n: (len(rest[n]), -KINDS.index(n[0]), n[1]), default=None)
        if best is None or not rest[best]:  # something of every entry came out the same
            rest = {n: k - explained for n, k in different.items() if n[0] == "solver"}
            best = max(rest, key=lambda n: (len(rest[n]), n[1]))
        explained |= different[best]
        found.append(best)
    return sorted(found)


def _entries(trial) -> set[tuple[str, str]]:
    """Entries behind a trial, and behind the fit that it starts from, if any."""
    own = not trial.stand_in or registry.datasets[trial.dataset].info.get("stand_in") is None
    data = ("dataset" if own else "stand-in", trial.dataset)
    found = {("task", trial.task), data, ("solver", trial.solver)}
    if trial.corruption is not None:
        found.add(("corruption", trial.corruption))
    return found if trial.base is None else found | _entries(trial.base)
