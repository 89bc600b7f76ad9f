"""From trials to records: many at a time, on this machine or on a cluster, resumable.

Only trials without a record are dispatched, and each record goes to the store the moment its
trial ends. Whoever dispatches, a trial is computed by a :class:`~nmfbench.worker.Worker`: a child
process on one thread. So the records are the same for any number of jobs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from queue import SimpleQueue
from typing import Any

from joblib import Parallel, delayed

from nmfbench.provenance import host, versions
from nmfbench.store import Store
from nmfbench.trials import Trial
from nmfbench.worker import Worker, WorkerDied

__all__ = ["Limits", "RunSummary", "SchedulerError", "compute", "missing", "run"]


class SchedulerError(RuntimeError):
    """No Dask scheduler answers at the address given."""


@dataclass(frozen=True)
class Limits:
    """What a trial may use: seconds, and bytes of memory allocated by its process."""

    seconds: float | None = 3600.0
    memory: int | None = None


@dataclass
class RunSummary:
    """How a run went: trials done and failed in it, trials found in the store, and in all."""

    done: int = 0
    failed: int = 0
    found: int = 0
    total: int = 0


def missing(trials: Iterable[Trial], store: Store, *, retry_failed=False) -> list[Trial]:
    """The trials that have no record, each once, in order.

    Parameters
    ----------
    retry_failed : bool, default=False
        Count failed records as missing.
    """
    unique = list(dict.fromkeys(trials))
    status = store.status(trial.key for trial in unique)
    held = {"done"} if retry_failed else {"done", "failed"}
    return [trial for trial in unique if status.get(trial.key) not in held]


def run(
    trials: Iterable[Trial],
    store: Store,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    limits: Limits | None = None,
    retry_failed: bool = False,
    progress: Callable[[RunSummary, dict[str, Any]], None] = lambda summary, record: None,
) -> RunSummary:
    """Compute the missing trials and store their records.

    Parameters
    ----------
    trials : iterable of Trial
    store : Store
    jobs : int, default=1
        Trials computed at a time on this machine. Timed trials are computed one at a time.
    scheduler : str, optional
        Address of a Dask scheduler (``tcp://host:port``) that computes the trials instead.
    limits : Limits, optional
        By default an hour a trial, and no limit of memory.
    retry_failed : bool, default=False
    progress : callable
        Called with the summary so far and the record just stored.

    Returns
    -------
    RunSummary

    Raises
    ------
    SchedulerError
        If the scheduler does not answer, or ``distributed`` is not installed.
    KeyboardInterrupt
        On Ctrl-C, once all children have ended. What had finished is in the store.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, got {jobs}.")
    trials = list(dict.fromkeys(trials))
    todo = missing(trials, store, retry_failed=retry_failed)
    limits = limits or Limits()
    summary = RunSummary(found=len(trials) - len(todo), total=len(trials))
    for timed in (False, True):
        batch = [trial for trial in todo if trial.timed is timed]
        if not batch:
            continue
        if scheduler is None:
            answers = _local(batch, 1 if timed else jobs, limits)
        else:
            answers = _on_cluster(batch, scheduler, limits, one_at_a_time=timed)
        for record, arrays in answers:
            store.put(record, arrays)
            summary.done += record["status"] == "done"
            summary.failed += record["status"] == "failed"
            progress(summary, record)
    return summary


def compute(trial: Trial, worker: Worker, time_limit: float | None):
    """Compute one trial in ``worker``; whatever goes wrong becomes a failed record.

    Returns
    -------
    record : dict
    arrays : dict of ndarray
    """
    try:
        answer, arrays = worker.run(trial.to_dict(), time_limit)
    except (TimeoutError, WorkerDied) as error:
        answer, arrays = {"error": f"{type(error).__name__}: {error}"}, {}
    outcome = answer.get("outcome", {"metrics": {}, "fit": {}})
    fit = outcome["fit"]
    record = trial.to_dict() | {
        "key": trial.key,
        "code": trial.code,
        "status": "failed" if "error" in answer else "done",
        "error": answer.get("error"),
        "metrics": outcome["metrics"],
        "peak_memory": answer.get("peak_memory"),
        "host": host(),
        "versions": versions(),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    for name in ("seconds", "cpu_seconds", "n_iter", "objective", "stop_reason"):
        record[name] = fit.get(name)
    return record, arrays


def _local(trials, jobs, limits) -> Iterator[tuple[dict, dict]]:
    """Records in the order in which they finish, from ``jobs`` children."""
    idle: SimpleQueue[Worker] = SimpleQueue()
    workers = [Worker(limits.memory) for _ in range(min(jobs, len(trials)))]
    for worker in workers:
        idle.put(worker)
    stopping = threading.Event()

    def work(trial):
        if stopping.is_set():
            return None
        worker = idle.get()
        try:
            return compute(trial, worker, limits.seconds)
        finally:
            idle.put(worker)

    # Threads suffice: each only waits for its child.
    parallel = Parallel(len(workers), backend="threading", return_as="generator_unordered")
    try:
        yield from parallel(delayed(work)(trial) for trial in trials)
    finally:
        stopping.set()
        for worker in workers:
            worker.close()


def _on_cluster(trials, address, limits, *, one_at_a_time) -> Iterator[tuple[dict, dict]]:
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise SchedulerError(
            "--scheduler needs Dask's distributed scheduler: pip install 'nmfbench[distributed]'."
        ) from None
    try:
        client = Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise SchedulerError(
            f"no Dask scheduler answers at {address!r} ({error}); start one with "
            "'dask scheduler' and give its address, such as tcp://localhost:8786."
        ) from None
    with client:
        size = 1 if one_at_a_time else len(trials)
        for start in range(0, len(trials), size):
            futures = [
                client.submit(_compute_remotely, trial.to_dict(), limits, pure=False)
                for trial in trials[start : start + size]
            ]
            for future, answer in as_completed(futures, with_results=True):
                yield answer
                future.release()


_of_thread = threading.local()


def _compute_remotely(values, limits):
    """As :func:`compute`, on a Dask worker: each of its threads keeps one child."""
    if getattr(_of_thread, "worker", None) is None:
        _of_thread.worker = Worker(limits.memory)
    return compute(Trial.from_dict(values), _of_thread.worker, limits.seconds)
