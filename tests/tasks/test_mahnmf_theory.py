"""Tasks on statements of MahNMF: closed forms, planted groups, starts, rates."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch

from nmfbench import make_solver
from nmfbench.tasks.group_rate import group_rate
from nmfbench.tasks.residual_groups import planted_groups, residual_groups
from nmfbench.tasks.ridge_minimum import (
    KINDS,
    closed_form,
    manifold_moves,
    ridge_minimum,
    search,
)
from nmfbench.tasks.starts import starts


@pytest.mark.parametrize("kind", KINDS)
def test_the_closed_form_is_lowest_on_a_fine_grid(kind):
    """No point of a grid around all points is lower than the closed form."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        p, a, q, c = KINDS[kind](rng, rng.random(rng.integers(2, 9)))
        x = np.linspace(min(p.min(), c) - 1, max(p.max(), c) + 1, 4001)
        values = np.abs(x[:, None] - p) @ a + 0.5 * q * (x - c) ** 2
        at = closed_form(p, a, q, c)
        found = np.abs(at - p) @ a + 0.5 * q * (at - c) ** 2
        assert found <= values.min() * (1 + 1e-12)


def test_a_search_finds_kinks_and_ends():
    """Many at once: a kink inside, and functions that fall or rise all the way."""
    found = search(lambda x: np.abs(x - np.array([0.25, 2.0, -1.0])), np.zeros(3), np.ones(3))
    assert found == pytest.approx([0.25, 1.0, 0.0], abs=1e-12)


def test_a_wrong_closed_form_is_noticed(monkeypatch):
    """The centre of the quadratic is not the minimum, and the excess says so."""
    data = Bunch(X=np.random.default_rng(0).random((5, 10)))
    right = ridge_minimum(data, None, np.random.default_rng(1), kind="random", most=10)
    monkeypatch.setattr("nmfbench.tasks.ridge_minimum.closed_form", lambda p, a, q, c: c)
    wrong = ridge_minimum(data, None, np.random.default_rng(1), kind="random", most=10)
    assert right.metrics["excess"] < 1e-12 < 0.01 < wrong.metrics["excess"]
    assert wrong.metrics["convexity"] < 1


def test_sweeps_of_a_manifold_problem_end_where_no_weight_can_move(monkeypatch):
    """Stopped after one sweep, some weight could still move."""
    data, solver = Bunch(X=np.random.default_rng(0).random((12, 8))), make_solver("mahnmf-m-rri")
    solver.set_params(beta=1.0, n_neighbors=3)
    ended = manifold_moves(data, solver, np.random.default_rng(1), n_components=3)
    monkeypatch.setattr("nmfbench.tasks.ridge_minimum._SWEEPS", 1)
    short = manifold_moves(data, solver, np.random.default_rng(1), n_components=3)
    assert ended.metrics["single-move"] < 1e-9 < 1e-4 < short.metrics["single-move"]


class Leaving(BaseEstimator):
    """Explains the data but for the first ``left`` entries of every five."""

    def __init__(self, n_components=1, left=1):
        self.n_components, self.left = n_components, left

    def fit_transform(self, X):
        self.components_ = np.eye(X.shape[1])
        out = np.arange(X.shape[1]) % 5 < self.left
        return np.where(out, 0.0, X)

    def inverse_transform(self, W):
        return W


@pytest.mark.parametrize(("left", "one", "share"), [(0, 0, 0), (1, 1, 0.2), (5, 0, 1)])
def test_entries_of_a_group_are_counted_in_the_residual(left, one, share):
    """None, one or all of the entries of each group stay in the residual."""
    data = Bunch(X=np.zeros((30, 10)))
    outcome = residual_groups(data, Leaving(left=left), np.random.default_rng(0), n_components=2)
    assert outcome.metrics["one-of-group"] == one
    assert outcome.metrics["share-of-group"] == pytest.approx(share)
    assert outcome.metrics["absorbed"] == (left == 0)
    assert outcome.metrics["correlation"] > 0.95


def test_groups_are_non_zero_together():
    """All entries of a group or none, and each group twice at least."""
    planted = planted_groups(np.random.default_rng(0), 20, 15, 5, 0.01, 0.05)
    nonzero = (planted > 0).sum(axis=2)
    assert set(np.unique(nonzero)) == {0, 5}
    assert ((nonzero == 5).sum(axis=0) >= 2).all()
    with pytest.raises(ValueError, match="do not divide"):
        planted_groups(np.random.default_rng(0), 4, 7, 5, 0.1, 0.0)


class Stuck(BaseEstimator):
    """Returns its start: as far apart as the starts are."""

    takes_factors = True

    def __init__(self, n_components=1, ignore=False):
        self.n_components, self.ignore = n_components, ignore

    def fit_transform(self, X, W, H):
        if self.ignore:
            W, H = np.ones_like(W), np.ones_like(H)
        self.components_ = H
        self.objective_ = np.abs(X - W @ H).sum()
        return W


@pytest.mark.parametrize("ignore", [True, False])
def test_starts_matter_to_a_solver_that_stays_there_alone(ignore):
    """One that ignores its start ends at the same place each time."""
    data = Bunch(X=np.random.default_rng(0).random((8, 6)))
    outcome = starts(data, Stuck(ignore=ignore), np.random.default_rng(1), n_components=2)
    assert len(outcome.arrays["objectives"]) == 5
    assert (outcome.metrics["objective-spread"] == 1) == ignore
    assert (outcome.metrics["product-distance"] == 0) == ignore


@pytest.mark.parametrize("penalty", ["none", "2", "infinity"])
def test_the_excess_falls_and_no_point_near_the_solution_is_better(penalty, monkeypatch):
    """The excess stays below its bound; a strong penalty leaves no group."""
    monkeypatch.setattr("nmfbench.tasks.group_rate._REFERENCE", 2000)
    data, options = Bunch(X=np.random.default_rng(0).random((8, 8))), {"n_components": 2}
    options |= {"penalty": penalty, "steps": (10, 20, 40, 80)}
    outcome = group_rate(data, None, np.random.default_rng(1), **options)
    assert (outcome.arrays["excess"] >= 0).all()
    assert outcome.metrics["bound-share"] <= 1
    strong = group_rate(data, None, np.random.default_rng(1), weight=100.0, **options)
    assert strong.metrics["zero-groups"] == (1.0 if penalty != "none" else 0.0)
