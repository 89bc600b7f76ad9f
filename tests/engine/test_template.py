"""Templates: what is forked is as one that was started, and a template serves while it would be."""

import json
import os
import signal
import tempfile
import time

import psutil
import pytest
from engine import python, start_python
from test_guard import DETACH, WAIT, pid_in, wait_for

from nmfbench.core import template as module
from nmfbench.core.guard import End
from nmfbench.core.template import fork_guarded

pytestmark = pytest.mark.skipif(
    not module.AVAILABLE,
    reason="a process with numerical libraries is forked safely on Linux alone; elsewhere each is "
    "started, which tests/engine/test_guard.py tests",
)


@pytest.fixture(autouse=True)
def fresh():
    """No template of before; those of a test end with it."""
    before = dict(module._kept)
    module._kept.clear()
    yield
    for template in module._kept.values():
        template.close()
    module._kept.clear()
    module._kept.update(before)


def forked(code, *arguments, prelude="import zlib", memory_limit=None, **variables):
    """A process that runs a code, which finds its arguments in ``given``."""
    code = "import json, os, sys, time; given = json.loads(sys.argv.pop())\n" + code
    with tempfile.TemporaryFile(buffering=0) as log:
        return fork_guarded(
            *(prelude, os.environ | variables, code, [str(a) for a in arguments]),
            memory_limit=memory_limit,
            fds=(),
            stderr=log,
        )


def answer_of(tmp_path, expression, **options):
    """The value of an expression in a forked process."""
    code = f"open(given[0], 'w').write(json.dumps({expression}))"
    process = forked(code, tmp_path / "answer", **options)
    wait_for(process.ended)
    assert process.close() == End(0)
    return json.loads((tmp_path / "answer").read_text())


@pytest.mark.parametrize(
    ("code", "end"),
    [
        ("pass", End(0)),
        ("sys.exit(7)", End(7)),
        ("raise ValueError", End(1)),
        ("os.kill(os.getpid(), 9)", End(-9)),
        ("os.killpg(0, 15)", End(-15)),
        ("os.kill(os.getppid(), 15); time.sleep(0.1); sys.exit(3)", End(3)),
    ],
)
def test_the_end_is_told(code, end):
    """Exit code or signal, as of a process that was started."""
    process = forked(code)
    wait_for(process.ended)
    assert process.close() == end


def test_imports_are_done_once(tmp_path):
    """The prelude runs in the template, whose state each fork has for itself."""
    prelude = "import zlib; zlib.count = []"
    pids = f"open({str(tmp_path / 'pids')!r}, 'a').write(f'{{os.getpid()}}\\n')"
    answers = [answer_of(tmp_path, f"[zlib.count.append(1), len(zlib.count), {pids}][1]",
                      prelude=f"{prelude}\nimport os; {pids}") for _ in range(3)]  # fmt: skip
    assert answers == [1, 1, 1]
    assert len(set((tmp_path / "pids").read_text().split())) == 4


def test_what_would_be_inherited_is(tmp_path, monkeypatch):
    """Environment, folder, path of modules: a template of other ones does not serve."""
    assert answer_of(tmp_path, "os.environ.get('A')", A="1") == "1"
    assert answer_of(tmp_path, "os.environ.get('A')", A="2") == "2"
    monkeypatch.chdir(tmp_path)
    assert answer_of(tmp_path, "os.getcwd()") == str(tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "modules")
    assert str(tmp_path / "modules") in answer_of(tmp_path, "sys.path")


def test_a_few_templates_are_kept():
    """Those that served last; the others end once what they have forked has ended."""
    processes = [forked("time.sleep(600)", A=str(k)) for k in range(3)]
    templates = [process._template for process in processes]
    processes += [forked("pass", A="2"), forked("pass", A="3")]
    assert processes[3]._template is templates[2]
    assert next(iter(module._kept.values())) is templates[2]
    assert [template.end(0.1) for template in templates] == [None] * 3
    for process in processes:
        process.close()
    assert [template.end(20) for template in templates[:2]] == [0, 0]
    assert templates[2].end() is None


def test_a_template_that_ended_is_replaced(tmp_path):
    """What it has forked goes on, what is asked of it has ended; the next has a new one."""
    process = forked("open(given[0], 'w').write(str(os.getpid())); time.sleep(600)", tmp_path / "a")
    pid_in(tmp_path / "a")
    template = process._template
    template._process.kill()
    template._process.wait()
    late = template.fork({"code": "", "arguments": [], "memory_limit": None}, [0])
    wait_for(late.ended)
    assert late.close() == End(-signal.SIGKILL)
    assert not process.ended()
    process.close()
    process = forked("pass")
    assert process._template is not template
    process.close()


def test_a_template_that_does_not_start_says_why():
    """Its last words are there, and its exit code."""
    process = forked("pass", prelude="sys.exit('no way')")
    wait_for(process.ended)
    assert "no way" in process.words()
    another = forked("pass", prelude="sys.exit('no way')")  # has its template replaced
    assert another._template is not process._template
    assert "no way" in process.words()
    assert process.close() == End(1)
    another.close()


@pytest.mark.parametrize("by", ["itself", "kill"])
def test_a_detached_child_does_not_survive(tmp_path, by):
    """A child with a session and an environment of its own ends with the process that made it."""
    file = tmp_path / "pid"
    process = forked(f"sys.argv.append({str(file)!r})" + DETACH + (WAIT if by == "kill" else ""))
    child = pid_in(file)
    if by == "kill":
        process.kill()
    wait_for(process.ended)
    process.close()
    assert not psutil.pid_exists(child)


def test_nothing_survives_the_program(tmp_path):
    """A program that is killed leaves no template, nor what was forked from it and its children."""
    code = f"""
import os, sys, tempfile, time
from nmfbench.core.template import fork_guarded
code = "import sys; sys.argv[1:] = [{str(tmp_path / "pid")!r}]" + {DETACH + WAIT!r}
log = tempfile.TemporaryFile()
process = fork_guarded("", os.environ, code, [], memory_limit=None, fds=(), stderr=log)
open({str(tmp_path / "template")!r}, 'w').write(str(process._template._process.pid))
time.sleep(600)
"""
    program = start_python(code)
    pids = pid_in(tmp_path / "pid"), pid_in(tmp_path / "template")
    program.kill()
    program.communicate()
    wait_for(lambda: not any(psutil.pid_exists(pid) for pid in pids))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_an_end_is_certain(tmp_path, monkeypatch, number):
    """A guard that somebody killed, or stopped, leaves no guarded process behind."""
    monkeypatch.setattr(module, "END_LIMIT", 0.1)
    process = forked("open(given[0], 'w').write(f'{os.getpid()} {os.getppid()}'); time.sleep(600)",
                     tmp_path / "pids")  # fmt: skip
    wait_for(lambda: (tmp_path / "pids").exists() and (tmp_path / "pids").read_text())
    time.sleep(0.1)
    pid, guard = map(int, (tmp_path / "pids").read_text().split())
    os.kill(guard, number)
    assert process.close() == End(-signal.SIGKILL)
    wait_for(lambda: not psutil.pid_exists(pid))


def test_memory_is_limited():
    """A process that holds too much is ended."""
    process = forked("a = b'1' * (2 * 10**8); time.sleep(20)", memory_limit=10**8)
    wait_for(process.ended)
    assert process.close().held > 10**8


def test_a_program_ends_without_a_word():
    """Though templates of it still serve: no warning of processes or files left open."""
    code = """
import os, sys, warnings
from nmfbench.core.template import fork_guarded
warnings.simplefilter("error")
for k in range(4):
    variables = os.environ | {"A": str(k)}
    fork_guarded("", variables, "", [], memory_limit=None, fds=(), stderr=sys.stderr).close()
"""
    assert python(code) == ("", "")
