"""Imported records of another target, computed again under the reference target."""

import json

import pytest
from engine import on_digits, trial

from nmfbench import cli
from nmfbench.audits.renew import _batches, renew
from nmfbench.engine.runner import run
from nmfbench.records.merge import import_records, merge
from nmfbench.records.store import Store
from nmfbench.trials.target import is_reference

pytestmark = pytest.mark.usefixtures("reference_target")

PLAIN = [trial(solver, repeat=r) for solver in ("spa", "xray-l2") for r in range(2)]
FITTED = [on_digits(task, "mu") for task in ("recognition", "reconstruction")]
TIMED = trial("spa", timed=True)
OLD = {"numpy": "2.0"}


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """Of all trials, as computed here."""
    with Store(tmp_path_factory.mktemp("computed")) as store:
        assert run([*PLAIN, *FITTED, TIMED], store).failed == 0
        return store.records()


@pytest.fixture
def store(tmp_path, records):
    """With the same, imported from a time when nobody wrote down the target."""
    with Store(tmp_path / "store") as opened:
        import_records(((record | {"versions": OLD}, {}) for record in records), opened)
        yield opened


def of_reference(store):
    return {record["key"] for record in store.records() if is_reference(record["versions"])}


def test_all_that_is_not_timed_becomes_of_the_reference(store, records):
    """With the fits, to the bit as before; a second call finds nothing to do."""
    audits = []
    groups = renew(store, progress=audits.append)
    wanted = {record["key"] for record in records if not record["timed"]}
    assert of_reference(store) == wanted
    assert sum(group.records for group in groups) == len(audits) == len(wanted) == 7
    assert {found.outcome for found in audits} == {"same bits"}
    assert all(len(group.audits) == group.records for group in groups)
    assert store.imported(wanted) == set()
    assert renew(store) == []


def test_what_was_computed_here_is_left(tmp_path, records):
    """Whatever its target: the user named it."""
    with Store(tmp_path) as store:
        for record in records:
            store.put(record | {"versions": OLD})
        assert renew(store) == []


def test_only_some_keys_and_no_longer_than_the_budget(store):
    """A fit stays with what starts from it."""
    groups = renew(store, [PLAIN[0].key])
    assert [group.records for group in groups] == [1]
    assert of_reference(store) == {PLAIN[0].key}
    groups = renew(store, budget=1e-9)
    assert sum(group.records for group in groups) == 6
    assert of_reference(store) == {PLAIN[0].key}


def test_the_command_counts(store, capsys):
    """Records that were computed again, by outcome."""
    folder = str(store.folder)
    assert cli.main(["audit", "--store", folder, "--renew", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert sum(row["same_bits"] for row in rows) == 7
    assert cli.main(["audit", "--store", folder, "--renew"]) == 0
    assert "0 records computed again, 0 to go." in capsys.readouterr().out


# -- in a merge -------------------------------------------------------------------------------


def without_target(records):
    return [record | {"versions": OLD} for record in records]


def counts(found):
    return found.new, found.replaced, found.held, found.left_out


def test_a_record_of_the_reference_takes_the_place_of_another(records):
    """And never the other way round, nor of its like."""
    untimed = [record for record in records if not record["timed"]]
    held = {record["key"]: record for record in without_target(untimed)}
    assert counts(merge(held, untimed)) == (0, 7, 0, 0)
    ours = {record["key"]: record for record in untimed}
    assert counts(merge(ours, held.values())) == (0, 0, 7, 0)
    assert counts(merge(ours, untimed)) == (0, 0, 7, 0)


def test_a_family_that_came_out_otherwise_is_replaced_as_a_whole(records):
    """If all of it is offered, of the reference; else it stays."""
    keys = [FITTED[0].base.key, *(one.key for one in FITTED)]
    family = [record for record in records if record["key"] in keys]
    held = {r["key"]: r | {"objective": 1.0} for r in without_target(family)}
    assert counts(merge(held, family)) == (0, 3, 0, 0)
    part = [record for record in family if record["key"] != FITTED[1].key]
    assert counts(merge(held, part)) == (0, 0, 0, 2)


def test_a_fit_that_is_not_drawn_counts():
    """A cheap trial of an expensive fit comes after a dearer one that needs no fit."""
    cheap, dearer = FITTED[0], PLAIN[0]
    assert cheap.base is not None
    costs = {cheap.key: 0.1, cheap.base.key: 100.0, dearer.key: 1.0}
    trials = {one.key: one for one in (cheap, dearer)}
    order = [one for batch in _batches(costs, trials) for one in batch]
    assert order == [dearer, cheap]
