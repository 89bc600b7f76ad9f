"""Workers: whatever a child does or says, its parent goes on, and tells what happened."""

import contextlib
import threading
import time

import pytest

from nmfbench.engine import worker as module
from nmfbench.engine.worker import MemoryExceeded, Worker, WorkerDied, WorkerError

# A child without nmfbench: it reports that it is ready, takes a request, and acts.
CHILD = """
import json, os, signal, sys, threading, time
from multiprocessing.connection import Connection
request_fd, answer_fd, _ = json.loads(sys.argv.pop())
requests, answers = Connection(request_fd, writable=False), Connection(answer_fd, readable=False)
answers.send_bytes(b"null")
ANSWER = json.dumps({"result": 1, "spent": False, "arrays": {}}).encode()
while True:
    asked = json.loads(requests.recv_bytes())["call"]
    if asked == "act":
        ACT
    answers.send_bytes(ANSWER)
"""


@pytest.fixture
def child(monkeypatch):
    """Makes a worker whose child acts on a request."""
    monkeypatch.setattr(module, "_GRACE", 0.1)
    with contextlib.ExitStack() as stack:

        def make(act, **given):
            monkeypatch.setattr(module, "_SERVE", CHILD.replace("ACT", act))
            return stack.enter_context(contextlib.closing(Worker(**given)))

        yield make


@pytest.mark.parametrize(
    ("act", "message"),
    [
        ("os.killpg(0, signal.SIGTERM)", "signal 15, SIGTERM"),
        ("os.kill(os.getpid(), signal.SIGHUP)", "signal 1, SIGHUP"),
        ("os._exit(3)", "exit code 3"),
        ("os.write(answer_fd, b'no answer, but words')", "something else than its answer"),
        ("answers.send_bytes(b'no JSON')", "something else than its answer"),
        ("answers.send_bytes(bytes([255, 254]))", "something else than its answer"),
        ("answers.send_bytes(b'{}')", "something else than its answer"),
        ("answers.send_bytes(b'[1]')", "something else than its answer"),
        ("os.write(answer_fd, b'{}')", "something else than its answer"),
        (
            "answers.send_bytes(ANSWER.replace(b'{}', b'{\"a\": 3}')); answers.send_bytes(b'a')",
            "something else than its answer",
        ),
        ("answers.close(); time.sleep(20)", "something else than its answer"),
    ],
)
def test_no_answer_ends_one_request(child, act, message):
    """A signal to its own group, an exit, and bytes of a solver in the pipe are reported, and the
    next request has a new child."""
    worker = child(act)
    with pytest.raises(WorkerDied, match=message):
        worker.call("act", {})
    assert worker.call("answer", {}) == 1


def test_an_answer_that_breaks_off_is_not_waited_for(child, monkeypatch):
    """A solver that writes the begin of a message does not stop a run for good."""
    monkeypatch.setattr(module, "_TRANSFER_LIMIT", 0.3)
    worker = child("os.write(answer_fd, bytes([0, 0, 16, 0]))")
    with pytest.raises(WorkerDied, match="something else than its answer"):
        worker.call("act", {})


def test_a_request_that_is_not_taken_is_not_waited_for(child, monkeypatch):
    """Nor does a child that a solver has stopped, while a large request is sent."""
    monkeypatch.setattr(module, "_TRANSFER_LIMIT", 0.3)
    stop = "threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGSTOP)).start()"
    worker = child(stop)
    worker.call("act", {})
    time.sleep(0.3)
    with pytest.raises(WorkerDied):
        worker.call("answer", {"large": "." * 10**6})
    assert worker.call("answer", {}) == 1


def test_what_is_written_between_two_requests_is_nobodys_answer(child):
    """Bytes of a thread that a solver left behind end its child, and not the next trial."""
    worker = child("threading.Timer(0.05, os.write, (answer_fd, b'late')).start()")
    assert worker.call("act", {}) == 1
    time.sleep(0.3)
    assert worker.call("answer", {}) == 1


def test_memory_of_all_processes_is_limited(child):
    """The error gives the memory that they used, beside the limit."""
    worker = child("a = b'1' * (2 * 10**8); time.sleep(20)", memory_limit=10**8)
    with pytest.raises(MemoryExceeded, match=r"held \d{3} MB, more than the .* limit of 100 MB"):
        worker.call("act", {})


def test_a_closed_worker_says_so(child):
    """A kill while it computes is reported as one."""
    worker = child("time.sleep(20)")
    worker.call("answer", {})
    threading.Timer(0.1, worker.kill).start()
    with pytest.raises(WorkerDied, match="closed"):
        worker.call("act", {})


def test_a_child_that_does_not_start(monkeypatch):
    """The error has the last lines of its output."""
    monkeypatch.setattr(module, "_SERVE", "sys.exit('no way')")
    with contextlib.closing(Worker()) as worker, pytest.raises(WorkerError, match="no way"):
        worker.call("act", {})
