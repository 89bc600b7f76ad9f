"""Corruptions: moments, masks, common random numbers, bad levels."""

import numpy as np
import pytest
from scipy import stats

from nmfbench import registry
from nmfbench.corruptions import exponential, poisson, sparse_laplace

X = np.random.default_rng(0).random((200, 300)) + 0.5


@pytest.mark.parametrize("entry", registry.corruptions.entries(), ids=lambda e: e.key)
def test_every_corruption_keeps_data_non_negative_and_untouched(entry):
    """The result is non-negative and finite, the mask fits, and the input is left alone."""
    before = X.copy()
    Y, mask = entry.target(X, 0.7, np.random.default_rng(1))
    assert Y.shape == X.shape
    assert np.isfinite(Y).all()
    assert (Y >= 0).all()
    np.testing.assert_array_equal(X, before)
    if mask is not None:
        np.testing.assert_array_equal(Y != X, mask)


@pytest.mark.parametrize("entry", registry.corruptions.entries(), ids=lambda e: e.key)
@pytest.mark.parametrize("level", [-1.0, np.nan, np.inf])
def test_bad_levels_are_refused(entry, level):
    """A level must be finite and not negative; the error names it."""
    with pytest.raises(ValueError, match="level must be"):
        entry.target(X, level, np.random.default_rng(0))


def test_sparse_laplace_has_the_stated_deviation():
    """The level is the standard deviation of the Laplace noise before the cut, not its scale."""
    noise = sparse_laplace(X, 0.4, np.random.default_rng(2))[0] - X
    touched = noise[noise > 0]
    assert np.mean(noise > 0) == pytest.approx(0.5, abs=0.01)
    # Half of a Laplace distribution is exponential with the Laplace scale as its mean.
    assert touched.mean() == pytest.approx(0.4 / np.sqrt(2), rel=0.02)
    assert stats.kstest(touched, stats.expon(scale=0.4 / np.sqrt(2)).cdf).pvalue > 1e-3


def test_exponential_and_poisson_have_the_stated_mean():
    """The level scales the exponential's mean, and the Poisson's counts but not its mean."""
    assert (exponential(X, 3.0, np.random.default_rng(3))[0] / X).mean() == pytest.approx(
        3, rel=0.02
    )
    counts = poisson(X, 3.0, np.random.default_rng(3))[0]
    assert (counts / X).mean() == pytest.approx(1, rel=0.02)
    np.testing.assert_allclose(counts * 3, np.round(counts * 3), atol=1e-9)


def test_levels_share_their_draws():
    """The same generator gives the same standardised noise at every level."""
    low, high = (sparse_laplace(X, d, np.random.default_rng(4))[0] - X for d in (0.1, 0.9))
    np.testing.assert_allclose(low * 9, high, atol=1e-12)
    one, ten = (exponential(X, d, np.random.default_rng(4))[0] for d in (1.0, 10.0))
    np.testing.assert_allclose(10 * one, ten)
    few, many = (poisson(X, d, np.random.default_rng(4))[0] * d for d in (1.0, 10.0))
    assert (few <= many).all()
