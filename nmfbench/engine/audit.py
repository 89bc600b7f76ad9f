"""Audits: do the records still come out of this code?

A declared version is a promise that the numbers have not changed since. An audit computes a sample
of the records again and compares. Records of this host are compared whole. On another processor
rounding grows with the iterations of a fit, so that of a long fit only the objectives of the first
ten iterations are computed again and compared.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from nmfbench.core import registry
from nmfbench.datasets.base import dataset_available
from nmfbench.engine.agreement import Agreement, compare, compare_first_objectives, same_place
from nmfbench.engine.exchange import current_trial
from nmfbench.engine.guard import default_memory_limit
from nmfbench.engine.perform import make_solver
from nmfbench.engine.provenance import host, versions
from nmfbench.engine.results import reason
from nmfbench.engine.runner import FIRST, Limits, compute
from nmfbench.engine.saved import is_saved
from nmfbench.engine.store import Store
from nmfbench.engine.trials import Trial
from nmfbench.engine.worker import Worker

__all__ = ["Audit", "Group", "audit", "audited", "group_of", "moved", "standing"]

_LARGE = 0.1  # share of the budget; in a sample a record that costs more is left out


@dataclass(frozen=True)
class Audit:
    """One record computed again.

    Attributes
    ----------
    record : dict
    trial : Trial
    outcome : {"same bits", "same digits", "different"}
    compared : {"all", "first objectives"}
    differences : list of str
        What is not the same to the bit, with both values.
    """

    record: Mapping
    trial: Trial
    outcome: str
    compared: str
    differences: list[str]


@dataclass
class Group:
    """The audits of one task, solver and dataset.

    Attributes
    ----------
    records, changed : int
        Finished records, and those that were computed by other source than today's.
    audits : list of Audit
    """

    task: str
    solver: str
    dataset: str
    records: int = 0
    changed: int = 0
    audits: list[Audit] = field(default_factory=list)

    def count(self, outcome: str) -> int:
        return sum(audit.outcome == outcome for audit in self.audits)


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
    salt: str = "",
    places: Mapping[str, str] | None = None,
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
        Only of records that were computed by other source than today's, unless their group was
        audited under today's before and came out the same.
    budget : float, optional
        Seconds after which no computation is begun. Groups take turns in a random order. Without
        ``changed`` a record that takes more than a tenth of it is left out.
    jobs : int, default=1
        Records computed at a time.
    limits : Limits, optional
    salt : str
        Another text is another sample.
    places : mapping of str to str, optional
        Of classes of which only records are here, by their names in these
        (:mod:`nmfbench.engine.saved`), where their code is, to be run. Records of others are left
        out.
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
    outcomes = _outcomes(store)
    for record in store.records(keys):
        trial = current_trial(record) if record["status"] == "done" else None
        if trial is None or not _at_hand(trial, places):
            continue
        group = groups.setdefault(group_of(record), Group(*group_of(record)))
        other = record["code"] != trial.code
        group.records += 1
        group.changed += other
        affordable = budget is None or _cost(record) <= _LARGE * budget
        seen = outcomes.get((*group_of(record), record["code"], trial.code), {"different"})
        if other and "different" in seen if changed else affordable:
            chosen.setdefault(group_of(record), []).append((_draw(record, salt), record, trial))
    turns = [
        (turn, draw, record, trial)
        for found in chosen.values()
        for turn, (draw, record, trial) in enumerate(sorted(found, key=lambda f: f[0])[:sample])
    ]
    todo = [(record, trial) for *_, record, trial in sorted(turns, key=lambda t: t[:2])]
    for found in _compute(todo, store, places, budget, jobs, limits or Limits(), progress):
        groups[group_of(found.record)].audits.append(found)
    return [groups[name] for name in sorted(groups)]


def _at_hand(trial, places):
    data = trial.stand_in or dataset_available(trial.dataset)
    return data and (trial.solver in places or not is_saved(trial.solver))


def _draw(record, salt):
    return hashlib.sha256(f"{salt} {record['key']}".encode()).hexdigest()


def _cost(record):
    return record["elapsed"] or record["seconds"] or 0.0


def _compute(todo, store, places, budget, jobs, limits, progress) -> list[Audit]:
    deadline = None if budget is None else time.monotonic() + budget
    of_thread, workers, lock, done = threading.local(), [], threading.Lock(), []
    memory = limits.memory or default_memory_limit(jobs)

    def work(record, trial):
        if deadline is not None and time.monotonic() + _cost(record) > deadline:
            return
        if not hasattr(of_thread, "worker"):
            of_thread.worker = Worker(memory)
            workers.append(of_thread.worker)
        placed = replace(trial, solver=places.get(trial.solver, trial.solver))
        found = replace(_audit(record, placed, store, of_thread.worker, limits), trial=trial)
        with lock:
            store.put_audits([_row(found)])
            done.append(found)
            progress(found)

    pool = ThreadPoolExecutor(jobs)
    try:
        for future in [pool.submit(work, *pair) for pair in todo]:
            future.result()
    finally:
        for worker in workers:
            worker.kill()
        pool.shutdown(cancel_futures=True)
        for worker in workers:
            worker.close()
    return done


def _audit(record, trial, store, worker, limits) -> Audit:
    """Compare all where rounding should be the same, else the begin of the fit."""
    here = same_place(record, {"host": host(), "versions": versions()})
    begin = None if here else _beginning(record, trial, store)
    if begin is None:
        again, _ = compute(trial, worker, limits.seconds)
        found = _agreement(again, lambda: compare(record, again))
        return Audit(record, trial, found.outcome, "all", _telling(found))
    fit, short = begin
    again, _ = compute(short, worker, limits.seconds)
    found = _agreement(again, lambda: compare_first_objectives(fit, again))
    return Audit(record, trial, found.outcome, "first objectives", _telling(found))


def _telling(found: Agreement) -> list[str]:
    return found.beyond or found.differences


def _agreement(again, compared) -> Agreement:
    if again["status"] == "done":
        return compared()
    why = [f"it failed: {reason(again['error'])}"]
    return Agreement(["status"], why, close=False, beyond=why)


def _beginning(record, trial, store):
    """The record of the fit behind a record, and the trial that makes its first iterations only.

    None if the fit makes no more than these anyway, or keeps no objectives.
    """
    while trial.base is not None:
        trial = trial.base
        found = store.records([trial.key])
        if not found:
            return None
        (record,) = found
    if (record["n_iter"] or 0) <= FIRST or len(record["first_objectives"] or ()) < 2:
        return None
    if "max_iter" in trial.options:
        return record, replace(trial, options={**trial.options, "max_iter": FIRST})
    short = {**trial.params, "max_iter": FIRST}
    if _makes_first(trial.solver, short, record["n_iter"]):
        return record, replace(trial, params=short)
    return None


def _makes_first(solver, params, rank) -> bool:
    """Whether ``max_iter`` is the number of iterations, rather than of something within one."""
    kind = registry.solvers[solver].target
    if "max_iter" not in getattr(kind, "__dataclass_fields__", ()):
        return False
    return make_solver(solver, **params)._n_steps(rank) == FIRST


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
        "compared": found.compared,
        "host": host(),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def standing(store: Store, trials: Sequence[Trial]) -> dict[str, int]:
    """How many finished records are of today's code, audited under it, neither, or failed it.

    A record is audited if one of its group that the same source computed was audited under today's
    code, and none of these came out different. One that was computed elsewhere counts as that until
    it is audited, whatever it says of the code that computed it.

    Returns
    -------
    dict
        ``current``, ``audited``, ``different``, ``unaudited``, ``elsewhere``.
    """
    outcomes = _outcomes(store)
    held = store.provenance(trial.key for trial in trials)
    imported = store.imported(held)
    counts = dict.fromkeys(("current", "audited", "different", "unaudited", "elsewhere"), 0)
    for trial in {trial.key: trial for trial in trials}.values():
        record = held.get(trial.key)
        if record is None or record["status"] != "done":
            continue
        group = (trial.task, trial.solver, trial.dataset)
        seen = outcomes.get((*group, record["code"], trial.code), set())
        if "different" in seen:
            counts["different"] += 1
        elif trial.key in imported:
            counts["audited" if seen else "elsewhere"] += 1
        elif record["code"] == trial.code:
            counts["current"] += 1
        else:
            counts["audited" if seen else "unaudited"] += 1
    return counts


def audited(store: Store, trials: Sequence[Trial]) -> bool | None:
    """Whether audits under today's code found all records of a solver made elsewhere the same.

    None if a group of its records has not been audited, or none has finished.
    """
    counts = standing(store, trials)
    if counts["different"]:
        return False
    return True if counts["audited"] and not counts["elsewhere"] else None


def _outcomes(store) -> dict[tuple, set[str]]:
    """Outcomes of the audits by task, solver, dataset, and both sources."""
    found: dict[tuple, set[str]] = {}
    for row in store.audits():
        place = (*group_of(row), row["record_code"], row["code"])
        found.setdefault(place, set()).add(row["outcome"])
    return found


# -- what to raise ----------------------------------------------------------------------------

KINDS = ("task", "corruption", "stand-in", "dataset", "solver")
"""Kinds of entries that have a version, in the order of preference where two explain the same."""


def moved(store: Store, groups: Sequence[Group]) -> list[tuple[str, str]]:
    """The entries whose numbers changed: the fewest that explain all differences.

    An entry explains a difference if nothing of it came out the same: no audit, and no record that
    today's source computed.

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
