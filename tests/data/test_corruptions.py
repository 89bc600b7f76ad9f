"""Corruptions: moments, masks, range, common random numbers, bad levels and unfit data."""

import dataclasses
import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats
from sklearn.utils import Bunch

from nmfbench.core import registry
from nmfbench.corruptions import (
    corrupt,
    exponential,
    gaussian,
    laplace,
    occlusion,
    poisson,
    sparse_laplace,
)
from nmfbench.datasets import load_dataset
from nmfbench.engine.perform import perform
from nmfbench.optim.kernels.poisson import poisson_quantile
from nmfbench.tasks.base import Outcome
from nmfbench.trials.trial import Trial

NAMES = list(registry.corruptions)
REDRAWN = {"exponential", "poisson"}
RANGED = {"broken-samples", "occlusion", "salt-pepper", "view-mismatch", "view-salt-pepper"}


def data(upper=None, dtype=np.float64, scale=1.0, image_shape=(15, 20)):
    """Two hundred images of 15 x 20 pixels, with values from half of ``scale`` to ``scale``."""
    X = scale * (np.random.default_rng(0).random((200, 300)) / 2 + 0.5)
    return Bunch(X=X.astype(dtype), upper=upper, image_shape=image_shape, name="patches", extra=1)


def rng(seed=1):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("upper", [None, 1.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_corruption_keeps_to_the_range_and_marks_what_it_changed(name, upper, dtype):
    """Values stay in [0, upper], dtype and input too; the mask is where clean and X differ."""
    given = data(upper, dtype)
    given.X[:, :50], given.X[:, 50:100] = 0, 1  # noise beyond the ends is clipped: no change
    before = given.X.copy()
    noisy = corrupt(given, name, 0.7, rng())
    assert noisy.X.shape == before.shape
    assert noisy.X.dtype == dtype
    assert np.isfinite(noisy.X).all()
    assert noisy.X.min() >= 0
    if upper is not None or name in RANGED:
        assert noisy.X.max() <= 1
    else:
        assert noisy.X.max() > 1.2
    np.testing.assert_array_equal(given.X, before)
    assert set(given) == {"X", "upper", "image_shape", "name", "extra"}
    assert set(noisy) == {*given, "clean", "mask"}
    assert noisy.clean is given.X
    assert (noisy.extra, noisy.upper) == (1, upper)
    if name in REDRAWN:
        assert noisy.mask is None
    else:
        assert noisy.mask.dtype == bool
        np.testing.assert_array_equal(noisy.mask, before != noisy.X)
        assert noisy.mask.mean() > 0.2


@pytest.mark.parametrize("name", sorted(set(NAMES) - REDRAWN))
def test_level_zero_changes_nothing(name):
    """At level 0 the data stay as they are and the mask is empty."""
    noisy = corrupt(data(1.0), name, 0.0, rng())
    np.testing.assert_array_equal(noisy.X, noisy.clean)
    assert not noisy.mask.any()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("level", [-1.0, np.nan, np.inf])
def test_bad_levels_are_refused(name, level):
    """A level must be finite and not negative; the error names it."""
    with pytest.raises(ValueError, match="level must be"):
        corrupt(data(), name, level, rng())


@pytest.mark.parametrize("name", sorted(RANGED))
def test_shares_above_one_are_refused(name):
    """A share of the pixels or of the side is 1 at most."""
    with pytest.raises(ValueError, match=r"level must be a number .* of at most 1, got 1\.1"):
        corrupt(data(), name, 1.1, rng())


@pytest.mark.parametrize("name", NAMES)
def test_sparse_data_are_refused(name):
    """Noise fills a matrix, so a sparse one is an error that names the remedy."""
    with pytest.raises(TypeError, match=r"'" + name + r"' needs dense data. Use X.toarray\(\)"):
        corrupt(Bunch(X=sp.csr_matrix(np.eye(3))), name, 0.5, rng())


def test_misspelt_corruptions_are_answered_with_near_ones():
    """An unknown name is an error with the nearest names."""
    with pytest.raises(registry.UnknownNameError, match="did you mean 'gaussian'"):
        corrupt(data(), "gausian", 0.5, rng())


def test_whole_numbers_become_floats():
    """Noise on counts is not cut to whole numbers."""
    noisy = corrupt(Bunch(X=np.full((5, 6), 4)), "gaussian", 0.1, rng())
    assert noisy.X.dtype == np.float64
    assert noisy.mask.all()


def test_sparse_laplace_has_the_stated_deviation():
    """The level is the standard deviation of the Laplace noise before the cut, not its scale."""
    noise = sparse_laplace(data(), 0.4, rng(2))[0] - data().X
    touched = noise[noise > 0]
    assert np.mean(noise > 0) == pytest.approx(0.5, abs=0.01)
    # Half of a Laplace distribution is exponential with the Laplace scale as its mean.
    assert touched.mean() == pytest.approx(0.4 / np.sqrt(2), rel=0.02)
    assert stats.kstest(touched, stats.expon(scale=0.4 / np.sqrt(2)).cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    ("function", "distribution"), [(laplace, stats.laplace), (gaussian, stats.norm)]
)
def test_additive_noise_has_the_stated_scale(function, distribution):
    """Laplace noise has scale b, so deviation sqrt(2) b, and Gaussian noise deviation sigma."""
    noise = (function(data(), 0.2, rng(3))[0] - data().X).ravel()
    assert abs(noise.mean()) < 0.004
    assert stats.kstest(noise, distribution(scale=0.2).cdf).pvalue > 1e-3


def test_exponential_and_poisson_have_the_stated_mean():
    """The level scales the exponential's mean, and the Poisson's counts but not its mean."""
    X = data().X
    assert (exponential(data(), 3.0, rng(3))[0] / X).mean() == pytest.approx(3, rel=0.02)
    noisy = poisson(data(), 3.0, rng(3))[0]
    assert (noisy / X).mean() == pytest.approx(1, rel=0.02)
    np.testing.assert_allclose(noisy * 3, np.round(noisy * 3), atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_poisson_counts_are_quantiles(dtype):
    """Counts of any mean, small, large or zero, are the quantiles of one uniform draw each."""
    means = [0.0, 1e-9, 0.02, 0.7, 4.0, 60.0, 499.0, 501.0, 3000.0]
    given = Bunch(X=np.repeat(np.array(means, dtype)[:, None] / 2, 500, axis=1))
    noisy = corrupt(given, "poisson", 2.0, rng(8)).X
    uniform = rng(8).random(given.X.shape)
    expected = stats.poisson.ppf(uniform, 2 * given.X.astype(float))
    np.testing.assert_array_equal(2 * noisy, expected)


def test_poisson_quantiles_at_the_ends():
    """A draw of 0 gives no count, and the draw next to 1 ends although sums are rounded."""
    mean = np.array([0.0, 3.0, 0.5, 25.0, 100.0, 500.0])
    counts = np.zeros(6)
    poisson_quantile(counts, mean)
    assert (counts == 0).all()
    counts[:] = 1 - 2.0**-53
    poisson_quantile(counts, mean)
    assert counts[0] == 0
    assert (counts[1:] >= stats.poisson.isf(2.0**-46, mean[1:])).all()
    assert (counts[1:] < mean[1:] + 12 * np.sqrt(mean[1:]) + 20).all()


@pytest.mark.parametrize(("upper", "top"), [(1.0, 1.0), (None, 0.25)])
def test_salt_and_pepper_are_shared_out_evenly(upper, top):
    """A share of the entries is touched, half set to 0 and half to the top, the others kept."""
    given = data(upper, scale=0.25)
    given.X[3, 4] = 0.25
    noisy = corrupt(given, "salt-pepper", 0.3, rng(4))
    assert noisy.mask.mean() == pytest.approx(0.3, abs=0.01)
    touched = noisy.X[noisy.mask]
    assert set(touched) == {0.0, top}
    assert (touched == 0).mean() == pytest.approx(0.5, abs=0.015)
    assert set(corrupt(given, "salt-pepper", 1.0, rng(4)).X.ravel()) == {0.0, top}


@pytest.mark.parametrize("level", [0.0, 0.02, 0.1, 0.3, 0.51, 0.99, 1.0])
@pytest.mark.parametrize("image_shape", [(15, 20), (20, 15), (300, 1), (10, 30)])
def test_an_occlusion_is_one_rectangle_of_each_image(level, image_shape):
    """Each image has one filled rectangle with the stated share of each side, and no more."""
    X, mask = occlusion(data(2.0, image_shape=image_shape), level, rng(5))
    height, width = (int(level * side + 0.5) for side in image_shape)
    assert (X[mask] == 2.0).all()
    np.testing.assert_array_equal(X[~mask], data().X[~mask])
    for image in mask.reshape(-1, *image_shape):
        rows, columns = np.flatnonzero(image.any(axis=1)), np.flatnonzero(image.any(axis=0))
        if height * width == 0:
            assert not image.any()
            continue
        assert (len(rows), len(columns)) == (height, width)
        assert (np.ptp(rows) + 1, np.ptp(columns) + 1) == (height, width)
        assert image.sum() == height * width


def test_occlusions_fall_everywhere_alike():
    """Every place of the square within the image is equally likely."""
    given = Bunch(X=np.zeros((4000, 36)), upper=1.0, image_shape=(6, 6))
    mask = occlusion(given, 0.5, rng(6))[1].reshape(-1, 6, 6)
    places = 6 * mask.any(axis=2).argmax(axis=1) + mask.any(axis=1).argmax(axis=1)
    found, counts = np.unique(places, return_counts=True)
    assert list(found) == [6 * i + j for i in range(4) for j in range(4)]
    assert stats.chisquare(counts).pvalue > 1e-3


def test_occlusion_takes_the_largest_entry_where_no_top_is_known():
    """Without ``upper`` the square has the value of the largest entry of all images."""
    given = data(scale=7.0)
    noisy = corrupt(given, "occlusion", 0.4, rng())
    assert set(noisy.X[noisy.mask]) == {given.X.max()}


@pytest.mark.parametrize("image_shape", [None, (15, 21)])
def test_occlusion_needs_images(image_shape):
    """Data without image_shape, or with another's, are named in the error, with what to do."""
    with pytest.raises(ValueError, match=r"'patches' has .* 300 features\. Set data\.image_shape"):
        corrupt(data(image_shape=image_shape), "occlusion", 0.3, rng())


def test_levels_share_their_draws():
    """The same generator gives the same standardised noise at every level."""
    for function in (sparse_laplace, laplace, gaussian):
        low, high = (function(data(), d, rng(4))[0] - data().X for d in (0.1, 0.9))
        np.testing.assert_allclose(low * 9, high, atol=1e-12)
    one, ten = (exponential(data(), d, rng(4))[0] for d in (1.0, 10.0))
    np.testing.assert_allclose(10 * one, ten)
    few, many = (poisson(data(), d, rng(4))[0] * d for d in (1.0, 10.0))
    assert (few <= many).all()


@pytest.mark.parametrize("name", sorted(RANGED))
def test_low_levels_lie_within_high_ones(name):
    """Every higher level sets the entries that a level touches to the same value."""
    levels = [0.04, 0.1, 0.2, 0.26, 0.5, 0.57, 0.97, 1.0]
    noisy = [corrupt(data(2.0), name, level, rng(7)) for level in levels]
    for low, high in itertools.pairwise(noisy):
        assert (high.mask >= low.mask).all()
        assert high.mask.sum() > low.mask.sum()
        np.testing.assert_array_equal(high.X[low.mask], low.X[low.mask])


@pytest.mark.parametrize("name", NAMES)
def test_other_seeds_draw_other_noise(name):
    """One seed gives one result, another seed another."""
    one, same, other = (corrupt(data(1.0), name, 0.5, rng(seed)).X for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert (one != other).mean() > 0.05


def test_image_sets_say_their_range():
    """Images of every kind end at 1; generated matrices and text have no such end."""
    for name in ("digits", "sample-images"):
        assert load_dataset(name).upper == 1.0
    for name in ("yaleb", "mnist", "coil20", "video-hall", "bsds"):
        stand_in = load_dataset(name, stand_in=True)
        assert stand_in.X.max() <= stand_in.upper == 1.0
    for name in ("near-separable", "uniform"):
        assert load_dataset(name).upper is None
    assert load_dataset("bbc", stand_in=True).upper is None


def test_trials_see_clipped_images(monkeypatch):
    """A trial on images computes on noise within their range, one on generated data does not."""
    seen = []

    def spy(data, solver, rng):
        seen.append(data)
        return Outcome({}, {})

    entry = dataclasses.replace(registry.tasks["recovery"], target=spy)
    monkeypatch.setitem(registry.tasks._entries, "recovery", entry)
    for dataset in ("digits", "uniform"):
        perform(Trial("recovery", dataset, "spa", corruption="laplace", level=0.3))
    digits, matrix = seen
    assert digits.X.max() == 1.0 < matrix.X.max()
    assert min(digits.X.min(), matrix.X.min()) == 0.0
    np.testing.assert_array_equal(digits.clean, load_dataset("digits").X)


def test_broken_samples_are_broken_as_a_whole():
    """Samples broken at a low level are broken at a higher one; their number follows the level."""
    given = data(upper=1.0)
    few, many = (corrupt(given, "broken-samples", level, rng()) for level in (0.1, 0.4))
    broken = [noisy.mask.any(axis=1) for noisy in (few, many)]
    np.testing.assert_array_equal([noisy.mask.all(axis=1) for noisy in (few, many)], broken)
    assert not (broken[0] & ~broken[1]).any()
    assert 0.3 < broken[1].mean() < 0.5
    np.testing.assert_array_equal(few.X[broken[0]], many.X[broken[0]])
    assert set(np.unique(few.X[broken[0]])) == {0.0, 1.0}
    assert few.X[broken[0]].mean() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("name", ["view-mismatch", "view-salt-pepper"])
def test_one_view_is_corrupted(name):
    """The widest view changes, within its own range; the others stay as they are."""
    given = data()
    given.X[:, 40:] /= 4
    given.views = [slice(0, 40), slice(40, 200), slice(200, 300)]
    noisy = corrupt(given, name, 0.3, rng())
    assert noisy.mask[:, 40:200].mean() == pytest.approx(0.3, abs=0.08)
    assert noisy.X[:, 40:200].max() <= given.X[:, 40:200].max()
    np.testing.assert_array_equal(noisy.X[:, :40], given.X[:, :40])
    np.testing.assert_array_equal(noisy.X[:, 200:], given.X[:, 200:])


def test_a_mismatched_view_is_that_of_another_sample():
    """Whole samples of the view are replaced, each by one that is there."""
    given = data()
    noisy = corrupt(given, "view-mismatch", 1.0, rng())
    assert noisy.mask.all()
    assert {tuple(row) for row in noisy.X} <= {tuple(row) for row in given.X}
