"""One core, two jobs, a Dask cluster: the same records, bit for bit."""

import contextlib
import os
import random
import sys
import threading
import time
import warnings

import psutil
import pytest
from engine import SMALL, assert_same_content, small_grid, trial

from nmfbench.engine import runner
from nmfbench.engine.runner import Limits, RunSummary, SchedulerError, run
from nmfbench.records.store import Store
from nmfbench.trials.target import FIELDS
from nmfbench.trials.trial import Trial


@contextlib.contextmanager
def two_workers():
    """Two worker processes of one thread each, on this machine."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",  # whichever port is free
        silence_logs=50,
    ) as local:
        yield local


@pytest.fixture(scope="module")
def cluster():
    with two_workers() as local:
        yield local


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    """The records of one job."""
    with Store(tmp_path_factory.mktemp("serial")) as store:
        grid = small_grid()
        assert run(grid, store) == RunSummary(done=len(grid), total=len(grid))
        yield store


def children_of(pids):
    children = [child for pid in pids for child in psutil.Process(pid).children(recursive=True)]
    return [child.pid for child in children if "serve" in str(child.cmdline())]


def targets_of(store):
    """Targets of the records of a store."""
    return {tuple(record["versions"][name] for name in FIELDS) for record in store.records()}


@pytest.mark.slow
def test_two_jobs(tmp_path, serial):
    """Two jobs give the records of one, bit for bit."""
    with Store(tmp_path) as store:
        grid = small_grid()
        assert run(grid, store, jobs=2).done == len(grid)
        assert_same_content(store, serial)


@pytest.mark.slow
def test_cluster(tmp_path, serial, cluster):
    """A Dask cluster gives the records of one job, bit for bit, and a second run finds them."""
    address = cluster.scheduler_address
    with Store(tmp_path) as store:
        grid = small_grid()
        some = grid[: len(grid) // 3]
        assert run(some, store, scheduler=address).done == len(some)
        whole = run(grid, store, scheduler=address)
        assert whole == RunSummary(done=len(grid) - len(some), found=len(some), total=len(grid))
        assert_same_content(store, serial)
        assert targets_of(store) == targets_of(serial)


@pytest.mark.slow
def test_killed_workers_lose_and_double_nothing(tmp_path, serial):
    """Each of three kills at random costs what ran there and no more: it is computed elsewhere."""
    rng, grid, killed = random.Random(0), small_grid(), []
    with two_workers() as cluster, Store(tmp_path) as store:

        def kill():
            for _ in range(3):
                time.sleep(rng.uniform(2, 5))
                victim = rng.choice(list(cluster.workers.values()))
                with contextlib.suppress(psutil.NoSuchProcess):
                    psutil.Process(victim.pid).kill()
                    killed.append(victim.pid)

        killer = threading.Thread(target=kill)
        killer.start()
        summary = run(grid, store, scheduler=cluster.scheduler_address)
        assert killed  # in the midst of it
        killer.join()
        assert summary == RunSummary(done=len(grid), total=len(grid))
        assert_same_content(store, serial)


@pytest.mark.slow
def test_results_that_wait_outlive_their_worker(tmp_path, serial):
    """A worker that dies once its results have arrived, before they are stored, costs nothing."""
    grid = small_grid()
    with two_workers() as cluster, Store(tmp_path) as store:

        def kill(summary, record):
            if summary.done == 5:
                time.sleep(3)  # others arrive, and wait for this thread
                for worker in list(cluster.workers.values()):
                    psutil.Process(worker.pid).kill()
                time.sleep(1)

        summary = run(grid, store, scheduler=cluster.scheduler_address, progress=kill)
        assert summary == RunSummary(done=len(grid), total=len(grid))
        assert_same_content(store, serial)


@pytest.mark.slow
def test_a_scheduler_that_ends_loses_nothing_that_is_stored(tmp_path, serial):
    """The run ends with an error; one on another cluster goes on from where it was."""
    grid, stored = small_grid(), threading.Event()
    with Store(tmp_path) as store:
        with two_workers() as cluster:

            def end():
                stored.wait(60)
                cluster.close()

            ending = threading.Thread(target=end)
            ending.start()
            with pytest.raises(SchedulerError):
                run(
                    grid,
                    store,
                    scheduler=cluster.scheduler_address,
                    progress=lambda summary, record: stored.set(),
                )
            ending.join()
        kept = len(store.records())
        assert 0 < kept < len(grid)
        with two_workers() as cluster:
            summary = run(grid, store, scheduler=cluster.scheduler_address)
        assert summary == RunSummary(done=len(grid) - kept, found=kept, total=len(grid))
        assert_same_content(store, serial)


@pytest.mark.slow
def test_limits_on_a_cluster(tmp_path, cluster):
    """Limits hold on a cluster, each run has its own, and timed trials are computed."""
    address = cluster.scheduler_address
    large = {**SMALL, "n_samples": 4000, "n_features": 4000}  # 128 MB for X alone
    slow, hungry = trial(dataset_params=large), trial(dataset_params=large, repeat=1)
    timed = trial(timed=True)
    children = children_of(worker.pid for worker in cluster.workers.values())
    held = max(psutil.Process(pid).memory_info().data for pid in children or [os.getpid()])
    with Store(tmp_path) as store:
        memory = Limits(memory=int(held + 100e6))
        summary = run([hungry, timed], store, scheduler=address, limits=memory)
        assert (summary.done, summary.failed) == (1, 1)
        assert "MemoryError" in store.records([hungry.key])[0]["error"]
        run([slow], store, scheduler=address, limits=Limits(seconds=0.01))
        assert "TimeoutError" in store.records([slow.key])[0]["error"]


@pytest.mark.slow
def test_other_code(tmp_path, cluster):
    """Workers that run other code than the keys say are refused, and nothing is stored."""
    one = trial()
    one.__dict__["code"] = "another"
    with Store(tmp_path) as store:
        with pytest.raises(SchedulerError, match="run other code for 'spa'"):
            run([one], store, scheduler=cluster.scheduler_address)
        assert store.records() == []


@pytest.mark.slow
def test_unknown_there(tmp_path, cluster, monkeypatch):
    """An error of the workers themselves ends the run with its text."""
    monkeypatch.setattr(runner, "_compute_remotely", _fails)
    with (
        Store(tmp_path) as store,
        pytest.raises(SchedulerError, match=r"cannot compute.*no solver"),
    ):
        run([trial()], store, scheduler=cluster.scheduler_address)


def test_a_cluster_without_workers_is_told_of(tmp_path, monkeypatch):
    """A run that waits for workers says so again and again, and how to start one; then it goes on.

    So does one whose only worker was killed: it has none left."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(runner, "_SILENCE", 0.2)
    monkeypatch.setattr(runner, "_compute_remotely", _answers)
    settings = {"processes": False, "dashboard_address": ":0", "silence_logs": 50}
    with (
        warnings.catch_warnings(record=True) as caught,
        distributed.LocalCluster(n_workers=0, **settings) as local,
        Store(tmp_path) as store,
    ):
        warnings.simplefilter("always")

        def messages():
            return [str(w.message) for w in caught if "no worker is connected" in str(w.message)]

        def start_one():
            deadline = time.monotonic() + 20
            while len(messages()) < 2 and time.monotonic() < deadline:
                time.sleep(0.05)
            local.scale(1)

        later = threading.Thread(target=start_one)
        later.start()
        assert run([trial()], store, scheduler=local.scheduler_address).done == 1
        later.join()
    assert len(messages()) >= 2
    assert f"start one with 'dask worker {local.scheduler_address}'" in messages()[0]


def _answers(values, limits, base, target):
    answer = {"outcome": {"metrics": {"a": 1.0}, "fit": {}}}
    return runner.make_record(Trial.from_dict(values), answer, {}), {}


_answers.__module__ = "__main__"  # so that it travels by value


def test_tls_takes_the_configuration_of_dask(tmp_path, monkeypatch):
    """An address of tls:// without certificates is refused in words."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(runner, "_CONNECT", "1s")
    with Store(tmp_path) as store, pytest.raises(SchedulerError, match=r"(?i)ssl|tls"):
        run([trial()], store, scheduler="tls://127.0.0.1:9")


def _fails(*given):
    raise LookupError("no solver is called so here")


_fails.__module__ = "__main__"  # so that it travels by value


@pytest.mark.slow
def test_children_end_with_the_cluster(tmp_path, cluster):
    """When the workers of a cluster end, however they end, their children do."""
    with Store(tmp_path) as store:
        run([trial(repeat=r) for r in range(4)], store, scheduler=cluster.scheduler_address)
    pids = [worker.pid for worker in cluster.workers.values()]
    children = children_of(pids)
    assert children
    psutil.Process(pids[0]).kill()
    cluster.close()
    deadline = time.monotonic() + 10
    while any(psutil.pid_exists(pid) for pid in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x", "tcp://"])
def test_no_scheduler(tmp_path, address, monkeypatch):
    """An address where nothing answers is an error that says how to start a scheduler."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(runner, "_CONNECT", "1s")
    with Store(tmp_path) as store, pytest.raises(SchedulerError, match="dask scheduler"):
        run([trial()], store, scheduler=address)


def test_not_installed(tmp_path, monkeypatch):
    """Without the extra, the error says what to install."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with Store(tmp_path) as store, pytest.raises(SchedulerError, match="pip install"):
        run([trial()], store, scheduler="tcp://localhost:1")
