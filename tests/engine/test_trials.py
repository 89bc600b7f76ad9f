"""Trials: what a key depends on and what not, and which trials share their random numbers."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from engine import on_digits, python, trial

from nmfbench.core import registry
from nmfbench.trials.trial import Trial, canonical, key_of, share_prototypes

CORRUPTED = {"corruption": "sparse-laplace", "level": 0.5}


def test_key_is_content():
    """Trials of equal content have one key, however their parameters were written down."""
    one = trial(params={"a": (1, 2), "b": None}, **CORRUPTED)
    two = trial(params={"b": None, "a": [1, 2]}, corruption="sparse-laplace", level=np.float64(0.5))
    assert one == two
    assert hash(one) == hash(two)
    assert one.key == two.key
    assert len(one.key) == 24


def test_every_field_counts():
    """Each field is part of the key."""
    base = trial(**CORRUPTED)
    others = {
        "task": "exemplars",
        "dataset": "digits",
        "solver": "mu",
        "params": {"normalize": True},
        "dataset_params": {},
        "corruption": "exponential",
        "level": 0.6,
        "options": {"x": 1},
        "repeat": 1,
        "start": 1,
        "stand_in": True,
        "timed": True,
    }
    assert set(others) == {field.name for field in dataclasses.fields(Trial)}
    keys = {dataclasses.replace(base, **{name: value}).key for name, value in others.items()}
    assert len(keys | {base.key}) == len(others) + 1


def test_another_repeat_has_the_key_that_it_has_by_itself():
    """Made from a trial, or given its prototype afterwards; with and without a base."""
    for one in (trial(**CORRUPTED), on_digits("recognition")):
        alone = dataclasses.replace(one, repeat=3)
        made, given = one.in_repeat(3), dataclasses.replace(one, repeat=3)
        share_prototypes([one, given])
        assert made.prototype is given.prototype is one
        for other in (made, given):
            assert other == alone
            assert hash(other) == hash(alone)
            assert other.key == alone.key == key_of(alone, alone.declared)
            assert (other.declared, other.code) == (alone.declared, alone.code)
            assert other.base == alone.base
        assert one.key != alone.key
    share_prototypes([one, unlike := dataclasses.replace(one, start=1)])
    assert unlike.prototype is unlike


def test_roundtrip():
    """A trial survives JSON, and an unknown field is an error."""
    one = trial(params={"a": (1, 2)}, **CORRUPTED)
    back = Trial.from_dict(json.loads(json.dumps(one.to_dict())))
    assert back == one
    assert back.key == one.key
    with pytest.raises(ValueError, match="no field colour"):
        Trial.from_dict(one.to_dict() | {"colour": "red"})


def test_own_copy():
    """A trial is unchanged by what its caller does to the dictionary later."""
    params = {"a": [1]}
    one = trial(params=params)
    params["a"].append(2)
    assert one.params == {"a": [1]}


@pytest.mark.parametrize("bad", [{"a": np.ones(2)}, {"a": float("nan")}, {"a": {1, 2}}])
def test_bad_parameters(bad):
    """Parameters without a JSON form are refused where the trial is made."""
    with pytest.raises(TypeError, match="params of a trial must hold finite numbers"):
        trial(params=bad)


def test_half_a_corruption():
    """A corruption without a level, or a level without one, is an error."""
    with pytest.raises(ValueError, match="both a corruption and its level"):
        trial(level=0.1)
    with pytest.raises(ValueError, match="both a corruption and its level"):
        trial(corruption="poisson")


def test_rivals_share_draws():
    """Neither solver, parameters, level, task, options nor timing reach the random numbers."""
    base = trial(**CORRUPTED)
    changes = [
        {"solver": "mu"},
        {"params": {"normalize": True}},
        {"level": 0.9},
        {"task": "exemplars"},
        {"options": {"x": 1}},
        {"timed": True},
    ]
    for change in changes:
        other = dataclasses.replace(base, **change)
        for purpose in ("data", "corruption", "split"):
            assert base.rng(purpose).random() == other.rng(purpose).random()
        assert base.random_state == other.random_state


def test_draws_differ():
    """Purposes, repeats, data and their parameters each have draws of their own."""
    base = trial(**CORRUPTED)
    others = [
        dataclasses.replace(base, repeat=1),
        dataclasses.replace(base, dataset="digits"),
        dataclasses.replace(base, dataset_params={}),
        dataclasses.replace(base, stand_in=True),
    ]
    for purpose in ("data", "corruption", "split"):
        draws = {t.rng(purpose).random() for t in [base, *others]}
        assert len(draws) == 5
    assert len({base.rng(p).random() for p in ("data", "corruption", "split")}) == 3
    noise = dataclasses.replace(base, corruption="exponential")
    assert noise.rng("corruption").random() != base.rng("corruption").random()
    assert noise.rng("data").random() == base.rng("data").random()


def test_start_changes_the_solver_only():
    """Another start changes the solver's random numbers on the same data."""
    base, other = trial(), trial(start=1)
    assert base.random_state != other.random_state
    assert base.rng("data").random() == other.rng("data").random()


def test_known_seeds():
    """The rule that derives seeds is fixed: changing it changes every result."""
    base = trial(**CORRUPTED)
    assert base.random_state == 1081572759
    assert base.rng("data").integers(10**9) == 550523067


def test_data_count(monkeypatch):
    """Another content of the data file is another key, but not for its stand-in."""
    real = trial(dataset="orl", dataset_params={})
    stand_in = dataclasses.replace(real, stand_in=True)
    variant = dataclasses.replace(real, dataset_params={"variant": True})
    before = real.key, stand_in.key
    assert len({*before, variant.key}) == 3
    assert variant.data_version != real.data_version
    entry = registry.datasets["orl"]
    monkeypatch.setitem(entry.info, "sha256", "0" * 64)
    again = Trial.from_dict(real.to_dict()), Trial.from_dict(stand_in.to_dict())
    assert again[0].key != before[0]
    assert again[1].key == before[1]


def test_stand_in_counts(monkeypatch):
    """A raised version of the stand-in is another key, for trials on the stand-in only."""
    real = trial(dataset="orl", dataset_params={})
    stand_in = dataclasses.replace(real, stand_in=True)
    before = real.key, stand_in.key
    monkeypatch.setitem(registry.datasets["orl"].info, "stand_in_version", 99)
    again = Trial.from_dict(real.to_dict()), Trial.from_dict(stand_in.to_dict())
    assert again[0].key == before[0]
    assert again[1].key != before[1]


def test_other_process_same_key():
    """Keys and draws are the same in a process with other hash seeds and another folder."""
    code = """
import sys
sys.path.insert(0, sys.argv[1])
import os; os.chdir("/")
from engine import trial
t = trial(corruption="sparse-laplace", level=0.5)
print(t.key, t.random_state)
"""
    out, _ = python(code, str(Path(__file__).parents[1]))
    base = trial(**CORRUPTED)
    assert out.split() == [base.key, str(base.random_state)]


def test_canonical():
    """Canonical text does not depend on the order of keys, and NaN has none."""
    assert canonical({"b": 1, "a": 2}) == canonical({"a": 2, "b": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical({"a": float("nan")})
