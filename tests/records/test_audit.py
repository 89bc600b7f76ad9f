"""Audits: records computed again, what is compared, and which version they say to raise."""

import json
import shutil
from types import SimpleNamespace

import pytest
from engine import on_digits, trial

from nmfbench import cli
from nmfbench.audits import audit as module
from nmfbench.audits import sample, sensitivity
from nmfbench.audits.audit import Audit, Group, audit, moved
from nmfbench.core import registry
from nmfbench.engine import runner
from nmfbench.engine.runner import run
from nmfbench.records import vouchers
from nmfbench.records.rounding import Spreads
from nmfbench.records.store import Store
from nmfbench.records.vouchers import standing, vouched_for

pytestmark = pytest.mark.usefixtures("reference_target")

LONG = on_digits("recognition", "nenmf", train_per_class=20)
SHORT = on_digits("recognition", "pca")
PLAIN = [trial(solver, repeat=r) for solver in ("spa", "xray-l2") for r in range(2)]
TRIALS = [*PLAIN, LONG, SHORT]
TARGETS = ("reference", "another", "unknown")


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
    audits = []
    groups = audit(store, sample=2, progress=audits.append)
    assert {(g.task, g.solver, g.dataset, g.records, g.changed) for g in groups} == {
        ("recovery", "spa", "near-separable", 2, 0),
        ("recovery", "xray-l2", "near-separable", 2, 0),
        *((task, "nenmf", "digits", 1, 0) for task in ("factorization", "recognition")),
        *((task, "pca", "digits", 1, 0) for task in ("factorization", "recognition")),
    }
    assert all(len(group.audits) == group.records for group in groups)
    assert all(group.count("same bits") == group.records for group in groups)
    assert all(found.at_one_target for found in audits)
    kept = store.audits()
    assert len(kept) == len(audits) == 8
    for row in kept:
        (record,) = store.records([row["key"]])
        assert (row["task"], row["solver"], row["dataset"]) == vouchers.group_of(record)
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
    keys += ("same_bits", "same_digits", "rounding", "different")
    assert all(set(keys) <= set(row) for row in rows)
    (row,) = [row for row in rows if row["different"]]
    assert [row[key] for key in keys] == ["recovery", "spa", "near-separable", 2, 2, 1, 0, 0, 1]
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
        "nmfbench.audits.versions.raise_version", lambda *entry: raised.append(entry) or 2
    )
    assert cli.main([*words, "--accept"]) == 0
    assert raised == [("solver", "xray-l2")]
    assert "raised:" in capsys.readouterr().out


def of_another_target(store, one, **changes):
    (record,) = store.records([one.key])
    edit(store, one, versions=record["versions"] | {"blas": "another"}, **changes)


def test_a_difference_of_another_target_is_measured_and_no_version_is_to_be_raised(
    store, monkeypatch
):
    """Up to several times the change that perturbed data give is rounding."""
    (record,) = store.records([LONG.key])
    of_another_target(store, LONG, objective=record["objective"] * 1.01)
    (group,) = audit(store, [LONG.key])
    assert [found.outcome for found in group.audits] == ["different"]
    assert not group.audits[0].at_one_target
    assert moved(store, [group]) == []
    monkeypatch.setattr(sensitivity, "measure", lambda *args, **kwargs: {"objective": 0.005})
    (group,) = audit(store, [LONG.key])
    (found,) = group.audits
    assert (found.outcome, group.count("rounding"), group.drift()) == ("rounding", 1, [])
    assert store.audits()[-1]["outcome"] == "rounding"


def test_a_mean_that_drifts_is_told(folder, capsys, monkeypatch):
    """Where rounding decides every trial, and all moved to one side; exit 1."""
    trials = [trial("xray-l2", corruption="gaussian", level=0.5, repeat=r) for r in range(6)]
    with Store(folder) as store:
        run(trials, store)
        for one in trials:
            (record,) = store.records([one.key])
            metrics = {name: value + 0.25 for name, value in record["metrics"].items()}
            of_another_target(store, one, metrics=metrics)
    monkeypatch.setattr(
        sensitivity, "measure", lambda trial, plain, *_, **__: dict.fromkeys(plain["metrics"], 9.0)
    )
    words = ["audit", "--store", str(folder), "--solver", "xray-l2", "--sample", "9"]
    assert cli.main(words) == 1
    out = capsys.readouterr().out
    assert "different: recovery of xray-l2 on near-separable, in the mean" in out
    assert "anchor-recovery changed by -0.25" in out
    assert "rounding decides 6 of the numbers audited" in out


def test_sensitivity_is_measured_once_for_each_group_and_kept(folder, capsys):
    """In a file beside the records; a second call finds nothing to do."""
    words = ["audit", "--store", str(folder), "--sensitivity", "--json"]
    assert cli.main(words) == 0
    rows = json.loads(capsys.readouterr().out)
    with Store(folder) as store:
        spreads = Spreads(folder)
        assert len(rows) == len({vouchers.group_of(r) for r in store.records()})
        assert all(record in spreads for record in store.records())
    assert cli.main(words) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_failure_is_a_difference(store, monkeypatch):
    """A record that cannot be computed any more does not come out of today's code."""
    failed = (runner.make_record(PLAIN[0], {"error": "ValueError: no"}, {}), {})
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

    same = SimpleNamespace(outcome="same bits", details=[])
    monkeypatch.setattr(module, "compute", compute)
    monkeypatch.setattr(module, "agreement", lambda *_: same)
    return asked


def test_only_groups_of_other_code_are_audited_where_that_is_asked_for(store, again):
    """At least one record of each group, among the records that the other source computed."""
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
    """Failed records, and records of other versions, of removed entries and of missing data."""
    (record,) = store.records([PLAIN[0].key])
    store.put(record | {"key": "0" * 24, "solver": "gone"})
    store.put(record | {"key": "1" * 24, "solver": "gone.py:Gone"})
    edit(store, PLAIN[1], status="failed", metrics={})
    monkeypatch.setitem(registry.solvers["xray-l2"].info, "version", 99)
    monkeypatch.setattr(sample, "dataset_available", lambda name: name != "digits")
    groups = audit(store, sample=9)
    assert [one.key for one in again] == [PLAIN[0].key]
    assert [(group.task, group.solver, group.records) for group in groups] == [
        ("recovery", "spa", 1)
    ]
    assert moved(store, groups) == []


def test_nobody_foresees_a_sample_and_it_can_be_drawn_again(store, again):
    """It is random, and its groups know the text that draws the same."""
    keys, drawn = [one.key for one in PLAIN[:2]], set()
    for _ in range(40):  # all of one record by chance: once in 10^12
        again.clear()
        (group,) = audit(store, keys)
        (one,) = again
        drawn.add(one.key)
        again.clear()
        assert audit(store, keys, draw=group.draw)[0].draw == group.draw
        assert again == [one]
    assert drawn == set(keys)


def test_the_command_shows_the_text_that_draws_a_sample(folder, capsys):
    """Two calls draw by two texts; --draw repeats one of them."""
    words = ["audit", "--store", str(folder), "--solver", "spa"]
    shown = []
    for more in ([], [], ["--draw", "my text"]):
        assert cli.main([*words, *more]) == 0
        (line,) = [x for x in capsys.readouterr().out.splitlines() if "draws this sample" in x]
        shown.append(line.partition("--draw ")[2].removesuffix(" draws this sample again"))
    assert shown[2] == "'my text'"
    assert len(set(shown)) == 3


# -- what an audit vouches for ----------------------------------------------------------------


@pytest.fixture
def elsewhere(store, tmp_path):
    """Another store, to which the first record of PLAIN was imported."""
    with Store(tmp_path / "elsewhere") as other:
        other.put_imported([(store.records([PLAIN[0].key])[0], {})])
        yield other


def forged(store, one):
    (record,) = store.records([one.key])
    return record | {"metrics": dict.fromkeys(record["metrics"], 0.123)}


def test_an_audit_vouches_for_nothing_that_comes_later(store, elsewhere, again):
    """Not for another record of its group, nor for one that takes the place of an audited one."""
    audit(elsewhere)
    assert vouched_for(elsewhere, PLAIN) == {PLAIN[0].key}
    elsewhere.put_imported([(forged(store, PLAIN[1]), {})])
    assert vouched_for(elsewhere, PLAIN) == {PLAIN[0].key}
    assert standing(elsewhere, PLAIN[:2])["elsewhere"] == 1
    elsewhere.put_imported([(forged(store, PLAIN[0]), {})])
    assert vouched_for(elsewhere, PLAIN) == set()
    assert standing(elsewhere, PLAIN[:2])["elsewhere"] == 2


def test_an_audit_of_changed_code_looks_at_what_comes_later(store, elsewhere, again):
    """A group that came out the same is audited again once it has another record."""
    for one in PLAIN[:2]:
        edit(store, one, code="another")
    elsewhere.put_imported([(store.records([PLAIN[0].key])[0], {})])
    audit(elsewhere, changed=True)
    audit(elsewhere, changed=True)
    assert again == [PLAIN[0]]
    elsewhere.put_imported([(store.records([PLAIN[1].key])[0], {})])
    audit(elsewhere, changed=True)
    assert again == [PLAIN[0], PLAIN[1]]


def test_what_an_audit_drew_from_is_listed(store, again):
    """With the number of records that were computed; of a chosen sample nothing is."""
    keys = [one.key for one in PLAIN]
    groups = audit(store, keys, draw="chosen")
    assert store.draws() == []
    assert vouched_for(store, PLAIN) == set()
    groups = audit(store, keys)
    rows = {row["solver"]: row for row in store.draws()}
    assert set(rows) == {"spa", "xray-l2"}
    for group in groups:
        row = rows[group.solver]
        assert (row["draw"], row["audited"], group.drawn_from) == (group.draw, 1, 2)
        assert set(row["records"]) == {one.key for one in PLAIN if one.solver == group.solver}
    assert vouched_for(store, PLAIN) == set(keys)


def test_a_record_that_differs_withdraws_the_word_for_its_group(store, again, monkeypatch):
    """Then no record of the group and source is vouched for, whatever came out before."""
    audit(store, [one.key for one in PLAIN])
    differs = SimpleNamespace(outcome="different", details=["x"])
    monkeypatch.setattr(module, "agreement", lambda *_: differs)
    audit(store, [PLAIN[0].key])
    assert vouched_for(store, PLAIN) == {PLAIN[2].key, PLAIN[3].key}


def test_no_audit_vouches_for_times(elsewhere, again):
    """Nobody can tell whether a time was measured."""
    timed = trial(timed=True)
    record = runner.make_record(timed, {"outcome": {"metrics": {"a": 1.0}, "fit": {}}}, {})
    elsewhere.put_imported([(record, {})])
    audit(elsewhere, [timed.key])
    assert timed in again
    assert vouched_for(elsewhere, [timed]) == set()


def test_an_audit_measures_rounding_itself(store):
    """Measurements that came with a file excuse no difference."""
    (record,) = store.records([LONG.key])
    of_another_target(store, LONG, objective=record["objective"] * 1.5)
    spreads = Spreads(store.folder)
    spreads.add(record, {"objective": 9.0})
    spreads.write()
    (group,) = audit(store, [LONG.key])
    assert [found.outcome for found in group.audits] == ["different"]


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
    """Of today's code, audited under it, audited and different, or neither; and by target."""

    def standing(*args):
        return {k: n for k, n in vouchers.standing(*args).items() if k not in TARGETS}

    expected = {"current": 4, "audited": 0, "different": 0, "unaudited": 0, "elsewhere": 0}
    assert standing(store, PLAIN) == standing(store, PLAIN * 2) == expected
    targets = dict.fromkeys(TARGETS, 0)
    assert vouchers.standing(store, PLAIN) == expected | targets | {"reference": 4}
    of_another_target(store, PLAIN[1])
    edit(store, PLAIN[2], versions={"numpy": "2.0"})
    found = vouchers.standing(store, PLAIN)
    assert [found[name] for name in TARGETS] == [2, 1, 1]
    for one in PLAIN:
        edit(store, one, code="another")
    assert standing(store, PLAIN)["unaudited"] == 4
    audit(store, [one.key for one in PLAIN[:2]])  # one of them is computed
    none = dict.fromkeys(expected, 0)
    assert standing(store, PLAIN) == none | {"audited": 2, "unaudited": 2}
    edit(store, PLAIN[1], code="a third")
    assert standing(store, PLAIN) == none | {"audited": 1, "unaudited": 3}
    differs = SimpleNamespace(outcome="different", details=["x"])
    monkeypatch.setattr(module, "agreement", lambda *_: differs)
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
        none = dict.fromkeys(standing(store, PLAIN), 0) | {"reference": 4}
        assert standing(other, PLAIN) == none | {"elsewhere": 4}
        audit(other, [one.key for one in PLAIN[:2]])
        assert standing(other, PLAIN) == none | {"audited": 2, "elsewhere": 2}
        other.put(*pairs[2], replace=True)  # computed here by now
        assert standing(other, PLAIN) == none | {"current": 1, "audited": 2, "elsewhere": 1}


# -- what to raise ----------------------------------------------------------------------------

NOISE = {"corruption": "sparse-laplace", "level": 0.5}
HISS = {"corruption": "gaussian", "level": 0.5}


def found(one, outcome):
    return Audit({"key": one.key}, one, outcome, [])


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
