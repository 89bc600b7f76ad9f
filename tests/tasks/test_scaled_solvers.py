"""Solvers that divide samples before the fit: tasks measure them in the unit of the data."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils import Bunch

from nmfbench.comparison.score import fit_baseline
from nmfbench.core import registry
from nmfbench.core.registry import solvers
from nmfbench.guests.spec import SolverSpec
from nmfbench.solvers import make_solver
from nmfbench.solvers.graph.base import BaseScaled
from nmfbench.tasks.base import in_units_of, low_rank_of
from nmfbench.tasks.factorization import factorization
from nmfbench.tasks.held_out import held_out
from nmfbench.tasks.lighting import lighting
from nmfbench.tasks.rank_choice import rank_choice
from nmfbench.tasks.reconstruction import reconstruct, reconstruction
from nmfbench.tasks.separation import fit_background
from nmfbench.trials.trial import Trial

SCALES = ("unit", "max", "none")
KEYS = [key for key in solvers if issubclass(solvers[key].target, BaseScaled)]


def low_rank(seed=0, n=60, m=24, r=3):
    """Samples of rank r whose lengths differ by a factor of a thousand."""
    rng = np.random.default_rng(seed)
    X = rng.exponential(size=(n, r)) @ rng.exponential(size=(r, m))
    return X * np.logspace(-2, 1, n)[rng.permutation(n), None]


def plain_nmf(scale, **params):
    """NMF of the scaled data, without the penalty."""
    params = {"n_components": 3, "alpha": 0.0, "scale": scale, "max_iter": 3000, "tol": 0} | params
    return make_solver("gnmf", random_state=0, **params)


def test_only_scaled_solvers_have_their_trials_revised():
    """Those whose former numbers were in another unit; a new solver has none, and needs no word."""
    for task in ("reconstruction", "held-out", "rank-choice", "lighting", "separation"):
        assert set(registry.tasks[task].info["revisions"]) <= set(KEYS)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scales_are_lengths_the_largest_entry_or_one(form, dtype):
    """By hand, with a sample of zeros, and new samples beside those of the fit."""
    X, new = np.array([[3, 4, 0], [0, 0, 0], [0, 0, 2]]), np.array([[0, 6, 8], [0, 0, 0]])
    X, new = form(X.astype(dtype)), form(new.astype(dtype))
    expected = {
        "unit": ([5, 1, 2], [10, 1]),
        "max": ([4, 4, 4], [4, 4]),
        "none": ([1, 1, 1], [1, 1]),
    }
    for scale, (of_training, of_new) in expected.items():
        solver = make_solver("gnmf", scale=scale)
        for found, wanted in (
            (solver.sample_scale(X), of_training),
            (solver.sample_scale(new, X), of_new),
        ):
            assert found.dtype == dtype
            np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_lengths_of_extreme_samples_neither_overflow_nor_vanish(size):
    """The squares would."""
    found = make_solver("gnmf").sample_scale(np.array([[3.0, 4.0]]) * size)
    np.testing.assert_allclose(found, 5 * size)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("scale", SCALES)
def test_the_scaled_data_times_the_scale_are_the_data(key, scale):
    """What is factorized and what it is multiplied by belong together, in every solver."""
    X = low_rank()
    solver = make_solver(key, scale=scale, n_components=3, max_iter=2).fit(X)
    for samples in (X, low_rank(seed=1)):
        factorized = solver._scaled(samples)
        np.testing.assert_allclose(factorized * solver.sample_scale(samples, X)[:, None], samples)


def test_other_solvers_and_guests_are_left_as_they_are():
    """A solver that scales nothing keeps its representation, and so does one from outside."""
    W = np.ones((2, 1))
    for solver in (make_solver("hals"), None, Bunch(fixes_scale=False)):
        assert in_units_of(np.ones((2, 3)), solver, W) is W


@pytest.mark.parametrize("scale", SCALES)
def test_low_rank_parts_have_the_unit_of_the_data(scale):
    """Data of rank 3 are found again, of a fit, of the frames of a clip, and as a baseline."""
    X = low_rank()
    solver = plain_nmf(scale)
    W = solver.fit_transform(X)
    np.testing.assert_allclose(low_rank_of(solver, W, X), X, atol=0.02 * X.max())
    found, _, _ = fit_background(plain_nmf(scale), X)
    np.testing.assert_allclose(found, X, atol=0.02 * X.max())
    params = {"alpha": 0.0, "scale": scale, "max_iter": 3000, "tol": 0}
    W, H = fit_baseline(SolverSpec("gnmf", params), X, 3, 0)
    np.testing.assert_allclose(W @ H, X, atol=0.02 * X.max())


@pytest.mark.parametrize("scale", SCALES)
def test_reconstructions_have_the_unit_of_the_data(scale):
    """Training and test samples of rank 3 come back."""
    data = Bunch(X=low_rank(), y=np.repeat(np.arange(6), 10))
    solver = plain_nmf(scale)
    base = factorization(data, solver, np.random.default_rng(0), n_components=3, train_per_class=7)
    for part in ("train", "test"):
        found = reconstruct(base.arrays, part, data.X, plain_nmf(scale))
        np.testing.assert_allclose(found, data.X[base.arrays[part]], atol=0.02 * data.X.max())
    outcome = reconstruction(data, plain_nmf(scale), None, base)
    assert outcome.metrics["relative-error-train"] < 0.02
    assert outcome.metrics["relative-error-test"] < 0.02


@pytest.mark.parametrize("scale", SCALES)
def test_held_out_entries_have_the_unit_of_the_data(scale):
    """Entries of data of rank 3 are predicted, and the rank is found."""
    data = Bunch(X=low_rank(), y=None, rank=3)
    outcome = held_out(data, plain_nmf(scale), np.random.default_rng(0), n_components=3)
    assert outcome.metrics["held-out-error"] < 0.1
    assert outcome.metrics["retained-error"] < 0.02
    ranks = {"ranks": [1, 3]}
    chosen = rank_choice(data, plain_nmf(scale), np.random.default_rng(0), **ranks).metrics
    assert chosen["chosen-rank"] == 3
    assert chosen["held-out-error@3"] < 0.1


def test_light_is_measured_in_grey_levels():
    """Images of one picture under lights of other strength lose no grey level."""
    rng = np.random.default_rng(0)
    X = np.outer(np.linspace(0.1, 1, 9), rng.uniform(0.2, 1, 24)).astype(np.float32)
    data = Bunch(X=X, y=np.zeros(9, dtype=int), image_shape=(4, 6))
    kept = lighting(data, plain_nmf("none"), rng, n_components=1, gallery=3).metrics
    found = lighting(data, plain_nmf("unit"), rng, n_components=1, gallery=3).metrics
    for name in ("lift", "spread"):
        assert found[name] == pytest.approx(kept[name], rel=0.01)


def test_a_revision_changes_keys_of_its_solver_alone():
    """Trials of other solvers, and of the same in other tasks, keep their records."""
    info = registry.tasks["held-out"].info
    params = {"task": "held-out", "dataset": "digits", "options": {"n_components": 3}}

    def declared(solver, task="held-out"):
        return Trial(**params | {"solver": solver, "task": task}).declared["task"]

    version = info["version"] or 1
    assert declared("hals") == declared("gnmf", "factorization") == version
    assert declared("gnmf") == f"{version}.1"


@pytest.mark.parametrize("revision", [0, 1.5, "2"])
def test_a_revision_is_a_whole_number(revision):
    """Anything else is refused where it is declared."""
    with pytest.raises(ValueError, match=r"no-task of gnmf.*whole number above 0"):
        registry.register_task("no-task", summary="none", revisions={"gnmf": revision})
    assert "no-task" not in registry.tasks
