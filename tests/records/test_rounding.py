"""Sensitivity to rounding: data changed in the last place, measurements, and their file."""

import copy
import json
import math
from contextlib import closing
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from engine import on_digits, trial
from sklearn.utils import Bunch

from nmfbench.audits import sensitivity
from nmfbench.audits.sensitivity import agreement, measure
from nmfbench.engine.perform import _perturb, perform
from nmfbench.engine.runner import compute
from nmfbench.engine.worker import Worker
from nmfbench.records import rounding
from nmfbench.records.agreement import compare
from nmfbench.records.exchange import ExchangeError
from nmfbench.records.rounding import Spreads, largest, merge_spreads
from nmfbench.trials.target import NATIVE, REFERENCE
from nmfbench.trials.trial import Trial

NOISE = {"corruption": "gaussian", "level": 0.5}
REFERENCE_VERSIONS = {
    "blas": "openblas 0.3.30 Haswell x1",
    "numba-target": "x86-64-v3 c1a73bd8",
    "numpy-simd": "X86_V2 X86_V3",
    "libc": "glibc 2.36",
}
RECORD = {
    "task": "recovery",
    "solver": "spa",
    "dataset": "near-separable",
    "declared": {"task": 1, "solver": 1},
    "metrics": {"x": 1.0, "y": 2.0},
}


@pytest.fixture(scope="module")
def worker():
    with closing(Worker()) as child:
        yield child


# -- data changed in the last place -----------------------------------------------------------


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_numbers_become_a_unit_smaller_or_stay(kind, precision):
    """In the coarser of the two precisions; about half of them; zeros and labels stay."""
    rng = np.random.default_rng(0)
    X = rng.random((50, 40)).astype(kind)
    X[rng.random(X.shape) < 0.3] = 0
    plain = {"X": X, "views": [X.copy(), sp.csr_array(X)], "y": np.arange(3.0), "upper": 1.0}
    data = Bunch(**{name: copy.deepcopy(value) for name, value in plain.items()})
    _perturb(data, np.dtype(precision), np.random.default_rng(1))
    unit = max(np.finfo(kind).eps, np.finfo(precision).eps)
    for new in (data.X, data.views[0], data.views[1].toarray()):
        assert new.dtype == kind
        moved = (new != X)[X > 0]
        assert 0.4 < moved.mean() < 0.6
        np.testing.assert_array_equal(new[X == 0], 0)
        assert np.all(new <= X)
        assert np.all(X - new <= 2 * unit * X)
    assert not np.array_equal(data.X, data.views[0])
    assert (data.upper, list(data.y)) == (1.0, [0.0, 1.0, 2.0])


def test_a_seed_gives_the_same_data_and_another_others():
    """Without a seed the numbers follow from the trial, whatever came before."""
    one = on_digits("factorization", "mu")
    plain, again = perform(one), perform(one)
    first, same, other = (perform(one, perturbation=seed) for seed in (0, 0, 1))
    traces = [x.arrays["trace"]["objective"].tobytes() for x in (plain, again, first, same, other)]
    assert (traces[0], traces[2]) == (traces[1], traces[3])
    assert len(set(traces)) == 3


def test_the_fit_that_a_trial_starts_from_is_of_the_same_data():
    """Both are changed alike."""
    one = on_digits("reconstruction", "mu")
    base = perform(one.base, perturbation=3)
    assert perform(one, base, perturbation=3).metrics == perform(one, perturbation=3).metrics


# -- measurements -----------------------------------------------------------------------------


def test_a_smooth_fit_moves_in_its_last_digits_only(worker):
    """As much as a change of kernels does."""
    one = on_digits("factorization", "mu")
    plain, _ = compute(one, worker, None)
    spread = measure(one, plain, worker, None)
    assert 0 < spread["objective"] < 1e-9
    assert all(compare(plain, plain, spread=spread).outcome == "same bits" for _ in range(2))


def test_a_fit_that_rounding_decides_moves_by_more_than_the_tolerances(worker):
    """Steps of these are signs of residuals that are zero but for rounding."""
    sizes = {"train_per_class": 7, "test_per_class": 20, "n_classes": 6, "n_components": 12}
    given = {"options": sizes | {"dtype": "float32"}, "stand_in": True}
    one = Trial("factorization", "yaleb", "mahnmf-rri", **given)
    plain, arrays = compute(one, worker, None)
    spread = measure(one, plain, worker, None, arrays=arrays)
    assert spread["objective"] > 1e-4
    assert {"trace.objective", "W"} <= spread.keys()


def test_no_more_is_measured_than_is_needed(worker, monkeypatch):
    """It ends once the difference is explained; and never starts at one target.

    Where the worker is of another target than the reference, that would be tried last.
    """
    monkeypatch.setattr(sensitivity, "available", lambda: [NATIVE])
    one, seeds = trial("spa", **NOISE), []
    plain, _ = compute(one, worker, None)

    def moved(trial, worker, limit, *, perturbation):
        seeds.append(perturbation)
        return plain | {"objective": plain["objective"] * 1.01}, {}

    monkeypatch.setattr(sensitivity, "compute", moved)
    old = plain | {"versions": {"numpy": "2.0"}}
    for factor, times, outcome in [
        (1.0, 0, "same bits"),
        (1.02, 1, "rounding"),
        (1.2, sensitivity.MOST, "different"),  # as these fork
    ]:
        seeds.clear()
        found = agreement(old | {"objective": plain["objective"] * factor}, plain, one, worker, 9)
        assert (found.outcome, len(seeds)) == (outcome, times)
    assert seeds == list(range(sensitivity.MOST))
    seeds.clear()
    monkeypatch.setattr(sensitivity, "compute", lambda *_, **k: (seeds.append(k) or plain, {}))
    assert agreement(old | {"objective": 7.0}, plain, one, worker, 9).outcome == "different"
    assert len(seeds) == rounding.TIMES  # as these do not
    seeds.clear()
    assert agreement(plain | {"objective": 7.0}, plain, one, worker, 9).outcome == "different"
    assert seeds == []


@pytest.mark.parametrize(
    ("targets", "factor", "outcome"),
    [
        ([NATIVE, REFERENCE], 1.0, "rounding"),
        ([NATIVE, REFERENCE], 1.1, "different"),
        ([NATIVE], 1.0, "different"),
    ],
    ids=["same", "other", "no reference"],
)
def test_another_target_is_held_against_the_reference(
    worker, monkeypatch, targets, factor, outcome
):
    """Where this processor always comes to another end, and kernels of most to that of a record."""
    one = trial("spa", **NOISE)
    plain, _ = compute(one, worker, None)
    old = plain | {"versions": {"numpy": "2.0"}, "objective": 2 * plain["objective"]}
    new = plain | {"versions": plain["versions"] | {"numba-target": "another"}}

    def computed(trial, where, limit, *, perturbation=None):
        scale = factor if where.target == REFERENCE else 0.5
        return old | {"objective": scale * old["objective"]}, {}

    monkeypatch.setattr(sensitivity, "compute", computed)
    monkeypatch.setattr(sensitivity, "available", lambda: targets)
    here = SimpleNamespace(target=NATIVE, memory_limit=None)
    found = agreement(old, new, one, here, 9)
    assert found.outcome == outcome
    assert found.details[0].startswith("objective was")
    of_reference = new | {"versions": REFERENCE_VERSIONS}
    assert agreement(old, of_reference, one, here, 9).outcome == "different"


def test_what_fails_from_perturbed_data_says_nothing(worker, monkeypatch):
    """It is left out."""
    plain, _ = compute(trial("spa"), worker, None)
    monkeypatch.setattr(sensitivity, "compute", lambda *_, **__: ({"status": "failed"}, {}))
    assert measure(trial("spa"), plain, worker, None) == {}


def test_the_largest_is_a_metric_or_the_objective():
    """Iterations and first objectives are not what a reader looks at."""
    assert largest(RECORD, {"x": 0.1, "objective": 0.2, "iterations": 3.0}) == ("objective", 0.2)
    assert largest(RECORD, {"y": 0.3, "objective": 0.2}) == ("y", 0.3)
    assert largest(RECORD, {"iterations": 3.0}) == (None, 0.0)


# -- their file -------------------------------------------------------------------------------


def test_measurements_are_kept_by_group_with_their_versions(tmp_path):
    """The largest of several trials; of raised versions none."""
    spreads = Spreads(tmp_path)
    assert spreads.of(RECORD) is None
    spreads.add(RECORD, {"x": 0.12345, "y": 1e-12, "iterations": math.inf})
    spreads.add(RECORD, {"x": 0.1, "objective": 0.5})
    spreads.write()
    spreads = Spreads(tmp_path)
    assert spreads.of(RECORD) == {"x": 0.12, "objective": 0.5, "iterations": math.inf}
    assert RECORD in spreads
    for raised in ({"task": 2, "solver": 1}, {"task": 1, "solver": 2}):
        assert RECORD | {"declared": raised} not in spreads
    assert RECORD | {"solver": "mu"} not in spreads
    spreads.add(RECORD | {"declared": {"task": 2, "solver": 1}}, {"y": 0.2})
    assert spreads.of(RECORD | {"declared": {"task": 2, "solver": 1}}) == {"y": 0.2}


def test_measurements_of_more_trials_come_along(tmp_path):
    """From one folder to another; otherwise the present ones stay."""
    here, there = tmp_path / "here", tmp_path / "there"
    assert merge_spreads(there, here) == 0
    ours, theirs = Spreads(here), Spreads(there)
    ours.add(RECORD, {"x": 0.1})
    ours.write()
    theirs.add(RECORD, {"x": 0.2})
    theirs.add(RECORD, {"x": 0.3})
    theirs.add(RECORD | {"solver": "mu"}, {})
    theirs.write()
    assert merge_spreads(there, here) == 2
    assert Spreads(here).of(RECORD) == {"x": 0.3}
    assert Spreads(here).of(RECORD | {"solver": "mu"}) == {}
    assert merge_spreads(there, here) == 0


def test_measurements_of_others_are_not_passed_on(tmp_path):
    """Imported measurements are never published; own measurements stay."""
    here, there, book = (tmp_path / name for name in ("here", "there", "book"))
    theirs = Spreads(there)
    theirs.add(RECORD, {"x": 9.0})
    theirs.write()
    assert merge_spreads(there, here) == 1
    assert merge_spreads(here, book, own=True) == 0
    ours = Spreads(here)
    ours.add(RECORD | {"solver": "mu"}, {"x": 0.1})
    ours.write()
    assert merge_spreads(here, book, own=True) == 1
    assert merge_spreads(here, book, own=True) == 0
    assert RECORD not in Spreads(book)
    assert "machine" not in (book / rounding.FILE_NAME).read_text()


@pytest.mark.parametrize("text", ["{", "[]", '{"a": 1}', '{"a": {"declared": [1, 1]}}'])
def test_a_damaged_file_is_an_error(tmp_path, text):
    """It is named, with what to do."""
    (tmp_path / rounding.FILE_NAME).write_text(text)
    with pytest.raises(ExchangeError, match="Move the file away"):
        Spreads(tmp_path)


def test_the_file_is_json_that_others_can_read(tmp_path):
    """Without the infinities that JSON has no word for."""
    spreads = Spreads(tmp_path)
    spreads.add(RECORD, {"x": math.inf})
    spreads.write()
    text = spreads.path.read_text()
    assert "Infinity" not in text
    assert json.loads(text)["recovery spa near-separable"]["spread"] == {"x": None}
