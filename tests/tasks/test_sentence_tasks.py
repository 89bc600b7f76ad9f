"""Tasks behind single sentences of the papers, against simulation, by hand, or exact solutions."""

import numpy as np
import pytest
from sklearn.utils import Bunch

from nmfbench.solvers import make_solver
from nmfbench.tasks.class_contrast import placed_segments
from nmfbench.tasks.completion import completion, visible_means
from nmfbench.tasks.equal_brightness import as_bright_as, equal_brightness
from nmfbench.tasks.factorization import factorization
from nmfbench.tasks.ridge_prediction import error_terms
from nmfbench.tasks.rounds import median_sweeps_to_near, smoothed_rounds
from nmfbench.tasks.shadow_recognition import most_and_least, shadow_recognition, shadow_shares


def test_error_terms_are_those_of_simulated_regressions():
    """Over many draws of the noise the squared error is variance plus squared bias."""
    rng = np.random.default_rng(0)
    W, V = rng.random((12, 3)), rng.random((5, 3))
    f, g = rng.random((12, 1)), rng.random((5, 1))
    variance, bias = error_terms(W, V, f, g, ridge=0.7)
    noisy = f + rng.standard_normal((12, 200_000))
    w = np.linalg.solve(W.T @ W + 0.7 * np.eye(3), W.T @ noisy)
    predicted = V @ w
    assert predicted.var(axis=1).mean() == pytest.approx(variance, rel=0.02)
    assert ((predicted.mean(axis=1) - g[:, 0]) ** 2).mean() == pytest.approx(bias, rel=0.02)


def test_a_heavier_ridge_trades_variance_for_bias():
    """The bias of responses in the span of the codes vanishes with the ridge, not the variance."""
    W = np.random.default_rng(1).random((30, 4))
    f = W @ np.ones((4, 1))
    light, heavy = (error_terms(W, W, f, f, ridge) for ridge in (1e-9, 10.0))
    assert light[1] == pytest.approx(0, abs=1e-12)
    assert light[0] == pytest.approx(4 / 30)  # r/n, the mean leverage
    assert heavy[0] < light[0]
    assert heavy[1] > light[1]


def low_rank(rng, n=30, m=40, r=3):
    return Bunch(X=rng.random((n, r)) @ rng.random((r, m)) / r)


@pytest.mark.parametrize("key", ["rpca-ialm", "godec", "mahnmf-rri", "nenmf"])
def test_hidden_entries_of_a_low_rank_matrix_come_back(key):
    """Every method completes an exactly low-rank matrix better than column means."""
    data = low_rank(np.random.default_rng(0))
    found = completion(
        data, make_solver(key), np.random.default_rng(1), n_components=3, hidden=0.1
    ).metrics
    assert found["hidden-error"] < 0.5 * found["hidden-error-means"]
    if key in ("mahnmf-rri", "nenmf"):
        assert found["negative-share"] == 0


def test_what_is_hidden_is_not_looked_at():
    """The error on hidden entries is of a fit that does not depend on them."""
    rng = np.random.default_rng(0)
    data = low_rank(rng)
    mask = rng.random(data.X.shape) < 0.2
    other = np.where(mask, 99.0, data.X)
    np.testing.assert_allclose(visible_means(data.X, mask), visible_means(other, mask))


def test_shares_of_hidden_entries_are_checked():
    """Nothing is fitted where everything or nothing is hidden."""
    data = low_rank(np.random.default_rng(0))
    for share in (0.0, 1.0):
        with pytest.raises(ValueError, match="hidden"):
            completion(
                data, make_solver("nenmf"), np.random.default_rng(1), n_components=3, hidden=share
            )


def test_placed_segments_have_the_sizes_given_and_are_compact():
    """On a grid the smaller ones are far more compact than with labels at random."""
    rng = np.random.default_rng(0)
    position = np.stack(np.meshgrid(np.arange(20.0), np.arange(20.0)), -1).reshape(-1, 2)
    sizes = [250, 100, 50]

    def spread(labels):
        return sum(
            ((p - p.mean(axis=0)) ** 2).sum() for p in (position[labels == k] for k in (1, 2))
        )

    for _ in range(10):
        labels = placed_segments(position, sizes, rng)
        assert np.bincount(labels).tolist() == sizes
        assert spread(labels) < 0.5 * spread(rng.permutation(labels))


def test_shadow_counts_against_the_person_it_falls_on():
    """The darkest third of each person's images is that in shadow; of two images one is."""
    X = np.ones((6, 8))
    X[0, :4] = X[4, :2] = 0.1
    y = np.array([0, 0, 0, 1, 1, 1])
    shares = shadow_shares(X, y)
    assert shares.tolist() == [0.5, 0, 0, 0, 0.25, 0]
    most, least = most_and_least(shares, y)
    assert most.tolist() == [0, 4]
    assert set(least) <= {1, 2, 3, 5}


def faces(rng, n_people=4, each=6, pixels=30):
    """People with patterns of their own; two images of each have half of their pixels dark."""
    pattern = 0.5 + 0.5 * rng.random((n_people, pixels))
    y = np.repeat(np.arange(n_people), each)
    X = pattern[y] * (1 + 0.01 * rng.random((len(y), pixels)))
    for k in range(n_people):
        for i in (0, 1):
            X[k * each + i, rng.permutation(pixels)[: pixels // 2]] *= 0.05
    return Bunch(X=np.clip(X, 0, 1), y=y, image_shape=(5, 6))


def test_lit_faces_are_recognised_and_shadow_is_measured():
    """Where persons differ by pattern alone all lit images are recognised by a full basis."""
    data = faces(np.random.default_rng(0))
    solver, rng = make_solver("nenmf", max_iter=300), np.random.default_rng(2)
    base = factorization(data, solver, rng, n_components=8, train_per_class=3)
    found = shadow_recognition(data, solver, rng, base).metrics
    assert found["accuracy-images-lit"] == 1.0
    assert found["shadow-share"] > found["shadow-share-lit"]
    by_distance = shadow_recognition(data, solver, rng, base, algorithm=4).metrics
    assert by_distance["accuracy-images-lit"] == 1.0
    assert by_distance["accuracy-lit"] == 1.0
    with pytest.raises(ValueError, match="algorithm must be 4 or 5, got 6"):
        shadow_recognition(data, solver, rng, base, algorithm=6)


def test_a_common_factor_is_no_error():
    """Reconstructions that are darker by any factors, one for each image, have no error left."""
    rng = np.random.default_rng(0)
    X = rng.random((6, 9))
    np.testing.assert_allclose(as_bright_as(X * rng.random((6, 1)), X), X)
    arrays = {
        "train": np.arange(6),
        "test": np.arange(0),
        "W": 0.5 * np.eye(6),
        "codes": np.zeros((0, 6)),
        "components": X,
    }
    base = Bunch(arrays=arrays, fit={}, metrics={})
    found = equal_brightness(Bunch(X=X), None, None, base).metrics
    assert found["scaled-image-error-train"] == pytest.approx(0, abs=1e-12)
    assert found["scaled-mean-error-train"] == pytest.approx(0, abs=1e-12)
    assert found["brightness-train"] == pytest.approx(0.5)
    assert "scaled-image-error-test" not in found


def test_smoothing_that_falls_leaves_a_smaller_gap():
    """With 1/t gap and excess fall along the rounds; with a fixed parameter the gap stays."""
    data = low_rank(np.random.default_rng(0), r=4)

    def run(**params):
        solver = make_solver("mahnmf-ogm", inner_tol=1e-3, **params)
        rng = np.random.default_rng(1)
        return smoothed_rounds(data, solver, rng, n_components=3, rounds=[1, 4, 16]).metrics

    falling, fixed = run(), run(decay=0.0)
    assert falling["gap@1"] == fixed["gap@1"]  # both have the parameter 1 in the first round
    assert falling["gap@1"] > falling["gap@4"] > falling["gap@16"] > 0
    assert falling["gap@16"] < fixed["gap@16"]
    assert all(value >= 0 for name, value in falling.items() if name.startswith("excess"))


def test_sweeps_end_where_none_lowers_the_loss():
    """The losses fall to the last but one, and the first near one is within 2 % of the end."""
    data = low_rank(np.random.default_rng(0), r=6)
    outcome = median_sweeps_to_near(
        data, make_solver("mahnmf-rri"), np.random.default_rng(1), n_components=4
    )
    losses, near = outcome.arrays["losses"], int(outcome.metrics["sweeps-to-near"])
    assert (np.diff(losses[:-1]) < 0).all()
    assert losses[near] <= 1.02 * losses[-1]
    assert near == 1 or losses[near - 1] > 1.02 * losses[-1]
