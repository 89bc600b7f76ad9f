"""Memory: what does a solver hold, and how long does a sample take, as a stream goes on?"""

from __future__ import annotations

import gc
import multiprocessing
import pickle
import resource
import shutil
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np
from numpy.lib.format import open_memmap
from sklearn.base import clone

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.tasks.base import Outcome
from nmfbench.tasks.stream import sample_costs

__all__ = ["memory"]

_HELD_OUT = 500  # samples for the cost at the end
_BLOCK = 1000  # samples of a call, at most
_PARTS = 10  # of a stream, each of which is measured
_PERIOD = 0.005  # seconds between looks at the memory


@register_task(
    "memory",
    summary="memory and time of a sample, fed from a file that need not fit into memory",
    score="bytes",
    score_name="bytes of the pickled solver after the stream",
    higher_is_better=False,
    needs={"partial_fit": "it learns from whole data only, which have to be in memory"},
    tolerances={"anonymous": np.inf, "seconds-*": np.inf},
    matters={
        "bytes": Ratio(0.10),
        "anonymous": Ratio(0.10),
        "seconds-a-sample": Ratio(0.10),
        "held-out": Ratio(0.02),  # a cost
        "visited-share": None,
        "out-of-memory": None,
    },
)
def memory(data, solver, rng, *, n_components, n_samples, patch=19, limit=600, allowance=None):
    """Learn from a memory-mapped file, block by block, in a fresh process of limited memory.

    The process ends with the trial, so that nothing of other trials is in its memory. What it
    allocates beyond its start counts (``RssAnon``), and not pages of the file, which the system
    keeps and drops as it likes; they would make every solver's memory grow with the file.

    Parameters
    ----------
    data : Bunch
        With ``X``, each row an image of ``image_shapes``, or all of ``image_shape``.
    solver : estimator
        With ``partial_fit``. One without is given the whole file as an array.
    rng : Generator
        Draws the samples.
    n_components : int
    n_samples : int
        Random patches of the images, in single precision.
    patch : int, default=19
        Side of a patch.
    limit : int, default=600
        Megabytes of the process's data segment. One that dies of it has a result, too.
    allowance : int, optional
        Megabytes that the data segment may grow by from the start of the stream on, in place of
        ``limit``.

    Returns
    -------
    Outcome
        Metrics ``out-of-memory`` (0 or 1) and, unless it is 1, ``bytes`` of the pickled solver,
        ``anonymous``, the peak of allocated bytes, ``seconds-a-sample``, ``held-out``, the mean
        cost of 500 other patches, and ``visited-share`` of solvers with a buffer. Arrays, of each
        tenth of the stream (of all of it, for a solver without ``partial_fit``): ``samples`` at
        its end, ``seconds`` of CPU time a sample, ``bytes`` and ``anonymous``.
    """
    solver.set_params(n_components=n_components)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream.npy"
        size = 4 * n_samples * patch**2
        if shutil.disk_usage(folder).free < 2 * size:
            raise OSError(f"{folder} has no room for a stream of {size / 1e9:.1f} GB.")
        stream = open_memmap(path, mode="w+", dtype=np.float32, shape=(n_samples, patch**2))
        for start in range(0, n_samples, _BLOCK):
            rows = min(_BLOCK, n_samples - start)
            stream[start : start + rows] = patches(data, rows, patch, rng)
        del stream
        fresh = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=fresh) as pool:
            try:
                model, metrics, arrays = pool.submit(
                    _learn, solver, path, limit, allowance
                ).result()
            except (MemoryError, BrokenProcessPool):
                return Outcome({"out-of-memory": 1.0}, _fit(0.0, 0, "out of memory"))
    held_out = patches(data, _HELD_OUT, patch, rng)
    cost = sample_costs(held_out.astype(np.float64), model.components_).mean()
    metrics |= {"out-of-memory": 0.0, "held-out": cost}
    seconds = float(np.sum(arrays["seconds"] * np.diff(arrays["samples"], prepend=0)))
    return Outcome(metrics, _fit(seconds, n_samples, "max_iter"), arrays)


def _fit(seconds, n_iter, reason):
    return {
        "seconds": seconds,
        "cpu_seconds": seconds,
        "n_iter": n_iter,
        "objective": None,
        "stop_reason": reason,
    }


def patches(data, count, side, rng):
    """Square patches at random places of random images, a row each, in single precision."""
    shapes = data.get("image_shapes") or [data.image_shape] * len(data.X)
    found = np.empty((count, side, side), dtype=np.float32)
    for k, i in enumerate(rng.integers(len(data.X), size=count)):
        height, width = shapes[i]
        y, x = rng.integers(height - side + 1), rng.integers(width - side + 1)
        found[k] = data.X[i].reshape(height, width)[y : y + side, x : x + side]
    return found.reshape(count, -1)


# -- in the fresh process ---------------------------------------------------------------------


class _Meter(threading.Thread):
    """Highest memory allocated by this process since the last call, in bytes."""

    def __init__(self):
        super().__init__(daemon=True)
        self.peak = 0
        self.start()

    def run(self):
        while True:
            self.peak = max(self.peak, _anonymous())
            time.sleep(_PERIOD)


class _Counter:
    """A file that keeps nothing but the number of bytes written."""

    size = 0

    def write(self, data):
        self.size += memoryview(data).nbytes


def _anonymous():
    return _of_process("RssAnon")


def _of_process(name):
    """Bytes that the system counts under a name."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))


def _pickled_size(model):
    counter = _Counter()
    pickle.Pickler(counter, protocol=5).dump(model)
    return counter.size


def _learn(solver, path, limit, allowance):
    X = np.load(path, mmap_mode="r")
    n, online = len(X), hasattr(solver, "partial_fit")
    tiny = np.array(X[: 2 * solver.n_components])  # compiles kernels and fills the caches
    clone(solver).partial_fit(tiny) if online else clone(solver).fit(tiny)
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    gc.collect()
    limit = 10**6 * (limit if allowance is None else allowance)
    if allowance is not None:
        limit += _of_process("VmData")
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    base, meter, rows = _anonymous(), _Meter(), []
    ends = [n * k // _PARTS for k in range(1, _PARTS + 1)] if online else [n]
    start = 0
    for end in ends:
        began, first = time.thread_time(), start
        while start < end:
            stop = min(start + _BLOCK, end)
            if online:
                solver.partial_fit(X[start:stop])
            else:
                solver.fit(np.array(X))
                stop = end
            start = stop
        seconds = (time.thread_time() - began) / (end - first)
        peak = max(meter.peak, _anonymous()) - base
        rows.append((end, seconds, _pickled_size(solver), peak))
    columns = ("samples", "seconds", "bytes", "anonymous")
    arrays = {
        name: np.array(column)
        for name, column in zip(columns, zip(*rows, strict=True), strict=True)
    }
    metrics = {
        "bytes": arrays["bytes"][-1],
        "anonymous": arrays["anonymous"].max(),
        "seconds-a-sample": arrays["seconds"].mean(),
    }
    if hasattr(solver, "visited_share_"):
        metrics["visited-share"] = solver.visited_share_
    return solver, metrics, arrays
