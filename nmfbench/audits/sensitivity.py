"""Sensitivity of a result to rounding, measured from data changed in the last place.

A trial is computed from data in which about half of the numbers are one unit smaller in the last
place. Where that moves a metric, another numerical target may move it as much, and two records may
differ by it without a change of the code. :mod:`nmfbench.records.rounding` keeps what is measured.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

from nmfbench.audits.sample import LARGE, availability, cost_of, draw_of, each, in_turns
from nmfbench.engine.runner import Limits, compute
from nmfbench.engine.worker import Worker
from nmfbench.records.agreement import Agreement, compare, same_target
from nmfbench.records.exchange import current_trial
from nmfbench.records.rounding import TIMES, Spreads
from nmfbench.records.store import Store
from nmfbench.records.vouchers import group_of
from nmfbench.trials.target import REFERENCE, available, is_reference, target_of
from nmfbench.trials.trial import Trial

__all__ = ["agreement", "measure", "sensitivity"]

MOST = 20
"""The same where two records are compared and the first ones show that rounding decides.

A fit may have two ends, one of them rare.
"""


def measure(
    trial: Trial,
    plain: Mapping,
    worker: Worker,
    time_limit: float | None,
    *,
    arrays: Mapping[str, Any] | None = None,
    most: int = TIMES,
    enough: Callable[[Mapping[str, float]], bool] = lambda spread: False,
) -> dict[str, float]:
    """Relative differences that rounding makes, by quantity: the largest of several computations.

    Parameters
    ----------
    trial : Trial
    plain : record
        Of the trial, from the data as they are, computed under the target of the worker.
    worker : Worker
    time_limit : float or None
        Seconds, of each computation.
    arrays : mapping of str to ndarray, optional
        Of the same computation as the record, to be compared, too.
    most : int, default=5
        Computations, of which those after the fifth are made only if one before was different.
    enough : callable, optional
        Called with the differences so far; the rest is not computed once it returns True.

    Returns
    -------
    dict of str to float
        Empty where no quantity changes, or none is had from the perturbed data.
    """
    spread: dict[str, float] = {}
    forked = False
    for seed in range(most):
        other, theirs = compute(trial, worker, time_limit, perturbation=seed)
        if other["status"] == "done":
            found = compare(plain, other, arrays, theirs if arrays else None)
            forked |= found.outcome == "different"
            for name, share in found.gaps.items():
                spread[name] = max(share, spread.get(name, 0.0))
        if enough(spread) or (seed + 1 >= TIMES and not forked):
            break
    return spread


def agreement(
    old: Mapping,
    new: Mapping,
    trial: Trial,
    worker: Worker,
    time_limit: float | None,
    spreads: Spreads | None = None,
    arrays=(None, None),
) -> Agreement:
    """Compare two records; where targets differ and numbers do, with what rounding does.

    It is measured for this very trial, if what is kept of its task, solver and data set does not
    suffice. Two processors may take different ends of one fit, each whatever is changed in the last
    place: rounding decides as well where the reference target comes to the numbers of the record.

    Parameters
    ----------
    old, new : record
        The second of them was computed under the target of the worker.
    trial : Trial
    worker : Worker
    time_limit : float or None
        Seconds, of each computation.
    spreads : Spreads, optional
        What is known.
    arrays : pair of mappings of str to ndarray, optional
        Of the records.
    """
    found = compare(old, new, *arrays, spread=None if spreads is None else spreads.of(old))
    if found.outcome != "different" or same_target(old, new):
        return found

    def explained(spread):
        return compare(old, new, *arrays, spread=spread).outcome != "different"

    given = {"arrays": arrays[1], "most": MOST, "enough": explained}
    spread = measure(trial, new, worker, time_limit, **given)
    found = compare(old, new, *arrays, spread=spread)
    tried = is_reference(new["versions"]) or REFERENCE not in available()
    if found.outcome != "different" or tried:
        return found
    with closing(Worker(worker.memory_limit, REFERENCE)) as other:
        again, theirs = compute(trial, other, time_limit)
    both = (arrays[0], theirs if arrays[0] else None)
    if again["status"] != "done" or compare(old, again, *both).outcome == "different":
        return found
    return replace(found, rounding=found.rounding + found.beyond, beyond=[])


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
        Called with each record and its differences, see :func:`measure`.

    Returns
    -------
    int
        Number of measurements.
    """
    spreads, lock, done = Spreads(store.folder), threading.Lock(), []
    text = draw or secrets.token_hex(8)
    limits, times = limits or Limits(), 1 + TIMES
    available, chosen = availability(), dict[tuple, list]()
    for record in store.records(keys):
        if record["status"] != "done" or record["timed"] or record in spreads:
            continue
        trial = current_trial(record)
        affordable = budget is None or times * cost_of(record) <= LARGE * budget
        if trial is not None and affordable and available(trial):
            chosen.setdefault(group_of(record), []).append((draw_of(record, text), record, trial))

    def work(record, trial, workers):
        worker = workers.of(target_of(timed=False, untimed=target))
        plain, _ = compute(trial, worker, limits.seconds)
        if plain["status"] != "done":
            return
        spread = measure(trial, plain, worker, limits.seconds)
        with lock:
            done.append(record["key"])
            spreads.add(record, spread)
            spreads.write()
            progress(record, spread)

    each(in_turns(chosen, sample), work, budget, jobs, limits, times)
    return len(done)
