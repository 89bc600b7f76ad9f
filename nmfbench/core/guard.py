"""A process that guards another with all that it starts: it limits their memory and ends them.

The guard is the parent of the process that it guards, and on Linux adopts whatever that one leaves
behind, a child with a session of its own among them. It ends them all once the guarded process
ends, once they hold more memory than the limit, and once the program that started the guard closes
its end of a socket or ends, however it ends. It imports little, so that it starts at once.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

__all__ = [
    "END_LIMIT",
    "SHARE",
    "End",
    "Guarded",
    "Handle",
    "begin_session",
    "default_memory_limit",
    "limited_memory",
    "proc_bytes",
    "run_guard",
]

SHARE = 0.8
"""Share of the memory available that all jobs together may hold, unless a limit is given."""

END_LIMIT = 10
"""Seconds until processes that have been killed are gone."""

_BOOT = """
import json, sys
life, kept, memory_limit, sys.path[:] = json.loads(sys.argv.pop())
from nmfbench.core.guard import run_guard
run_guard(life, kept, memory_limit)
"""
_PERIOD = 0.05  # seconds between looks at the memory, which are to cost little:
_LOOKS = 0.02  # of one core at most
_SIGNAL = b"s"  # asks the guard for a SIGUSR1
_DEATH_SIGNAL, _SUBREAPER = 1, 36  # of prctl(2): PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER
_FROM_OUTSIDE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


_AUTOGROUP = Path("/proc/self/autogroup")
_AUTOGROUP_TRIES = 20
_CONTAINER = (  # its limit, by cgroup v2 and v1
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def default_memory_limit(jobs: int = 1) -> int:
    """Bytes for each of several jobs, such that the machine, or the container, keeps some."""
    room = psutil.virtual_memory().available
    for file in _CONTAINER:
        with contextlib.suppress(OSError, ValueError):  # there is none, or "max"
            room = min(room, int(file.read_text()))
    return int(SHARE * room / jobs)


@contextlib.contextmanager
def limited_memory(n_bytes: int) -> Iterator[None]:
    """Within the block, this process may ask for so much more memory; beyond is a MemoryError.

    For parsers of files that are small and unpack to anything. The limit is of addresses, so that
    it holds before a page is touched, where the system enforces it, as Linux does.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = psutil.Process().memory_info().vms + n_bytes
    others = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([most, *others]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@dataclass(frozen=True)
class End:
    """The end of a guarded process.

    Attributes
    ----------
    code : int or None
        Its exit code, a signal as a negative number; None if the guard ended it.
    held : int or None
        Bytes of memory of the process and its children, if these were too many.
    """

    code: int | None = None
    held: int | None = None


class Handle:
    """What a program holds of a guarded process: the socket to its guard.

    Parameters
    ----------
    life : socket
    """

    def __init__(self, life: socket.socket):
        self._life = life

    def signal(self) -> None:
        """Send SIGUSR1 to the guarded process."""
        with contextlib.suppress(OSError):
            self._life.send(_SIGNAL)

    def kill(self) -> None:
        """End it with all that it has started, at once; from any thread."""
        with contextlib.suppress(OSError):
            self._life.shutdown(socket.SHUT_WR)

    def ended(self, timeout: float = 0) -> bool:
        """Whether all has ended, after ``timeout`` seconds at most."""
        raise NotImplementedError

    def close(self) -> End:
        """Kill it, wait until all has ended, and tell how it ended."""
        raise NotImplementedError

    def words(self) -> str:
        """What it wrote before its standard error was where it was to be."""
        return ""


class Guarded(Handle):
    """Handle on a guarded Python process, of the program that starts it.

    Parameters
    ----------
    code : str
        What the process runs.
    *args : str
        Its ``sys.argv[1:]``.
    memory_limit : int, optional
        Bytes that it may hold together with all that it has started: what is resident or swapped
        out, without files, and what several share once.
    pass_fds : sequence of int
        File descriptors that it inherits.
    **options
        Of :class:`subprocess.Popen`.

    Raises
    ------
    OSError
        If there is no interpreter.
    """

    def __init__(self, code, *args, memory_limit=None, pass_fds=(), **options):
        life, theirs = socket.socketpair()
        super().__init__(life)
        boot = [theirs.fileno(), list(pass_fds), memory_limit, [os.fspath(p) for p in sys.path]]
        with theirs:
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-c", _BOOT + code, *args, json.dumps(boot)],
                    pass_fds=(theirs.fileno(), *pass_fds),
                    start_new_session=True,  # Ctrl-C is for this program, which ends the guard
                    **options,
                )
            except BaseException:
                self._life.close()
                raise

    def ended(self, timeout=0) -> bool:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout)
        return self._process.returncode is not None

    def close(self) -> End:
        self.kill()
        if not self.ended(2 * END_LIMIT):  # somebody stopped the guard
            self._process.kill()
        code = self._process.wait()
        with self._life, self._life.makefile("rb") as pipe:
            words = pipe.read()
        return End(**json.loads(words)) if words else End(code)


def run_guard(life_fd, kept_fds, memory_limit):
    """Fork: in the child return, in the parent guard the child, and exit.

    Parameters
    ----------
    life_fd : int
        The guard's end of the socket.
    kept_fds : sequence of int
        File descriptors that are for the child only.
    memory_limit : int or None
        Bytes.
    """
    _prctl(_SUBREAPER, 1)
    begin_session()
    guard, pid = os.getpid(), os.fork()
    if pid == 0:
        for number in _FROM_OUTSIDE[1:]:
            signal.signal(number, signal.SIG_DFL)
        os.close(life_fd)
        os.setsid()
        _keep_nice()
        _prctl(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != guard:
            os._exit(1)
        return
    for fd in kept_fds:
        os.close(fd)
    with socket.socket(fileno=life_fd) as life:
        end = _watch(life, pid, memory_limit)
        _end_all(pid)
        with contextlib.suppress(OSError):  # the program has ended
            life.sendall(json.dumps(vars(end)).encode())
    os._exit(0)


def begin_session():
    """Take part in the program's end only, in a session of one's own that is as nice as it was."""
    for number in _FROM_OUTSIDE:  # who ends all processes of a run ends the program, too
        signal.signal(number, signal.SIG_IGN)
    _keep_nice()


def _watch(life, pid, memory_limit) -> End:
    """Wait for an end: of the process, of the program, or of what memory there is for it."""
    watched = selectors.DefaultSelector()
    watched.register(life, selectors.EVENT_READ)
    with contextlib.suppress(AttributeError, OSError):  # of Linux; elsewhere each look sees it
        watched.register(os.pidfd_open(pid), selectors.EVENT_READ)
    period = _PERIOD
    while True:
        ready = [key.fileobj for key, _ in watched.select(period)]
        while (found := os.waitpid(-1, os.WNOHANG))[0]:  # adopted ones, too
            if found[0] == pid:
                return End(os.waitstatus_to_exitcode(found[1]))
        if life in ready:
            word = b""
            with contextlib.suppress(ConnectionResetError):  # it ended with words of ours unread
                word = life.recv(1)
            if word != _SIGNAL:
                return End()
            os.kill(pid, signal.SIGUSR1)
        if memory_limit is not None:
            began = time.perf_counter()
            if (held := _held_by_all(memory_limit)) > memory_limit:
                return End(held=held)
            period = max(_PERIOD, (time.perf_counter() - began) / _LOOKS)


def _held_by_all(enough) -> int:
    """Bytes of memory of all guarded processes; exact if they seem more than ``enough``."""
    processes = psutil.Process().children(recursive=True)
    held = sum(_held(process) for process in processes)
    if held > enough and len(processes) > 1:  # forked processes share what neither has changed
        fields = ("Pss_Anon", "Pss_Shmem", "SwapPss")
        shared = [proc_bytes(process.pid, "smaps_rollup", *fields) for process in processes]
        held = sum(shared) or held
    return held


def _held(process) -> int:
    if sys.platform == "linux":
        return proc_bytes(process.pid, "status", "RssAnon", "RssShmem", "VmSwap")
    with contextlib.suppress(psutil.Error):
        return process.memory_info().rss
    return 0


def proc_bytes(pid, file, *fields) -> int:
    """Sum of lines of a file of ``/proc``, in bytes; 0 where there is none."""
    try:
        with open(f"/proc/{pid}/{file}") as lines:
            pairs = (line.split(":", 1) for line in lines if ":" in line)
            return sum(int(value.split()[0]) * 1024 for name, value in pairs if name in fields)
    except OSError:
        return 0


def _end_all(pid):
    """Kill all that is guarded, and what they start meanwhile."""
    deadline = time.monotonic() + END_LIMIT
    if sys.platform != "linux":  # nobody adopts the children: end at least its process group
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    while time.monotonic() < deadline:
        for process in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                process.kill()
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:  # none is left
            return
        time.sleep(0.002)


def _keep_nice():
    """Give the session of this process the nice value of the process, where sessions have one.

    Linux schedules sessions as groups (``sched_autogroup_enabled``), by a nice value of the group.
    A new session has 0, so that ``nice -n 19`` would yield nothing to other sessions.
    """
    if not _AUTOGROUP.exists() or not (nice := os.nice(0)):
        return
    for _ in range(_AUTOGROUP_TRIES):
        try:
            _AUTOGROUP.write_text(str(nice))
            return
        except BlockingIOError:  # the kernel takes ten such changes a second, from all users
            time.sleep(0.1)
        except OSError:
            return


def _prctl(option, value):
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
