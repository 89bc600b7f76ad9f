"""Rerun one trial and compare: same bits, same digits, or different."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from nmfbench import registry
from nmfbench.datasets.base import load_dataset
from nmfbench.engine.runner import Limits, compute
from nmfbench.engine.store import Store
from nmfbench.engine.trials import Trial
from nmfbench.engine.worker import Worker

__all__ = ["RELATIVE", "Replay", "find_record", "replay"]

RELATIVE = 1e-6
"""Largest relative difference of "same digits"."""

_TIMES = ("seconds", "cpu_seconds")


@dataclass(frozen=True)
class Replay:
    """How a second computation compares with the record.

    Attributes
    ----------
    record : dict
    verdict : {"same bits", "same digits", "different", "failed"}
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


def find_record(store: Store, prefix: str) -> dict:
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


def replay(record: dict, store: Store, limits: Limits | None = None) -> Replay:
    """Compute the trial of a record once more, in a fresh process, and compare.

    Raises
    ------
    DataError
        If its data are missing or damaged.
    UnknownNameError
        If its solver, task, data set or corruption is not there any more.
    """
    limits = limits or Limits()
    trial = Trial.from_dict({field.name: record[field.name] for field in fields(Trial)})
    _check_data(trial)
    same_code = trial.code == record["code"]
    worker = Worker(limits.memory)
    try:
        again, arrays = compute(trial, worker, limits.seconds)
    finally:
        worker.close()
    if again["status"] == "failed":
        return Replay(record, "failed", [], [], same_code, again["error"])
    if record["status"] == "failed":
        text = "the record is a failure, the replay is not"
        return Replay(record, "different", [text], ["status"], same_code)
    compared, differences, close = _compare(record, store.arrays(record["key"]), again, arrays)
    verdict = "different" if not close else "same digits" if differences else "same bits"
    return Replay(record, verdict, differences, compared, same_code)


def _check_data(trial):
    """Raise here, in words, what would be a traceback of the child."""
    registry.solvers[trial.solver]
    registry.tasks[trial.task]
    if trial.corruption is not None:
        registry.corruptions[trial.corruption]
    if "file" in registry.datasets[trial.dataset].info:
        load_dataset(trial.dataset, stand_in=trial.stand_in, **trial.dataset_params)


def _compare(record, old_arrays, again, new_arrays):
    """What was compared, what differs in words, and whether all differences are tiny."""
    old, new = ({**r["metrics"], "objective": r["objective"]} for r in (record, again))
    old["iterations"], new["iterations"] = record["n_iter"], again["n_iter"]
    if old_arrays:  # an imported record has none
        old |= _numbers(old_arrays)
        new |= _numbers(new_arrays)
    compared, differences, close = [], [], True
    for name in [*old, *(set(new) - set(old))]:
        a, b = old.get(name), new.get(name)
        if a is None and b is None:
            continue
        compared.append(name)
        if a is None or b is None:
            differences.append(f"{name} is only in the {'replay' if a is None else 'record'}")
            close = False
            continue
        gap = _relative_gap(np.asarray(a), np.asarray(b))
        if gap is None:
            continue
        scalars = np.ndim(a) == np.ndim(b) == 0
        values = f": {a!r} in the record, {b!r} now" if scalars else ""
        differences.append(f"{name} differs by {gap:.2g}, relatively{values}")
        close &= gap <= RELATIVE
    return compared, differences, close


def _numbers(arrays):
    """Plain arrays by name; the times of a trace are left out."""
    found = {}
    for name, array in arrays.items():
        if array.dtype.names is None:
            found[name] = array
        else:
            kept = [part for part in array.dtype.names if part not in _TIMES]
            found |= {f"{name}.{part}": array[part] for part in kept}
    return found


def _relative_gap(a, b):
    """None for the same bits; else the largest difference over the largest value."""
    if a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes():
        return None
    if a.shape != b.shape or a.dtype.kind not in "fiub" or b.dtype.kind not in "fiub":
        return np.inf
    a, b = a.astype(float), b.astype(float)
    if not (np.array_equal(np.isfinite(a), np.isfinite(b))):
        return np.inf
    finite = np.isfinite(a)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return np.inf
    difference = np.max(np.abs(a - b)[finite], initial=0.0)
    return float(difference / max(np.max(np.abs(a)[finite], initial=0.0), np.finfo(float).tiny))
