"""Multi-view learning: average precision, splits, scaling, classifiers, codes of both halves."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.metrics import average_precision_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils import Bunch

from nmfbench.core.registry import datasets
from nmfbench.metrics.retrieval import average_precisions, mean_average_precision
from nmfbench.problems.multiview import SETS, params_of
from nmfbench.solvers import make_solver
from nmfbench.tasks.exemplars import halve_each_class
from nmfbench.tasks.multiview import decision_values, multiview, scaled_views, used_views


class Identity(BaseEstimator):
    """An outside estimator that codes samples by themselves, and keeps what it has seen."""

    def __init__(self, n_components=None, groups=None):
        self.n_components, self.groups = n_components, groups

    def fit(self, X):
        self.seen_ = X.copy()
        self.components_ = np.eye(X.shape[1])
        return self

    def transform(self, X):
        return X


def samples(seed=0, n=90, n_classes=3):
    """Three classes in two views, one a hundred times larger, with an empty column each."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    centres = rng.random((n_classes, 9))
    X = np.maximum(centres[y] + 0.3 * rng.standard_normal((n, 9)), 0)
    X[:, 5:] *= 100
    X[:, [2, 8]] = 0
    return Bunch(X=X, y=y, views=[slice(0, 5), slice(5, 9)])


def run(data, solver, seed=0, **options):
    return multiview(data, solver, np.random.default_rng(seed), **options)


def defined(y, scores, interpolated=False):
    """Average precision from its definition, sample after sample, where no scores are equal."""
    hits = np.asarray(y)[np.argsort(-scores)]
    precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    if not interpolated:
        return sum(precision[i] for i in np.flatnonzero(hits)) / hits.sum()
    found = np.cumsum(hits)
    reached = [precision[10 * found >= t * hits.sum()] for t in range(11)]
    return sum(part.max() for part in reached) / 11


@pytest.mark.parametrize("interpolated", [False, True])
def test_average_precision_is_what_its_definition_says(interpolated):
    """Class by class, for classes of many sizes, ten among them, whose recalls meet the levels."""
    rng = np.random.default_rng(0)
    for size in (1, 2, 3, 10, 20, 39):
        y = rng.permutation(np.arange(40) < size)
        scores = rng.standard_normal(40)
        found = average_precisions(y[:, None], scores[:, None], interpolated=interpolated)
        assert found == pytest.approx(defined(y, scores, interpolated))


def test_the_mean_is_over_the_classes_that_occur():
    """Classes without a sample are left out, and without any class there is no mean."""
    rng = np.random.default_rng(1)
    Y, scores = rng.random((30, 4)) < 0.3, rng.standard_normal((30, 4))
    Y[:, 2] = False
    expected = average_precision_score(Y[:, [0, 1, 3]], scores[:, [0, 1, 3]])
    assert mean_average_precision(Y, scores) == pytest.approx(expected)
    with pytest.raises(ValueError, match="undefined"):
        mean_average_precision(np.zeros((3, 2), bool), np.ones((3, 2)))
    with pytest.raises(ValueError, match="but scores have shape"):
        mean_average_precision(Y, scores[:, 0])


def test_equal_scores_share_a_rank():
    """With all scores equal the precision is the share of the class, in any order of samples."""
    y = np.array([[True], [False], [False], [True]])
    for order in ([0, 1, 2, 3], [1, 2, 0, 3]):
        for interpolated in (False, True):
            found = mean_average_precision(y[order], np.zeros((4, 1)), interpolated=interpolated)
            assert found == 0.5


@pytest.mark.parametrize("n", [12, 60])
def test_decisions_are_those_of_scikit_learn(n):
    """One classifier a class on standardised dimensions, for few samples a dimension and many."""
    data = samples(n=n + 30)
    X, Y = data.X, data.y[:, None] == np.arange(3)
    (found,) = decision_values(X[:n], Y[:n], X[n:], [0.1])
    alive = X[:n].std(axis=0) > 0
    for c in range(3):
        pipe = make_pipeline(StandardScaler(), LinearSVC(C=0.1, tol=1e-10, max_iter=100_000))
        pipe.fit(X[:n][:, alive], Y[:n, c])
        expected = pipe.decision_function(X[n:][:, alive])
        np.testing.assert_allclose(found[:, c], expected, atol=1e-5)


def test_nothing_to_tell_apart_gives_zeros():
    """A class of all samples or of none, and codes that are constant, have equal scores."""
    rng = np.random.default_rng(0)
    X = rng.random((10, 2))
    Y = np.column_stack([np.ones(10, bool), np.zeros(10, bool), np.arange(10) < 5])
    assert decision_values(X, Y, X, [1.0])[0].any(axis=0).tolist() == [False, False, True]
    assert not decision_values(np.full((10, 2), 0.1), Y, X, [1.0]).any()


@pytest.mark.parametrize(("norm", "order"), [("l2", 2), ("l1", 1)])
def test_views_weigh_alike_after_scaling(norm, order):
    """Training samples have the mean norm one in each view; an empty view stays as it is."""
    data = samples()
    data.X[:40, 5:] = 0
    train, test = scaled_views(data.X[40:], data.X[:40], data.views, norm)
    for view in data.views:
        assert np.linalg.norm(train[:, view], order, axis=1).mean() == pytest.approx(1)
    sizes = (data.X[40:].sum(axis=0) / np.maximum(train.sum(axis=0), 1e-9)).round(9)
    np.testing.assert_allclose(test * sizes, data.X[:40] * (sizes > 0))
    empty = scaled_views(data.X[:40], data.X[40:], data.views, norm)
    np.testing.assert_array_equal(empty[1][:, 5:], data.X[40:, 5:])


def test_a_view_of_zeros_is_left_out():
    """Features keep the order of the views, whatever their order in the data."""
    X = np.array([[0.0, 1.0, 0.0, 2.0, 3.0]])
    used, views = used_views(X, [slice(3, 5), slice(2, 3), slice(0, 2)])
    assert used.tolist() == [3, 4, 1]
    assert views == [slice(0, 2), slice(2, 3)]


def test_the_basis_is_learned_on_the_scaled_training_half_with_its_views():
    """Half of each class, both views of one weight, empty features gone; the rest is test."""
    solver = Identity()
    outcome = run(samples(), solver)
    assert solver.seen_.shape == (45, 7)
    assert solver.groups == [slice(0, 4), slice(4, 7)]
    for view in solver.groups:
        assert np.linalg.norm(solver.seen_[:, view], axis=1).mean() == pytest.approx(1)
    assert outcome.arrays["widths"].tolist() == [4, 3]
    assert outcome.metrics["chance"] == pytest.approx(1 / 3)
    assert outcome.metrics["residual"] == 0


def test_the_test_half_has_no_say_in_the_training():
    """With other test samples the basis, the cost and its cross-validation stay as they are."""
    one, other = samples(), samples()
    _, test = halve_each_class(one.y, np.random.default_rng(0))
    other.X[test] *= np.random.default_rng(1).random((len(test), 9))
    solvers = Identity(), Identity()
    before, after = (run(*pair).metrics for pair in zip((one, other), solvers, strict=True))
    np.testing.assert_array_equal(solvers[0].seen_, solvers[1].seen_)
    for name in ("map-inner", "cost", "residual"):
        assert after[name] == before[name]
    assert after["map"] != before["map"]


def test_all_codes_of_the_identity_are_the_raw_views():
    """Transform, pseudo-inverse and no latent space at all agree where the basis is trivial."""
    found = run(samples(), Identity(), references=True).metrics
    for name in ("map", "map-11", "map-inner", "cost"):
        assert found[name] == found[f"{name}-raw"] == pytest.approx(found[f"{name}-pinv"])
    assert 1 / 3 < found["map-view"] < found["map"]


def test_the_single_view_is_chosen_inside_the_training_half():
    """Of two views the one with the better cross-validation counts, whatever its test score."""
    data = samples()
    data.X[:, 5:] = np.random.default_rng(5).random((90, 4))  # says nothing
    found = run(data, Identity(), references=True).metrics
    data.views = [slice(0, 5)]
    data.X = data.X[:, :5]
    alone = run(data, Identity()).metrics
    assert found["map-inner-view"] == pytest.approx(alone["map-inner"])
    assert found["map-view"] == pytest.approx(alone["map"])


def test_samples_may_have_several_classes():
    """A binary matrix takes the place of labels; with one class a sample it says the same."""
    rng = np.random.default_rng(0)
    data = samples()
    Y = np.column_stack([data.y == 0, data.y != 1, rng.random(90) < 0.5])
    several = run(Bunch(X=data.X, y=None, Y=Y, views=data.views), Identity())
    assert several.arrays["precisions"].shape == (3,)
    assert several.metrics["map"] == pytest.approx(several.arrays["precisions"].mean())
    assert several.arrays["precisions"][:2].min() > 0.8


def test_only_the_training_half_is_corrupted():
    """Where there are clean data, those are tested on."""
    data = samples()
    noisy = Bunch(**data, clean=data.X)
    noisy.X = data.X + 1e3 * np.random.default_rng(0).random(data.X.shape) * (data.X > 0)
    solver = Identity()
    assert run(noisy, solver).metrics["map"] < 0.8 < run(data, solver).metrics["map"]


def test_a_component_that_a_view_does_without_is_counted():
    """``off`` is the share of such pairs, and ``rank`` leaves out components that are zero."""

    class Private(Identity):
        def fit(self, X):
            super().fit(X)
            self.components_[3:] = 0
            return self

    found = run(samples(), Private())
    assert found.metrics["rank"] == 3
    assert found.metrics["off"] == pytest.approx(11 / 14)  # three of seven in the first view alone
    assert found.arrays["sparseness"].tolist() == [1.0] * 7
    assert found.arrays["unused"].tolist() == [False] * 3 + [True] * 4


@pytest.mark.parametrize("key", ["mahnmf-gs", "eucnmf-gs", "flss", "hals", "pca"])
def test_methods_of_every_kind_beat_chance(key):
    """With groups and without, signed and not, with a mean and without."""
    found = run(samples(), make_solver(key, random_state=0), n_components=3)
    assert found.metrics["map"] > 0.8
    assert found.metrics["map-pinv"] > 0.8
    assert 0 <= found.metrics["off"] < 1
    assert found.arrays["residuals"].shape == (2,)


def test_codes_at_the_cap_are_counted():
    """The share of codes at ``upper`` is that of the test half."""

    class Capped(Identity):
        def __init__(self, n_components=None, upper=0.3):
            self.n_components, self.upper = n_components, upper

        def transform(self, X):
            self.last_ = np.minimum(X, self.upper)
            return self.last_

    solver = Capped()
    assert run(samples(), solver).metrics["at-cap"] == np.mean(solver.last_ == 0.3) > 0


def test_an_unknown_scaling_is_refused():
    """The message lists the known ones."""
    with pytest.raises(ValueError, match="scaling must be one of 'l2', 'l1', got 'max'"):
        run(samples(), Identity(), scaling="max")


def test_weights_grow_with_the_training_half():
    """The penalty is one for a hundred training samples; the sets and their views exist."""
    for name, (_, params) in SETS.items():
        info = datasets[name].info
        assert params_of("eucnmf-gs", name)["alpha"] == info["n_samples"] / 2 / 100
        assert set(params.get("views", [])) <= set(info["stand_in"].keywords["widths"])
    assert params_of("hals", "mv-mfeat") == {}
