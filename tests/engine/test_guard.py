"""Guards: no process outlives the one that started it, and memory is counted over all of them."""

import os
import signal
import textwrap
import time

import psutil
import pytest
from engine import python, start_python

from nmfbench.core.guard import End, Guarded

DETACH = """
import subprocess, sys
child = subprocess.Popen(["sleep", "600"], start_new_session=True, env={})
open(sys.argv[1], "w").write(str(child.pid))
"""
WAIT = "\nimport time; time.sleep(600)"


def guarded(code, *args, **options):
    return Guarded(textwrap.dedent(code), *map(str, args), **options)


def wait_for(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return found


def pid_in(path):
    return wait_for(lambda: path.exists() and int(path.read_text() or 0))


@pytest.mark.parametrize(
    ("code", "end"),
    [
        ("pass", End(0)),
        ("sys.exit(7)", End(7)),
        ("import os; os.kill(os.getpid(), 9)", End(-9)),
        ("import os; os.killpg(0, 15)", End(-15)),
        ("import os; os.kill(0, 1)", End(-1)),
        ("import os, time; os.kill(os.getppid(), 15); time.sleep(0.1); sys.exit(3)", End(3)),
    ],
)
def test_the_end_is_told(code, end):
    """Exit code or signal, also of a process that ends its own group, or asks its parent to end."""
    process = guarded(code)
    wait_for(process.ended)
    assert process.close() == end


@pytest.mark.parametrize("by", ["itself", "kill"])
def test_a_detached_child_does_not_survive(tmp_path, by):
    """A child with a session and an environment of its own ends with the process that made it."""
    process = guarded(DETACH + (WAIT if by == "kill" else ""), tmp_path / "pid")
    child = pid_in(tmp_path / "pid")
    if by == "kill":
        assert psutil.pid_exists(child)
        process.kill()
    wait_for(process.ended)
    assert not psutil.pid_exists(child)
    assert process.close() == (End() if by == "kill" else End(0))


@pytest.mark.skipif(
    not os.path.exists("/proc/self/autogroup"), reason="only Linux schedules sessions as groups"
)
def test_a_nice_program_has_nice_sessions(tmp_path):
    """A guarded process has a session, which yields the processor as far as its program does."""
    read = "open(sys.argv[1], 'w').write(open('/proc/self/autogroup').read())"
    code = (
        "import os, sys; from nmfbench.core.guard import Guarded; os.nice(7); "
        f"g = Guarded({'import sys;' + read!r}, *sys.argv[1:]); g.ended(20)"
    )
    python(code, tmp_path / "group")
    most = str(min(os.nice(0) + 7, 19))  # these tests may be nice themselves
    assert (tmp_path / "group").read_text().split()[-2:] == ["nice", most]


def test_a_detached_child_does_not_survive_the_program(tmp_path):
    """Nor does it, if the program that started the guard is killed."""
    code = f"from nmfbench.core.guard import Guarded; g = Guarded({DETACH + WAIT!r}, *sys.argv[1:])"
    program = start_python("import sys;" + code + WAIT, tmp_path / "pid")
    child = pid_in(tmp_path / "pid")
    program.kill()
    program.communicate(timeout=20)
    wait_for(lambda: not psutil.pid_exists(child))


HELD = {
    "a shared map": """
        import mmap, time
        pages = mmap.mmap(-1, 300 * 10**6)
        pages.write(bytes(300 * 10**6))
        time.sleep(20)
    """,
    "forks": """
        import os, time
        for _ in range(3):
            if os.fork() == 0:
                break
        held = bytearray(b"1") * (100 * 10**6)
        time.sleep(20)
    """,
    "detached": """
        import subprocess, sys
        code = "import time; a = b'1' * (300 * 10**6); time.sleep(20)"
        subprocess.run([sys.executable, "-c", code], start_new_session=True)
    """,
}


@pytest.mark.parametrize("how", HELD)
def test_memory_is_that_of_all_processes(how):
    """Shared maps, forks and detached children count; the error states the memory used."""
    process = guarded(HELD[how], memory_limit=200 * 10**6)
    wait_for(process.ended, 15)
    assert 200 * 10**6 < process.close().held < 450 * 10**6


def test_what_forks_share_counts_once_and_files_do_not(tmp_path):
    """A pool that reads its parent's data, or a file, stays within the limit."""
    file = tmp_path / "data"
    file.write_bytes(b"1" * 150 * 10**6)
    code = """
        import mmap, os, sys, time
        data = b"1" * (120 * 10**6)
        with open(sys.argv[1], "rb") as file:
            pages = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        assert sum(pages[::4096])
        children = [os.fork() or os._exit(time.sleep(0.3) or 0) for _ in range(3)]
        for child in children:
            os.waitpid(child, 0)
        sys.exit(5)
    """
    process = guarded(code, file, memory_limit=200 * 10**6)
    wait_for(process.ended)
    assert process.close() == End(5)


def test_a_signal_reaches_the_process(tmp_path):
    """SIGUSR1, by which a child that hangs tells where."""
    code = """
        import signal, sys, time
        signal.signal(signal.SIGUSR1, lambda *_: sys.exit(4))
        open(sys.argv[1], "w").write("1")
        time.sleep(20)
    """
    process = guarded(code, tmp_path / "ready")
    pid_in(tmp_path / "ready")
    process.signal()
    wait_for(process.ended)
    assert process.close() == End(4)


def test_an_end_is_certain():
    """A guard that somebody killed leaves no guarded process behind."""
    process = guarded("import os, sys; print(os.getpid(), flush=True)" + WAIT, stdout=-1)
    pid = int(process._process.stdout.readline())
    os.kill(process._process.pid, signal.SIGKILL)
    wait_for(process.ended)
    assert process.close() == End(-signal.SIGKILL)
    wait_for(lambda: not psutil.pid_exists(pid))
    process._process.stdout.close()
