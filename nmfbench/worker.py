"""A child process that computes trials, and the parent's handle on it.

Every trial runs in such a child, whoever dispatches it. The child can be killed: a trial that
hangs, eats the memory or crashes the interpreter becomes a failed record and nothing else. Each
child computes on one thread, so that children do not fight for cores and the numbers do not
depend on how many of them there are.

The two talk in JSON and numpy's own format over two pipes; nothing is pickled.
"""

from __future__ import annotations

import io
import json
import os
import resource
import subprocess
import sys
import threading
import traceback
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

import numpy as np

__all__ = ["Worker", "WorkerDied"]

_THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA", "VECLIB_MAXIMUM")


class WorkerDied(RuntimeError):
    """The child process ended, or was ended, before it answered."""


class Worker:
    """Parent's handle on a child process; the child starts with the first trial.

    Parameters
    ----------
    memory_limit : int, optional
        Bytes of memory that the child may allocate in all; more raises MemoryError in it.
    """

    def __init__(self, memory_limit: int | None = None):
        self.memory_limit = memory_limit
        self._process = None
        self._lock = threading.Lock()

    def run(self, trial: dict[str, Any], time_limit: float | None = None):
        """Compute a trial in the child.

        Parameters
        ----------
        trial : dict
            As ``Trial.to_dict`` gives it.
        time_limit : float, optional
            Seconds after which the child is killed.

        Returns
        -------
        answer : dict
            ``outcome`` (metrics and fit) or ``error`` (a traceback), with ``peak_memory``.
        arrays : dict of ndarray

        Raises
        ------
        TimeoutError
            If the trial took longer than ``time_limit``.
        WorkerDied
            If the child ended before it answered.
        """
        if self._process is None or self._process.poll() is not None:
            self._start()
        try:
            self._requests.send_bytes(json.dumps(trial).encode())
            if not self._answers.poll(time_limit):
                raise TimeoutError(f"the trial exceeded its time limit of {time_limit:g} s")
            answer = json.loads(self._answers.recv_bytes())
            arrays = np.load(io.BytesIO(self._answers.recv_bytes()), allow_pickle=False)
            return answer, dict(arrays)
        except TimeoutError:
            self._end()
            raise
        except (EOFError, OSError):
            code = self._end()
            how = f"signal {-code}" if code and code < 0 else f"exit code {code}"
            raise WorkerDied(f"the process that computed the trial ended with {how}") from None

    def close(self):
        """End the child, whatever it is doing."""
        if self._process is not None:
            self._end()

    def _start(self):
        to_child, self._requests = _pipe()
        self._answers, from_child = _pipe()
        ends = (to_child.fileno(), from_child.fileno())
        limit = str(self.memory_limit or 0)
        with self._lock:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "nmfbench.worker", *map(str, ends), limit],
                pass_fds=ends,
                env=os.environ | {f"{name}_NUM_THREADS": "1" for name in _THREADS},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # what a solver prints must not mix with our output
                start_new_session=True,  # Ctrl-C is for the parent, which then ends the child
            )
        to_child.close()
        from_child.close()

    def _end(self):
        with self._lock:
            self._process.kill()
            code = self._process.wait()
        self._requests.close()
        self._answers.close()
        self._process = None
        return code


def _pipe():
    read, write = os.pipe()
    return Connection(read, writable=False), Connection(write, readable=False)


def _main(request_fd, answer_fd, memory_limit):
    """Answer requests until the parent is gone."""
    requests = Connection(request_fd, writable=False)
    answers = Connection(answer_fd, readable=False)
    if memory_limit:
        resource.setrlimit(resource.RLIMIT_DATA, (memory_limit, memory_limit))
    queue: SimpleQueue[bytes] = SimpleQueue()

    def listen():
        # In a thread of its own, so that the parent's death ends the child in mid-trial.
        while True:
            try:
                queue.put(requests.recv_bytes())
            except (EOFError, OSError):
                os._exit(1)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        answer, arrays = _compute(json.loads(queue.get()))
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **arrays)
        answers.send_bytes(json.dumps(answer).encode())
        answers.send_bytes(buffer.getvalue())


def _compute(request):
    from nmfbench.perform import perform
    from nmfbench.trials import Trial

    before = _reset_peak_memory()
    try:
        outcome = perform(Trial.from_dict(request))
        answer = {"outcome": {"metrics": outcome.metrics, "fit": outcome.fit}}
        arrays = outcome.arrays
    except Exception:
        answer, arrays = {"error": traceback.format_exc()}, {}
    answer["peak_memory"] = max(0, _peak_memory() - before)
    return answer, arrays


def _reset_peak_memory() -> int:
    """Forget the highest memory use so far (where Linux allows) and return the present one."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        pass
    return _peak_memory()


def _peak_memory() -> int:
    """Highest resident memory since the last reset, in bytes."""
    try:
        with open("/proc/self/status") as file:
            line = next(line for line in file if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    except (OSError, StopIteration):
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    _main(*map(int, sys.argv[1:]))
