"""Kills: SIGKILL at random moments loses nothing, Ctrl-C ends cleanly, no child stays behind."""

import random
import signal
import time

import pytest
from engine import assert_same_content, install, start_python, survivors, trial

from nmfbench.engine.missing import missing
from nmfbench.engine.runner import run
from nmfbench.engine.store import Store

PROBLEM = {"n_samples": 600, "n_features": 400, "n_components": 30}

RUN = """
import sys
sys.path.insert(0, sys.argv[2])
from nmfbench.engine.runner import run
from nmfbench.engine.store import Store
from test_crash import grid
with Store(sys.argv[1]) as store:
    run(grid(), store, jobs=2, progress=lambda summary, record: print(record["key"], flush=True))
"""


def grid():
    """Trials of some 20 ms each."""
    return [
        trial(dataset_params=PROBLEM, params={"normalize": normalize}, repeat=repeat)
        for repeat in range(80)
        for normalize in (False, True)
    ]


def start(folder):
    return start_python(RUN, folder, __file__.rpartition("/")[0])


def wait_until(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    with Store(tmp_path_factory.mktemp("undisturbed")) as store:
        run(grid(), store, jobs=2)
        yield store


@pytest.mark.slow
def test_sigkill(tmp_path, undisturbed):
    """A run that is killed again and again, and resumed, ends with the table of another that was
    not: no finished trial is lost, none is doubled, and no child outlives its parent."""
    rng = random.Random(0)
    trials = grid()
    reported, kept, killed = [], 0, 0
    for kill in range(4):
        process = start(tmp_path)
        # Once in the midst of starting, else in the midst of writing.
        for _ in range(kill and rng.randint(1, 30)):
            reported.append(process.stdout.readline().strip())
        time.sleep(rng.uniform(0, 1) if kill == 0 else rng.uniform(0, 0.04))
        process.kill()
        reported += process.communicate()[0].split()
        killed += process.returncode == -signal.SIGKILL
        wait_until(lambda process=process: not survivors(process), 5)
        if (tmp_path / "records.sqlite").exists():
            with Store(tmp_path) as store:
                keys = [record["key"] for record in store.records()]
                assert set(reported) <= set(keys)  # what was said to be done is there
                assert len(keys) == len(set(keys)) >= kept
                kept = len(keys)
    assert killed >= 3
    assert kept > 0
    with Store(tmp_path) as store:
        todo = len(missing(trials, store))
        assert todo == len(trials) - kept
        summary = run(trials, store, jobs=2)
        assert (summary.done, summary.failed, summary.found) == (todo, 0, kept)
        assert len(set(reported)) == len(reported)  # nothing was computed twice
        assert_same_content(store, undisturbed)
        tables = [s.table(t.key for t in trials)["anchor-recovery"] for s in (store, undisturbed)]
        assert tables[0].equals(tables[1])


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 2])
def test_interrupt(tmp_path, times):
    """Ctrl-C ends a run and its children soon; what had finished is kept. Twice is no worse."""
    process = start(tmp_path)
    reported = {process.stdout.readline().strip() for _ in range(5)}
    for _ in range(times):
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
    out, err = process.communicate(timeout=20)
    assert process.returncode == -signal.SIGINT
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert "Exception ignored" not in err
    wait_until(lambda: not survivors(process), 5)
    with Store(tmp_path, create=False) as store:
        records = store.records()
        assert {r["status"] for r in records} == {"done"}  # no trial is blamed
        assert reported | set(out.split()) <= {r["key"] for r in records}
        assert len(records) < len(grid())


HANG = """
import numba, numpy as np, subprocess
from nmfbench.core.registry import register_task

@numba.njit
def spin(x):
    while x[0] > -1.0:
        x[1] += 1.0

@register_task("hang", summary="never ends, in compiled code that holds the interpreter")
def hang(data, solver, rng, *, path):
    subprocess.Popen(["sleep", "600"])
    open(path, "w").close()
    spin(np.zeros(2))
"""

RUN_HANG = """
import sys
sys.path.insert(0, sys.argv[2])
from engine import trial
from nmfbench.engine.runner import run
from nmfbench.engine.store import Store
options = {"path": sys.argv[1] + "/started"}
run([trial(task="hang", options=options), trial()], Store(sys.argv[1]), jobs=1)
"""


@pytest.mark.slow
def test_no_orphans(tmp_path):
    """When a run is killed, a child that hangs in compiled code ends, and so do its children."""
    site = tmp_path / "site"
    site.mkdir()
    install(site, "hanging", HANG, ["tasks"])
    process = start_python(RUN_HANG, tmp_path, __file__.rpartition("/")[0], path=[site])
    wait_until((tmp_path / "started").exists)
    time.sleep(0.3)  # spinning by now
    assert len(survivors(process)) >= 2
    process.kill()
    process.communicate(timeout=20)
    wait_until(lambda: not survivors(process), 5)
    with Store(tmp_path) as store:
        assert store.records() == []
