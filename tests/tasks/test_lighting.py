"""The tasks lighting and identity, on images so small that everything can be counted."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import Bunch

from nmfbench.engine.perform import perform
from nmfbench.guests.adapter import Guest
from nmfbench.solvers import make_solver
from nmfbench.tasks.convergence import draw_per_class
from nmfbench.tasks.factorization import factorization
from nmfbench.tasks.identity import identity
from nmfbench.tasks.lighting import detail, lighting, numbers_of_subject
from nmfbench.trials.trial import Trial

SHAPE = 4, 6


class Given(BaseEstimator):
    """An estimator whose low-rank part is given: a function of the images."""

    def __init__(self, part=None, n_components=1):
        self.part, self.n_components = part, n_components

    def fit_transform(self, X):
        self.fits_ = [*getattr(self, "fits_", []), X]
        self.low_rank_ = self.part(X)
        self.components_ = X[: self.n_components]
        return np.ones((len(X), self.n_components))


def median_picture(X):
    return np.tile(np.median(X, axis=0), (len(X), 1))


def faces(seed=0, subjects=3, each=9):
    """Random pictures of subjects, each each lit by another ramp across."""
    rng = np.random.default_rng(seed)
    pictures = rng.uniform(0.2, 1.0, (subjects, *SHAPE))
    ramps = rng.uniform(-2, 2, (subjects * each, 1, 1)) * np.linspace(-1, 1, 6)
    light = np.clip(0.7 + ramps, 0.02, 2)
    y = np.repeat(np.arange(subjects), each) + 5
    X = np.clip(pictures[y - 5] * light, 0, 1).reshape(len(y), -1)
    return Bunch(X=X.astype(np.float32), y=y, image_shape=SHAPE)


def run(data, part, seed=0, **options):
    return lighting(data, Given(part), np.random.default_rng(seed), **options)


def high_pass(image):
    """An image without its means over 5 x 5 pixels, pixel by pixel."""
    padded = np.pad(image.reshape(SHAPE), 2, mode="symmetric")
    means = [
        [padded[i : i + 5, j : j + 5].mean() for j in range(SHAPE[1])] for i in range(SHAPE[0])
    ]
    return (image.reshape(SHAPE) - means).ravel()


def test_numbers_by_counting():
    """Every number is that of loops over images and pixels."""
    X = faces(subjects=1).X.astype(float)
    L = np.random.default_rng(1).uniform(-0.1, 1.0, X.shape)
    found = numbers_of_subject(X, L, SHAPE)
    middle = np.array([np.median(x) for x in X.T])
    dark = [(i, j) for i in range(len(X)) for j in range(24) if X[i, j] < middle[j] / 4]
    assert 5 < len(dark) < 100

    def asymmetry(images):
        shares = []
        for image in images.reshape(-1, *SHAPE):
            away = sum(abs(row[j] - row[5 - j]) for row in image for j in range(6))
            shares.append(away / np.abs(image).sum())
        return np.mean(shares)

    expected = {
        "asymmetry": asymmetry(L) / asymmetry(X),
        "asymmetry-median": asymmetry(middle) / asymmetry(X),
        "lift": sum(L[k] for k in dark) / sum(X[k] for k in dark),
        "shadow-error": 255 * np.mean([abs(L[i, j] - middle[j]) for i, j in dark]),
        "shadow-error-images": 255 * np.mean([middle[j] - X[i, j] for i, j in dark]),
        "spread": np.std([x.mean() for x in L]) / np.std([x.mean() for x in X]),
    }
    for name, images in (("detail", L), ("detail-images", X)):
        fine = [np.corrcoef(high_pass(x), high_pass(middle))[0, 1] for x in images]
        expected[name] = np.mean(fine)
    assert found == pytest.approx(expected)


def test_the_score_by_counting():
    """The mean over subjects of the mean distance from the median where a pixel is in shadow."""
    data = faces(seed=2)
    found = run(data, lambda X: X**0.5).metrics
    errors = {"shadow-error": [], "shadow-error-images": []}
    for label in (5, 6, 7):
        images = [image.tolist() for image, own in zip(data.X, data.y, strict=True) if own == label]
        distances = {name: [] for name in errors}
        for j in range(24):
            middle = sorted(image[j] for image in images)[len(images) // 2]
            for image in images:
                if image[j] < middle / 4:
                    distances["shadow-error"].append(255 * abs(image[j] ** 0.5 - middle))
                    distances["shadow-error-images"].append(255 * (middle - image[j]))
        for name, values in distances.items():
            errors[name].append(sum(values) / len(values))
    expected = {name: sum(values) / 3 for name, values in errors.items()}
    assert {name: found[name] for name in errors} == pytest.approx(expected, rel=1e-5)


def test_detail_does_not_see_brightness():
    """A picture has all of its detail under another exposure, and a flat one has none."""
    image = np.random.default_rng(0).random(24)
    found = detail(np.array([image, 0.1 * image + 0.5, -image, 0 * image + 0.3]), image, SHAPE)
    np.testing.assert_allclose(found, [1, 1, -1, 0], atol=1e-9)


def test_the_images_themselves():
    """L = X removes nothing and keeps everything."""
    metrics = run(faces(), np.copy).metrics
    for name in ("asymmetry", "lift", "spread"):
        assert metrics[name] == pytest.approx(1)
    for name in ("shadow-error", "detail", "identity"):
        assert metrics[name] == pytest.approx(metrics[f"{name}-images"])


def test_one_picture_a_subject():
    """The median in place of all images has no shadow, and gives everyone away by the label."""
    metrics = run(faces(), median_picture).metrics
    assert metrics["asymmetry"] == pytest.approx(metrics["asymmetry-median"])
    assert metrics["lift"] > 4  # a shadow is darker than a quarter of the median
    assert metrics["shadow-error"] == pytest.approx(0, abs=1e-5)
    assert metrics["spread"] == pytest.approx(0, abs=1e-5)
    assert metrics["detail"] == pytest.approx(1)
    assert metrics["identity"] == 1 > metrics["identity-images"]


def test_black_is_no_way_out():
    """L = 0 scores worse than the images where there is shadow, and nobody is recognised."""
    metrics = run(faces(), np.zeros_like).metrics
    assert metrics["shadow-error"] > metrics["shadow-error-images"]
    for name in ("lift", "detail", "identity", "spread"):
        assert metrics[name] == 0


def test_subjects_without_shadow_are_left_out():
    """Where no pixel is dark a subject has no lift, and the mean is that of the others."""
    data = faces()
    data.X[data.y == 6] = np.random.default_rng(0).uniform(0.5, 1.0, (9, 24))
    outcome = run(data, median_picture)
    lift = outcome.arrays["subjects"]["lift"]
    np.testing.assert_array_equal(np.isnan(lift), [False, True, False])
    assert outcome.metrics["lift"] == pytest.approx(lift[[0, 2]].mean())
    data.X[:] = np.tile(data.X[data.y == 6], (3, 1))
    assert not {"lift", "shadow-error"} & set(run(data, median_picture).metrics)


def test_each_subject_has_a_fit():
    """The solver sees the images of one subject at a time, and numbers are by subject."""
    data, solver = faces(), Given(median_picture)
    outcome = lighting(data, solver, np.random.default_rng(0), n_components=2)
    for label, images in zip((5, 6, 7), solver.fits_, strict=True):
        np.testing.assert_array_equal(images, data.X[data.y == label])
    subjects = outcome.arrays["subjects"]
    np.testing.assert_array_equal(subjects["subject"], [5, 6, 7])
    for k, X in enumerate(solver.fits_):
        expected = numbers_of_subject(X, median_picture(X), SHAPE)
        assert {name: subjects[k][name] for name in expected} == pytest.approx(expected)
    assert outcome.metrics["detail-images"] == pytest.approx(subjects["detail-images"].mean())
    assert outcome.fit["n_iter"] == 0
    assert outcome.fit["seconds"] > 0


def test_subjects_may_be_drawn():
    """Rivals of a repeat have the same subjects; more than there are is an error."""
    data = faces(subjects=8)
    drawn = [
        run(data, part, seed, n_classes=3).arrays["subjects"]["subject"].tolist()
        for part, seed in ((np.copy, 0), (median_picture, 0), (np.copy, 1))
    ]
    assert drawn[0] == drawn[1] != drawn[2]
    assert sorted(set(drawn[0])) == drawn[0]
    with pytest.raises(ValueError, match="n_classes is 9, but the data have 8"):
        run(data, np.copy, n_classes=9)


def test_identity_is_that_of_the_nearest_neighbour():
    """Probes go to scikit-learn's nearest neighbour by cosine among the gallery."""
    data = faces(seed=3)
    found = run(data, lambda X: X**2, seed=4, gallery=2).arrays["subjects"]
    rng, shares = np.random.default_rng(4), {"identity": [], "identity-images": []}
    for _ in range(10):
        known = draw_per_class(data.y, 2, rng)
        probes = np.setdiff1d(np.arange(27), known)
        for name, images in (("identity", data.X**2), ("identity-images", data.X)):
            model = KNeighborsClassifier(1, metric="cosine").fit(images[known], data.y[known])
            right = model.predict(images[probes]) == data.y[probes]
            shares[name].append([right[data.y[probes] == label].mean() for label in (5, 6, 7)])
    for name, values in shares.items():
        np.testing.assert_allclose(found[name], np.mean(values, axis=0))


def test_pictures_go_from_dark_to_bright():
    """Six images of up to four subjects, with L and |X - L| clipped to eight bits."""
    data = faces(subjects=5)
    arrays = run(data, lambda X: 2 * X - 0.5).arrays
    np.testing.assert_array_equal(arrays["shown"], [5, 6, 7, 8])
    images = arrays["images"]
    assert images.shape == arrays["low-rank"].shape == (4, 6, 24)
    assert images.dtype == np.uint8
    brightness = images.mean(axis=2)
    assert (np.diff(brightness, axis=1) >= -0.5).all()
    means = 255 * data.X[data.y == 6].mean(axis=1)
    assert brightness[1, [0, -1]] == pytest.approx([means.min(), means.max()], abs=0.5)
    given = images / 255
    for name, part in (("low-rank", 2 * given - 0.5), ("residuals", np.abs(given - 0.5))):
        np.testing.assert_allclose(arrays[name] / 255, np.clip(part, 0, 1), atol=0.01)


def test_classes_from_outside():
    """A class without a low-rank part is asked for what its representation stands for."""
    data = faces()
    outcome = lighting(data, Guest(PCA), np.random.default_rng(0), n_components=3)
    expected = []
    for label in (5, 6, 7):
        X = data.X[data.y == label]
        model = PCA(3).fit(X)
        L = model.inverse_transform(model.transform(X))
        expected.append(numbers_of_subject(X, L, SHAPE))
    for name in ("shadow-error", "detail", "spread"):
        mean = np.mean([numbers[name] for numbers in expected])
        assert outcome.metrics[name] == pytest.approx(mean, rel=1e-3)


def test_one_component_is_one_picture():
    """At rank 1 all low-rank parts of a subject are multiples of one picture."""
    options = {"n_components": 1, "n_classes": 4}
    trial = Trial("lighting", "yaleb", "mahnmf-rri", options=options, stand_in=True)
    outcome = perform(trial)
    assert outcome.metrics["identity"] > 0.99 > outcome.metrics["identity-images"]
    for parts in outcome.arrays["low-rank"]:
        bright = parts[parts.max(axis=1) > 100].astype(float)
        cosines = np.corrcoef(bright[:, (bright < 255).all(axis=0)])
        assert cosines.min() > 0.99


def test_a_full_basis_recognises_as_the_images_do():
    """With as many components as pixels, low-rank parts are the images: so are their neighbours."""
    data, rng = faces(each=20), np.random.default_rng(0)
    solver = make_solver("pca")
    base = factorization(data, solver, rng, n_components=24, train_per_class=12)
    outcome = identity(data, solver, rng, base)
    train, test = base.arrays["train"], base.arrays["test"]
    model = KNeighborsClassifier(1, metric="cosine").fit(data.X[train], data.y[train])
    expected = model.score(data.X[test], data.y[test])
    assert outcome.metrics == pytest.approx({"accuracy": expected, "accuracy-images": expected})
    assert 1 / 3 < expected < 1


def test_one_component_for_all_recognises_nobody():
    """With one component, all low-rank parts point the same way, and all are taken for one."""
    data, rng = faces(each=20), np.random.default_rng(0)
    solver = make_solver("hals")
    base = factorization(data, solver, rng, n_components=1, train_per_class=12)
    assert identity(data, solver, rng, base).metrics["accuracy"] < 0.6
    base = factorization(data, solver, rng, n_components=1)
    with pytest.raises(ValueError, match="there is no test sample"):
        identity(data, solver, rng, base)
