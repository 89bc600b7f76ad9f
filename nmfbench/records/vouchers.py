"""Outcomes of audits: which records of a store still come out of today's code.

Read from the marks that audits (:mod:`nmfbench.audits`) leave in the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from nmfbench.records.provenance import computed_here
from nmfbench.records.store import Store
from nmfbench.trials.target import is_known, is_reference
from nmfbench.trials.trial import Trial

__all__ = ["Vouchers", "audited", "group_of", "place_of", "standing", "vouched_for"]


def group_of(record: Mapping) -> tuple[str, str, str]:
    """Task, solver and dataset of a record."""
    return record["task"], record["solver"], record["dataset"]


def place_of(trial, record_code) -> tuple[str, ...]:
    """Group of a record, the source that computed it, and today's."""
    return trial.task, trial.solver, trial.dataset, record_code, trial.code


def standing(
    store: Store, trials: Sequence[Trial], held: Mapping[str, Mapping] | None = None
) -> dict[str, int]:
    """How many finished records are of today's code, audited under it, neither, or failed it.

    A record is audited if an audit under today's code drew its sample from it and others of its
    group that the same source computed, and none of these came out different. One that was computed
    elsewhere counts as that until it is audited, whatever it says of the code that computed it.

    Parameters
    ----------
    store : Store
    trials : sequence of Trial
    held : mapping, optional
        What :meth:`Store.provenance` gives of them, if it is known.

    Returns
    -------
    dict
        ``current``, ``audited``, ``different``, ``unaudited``, ``elsewhere``; and, of all these
        that are not timed, how many were computed under the ``reference`` target, under ``another``
        and under one that is ``unknown``.
    """
    vouchers = Vouchers(store)
    if held is None:
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
    untimed = {trial.key: trial for trial in trials if not trial.timed}
    vouchers = Vouchers(store)
    return {
        key
        for key, record in store.provenance(untimed).items()
        if record["status"] == "done"
        and vouchers.has(untimed[key], record["code"], record["digest"])
    }


class Vouchers:
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
        return place_of(trial, record_code) in self._different

    def has(self, trial, record_code, seal) -> bool:
        """Whether an audit drew from a record, as it is, and found none of them different."""
        place = place_of(trial, record_code)
        return place not in self._different and (place, trial.key, seal) in self._drawn_from
