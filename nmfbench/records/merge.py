"""Merging records of two origins: what goes together stays together.

A fit and what starts from it come from one computation, and timed rivals on one problem from one
host. So records are merged by groups: a fit with all that starts from it; all timings of one
problem and repeat.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from nmfbench.core import registry
from nmfbench.records.agreement import compare
from nmfbench.records.exchange import trial_of
from nmfbench.records.rounding import Spreads
from nmfbench.records.saved import as_saved, is_saved
from nmfbench.records.store import Store
from nmfbench.trials.target import is_reference

__all__ = ["Merge", "import_records", "merge"]


@dataclass
class Merge:
    """Result of a merge.

    Attributes
    ----------
    taken : list of str
        Keys whose records are to be taken over.
    new, replaced, held, left_out : int
        Of these, how many are new, replace another record, leave the present record as it is, or
        cannot be stored beside the present records: timings of another host, or results from a fit
        that came out otherwise.
    unknown : int
        Records of solvers, tasks, data sets or corruptions that are not registered here.
    agreement : Counter
        Of finished trials that both sides have, how many agree: by outcome.
    different : list of str
        Keys of the records that differ beyond the tolerances.
    saved : list of str
        External classes of which records were offered, see :mod:`nmfbench.records.saved`.
    """

    taken: list[str] = field(default_factory=list)
    new: int = 0
    replaced: int = 0
    held: int = 0
    left_out: int = 0
    unknown: int = 0
    agreement: Counter[str] = field(default_factory=Counter)
    different: list[str] = field(default_factory=list)
    saved: list[str] = field(default_factory=list)


def merge(
    held: Mapping[str, Mapping],
    offered: Iterable[Mapping],
    *,
    larger_wins: bool = False,
    spreads: Spreads | None = None,
) -> Merge:
    """Decide which of the records offered are taken.

    Of equal keys the present record stays, unless it is of a failure, or only the offered one was
    computed under the reference target (:mod:`nmfbench.trials.target`).

    Parameters
    ----------
    held : mapping of str to record
        By key; at least all records that share a group with an offered one.
    offered : iterable of record
    larger_wins : bool, default=False
        Where two groups do not go together, take the one offered if it has all of the other's
        trials and more; and of timings also one of as many that were all taken later.
    spreads : Spreads, optional
        What is known of what rounding does.
    """
    found = Merge()
    theirs: dict[str, dict[str, Mapping]] = {}
    for record in offered:
        # Beside nothing, all but timings of several hosts go together.
        group = _group(record) if held or record["timed"] else record["key"]
        theirs.setdefault(group, {})[record["key"]] = record
    ours: dict[str, dict[str, Mapping]] = {}
    for key, record in held.items():
        ours.setdefault(_group(record), {})[key] = record
    for group, records in theirs.items():
        _merge_group(found, ours.get(group, {}), records, larger_wins, spreads)
    return found


def _merge_group(found, ours, theirs, larger_wins, spreads):
    agree = {}
    for key in ours.keys() & theirs.keys():
        if ours[key]["status"] == theirs[key]["status"] == "done":
            spread = spreads and spreads.of(ours[key])
            agree[key] = compare(ours[key], theirs[key], spread=spread).outcome
            found.agreement[agree[key]] += 1
            if agree[key] == "different":
                found.different.append(key)
    wanted = [
        key for key, record in theirs.items() if key not in ours or _is_better(record, ours[key])
    ]
    if larger_wins and ours and theirs.keys() >= ours.keys() and _are_later(theirs, ours):
        wanted = list(theirs)
    elif wanted and not _go_together(ours, theirs, agree):
        renewed = theirs.keys() >= ours.keys() and all(map(_is_reference, theirs.values()))
        if not (renewed or (larger_wins and theirs.keys() > ours.keys())):
            found.left_out += len(wanted)
            found.held += len(theirs) - len(wanted)
            return
        wanted = list(theirs)
    found.taken += wanted
    found.replaced += sum(key in ours for key in wanted)
    found.new += sum(key not in ours for key in wanted)
    found.held += len(theirs) - len(wanted)


def _is_better(offered, held) -> bool:
    """Whether a record takes the place of another of the same key."""
    if offered["status"] == "failed":
        return False
    return held["status"] == "failed" or (_is_reference(offered) and not _is_reference(held))


def _is_reference(record) -> bool:
    return is_reference(record["versions"])


def _are_later(theirs, ours) -> bool:
    """Whether these are timings that were all taken after all of those."""
    offered = theirs.values()
    return all(record["timed"] and record["status"] == "done" for record in offered) and (
        min(record["finished"] for record in offered)
        > max(record["finished"] for record in ours.values())
    )


def _go_together(ours, theirs, agree) -> bool:
    if any(record["timed"] for record in theirs.values()):
        hosts = [record["host"] for side in (ours, theirs) for record in side.values()]
        return all(host == hosts[0] for host in hosts)
    fits = [key for key in agree if trial_of(ours[key]).base is None]
    return all(agree[key] != "different" for key in fits)


def _group(record) -> str:
    trial = trial_of(as_saved(record))  # the file of an external class may be missing
    while trial.base is not None:
        trial = trial.base
    return trial.timed_problem if trial.timed else trial.key


def import_records(
    pairs: Iterable[tuple[Mapping, Mapping[str, np.ndarray]]],
    store: Store,
    *,
    beside: Callable[[], object] = lambda: None,
) -> Merge:
    """Merge records from elsewhere into a store; what it holds stays.

    Records of what is not registered here are left out.

    Parameters
    ----------
    pairs : iterable of (record, arrays)
        As :func:`~nmfbench.records.exchange.read_exports` gives them. Nothing is written unless all
        could be read.
    store : Store
    beside : callable, optional
        Merges what is kept beside records. Where it raises, no record is written.
    """
    given = {record["key"]: (record, arrays) for record, arrays in pairs}
    offered = {key: pair for key, pair in given.items() if _is_known(pair[0])}
    held = {record["key"]: record for record in store.records() if _is_known(record)}
    spreads = Spreads(store.folder)
    found = merge(held, (record for record, _ in offered.values()), spreads=spreads)
    found.unknown = len(given) - len(offered)
    solvers = {record["solver"] for record, _ in offered.values()}
    found.saved = sorted(filter(is_saved, solvers))
    taken = [*(offered[key] for key in found.taken), *_fuller(offered, held, store)]
    store.put_imported(taken, beside=beside)
    return found


def _fuller(offered, held, store) -> list[tuple[Mapping, Mapping[str, np.ndarray]]]:
    """Imported records that are offered again as they are, with arrays that stayed behind."""
    same = [key for key, (record, arrays) in offered.items() if arrays and held.get(key) == record]
    found = []
    for key in store.imported(same):
        record, arrays = offered[key]
        names = store.array_names(key)
        if arrays.keys() - set(names):
            found.append((record, arrays | {name: store.array(key, name) for name in names}))
    return found


def _is_known(record) -> bool:
    """Whether all that a trial is made of is registered here."""
    return (
        record["task"] in registry.tasks
        and record["dataset"] in registry.datasets
        and (record["corruption"] is None or record["corruption"] in registry.corruptions)
        and (":" in record["solver"] or record["solver"] in registry.solvers)
    )
