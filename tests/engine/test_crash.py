"""Kills: SIGKILL at random moments loses nothing, Ctrl-C ends cleanly, no child stays behind."""

import itertools
import os
import random
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from engine import assert_same_content, install, python, start_python, survivors, trial

from nmfbench.engine.runner import make_record, run
from nmfbench.records.pending import missing
from nmfbench.records.repair import survey
from nmfbench.records.schema import AUDIT
from nmfbench.records.store import Store

ANSWER = {"outcome": {"metrics": {"a": 1.0}, "fit": {}}, "elapsed": 0.1, "peak_memory": 1}
PROBLEM = {"n_samples": 600, "n_features": 400, "n_components": 30}

HERE, TESTS = str(Path(__file__).parent), Path(__file__).parents[1]
RUN = """
import sys
sys.path.insert(0, sys.argv[2])
from nmfbench.engine.runner import run
from nmfbench.records.store import Store
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
    return start_python(RUN, folder, HERE, path=[TESTS])


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
                assert set(reported) <= set(keys)  # what was reported as done is there
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


STORM = """
import sys
sys.path.insert(0, sys.argv[2])
from test_crash import storm
storm(sys.argv[1], int(sys.argv[3]))
"""


def write_on(folder, number, out):
    """In a process that will be killed: write records, and say which are written, for ever.

    In turn one at a time with arrays; three from elsewhere in one transaction; audits of what a
    record says.
    """
    with Store(folder) as store:
        for i in itertools.count():
            ours = [trial(repeat=4 * (1000 * number + i) + k) for k in range(3)]
            records = [make_record(one, ANSWER, {}) for one in ours]
            if number % 3 == 1:
                store.put_imported((record, {"W": np.ones(9)}) for record in records)
            else:
                records = records[:1]
                store.put(records[0], {"W": np.ones(9), "trace": np.ones(3)})
            if number % 3 == 2:
                row = {"key": records[0]["key"], "host": {"cores": 1}}
                store.put_audits([dict.fromkeys(AUDIT, "x") | row])
            os.write(out, ("".join(f"{record['key']} " for record in records) + "\n").encode())


def storm(folder, kills):
    """Kill a process that writes again and again, and look at the store after each time."""
    rng, confirmed, whole = random.Random(1), set(), 0
    make_record(trial(), ANSWER, {})  # what takes long is known before the first fork
    for number in range(kills):
        reading, writing = os.pipe()
        if (child := os.fork()) == 0:
            write_on(folder, number, writing)
        os.close(writing)
        with os.fdopen(reading) as lines:
            if rng.random() < 0.9:  # else it is killed while it opens the store
                lines.readline()
            time.sleep(rng.uniform(0, 0.02))
            os.kill(child, signal.SIGKILL)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
            # The last line may be cut short.
            keys = {key for line in lines if line.endswith("\n") for key in line.split()}
        confirmed |= keys
        with Store(folder) as store:
            assert set(store.status(keys).values()) <= {"done"}
            assert len(store.status(keys)) == len(keys), "confirmed writes are there"
            if number % 100 == 99 or number == kills - 1:
                records = [record["key"] for record in store.records()]
                assert len(records) == len(set(records)) >= whole
                assert confirmed <= set(records)
                imported = store.imported(records)
                assert len(imported) % 3 == 0, "a transaction is there whole or not at all"
                assert all(store.array_names(key) for key in records)
                whole = len(records)
        if number % 100 == 99 or number == kills - 1:
            assert survey(folder).is_whole, survey(folder)
    print(whole)


@pytest.mark.parametrize("kills", [30, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_store_is_whole_whenever_its_writer_is_killed(tmp_path, kills):
    """Confirmed writes are there, nothing twice, and each transaction whole or not."""
    out, _ = python(STORM, tmp_path, HERE, kills, path=[TESTS], timeout=1200)
    assert int(out) > 2 * kills


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
from nmfbench.records.store import Store
options = {"path": sys.argv[1] + "/started"}
run([trial(task="hang", options=options), trial()], Store(sys.argv[1]), jobs=1)
"""


@pytest.mark.slow
def test_no_orphans(tmp_path):
    """When a run is killed, a child that hangs in compiled code ends, and so do its children."""
    site = tmp_path / "site"
    site.mkdir()
    install(site, "hanging", HANG, ["tasks"])
    process = start_python(RUN_HANG, tmp_path, str(TESTS), path=[site])
    wait_until((tmp_path / "started").exists)
    time.sleep(0.3)  # spinning by now
    assert len(survivors(process)) >= 2
    process.kill()
    process.communicate(timeout=20)
    wait_until(lambda: not survivors(process), 5)
    with Store(tmp_path) as store:
        assert store.records() == []
