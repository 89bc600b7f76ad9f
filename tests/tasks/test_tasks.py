"""Tasks on small data whose answer is known."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch

from nmfbench.core.trace import TRACE_DTYPE
from nmfbench.engine.perform import perform
from nmfbench.metrics.factors import anchor_recovery
from nmfbench.optim.init import INITS
from nmfbench.optim.losses import manhattan
from nmfbench.optim.projections.manhattan import project_manhattan
from nmfbench.solvers import make_solver
from nmfbench.tasks.base import timed_fit
from nmfbench.tasks.convergence import convergence, draw_per_class
from nmfbench.tasks.exemplars import exemplars, halve_each_class, weight_terms
from nmfbench.tasks.near_duplicates import near_duplicates
from nmfbench.tasks.nlad import best_single_moves, nlad
from nmfbench.tasks.recovery import recovery
from nmfbench.trials.trial import Trial


class Chooser(BaseEstimator):
    """An outside estimator without trace: it takes the first rows."""

    def __init__(self, n_components=1):
        self.n_components = n_components

    def fit(self, X):
        self.anchor_indices_ = np.arange(self.n_components)
        return self


def documents(seed=0):
    """Forty documents of two classes that share no word."""
    rng = np.random.default_rng(seed)
    X = np.zeros((40, 30))
    y = np.arange(40) % 2
    X[y == 0, :15] = rng.poisson(2.0, (20, 15)) + 1
    X[y == 1, 15:] = rng.poisson(2.0, (20, 15)) + 1
    return Bunch(X=sp.csr_matrix(X), y=y)


def test_recovery_counts_true_anchors():
    """With no noise SPA finds all anchors; a chooser of fixed rows finds those among them."""
    trial = Trial("recovery", "near-separable", "spa", corruption="sparse-laplace", level=0.0)
    assert perform(trial).metrics["anchor-recovery"] == 1.0
    data = Bunch(X=np.eye(6), anchors=np.array([0, 1, 5]))
    assert recovery(data, Chooser(), None).metrics["anchor-recovery"] == pytest.approx(2 / 3)


def test_no_true_anchor_is_an_error():
    """The recovery of nothing is undefined, not zero."""
    with pytest.raises(ValueError, match="undefined"):
        anchor_recovery([1], [])


def test_exemplars_of_both_classes_suffice():
    """With words that tell the classes apart, one exemplar a class gives full accuracy."""
    outcome = exemplars(documents(), Chooser(), np.random.default_rng(0), sizes=[2, 4])
    assert outcome.metrics["accuracy@2"] == outcome.metrics["accuracy@all"] == 1.0
    assert outcome.metrics["classes@2"] == 2.0


def test_a_single_class_is_predicted_without_training():
    """Exemplars of one class predict that class: accuracy is its share of the test set."""
    outcome = exemplars(documents(), Chooser(), np.random.default_rng(0), sizes=[1])
    assert outcome.metrics["accuracy@1"] == 0.5
    assert outcome.metrics["classes@1"] == 1.0


def test_exemplars_are_training_documents():
    """No exemplar comes from the test half, whatever the solver."""
    data, rng = documents(), np.random.default_rng(3)
    outcome = exemplars(data, make_solver("spa"), rng, sizes=[5])
    train, _ = halve_each_class(data.y, np.random.default_rng(3))
    assert np.isin(outcome.arrays["anchors"], train).all()


def test_near_duplicates_are_counted_after_the_first():
    """Six of two documents over and over have four near-duplicates; without a common word none."""
    again = sp.vstack([documents().X[:2]] * 12, format="csr")
    for X, share in ((again, 4 / 6), (sp.eye_array(24, format="csr"), 0)):
        data = Bunch(X=X, y=np.arange(24) % 2)
        found = near_duplicates(data, Chooser(), np.random.default_rng(0), size=6).metrics
        assert found["near-duplicates"] == pytest.approx(share)
        assert found["near-duplicates"] == found["near-duplicates-at-random"]  # the first six


def test_training_documents_are_shuffled():
    """A solver that takes the first documents takes no class in particular."""
    data = documents()
    order = np.argsort(data.y, kind="stable")
    data = Bunch(X=data.X[order], y=data.y[order])
    classes = [
        exemplars(data, Chooser(), np.random.default_rng(i), sizes=[8]).metrics["classes@8"]
        for i in range(3)
    ]
    assert classes == [2.0, 2.0, 2.0]


def test_classes_are_halved_upwards():
    """Each class gives half of its documents, rounded up, to training: none is lost or doubled."""
    y = np.repeat([3, 1, 2], [5, 1, 8])
    train, test = halve_each_class(y, np.random.default_rng(0))
    assert [int(np.sum(y[train] == c)) for c in (1, 2, 3)] == [1, 4, 3]
    np.testing.assert_array_equal(np.sort(np.r_[train, test]), np.arange(14))


def test_weightings_stay_sparse_and_do_what_they_say():
    """Document lengths divide to one, counts stay, and an unknown weighting is named."""
    X = documents().X
    assert weight_terms(X, "counts") is X
    np.testing.assert_allclose(weight_terms(X, "l1").sum(axis=1), 1)
    assert sp.issparse(weight_terms(X, "tfidf"))
    with pytest.raises(ValueError, match="weighting must be 'counts'"):
        weight_terms(X, "binary")


def test_an_outside_estimator_is_timed_from_outside():
    """A fit without a trace still has seconds; ours reports its own clock."""
    fit, arrays = timed_fit(Chooser(), np.eye(3))
    assert fit["seconds"] >= 0
    assert arrays == {}
    fit, arrays = timed_fit(make_solver("spa", n_components=2), np.eye(3))
    assert fit["seconds"] == arrays["trace"]["seconds"][-1]
    assert fit["n_iter"] == 2


def test_solvers_share_data_and_start_but_not_levels():
    """Rivals and levels of one repeat draw the same numbers; another repeat draws others."""
    base = {"task": "recovery", "dataset": "near-separable", "corruption": "sparse-laplace"}
    one = Trial(**base, solver="spa", level=0.1, repeat=0)
    rival = Trial(**base, solver="xray-l2", level=0.9, repeat=0)
    other = Trial(**base, solver="spa", level=0.1, repeat=1)
    for purpose in ("data", "corruption", "split"):
        draw = one.rng(purpose).random()
        assert rival.rng(purpose).random() == draw
        assert other.rng(purpose).random() != draw
    assert one.random_state == rival.random_state != other.random_state


def uniform(n=12, m=9, seed=0):
    return Bunch(X=np.random.default_rng(seed).uniform(size=(n, m)), y=np.arange(n) % 3)


def test_convergence_keeps_the_whole_trace_from_a_shared_start():
    """Rivals start at one objective, that of the drawn start; each makes all its iterations."""
    outcomes = [
        convergence(
            uniform(), make_solver(key), np.random.default_rng(1), n_components=3, max_iter=12
        )
        for key in ("mahnmf-ogm", "mahnmf-rri")
    ]
    W, Ht = INITS["uniform"](uniform().X, 3, np.random.default_rng(1))
    for outcome in outcomes:
        trace = outcome.arrays["trace"]
        assert outcome.metrics["initial"] == trace["objective"][0]
        assert outcome.metrics["initial"] == pytest.approx(manhattan(uniform().X, W, Ht))
        assert outcome.metrics["final"] == trace["objective"].min()
        assert outcome.metrics["norm"] == pytest.approx(uniform().X.sum())
        assert len(trace) == 13
        assert (np.diff(trace["cpu_seconds"]) >= 0).all()


class Wanderer(BaseEstimator):
    """An estimator whose objective is known: it falls, rises by a half, and falls again."""

    def __init__(self, n_components=1, max_iter=1, tol=0.0):
        self.n_components, self.max_iter, self.tol = n_components, max_iter, tol

    def fit(self, X, W=None, H=None):
        self.given_ = X, W, H
        objectives = np.array([8.0, 4.0, 6.0, 3.0, 3.0 + 1e-15])
        self.trace_ = np.zeros(5, dtype=TRACE_DTYPE)
        self.trace_["objective"] = objectives
        self.objective_ = 3.0
        return self


def test_convergence_counts_rises_but_not_rounding():
    """Iterations that raise the objective are counted, with the largest relative rise."""
    solver = Wanderer()
    rng = np.random.default_rng(0)
    metrics = convergence(uniform(), solver, rng, n_components=2, max_iter=4).metrics
    assert (metrics["rises"], metrics["largest-rise"]) == (1.0, 0.5)
    assert (metrics["best-iteration"], metrics["final"]) == (3.0, 3.0)
    assert solver.get_params() == {"n_components": 2, "max_iter": 4, "tol": 0.0}


def test_convergence_draws_samples_of_each_class_in_the_dtype_asked_for():
    """``per_class`` keeps that many of each class, another draw others; dtype is the solver's."""
    solver = Wanderer()
    options = {"n_components": 2, "max_iter": 4, "per_class": 2, "dtype": "float32"}
    convergence(uniform(), solver, np.random.default_rng(0), **options)
    assert solver.given_[0].shape == (6, 9)
    assert {array.dtype for array in solver.given_} == {np.dtype("float32")}
    drawn = {tuple(draw_per_class(uniform().y, 2, np.random.default_rng(i))) for i in range(5)}
    assert len(drawn) > 1
    assert all(sorted(np.array(rows) % 3) == [0, 0, 1, 1, 2, 2] for rows in drawn)
    with pytest.raises(ValueError, match="per_class is 5, but class 0 has 4 samples only"):
        draw_per_class(uniform().y, 5, np.random.default_rng(0))


def test_convergence_splits_features_into_groups_of_equal_size():
    """``n_groups`` makes groups of neighbours, of a solver that has them; by default one."""
    solver = make_solver("mahnmf-gs")
    convergence(uniform(), solver, np.random.default_rng(0), n_components=2, max_iter=2, n_groups=3)
    assert solver.groups.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert solver.group_norms_.shape == (3, 2)


class Exact(BaseEstimator):
    """Solves its sub-problem exactly, or leaves the weights where they are."""

    def __init__(self, lazy=False):
        self.lazy = lazy

    def represent(self, X, H, W):
        return W if self.lazy else project_manhattan(X, H)


@pytest.mark.parametrize("basis", ["uniform", "samples"])
def test_an_exact_solver_has_no_excess(basis):
    """At the optimum there is no excess and no move of a single weight left, and none is made."""
    rng = np.random.default_rng(0)
    options = {"n_components": 3, "basis": basis}
    outcome = nlad(uniform(), Exact(), rng, **options)
    assert outcome.metrics["excess"] == pytest.approx(0, abs=1e-12)
    assert outcome.metrics["single-move"] == pytest.approx(0, abs=1e-12)
    assert outcome.metrics["rise"] < -0.1
    assert outcome.arrays["excess"].shape == ((12,) if basis == "uniform" else (9,))
    lazy = nlad(uniform(), Exact(lazy=True), np.random.default_rng(0), **options)
    assert lazy.metrics["excess"] > 0.1
    assert lazy.metrics["single-move"] > 0.01
    assert lazy.metrics["rise"] == 0


def test_smoothing_leaves_the_optimum_within_its_bound():
    """Started at the optimum, the smoothing method rises, by no more than Theorem 1 allows."""
    options = {"n_components": 3, "weights": "optimum"}
    solver = make_solver("mahnmf-ogm", mu0=0.5)
    metrics = nlad(uniform(), solver, np.random.default_rng(0), **options).metrics
    assert 0.001 < metrics["rise"] == pytest.approx(metrics["excess"])
    assert 0 <= metrics["smoothing-gap"] <= 1


def test_coordinate_descent_stands_still_above_the_optimum():
    """RRI ends where no single weight can be improved, and yet above the optimum."""
    metrics = nlad(
        uniform(), make_solver("mahnmf-rri"), np.random.default_rng(0), n_components=3
    ).metrics
    assert metrics["single-move"] == pytest.approx(0, abs=1e-9)
    assert metrics["excess"] > 0.001


def test_best_single_moves_against_a_fine_grid():
    """No value of one weight is better than the breakpoint that was chosen."""
    rng = np.random.default_rng(0)
    X, W, H = rng.uniform(size=(4, 7)), rng.uniform(size=(4, 3)), rng.uniform(size=(3, 7))
    H[0, :3] = 0
    gains = best_single_moves(X, W, H)
    now = np.abs(X - W @ H).sum(axis=1)
    for k in range(3):
        tried = np.repeat(W[None], 4001, axis=0)
        tried[:, :, k] = np.linspace(0, 4, 4001)[:, None]
        grid = (now - np.abs(X - tried @ H).sum(axis=2)).max(axis=0)
        np.testing.assert_allclose(gains[:, k], grid, atol=5e-3)
        assert (gains[:, k] >= grid - 1e-12).all()


@pytest.mark.parametrize(("name", "wrong"), [("basis", "given"), ("weights", "here")])
def test_unknown_options_of_nlad_are_named(name, wrong):
    """An unknown basis or start is an error that lists the known ones."""
    options = {"n_components": 2, name: wrong}
    with pytest.raises(ValueError, match=f"{name} must be one of '.+', '.+', got '{wrong}'"):
        nlad(uniform(), Exact(), np.random.default_rng(0), **options)


@pytest.mark.parametrize(
    ("task", "dataset", "options", "missing"),
    [
        ("recovery", "near-separable", {}, "anchor_indices_"),
        ("exemplars", "digits", {"sizes": (10,)}, "anchor_indices_"),
        ("nlad", "uniform", {"n_components": 2}, "represent"),
        ("step-change", "digits", {"n_components": 2, "n_samples": 20}, "partial_fit"),
        ("surrogate-stream", "digits", {"n_components": 2, "n_samples": 20}, "partial_fit"),
        ("penalized-stream", "digits", {"n_components": 2, "n_samples": 20}, "partial_fit"),
        ("divergence-convexity", "digits", {"n_components": 2, "n_samples": 20}, "partial_fit"),
    ],
)
def test_a_solver_without_what_a_task_needs_is_named(task, dataset, options, missing):
    """The error names solver and attribute, and solvers that have it."""
    with pytest.raises(TypeError, match=f"MU has no {missing}, which this task needs: take one"):
        perform(Trial(task, dataset, "mu", options=options))
