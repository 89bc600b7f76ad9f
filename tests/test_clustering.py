"""Clustering of samples by a factorization: labels, scores, weights and protocol."""

import numpy as np

from nmfbench.tasks.factorization import reweighted


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
