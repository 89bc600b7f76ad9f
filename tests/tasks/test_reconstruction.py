"""Reconstruction: errors, pictures and traces of noise, against numbers worked out by hand."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.utils import Bunch

from nmfbench.corruptions import corrupt
from nmfbench.datasets.base import load_dataset
from nmfbench.engine.perform import perform
from nmfbench.tasks.base import Outcome
from nmfbench.tasks.reconstruction import (
    contamination,
    edges,
    lopsidedness,
    reconstruct,
    reconstruction,
)
from nmfbench.trials.trial import Trial


def by_hand(**arrays):
    """Two training images and one for the test, two by two, and a factorization of them."""
    clean = np.array([[3.0, 0.0, 0.0, 4.0], [1.0, 1.0, 1.0, 1.0], [0.0, 2.0, 0.0, 0.0]])
    data = Bunch(X=clean + 0.5, clean=clean, image_shape=(2, 2))
    base = {
        "train": np.array([0, 1]),
        "test": np.array([2]),
        "W": np.array([[1.0, 0.0], [0.0, 1.0]]),
        "components": np.array([[3.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0]]),
        "codes": np.array([[0.0, 1.0]]),
    }
    return data, Outcome({}, {"seconds": 2.0}, base | arrays)


def test_errors_are_measured_on_clean_samples():
    """The errors by hand: of each part, of its mean and of its edges, the noise left out."""
    data, base = by_hand()
    outcome = reconstruction(data, None, None, base)
    # Training: one entry is 1 in place of 4, of squares that sum up to 9 + 16 + 4.
    assert outcome.metrics["relative-error-train"] == pytest.approx(np.sqrt(9 / 29))
    # Their mean is (2, 0.5, 0.5, 2.5), with 1 in place of 2.5.
    assert outcome.metrics["mean-error-train"] == pytest.approx(np.sqrt(1.5**2 / 10.75))
    # Edges of the first image: down -3 and 4, across -3 and 4; found: -3, 1, -3, 1.
    assert outcome.metrics["edge-error-train"] == pytest.approx(np.sqrt(18 / 50))
    # Test: (1, 1, 1, 1) in place of (0, 2, 0, 0).
    assert outcome.metrics["relative-error-test"] == pytest.approx(1.0)
    assert outcome.metrics["mean-error-test"] == pytest.approx(1.0)
    assert outcome.metrics["edge-error-test"] == pytest.approx(1.0)
    assert outcome.fit == {"seconds": 2.0}


def test_without_corruption_the_data_themselves_are_clean():
    """Data without ``clean`` are compared with themselves."""
    data, base = by_hand()
    expected = reconstruction(data, None, None, base).metrics
    plain = Bunch(X=data.clean, image_shape=(2, 2))
    assert reconstruction(plain, None, None, base).metrics == expected


def test_a_mean_is_added():
    """A solver that centres the data reconstructs around its mean."""
    data, base = by_hand(mean=np.array([0.0, 0.0, 0.0, 3.0]))
    base.arrays["components"] = base.arrays["components"] - [[0], [1]] * np.ones(4)
    outcome = reconstruction(data, None, None, base)
    # (3, 0, 0, 1) and (0, 0, 0, 0), each with 3 more in the last place.
    assert outcome.metrics["relative-error-train"] == pytest.approx(np.sqrt((3 + 4) / 29))


def test_pca_reconstructs_as_scikit_learn_does():
    """The error of PCA on salted digits, by scikit-learn's inverse transform of the same part."""
    options = {"n_components": 6, "train_per_class": 5}
    trial = Trial(
        "reconstruction", "digits", "pca", corruption="salt-pepper", level=0.2, options=options
    )
    base = perform(trial.base)
    outcome = perform(trial, base)
    clean = load_dataset("digits").X
    noisy = corrupt(load_dataset("digits"), "salt-pepper", 0.2, trial.rng("corruption")).X
    train = base.arrays["train"]
    pca = PCA(6).fit(noisy[train])
    for part in ("train", "test"):
        rows = base.arrays[part]
        error = clean[rows] - pca.inverse_transform(pca.transform(noisy[rows]))
        expected = np.sqrt((error**2).sum() / (clean[rows] ** 2).sum())
        assert outcome.metrics[f"relative-error-{part}"] == pytest.approx(expected, rel=1e-5)


def test_pictures_are_the_clean_the_given_and_the_reconstructed_image():
    """Pictures: means over a part, and the image of median brightness, in this order."""
    data, base = by_hand()
    arrays = reconstruction(data, None, None, base).arrays
    assert set(arrays) == {"mean-train", "example-train", "mean-test", "example-test"}
    found = reconstruct(base.arrays, "train", data.X, None)
    np.testing.assert_allclose(arrays["mean-train"][0], [2, 0.5, 0.5, 2.5])
    np.testing.assert_allclose(arrays["mean-train"][1], [2.5, 1, 1, 3])
    np.testing.assert_allclose(arrays["mean-train"][2], found.mean(axis=0))
    # Of two training images, mean brightness 1.75 and 1, the brighter one.
    np.testing.assert_allclose(
        arrays["example-train"], [data.clean[0], data.X[0], [3.0, 0.0, 0.0, 1.0]]
    )
    np.testing.assert_allclose(arrays["example-test"][2], [1, 1, 1, 1])


def test_without_images_or_test_samples_less_is_measured():
    """Data that are no images have neither edges nor pictures; without a test part, no errors."""
    data, base = by_hand(test=np.array([], dtype=int), codes=np.zeros((0, 2)))
    data.image_shape = None
    outcome = reconstruction(data, None, None, base)
    assert set(outcome.metrics) == {"relative-error-train", "mean-error-train", "contamination"}
    assert outcome.arrays == {}


def test_edges_are_differences_of_neighbours():
    """Edges agree with a loop over pairs of neighbours."""
    images = np.random.default_rng(0).random((3, 20))
    for image, found in zip(images, edges(images, (4, 5)), strict=True):
        pixel = image.reshape(4, 5)
        down = [pixel[i + 1, j] - pixel[i, j] for i in range(3) for j in range(5)]
        across = [pixel[i, j + 1] - pixel[i, j] for i in range(4) for j in range(4)]
        np.testing.assert_array_equal(found, down + across)


def test_contamination_is_the_noise_that_a_combination_inherits():
    """Combinations of clean samples have none, and noise on them counts by its energy."""
    rng = np.random.default_rng(0)
    clean, weights = rng.random((30, 400)), rng.random((5, 30))
    basis = weights @ clean
    assert contamination(basis, clean) == pytest.approx(0, abs=1e-12)
    # White noise keeps the share 1 - 30 / 400 of its energy outside.
    for level in (0.1, 1.0):
        noise = level * rng.standard_normal(basis.shape)
        energy = (noise**2).sum(axis=1) / ((basis + noise) ** 2).sum(axis=1)
        found = contamination(basis + noise, clean)
        assert found == pytest.approx((1 - 30 / 400) * energy.mean(), rel=0.1)


def test_contamination_by_least_squares():
    """Contamination is the residual of a least-squares fit, whatever the scale, zeros left out."""
    rng = np.random.default_rng(1)
    clean = rng.random((6, 20))
    clean[5] = clean[0] + clean[1]  # the span has five dimensions
    basis = rng.random((4, 20))
    basis[2] = 0
    shares = [
        np.sum((b - clean.T @ np.linalg.lstsq(clean.T, b, rcond=None)[0]) ** 2) / (b @ b)
        for b in basis[[0, 1, 3]]
    ]
    assert contamination(basis, clean) == pytest.approx(np.mean(shares))
    assert contamination(1e-6 * basis, clean) == pytest.approx(np.mean(shares))
    assert contamination(np.zeros((2, 20)), clean) == 0


def test_lopsidedness_sees_the_side_that_is_lit():
    """Symmetric components score 0, half of a face 1, a shadow on one half in between."""
    half = np.random.default_rng(0).random((1, 6, 4)) + 0.1
    dark = np.zeros_like(half)

    def score(left, right):
        face = np.concatenate([left, right[:, :, ::-1]], axis=2)
        return lopsidedness(face.reshape(1, -1), (6, 8))

    assert score(half, half) == 0
    assert score(half, dark) == pytest.approx(1)
    # Each pair has b and b / 3: twice the difference over twice the sum.
    assert score(half, half / 3) == pytest.approx((1 - 1 / 3) / (1 + 1 / 3))
    assert lopsidedness(np.zeros((2, 48)), (6, 8)) == 0
