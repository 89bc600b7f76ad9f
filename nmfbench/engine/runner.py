"""From trials to records: many at a time, on this machine or on a cluster, resumable.

Only trials without a record are dispatched, and each record goes to the store the moment its
trial ends. Whoever dispatches, a trial is computed by a :class:`~nmfbench.engine.worker.Worker`:
a child process on one thread. So the records are the same for any number of jobs.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import warnings
from collections.abc import Callable, Collection, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from queue import SimpleQueue
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from nmfbench.core import registry
from nmfbench.core.guard import default_memory_limit
from nmfbench.engine.worker import Worker, WorkerDied, WorkerError
from nmfbench.records.pending import Held, in_stages
from nmfbench.records.provenance import host, versions
from nmfbench.records.record import to_row
from nmfbench.records.results import reason
from nmfbench.records.store import Store
from nmfbench.tasks.base import Outcome
from nmfbench.trials.target import target_of
from nmfbench.trials.trial import Trial

__all__ = [
    "FIRST",
    "Limits",
    "RunSummary",
    "SchedulerError",
    "WorkerError",
    "WorkerPool",
    "compute",
    "first_objectives",
    "make_record",
    "run",
]


_CONNECT = "10s"  # to wait for a scheduler
_LARGEST = 1 << 62  # of a limit that the system takes
_PATIENCE = 2  # seconds between looks whether a trial can start
_SILENCE = 30  # seconds between looks whether a cluster has workers
# What an answer of another shape raises where it is taken apart; a RecordError is a ValueError.
_MALFORMED = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
_SENT = 1000  # trials given to a scheduler at a time, which holds what they start from

FIT = ("seconds", "cpu_seconds", "n_iter", "objective", "stop_reason")
"""Columns of a record that describe the fit."""

FIRST = 10
"""Iterations after which a record still keeps the objective: rounding has hardly grown by then, so
that they come out the same, to the digits, on every processor."""


class SchedulerError(RuntimeError):
    """No Dask scheduler answers at the address given, or its workers cannot compute trials."""


@dataclass(frozen=True)
class Limits:
    """Limits of a trial: seconds, and bytes of memory of its process and all it started.

    Without a limit of memory, the jobs share what :func:`default_memory_limit` gives them.
    """

    seconds: float | None = 3600.0
    memory: int | None = None

    def __post_init__(self):
        for name in ("seconds", "memory"):
            value = getattr(self, name)
            if value is not None and not 0 < value < _LARGEST:
                raise ValueError(f"the limit of {name} must be positive and finite, got {value!r}.")


@dataclass
class RunSummary:
    """How a run went: trials done and failed in it, trials found in the store, and in all."""

    done: int = 0
    failed: int = 0
    found: int = 0
    total: int = 0


def run(
    trials: Iterable[Trial],
    store: Store,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    limits: Limits | None = None,
    retry_failed: bool = False,
    recompute: bool | Collection[str] = False,
    target: str | None = None,
    progress: Callable[[RunSummary, dict[str, Any]], None] = lambda summary, record: None,
    wanted: Callable[[Trial], bool] = lambda trial: True,
    ready: Callable[[Trial], bool] = lambda trial: True,
    pool: WorkerPool | None = None,
    held: Held | None = None,
) -> RunSummary:
    """Compute the missing trials and store their records.

    Parameters
    ----------
    trials : iterable of Trial
    store : Store
    jobs : int, default=1
        Trials computed at a time on this machine. Timed trials are computed one at a time.
    scheduler : str, optional
        Address of a Dask scheduler (``tcp://host:port``, or ``tls://host:port``) that computes the
        trials instead. Each thread of a worker is a job, with its own limit of memory.
    limits : Limits, optional
        By default an hour a trial, and four fifths of the memory available for all jobs.
    retry_failed, recompute
        See :func:`~nmfbench.records.pending.missing`.
    target : str, optional
        Numerical target of untimed trials, see :mod:`nmfbench.trials.target`; timed ones run
        native.
    progress : callable
        Called with the summary so far and the record just stored.
    wanted : callable
        Called with a trial right before it starts, perhaps from several threads at once; a trial
        that is no longer wanted has no record. For a cluster it is called before the trial is sent.
    ready : callable
        Polled before a trial of this machine starts, until it is true; a trial that is no longer
        wanted does not wait.
    pool : WorkerPool, optional
        Children that stay from one call to the next; by default of this call alone.
    held : Held, optional
        What the store holds of the trials and of what they start from, if it was read before.

    Returns
    -------
    RunSummary

    Notes
    -----
    Pickles travel between this process, a scheduler and its workers, and are loaded there: whoever
    can connect to one of them can run code on all. Use a cluster in a network that you trust, or
    ``tls://host:port`` with certificates in Dask's own configuration
    (``distributed.comm.require-encryption`` and ``distributed.comm.tls``), the same on all sides.
    While a cluster has no workers, a warning says so every half minute.

    Raises
    ------
    SchedulerError
        If the scheduler does not answer, its workers cannot compute the trials, or
        ``distributed`` is not installed.
    WorkerError
        If children do not start, or run other code than the keys of the trials say.
    StoreError
        If a record cannot be written.
    KeyboardInterrupt
        On Ctrl-C, once all children have ended. What had finished is in the store.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be at least 1, got {jobs}.")
    trials = list({trial.key: trial for trial in trials}.values())
    known = held or store
    stages = in_stages(trials, known, retry_failed=retry_failed, recompute=recompute)
    limits = limits or Limits()
    staged = {trial.key for stage in stages for trial in stage}
    found = sum(trial.key not in staged for trial in trials)
    summary = RunSummary(found=found, total=found + len(staged))
    stale = {key for key, old in known.provenance(staged).items() if old["status"] == "done"}

    def put(record, arrays):
        store.put(record, arrays, replace=record["key"] in stale)

    with contextlib.ExitStack() as stack:
        pool = pool or stack.enter_context(closing(WorkerPool(limits.memory, jobs)))
        for stage, timed in itertools.product(stages, (False, True)):
            batch = [trial for trial in stage if trial.timed is timed]
            if not batch:
                continue
            if scheduler is None:
                size = 1 if timed else min(jobs, len(batch))
                workers = pool.of(size, target_of(timed=timed, untimed=target))
                records = _local(batch, store, put, workers, limits, wanted, ready)
            else:
                where = target_of(timed=timed, untimed=target)
                records = _on_cluster(
                    batch, store, put, scheduler, limits, wanted, where, one_at_a_time=timed
                )
            with closing(records):
                for record in records:
                    summary.done += record["status"] == "done"
                    summary.failed += record["status"] == "failed"
                    progress(summary, record)
    return summary


class WorkerPool:
    """Workers that stay from one batch to the next, since a child takes seconds to start.

    Parameters
    ----------
    memory_limit : int or None
        Bytes for each; by default the workers of all jobs share what is available now.
    jobs : int, default=1
        Workers at a time, at most.
    """

    def __init__(self, memory_limit, jobs=1):
        self.memory_limit = memory_limit or default_memory_limit(jobs)
        self.workers: list[Worker] = []

    def of(self, size: int, target: str | None = None) -> list[Worker]:
        """``size`` workers of a target. No other child is left that could disturb a timed trial."""
        target = target or target_of(timed=False)
        kept = [worker for worker in self.workers if worker.target == target][:size]
        for worker in self.workers:
            if worker not in kept:
                worker.close()
        self.workers = kept
        while len(self.workers) < size:
            self.workers.append(Worker(self.memory_limit, target))
        return self.workers

    def close(self):
        for worker in self.workers:
            worker.close()


def compute(
    trial: Trial,
    worker: Worker,
    time_limit: float | None,
    base: Base | None = None,
    perturbation: int | None = None,
):
    """Compute one trial in ``worker``; whatever goes wrong becomes a failed record.

    So does an answer that no store takes, as an external class can forge one.

    Parameters
    ----------
    trial : Trial
    worker : Worker
    time_limit : float or None
    base : Base, optional
        What is known of the trial that this one starts from.
    perturbation : int, optional
        See :func:`~nmfbench.engine.perform.perform`.

    Returns
    -------
    record : dict
    arrays : dict of ndarray
    """
    base = base or Base()
    if ":" in trial.solver and trial.base is not None and base == Base():
        # Whatever an external class does to its process, metrics come from another one.
        base = _base_from(*compute(trial.base, worker, time_limit, perturbation=perturbation))
    try:
        if base.error is not None:
            return make_record(trial, {"error": base.error}, {}), {}
        answer, arrays = worker.run(trial.to_dict(), time_limit, base.outcome, perturbation)
    except (TimeoutError, WorkerDied) as error:
        answer, arrays = {"error": f"{type(error).__name__}: {error}"}, {}
    changed = answer.get("code", trial.code) != trial.code
    if changed and ":" not in trial.solver:
        raise WorkerError(
            f"the code of {trial.solver!r} changed while the run went on (from {trial.code} to "
            f"{answer['code']}); start the run again."
        )
    try:
        if changed:
            raise ValueError(f"its code is no longer {trial.code}; start the run again")
        record = make_record(trial, answer, arrays)
        to_row(record)
        for name in arrays:
            name.encode()
    except _MALFORMED as error:
        why = f"BadAnswer: the child gave what no record holds: {type(error).__name__}: {error}"
        record, arrays = (
            make_record(trial, {"error": why.encode(errors="replace").decode()}, {}),
            {},
        )
    return record, arrays


@dataclass(frozen=True)
class Base:
    """Outcome or error of the trial that another starts from, if either is known."""

    outcome: Outcome | None = None
    error: str | None = None


def _base_of(trial: Trial, store: Store) -> Base:
    """Outcome or error of ``trial.base``, from the store."""
    found = [] if trial.base is None else store.records([trial.base.key])
    if not found:
        return Base()
    (record,) = found
    return _base_from(record, store.arrays(record["key"]))


def _base_from(record, arrays) -> Base:
    if record["status"] == "failed":
        why = reason(record["error"])
        return Base(error=f"BaseFailed: trial {record['key']}, {record['task']}, failed: {why}")
    fit = {name: record[name] for name in FIT}
    return Base(Outcome(record["metrics"], fit, arrays))


def make_record(
    trial: Trial, answer: dict[str, Any], arrays: dict[str, np.ndarray]
) -> dict[str, Any]:
    """Record of a trial, as the store keeps it.

    Parameters
    ----------
    trial : Trial
    answer : dict
        Of the child: ``outcome``, with ``metrics`` and ``fit``, or ``error``; ``elapsed`` seconds
        and bytes of ``peak_memory``, if they are known.
    arrays : dict of str to ndarray
        Of the outcome; of the ``trace`` the record keeps the first objectives.
    """
    outcome = answer.get("outcome", {"metrics": {}, "fit": {}})
    wrapped = registry.solvers[trial.solver].info.get("wraps")
    record = trial.to_dict() | {
        "key": trial.key,
        "declared": trial.declared,
        "code": trial.code,
        "status": "failed" if "error" in answer else "done",
        "error": answer.get("error"),
        "metrics": outcome["metrics"],
        "first_objectives": first_objectives(arrays.get("trace")),
        "elapsed": answer.get("elapsed"),
        "peak_memory": answer.get("peak_memory"),
        "host": host(),
        "versions": versions(*([] if wrapped is None else [wrapped])) | answer.get("target", {}),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    return record | {name: outcome["fit"].get(name) for name in FIT}


def first_objectives(trace) -> list[float | None] | None:
    """The objective of a fit up to iteration :data:`FIRST`; None for one that is not finite."""
    if trace is None:
        return None
    values = trace["objective"][trace["iteration"] <= FIRST]
    return [float(value) if np.isfinite(value) else None for value in values]


def _local(trials, store, put, workers, limits, wanted, ready) -> Generator[dict[str, Any]]:
    """Store the records in the order in which they finish; the workers are closed if it is cut off.

    The thread that waits for a trial also stores its record: Ctrl-C, which Python raises in the
    main thread only, never comes between the end of a trial and its record.
    """
    idle: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        idle.put(worker)
    stopping = threading.Event()
    todo = iter(trials)

    def work():
        worker = idle.get()
        try:
            if stopping.is_set():
                return None
            trial = next(todo)  # only now, so that trials start in order
            while wanted(trial) and not ready(trial):
                if stopping.wait(_PATIENCE):
                    return None
            if not wanted(trial):
                return None
            record, arrays = compute(trial, worker, limits.seconds, _base_of(trial, store))
            if stopping.is_set() and record["status"] == "failed":  # as it was killed
                return None
            put(record, arrays)
            return record
        finally:
            idle.put(worker)

    # Threads suffice: each only waits for its child. Never fewer than two of them, because joblib
    # would do the work of one in the main thread; the number of children is the limit.
    parallel = Parallel(
        max(2, len(workers)), "threading", batch_size=1, return_as="generator_unordered"
    )
    records = parallel(delayed(work)() for _ in trials)
    try:
        for record in records:
            if record is not None:
                yield record
    except BaseException:
        stopping.set()
        for worker in workers:
            worker.kill()
        raise
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that tasks were cancelled
            records.close()  # whose threads have nothing to wait for now
        for worker in [idle.get() for _ in workers]:  # once none stores a record any more
            idle.put(worker)


def _on_cluster(
    trials, store, put, address, limits, wanted, target, *, one_at_a_time
) -> Generator[dict[str, Any]]:
    """Store the records in the order in which a Dask cluster gives them."""
    try:
        from distributed import Client, KilledWorker, as_completed
    except ImportError:
        raise SchedulerError(
            "--scheduler needs Dask's distributed scheduler: pip install 'nmfbench[distributed]'."
        ) from None
    try:
        client = Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError) as error:  # the last two of TLS
        raise SchedulerError(
            f"no Dask scheduler answers at {address!r} ({error}); start one with "
            "'dask scheduler' and give its address, such as tcp://localhost:8786."
        ) from None
    # As above: a thread writes, which Ctrl-C does not reach.
    with client, _warned_of_no_workers(client, address), ThreadPoolExecutor(1) as writer:
        size = 1 if one_at_a_time else _SENT
        for start in range(0, len(trials), size):
            sent = {
                client.submit(
                    _compute_remotely,
                    trial.to_dict(),
                    limits,
                    _base_of(trial, store),
                    target,
                    pure=False,
                ): trial
                for trial in trials[start : start + size]
                if wanted(trial)
            }
            finished = as_completed(sent, loop=client.loop, with_results=True, raise_errors=False)
            for future, answer in finished:
                trial = sent.pop(future)
                why = _failure(answer)
                if why is not None:
                    if not isinstance(why, KilledWorker):
                        raise SchedulerError(
                            f"the workers of {address} cannot compute trials: {why!r}"
                        ) from why
                    answer = make_record(trial, {"error": f"the Dask worker died: {why}"}, {}), {}
                if (answer[0]["key"], answer[0]["code"]) != (trial.key, trial.code):
                    raise SchedulerError(
                        f"the workers of {address} run other code for {trial.solver!r} than is "
                        "installed here; install the same on all, and restart the workers."
                    )
                writer.submit(put, *answer).result()
                yield answer[0]


def _failure(answer):
    """The exception in place of what a Dask worker returned, or None.

    The status of the future does not tell: a result that has arrived, and waits here, is lost
    again with its worker.
    """
    if isinstance(answer, BaseException):  # cancelled
        return answer
    return answer[1] if isinstance(answer[0], type) else None  # as of sys.exc_info()


@contextlib.contextmanager
def _warned_of_no_workers(client, address):
    """Warn at intervals while a cluster has no workers, so that nobody waits without knowing."""
    over = threading.Event()

    def look():
        while not over.wait(_SILENCE):
            with contextlib.suppress(Exception):  # the run itself will tell of a lost scheduler
                idle = not client.nthreads()
                if idle and not over.is_set():
                    warnings.warn(
                        f"the trials wait, as no worker is connected to {address} at "
                        f"{datetime.now():%H:%M:%S}; start one with 'dask worker {address}', where "
                        "the same nmfbench is installed.",
                        UserWarning,
                        stacklevel=1,
                    )

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(1)


_of_thread = threading.local()


def _compute_remotely(values, limits, base, target):
    """As :func:`compute`, on a Dask worker: each of its threads keeps one child."""
    worker, kind = getattr(_of_thread, "held", (None, None))
    if worker is None or kind != (limits.memory, target):
        if worker is not None:
            worker.close()
        worker = Worker(limits.memory, target)
        _of_thread.held = worker, (limits.memory, target)
    return compute(Trial.from_dict(values), worker, limits.seconds, base)
