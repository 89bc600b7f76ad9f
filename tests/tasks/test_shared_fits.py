"""Tasks that are based on another: one fit for all of them, whoever computes it."""

from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from engine import assert_same_content, content, on_digits

from nmfbench.core import registry
from nmfbench.engine.perform import TrialCache, perform
from nmfbench.engine.runner import RunSummary, compute, run
from nmfbench.engine.worker import Worker
from nmfbench.optim import graphs
from nmfbench.records.pending import in_stages
from nmfbench.records.store import Store
from nmfbench.tasks.base import Outcome
from nmfbench.trials.trial import Trial

TASKS = ("recognition", "reconstruction", "clustering")


def test_equal_fits_are_one_trial():
    """Tasks that ask for the same factorization have the same base, with a key of its own."""
    trials = [on_digits(task) for task in TASKS]
    assert len({trial.base.key for trial in trials}) == 1
    assert len({trial.key for trial in trials} | {trials[0].base.key}) == 4
    assert trials[0].base == on_digits("factorization")
    assert trials[0].base.base is None
    assert on_digits("recognition", n_components=5).base.key != trials[0].base.key


def test_the_version_of_an_evaluation_is_not_that_of_its_fit(monkeypatch):
    """A new metric changes the version of the tasks that use it, not that of the fits."""
    trial = on_digits("recognition")
    assert trial.code != trial.base.code
    assert trial.declared["base"] == trial.base.key
    monkeypatch.setitem(registry.tasks["recognition"].info, "version", 99)
    changed = on_digits("recognition")
    assert changed.key != trial.key
    assert changed.base.key == trial.base.key


def test_a_fit_is_computed_once_and_kept(tmp_path):
    """Fits come first, once for all that need them; a later task finds them in the store."""
    trials = [on_digits(task) for task in TASKS]
    order = []
    with Store(tmp_path) as store:
        assert [len(stage) for stage in in_stages(trials, store)] == [1, 3]
        assert [len(stage) for stage in in_stages([*trials, trials[0].base], store)] == [1, 3]
        summary = run(trials[:2], store, progress=lambda _, record: order.append(record["task"]))
        assert summary == RunSummary(done=3, total=3)
        assert order[0] == "factorization"
        assert run(trials, store) == RunSummary(done=1, found=2, total=3)
        fit = store.records([trials[0].base.key])[0]
        for trial in trials:
            record = store.records([trial.key])[0]
            for name in ("seconds", "n_iter", "objective", "stop_reason"):
                assert record[name] == fit[name]


@pytest.mark.parametrize("task", TASKS)
def test_a_stored_fit_gives_what_a_fresh_one_gives(tmp_path, task):
    """Factors that went through the store, or were computed on the way, give the same numbers."""
    trial = on_digits(task)
    fresh = perform(trial)
    given = perform(trial, perform(trial.base))
    assert fresh.metrics == given.metrics
    with closing(Worker()) as worker:  # of the target of a run, as this process need not be
        alone, computed = compute(trial, worker, None)
    with Store(tmp_path) as store:
        run([trial], store)
        record, arrays = store.records([trial.key])[0], store.arrays(trial.key)
    assert record["metrics"] == alone["metrics"]
    assert set(arrays) == set(computed)
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, computed[name])


def test_an_imported_fit_without_factors_is_computed_again(tmp_path):
    """Imported records hold no factors to start from; what starts from such a fit is computed all
    the same, with the fit."""
    trial = on_digits("recognition")
    with Store(tmp_path / "a") as whole, Store(tmp_path / "b") as bare:
        run([trial], whole)
        bare.put_imported([(whole.records([trial.base.key])[0], {})])
        assert run([trial], bare) == RunSummary(done=2, total=2)
        for one in (trial.base, trial):
            assert content(bare, one.key) == content(whole, one.key)
        assert bare.imported([trial.base.key, trial.key]) == set()


def test_a_failed_fit_fails_what_is_based_on_it(tmp_path):
    """The record names the trial that failed and why; a retry tries both again."""
    trial = on_digits("recognition", n_components=-1)
    with Store(tmp_path) as store:
        assert run([trial], store) == RunSummary(failed=2, total=2)
        error = store.records([trial.key])[0]["error"]
        assert error.startswith(f"BaseFailed: trial {trial.base.key}, factorization, failed: ")
        assert "n_components" in error
        assert run([trial], store) == RunSummary(found=1, total=1)
        assert run([trial], store, retry_failed=True) == RunSummary(failed=2, total=2)


def test_a_misspelt_option_is_an_error(tmp_path):
    """An option that neither task takes fails the evaluation, which names it."""
    trial = on_digits("recognition", train_per_clas=3)
    assert trial.own_options == {"train_per_clas": 3}
    with pytest.raises(TypeError, match="train_per_clas"):
        perform(trial, Outcome({}, {}))


def test_jobs_do_not_matter(tmp_path):
    """Two jobs share fits as one does, with the same bits."""
    trials = [on_digits(task, key) for task in TASKS for key in ("nenmf", "pca", "mahnmf-rri")]
    with Store(tmp_path / "a") as one, Store(tmp_path / "b") as two:
        run(trials, one)
        run(trials, two, jobs=2)
        assert_same_content(one, two)


def test_a_task_without_base_is_as_before():
    """A trial of a task that stands alone has no base, and all options are its own."""
    trial = Trial("convergence", "uniform", "mu", options={"n_components": 2, "max_iter": 3})
    assert trial.base is None
    assert trial.own_options == trial.options


@pytest.fixture
def graphs_made(monkeypatch):
    """A list that grows by one whenever a neighbour graph is made."""
    made, make = [], graphs._knn_affinity
    monkeypatch.setattr(graphs, "_knn_affinity", lambda *args: made.append(1) or make(*args))
    return made


def test_a_cache_of_the_trials_before_changes_no_bit(graphs_made):
    """With a cache data and graphs are made once, and every number is that of a trial alone."""
    trials = [on_digits("clustering", "gnmf"), on_digits("clustering", "dnmf")]
    alone = [perform(trial) for trial in trials]
    made_alone, cache = len(graphs_made), TrialCache()
    graphs_made.clear()
    for trial, expected in zip(trials, alone, strict=True):
        outcome = perform(trial, cache=cache)
        assert outcome.metrics == expected.metrics
        for name in set(outcome.arrays) - {"trace"}:
            np.testing.assert_array_equal(outcome.arrays[name], expected.arrays[name])
    assert len(graphs_made) < made_alone
    assert len(cache.data) == 1


def test_a_timed_trial_makes_its_own_graphs(graphs_made):
    """Its seconds do not depend on the trials before, while an untimed one takes their graphs."""
    trial, cache = on_digits("clustering", "gnmf").base, TrialCache()
    for asked, made in ((trial, 1), (trial, 1), (replace(trial, timed=True), 2)):
        perform(asked, cache=cache)
        assert len(graphs_made) == made
