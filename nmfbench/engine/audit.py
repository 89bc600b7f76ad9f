"""Audits: do the records still come out of this code?

A declared version is a promise that the numbers have not changed since. An audit computes a sample
of the records again and compares. Under the numerical target of a record
(:mod:`nmfbench.engine.target`) it has the same bits. Under another, and where that is not known, a
number may have changed by as much as rounding changes it (:mod:`nmfbench.engine.rounding`), which
is measured here, whatever the files of others say of it.

The sample is random, so that nobody who makes records can foresee it. An audit vouches for the
records that it drew the sample from, as they were then, and for none that come later. It cannot
vouch for times, nor for arrays, which are not compared.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from nmfbench.core import registry
from nmfbench.datasets.base import dataset_available
from nmfbench.engine import rounding
from nmfbench.engine.agreement import drift, same_target
from nmfbench.engine.exchange import current_trial
from nmfbench.engine.guard import default_memory_limit
from nmfbench.engine.provenance import computed_here, host
from nmfbench.engine.record import digest, to_row
from nmfbench.engine.results import reason
from nmfbench.engine.runner import Limits, compute
from nmfbench.engine.saved import is_saved
from nmfbench.engine.store import Store
from nmfbench.engine.target import is_known, is_reference, target_of
from nmfbench.engine.trials import Trial
from nmfbench.engine.worker import Worker

__all__ = [
    "Audit",
    "Group",
    "audit",
    "audited",
    "cost_of",
    "group_of",
    "moved",
    "sensitivity",
    "standing",
    "vouched_for",
]

_LARGE = 0.1  # share of the budget; in a sample a record that costs more is left out


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
        Finished records, and those that were computed by other source than today's.
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
        return drift((a.record, a.again) for a in self.audits if a.outcome == "rounding")


def group_of(record: Mapping) -> tuple[str, str, str]:
    """Task, solver and dataset of a record."""
    return record["task"], record["solver"], record["dataset"]


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

    Only finished records count whose key is still today's and whose data are at hand.

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
        (:mod:`nmfbench.engine.saved`), where their code is, to be run. Records of others are left
        out.
    target : str, optional
        Numerical target of untimed trials, see :mod:`nmfbench.engine.target`.
    progress : callable
        Told of each audit as it ends.

    Returns
    -------
    list of Group
        All groups, also those of which nothing was computed.
    """
    places = places or {}
    groups: dict[tuple, Group] = {}
    chosen: dict[tuple, list] = {}
    drawn_from: dict[tuple, dict[str, str]] = {}
    text = draw or secrets.token_hex(8)
    vouchers = _Vouchers(store)
    for record in store.records(keys):
        trial = current_trial(record) if record["status"] == "done" else None
        if trial is None or not _at_hand(trial, places):
            continue
        group = groups.setdefault(group_of(record), Group(*group_of(record), text))
        other, seal = record["code"] != trial.code, digest(to_row(record))
        group.records += 1
        group.changed += other
        affordable = budget is None or cost_of(record) <= _LARGE * budget
        if other and not vouchers.has(trial, record["code"], seal) if changed else affordable:
            chosen.setdefault(group_of(record), []).append((_draw(record, text), record, trial))
            drawn_from.setdefault(_place(trial, record["code"]), {})[record["key"]] = seal
            group.drawn_from += 1
    lock, audited = threading.Lock(), Counter()
    limits = limits or Limits()

    def work(record, trial, workers):
        placed = replace(trial, solver=places.get(trial.solver, trial.solver))
        worker = workers.of(target_of(timed=trial.timed, untimed=target))
        found = replace(_audit(record, placed, worker, limits), trial=trial)
        with lock:
            store.put_audits([_row(found)])
            if draw is None:
                place = _place(trial, record["code"])
                audited[place] += 1
                store.put_draws([_draw_row(text, place, audited[place], drawn_from[place])])
            groups[group_of(record)].audits.append(found)
            progress(found)

    _each(_in_turns(chosen, sample), work, budget, jobs, limits)
    return [groups[name] for name in sorted(groups)]


def sensitivity(
    store: Store,
    keys: Iterable[str] | None = None,
    *,
    sample: int = 1,
    budget: float | None = None,
    jobs: int = 1,
    limits: Limits | None = None,
    draw: str | None = None,
    target: str | None = None,
    progress: Callable[[Mapping, Mapping[str, float]], None] = lambda record, spread: None,
) -> int:
    """Measure what rounding does to a sample of the records, and keep it beside the store.

    Only finished records of untimed trials count whose key is still today's and whose data are
    available, of groups (task, solver, dataset) that were not measured under the declared versions.

    Parameters
    ----------
    store, keys, sample, budget, jobs, limits, draw, target
        As of :func:`audit`. A measurement is six computations of a trial.
    progress : callable
        Called with each record and its differences, see :func:`nmfbench.engine.rounding.measure`.

    Returns
    -------
    int
        Number of measurements.
    """
    spreads, lock, done = rounding.Spreads(store.folder), threading.Lock(), []
    text = draw or secrets.token_hex(8)
    limits, times = limits or Limits(), 1 + rounding.TIMES
    chosen: dict[tuple, list] = {}
    for record in store.records(keys):
        if record["status"] != "done" or record["timed"] or record in spreads:
            continue
        trial = current_trial(record)
        affordable = budget is None or times * cost_of(record) <= _LARGE * budget
        if trial is not None and affordable and _at_hand(trial, {}):
            chosen.setdefault(group_of(record), []).append((_draw(record, text), record, trial))

    def work(record, trial, workers):
        worker = workers.of(target_of(timed=False, untimed=target))
        plain, _ = compute(trial, worker, limits.seconds)
        if plain["status"] != "done":
            return
        spread = rounding.measure(trial, plain, worker, limits.seconds)
        with lock:
            done.append(record["key"])
            spreads.add(record, spread)
            spreads.write()
            progress(record, spread)

    _each(_in_turns(chosen, sample), work, budget, jobs, limits, times)
    return len(done)


def _in_turns(chosen, sample) -> list[tuple[Mapping, Trial]]:
    """Records with their trials: one of each group, then a second of each, up to a sample."""
    turns = [
        (turn, draw, record, trial)
        for found in chosen.values()
        for turn, (draw, record, trial) in enumerate(sorted(found, key=lambda f: f[0])[:sample])
    ]
    return [(record, trial) for *_, record, trial in sorted(turns, key=lambda t: t[:2])]


def _at_hand(trial, places):
    data = trial.stand_in or dataset_available(trial.dataset)
    return data and (trial.solver in places or not is_saved(trial.solver))


def _draw(record, text):
    return hashlib.sha256(f"{text} {record['key']}".encode()).hexdigest()


def _place(trial, record_code) -> tuple[str, ...]:
    """Group of a record, the source that computed it, and today's."""
    return trial.task, trial.solver, trial.dataset, record_code, trial.code


def cost_of(record: Mapping) -> float:
    """Seconds that a record took; of an earlier release, the seconds of its fit."""
    return record["elapsed"] or record["seconds"] or 0.0


def _each(todo, work, budget, jobs, limits, times=1) -> None:
    """Call ``work`` for records and trials, with workers of the thread, as far as the budget goes.

    ``times`` is how often the trial of a record is computed.
    """
    deadline = None if budget is None else time.monotonic() + budget
    workers = _Workers(limits.memory or default_memory_limit(jobs))

    def within(record, trial):
        if deadline is None or time.monotonic() + times * cost_of(record) <= deadline:
            work(record, trial, workers)

    pool = ThreadPoolExecutor(jobs)
    try:
        for future in [pool.submit(within, *pair) for pair in todo]:
            future.result()
    finally:
        workers.kill()
        pool.shutdown(cancel_futures=True)
        workers.close()


class _Workers:
    """A worker for each thread that asks, of the target that it asked for last."""

    def __init__(self, memory):
        self._memory, self._of_thread, self._all = memory, threading.local(), []

    def of(self, target) -> Worker:
        held = getattr(self._of_thread, "worker", None)
        if held is None or held.target != target:
            if held is not None:
                held.close()
            held = self._of_thread.worker = Worker(self._memory, target)
            self._all.append(held)
        return held

    def kill(self):
        for worker in self._all:
            worker.kill()

    def close(self):
        for worker in self._all:
            worker.close()


def _audit(record, trial, worker, limits) -> Audit:
    again, _ = compute(trial, worker, limits.seconds)
    if again["status"] != "done":
        why = [f"it failed: {reason(again['error'])}"]
        return Audit(record, trial, "different", why, again)
    found = rounding.agreement(record, again, trial, worker, limits.seconds)
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


def standing(store: Store, trials: Sequence[Trial]) -> dict[str, int]:
    """How many finished records are of today's code, audited under it, neither, or failed it.

    A record is audited if an audit under today's code drew its sample from it and others of its
    group that the same source computed, and none of these came out different. One that was computed
    elsewhere counts as that until it is audited, whatever it says of the code that computed it.

    Returns
    -------
    dict
        ``current``, ``audited``, ``different``, ``unaudited``, ``elsewhere``; and, of all these
        that are not timed, how many were computed under the ``reference`` target, under ``another``
        and under one that is ``unknown``.
    """
    vouchers = _Vouchers(store)
    held = store.provenance(trial.key for trial in trials)
    imported = store.imported(held)
    counts = dict.fromkeys(("current", "audited", "different", "unaudited", "elsewhere"), 0)
    targets = dict.fromkeys(("reference", "another", "unknown"), 0)
    for trial in {trial.key: trial for trial in trials}.values():
        record = held.get(trial.key)
        if record is None or record["status"] != "done":
            continue
        if not trial.timed:
            targets[_target(record["versions"])] += 1
        audited = vouchers.has(trial, record["code"], record["digest"])
        if vouchers.differs(trial, record["code"]):
            counts["different"] += 1
        elif trial.key in imported or not computed_here(record):
            counts["audited" if audited else "elsewhere"] += 1
        elif record["code"] == trial.code:
            counts["current"] += 1
        else:
            counts["audited" if audited else "unaudited"] += 1
    return counts | targets


def _target(versions) -> str:
    if is_reference(versions):
        return "reference"
    return "another" if is_known(versions) else "unknown"


def audited(store: Store, trials: Sequence[Trial]) -> bool | None:
    """Whether audits under today's code found all records of a solver made elsewhere the same.

    None if a group of its records has not been audited, or none has finished.
    """
    counts = standing(store, trials)
    if counts["different"]:
        return False
    return True if counts["audited"] and not counts["elsewhere"] else None


def vouched_for(store: Store, trials: Iterable[Trial]) -> set[str]:
    """Keys of the finished records that an audit on this machine, under today's code, vouches for.

    Timed ones are never among them, as no audit compares times.
    """
    trials = {trial.key: trial for trial in trials if not trial.timed}
    vouchers = _Vouchers(store)
    return {
        key
        for key, record in store.provenance(trials).items()
        if record["status"] == "done"
        and vouchers.has(trials[key], record["code"], record["digest"])
    }


class _Vouchers:
    """Outcomes of the audits of a store, and the records that this machine's samples were drawn
    from."""

    def __init__(self, store):
        self._different, self._drawn_from = set(), set()
        for row in store.audits():
            if row["outcome"] == "different":
                self._different.add((*group_of(row), row["record_code"], row["code"]))
        for row in filter(computed_here, store.draws()):
            place = *group_of(row), row["record_code"], row["code"]
            self._drawn_from |= {(place, *record) for record in row["records"].items()}

    def differs(self, trial, record_code) -> bool:
        """Whether an audit found a record of the group and source different."""
        return _place(trial, record_code) in self._different

    def has(self, trial, record_code, seal) -> bool:
        """Whether an audit drew from a record, as it is, and found none of them different."""
        place = _place(trial, record_code)
        return place not in self._different and (place, trial.key, seal) in self._drawn_from


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
        for found in group.audits:
            names = _entries(found.trial)
            if found.outcome == "different" and not found.at_one_target:
                continue
            if found.outcome == "different":
                for name in names:
                    different.setdefault(name, set()).add(found.record["key"])
            else:
                same |= names
    audited = {found.record["key"] for group in groups for found in group.audits}
    for record in store.records():
        if record["status"] != "done" or record["key"] in audited:
            continue
        trial = current_trial(record)
        if trial is not None and record["code"] == trial.code:
            same |= _entries(trial)
    explained: set[str] = set()
    everything = set().union(*different.values())
    found = []
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
    """Entries behind a trial; of one that starts from a fit, those of the fit, too."""
    own = not trial.stand_in or registry.datasets[trial.dataset].info.get("stand_in") is None
    data = ("dataset" if own else "stand-in", trial.dataset)
    found = {("task", trial.task), data, ("solver", trial.solver)}
    if trial.corruption is not None:
        found.add(("corruption", trial.corruption))
    return found if trial.base is None else found | _entries(trial.base)
