"""Time of a grid on a number of cores, simulated from what its trials cost."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from nmfbench.trials.trial import Trial

__all__ = ["Job", "jobs_of", "longest_chain", "makespan"]


@dataclass(frozen=True)
class Job:
    """Trials that one core computes without a break.

    Attributes
    ----------
    seconds : float
        CPU seconds.
    after : int or None
        Place of the job that has to be finished before, which comes earlier in the list.
    trial : Trial
        The longest of its trials.
    """

    seconds: float
    after: int | None
    trial: Trial


def jobs_of(trials: Iterable[Trial], cost: Callable[[Trial], float]) -> list[Job]:
    """A trial is a job after the fit that it starts from, and all timed trials on one problem are
    one job, as they have to be compared on one machine.

    Parameters
    ----------
    trials : iterable of Trial
        The fits that they start from are added.
    cost : callable
        Trial -> CPU seconds, without the fit that it starts from.
    """
    distinct = {t.key: t for trial in trials for t in (trial.base, trial) if t is not None}
    timed: dict[str, list[Trial]] = {}
    for trial in distinct.values():
        if trial.timed:
            timed.setdefault(trial.timed_problem, []).append(trial)
    jobs = [Job(sum(map(cost, block)), None, max(block, key=cost)) for block in timed.values()]
    place = {trial.key: k for k, block in enumerate(timed.values()) for trial in block}
    # Fits come before what starts from them, and no fit starts from another one.
    for trial in sorted(distinct.values(), key=lambda trial: trial.base is not None):
        if not trial.timed:
            place[trial.key] = len(jobs)
            after = None if trial.base is None else place[trial.base.key]
            jobs.append(Job(cost(trial), after, trial))
    return jobs


def longest_chain(jobs: Sequence[Job]) -> list[Job]:
    """The jobs, one after another, that take longest: no number of cores makes them shorter."""
    chain: list[Job] = []
    for job in jobs:
        before = [] if job.after is None else [jobs[job.after]]
        if _seconds([*before, job]) > _seconds(chain):
            chain = [*before, job]
    return chain


def _seconds(jobs):
    return sum(job.seconds for job in jobs)


def makespan(jobs: Sequence[Job], cores: int) -> float:
    """Seconds until all jobs are finished.

    A core that is free takes the job with the longest chain ahead of it, of those whose fit is
    there (list scheduling by the critical path). Cores are alike, and nothing else takes time.

    Parameters
    ----------
    jobs : sequence of Job
    cores : int

    Examples
    --------
    >>> work = [Job(3.0, None, None), Job(2.0, 0, None), Job(2.0, 0, None), Job(4.0, None, None)]
    >>> [makespan(work, cores) for cores in (1, 2, 3)]
    [11.0, 6.0, 5.0]
    """
    ahead: list[list[int]] = [[] for _ in jobs]
    for k, job in enumerate(jobs):
        if job.after is not None:
            ahead[job.after].append(k)
    chain = [
        job.seconds + max((jobs[k].seconds for k in ks), default=0.0)
        for job, ks in zip(jobs, ahead, strict=True)
    ]
    ready = [(-chain[k], k) for k, job in enumerate(jobs) if job.after is None]
    heapq.heapify(ready)
    running: list[tuple[float, int]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < cores:
            _, k = heapq.heappop(ready)
            heapq.heappush(running, (now + jobs[k].seconds, k))
        now, done = heapq.heappop(running)
        for k in ahead[done]:
            heapq.heappush(ready, (-chain[k], k))
    return now
