"""Gross errors: errors of the low-rank part by loops over entries, and what the fit is of."""

import math

import numpy as np
import pytest
from sklearn.utils import Bunch

from nmfbench.corruptions import corrupt
from nmfbench.solvers import make_solver
from nmfbench.tasks.gross_errors import gross_errors


def corrupted(share=0.1, seed=0):
    rng = np.random.default_rng(seed)
    clean = rng.random((30, 3)) @ rng.random((3, 20)) / 3
    return corrupt(Bunch(X=clean, upper=1.0), "salt-pepper", share, rng)


class Kept:
    """A solver that gives a known low-rank part, and keeps the data of its fit."""

    takes_factors = False

    def set_params(self, **params):
        return self

    def fit_transform(self, X):
        self.given, self.low_rank_ = X, X * 0.9
        return X


def _error(clean, found, where):
    cells = [(i, j) for i, j in np.ndindex(clean.shape) if where(i, j)]
    gap = sum((clean[i, j] - found[i, j]) ** 2 for i, j in cells)
    return math.sqrt(gap / sum(clean[i, j] ** 2 for i, j in cells))


@pytest.mark.parametrize("fit_clean", [False, True])
def test_errors_are_of_the_entries_that_they_name(fit_clean):
    """In the unit of the data, though the fit is of samples of unit length."""
    data, solver = corrupted(), Kept()
    found = gross_errors(data, solver, None, n_components=3, fit_clean=fit_clean).metrics
    given = data.clean if fit_clean else data.X
    assert np.linalg.norm(solver.given, axis=1) == pytest.approx(1.0)
    assert solver.given[0] * np.linalg.norm(given[0]) == pytest.approx(given[0])
    places = {
        "error-all": lambda i, j: True,
        "error-corrupted": lambda i, j: data.clean[i, j] != data.X[i, j],
        "error-untouched": lambda i, j: data.clean[i, j] == data.X[i, j],
    }
    for name, where in places.items():
        assert found[name] == pytest.approx(_error(data.clean, 0.9 * given, where)), name
    changed = data.clean != data.X
    assert found["share-corrupted"] == pytest.approx(np.mean(changed))
    # A tenth of each sample is left, and samples have unit length in the fit.
    left = (given / np.linalg.norm(given, axis=1, keepdims=True)) ** 2
    assert found["loss-corrupted"] == pytest.approx(left[changed].sum() / left.sum())


def test_a_fit_of_the_clean_samples_finds_them():
    """At their rank it has no error, also where others were corrupted; the other fit has one."""
    errors = {}
    for fit_clean in (True, False):
        solver, rng = make_solver("hals", max_iter=3000, tol=1e-12), np.random.default_rng(0)
        outcome = gross_errors(corrupted(), solver, rng, n_components=3, fit_clean=fit_clean)
        errors[fit_clean] = outcome.metrics
    assert max(errors[True][name] for name in errors[True] if name.startswith("error")) < 0.01
    assert errors[False]["error-untouched"] > 0.05


def test_without_s_graph_and_orthogonality_rnmfd_is_nmf():
    """The same errors in the end: S is all that the comparison is about."""
    errors = []
    for solver in (
        make_solver("mu", max_iter=3000, tol=0.0),
        make_solver("rnmfd", alpha=0.0, beta=0.0, lam="none", max_iter=3000, tol=0.0),
    ):
        found = gross_errors(corrupted(), solver, np.random.default_rng(0), n_components=3)
        errors.append(found.metrics["error-untouched"])
    assert errors[0] == pytest.approx(errors[1], rel=0.01)


@pytest.mark.parametrize("corruption", [None, "poisson"])
def test_some_entries_have_to_be_left(corruption):
    """Clean data, and a corruption that replaces every entry, are refused."""
    data = corrupted()
    clean = Bunch(X=data.clean, upper=1.0)
    if corruption is not None:
        clean = corrupt(clean, corruption, 10.0, np.random.default_rng(0))
    with pytest.raises(ValueError, match="salt-pepper"):
        gross_errors(clean, Kept(), None, n_components=3)
