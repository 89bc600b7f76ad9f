"""Metrics against brute force, the formulas written out, scikit-learn and limits."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score, v_measure_score

from nmfbench.core import registry
from nmfbench.metrics.clustering import (
    clustering_accuracy,
    mutual_information,
    nmi_arithmetic,
    nmi_geometric,
    nmi_max,
)
from nmfbench.metrics.factors import relative_error, sparseness

NMIS = {"max": nmi_max, "geometric": nmi_geometric, "arithmetic": nmi_arithmetic}
OF_CLUSTERS = [clustering_accuracy, mutual_information, *NMIS.values()]

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(-2, 3)), min_size=1, max_size=25)
VECTORS = st.lists(st.floats(-10, 10).map(lambda x: round(x, 3)), min_size=2, max_size=12)


def split(pairs):
    y, labels = np.array(pairs).T
    return y, labels


def entropy(labels):
    p = np.unique(labels, return_counts=True)[1] / len(labels)
    return -np.sum(p * np.log2(p))


def information(y, labels):
    """The sum over the cells of the contingency table, as it is written."""
    total = 0.0
    for a, b in set(zip(y, labels, strict=True)):
        p = np.mean((y == a) & (labels == b))
        total += p * np.log2(p / (np.mean(y == a) * np.mean(labels == b)))
    return total


def best_matching(y, labels):
    """Largest share of agreement over all ways to name clusters after different classes."""
    classes, clusters = np.unique(y).tolist(), np.unique(labels).tolist()
    nothing = [None] * len(clusters)  # names for clusters that are left without a class
    shares = []
    for names in set(itertools.permutations([*classes, *nothing], len(clusters))):
        name = dict(zip(clusters, names, strict=True))
        shares.append(np.mean([name[b] == a for a, b in zip(y, labels, strict=True)]))
    return max(shares)


@given(PAIRS)
@settings(max_examples=60, deadline=None)
def test_clustering_accuracy_is_the_best_of_all_matchings(pairs):
    """No one-to-one naming of the clusters, tried one by one, agrees with more samples."""
    y, labels = split(pairs)
    assert clustering_accuracy(y, labels) == pytest.approx(best_matching(y, labels))


def test_clustering_accuracy_with_other_numbers_of_clusters():
    """Clusters too many or too few cost the samples that no class is left for."""
    y = [0, 0, 0, 1, 1, 1]
    assert clustering_accuracy(y, [5, 5, 5, 5, 5, 5]) == 0.5
    assert clustering_accuracy(y, [0, 1, 2, 3, 4, 5]) == pytest.approx(2 / 6)
    assert clustering_accuracy(y, [0, 0, 2, 3, 3, 3]) == pytest.approx(5 / 6)
    # Purity would let both clusters stand for class 0, and greed would take the 3 first.
    assert clustering_accuracy([0] * 5 + [1] * 2, [0, 0, 0, 1, 1, 0, 0]) == pytest.approx(4 / 7)


@given(PAIRS)
@settings(max_examples=60, deadline=None)
def test_information_is_the_formula(pairs):
    """Mutual information in bits is the sum over cells, and each NMI divides it by its mean."""
    y, labels = split(pairs)
    bits = information(y, labels)
    assert mutual_information(y, labels) == pytest.approx(bits, abs=1e-12)
    h, k = entropy(y), entropy(labels)
    means = {"max": max(h, k), "geometric": np.sqrt(h * k), "arithmetic": (h + k) / 2}
    for average, nmi in NMIS.items():
        value = nmi(y, labels)
        assert 0 <= value <= 1
        if means[average] > 1e-9:
            assert value == pytest.approx(bits / means[average], abs=1e-12)
        expected = normalized_mutual_info_score(y, labels, average_method=average)
        assert value == pytest.approx(expected, abs=1e-12)
    assert nmi_max(y, labels) <= nmi_arithmetic(y, labels) + 1e-12
    assert nmi_arithmetic(y, labels) <= nmi_geometric(y, labels) + 1e-12
    assert nmi_arithmetic(y, labels) == pytest.approx(v_measure_score(y, labels), abs=1e-12)


@given(PAIRS, st.permutations(range(5)))
@settings(max_examples=30, deadline=None)
def test_names_and_order_do_not_count(pairs, names):
    """Renamed clusters, swapped arguments and shuffled samples leave every score as it is."""
    y, labels = split(pairs)
    renamed = np.array(list("abcde"))[np.array(names)[y]]
    for metric in OF_CLUSTERS:
        value = metric(y, labels)
        assert metric(renamed, labels) == pytest.approx(value)
        assert metric(labels, y) == pytest.approx(value)
        assert metric(y[::-1], labels[::-1]) == pytest.approx(value)


def test_perfect_clusters():
    """Classes under other names score 1, and carry the whole entropy of the classes."""
    y = np.repeat([0, 1, 2, 3], [1, 2, 5, 8])
    labels = np.array([7, 3, 9, 1])[y]
    for metric in (clustering_accuracy, *NMIS.values()):
        assert metric(y, labels) == pytest.approx(1.0, abs=1e-14)
    assert mutual_information(y, labels) == pytest.approx(entropy(y))


def test_single_clusters():
    """One class in one cluster agree fully; one of the two alone tells nothing of the other."""
    one, two = [4, 4, 4, 4], [0, 0, 1, 1]
    assert mutual_information(one, one) == 0
    assert clustering_accuracy(one, one) == 1
    for nmi in NMIS.values():
        assert nmi(one, one) == 1
        assert nmi(one, two) == nmi(two, one) == 0
    assert mutual_information(one, two) == mutual_information(two, one) == 0


@pytest.mark.parametrize("metric", OF_CLUSTERS)
def test_unfit_labels_are_errors(metric):
    """Labels of other samples, or of none, are refused rather than scored."""
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        metric([0, 1, 1], [0, 1])
    with pytest.raises(ValueError, match="the agreement of no samples is undefined"):
        metric([], [])


def test_relative_error_is_a_ratio_of_norms():
    """It is 0 for the matrix itself, 1 for zero, and that of the norms in between."""
    rng = np.random.default_rng(0)
    X, Y = rng.random((6, 5)), rng.random((6, 5))
    assert relative_error(X, X) == 0
    assert relative_error(X, np.zeros_like(X)) == pytest.approx(1)
    assert relative_error(X, Y) == pytest.approx(np.sqrt(((X - Y) ** 2).sum() / (X**2).sum()))
    assert relative_error(9 * X, 9 * Y) == pytest.approx(relative_error(X, Y))


def test_relative_error_sums_in_double_precision():
    """Single precision of the data does not round the error of many entries."""
    X = np.full((1000, 2000), 0.1, np.float32)
    Y = X + np.float32(0.001)
    expected = (Y.astype(float) - X)[0, 0] / float(X[0, 0])
    assert relative_error(X, Y) == pytest.approx(expected, rel=1e-12)


def test_relative_error_of_unfit_matrices():
    """A zero matrix has no relative error, and shapes are not stretched to fit."""
    with pytest.raises(ValueError, match="X is zero: the relative error is undefined"):
        relative_error(np.zeros((2, 3)), np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"X has shape \(2, 3\), but X_hat has shape \(1, 3\)"):
        relative_error(np.ones((2, 3)), np.ones((1, 3)))


@given(VECTORS, st.sampled_from([1e-200, 1e-3, 1.0, 1e200]))
@settings(max_examples=60, deadline=None)
def test_sparseness_is_the_formula(values, scale):
    """Sparseness follows its formula at every scale, and signs and order do not count."""
    x = np.array(values)
    n = np.sqrt(len(x))
    expected = 1.0
    if x.any():
        expected = (n - np.abs(x).sum() / np.sqrt((x**2).sum())) / (n - 1)
    value = sparseness(scale * x)
    assert 0 <= value <= 1
    assert value == pytest.approx(expected, abs=1e-9)
    assert sparseness(-scale * x[::-1]) == pytest.approx(value, abs=1e-12)


def test_sparseness_at_its_ends():
    """One entry gives 1, equal entries 0, zeros 1; the half-way vector lies between."""
    assert sparseness(np.eye(7)[3]) == 1
    assert sparseness(np.full(1001, 0.1)) == pytest.approx(0, abs=1e-12)
    assert sparseness(np.zeros(4)) == 1
    assert sparseness([1, 1, 0, 0]) == pytest.approx(2 - np.sqrt(2))
    for x in ([1.0], [], np.eye(2), 3.0):
        with pytest.raises(ValueError, match="a vector of at least two entries"):
            sparseness(x)


def test_every_metric_says_its_name_and_direction():
    """Axis names are short and differ; only errors and angles are better when low."""
    entries = registry.metrics.entries()
    names = [entry.info["name"] for entry in entries]
    assert len(set(names)) == len(names)
    assert max(map(len, names)) <= 36
    low = [entry.key for entry in entries if not entry.info["higher_is_better"]]
    assert low == ["relative-error", "spectral-angle"]
