"""Rerun one trial and compare: same bits, same digits, rounding decides, or different."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

from nmfbench.audits.sensitivity import agreement
from nmfbench.core import registry
from nmfbench.datasets.base import load_dataset
from nmfbench.engine.runner import Limits, compute
from nmfbench.engine.worker import Worker
from nmfbench.records.exchange import trial_of
from nmfbench.records.record import Record
from nmfbench.records.store import Store
from nmfbench.trials.target import target_of

__all__ = ["Replay", "find_record", "replay"]


@dataclass(frozen=True)
class Replay:
    """Comparison of a second computation with the record.

    Attributes
    ----------
    record : dict
    verdict : {"same bits", "same digits", "rounding", "different", "failed"}
        Times and memory are not compared. "failed" is a second computation that failed.
    differences : list of str
        Each quantity that is not the same to the bit.
    compared : list of str
        What was compared.
    same_code : bool
        The record was computed by the code that is installed now.
    error : str or None
        Why the second computation failed.
    """

    record: dict
    verdict: str
    differences: list[str]
    compared: list[str]
    same_code: bool
    error: str | None = None


def find_record(store: Store, prefix: str) -> Record:
    """The one record whose key begins with ``prefix``.

    Raises
    ------
    LookupError
        If there is none, or more than one.
    """
    found = [r for r in store.records() if r["key"].startswith(prefix.lower())] if prefix else []
    if len(found) == 1:
        return found[0]
    if not found:
        raise LookupError(
            f"no trial in {store.path} has a key that begins with {prefix!r}; 'nmfbench export' "
            "writes all keys."
        )
    some = ", ".join(record["key"] for record in found[:3])
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    raise LookupError(f"the keys of {some}{more} begin with {prefix!r}; give more digits.")


def replay(
    record: dict, store: Store, limits: Limits | None = None, *, target: str | None = None
) -> Replay:
    """Compute the trial of a record once more, in a fresh process, and compare.

    Parameters
    ----------
    record : dict
    store : Store
    limits : Limits, optional
    target : str, optional
        Numerical target of an untimed trial, see :mod:`nmfbench.trials.target`.

    Raises
    ------
    DataError
        If its data are missing or damaged.
    UnknownNameError
        If its solver, task, data set or corruption is not there any more.
    """
    limits = limits or Limits()
    trial = trial_of(record)
    _check_data(trial)
    same_code = trial.code == record["code"]
    with closing(Worker(limits.memory, target_of(timed=trial.timed, untimed=target))) as worker:
        again, arrays = compute(trial, worker, limits.seconds)
        if again["status"] == "failed":
            return Replay(record, "failed", [], [], same_code, again["error"])
        if record["status"] == "failed":
            text = "the record is a failure, the replay is not"
            return Replay(record, "different", [text], ["status"], same_code)
        old_arrays = store.arrays(record["key"])  # an imported record has none
        both = (old_arrays, arrays) if old_arrays else (None, None)
        found = agreement(record, again, trial, worker, limits.seconds, arrays=both)
    return Replay(record, found.outcome, found.differences, found.compared, same_code)


def _check_data(trial):
    """Raise here, in words, what would be a traceback of the child."""
    registry.solvers[trial.solver]
    registry.tasks[trial.task]
    if trial.corruption is not None:
        registry.corruptions[trial.corruption]
    if "file" in registry.datasets[trial.dataset].info:
        load_dataset(trial.dataset, stand_in=trial.stand_in, **trial.dataset_params)
