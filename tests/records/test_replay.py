"""A trial computed twice: same bits, same digits, or different."""

import numpy as np
import pytest

from nmfbench.audits import replay as module
from nmfbench.audits.replay import find_record, replay
from nmfbench.datasets.base import DataMissingError
from nmfbench.engine.runner import run
from nmfbench.records.store import Store
from nmfbench.trials.trial import Trial

TINY = {"n_samples": 20, "n_features": 12, "n_components": 3}


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """One finished trial: its record and its arrays."""
    trial = Trial("recovery", "near-separable", "spa", {}, TINY, "sparse-laplace", 0.2)
    with Store(tmp_path_factory.mktemp("computed")) as store:
        run([trial], store)
        return store.records()[0], store.arrays(trial.key)


@pytest.fixture
def again(monkeypatch, computed, tmp_path):
    """Replay the record after changes to what is recorded and to what is computed now."""

    def call(record=None, arrays=None, now=None, now_arrays=None):
        old, old_arrays = computed
        new = (old | (now or {}), old_arrays | (now_arrays or {}))
        monkeypatch.setattr(module, "compute", lambda *_: new)
        with Store(tmp_path / "store") as store:
            store.put(old | (record or {}), old_arrays if arrays is None else arrays)
            return replay(store.records()[0], store)

    return call


def test_a_second_computation_gives_the_same_bits(computed, tmp_path):
    """In a fresh process, metrics, objective and arrays are equal to the bit."""
    record, arrays = computed
    with Store(tmp_path) as store:
        store.put(record, arrays)
        found = replay(record, store)
    assert (found.verdict, found.differences, found.error) == ("same bits", [], None)
    assert found.same_code
    assert {"anchor-recovery", "objective", "anchors", "trace.objective"} <= set(found.compared)
    assert not any("seconds" in name for name in found.compared)


def test_rounding_is_told_from_difference(again, computed):
    """A relative 1e-6 is the bound between the same digits and others."""
    objective = computed[0]["objective"]
    near = again(now={"objective": objective * (1 + 1e-9)})
    assert near.verdict == "same digits"
    assert len(near.differences) == 1
    assert "objective" in near.differences[0]
    assert again(now={"objective": objective * 1.001}).verdict == "different"
    assert again(now={"metrics": {"anchor-recovery": 0.0}}).verdict == "different"
    assert again(now={"metrics": {}}).verdict == "different"
    assert again(now={"n_iter": 99}).verdict == "different"


def test_arrays_are_compared(again, computed):
    """Other anchors are a difference, and so is an array of another shape."""
    anchors = computed[1]["anchors"]
    found = again(now_arrays={"anchors": anchors[::-1]})
    assert found.verdict == "different"
    assert "anchors" in found.differences[0]
    assert again(now_arrays={"anchors": anchors[:1]}).verdict == "different"
    assert again(now_arrays={"new": np.ones(2)}).verdict == "different"


def test_an_imported_record_is_compared_without_its_arrays(again):
    """Exports leave arrays behind: their absence is no difference."""
    assert again(arrays={}).verdict == "same bits"


def test_failures_are_told(again):
    """A replay that fails, and a record that had failed."""
    found = again(now={"status": "failed", "error": "ValueError: no"})
    assert (found.verdict, found.error) == ("failed", "ValueError: no")
    found = again(record={"key": "f" * 24, "status": "failed", "error": "x", "metrics": {}})
    assert found.verdict == "different" or found.record["status"] == "done"


def test_another_version_of_the_code_is_told(again, computed):
    """The verdict stands beside the note that the record is of other code."""
    assert again().same_code
    old = dict(computed[0], key="e" * 24, code="another")
    assert not replay_of(old).same_code


def replay_of(record):
    class Nothing:
        def arrays(self, key):
            return {}

    return replay(record, Nothing())


def test_missing_data_are_an_error_not_a_difference(computed, monkeypatch, tmp_path):
    """Whoever replays learns how to get the data."""
    monkeypatch.setenv("NMFBENCH_DATA", "")
    monkeypatch.setenv("NMFBENCH_CACHE", str(tmp_path))
    record = computed[0] | {"dataset": "bbc", "dataset_params": {}, "task": "exemplars"}
    with pytest.raises(DataMissingError, match="data fetch bbc"):
        replay_of(record)


def test_a_key_is_found_by_how_it_begins(computed, tmp_path):
    """Unique beginnings suffice; others are refused with what was found."""
    record = computed[0] | {"key": "abc1" + "0" * 20}
    with Store(tmp_path) as store:
        store.put(record)
        store.put(record | {"key": "abc2" + "0" * 20})
        assert find_record(store, "ABC1")["key"] == record["key"]
        with pytest.raises(LookupError, match="more digits"):
            find_record(store, "abc")
        for unknown in ("d", ""):
            with pytest.raises(LookupError, match="no trial"):
                find_record(store, unknown)
