"""Audits: records computed again, what is compared, and which version they say to raise."""

import json
import shutil
from types import SimpleNamespace

import pytest
from engine import on_digits, trial

from nmfbench import cli
from nmfbench.core import registry
from nmfbench.engine import audit as module
from nmfbench.engine import runner
from nmfbench.engine.audit import Audit, Group, audit, moved, standing
from nmfbench.engine.runner import run
from nmfbench.engine.store import Store

ELSEWHERE = {"platform": "other", "cpu": "other", "cores": 1}
LONG = on_digits("recognition", "nenmf", train_per_class=20)
SHORT = on_digits("recognition", "pca")
PLAIN = [trial(solver, repeat=r) for solver in ("spa", "xray-l2") for r in range(2)]
TRIALS = [*PLAIN, LONG, SHORT]


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """A store with the records of the trials above."""
    folder = tmp_path_factory.mktemp("computed")
    with Store(folder) as store:
        assert run(TRIALS, store).failed == 0
        assert store.records([LONG.base.key])[0]["n_iter"] > 10
    return folder


@pytest.fixture
def folder(computed, tmp_path):
    """A copy of it."""
    return shutil.copytree(computed, tmp_path / "store")


@pytest.fixture
def store(folder):
    with Store(folder) as opened:
        yield opened


def edit(store, one, **changes):
    """Change a record, and keep its arrays."""
    (record,) = store.records([one.key])
    store.put(record | changes, store.arrays(one.key), replace=True)


def groups_by_name(groups):
    return {(group.task, group.solver): group for group in groups}


# -- what is computed and compared ------------------------------------------------------------


def test_the_same_bits_come_out_again(store):
    """On the same host all of a record is compared, and the outcome is kept."""
    told = []
    groups = audit(store, sample=2, progress=told.append)
    assert {(g.task, g.solver, g.dataset, g.records, g.changed) for g in groups} == {
        ("recovery", "spa", "near-separable", 2, 0),
        ("recovery", "xray-l2", "near-separable", 2, 0),
        *((task, "nenmf", "digits", 1, 0) for task in ("factorization", "recognition")),
        *((task, "pca", "digits", 1, 0) for task in ("factorization", "recognition")),
    }
    assert all(len(group.audits) == group.records for group in groups)
    assert all(group.count("same bits") == group.records for group in groups)
    assert {found.compared for found in told} == {"all"}
    kept = store.audits()
    assert len(kept) == len(told) == 8
    for row in kept:
        (record,) = store.records([row["key"]])
        assert (row["task"], row["solver"], row["dataset"]) == module.group_of(record)
        assert row["record_code"] == row["code"] == record["code"]
        assert row["outcome"] == "same bits"


def test_a_difference_is_found_and_told(folder, capsys):
    """An edited metric is named with its old and its new value, by the command, too; exit 1."""
    with Store(folder) as store:
        one = PLAIN[0]
        (record,) = store.records([one.key])
        name = next(iter(record["metrics"]))
        old = record["metrics"][name]
        edit(store, one, metrics=record["metrics"] | {name: old + 1e-3})
    words = ["audit", "--store", str(folder), "--sample", "2", "--jobs", "1", "--json"]
    assert cli.main(words) == 1
    shown = capsys.readouterr()
    rows = json.loads(shown.out)
    keys = ("task", "solver", "dataset", "records", "audited")
    keys += ("same_bits", "same_digits", "different")
    assert all(set(keys) <= set(row) for row in rows)
    (row,) = [row for row in rows if row["different"]]
    assert [row[key] for key in keys] == ["recovery", "spa", "near-separable", 2, 2, 1, 0, 1]
    (found,) = row["differences"]
    assert found["key"] == one.key
    assert found["what"] == [f"{name} was {old + 1e-3!r}, is {old!r}"]
    assert f"{name} was" in shown.err
    assert sum(row["audited"] for row in rows) == 8


def test_the_command_says_which_version_to_raise(folder, capsys, monkeypatch):
    """In words, with the place in the source; with --accept it is raised there, exit 0."""
    with Store(folder) as store:
        for one in PLAIN[2:]:
            edit(store, one, objective=123.0)
    words = ["audit", "--store", str(folder), "--jobs", "1"]
    assert cli.main(words) == 1
    out = capsys.readouterr().out
    assert "if the change is meant, raise (or give --accept):" in out
    assert ": solver 'xray-l2': version=2" in out
    assert "objective was 123.0" in out
    raised = []
    monkeypatch.setattr(
        "nmfbench.cli.versions.raise_version", lambda *entry: raised.append(entry) or 2
    )
    assert cli.main([*words, "--accept"]) == 0
    assert raised == [("solver", "xray-l2")]
    assert "raised:" in capsys.readouterr().out


def test_of_another_host_only_the_first_iterations_are_compared(store):
    """Of a long fit the objectives so far; a fit of few iterations, or none, is compared whole."""
    for one in (LONG, LONG.base, SHORT, SHORT.base):
        (record,) = store.records([one.key])
        # Rounding in a long fit is no difference.
        metrics = {k: v + 0.5 * (one is LONG) for k, v in record["metrics"].items()}
        edit(store, one, host=ELSEWHERE, metrics=metrics)
    groups = groups_by_name(audit(store, [one.key for one in (LONG, LONG.base, SHORT)]))
    for task in ("factorization", "recognition"):
        (found,) = groups[task, "nenmf"].audits
        assert found.compared == "first objectives"
        assert found.outcome == "same bits"
    (found,) = groups["recognition", "pca"].audits
    assert found.compared == "all"


def test_an_edited_first_objective_is_found_on_another_host(store):
    """The record of the fit says what its first iterations gave."""
    (record,) = store.records([LONG.base.key])
    objectives = [*record["first_objectives"][:-1], record["first_objectives"][-1] * (1 + 1e-3)]
    edit(store, LONG.base, host=ELSEWHERE, first_objectives=objectives)
    edit(store, LONG, host=ELSEWHERE)
    (group,) = audit(store, [LONG.key])
    (found,) = group.audits
    assert (found.outcome, found.compared) == ("different", "first objectives")
    assert found.record["key"] == LONG.key
    (text,) = found.differences
    assert text.startswith("objective after 10 iterations was ")


def test_a_failure_is_a_difference(store, monkeypatch):
    """A record that cannot be computed any more does not come out of today's code."""
    failed = (runner._record(PLAIN[0], {"error": "ValueError: no"}, {}), {})
    monkeypatch.setattr(module, "compute", lambda *_: failed)
    (group,) = audit(store, [PLAIN[0].key])
    assert group.count("different") == 1
    assert group.audits[0].differences == ["it failed: ValueError: no"]


# -- which records are computed ---------------------------------------------------------------


@pytest.fixture
def again(monkeypatch):
    """Records come out as they are, at once; lists the trials that were computed."""
    asked = []

    def compute(one, worker, limit):
        asked.append(one)
        return {"status": "done", "error": None}, {}

    same = SimpleNamespace(outcome="same bits", beyond=[], differences=[])
    monkeypatch.setattr(module, "compute", compute)
    monkeypatch.setattr(module, "compare", lambda *_: same)
    return asked


def test_only_groups_of_other_code_are_audited_where_that_is_asked_for(store, again):
    """At least one record of each, those that the other source computed."""
    for one in (PLAIN[1], PLAIN[2], PLAIN[3]):
        edit(store, one, code="another")
    groups = groups_by_name(audit(store, changed=True))
    assert {one.solver for one in again} == {"spa", "xray-l2"}
    assert len(again) == 2
    assert PLAIN[1] in again
    assert groups["recovery", "spa"].changed == 1
    assert groups["recovery", "xray-l2"].changed == 2
    assert groups["recognition", "nenmf"].changed == 0
    assert not groups["recognition", "nenmf"].audits


def test_what_cannot_be_computed_here_is_left_out(store, again, monkeypatch):
    """Failed records, those of other versions, of what is gone, and of data that are missing."""
    (record,) = store.records([PLAIN[0].key])
    store.put(record | {"key": "0" * 24, "solver": "gone"})
    store.put(record | {"key": "1" * 24, "solver": "gone.py:Gone"})
    edit(store, PLAIN[1], status="failed", metrics={})
    monkeypatch.setitem(registry.solvers["xray-l2"].info, "version", 99)
    monkeypatch.setattr(module, "dataset_available", lambda name: name != "digits")
    groups = audit(store, sample=9)
    assert [one.key for one in again] == [PLAIN[0].key]
    assert [(group.task, group.solver, group.records) for group in groups] == [
        ("recovery", "spa", 1)
    ]
    assert moved(store, groups) == []


def test_a_sample_is_the_same_until_another_is_drawn(store, again):
    """The salt draws; the number of records does not."""
    drawn = set()
    for salt in ("", "", "a", "b", "c", "d", "e", "f"):
        again.clear()
        audit(store, [one.key for one in PLAIN[:2]], salt=salt)
        (one,) = again
        drawn.add((salt, one.key))
    assert len({key for salt, key in drawn if salt == ""}) == 1
    assert len({key for _, key in drawn}) == 2


def test_a_budget_begins_nothing_that_would_not_fit(store, again):
    """Groups that were not reached have no audit; all are named."""
    for one in TRIALS:
        edit(store, one, elapsed=50.0, code="another")
    groups = audit(store, [one.key for one in TRIALS], changed=True, budget=40.0)
    assert again == []
    assert len(groups) == 4
    edit(store, PLAIN[0], elapsed=1.0, code="another")
    audit(store, [one.key for one in TRIALS], changed=True, sample=2, budget=40.0)
    assert again == [PLAIN[0]]


def test_a_sample_within_a_budget_leaves_out_the_dear(store, again):
    """A record that takes a large share of the time is not for a sample."""
    edit(store, PLAIN[0], elapsed=30.0)
    edit(store, PLAIN[1], elapsed=1.0)
    audit(store, [one.key for one in PLAIN[:2]], sample=2, budget=100.0)
    assert again == [PLAIN[1]]


# -- how the records stand --------------------------------------------------------------------


def test_records_stand_by_the_code_that_computed_them(store, again, monkeypatch):
    """Of today's code, audited under it, audited and different, or neither."""
    expected = {"current": 4, "audited": 0, "different": 0, "unaudited": 0, "elsewhere": 0}
    assert standing(store, PLAIN) == standing(store, PLAIN * 2) == expected
    for one in PLAIN:
        edit(store, one, code="another")
    assert standing(store, PLAIN)["unaudited"] == 4
    audit(store, [PLAIN[0].key])  # its group has another record of the same code
    none = dict.fromkeys(expected, 0)
    assert standing(store, PLAIN) == none | {"audited": 2, "unaudited": 2}
    edit(store, PLAIN[1], code="a third")
    assert standing(store, PLAIN) == none | {"audited": 1, "unaudited": 3}
    differs = SimpleNamespace(outcome="different", beyond=["x"], differences=["x"])
    monkeypatch.setattr(module, "compare", lambda *_: differs)
    audit(store, [PLAIN[2].key])
    assert standing(store, PLAIN) == none | {"audited": 1, "different": 2, "unaudited": 1}
    edit(store, PLAIN[0], status="failed", metrics={})
    lacking = trial(repeat=77)
    assert sum(standing(store, [*PLAIN, lacking]).values()) == 3


def test_records_from_elsewhere_are_marked_until_they_are_audited(store, again, tmp_path):
    """Whatever they say of the code that computed them; then they count as audited."""
    with Store(tmp_path / "other") as other:
        pairs = [(record, {}) for record in store.records([one.key for one in PLAIN])]
        other.put_imported(pairs)
        none = dict.fromkeys(standing(store, PLAIN), 0)
        assert standing(other, PLAIN) == none | {"elsewhere": 4}
        audit(other, [PLAIN[0].key])
        assert standing(other, PLAIN) == none | {"audited": 2, "elsewhere": 2}
        other.put(*pairs[2], replace=True)  # computed here by now
        assert standing(other, PLAIN) == none | {"current": 1, "audited": 2, "elsewhere": 1}


# -- what to raise ----------------------------------------------------------------------------

NOISE = {"corruption": "sparse-laplace", "level": 0.5}
HISS = {"corruption": "gaussian", "level": 0.5}


def found(one, outcome):
    return Audit({"key": one.key}, one, outcome, "all", [])


def raised(store, outcomes):
    """Entries whose version is to be raised, given the outcomes of audits by trial."""
    group = Group("any", "any", "any", audits=[found(*pair) for pair in outcomes])
    return moved(store, [group])


@pytest.fixture
def empty(tmp_path):
    with Store(tmp_path / "empty") as opened:
        yield opened


def test_nothing_is_raised_where_nothing_differs(empty):
    """Rounding is no difference."""
    assert raised(empty, []) == []
    assert raised(empty, [(trial("spa"), "same bits"), (trial("xray-l2"), "same digits")]) == []


def test_a_solver_alone_is_named(empty):
    """Where others of the same task, data and corruption came out the same."""
    outcomes = [(trial("spa", **NOISE), "different"), (trial("xray-l2", **NOISE), "same bits")]
    assert raised(empty, outcomes) == [("solver", "spa")]


def test_a_task_is_named_if_all_its_solvers_differ(empty):
    """And the same solvers, data and corruptions serve other tasks as before."""
    outcomes = [(trial(s, **NOISE), "different") for s in ("spa", "xray-l2", "hals")]
    outcomes += [(trial(s, task="exemplars", **NOISE), "same bits") for s in ("spa", "xray-l2")]
    assert raised(empty, outcomes) == [("task", "recovery")]


def test_a_corruption_is_named_if_all_its_records_differ(empty):
    """Whichever task and solver; without it, or with another, all are the same."""
    solvers = ("spa", "xray-l2")
    outcomes = [(trial(solver, **NOISE), "different") for solver in solvers]
    outcomes += [(trial(solver, **HISS), "same bits") for solver in solvers]
    assert raised(empty, outcomes) == [("corruption", "sparse-laplace")]


def test_a_stand_in_is_named_apart_from_its_data(empty):
    """It has a version of its own."""
    orl = {"dataset": "orl", "dataset_params": {}, "task": "exemplars"}
    real, stand_in = trial("spa", **orl), trial("spa", stand_in=True, **orl)
    other = [(trial("spa", **orl | {"dataset": "yale"}), "same bits")]
    assert raised(empty, [(stand_in, "different"), (real, "same bits")]) == [("stand-in", "orl")]
    assert raised(empty, [(real, "different"), (stand_in, "same bits"), *other]) == [
        ("dataset", "orl")
    ]


def test_the_task_of_a_fit_is_named_if_all_that_starts_from_it_differs(empty):
    """One entry that explains all comes before several."""
    tasks = ("recognition", "clustering")
    outcomes = [(on_digits(task, s), "different") for task in tasks for s in ("pca", "nenmf")]
    outcomes += [(trial(s, **NOISE), "same bits") for s in ("pca", "nenmf")]
    outcomes.append((trial("spa", corruption="salt-pepper", level=0.1), "same bits"))
    assert raised(empty, outcomes) == [("task", "factorization")]


def test_several_are_named_where_one_does_not_explain_all(empty):
    """The fewest, each of which nothing came out the same."""
    outcomes = [(trial("spa", **NOISE), "different"), (trial("xray-l2", **HISS), "different")]
    outcomes += [(trial("hals", **NOISE), "same bits"), (trial("hals", **HISS), "same bits")]
    assert raised(empty, outcomes) == [("solver", "spa"), ("solver", "xray-l2")]


def test_where_something_of_all_came_out_the_same_it_is_the_solvers(empty):
    """No entry explains it; raising the solver drops what differs, and more."""
    outcomes = [(trial("spa", repeat=0), "different"), (trial("spa", repeat=1), "same bits")]
    assert raised(empty, outcomes) == [("solver", "spa")]


def test_records_of_todays_source_are_evidence_that_nothing_of_them_moved(store):
    """They need no audit; failed ones say nothing."""
    outcomes = [(PLAIN[0], "different")]
    assert raised(store, outcomes) == [("solver", "spa")]  # other repeats and solvers are as before
    for one in TRIALS:
        edit(store, one, code="another")
        edit(store, one.base or one, code="another")
    assert raised(store, outcomes) == [("task", "recovery")]
    edit(store, PLAIN[2], code=PLAIN[2].code)
    assert raised(store, outcomes) == [("solver", "spa")]
    edit(store, PLAIN[2], status="failed", metrics={})
    assert raised(store, outcomes) == [("task", "recovery")]
