"""Numerical targets: the environment of a process, and the target that is then in force."""

import json
import os
import subprocess
import sys
from contextlib import closing

import pytest
from engine import trial

from nmfbench import cli
from nmfbench.core import registry
from nmfbench.engine.runner import WorkerPool, run
from nmfbench.engine.worker import Worker
from nmfbench.records.store import Store
from nmfbench.trials import target as module
from nmfbench.trials.target import (
    NATIVE,
    REFERENCE,
    VARIABLE,
    available,
    environment,
    in_force,
    is_known,
    is_reference,
    target_of,
)

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
needs_avx2 = pytest.mark.skipif(REFERENCE not in available(), reason="needs x86-64 with AVX2")


@pytest.fixture(autouse=True)
def without_variables(monkeypatch):
    """No target is asked for, or in force, where a test begins."""
    for name in {VARIABLE}.union(*map(environment, available())):
        monkeypatch.delenv(name, raising=False)


def in_child(target, **variables):
    """The target in force in a child, started where these variables are set."""
    code = "import json; from nmfbench.trials.target import in_force; print(json.dumps(in_force()))"
    env = os.environ | variables | environment(target)
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_avx2
def test_the_reference_is_in_force_whatever_the_environment_says():
    """Its kernels, its features and one thread; numba has nothing beyond them."""
    found = in_child(REFERENCE, OPENBLAS_CORETYPE="Nehalem", NUMBA_CPU_NAME="generic")
    assert is_reference(found)
    assert found == in_child(REFERENCE)
    assert "Haswell x1" in found["blas"]
    assert not is_reference(in_child("nehalem"))


@pytest.mark.parametrize("name", available())
def test_a_target_is_what_a_child_computes_under(name):
    """All that is available can be used, and each of the libraries takes it."""
    if name == "two-threads" and CORES < 2:
        pytest.skip(
            "OpenBLAS starts no more threads than there are cores, and here is one; the test runs "
            "where there are two"
        )
    found = in_child(name)
    assert is_known(found)
    assert is_reference(found) == (name == REFERENCE)
    kernels = {"nehalem": "Nehalem x1", "avx512": "SkylakeX x1"}
    kernels |= {REFERENCE: "Haswell x1", "two-threads": "Haswell x2"}
    assert kernels.get(name, "x1") in found["blas"]
    levels = {"nehalem": "x86-64-v2 ", "generic": "x86-64 ", "avx512": "x86-64-v4 "}
    levels |= dict.fromkeys((REFERENCE, "two-threads"), "x86-64-v3 ")
    assert found["numba-target"].startswith(levels.get(name, ""))


def test_a_record_says_its_target():
    """As the child had it, not as the parent has it; nothing of it is in the key."""
    given = trial()
    with closing(Worker()) as worker:
        answer, _ = worker.run(given.to_dict())
    assert answer["target"] == in_child(REFERENCE)
    assert is_known(answer["target"])


def test_timed_trials_are_native_and_others_are_not(tmp_path):
    """Whatever target is requested."""
    trials = [trial(), trial(timed=True)]
    with Store(tmp_path) as store:
        run(trials, store)
        plain, timed = (store.records([one.key])[0]["versions"] for one in trials)
    assert {name: timed[name] for name in module.FIELDS} == in_child(NATIVE)
    assert {name: plain[name] for name in module.FIELDS} == in_child(REFERENCE)


@needs_avx2
def test_the_command_takes_a_target(tmp_path, capsys):
    """And the records are of it."""
    words = ["run", next(iter(registry.artefacts)), "--profile", "smoke", "--stand-in"]
    assert cli.main([*words, "--store", str(tmp_path), "--target", "nehalem"]) == 0
    with Store(tmp_path) as store:
        found = {r["versions"]["numba-target"] for r in store.records() if not r["timed"]}
    assert {name.split()[0] for name in found} == {"x86-64-v2"}


def test_wrong_names_are_refused(capsys):
    """The error lists the targets, and names the variable if it was wrong."""
    assert cli.main(["run", "--target", "sparc"]) == 2
    assert "there is no numerical target 'sparc'; this machine has " in capsys.readouterr().err
    with pytest.raises(ValueError, match="no numerical target 'sparc'"):
        Worker(target="sparc")


def test_what_this_machine_lacks_is_refused(monkeypatch):
    """Except the reference, which is then native."""
    monkeypatch.setattr(module, "_features", lambda: {"sse2", "sse", "64bit"})
    environment.cache_clear()
    try:
        assert available() == [NATIVE, "generic"]
        with pytest.raises(ValueError, match="lacks instructions of the numerical target 'avx512'"):
            environment("avx512")
        assert "OPENBLAS_CORETYPE" not in environment(REFERENCE)
        assert environment(REFERENCE) == environment(NATIVE)
    finally:
        environment.cache_clear()


def test_the_variable_names_the_target_of_untimed_trials(monkeypatch):
    """Where nobody else does."""
    assert target_of(timed=False) == REFERENCE
    monkeypatch.setenv(VARIABLE, NATIVE)
    assert target_of(timed=False) == NATIVE
    assert target_of(timed=False, untimed=REFERENCE) == REFERENCE
    assert target_of(timed=True, untimed=REFERENCE) == NATIVE
    monkeypatch.setenv(VARIABLE, "sparc")
    with pytest.raises(ValueError, match="no numerical target 'sparc'"):
        Worker()


def test_a_pool_has_workers_of_one_target_at_a_time():
    """Others are ended, so that none disturbs a timed trial."""
    with closing(WorkerPool(None, 2)) as pool:
        first, second = pool.of(2, REFERENCE)
        assert pool.of(1, REFERENCE) == [first]
        (third,) = pool.of(1, NATIVE)
        assert third not in (first, second)
        assert third.target == NATIVE
        assert pool.workers == [third]


def test_this_process_says_what_it_has():
    """Each copy of the library, the target of numba, numpy's and the C library."""
    found = in_force()
    assert set(found) == set(module.FIELDS)
    assert all(found.values())
    assert found["blas"].count("openblas") >= 1
