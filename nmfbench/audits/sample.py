"""A sample of records, one of each group first, and the workers that recompute it."""

from __future__ import annotations

import functools
import hashlib
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor

from nmfbench.core.guard import default_memory_limit
from nmfbench.datasets.base import dataset_available
from nmfbench.engine.worker import Worker
from nmfbench.records.saved import is_saved
from nmfbench.trials.trial import Trial

__all__ = ["LARGE", "availability", "cost_of", "draw_of", "each", "in_turns"]

LARGE = 0.1  # share of the budget; in a sample a record that costs more is left out


def in_turns(chosen, sample) -> list[tuple[Mapping, Trial]]:
    """Records with their trials: one of each group, then a second of each, up to a sample."""
    turns = [
        (turn, draw, record, trial)
        for found in chosen.values()
        for turn, (draw, record, trial) in enumerate(sorted(found, key=lambda f: f[0])[:sample])
    ]
    return [(record, trial) for *_, record, trial in sorted(turns, key=lambda t: t[:2])]


def availability(places: Iterable[str] = ()) -> Callable[[Trial], bool]:
    """Whether the data of a trial are here, and its solver, of which ``places`` names more."""
    here = functools.cache(dataset_available)

    def available(trial):
        data = trial.stand_in or here(trial.dataset)
        return data and (trial.solver in places or not is_saved(trial.solver))

    return available


def draw_of(record, text):
    return hashlib.sha256(f"{text} {record['key']}".encode()).hexdigest()


def cost_of(record: Mapping) -> float:
    """Seconds that a record took; of an earlier release, the seconds of its fit."""
    return record["elapsed"] or record["seconds"] or 0.0


def each(todo, work, budget, jobs, limits, times=1) -> None:
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
    """One worker per calling thread, of the target that the thread requested last."""

    def __init__(self, memory):
        self._memory, self._of_thread, self._all = memory, threading.local(), []

    def of(self, target) -> Worker:
        worker = getattr(self._of_thread, "worker", None)
        if worker is None or worker.target != target:
            if worker is not None:
                worker.close()
            worker = self._of_thread.worker = Worker(self._memory, target)
            self._all.append(worker)
        return worker

    def kill(self):
        for worker in self._all:
            worker.kill()

    def close(self):
        for worker in self._all:
            worker.close()
