"""Merging records of two origins: what is taken, what stays, and what does not go together."""

import numpy as np
import pytest
from engine import on_digits, trial

from nmfbench.engine import runner
from nmfbench.records.merge import import_records, merge
from nmfbench.records.pending import in_stages
from nmfbench.records.store import Store

ELSEWHERE = {"platform": "other", "cpu": "other", "cores": 1}


def record_of(one, metric=1.0, **changes):
    answer = {"outcome": {"metrics": {"a": metric}, "fit": {}}}
    return runner.make_record(one, answer, {}) | changes


def failed(one, **changes):
    return runner.make_record(one, {"error": "ValueError: no"}, {}) | changes


def merged(held, offered, **options):
    return merge({record["key"]: record for record in held}, offered, **options)


def counts(found):
    return found.new, found.replaced, found.held, found.left_out


def test_of_equal_keys_the_held_record_stays():
    """Records that agree, to the bit or to the digits, and that differ, are counted."""
    trials = [trial(repeat=r) for r in range(4)]
    held = [record_of(one) for one in trials[:3]]
    offered = [record_of(trials[0]), record_of(trials[1], 1 + 1e-9), record_of(trials[2], 1.1)]
    found = merged(held, [*offered, record_of(trials[3])])
    assert found.taken == [trials[3].key]
    assert counts(found) == (1, 0, 3, 0)
    assert found.agreement == {"same bits": 1, "same digits": 1, "different": 1}
    assert found.different == [trials[2].key]


def test_a_failure_gives_way_to_a_result():
    """And to nothing else; a result never gives way to a failure."""
    trials = [trial(repeat=r) for r in range(4)]
    held = [failed(trials[0]), failed(trials[1]), record_of(trials[2])]
    offered = [record_of(trials[0]), failed(trials[1]), failed(trials[2]), failed(trials[3])]
    found = merged(held, offered)
    assert found.taken == [trials[0].key, trials[3].key]
    assert counts(found) == (1, 1, 2, 0)
    assert not found.agreement


def test_nothing_is_held_at_first():
    """Into an empty store all goes, timed or not, failed or not."""
    offered = [record_of(trial("spa", timed=True)), failed(trial("mu")), record_of(trial("hals"))]
    assert counts(merged([], offered)) == (3, 0, 0, 0)
    assert counts(merged(offered, [])) == (0, 0, 0, 0)


# -- timings ----------------------------------------------------------------------------------


def timings(solvers, host=None, repeat=0, **fields):
    trials = [trial(solver, timed=True, repeat=repeat, **fields) for solver in solvers]
    return [record_of(one, **({} if host is None else {"host": host})) for one in trials]


def test_timings_of_two_hosts_are_not_mixed():
    """Rivals on one problem are of one host; another repeat is another problem."""
    held = timings(["spa", "hals"])
    offered = timings(["spa", "mu"], ELSEWHERE) + timings(["mu"], ELSEWHERE, repeat=1)
    found = merged(held, offered)
    assert found.taken == [offered[2]["key"]]
    assert counts(found) == (1, 0, 1, 1)


def test_timings_of_one_host_go_together():
    """Missing records are taken."""
    found = merged(timings(["spa", "hals"], ELSEWHERE), timings(["spa", "mu"], ELSEWHERE))
    assert counts(found) == (1, 0, 1, 0)


def test_timings_that_are_mixed_already_are_left_out():
    """Timings offered from two hosts do not go together, either."""
    found = merged([], timings(["spa"]) + timings(["mu"], ELSEWHERE))
    assert found.taken == []
    assert found.left_out == 2


def test_the_larger_set_of_timings_wins_where_that_is_asked_for():
    """It must have all present records, and more; it is then taken whole."""
    held = timings(["spa", "hals"])
    larger = timings(["spa", "hals", "mu"], ELSEWHERE)
    assert merged(held, larger).taken == []
    found = merged(held, larger, larger_wins=True)
    assert set(found.taken) == {record["key"] for record in larger}
    assert counts(found) == (1, 2, 0, 0)
    for other in (larger[:2], larger[1:]):
        assert merged(held, other, larger_wins=True).taken == []


# -- families ---------------------------------------------------------------------------------


def family(metric=1.0, tasks=("recognition", "reconstruction", "clustering"), solver="nenmf"):
    """Records of a fit, and of what starts from it."""
    trials = [on_digits(task, solver) for task in tasks]
    return [record_of(one, metric) for one in (trials[0].base, *trials)]


def test_what_starts_from_an_agreeing_fit_is_taken():
    """Digits suffice."""
    held, offered = family(tasks=["recognition"]), family(1 + 1e-9)
    found = merged(held, offered)
    assert found.taken == [record["key"] for record in offered[2:]]
    assert counts(found) == (2, 0, 2, 0)


def test_what_starts_from_another_fit_is_left_out():
    """Unless it is larger and ``larger_wins`` is set; other families are not concerned."""
    held, offered = family(tasks=["recognition"]), family(1.5)
    other = family(tasks=["clustering"], solver="pca")
    found = merged(held, [*offered, *other])
    assert found.taken == [record["key"] for record in other]
    assert counts(found) == (2, 0, 2, 2)
    assert set(found.different) == {record["key"] for record in held}
    found = merged(held, offered, larger_wins=True)
    assert set(found.taken) == {record["key"] for record in offered}
    assert counts(found) == (2, 2, 0, 0)


def test_a_difference_of_an_evaluation_alone_parts_no_family():
    """The fits agree, so that the rest can be taken; the difference is reported."""
    held, offered = family(tasks=["recognition"]), family()
    held[1]["metrics"] = {"a": 2.0}
    found = merged(held, offered)
    assert counts(found) == (2, 0, 2, 0)
    assert found.different == [held[1]["key"]]


# -- into a store -----------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path) as opened:
        yield opened


def test_an_import_brings_arrays_for_pictures_only(store):
    """They can be read, and no trial starts from them."""
    records = family(tasks=["recognition"])
    arrays = {"W": np.eye(2)}
    found = import_records([(record, arrays) for record in records], store)
    assert counts(found) == (2, 0, 0, 0)
    keys = [record["key"] for record in records]
    assert store.imported(keys) == set(keys)
    for key in keys:
        np.testing.assert_array_equal(store.array(key, "W"), np.eye(2))
        assert store.arrays(key) == {}
    planned = [on_digits(task) for task in ("recognition", "clustering")]
    assert in_stages(planned[:1], store) == []
    assert in_stages(planned, store) == [[planned[0].base], [planned[1], planned[0]]]


def test_what_was_computed_here_stays_with_its_arrays(store):
    """An import of the same trial changes nothing of it."""
    record = record_of(trial())
    store.put(record, {"W": np.eye(2)})
    found = import_records([(record | {"seconds": 99.0}, {"W": np.ones(3)})], store)
    assert counts(found) == (0, 0, 1, 0)
    assert store.records() == [record]
    np.testing.assert_array_equal(store.arrays(record["key"])["W"], np.eye(2))
    assert store.imported([record["key"]]) == set()


def test_arrays_that_stayed_behind_come_with_the_next_import(store):
    """A book that has grown by arrays completes the same records; other records stay bare."""
    first, second = (record_of(trial(repeat=r)) for r in range(2))
    import_records([(first, {"W": np.eye(2)}), (second, {})], store)
    more = {"H": np.ones(3)}
    found = import_records([(first, more), (second | {"seconds": 99.0}, more)], store)
    assert counts(found) == (0, 0, 2, 0)
    assert store.array_names(first["key"]) == ["H", "W"]
    np.testing.assert_array_equal(store.array(first["key"], "H"), np.ones(3))
    np.testing.assert_array_equal(store.array(first["key"], "W"), np.eye(2))
    assert store.array_names(second["key"]) == []
    assert store.imported([first["key"], second["key"]]) == {first["key"], second["key"]}


@pytest.mark.parametrize(
    "change", [{"task": "gone"}, {"solver": "gone"}, {"dataset": "gone"}, {"corruption": "gone"}]
)
def test_records_of_what_is_not_registered_are_left_out(store, change):
    """Such as records of a plug-in that only the other side has: they are counted, and no error."""
    strange = record_of(trial(), key="0" * 24) | change
    found = import_records([(strange, {}), (record_of(trial("mu")), {})], store)
    assert counts(found) == (1, 0, 0, 0)
    assert found.unknown == 1
    store.put(strange)  # of a plug-in that is gone by now
    assert import_records([(strange, {})], store).unknown == 1
