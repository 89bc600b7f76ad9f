"""Clustering of samples by a factorization: labels, scores, weights and protocol."""

import numpy as np
import pytest
from numpy.linalg import norm
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch

from nmfbench.datasets.base import load_dataset
from nmfbench.engine.perform import perform
from nmfbench.metrics.clustering import clustering_accuracy, mutual_information, nmi_max
from nmfbench.solvers import make_solver
from nmfbench.tasks.base import Outcome
from nmfbench.tasks.clustering import clustering, cosine_similarities, strongest_component
from nmfbench.tasks.factorization import factorization, reweighted
from nmfbench.trials.trial import Trial

SCORES = ("clustering-accuracy", "nmi-max")


def cluster(data, arrays, seed=0, solver=None, **options):
    """Metrics and arrays of the task for a factorization that is given."""
    arrays = {"train": np.arange(len(data.y)), **arrays}
    base = Outcome({}, {}, arrays)
    outcome = clustering(data, solver, np.random.default_rng(seed), base, **options)
    return outcome.metrics, outcome.arrays


def known(order, n_per_class=8):
    """Classes whose samples are multiples of one pattern each, and the factors of that."""
    rng = np.random.default_rng(0)
    y = np.repeat(order, n_per_class)
    H = np.kron(np.eye(len(order)), rng.uniform(0.5, 1, 4)) + 0.1
    W = np.eye(len(order))[y] * rng.uniform(0.5, 1.0, (len(y), 1))
    return Bunch(X=W @ H, y=y), {"W": W, "components": H}


def test_a_known_factorization_is_clustered_without_error():
    """Where each class has a component of its own, every score is at its best."""
    data, arrays = known([0, 1, 2])
    metrics, arrays = cluster(data, arrays)
    assert metrics["clustering-accuracy"] == metrics["nmi-max"] == 1.0
    assert metrics["mutual-information"] == pytest.approx(np.log2(3))
    assert metrics["clusters"] == 3
    np.testing.assert_array_equal(arrays["labels"], data.y)


def test_the_order_and_the_names_of_classes_do_not_matter():
    """Components in another order, and classes under other names, score the same."""
    data, arrays = known([0, 1, 2])
    arrays["W"] = np.abs(arrays["W"] + np.random.default_rng(1).normal(0, 0.3, (24, 3)))
    metrics, _ = cluster(data, arrays)
    assert 0.4 < metrics["clustering-accuracy"] < 1
    renamed = Bunch(y=np.array([7, -1, 3])[data.y])
    order = [2, 0, 1]
    turned = {"W": arrays["W"][:, order], "components": arrays["components"][order]}
    for others in (cluster(renamed, arrays), cluster(data, turned)):
        for name in (*SCORES, "mutual-information"):
            assert others[0][name] == pytest.approx(metrics[name])


def test_the_scale_of_components_does_not_matter():
    """Components times numbers, with W divided by them, give the same clusters."""
    rng = np.random.default_rng(2)
    W, H, scale = rng.random((40, 4)), rng.random((4, 9)), np.array([1e-3, 1.0, 20.0, 5e4])
    labels = strongest_component(W, H)
    assert len(set(labels)) == 4
    np.testing.assert_array_equal(strongest_component(W / scale, H * scale[:, None]), labels)
    unit = H / H.sum(axis=1, keepdims=True)
    np.testing.assert_array_equal((W * H.sum(axis=1)).argmax(axis=1), labels)
    by_hand = [np.argmax(np.linalg.lstsq(unit.T, w @ H, rcond=None)[0]) for w in W]
    np.testing.assert_array_equal(by_hand, labels)


def test_a_clusterers_own_labels_count():
    """Labels that the estimator gives are taken as they are, whatever its factors say."""

    class Clusterer(BaseEstimator):
        n_components = None

        def set_params(self, **params):
            return self

        def fit_transform(self, X):
            self.labels_ = np.arange(len(X)) % 2
            self.components_ = np.ones((2, X.shape[1]))
            return np.tile([1.0, 0.0], (len(X), 1))

    data = Bunch(X=np.random.default_rng(0).random((6, 5)), y=np.array([0, 1, 0, 1, 0, 0]))
    rng = np.random.default_rng(0)
    base = factorization(data, Clusterer(), rng, n_components=2)
    outcome = clustering(data, None, rng, base)
    np.testing.assert_array_equal(outcome.arrays["labels"], [0, 1, 0, 1, 0, 1])
    assert outcome.metrics["clustering-accuracy"] == pytest.approx(5 / 6)


def test_one_sample_a_class():
    """With as many clusters as samples each is its own class, also by chance."""
    metrics, _ = cluster(Bunch(y=np.arange(5)), {"W": np.eye(5), "components": np.ones((5, 3))})
    assert {metrics[name] for name in SCORES} == {1.0}
    assert {metrics[f"{name}-shuffled"] for name in SCORES} == {1.0}


def test_more_clusters_than_classes_and_fewer():
    """A cluster matches one class at most: the parts of a split class beyond the first are
    errors, and so is one of two classes in a common cluster."""
    W = np.zeros((6, 3))
    W[np.arange(6), [0, 0, 1, 2, 2, 2]] = 1
    metrics, _ = cluster(
        Bunch(y=np.array([0, 0, 0, 1, 1, 1])), {"W": W, "components": np.ones((3, 2))}
    )
    assert metrics["clusters"] == 3
    assert metrics["clustering-accuracy"] == pytest.approx(5 / 6)
    y = np.array([0, 0, 1, 1, 2, 2])
    metrics, _ = cluster(Bunch(y=y), {"W": np.ones((6, 1)), "components": np.ones((1, 2))})
    assert metrics["clusters"] == 1
    assert metrics["clustering-accuracy"] == pytest.approx(1 / 3)
    assert metrics["nmi-max"] == metrics["mutual-information"] == 0


def test_shuffled_labels_score_by_chance():
    """The reference is the mean score over random orders: for two halves of n samples the exact
    one is known, and a clustering that found nothing is no better."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 4)
    W = np.eye(2)[rng.permutation(y)]
    arrays = {"W": W, "components": np.ones((2, 2))}
    found = [cluster(Bunch(y=y), arrays, seed)[0] for seed in range(100)]
    # Overlaps of two halves of eight are hypergeometric: 1, 16, 36, 16 and 1 of 70.
    exact = (2 * 1.0 + 32 * 0.75 + 36 * 0.5) / 70
    assert np.mean([m["clustering-accuracy-shuffled"] for m in found]) == pytest.approx(
        exact, abs=0.02
    )
    information = {1.0: 1.0, 0.75: 1 + 0.25 * np.log2(0.25) + 0.75 * np.log2(0.75), 0.5: 0.0}
    exact = (2 * information[1.0] + 32 * information[0.75] + 36 * information[0.5]) / 70
    assert np.mean([m["nmi-max-shuffled"] for m in found]) == pytest.approx(exact, abs=0.02)


def trial(solver="nenmf", n_people=3, repeat=0, corruption="salt-pepper", **options):
    """A trial of clustering of salted digits, as of the faces."""
    given = {"n_components": n_people, "n_classes": n_people, "reweight": True}
    return Trial(
        "clustering",
        "digits",
        solver,
        corruption=corruption,
        level=None if corruption is None else 0.1,
        repeat=repeat,
        options=given | options,
    )


def test_all_methods_cluster_the_same_samples_from_the_same_start():
    """Classes and start depend neither on the solver nor on the noise; another repeat has
    others."""
    y = load_dataset("digits").y
    first = perform(trial().base)
    samples = first.arrays["train"]
    assert len(np.unique(y[samples])) == 3
    np.testing.assert_array_equal(samples, np.flatnonzero(np.isin(y, y[samples])))
    start = first.arrays["trace"]["objective"][0]
    assert perform(trial("hals").base).arrays["trace"]["objective"][0] == pytest.approx(start)
    for other in (trial("kl-mu"), trial("mahnmf-hybrid"), trial(corruption=None)):
        np.testing.assert_array_equal(perform(other.base).arrays["train"], samples)
    assert set(perform(trial(repeat=1).base).arrays["train"]) != set(samples)


def test_scores_are_those_of_the_samples_clustered():
    """From data to scores by hand: noise, classes, weights, fit, strongest component."""
    asked = trial()
    outcome, base = perform(asked), perform(asked.base)
    y = load_dataset("digits").y[base.arrays["train"]]
    W, H = base.arrays["W"], base.arrays["components"]
    labels = np.argmax(W * H.sum(axis=1), axis=1)
    np.testing.assert_array_equal(outcome.arrays["labels"], labels)
    assert outcome.metrics["clustering-accuracy"] == clustering_accuracy(y, labels) > 0.5
    assert outcome.metrics["mutual-information"] == mutual_information(y, labels)
    assert outcome.metrics["nmi-max"] == nmi_max(y, labels)
    assert outcome.metrics["clustering-accuracy-shuffled"] < 0.5


def test_the_noisy_samples_are_weighted():
    """The fit is one of the weighted samples as they are given, that is of the noisy ones."""
    rng = np.random.default_rng(0)
    data = Bunch(X=rng.random((9, 6)), clean=rng.random((9, 6)), y=np.repeat([0, 1, 2], 3))

    class Watching(BaseEstimator):
        def set_params(self, **params):
            return self

        def fit_transform(self, X):
            self.seen, self.components_ = X, np.ones((1, X.shape[1]))
            return np.ones((len(X), 1))

    for weight in (True, False):
        solver = Watching()
        draw = np.random.default_rng(1)
        base = factorization(data, solver, draw, n_components=1, n_classes=2, reweight=weight)
        given = data.X[base.arrays["train"]]
        np.testing.assert_allclose(solver.seen, reweighted(given) if weight else given)


def test_weights_are_those_of_a_normalised_cut():
    """Weights are in proportion to the inverse roots of the degrees in the graph of inner
    products, and keep the sum of all entries."""
    X = np.random.default_rng(0).random((6, 4))
    X[2] = 0
    degrees = (X @ X.T).sum(axis=1)
    expected = np.array([x / np.sqrt(d) if d else x for x, d in zip(X, degrees, strict=True)])
    np.testing.assert_allclose(reweighted(X), expected * X.sum() / expected.sum())


def test_weights_have_no_unit():
    """Data in another unit, or every sample twice, get the same weights; nothing stays nothing."""
    X = np.random.default_rng(1).random((5, 3))
    np.testing.assert_allclose(reweighted(1e-3 * X), 1e-3 * reweighted(X))
    np.testing.assert_allclose(reweighted(np.vstack([X, X])), np.vstack([reweighted(X)] * 2))
    np.testing.assert_array_equal(reweighted(np.zeros((2, 3))), np.zeros((2, 3)))


def test_the_weights_make_least_squares_a_relaxed_cut():
    """The Gram matrix of the weighted samples is the normalised affinity: up to the common factor
    its largest eigenvalue is 1, with the roots of the degrees as eigenvector."""
    X = np.random.default_rng(3).random((7, 4))
    weighted = reweighted(X)
    values, vectors = np.linalg.eigh(weighted @ weighted.T)
    roots = np.sqrt((X @ X.T).sum(axis=1))
    expected = roots / np.linalg.norm(roots)
    np.testing.assert_allclose(np.abs(vectors[:, -1]), expected)
    factor = np.sqrt(values[-1])
    np.testing.assert_allclose(weighted, factor * X / roots[:, None])


def test_every_method_of_the_figures_clusters():
    """Well separated digits are clustered by least squares, by KL and by the Manhattan loss."""
    for solver, params in (("nenmf", {}), ("kl-mu", {}), ("mahnmf-hybrid", {})):
        assert make_solver(solver, **params).takes_factors
        assert perform(trial(solver, n_people=2)).metrics["clustering-accuracy"] > 0.8, solver


# -- K-means of the representation ------------------------------------------------------------


def test_kmeans_of_a_known_representation_finds_the_classes():
    """Where classes are far apart in W, every rule of labelling finds them."""
    data, arrays = known([0, 1, 2])
    metrics, found = cluster(data, arrays, rule="kmeans")
    for name in ("clustering-accuracy", "nmi-geometric"):
        assert metrics[name] == metrics[f"{name}-rows"] == metrics[f"{name}-argmax"] == 1.0
    np.testing.assert_array_equal(found["classes"], data.y)
    assert metrics["similarity-within"] == pytest.approx(1)
    assert metrics["similarity-between"] == pytest.approx(0, abs=1e-12)


def test_kmeans_sees_the_scale_of_the_problem():
    """Components count as if of unit length, unless the solver is for a problem with a scale."""
    data, arrays = known([0, 1])
    # The first column is long, but says nothing; what tells the classes apart is short.
    noise = np.random.default_rng(2).uniform(0, 1, 16)
    W = np.column_stack([100 * noise, data.y + 0.1])
    H = np.array([[0.001, 0.0], [0.0, 1.0]])
    found = {}
    for fixes in (False, True):

        class Solver:
            fixes_scale = fixes

        arrays = {"W": W, "components": H}
        found[fixes], _ = cluster(data, arrays, solver=Solver, rule="kmeans")
    assert found[False]["clustering-accuracy"] == 1.0
    assert found[True]["clustering-accuracy"] < 1.0
    moved, _ = cluster(
        data, {"W": W / [7, 3], "components": H * [[7], [3]]}, solver=None, rule="kmeans"
    )
    assert moved["clustering-accuracy-rows"] == found[False]["clustering-accuracy-rows"]


def test_other_rules_of_labelling_are_what_they_say():
    """Rows of unit length, and the largest entry over the norms of columns."""
    data, arrays = known([0, 1, 2])
    rng = np.random.default_rng(3)
    W = arrays["W"] + rng.uniform(0, 0.6, (24, 3))
    H = np.eye(3)
    metrics, _ = cluster(data, {"W": W, "components": H}, rule="kmeans")
    largest = (W / np.linalg.norm(W, axis=0)).argmax(axis=1)
    assert metrics["clustering-accuracy-argmax"] == clustering_accuracy(data.y, largest)
    scaled, _ = cluster(
        data, {"W": W * rng.uniform(0.1, 9, (24, 1)), "components": H}, rule="kmeans"
    )
    assert scaled["clustering-accuracy-rows"] == metrics["clustering-accuracy-rows"]


def test_cosines_are_means_over_pairs():
    """Both means, over all pairs one by one; pairs that do not exist count as 0."""
    rng = np.random.default_rng(4)
    W, y = rng.uniform(0, 1, (9, 3)), np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
    W[4] = 0
    cosine = np.array([[a @ b / max(norm(a) * norm(b), 1e-300) for a in W] for b in W])
    same, other = np.equal.outer(y, y), ~np.eye(9, dtype=bool)
    expected = cosine[same & other].mean(), cosine[~same].mean()
    assert cosine_similarities(W, y) == pytest.approx(expected)
    assert cosine_similarities(W[:1], y[:1]) == (0, 0)


def test_as_many_clusters_as_are_asked_for():
    """Five classes at the corners of a space of three components; no other rule takes a number."""
    data = Bunch(y=np.repeat(np.arange(5), 8))
    corners = 9.0 * np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]])
    W = corners[data.y] + np.random.default_rng(5).uniform(0, 0.1, (40, 3))
    arrays = {"W": W, "components": np.eye(3)}
    metrics, _ = cluster(data, arrays, rule="kmeans", n_clusters=5)
    assert (metrics["clustering-accuracy"], metrics["clusters"]) == (1.0, 5)
    assert cluster(data, arrays, rule="kmeans")[0]["clusters"] == 3
    with pytest.raises(ValueError, match="n_clusters=5 is for rule='kmeans'"):
        cluster(data, arrays, n_clusters=5)


def test_labels_of_a_clusterer_count_whatever_the_rule():
    """K-means is only for solvers that have no labels of their own."""
    data, arrays = known([0, 1])
    arrays["labels"] = np.zeros(16, dtype=int)
    metrics, found = cluster(data, arrays, rule="kmeans")
    assert metrics["clustering-accuracy"] == 0.5
    assert "clustering-accuracy-rows" not in metrics
    np.testing.assert_array_equal(found["labels"], arrays["labels"])
    with pytest.raises(ValueError, match="rule must be one of 'component', 'kmeans'"):
        cluster(data, arrays, rule="spectral")


def test_records_of_a_clustering_hold_what_the_solver_says_of_its_fit():
    """Diagnostics of the factorization come along, and samples are scaled on request."""
    options = {"n_components": 3, "n_classes": 3, "unit_samples": True}
    trial = Trial("clustering", "digits", "rnmfd", {"max_iter": 5}, options=options)
    outcome = perform(trial)
    for name in ("outlier-share", "n-dead-components", "orthogonality-gap", "dead-components"):
        assert np.isfinite(outcome.metrics[name])
    rng = np.random.default_rng(5)
    data = Bunch(X=rng.uniform(0, 1, (12, 4)) * rng.uniform(0, 9, (12, 1)), y=np.repeat([0, 1], 6))
    solver = make_solver("mu", max_iter=200, tol=0)
    base = factorization(
        data, solver, np.random.default_rng(6), n_components=2, train_per_class=4, unit_samples=True
    )
    fitted = base.arrays["W"] @ base.arrays["components"]
    assert np.linalg.norm(fitted, axis=1) == pytest.approx(1, abs=0.2)
    seen = base.arrays["codes"] @ base.arrays["components"]
    assert np.linalg.norm(seen, axis=1) == pytest.approx(1, abs=0.2)
