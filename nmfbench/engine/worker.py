"""A child process that computes trials, and the parent's handle on it.

Every trial runs in such a child, whoever dispatches it. The child can be killed: a trial that
hangs, eats the memory or crashes the interpreter becomes a failed record and nothing else. Each
child computes under one numerical target (:mod:`nmfbench.trials.target`) and on one thread, so that
children do not fight for cores and the numbers do not depend on how many of them there are.

The two talk in JSON and numpy's own format over pipes; nothing is pickled. A guard between them,
see :mod:`nmfbench.core.guard`, ends the child with all that it has started when the parent ends,
however it ends, even in the midst of compiled code.
"""

from __future__ import annotations

import contextlib
import faulthandler
import fcntl
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from nmfbench.core.guard import End, Guarded, Handle, default_memory_limit, proc_bytes
from nmfbench.core.template import AVAILABLE, fork_guarded
from nmfbench.records.arrays import from_bytes, to_bytes
from nmfbench.tasks.base import Outcome
from nmfbench.trials.target import NATIVE, environment, target_of

__all__ = ["MemoryExceeded", "Worker", "WorkerDied", "WorkerError"]

_START_LIMIT = 1800  # seconds: a niced child of a busy machine takes minutes to import
_TAIL = 20_000  # bytes of what the child wrote to standard error, in error messages
_FROM_OUTSIDE = (signal.SIGTERM, signal.SIGHUP)
_LONGEST_ERROR = 20_000  # characters
_FILE_LIMIT = 1 << 31  # bytes of a file that the child writes, its log of errors among them

_LONGEST_ANSWER = 1 << 26  # bytes, without arrays
_TRANSFER_LIMIT = 120  # seconds for a message that has begun
_GRACE = 1  # seconds

_clock = time.perf_counter  # the system's, whatever a solver puts in its place

_IMPORT = """
from nmfbench.engine.worker import import_all
import_all()
"""
_SERVE = """
import json, sys
from nmfbench.engine.worker import serve
serve(*json.loads(sys.argv.pop()))
"""


class WorkerDied(RuntimeError):
    """The child process ended, or was ended, before it answered."""


class MemoryExceeded(WorkerDied):
    """The child was ended, as it used more memory than the limit, with all that it started."""


class WorkerError(RuntimeError):
    """No trial can be computed here: the child does not start, or runs other code."""


class _NoAnswerError(Exception):
    """Something else than an answer came, as a solver wrote into the pipe."""


class Worker:
    """Parent's handle on a child process; the child starts with the first trial.

    Parameters
    ----------
    memory_limit : int, optional
        Bytes of memory. Where the child allocates more by itself, MemoryError is raised in it;
        where it holds more together with all that it started, it is ended. By default a share of
        what is available now.
    target : str, optional
        Numerical target of the child; by default that of untimed trials.
    """

    def __init__(self, memory_limit: int | None = None, target: str | None = None):
        self.memory_limit = memory_limit or default_memory_limit()
        self.target = target or target_of(timed=False)
        self._environment = environment(self.target)
        self._child: Handle | None = None
        self._guest = None  # whose external code ran in the child, if any
        self._closed = False
        self._using = threading.Lock()  # held by the thread that talks to the child
        self._starting = threading.Lock()  # so that a kill never misses a child

    def run(
        self,
        trial: dict[str, Any],
        time_limit: float | None = None,
        base: Outcome | None = None,
        perturbation: int | None = None,
    ):
        """Compute a trial in the child.

        Parameters
        ----------
        trial : dict
            As ``Trial.to_dict`` gives it.
        time_limit : float, optional
            Seconds after which the child is killed.
        base : Outcome, optional
            What the trial starts from, if it is known; otherwise the child computes it.
        perturbation : int, optional
            See :func:`~nmfbench.engine.perform.perform`.

        Returns
        -------
        answer : dict
            ``outcome`` (metrics and fit) or ``error`` (a traceback), with ``elapsed`` seconds,
            ``peak_memory``, the fingerprint of the ``code`` that the child runs, and the numerical
            ``target`` in force.
        arrays : dict of ndarray

        Raises
        ------
        TimeoutError
            If the trial took longer than ``time_limit``.
        MemoryExceeded
            If the child used too much memory, with all that it started.
        WorkerDied
            If the child ended before it answered, or gave no answer that can be read, or the
            worker is closed.
        WorkerError
            If the child does not start.
        """
        request, blobs = {"trial": trial, "base": None, "perturbation": perturbation}, {}
        if base is not None:
            blobs = {name: to_bytes(array) for name, array in base.arrays.items()}
            request["base"] = {"metrics": base.metrics, "fit": base.fit, "arrays": list(blobs)}
        # What starts from known factors runs no external code, see perform.
        return self._exchange(request, blobs, time_limit, trial["solver"] if base is None else "")

    def call(
        self,
        function: str,
        arguments: dict[str, Any],
        time_limit: float | None = None,
        solver: str = "",
    ) -> Any:
        """Call a function of this package in the child.

        Parameters
        ----------
        function : str
            Such as ``"nmfbench.checks:perform_check"``.
        arguments : dict
            Keyword arguments; what JSON can hold.
        time_limit : float, optional
            Seconds after which the child is killed.
        solver : str, optional
            Key of the solver that it runs.

        Returns
        -------
        object
            What the function returned, by way of JSON.

        Raises
        ------
        TimeoutError, WorkerDied, WorkerError
            As of :meth:`run`.
        RuntimeError
            If the function raised; the message is the traceback.
        """
        request = {"call": function, "arguments": arguments, "base": None}
        answer, _ = self._exchange(request, {}, time_limit, solver)
        if "result" not in answer:
            raise RuntimeError(answer.get("error", "the answer has no result"))
        return answer["result"]

    def _exchange(self, request, blobs, time_limit, solver):
        guest = solver.rpartition(":")[0] or None  # the file or module of an external class
        with self._using:
            if self._child is not None and self._answers.poll():  # it ended while it was idle
                self._end()
            # Traces that it left in the process concern no other solver.
            if self._guest not in (None, guest):
                self._end()
            if self._child is None:
                self._start()
            self._guest = guest
            try:
                return self._ask(request, blobs, time_limit)
            except TimeoutError:
                self._end()
                raise
            except (EOFError, OSError, _NoAnswerError) as error:
                raise self._death(isinstance(error, _NoAnswerError)) from None
            except BaseException:  # the pipes are out of step
                self._end()
                raise

    def kill(self):
        """End the child for good, whatever it is doing; from any thread, at once."""
        with self._starting:
            self._closed = True
            self._kill()

    def close(self):
        """End the child for good, and wait until it has ended."""
        self.kill()
        with self._using:
            self._end()

    def _ask(self, request, blobs, time_limit):
        os.ftruncate(self._log.fileno(), 0)
        with self._transfer():
            self._requests.send_bytes(json.dumps(request).encode())
            for blob in blobs.values():
                self._requests.send_bytes(blob)
        if not self._answered(time_limit):
            raise TimeoutError(
                f"the trial exceeded its time limit of {time_limit:g} s\n{self._whereabouts()}"
            )
        try:
            with self._transfer():
                answer = json.loads(self._answers.recv_bytes(_LONGEST_ANSWER))
                arrays = {
                    name: from_bytes(self._answers.recv_bytes(size))
                    for name, size in answer.pop("arrays").items()
                }
            spent = answer.pop("spent")
        except EOFError:
            raise
        except OSError as error:
            if self._answers.closed:  # which it is after a length that cannot be
                raise _NoAnswerError from error
            raise
        except Exception as error:  # what was read may be anything
            raise _NoAnswerError from error
        if spent:
            self._end()
        return answer, arrays

    @contextlib.contextmanager
    def _transfer(self):
        """Kill a child that does not take, or give, the rest of a message."""
        timer = threading.Timer(_TRANSFER_LIMIT, self._running.kill)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _answered(self, time_limit) -> bool:
        deadline = float("inf") if time_limit is None else time.monotonic() + time_limit
        while not self._answers.poll(max(0, min(1, deadline - time.monotonic()))):
            # Where nobody guards them, processes that it forked may keep the pipe open.
            if self._running.ended() and not self._answers.poll():
                raise EOFError
            if time.monotonic() >= deadline:
                return False
        return True

    def _start(self):
        pipes = [os.pipe() for _ in range(2)]
        (to_child, requests), (answers, from_child) = pipes
        theirs = (to_child, from_child)
        log = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  closed in _end
        fcntl.fcntl(log, fcntl.F_SETFL, fcntl.fcntl(log, fcntl.F_GETFL) | os.O_APPEND)
        try:
            with self._starting:
                if self._closed:
                    raise WorkerDied("the worker is closed")
                self._child = self._new_child(theirs, log)
        except BaseException as error:
            for pipe in (requests, answers):
                os.close(pipe)
            log.close()
            if isinstance(error, OSError):
                raise WorkerError(f"cannot start {sys.executable}: {error}.") from error
            raise
        finally:
            for pipe in theirs:
                os.close(pipe)
        self._requests = Connection(requests, readable=False)
        self._answers = Connection(answers, writable=False)
        self._log = log
        try:
            ready = self._answered(_START_LIMIT)
            problem = json.loads(self._answers.recv_bytes()) if ready else "it takes too long"
        except (EOFError, OSError):
            self._running.ended(_GRACE)
            problem = self._tail() or self._running.words() or "it says nothing"
        except BaseException:
            self._end()
            raise
        if problem is not None:
            end = self._end() or End()
            if self._closed:
                raise WorkerDied("the worker was closed")
            if end.held is not None:
                problem = _too_low(self.memory_limit, end.held)
            raise WorkerError(
                f"the process that computes trials does not start ({_how(end.code)}): {problem}"
            )

    def _new_child(self, fds, log) -> Handle:
        variables = os.environ | self._environment | {"PYTHONHASHSEED": "0"}
        # The first fits of a forked process pay for pages that it shares with its template: timed
        # trials, which are native, have fresh ones.
        if AVAILABLE and self.target != NATIVE:
            limit = self.memory_limit
            return fork_guarded(
                _IMPORT, variables, _SERVE, [limit], memory_limit=limit, fds=fds, stderr=log
            )
        return Guarded(
            _SERVE,
            json.dumps([*fds, self.memory_limit]),
            memory_limit=self.memory_limit,
            pass_fds=fds,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # what a solver prints is not our output
            stderr=log,
        )

    def _death(self, by_us):
        """The error of a child that ends, or that is ended as its answer cannot be read."""
        by_us = by_us or not self._running.ended(_GRACE)
        tail = self._tail()
        end = self._end() or End()
        if end.held is not None:
            return MemoryExceeded(
                f"the processes of the trial held {end.held / 1e6:.0f} MB, more than the memory "
                f"limit of {self.memory_limit / 1e6:.0f} MB"
            )
        if self._closed:
            return WorkerDied("the worker was closed")
        if by_us or end.code is None:
            how = "was ended, as something else than its answer came through the pipe of answers"
        else:
            how = f"ended with {_how(end.code)}"
            if -end.code in _FROM_OUTSIDE:  # a batch system asks all processes to end,
                time.sleep(_GRACE)  # this one, too: then there is no record
        return WorkerDied(
            f"the process that computed the trial {how}"
            + (f"\nIt wrote last:\n{tail}" if tail else "")
        )

    def _end(self) -> End | None:
        if self._child is None:
            return None
        end = self._child.close()
        for pipe in (self._requests, self._answers, self._log):
            pipe.close()
        self._child = self._guest = None
        return end

    @property
    def _running(self) -> Handle:
        """The child, where there is one."""
        if self._child is None:
            raise WorkerDied("the worker has no process")
        return self._child

    def _kill(self):
        """Kill the child and all that it started."""
        child = self._child
        if child is not None:
            child.kill()

    def _tail(self) -> str:
        size = os.fstat(self._log.fileno()).st_size
        text = os.pread(self._log.fileno(), _TAIL, max(0, size - _TAIL)).decode(errors="replace")
        lines = [line for line in text.splitlines() if not line.startswith("Extension modules:")]
        return "\n".join(lines).strip()

    def _whereabouts(self) -> str:
        """Ask a child that hangs for its traceback; it answers even from compiled code."""
        before = self._tail()
        self._running.signal()
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            time.sleep(0.02)
            if self._tail() != before:
                time.sleep(0.05)  # the rest of it
                break
        return self._tail()


def _too_low(memory_limit, held) -> str:
    return (
        f"the memory limit of {memory_limit / 1e6:.0f} MB is too low, {held / 1e6:.0f} MB are "
        "taken before the first trial."
    )


def _how(code) -> str:
    if code is None:
        return "it was ended"
    if code >= 0:
        return f"exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = "unknown"
    hint = ", perhaps because the machine ran out of memory" if name == "SIGKILL" else ""
    return f"signal {-code}, {name}{hint}"


def serve(request_fd, answer_fd, memory_limit):
    """Be the child: answer requests until the parent is gone."""
    errors = os.fdopen(os.dup(2), "w")  # kept, whatever a solver does to sys.stderr
    faulthandler.enable(errors)
    faulthandler.register(signal.SIGUSR1, errors, all_threads=False)
    for fd in (request_fd, answer_fd):
        os.set_inheritable(fd, False)
    requests = Connection(request_fd, writable=False)
    answers = Connection(answer_fd, readable=False)
    answers.send_bytes(json.dumps(_prepare(memory_limit)).encode())
    from nmfbench.engine.perform import TrialCache

    cache = TrialCache()
    own = os.getpid()
    while True:
        try:
            request = json.loads(requests.recv_bytes())
            base = request["base"]
            if base is not None:
                arrays = {name: from_bytes(requests.recv_bytes()) for name in base["arrays"]}
                base = Outcome(base["metrics"], base["fit"], arrays)
        except (EOFError, OSError):
            os._exit(0)
        if "call" in request:
            answer, blobs = _call(request["call"], request["arguments"]), {}
        else:
            answer, blobs = _compute(request["trial"], base, cache, request["perturbation"])
        if os.getpid() != own:  # a solver forked, and its child returned: one answer is enough
            os._exit(0)
        sizes = {name: len(blob) for name, blob in blobs.items()}
        answers.send_bytes(json.dumps(answer | {"arrays": sizes}).encode())
        for blob in blobs.values():
            answers.send_bytes(blob)


def import_all():
    """Import what trials need, so that their time does not count it."""
    import nmfbench.engine.perform  # noqa: F401
    from nmfbench.core import registry

    for names in (registry.solvers, registry.datasets, registry.tasks, registry.corruptions):
        len(names)


def _prepare(memory_limit):
    """Get ready, then set the limit; returns what is wrong, or None."""
    import_all()
    from scipy.linalg.blas import dgemm

    from nmfbench.trials.target import in_force

    square = np.ones((256, 256))  # large enough that numpy's BLAS and scipy's take their buffers,
    _ = square @ square, dgemm(1.0, square, square)  # without which they end the process
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_LIMIT, _FILE_LIMIT))
    in_force()
    used = proc_bytes("self", "status", "VmData")
    if used >= memory_limit:
        return _too_low(memory_limit, used)
    resource.setrlimit(resource.RLIMIT_DATA, (memory_limit, memory_limit))
    return None


def _call(function, arguments):
    """Answer one request: what a function returns, or its traceback."""
    module, _, name = function.partition(":")
    try:
        result = getattr(importlib.import_module(module), name)(**arguments)
        return {"result": json.loads(json.dumps(result, allow_nan=False)), "spent": False}
    except BaseException as error:
        return {"error": _traceback(), "spent": isinstance(error, MemoryError)}


def _compute(values, base, cache, perturbation):
    """Answer one request: a description in JSON, and the arrays in numpy's format."""
    from nmfbench.engine.perform import perform
    from nmfbench.trials.target import in_force
    from nmfbench.trials.trial import Trial

    before, files, began = _reset_peak_memory(), _file_memory(), _clock()
    answer: dict[str, Any] = {"target": in_force()}
    blobs: dict[str, bytes] = {}
    spent = False
    try:
        trial = Trial.from_dict(values)
        answer["code"] = trial.code
        outcome = perform(trial, base, cache, perturbation=perturbation)
        blobs = {str(name): to_bytes(array) for name, array in outcome.arrays.items()}
        values = {"metrics": outcome.metrics, "fit": outcome.fit}
        answer["outcome"] = json.loads(json.dumps(values, allow_nan=False))
    except BaseException as error:  # sys.exit() and a stray KeyboardInterrupt among them
        answer["error"], blobs = _traceback(), {}
        spent = isinstance(error, MemoryError)  # what is left of the process is not to be trusted
    elapsed = _clock() - began
    # Code of libraries is no memory of the trial, nor of its data: what files hold does not count.
    peak = _peak_memory() - before - max(0, _file_memory() - files)
    cost = {"elapsed": elapsed, "peak_memory": max(0, peak)}
    return answer | cost | {"spent": spent}, blobs


def _traceback() -> str:
    """Traceback of the current exception, without characters that cannot be encoded."""
    return traceback.format_exc()[-_LONGEST_ERROR:].encode(errors="replace").decode()


def _reset_peak_memory() -> int:
    """Forget the highest memory use so far (where Linux allows) and return the present one."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return _peak_memory()


def _file_memory() -> int:
    """Bytes of files that are resident for this process, where Linux tells."""
    return proc_bytes("self", "status", "RssFile")


def _peak_memory() -> int:
    """Highest resident memory since the last reset, in bytes."""
    highest = proc_bytes("self", "status", "VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return highest or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
