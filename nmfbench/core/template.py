"""A process with its imports done, from which guarded ones are forked: a start takes milliseconds.

Libraries decide what they do from the environment when they are imported, and a fork inherits all
else from its template: so a template serves while what a new process would inherit from this
program is what it was. Where processes cannot be forked safely, off Linux, there is none.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any

from nmfbench.core.guard import END_LIMIT, End, Handle, begin_session, run_guard

__all__ = ["AVAILABLE", "Forked", "Template", "fork_guarded", "serve_forks"]

AVAILABLE = sys.platform == "linux"
"""Whether processes can be forked here from one that has loaded numerical libraries."""

_BOOT = """
import json, sys
control, sys.path[:] = json.loads(sys.argv.pop())
PRELUDE
from nmfbench.core.template import serve_forks
exec(serve_forks(control))
"""
_KEPT = 2  # templates: one for each of two numerical targets
_LONGEST = 1 << 16  # bytes of a request
_GRACE = 1  # seconds
_MOST = 8  # file descriptors of a request
_LIMITS = [value for name, value in sorted(vars(resource).items()) if name.startswith("RLIMIT_")]
_VARYING = {"PYTEST_CURRENT_TEST"}
"""Variables that change all the time, and decide nothing."""

_kept: dict[tuple[Any, ...], Template] = {}  # the one last used stands last
_keeping = threading.Lock()


class Template:
    """Handle on a process that forks guarded processes.

    Parameters
    ----------
    prelude : str
        Code that it runs first: imports.
    environment : mapping of str to str

    Raises
    ------
    OSError
        If there is no interpreter.
    """

    def __init__(self, prelude: str, environment: Mapping[str, str]):
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._log = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  closed in close
        self._reading, self._words = threading.Lock(), b""
        boot = [theirs.fileno(), [os.fspath(path) for path in sys.path]]
        code = _BOOT.replace("PRELUDE", prelude)
        with theirs:
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-c", code, json.dumps(boot)],
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._log,
                )
            except BaseException:
                self._control.close()
                self._log.close()
                raise

    def fork(self, request: Mapping[str, Any], fds: Sequence[int]) -> Forked:
        """Have a guarded process forked, as soon as the template is ready.

        Parameters
        ----------
        request : mapping
            ``code``, ``arguments`` and ``memory_limit`` of :func:`fork_guarded`.
        fds : sequence of int
            Its standard error, then the file descriptors that it inherits.
        """
        life, theirs = socket.socketpair()
        message = [json.dumps(request).encode()]
        with theirs, contextlib.suppress(OSError):  # it has ended: so has the process, at once
            socket.send_fds(self._control, message, [theirs.fileno(), *fds])
        return Forked(life, self)

    def end(self, timeout: float = 0) -> int | None:
        """The exit code of the template, a signal as a negative number; None while it serves."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout)
        return self._process.returncode

    def words(self) -> str:
        """What it wrote to standard error, until it was closed."""
        with self._reading:
            if not self._log.closed:
                size = os.fstat(self._log.fileno()).st_size
                self._words = os.pread(self._log.fileno(), size, 0)
        return self._words.decode(errors="replace").strip()

    def close(self, *, wait: bool = False) -> None:
        """Have it end after the requests that it has, and what it forked for them."""
        self._control.close()
        self.words()  # kept for whoever still has a fork of it
        with self._reading:
            self._log.close()
        if not wait:
            threading.Thread(target=self._process.wait, daemon=True).start()
        elif self.end(_GRACE) is None:
            self._process.kill()
            self._process.wait()


def fork_guarded(
    prelude: str,
    environment: Mapping[str, str],
    code: str,
    arguments: Sequence[Any],
    *,
    memory_limit: int | None,
    fds: Sequence[int],
    stderr: IO[bytes],
) -> Forked:
    """Have a guarded process forked, as soon as there is a template that a new one would be like.

    Parameters
    ----------
    prelude : str
        Code that the template runs first: imports.
    environment : mapping of str to str
    code : str
        What the process runs.
    arguments : sequence
        What JSON can hold. The process finds a list as JSON in ``sys.argv[1]``: the numbers that
        ``fds`` have there, then these.
    memory_limit : int, optional
        As of :class:`~nmfbench.core.guard.Guarded`.
    fds : sequence of int
        File descriptors that it inherits.
    stderr : file

    Returns
    -------
    Forked

    Raises
    ------
    OSError
        If there is no interpreter.
    """
    key = (prelude, *_inherited(environment))
    with _keeping:
        found = _kept.pop(key, None)
        if found is not None and found.end() is not None:
            found.close()
            found = None
        _kept[key] = found = found or Template(prelude, environment)
        while len(_kept) > _KEPT:
            _kept.pop(next(iter(_kept))).close()
        request = {"code": code, "arguments": arguments, "memory_limit": memory_limit}
        return found.fork(request, [stderr.fileno(), *fds])


class Forked(Handle):
    """Handle on a process that was forked from a template.

    Parameters
    ----------
    life : socket
        To its guard.
    template : Template
    """

    def __init__(self, life: socket.socket, template: Template):
        super().__init__(life)
        self._words, self._at_end = b"", False
        self._template = template

    def ended(self, timeout: float = 0) -> bool:
        deadline, ready = time.monotonic() + timeout, select.poll()
        ready.register(self._life, select.POLLIN)
        while not self._at_end:
            if not ready.poll(1000 * max(0, deadline - time.monotonic())):
                return False
            words = b""
            with contextlib.suppress(OSError):  # the guard ended with words of ours unread
                words = self._life.recv(4096)
            self._words += words
            self._at_end = not words
        return True

    def words(self) -> str:
        return self._template.words()

    def close(self) -> End:
        self.kill()
        if not self.ended(2 * END_LIMIT) and (lines := self._words.splitlines()):
            os.kill(int(lines[0]), signal.SIGKILL)  # somebody stopped the guard
            self.ended(END_LIMIT)
        self._life.close()
        lines = self._words.splitlines()  # the guard's process, and how all ended
        if len(lines) == 2:
            return End(**json.loads(lines[1]))
        return End(-signal.SIGKILL if lines else self._template.end(_GRACE))


def serve_forks(control_fd: int) -> str:
    """Fork until the program ends: in each fork return the code to run.

    Parameters
    ----------
    control_fd : int
        The template's end of the socket.
    """
    begin_session()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for guards
    gc.collect()
    gc.freeze()  # so that collections in forks copy no pages
    with socket.socket(fileno=control_fd) as control:
        while True:
            request, fds, _, _ = socket.recv_fds(control, _LONGEST, _MOST)
            if not request:
                with contextlib.suppress(ChildProcessError):
                    os.wait()  # for all guards, as nobody else may
                os._exit(0)
            if os.fork() == 0:
                break
            for fd in fds:
                os.close(fd)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    asked, (life, stderr, *kept) = json.loads(request), fds
    os.dup2(stderr, sys.stderr.fileno())
    os.close(stderr)
    with contextlib.suppress(OSError):  # the guard sees that nobody wants it any more
        os.write(life, b"%d\n" % os.getpid())
    run_guard(life, kept, asked["memory_limit"])
    sys.argv[1:] = [json.dumps([*kept, *asked["arguments"]])]
    return asked["code"]


def _inherited(environment: Mapping[str, str]) -> tuple[Any, ...]:
    """All that a process would inherit from this one, where it may differ from time to time."""
    try:
        folder: str | None = os.getcwd()
    except OSError:  # it was removed
        folder = None
    return (
        *(os.getpid(), sys.executable, tuple(sys.path), folder, os.nice(0)),
        tuple(sorted(os.sched_getaffinity(0))),
        tuple(resource.getrlimit(limit) for limit in _LIMITS),
        tuple(sorted(pair for pair in environment.items() if pair[0] not in _VARYING)),
    )


@atexit.register
def _close_all() -> None:
    for template in _kept.values():
        template.close(wait=True)
