"""Factorization and recognition: splits, starts, codes and nearest neighbours, step by step."""

import numpy as np
import pytest
from scipy.optimize import linprog, nnls
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch

from nmfbench.corruptions import corrupt
from nmfbench.datasets.base import load_dataset
from nmfbench.engine.perform import perform
from nmfbench.solvers import make_solver
from nmfbench.tasks.base import Outcome
from nmfbench.tasks.factorization import factorization
from nmfbench.tasks.recognition import recognition
from nmfbench.trials.trial import Trial

OPTIONS = {"n_components": 5, "train_per_class": 4, "test_per_class": 3}


def fit(solver="nenmf", corruption="salt-pepper", level=0.1, repeat=0, **options):
    """Arrays of a factorization of salted digits."""
    trial = Trial(
        "factorization",
        "digits",
        solver,
        corruption=corruption,
        level=level,
        repeat=repeat,
        options=OPTIONS | options,
    )
    return perform(trial).arrays


def classes(rng, n_per_class=6):
    """Three classes on disjoint features, each sample a multiple of its class's pattern."""
    y = np.repeat([3, 5, 8], n_per_class)
    patterns = np.kron(np.eye(3), rng.uniform(0.5, 1.0, 4))
    X = patterns[np.repeat(np.arange(3), n_per_class)] * rng.uniform(0.5, 1.0, (len(y), 1))
    return Bunch(X=X, y=y)


def test_splits_are_disjoint_balanced_and_shared():
    """Training and test samples are drawn by class, apart, and alike for every solver and noise."""
    y = load_dataset("digits").y
    arrays = fit()
    train, test = arrays["train"], arrays["test"]
    assert not set(train) & set(test)
    np.testing.assert_array_equal(np.bincount(y[train]), np.full(10, 4))
    np.testing.assert_array_equal(np.bincount(y[test]), np.full(10, 3))
    others = [fit("pca"), fit(level=0.4), fit(corruption="gaussian"), fit(n_components=3)]
    for other in others:
        np.testing.assert_array_equal(other["train"], train)
        np.testing.assert_array_equal(other["test"], test)
    assert set(fit(repeat=1)["train"]) != set(train)
    assert len(fit(test_per_class=None)["test"]) == len(y) - 40
    assert len(fit(train_per_class=None)["train"]) == len(y)


def test_classes_are_drawn():
    """With ``n_classes`` only that number of classes is left, with all of their samples."""
    y = load_dataset("digits").y
    kept = fit(n_classes=3, train_per_class=None, test_per_class=None)["train"]
    chosen = np.unique(y[kept])
    assert len(chosen) == 3
    np.testing.assert_array_equal(kept, np.flatnonzero(np.isin(y, chosen)))
    with pytest.raises(ValueError, match="n_classes is 11, but the data have 10"):
        fit(n_classes=11)


def test_rivals_start_alike():
    """Two solvers of one loss have the same objective before the first iteration."""
    starts = {fit(key)["trace"]["objective"][0] for key in ("nenmf", "hals", "mu")}
    assert max(starts) == pytest.approx(min(starts), rel=1e-12)
    assert fit(repeat=1)["trace"]["objective"][0] not in starts


@pytest.mark.parametrize("solver", ["nenmf", "mahnmf-hybrid", "pca"])
def test_codes_are_optimal(solver):
    """Codes of test samples are optimal under the solver's own loss, by scipy's solvers."""
    arrays = fit(solver)
    trial = Trial("factorization", "digits", solver, corruption="salt-pepper", level=0.1)
    X = seen(trial)[arrays["test"]]
    H = arrays["components"].astype(float)
    for x, code in zip(X[:10], arrays["codes"].astype(float), strict=False):
        if solver == "pca":
            best = np.linalg.lstsq(H.T, x - arrays["mean"], rcond=None)[0]
            np.testing.assert_allclose(code, best, atol=1e-5)
        elif solver == "nenmf":
            assert np.linalg.norm(x - code @ H) == pytest.approx(nnls(H.T, x)[1], rel=1e-5)
        else:
            assert np.abs(x - code @ H).sum() == pytest.approx(least_absolute(x, H), rel=1e-5)


def seen(trial):
    """The data that the tasks of a trial see."""
    data = load_dataset("digits")
    return corrupt(data, trial.corruption, trial.level, trial.rng("corruption")).X


def least_absolute(x, H):
    """The smallest sum of absolute residuals, by a linear programme."""
    r, m = H.shape
    cost = np.r_[np.zeros(r), np.ones(m)]
    A = np.block([[H.T, -np.eye(m)], [-H.T, -np.eye(m)]])
    return linprog(cost, A, np.r_[x, -x], method="highs").fun


def test_classes_apart_are_recognised():
    """Where classes share no feature both algorithms make no error."""
    data = classes(np.random.default_rng(0))
    solver = make_solver("hals", max_iter=500)
    rng = np.random.default_rng(1)
    base = factorization(data, solver, rng, n_components=3, train_per_class=2, init="nndsvda")
    outcome = recognition(data, solver, rng, base)
    assert outcome.metrics["accuracy-4"] == outcome.metrics["accuracy-5"] == 1.0
    assert outcome.metrics["zero-codes"] == 0
    np.testing.assert_array_equal(outcome.arrays["predicted-5"], data.y[base.arrays["test"]])


def by_hand(seed=0):
    """A factorization that no solver made, so that every step can be checked."""
    rng = np.random.default_rng(seed)
    data = Bunch(X=rng.random((30, 8)), clean=rng.random((30, 8)), y=rng.integers(4, size=30))
    arrays = {
        "train": np.arange(12),
        "test": np.arange(12, 30),
        "W": rng.random((12, 3)),
        "components": rng.random((3, 8)),
        "codes": rng.random((18, 3)),
    }
    return data, Outcome({}, {"seconds": 1.0}, arrays)


def test_algorithm_4_is_the_nearest_pseudo_inverse_code_of_the_clean_sample():
    """Algorithm 4 by least squares and a loop over pairs, on components of unit length."""
    data, base = by_hand()
    H, W = base.arrays["components"], base.arrays["W"]
    lengths = np.sqrt((H**2).sum(axis=1))
    found = []
    for x in data.clean[12:]:
        code = np.linalg.lstsq((H / lengths[:, None]).T, x, rcond=None)[0]
        found.append(data.y[np.argmin([np.sum((code - w * lengths) ** 2) for w in W])])
    outcome = recognition(data, None, None, base)
    np.testing.assert_array_equal(outcome.arrays["predicted-4"], found)
    assert outcome.metrics["accuracy-4"] == np.mean(found == data.y[12:])
    assert outcome.fit == {"seconds": 1.0}


def test_algorithm_4_may_see_the_images_of_algorithm_5():
    """With the option, corrupted samples are coded like clean ones, and nothing else changes."""
    data, base = by_hand()
    corrupted = recognition(data, None, None, base, clean_test=False)
    as_if_clean = recognition(Bunch(X=data.X, y=data.y), None, None, base)
    assert corrupted.metrics == as_if_clean.metrics
    usual = recognition(data, None, None, base)
    assert (usual.arrays["predicted-4"] != corrupted.arrays["predicted-4"]).any()
    assert usual.metrics["accuracy-5"] == corrupted.metrics["accuracy-5"]


def test_algorithm_5_is_the_nearest_code_by_cosine_and_zero_is_an_error():
    """Algorithm 5 by a loop over pairs; a sample with the code zero is never recognised."""
    data, base = by_hand(1)
    codes, W = base.arrays["codes"], base.arrays["W"]
    codes[[0, 5]] = 0
    lengths = np.linalg.norm(base.arrays["components"], axis=1)
    right = 0
    for label, code in zip(data.y[12:], codes * lengths, strict=True):
        if code.any():
            cosines = [code @ w / np.linalg.norm(code) / np.linalg.norm(w) for w in W * lengths]
            right += data.y[np.argmax(cosines)] == label
    outcome = recognition(data, None, None, base)
    assert outcome.metrics["accuracy-5"] == pytest.approx(right / 18)
    assert outcome.metrics["zero-codes"] == 2


def test_the_scale_of_components_does_not_matter():
    """Components times a number, and codes divided by it, are recognised alike."""
    data, base = by_hand(2)
    scale = np.array([0.1, 7.0, 30.0])
    changed = base.arrays | {
        "components": base.arrays["components"] * scale[:, None],
        "W": base.arrays["W"] / scale,
        "codes": base.arrays["codes"] / scale,
    }
    outcomes = [recognition(data, None, None, Outcome({}, {}, a)) for a in (base.arrays, changed)]
    assert outcomes[0].metrics == outcomes[1].metrics


def test_a_dead_component_is_counted_and_harmless():
    """A component that is zero takes no part, and says so in the metrics."""
    data = classes(np.random.default_rng(0))

    class Dead(BaseEstimator):
        def set_params(self, **params):
            return self

        def fit_transform(self, X):
            self.components_ = np.vstack([data.X[::6], np.zeros(12)])
            return np.hstack([nnls_codes(X, self.components_[:3]), np.ones((len(X), 1))])

        def transform(self, X):
            return np.hstack([nnls_codes(X, self.components_[:3]), np.zeros((len(X), 1))])

    rng = np.random.default_rng(1)
    base = factorization(data, Dead(), rng, n_components=4, train_per_class=2)
    assert base.metrics["dead-components"] == 1
    assert recognition(data, None, rng, base).metrics["accuracy-4"] == 1.0


def nnls_codes(X, H):
    return np.array([nnls(H.T, x)[0] for x in X])


def test_recognition_needs_test_samples():
    """Without a test part the error names the option to give."""
    data, base = by_hand()
    base.arrays["test"] = base.arrays["test"][:0]
    with pytest.raises(ValueError, match="train_per_class"):
        recognition(data, None, None, base)
