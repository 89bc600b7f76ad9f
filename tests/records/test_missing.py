"""Which trials count as missing, and what is computed again together with them."""

import errno
import os

import pytest
from engine import on_digits, only_readable, start_python, trial

from nmfbench.core import registry
from nmfbench.engine import runner
from nmfbench.engine.runner import RunSummary, run
from nmfbench.records.pending import in_stages, missing, other_release
from nmfbench.records.provenance import host, machine, public_host, versions
from nmfbench.records.store import Store

ELSEWHERE = {"platform": "other", "cpu": "other", "cores": 1}
TASKS = ("recognition", "reconstruction", "clustering")


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store") as opened:
        yield opened


@pytest.fixture
def computed(monkeypatch):
    """Trials are computed at once, without a child; lists them."""
    asked = []

    def compute(one, worker, time_limit, base):
        asked.append(one)
        return record_of(one), {}

    monkeypatch.setattr(runner, "compute", compute)
    return asked


def record_of(one, **changes):
    answer = {"outcome": {"metrics": {"a": 1.0}, "fit": {}}}
    return runner.make_record(one, answer, {}) | changes


def test_what_has_a_finished_record_is_not_missing(store):
    """Whatever source computed it; each trial is named once, in order."""
    trials = [trial(repeat=r) for r in range(4)]
    store.put(record_of(trials[1], code="another"))
    assert missing([*trials, trials[0]], store) == [trials[0], *trials[2:]]


def test_a_failure_of_other_source_is_tried_again(store):
    """A trial that failed under today's source is run again only with ``retry_failed``."""
    failed = {"status": "failed", "error": "ValueError: no", "metrics": {}}
    today, earlier = trial(repeat=0), trial(repeat=1)
    store.put(record_of(today, **failed))
    store.put(record_of(earlier, **failed, code="another"))
    assert missing([today, earlier], store) == [earlier]
    assert missing([today, earlier], store, retry_failed=True) == [today, earlier]


# -- releases of wrapped packages -------------------------------------------------------------


def test_what_a_peer_gave_under_another_release_is_replaced(store, computed):
    """The record of the installed release takes the place of the other, once."""
    peer, own = trial("sklearn-cd"), trial("hals")
    package = registry.solvers["sklearn-cd"].info["wraps"]
    assert package == "scikit-learn"
    old = versions() | {package: "0.1"}
    for one in (peer, own):
        store.put(record_of(one, versions=old, metrics={"a": 0.0}), {})
    assert other_release(peer, store.records([peer.key])[0]) == "scikit-learn 0.1"
    assert other_release(own, store.records([own.key])[0]) is None
    assert missing([peer, own], store) == [peer]
    assert run([peer, own], store) == RunSummary(done=1, found=1, total=2)
    assert [record["metrics"]["a"] for record in store.records([peer.key, own.key])] == [1.0, 0.0]
    assert missing([peer, own], store) == []
    assert run([peer, own], store) == RunSummary(found=2, total=2)


def test_a_release_of_any_package_stands_in_the_record(store, computed, monkeypatch):
    """An external solver may wrap a package that no built-in solver does."""
    monkeypatch.setitem(registry.solvers["spa"].info, "wraps", "pytest")
    run([trial()], store)
    (record,) = store.records()
    assert record["versions"] == versions() | {"pytest": pytest.__version__}
    assert missing([trial()], store) == []
    monkeypatch.setitem(registry.solvers["spa"].info, "wraps", "no-such-package")
    assert missing([trial()], store) == [trial()]
    assert run([trial()], store).done == 1
    assert missing([trial()], store) == []


# -- timed rivals -----------------------------------------------------------------------------


def timed(solver, repeat=0, **fields):
    return trial(solver, repeat=repeat, timed=True, **fields)


def test_rivals_of_one_problem_are_timed_on_one_host(store):
    """If one is missing, timings from another host count as missing, too: in that repeat only."""
    trials = {(s, r): timed(s, r) for r in range(2) for s in ("spa", "hals", "mu")}
    for (solver, repeat), one in trials.items():
        if (solver, repeat) != ("mu", 1):
            store.put(record_of(one, host=ELSEWHERE))
    assert missing([one for (_, r), one in trials.items() if r == 0], store) == []
    found = missing(trials.values(), store)
    assert found == [trials[solver, 1] for solver in ("spa", "hals", "mu")]


def test_rivals_that_were_timed_here_stay(store):
    """They are of one host with the one that is missing."""
    here, there, lacking = timed("spa"), timed("hals"), timed("mu")
    store.put(record_of(here))
    store.put(record_of(there, host=ELSEWHERE))
    assert missing([here, there, lacking], store) == [there, lacking]


def test_rivals_of_two_hosts_are_timed_again_where_none_is_missing(store):
    """As a run that was stopped between them leaves them."""
    here, there = timed("spa"), timed("hals")
    store.put(record_of(here))
    store.put(record_of(there, host=ELSEWHERE))
    assert missing([here, there], store) == [there]
    assert missing([there], store) == []


def test_a_release_of_this_package_keeps_timings_and_one_of_another_does_not(store):
    """Keys say which of its versions computed a record; of numpy only the record does."""
    ours, theirs, lacking = timed("spa"), timed("hals"), timed("mu")
    store.put(record_of(ours, versions=versions() | {"nmfbench": "0.0.1"}))
    store.put(record_of(theirs, versions=versions() | {"numpy": "0.0.1"}))
    assert missing([ours, theirs, lacking], store) == [theirs, lacking]


def test_trials_that_are_not_timed_stay_wherever_they_are_from(store):
    """Nothing but seconds depends on the host."""
    here, lacking = trial("spa"), trial("hals")
    store.put(record_of(here, host=ELSEWHERE))
    assert missing([here, lacking], store) == [lacking]


def test_another_parameter_is_a_rival_and_another_level_is_not(store):
    """A timed problem is all of a trial but its solver and the parameters of that."""
    noise = {"corruption": "sparse-laplace"}
    one = timed("spa", level=0.5, **noise)
    rival = timed("spa", level=0.5, params={"normalize": True}, **noise)
    other = timed("spa", level=0.6, **noise)
    assert one.timed_problem == rival.timed_problem
    assert one.timed_problem != other.timed_problem
    for record in (one, other):
        store.put(record_of(record, host=ELSEWHERE))
    assert missing([one, rival, other], store) == [one, rival]


def test_a_rival_is_timed_again_in_place_of_the_other_hosts(store, computed):
    """The run replaces what was timed elsewhere, so that all are of this host."""
    trials = [timed("spa"), timed("hals")]
    store.put(record_of(trials[0], host=ELSEWHERE))
    assert run(trials, store) == RunSummary(done=2, total=2)
    assert [record["host"] for record in store.records()] == [host(), host()]


@pytest.mark.parametrize(
    "elsewhere",
    [{"host": public_host(host())}, {"versions": versions() | {"numpy": "1.0"}}],
    ids=["another machine with the same processor", "another release"],
)
def test_a_rival_is_timed_again_unless_it_was_timed_just_here(store, computed, elsewhere):
    """On this machine, which its processor does not tell apart, and under these releases."""
    trials = [timed("spa"), timed("hals")]
    store.put(record_of(trials[0], **elsewhere))
    assert missing(trials, store) == trials
    run(trials, store)
    assert missing([*trials, timed("mu")], store) == [timed("mu")]


def test_a_machine_has_one_random_name(tmp_path, monkeypatch):
    """Kept in the user's cache; another cache is another machine, and one that cannot be written
    is none."""
    monkeypatch.setenv("NMFBENCH_CACHE", str(tmp_path / "cache"))
    first = machine.__wrapped__()
    assert len(first) == 32
    assert machine.__wrapped__() == first
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["machine"]
    monkeypatch.setenv("NMFBENCH_CACHE", str(tmp_path / "other"))
    assert machine.__wrapped__() != first
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NMFBENCH_CACHE", str(tmp_path / "file" / "cache"))
    assert machine.__wrapped__() != machine.__wrapped__()


@pytest.mark.parametrize("content", ["", "\n", "0" * 31, "x" * 32, "\x1b[31m"])
def test_a_damaged_name_of_a_machine_is_replaced(tmp_path, monkeypatch, content):
    """As an empty file that two machines may have; a file system without links has names, too."""
    monkeypatch.setenv("NMFBENCH_CACHE", str(tmp_path))
    (tmp_path / "machine").write_text(content)
    first = machine.__wrapped__()
    assert len(first) == 32
    assert machine.__wrapped__() == first
    (tmp_path / "machine").unlink()
    monkeypatch.setattr(os, "link", _refuse)
    second = machine.__wrapped__()
    assert machine.__wrapped__() == second != first


def test_a_machine_keeps_its_name_where_its_cache_can_only_be_read(tmp_path, monkeypatch):
    """As in a container that audits records of others, so that they can be published outside."""
    monkeypatch.setenv("NMFBENCH_CACHE", str(tmp_path))
    name = machine.__wrapped__()
    with only_readable(tmp_path) as folder:
        monkeypatch.setenv("NMFBENCH_CACHE", str(folder))
        assert machine.__wrapped__() == name


def _refuse(*args):
    raise PermissionError(errno.EPERM, "Operation not permitted")


def test_a_machine_is_named_once_by_many_processes(tmp_path, monkeypatch):
    """Whichever of them is first."""
    monkeypatch.setenv("NMFBENCH_CACHE", str(tmp_path))
    code = "from nmfbench.records.provenance import machine; print(machine())"
    starting = [start_python(code) for _ in range(4)]
    names = {process.communicate(timeout=60)[0] for process in starting}
    assert len(names) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["machine"]


# -- imported records -------------------------------------------------------------------------


def family():
    """A fit, and what starts from it."""
    trials = [on_digits(task) for task in TASKS]
    return trials[0].base, trials


def test_a_new_task_computes_an_imported_fit_and_its_family_again(store, computed):
    """Fit and evaluations come from one computation; what is not planned stays."""
    fit, trials = family()
    other = on_digits("recognition", "pca")
    imported = [fit, *trials[:2], other.base, other]
    store.put_imported([(record_of(one, metrics={"a": 0.0}), {}) for one in imported])
    assert in_stages([*trials[:2], other], store) == []
    stages = in_stages([*trials[1:], other], store)
    assert stages[0] == [fit]
    assert set(stages[1]) == set(trials[1:])
    summary = run([*trials[1:], other], store)
    assert summary == RunSummary(done=3, found=1, total=4)
    assert computed[0] == fit
    again = {fit.key, trials[1].key, trials[2].key}
    assert {r["key"] for r in store.records() if r["metrics"]["a"] == 1.0} == again
    assert store.imported(one.key for one in imported) == {one.key for one in imported} - again


def test_a_fit_computed_here_serves_a_new_task(store, computed):
    """Nothing but the new task is computed."""
    fit, trials = family()
    run(trials[:2], store)
    computed.clear()
    assert in_stages(trials, store) == [[trials[2]]]
    run(trials, store)
    assert computed == [trials[2]]
    assert fit not in computed


def test_recompute_computes_what_was_imported(store, computed):
    """Imported records count as missing, with the fits that they start from; others do not."""
    fit, trials = family()
    here = trial()
    run([here], store)
    store.put_imported([(record_of(one), {}) for one in (fit, *trials[:2])])
    assert missing([here, *trials[:2]], store) == []
    assert missing([here, *trials[:2]], store, recompute=True) == trials[:2]
    assert in_stages([here, *trials[:2]], store, recompute=True) == [[fit], trials[:2]]
    computed.clear()
    assert run([here, *trials[:2]], store, recompute=True) == RunSummary(done=3, found=1, total=4)
    assert computed[0] == fit
    assert missing([here, *trials[:2]], store, recompute=True) == []


def test_recompute_times_all_rivals(store, computed):
    """Timings of the book give way to timings on this host, whole problems at a time."""
    trials = [timed("spa"), timed("hals")]
    store.put(record_of(trials[0]))
    store.put_imported([(record_of(trials[1], host=ELSEWHERE), {})])
    assert missing(trials, store, recompute=True) == [trials[1]]
    run(trials, store, recompute=True)
    assert all(record["host"] == host() for record in store.records())
