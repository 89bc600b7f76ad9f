"""Time of jobs on a number of cores."""

from itertools import permutations

import numpy as np
import pytest
from engine import on_digits, trial

from nmfbench.engine.makespan import Job, jobs_of, longest_chain, makespan


def job(seconds, after=None):
    return Job(seconds, after, trial("spa"))


def in_order(jobs, order, cores):
    """Seconds of jobs that are begun in an order, each on the core that is free first."""
    free, done = [0.0] * cores, {}
    for k in order:
        ready = 0.0 if jobs[k].after is None else done[jobs[k].after]
        core = int(np.argmin(free))
        done[k] = free[core] = max(free[core], ready) + jobs[k].seconds
    return max(free)


@pytest.mark.parametrize("seed", range(20))
def test_it_is_between_the_bounds_and_near_the_best_order(seed):
    """No schedule is shorter than the work by the cores, or than a chain; the best of all orders,
    by brute force, is at most a third shorter (Graham's bound for the longest first, two cores)."""
    rng = np.random.default_rng(seed)
    jobs = [job(s) for s in rng.uniform(0.1, 2.0, 3)]
    jobs += [job(s, int(rng.integers(3))) for s in rng.uniform(0.1, 2.0, 3)]
    found, work = makespan(jobs, 2), sum(j.seconds for j in jobs)
    chain = sum(j.seconds for j in longest_chain(jobs))
    assert max(work / 2, chain) - 1e-12 <= found <= work / 2 + chain
    after = {k: j.after for k, j in enumerate(jobs) if j.after is not None}
    orders = (
        order
        for order in permutations(range(6))
        if all(order.index(fit) < order.index(k) for k, fit in after.items())
    )
    best = min(in_order(jobs, order, 2) for order in orders)
    assert best - 1e-12 <= found <= 4 / 3 * best
    assert makespan(jobs, 1) == pytest.approx(work)
    assert makespan(jobs, 100) == pytest.approx(chain)


def test_no_jobs_take_no_time():
    """Neither has an empty grid a chain."""
    assert makespan([], 3) == 0
    assert longest_chain([]) == []
    assert jobs_of([], lambda trial: 1.0) == []


def test_fits_come_first_and_timed_rivals_stay_together():
    """A fit that several trials start from is one job, and so are timed trials on one problem."""
    shared = [on_digits(task) for task in ("recognition", "reconstruction")]
    clocked = [trial(solver, timed=True) for solver in ("spa", "xray-l2")]
    elsewhere = trial("spa", timed=True, repeat=1)
    jobs = jobs_of([*shared, *clocked, elsewhere], lambda trial: 2.0 if trial.timed else 1.0)
    assert [(j.seconds, j.after) for j in jobs] == [
        (4.0, None),  # both on one problem
        (2.0, None),
        (1.0, None),  # the fit
        (1.0, 2),
        (1.0, 2),
    ]
    assert jobs[2].trial == shared[0].base
    assert [j.trial for j in jobs[3:]] == shared
