"""Tasks on small data whose answer is known."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch

from nmfbench.engine.perform import make_solver, perform
from nmfbench.engine.trials import Trial
from nmfbench.metrics import anchor_recovery
from nmfbench.tasks.base import timed_fit
from nmfbench.tasks.exemplars import exemplars, halve_each_class, weight_terms
from nmfbench.tasks.recovery import recovery


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


def test_training_documents_are_shuffled():
    """A solver that takes the first documents takes those of no class in particular."""
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
