"""Floors of data that hold zeros: against closed forms and the loss itself."""

import numpy as np
import pytest
from sklearn.utils import Bunch

from nmfbench import make_solver
from nmfbench.tasks.floors import floors


def measured(X, **options):
    """Outcome of the task for full convergence."""
    solver = make_solver("is-mu", max_iter=2000, tol=1e-12)
    return floors(Bunch(X=X), solver, np.random.default_rng(0), **options)


def test_data_without_zeros_do_not_depend_on_the_floor():
    """Entries well above both floors leave the cost as it is, to the bit."""
    X = 0.1 + np.random.default_rng(1).random((12, 6))
    found = measured(X, n_components=2).metrics
    assert found["zeros"] == 0
    assert found["change"] == 0
    assert found["cost@1e-09"] == found["cost@1e-06"] > 0


def test_the_cost_of_one_component_is_that_of_the_best_level():
    """Equal rows with a zero each: the best rank-one model is known, and so are both costs."""
    rng = np.random.default_rng(2)
    X = np.ones((8, 4))
    X[np.arange(8), rng.permutation(8) % 4] = 0
    found = measured(X, n_components=1).metrics
    assert found["zeros"] == 0.25
    for floor in (1e-9, 1e-6):
        # By symmetry all entries of the model are the mean, and the sum of ratios is their number.
        Y = np.maximum(X, floor * X.mean())
        cost = np.sum(np.log(Y.mean()) - np.log(Y)) / len(X)
        assert found[f"cost@{floor:g}"] == pytest.approx(cost, rel=1e-6)
    assert found["change"] == pytest.approx(
        1 - found["cost@1e-06"] / found["cost@1e-09"], rel=1e-12
    )
