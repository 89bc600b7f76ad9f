"""The l1 projection on a box against linear programmes, and its dual certificate."""

import numpy as np
import pytest
from oracles_l1 import box_optima
from test_projection_manhattan import KINDS, problem

from nmfbench.optim.projections.manhattan import project_manhattan
from nmfbench.optim.projections.manhattan_box import (
    box_lower_bound,
    certify_manhattan_box,
    project_manhattan_box,
)


@pytest.mark.parametrize("upper", [0.0, 0.05, 0.3, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_objective_equals_that_of_a_linear_programme(kind, upper):
    """Row by row the objective is the optimum that HiGHS finds, inside the box."""
    X, H = problem(kind, n=4)
    W = project_manhattan_box(X, H, upper)
    assert W.shape == (len(X), len(H))
    assert W.min() >= 0
    assert W.max() <= upper
    objectives = np.abs(X - W @ H).sum(axis=1)
    assert np.all(np.abs(objectives - box_optima(X, H, upper)) <= 1e-8 * X.sum(axis=1))


def test_each_component_may_have_its_own_bound():
    """Bounds are per component, zero and infinity among them."""
    X, H = problem("correlated")
    upper = np.linspace(0, 0.5, len(H))
    upper[-1] = np.inf
    W = project_manhattan_box(X, H, upper)
    assert np.all(upper >= W)
    assert not W[:, 0].any()
    objectives = np.abs(X - W @ H).sum(axis=1)
    expected = box_optima(X, H, np.where(np.isinf(upper), 1e6, upper))
    np.testing.assert_allclose(objectives, expected, atol=1e-8 * X.sum())


@pytest.mark.parametrize("upper", [np.inf, 1e6])
def test_a_wide_box_is_no_constraint(upper):
    """With a bound that no coefficient meets, the objective is that of the cone."""
    X, H = problem("correlated")
    boxed, free = project_manhattan_box(X, H, upper), project_manhattan(X, H)
    np.testing.assert_allclose(np.abs(X - boxed @ H).sum(1), np.abs(X - free @ H).sum(1), rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_certificate_is_tight_and_never_above_the_optimum(kind):
    """The bound meets the optimum, and any other dual variable gives one below it."""
    X, H = problem(kind)
    optima = box_optima(X, H, 0.2)
    certificate = certify_manhattan_box(X, H, 0.2)
    slack = 1e-9 * X.sum() + 1e-300
    assert certificate["dual_bound"] <= optima.sum() + slack
    assert certificate["primal"] >= optima.sum() - slack
    assert certificate["primal"] - certificate["dual_bound"] <= 1e-8 * X.sum()
    rng = np.random.default_rng(0)
    _, D = project_manhattan_box(X, H, 0.2, return_dual=True)
    for other in (D + 0.3 * rng.standard_normal(D.shape), rng.uniform(-1, 1, D.shape)):
        assert np.all(box_lower_bound(X, H, 0.2, other) <= optima + slack)


def test_single_precision_is_computed_in_double():
    """float32 data give a float32 representation that is as good as its digits."""
    X, H = problem("correlated")
    W = project_manhattan_box(X.astype(np.float32), H.astype(np.float32), 0.3)
    assert W.dtype == np.float32
    np.testing.assert_allclose(np.abs(X - W @ H).sum(axis=1), box_optima(X, H, 0.3), rtol=1e-5)


def test_blocks_of_rows_make_no_difference(monkeypatch):
    """Rows are independent, so that the size of a block does not change the answer."""
    X, H = problem("dense")
    whole = project_manhattan_box(X, H, 0.1, return_dual=True)
    monkeypatch.setattr("nmfbench.optim.projections.manhattan_box._BLOCK", 1)
    for one, other in zip(whole, project_manhattan_box(X, H, 0.1, return_dual=True), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("upper", [-0.1, np.nan])
def test_an_empty_box_is_refused(upper):
    """There is no coefficient between zero and a negative number."""
    with pytest.raises(ValueError, match="upper"):
        project_manhattan_box(np.ones((2, 3)), np.ones((1, 3)), upper)


def test_wrong_number_of_features_is_refused():
    """H and X must have the same features."""
    with pytest.raises(ValueError, match="H has shape"):
        project_manhattan_box(np.ones((2, 3)), np.ones((1, 4)), 1.0)
