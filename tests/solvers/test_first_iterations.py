"""The first iterations of a fit are the same however many may follow.

An audit on another machine rests on it: it makes the first ten only, and compares.
"""

import numpy as np
import pytest
from test_common_solvers import KEYS, make, problem

from nmfbench.core.registry import solvers
from nmfbench.engine.runner import FIRST

BOUNDED = [key for key in KEYS if "max_iter" in solvers[key].target().get_params()]
ONE_CALL = "scikit-learn makes all iterations in one call: the trace has the start and the end"
NO_ITERATIONS = {
    "kmeans": ONE_CALL,
    "ncuts": ONE_CALL,
    "robust-xray": "max_iter bounds the pivots of a projection, an iteration adds an anchor",
    "sklearn-cd": ONE_CALL,
    "sklearn-minibatch": ONE_CALL,
    "sklearn-mu": ONE_CALL,
    "smrs": "max_iter bounds the rounds for one weight of the penalty, an iteration changes it",
}
SETTINGS = {
    "hottopixx": [{}, {"solver": "sgd"}],
    "mahnmf-rri": [{}, {"inner_sweeps": None}],
    "robust-nmf-admm": [{}, {"n_init": 3}],
}


def objectives(key, max_iter, **params):
    """By iteration, with no tolerance that would stop the fit."""
    settings = {"max_iter": max_iter, "tol": 0.0} | params
    model = make(key, **{k: v for k, v in settings.items() if k in make(key).get_params()})
    model.fit(problem(key, noise=0.3))
    return model.trace_["iteration"], model.trace_["objective"]


@pytest.mark.parametrize(
    ("key", "params"),
    [
        pytest.param(key, params, id="-".join([key, *map(str, params.values())]))
        for key in BOUNDED
        if key not in NO_ITERATIONS
        for params in SETTINGS.get(key, [{}])
    ],
)
def test_the_first_objectives_do_not_depend_on_max_iter(key, params):
    """Ten iterations are the first ten of twenty-five, to the last bit."""
    short, few = objectives(key, FIRST, **params)
    long, many = objectives(key, 25, **params)
    both = min(FIRST, short[-1], long[-1])
    assert both >= 3, "the fit ended too early to tell"
    assert np.array_equal(short[: both + 1], np.arange(both + 1))
    assert few[: both + 1].tobytes() == many[: both + 1].tobytes()


@pytest.mark.parametrize("key", NO_ITERATIONS)
def test_exceptions_are_those_whose_max_iter_bounds_something_else(key):
    """A solver is excepted only if ``max_iter`` is not the most steps that it makes."""
    model = make(key, max_iter=7)
    assert model._n_steps(3) != 7
