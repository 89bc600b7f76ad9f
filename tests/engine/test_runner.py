"""Runs: only what is missing, failures as records, limits, and children that misbehave."""

import gc
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
from engine import content, install, on_digits, python, trial

from nmfbench.engine import runner
from nmfbench.engine.runner import Limits, RunSummary, WorkerError, WorkerPool, run
from nmfbench.engine.worker import Worker, WorkerDied
from nmfbench.records.arrays import from_bytes, to_bytes
from nmfbench.records.pending import missing
from nmfbench.records.store import Store
from nmfbench.trials.target import environment, target_of

TROUBLE = '''
"""Solvers and tasks that misbehave."""
import ctypes, os, random, subprocess, sys, warnings
import numba, numpy as np
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_info
from nmfbench.core.registry import register_solver, register_task
from nmfbench.tasks.base import Outcome


@numba.njit
def spin(x):
    while x[0] > -1.0:
        x[1] += 1.0


def hang():
    subprocess.Popen(["sleep", "600"])
    spin(np.zeros(2))  # compiled, and never lets go of the interpreter


def raise_(error):
    raise error


def pollute():
    np.random.seed(1)
    random.seed(1)
    np.random.rand(5)


def interrupt():
    raise KeyboardInterrupt


def chatter():
    print("to standard output")
    os.write(1, b"to file descriptor 1")
    warnings.warn("to standard error")


BEHAVIOURS = {
    "raises": lambda: raise_(ValueError("on purpose")),
    "exits": lambda: sys.exit(3),
    "ends": lambda: os._exit(7),
    "crashes": lambda: ctypes.string_at(0),
    "is-killed": lambda: os.kill(os.getpid(), 9),
    "hungers": lambda: np.ones(2**32),
    "closes": lambda: os.closerange(0, 256),
    "interrupts": interrupt,
    "hangs": hang,
    "mumbles": lambda: raise_(ValueError("half a character: \\ud800")),
    "forks": os.fork,
    "chatters": chatter,
    "pollutes": pollute,
    "behaves": lambda: None,
}


class Behaviour(BaseEstimator):
    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y=None):
        self.act()
        return self


for key, act in BEHAVIOURS.items():
    solver = type(key, (Behaviour,), {"act": staticmethod(act), "__module__": __name__})
    register_solver(key, name=key, family="trouble", reference="none")(solver)

OUTCOMES = {
    "fine": lambda: Outcome({"numpy": np.float32(0.5), "int": np.int64(2)}, {"n_iter": 3}),
    "nan": lambda: Outcome({"accuracy": np.nan}, {}),
    "nan-objective": lambda: Outcome({"accuracy": 1.0}, {"objective": float("nan")}),
    "infinite-objective": lambda: Outcome({"accuracy": 1.0}, {"objective": float("inf")}),
    "takes-a-name": lambda: Outcome({"seconds": 1.0}, {}),
    "objects": lambda: Outcome({}, {}, {"a": np.array([{}])}),
    "arrays": lambda: Outcome({}, {}, {"file": np.eye(2), "allow_pickle": np.arange(3)}),
    "nonsense": lambda: None,
    "draws": lambda: Outcome({"numpy": np.random.rand(), "python": random.random()}, {}),
    "threads": lambda: Outcome(
        {
            "numba": numba.get_num_threads(),
            "pools": max(pool["num_threads"] for pool in threadpool_info()),
            "hash": hash("a") % 10**6,
        },
        {},
    ),
}


def task(make):
    def perform(data, solver, rng):
        solver.fit(data.X)
        return make()

    return perform


for key, make in OUTCOMES.items():
    register_task(key, summary="trouble")(task(make))
'''

RUN = """
import sys
sys.path.insert(0, sys.argv[2])
from engine import trial
from nmfbench.engine.runner import Limits, run
from nmfbench.records.store import Store
from trouble import BEHAVIOURS, OUTCOMES

trials = [trial(solver, task="fine") for solver in BEHAVIOURS]
trials += [trial("behaves", task=task) for task in OUTCOMES]
trials += [trial("behaves", task="fine", params={"no_such": 1})]
trials += [trial("pollutes", task="draws"), trial("behaves", task="draws", start=1)]
with Store(sys.argv[1]) as store:
    print(run(trials, store, jobs=2, limits=Limits(seconds=4, memory=8 * 10**9)))
"""


@pytest.fixture(scope="module")
def troubled(tmp_path_factory):
    """Records of trials that misbehave, run by two jobs, and what their run printed."""
    folder = install(tmp_path_factory.mktemp("site"), "trouble", TROUBLE, ["solvers", "tasks"])
    out, err = python(RUN, folder / "store", str(Path(__file__).parents[1]), path=[folder])
    with Store(folder / "store") as store:
        yield store, out, err


def records_of(troubled, *, params=(), **which):
    wanted = {"solver": "behaves", "task": "fine", "params": dict(params)} | which
    return [r for r in troubled[0].records() if wanted.items() <= r.items()]


def record_of(troubled, **which):
    return records_of(troubled, **which)[0]


@pytest.mark.parametrize(
    ("solver", "error"),
    [
        ("raises", r"Traceback.*in raise_.*ValueError: on purpose"),
        ("mumbles", r"ValueError: half a character: \?"),
        ("exits", r"Traceback.*SystemExit: 3"),
        ("interrupts", r"Traceback.*in interrupt.*KeyboardInterrupt"),
        ("hungers", r"Traceback.*MemoryError"),
        ("ends", r"WorkerDied: .* ended with exit code 7"),
        ("crashes", r"WorkerDied: .* signal 11, SIGSEGV.*Segmentation fault.*string_at"),
        ("is-killed", r"WorkerDied: .* signal 9, SIGKILL, perhaps because .* memory"),
        ("closes", r"WorkerDied|OSError"),
        ("hangs", r"TimeoutError: the trial exceeded its time limit of 4 s.*in hang"),
    ],
)
def test_failure(troubled, solver, error):
    """Whatever a solver does, its trial becomes a failed record that says where and why."""
    record = record_of(troubled, solver=solver)
    assert record["status"] == "failed"
    assert record["metrics"] == {}
    assert record["finished"]
    assert re.search(error, record["error"], re.DOTALL), record["error"]


@pytest.mark.parametrize(
    ("task", "error"),
    [
        ("nan", "FloatingPointError: not a finite number: accuracy"),
        ("nan-objective", "FloatingPointError: not a finite number: objective"),
        ("takes-a-name", "metrics cannot be called seconds"),
        ("objects", "ValueError: Object arrays cannot be saved"),
        ("nonsense", "AttributeError"),
    ],
)
def test_bad_outcome(troubled, task, error):
    """An outcome that is no result is a failed record."""
    record = record_of(troubled, task=task)
    assert record["status"] == "failed"
    assert error in record["error"]


def test_bad_parameter(troubled):
    """A parameter that the solver does not have is a failure that names it."""
    assert "'no_such'" in record_of(troubled, params={"no_such": 1})["error"]


def test_good_outcomes(troubled):
    """Numbers of numpy, infinite objectives and arrays of any name are kept."""
    assert record_of(troubled)["metrics"] == {"numpy": 0.5, "int": 2.0}
    assert record_of(troubled)["n_iter"] == 3
    infinite = record_of(troubled, task="infinite-objective")
    assert (infinite["status"], infinite["objective"]) == ("done", None)
    arrays = troubled[0].arrays(record_of(troubled, task="arrays")["key"])
    np.testing.assert_array_equal(arrays["file"], np.eye(2))
    np.testing.assert_array_equal(arrays["allow_pickle"], np.arange(3))


def test_one_thread(troubled):
    """Libraries have one thread in a child, BLAS as the target has; strings hash alike in all."""
    metrics = record_of(troubled, task="threads")["metrics"]
    assert metrics["numba"] == 1
    assert metrics["pools"] == int(environment(target_of(timed=False))["OPENBLAS_NUM_THREADS"])
    fixed = os.environ | {"PYTHONHASHSEED": "0"}
    command = [sys.executable, "-c", "print(hash('a') % 10**6)"]
    assert metrics["hash"] == int(subprocess.check_output(command, env=fixed))


def test_global_states(troubled):
    """The global random states start from the trial's seed, whatever ran before."""
    first, second = records_of(troubled, task="draws")
    starts = {r["start"]: r["metrics"] for r in (first, second)}
    expected = np.random.RandomState(trial().random_state).rand()
    assert starts[0]["numpy"] == expected
    assert starts[1] != starts[0]
    polluted = record_of(troubled, solver="pollutes", task="draws")["metrics"]
    assert polluted["numpy"] != expected


def test_quiet(troubled):
    """Nothing that a solver prints or warns of, or a child that it forked, reaches the output."""
    _, out, err = troubled
    assert record_of(troubled, solver="forks")["status"] == "done"
    assert record_of(troubled, solver="chatters")["status"] == "done"
    assert out.startswith("RunSummary(")
    assert len(out.splitlines()) == 1
    assert err == ""


@pytest.fixture
def computed(monkeypatch):
    """Trials are computed at once, without a child; those with parameters fail. Lists the keys."""
    keys, lock = [], threading.Lock()

    def compute(one, worker, time_limit, base):
        with lock:
            keys.append(one.key)
        failure = {"error": "boom"} if one.params else {}
        return runner.make_record(
            one, {"outcome": {"metrics": {"a": 1.0}, "fit": {}}} | failure, {}
        ), {}

    monkeypatch.setattr(runner, "compute", compute)
    return keys


def test_only_missing(tmp_path, computed):
    """Each missing trial is dispatched once; what has a record is not, unless it failed and is
    to be tried again."""
    good = [trial(repeat=r) for r in range(4)]
    bad = trial(params={"a": 1})
    seen = []

    def progress(summary, record):
        seen.append((record["key"], record["status"], summary.done + summary.failed))

    with Store(tmp_path) as store:
        first = run([*good[:2], bad, good[0]], store, progress=progress)
        assert first == RunSummary(done=2, failed=1, found=0, total=3)
        assert computed == [good[0].key, good[1].key, bad.key]
        assert sorted(seen) == sorted(
            [(good[0].key, "done", 1), (good[1].key, "done", 2), (bad.key, "failed", 3)]
        )
        assert missing([*good, bad], store) == good[2:]
        assert missing([bad], store, retry_failed=True) == [bad]

        computed.clear()
        second = run([*good, bad], store, jobs=2)
        assert second == RunSummary(done=2, failed=0, found=3, total=5)
        assert sorted(computed) == sorted(t.key for t in good[2:])

        computed.clear()
        third = run([*good, bad], store, retry_failed=True)
        assert third == RunSummary(done=0, failed=1, found=4, total=5)
        assert computed == [bad.key]
        assert run([*good, bad], store) == RunSummary(found=5, total=5)
        assert run([], store) == RunSummary()


def test_timed_trials_run_alone(tmp_path, monkeypatch):
    """Trials whose seconds are the result run one at a time, after all others."""
    running, most, order = [], [], []

    def compute(one, worker, limit, base):
        running.append(one)
        most.append((one.timed, len(running)))
        order.append(one.timed)
        time.sleep(0.02)
        running.remove(one)
        return runner.make_record(one, {"outcome": {"metrics": {}, "fit": {}}}, {}), {}

    monkeypatch.setattr(runner, "compute", compute)
    trials = [trial(repeat=r, timed=timed) for r in range(6) for timed in (True, False)]
    with Store(tmp_path) as store:
        assert run(trials, store, jobs=3).done == 12
    assert order == [False] * 6 + [True] * 6
    assert max(n for timed, n in most if timed) == 1
    assert max(n for timed, n in most if not timed) > 1


def test_a_child_stays_from_one_batch_to_the_next(tmp_path, monkeypatch, reference_target):
    """One worker computes what others start from and then these. Timed trials have a worker of
    their own, as they are of another target; no other has a child then, and in the end none has."""
    seen, alive = [], set()

    class Counted(Worker):
        def __init__(self, *given):
            super().__init__(*given)
            alive.add(self)

        def close(self):
            super().close()
            alive.discard(self)

    def compute(one, worker, limit, base):
        seen.append((one.timed, worker, frozenset(alive)))
        time.sleep(0.02)  # so that all workers have their turn
        return runner.make_record(one, {"outcome": {"metrics": {}, "fit": {}}}, {}), {}

    monkeypatch.setattr(runner, "Worker", Counted)
    monkeypatch.setattr(runner, "compute", compute)
    shared = [on_digits("recognition", n_components=r) for r in range(2, 8)]
    trials = [*shared, *(trial(repeat=r, timed=True) for r in range(3))]
    with Store(tmp_path) as store:
        run(trials, store, jobs=2)
    assert len(seen) == 2 * len(shared) + 3  # with the fits
    untimed = {worker for timed, worker, _ in seen if not timed}
    in_time = [(worker, others) for timed, worker, others in seen if timed]
    assert len(untimed) == 2
    assert len({worker for worker, _ in in_time}) == 1
    assert all(worker not in untimed and others == {worker} for worker, others in in_time)
    assert not alive


def test_another_run_was_faster(tmp_path, monkeypatch):
    """Where two runs compute one trial, the record that came first stays."""
    one = trial()
    with Store(tmp_path) as store, Store(tmp_path) as other:

        def compute(one, worker, limit, base):
            record = runner.make_record(one, {"outcome": {"metrics": {"a": 1.0}, "fit": {}}}, {})
            other.put(record)
            return record | {"metrics": {"a": 2.0}}, {}

        monkeypatch.setattr(runner, "compute", compute)
        run([one], store)
        assert [r["metrics"] for r in store.records()] == [{"a": 1.0}]


def test_broken_environment(tmp_path, monkeypatch):
    """Children that cannot start end the run with the reason; no trial is blamed for it."""
    (tmp_path / "sitecustomize.py").write_text("raise SystemExit('broken on purpose')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Store(tmp_path / "store") as store:
        with pytest.raises(
            WorkerError, match=r"(?s)does not start .*exit code 1.*broken on purpose"
        ):
            run([trial(repeat=r) for r in range(5)], store, jobs=2)
        assert store.records() == []


def test_no_interpreter(tmp_path, monkeypatch):
    """An interpreter that is gone ends the run too."""
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    with Store(tmp_path) as store, pytest.raises(WorkerError, match="cannot start"):
        run([trial()], store)


def test_memory_limit_too_low(tmp_path):
    """A memory limit too low for any trial is an error before the first one."""
    with (
        Store(tmp_path) as store,
        pytest.raises(WorkerError, match="memory limit of 50 MB is too low"),
    ):
        run([trial()], store, limits=Limits(memory=50 * 10**6))


def test_all_jobs_share_the_memory_that_is_available():
    """Without a limit the machine is protected; a given one is that of each job."""
    free = psutil.virtual_memory().available
    alone, two = WorkerPool(None).memory_limit, WorkerPool(None, 2).memory_limit
    assert 0.4 * free < alone < 0.9 * free
    assert two == pytest.approx(alone / 2, rel=0.1)
    assert Worker().memory_limit == pytest.approx(alone, rel=0.1)
    assert WorkerPool(10**9, 2).memory_limit == 10**9


@pytest.mark.parametrize(
    "wrong", [{"seconds": 0}, {"memory": -1}, {"memory": 10**400}, {"seconds": float("nan")}]
)
def test_bad_limits(wrong):
    """Limits are positive."""
    with pytest.raises(ValueError, match="must be positive"):
        Limits(**wrong)


def test_bad_jobs(tmp_path):
    """At least one job."""
    with Store(tmp_path) as store, pytest.raises(ValueError, match="at least 1"):
        run([trial()], store, jobs=0)


def test_code_changed():
    """A child that runs other code than the trial's key says is not believed."""

    class Changed(Worker):
        def run(self, trial, time_limit=None, base=None, perturbation=None):
            return {"code": "another", "outcome": {"metrics": {}, "fit": {}}}, {}

    with pytest.raises(WorkerError, match="changed while the run went on"):
        runner.compute(trial(), Changed(), None)


GOOD = {"outcome": {"metrics": {"a": 1.0}, "fit": {}}, "elapsed": 0.1, "peak_memory": 1}


@pytest.mark.parametrize(
    ("forged", "arrays"),
    [
        ({"elapsed": -1.0}, {}),
        ({"elapsed": float("nan")}, {}),
        ({"elapsed": [1]}, {}),
        ({"peak_memory": 1.5}, {}),
        ({"peak_memory": 2**63}, {}),
        ({"outcome": {}}, {}),
        ({"outcome": {"metrics": {"a": 10**400}, "fit": {}}}, {}),
        ({"outcome": {"metrics": {"a": "1"}, "fit": {}}}, {}),
        ({"outcome": {"metrics": {"a": 1.0}, "fit": [1]}}, {}),
        ({"outcome": {"metrics": {"a": 1.0}, "fit": {"n_iter": 1e9}}}, {}),
        ({"outcome": [1]}, {}),
        ({"target": [1]}, {}),
        ({"target": {"blas": {"nested": 1}}}, {}),
        ({"error": {"a": 1}}, {}),
        ({"error": "\ud800"}, {}),
        ({"code": "another"}, {}),
        ({}, {"trace": np.ones(3)}),
        ({}, {"trace": np.zeros(1, [("iteration", "i8")])}),
        ({}, {"\ud800": np.ones(3)}),
    ],
)
def test_a_forged_answer_is_a_failed_record(tmp_path, forged, arrays):
    """An external class holds the pipe; whatever it writes there, the run goes on."""
    path = tmp_path / "mine.py"
    path.write_text("class Mine:\n    def fit(self, X):\n        return self\n")

    class Forged(Worker):
        def run(self, trial, time_limit=None, base=None, perturbation=None):
            return GOOD | forged, arrays

    one = trial(f"{path}:Mine")
    record, kept = runner.compute(one, Forged(), None)
    assert record["status"] == "failed"
    assert kept == {}
    with Store(tmp_path / "store") as store:
        assert store.put(record, kept)


def test_progress_may_raise(tmp_path, computed):
    """An error of the caller's own ends the run and its children, and the record is kept."""

    def progress(summary, record):
        raise RuntimeError("on purpose")

    with Store(tmp_path) as store:
        with pytest.raises(RuntimeError, match="on purpose"):
            # More than a slow machine can finish before the error is noticed.
            run([trial(repeat=r) for r in range(3000)], store, progress=progress)
        assert 1 <= len(store.records()) < 3000


def test_worker_survives():
    """A worker starts a new child after each end of the last; closed, it is closed for good."""
    worker = Worker()
    answer, arrays = worker.run(trial().to_dict())
    assert answer["outcome"]["metrics"]
    assert "anchors" in arrays
    child = worker._child
    child.kill()  # while it is idle: nobody's trial is to blame
    assert child.ended(20)
    answer, _ = worker.run(trial().to_dict(), time_limit=60)
    assert "outcome" in answer
    assert worker._child is not child
    worker.close()
    worker.close()
    with pytest.raises(WorkerDied, match="closed"):
        worker.run(trial().to_dict())


def test_history_does_not_matter(tmp_path):
    """A trial's record does not depend on what its child computed before."""
    trials = [trial(params={"normalize": n}, repeat=r) for r in range(3) for n in (False, True)]
    with Store(tmp_path / "a") as one, Store(tmp_path / "b") as other:
        run(trials, one)
        run(trials[::-1], other)
        for t in trials:
            assert content(one, t.key) == content(other, t.key)


def test_threads_read_arrays_at_the_same_time():
    """CPython 3.11 fails to parse array headers if threads interleave there; ours do not."""
    blob, errors = to_bytes(np.zeros(3)), []

    def read():
        try:
            for _ in range(100):
                from_bytes(blob)
        except SystemError as error:
            errors.append(error)

    def interrupt(phase, info):
        sum(range(50))  # Python code, at which another thread can take over

    threads = [threading.Thread(target=read) for _ in range(4)]
    before = gc.get_threshold(), sys.getswitchinterval()
    gc.callbacks.append(interrupt)
    try:
        gc.set_threshold(5, 1, 1)
        sys.setswitchinterval(1e-6)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        gc.callbacks.remove(interrupt)
        gc.set_threshold(*before[0])
        sys.setswitchinterval(before[1])
    assert errors == []
