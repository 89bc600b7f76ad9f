"""``python -m benchmarks.cluster``: what a Dask cluster on this machine costs beside the work.

Trials that sleep need no core, so that they show what scheduler, workers and store add, for more
workers than there are cores; trials that compute show what is left of the cores. Each worker has
computed a trial before, so that imports do not count.

    python -m benchmarks.cluster --workers 1 2 4 8 --trials 40
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from pathlib import Path

from nmfbench.engine.runner import run
from nmfbench.guests import parse_solver
from nmfbench.records.store import Store
from nmfbench.trials.trial import Trial

_SLEEPER = """
import time

import numpy as np


class Sleeper:
    def __init__(self, n_components=2, seconds=0.2):
        self.n_components, self.seconds = n_components, seconds

    def fit(self, X):
        time.sleep(self.seconds)
        self.anchor_indices_ = np.arange(self.n_components)
        self.components_ = X[: self.n_components]
        return self
"""
SECONDS = 0.2
"""That a trial sleeps, or computes about."""

KINDS = ("sleeping", "computing")


def trials_of(kind, count, folder):
    """Trials of about :data:`SECONDS`, as many as asked for, that differ in their repeat alone."""
    if kind == "sleeping":
        file = folder / "sleeper.py"
        file.write_text(_SLEEPER, encoding="utf-8")
        solver, size = f"{file}:Sleeper(seconds={SECONDS})", (20, 10, 2)
    else:
        solver, size = "robust-xray", (400, 300, 20)
    spec = parse_solver(solver)
    names = ("n_samples", "n_features", "n_components")
    return [
        Trial(
            task="recovery",
            dataset="near-separable",
            dataset_params=dict(zip(names, size, strict=True)),
            solver=spec.solver,
            params=spec.params,
            corruption="sparse-laplace",
            level=0.3,
            repeat=repeat,
        )
        for repeat in range(count)
    ]


def timed(trials, workers, folder, address):
    """Wall seconds of a run, and the seconds that its trials took by their own clocks."""
    with Store(folder) as store:
        first = 2 * workers  # each worker imports and compiles with one of these
        run(trials[:first], store, scheduler=address)
        began = time.perf_counter()
        summary = run(trials[first:], store, scheduler=address)
        wall = time.perf_counter() - began
        if summary.done != len(trials) - first:
            raise RuntimeError(f"{summary.failed} of {len(trials)} trials failed")
        records = store.records([trial.key for trial in trials[first:]])
    return wall, sum(record["elapsed"] for record in records)


def main(argv=None) -> int:
    """Measure, print a table, and return 0."""
    from distributed import LocalCluster

    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--trials", type=int, default=40, help="of each worker (40)")
    args = parser.parse_args(argv)
    print("trials     workers    wall s   of a trial ms   beside its work ms   efficiency")
    for kind in KINDS:
        for workers in args.workers:
            with (
                tempfile.TemporaryDirectory() as name,
                warnings.catch_warnings(),
                LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    dashboard_address=None,
                    silence_logs=50,
                ) as cluster,
            ):
                warnings.simplefilter("ignore")
                folder = Path(name)
                trials = trials_of(kind, (args.trials + 2) * workers, folder)
                wall, worked = timed(trials, workers, folder / "store", cluster.scheduler_address)
            count = args.trials * workers
            each, work = 1000 * wall * workers / count, 1000 * worked / count
            print(
                f"{kind:10} {workers:7} {wall:9.2f} {each:15.1f} {each - work:20.1f} "
                f"{100 * work / each:10.0f} %",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
