"""Scores of detectors against scikit-learn, brute force and hand counts."""

from itertools import product

import numpy as np
import pytest
from sklearn.metrics import auc, f1_score, precision_score, recall_score, roc_auc_score, roc_curve

from nmfbench.metrics.background import background_errors, expected_background
from nmfbench.metrics.detection import (
    best_threshold,
    change_detection,
    confusion,
    counts_by_group,
    otsu,
    partial_area,
    partial_areas,
    pooled_rates,
    resampled_rates,
    short_thresholds,
)


def tied(seed, n=60):
    """Truth and scores with many ties, some of them between both kinds."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    truth[:2] = True, False
    return truth, rng.integers(8, size=n) / 8 + 0.25 * truth


def pair_area(truth, scores):
    """Probability that a random positive scores above a random negative, ties counting half."""
    pairs = list(product(scores[truth], scores[~truth]))
    return np.mean([1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs])


def area_by_slices(truth, scores, limit, slices=20_000):
    """Mean height of the polygon through the points of all thresholds, counted one by one."""
    points = [(0.0, 0.0)]
    for threshold in sorted(set(scores), reverse=True):
        found = scores >= threshold
        points.append((np.mean(found[~truth]), np.mean(found[truth])))
    middles = (np.arange(slices) + 0.5) * limit / slices
    heights = []
    for x in middles:
        k = next(k for k, point in enumerate(points) if point[0] > x)
        (x0, y0), (x1, y1) = points[k - 1], points[k]
        heights.append(y0 + (y1 - y0) * (x - x0) / (x1 - x0))
    return np.mean(heights)


@pytest.mark.parametrize("seed", range(5))
def test_areas_are_those_of_pairs_and_of_the_polygon(seed):
    """The whole area is the share of pairs in order, a partial one that below the polygon."""
    truth, scores = tied(seed)
    fpr, tpr, _ = roc_curve(truth, scores)
    assert partial_area(fpr, tpr) == pytest.approx(pair_area(truth, scores))
    assert partial_area(fpr, tpr) == pytest.approx(roc_auc_score(truth, scores))
    for limit in (0.15, 0.2, 0.5):
        expected = area_by_slices(truth, scores, limit, slices=2000)
        assert partial_area(fpr, tpr, limit) == pytest.approx(expected, abs=1e-3)


def test_a_partial_area_ends_between_two_points():
    """At the limit the curve is straight: the last slice is a trapezium."""
    # From (0, 0) up to (0, 1/2), then straight to (1, 1).
    assert partial_area([0, 0, 1], [0, 0.5, 1], 0.2) == pytest.approx((0.5 + 0.6) / 2)
    # A limit at a point takes the point's upper end, and nothing of what lies beyond.
    assert partial_area([0, 0.2, 0.2, 1], [0, 0.4, 0.9, 1], 0.2) == pytest.approx(0.2)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_threshold_is_the_best_of_all(seed):
    """No score as threshold gives a larger F-measure; of equals the highest counts."""
    truth, scores = tied(seed)
    f = {t: f1_score(truth, scores >= t) for t in sorted(set(scores), reverse=True)}
    threshold, found = best_threshold(
        *roc_curve(truth, scores, drop_intermediate=False), truth.mean()
    )
    assert found == pytest.approx(max(f.values()))
    assert threshold == next(t for t, value in f.items() if value == pytest.approx(found))


@pytest.mark.parametrize("seed", range(3))
def test_changedetection_metrics_are_those_of_scikit_learn(seed):
    """Recall, precision and F by scikit-learn, the others from their definitions."""
    truth, scores = tied(seed)
    detected = scores > 0.6
    found = change_detection(confusion(truth, detected))
    wrong = truth != detected
    assert found == {
        "recall": pytest.approx(recall_score(truth, detected)),
        "specificity": pytest.approx(recall_score(~truth, ~detected)),
        "fpr": pytest.approx(detected[~truth].mean()),
        "fnr": pytest.approx(wrong[truth].mean()),
        "pwc": pytest.approx(100 * wrong.mean()),
        "precision": pytest.approx(precision_score(truth, detected)),
        "f": pytest.approx(f1_score(truth, detected)),
    }
    nothing = change_detection(confusion(truth, np.zeros(len(truth), dtype=bool)))
    assert (nothing["precision"], nothing["recall"], nothing["f"]) == (0, 0, 0)


@pytest.mark.parametrize("seed", range(5))
def test_otsu_by_search_over_all_cuts(seed):
    """The threshold has the smallest variance within groups, by a loop; no other is as good."""
    values = np.round(np.random.default_rng(seed).gamma(0.5, size=(6, 9)), 2)

    def within(t):
        groups = values[values <= t], values[values > t]
        return sum(len(group) * np.var(group) for group in groups)

    best = min(np.unique(values)[:-1], key=within)
    assert otsu(values) == best
    assert otsu(values.astype(np.float32)) == np.float32(best)
    assert otsu(np.full(4, 0.3)) == 0.3


def grouped(seed, n_groups=6, n=400):
    """Groups of unequal size with continuous scores."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.2
    return truth, rng.random(n) + 0.6 * truth, np.sort(rng.integers(n_groups, size=n))


def test_counts_by_group_by_loops():
    """Alarms and hits agree with loops over groups and thresholds, ties included."""
    truth, scores = tied(3)
    groups = np.arange(len(truth)) % 4
    thresholds = np.unique(scores)[::-2]
    alarms, hits = counts_by_group(truth, scores, groups, thresholds)
    for g, (k, threshold) in product(range(4), enumerate(thresholds)):
        found = (groups == g) & (scores >= threshold)
        assert (alarms[g, k], hits[g, k]) == (np.sum(found & ~truth), np.sum(found & truth))


def test_counts_at_all_thresholds_make_the_whole_curve():
    """Pooled counts of all groups, or of some, give scikit-learn's curve for the same groups."""
    truth, scores, groups = grouped(0)
    fpr, tpr, thresholds = roc_curve(truth, scores, drop_intermediate=False)
    counts = counts_by_group(truth, scores, groups, thresholds[1:])
    np.testing.assert_allclose(pooled_rates(*counts), (fpr, tpr))
    some = np.isin(groups, [1, 4, 5])
    rates = pooled_rates(*counts, weights=[0, 1, 0, 0, 1, 1])
    assert partial_area(*rates, 0.2) == pytest.approx(
        partial_area(*roc_curve(truth[some], scores[some])[:2], 0.2)
    )
    with pytest.raises(ValueError, match="elements of both kinds"):
        pooled_rates(counts[0], np.zeros_like(counts[1]))


def test_few_thresholds_make_nearly_the_whole_curve():
    """A short curve has nearly the same areas, ends at (1, 1), and keeps large ties straight."""
    rng = np.random.default_rng(0)
    truth = rng.random(20_000) < 0.1
    scores = np.maximum(rng.normal(1.5 * truth), 0)  # half of the negatives tie at zero
    fpr, tpr, thresholds = roc_curve(truth, scores, drop_intermediate=False)
    short = short_thresholds(fpr, thresholds)
    assert len(short) <= 200
    assert (np.diff(short) < 0).all()
    rates = pooled_rates(*counts_by_group(truth, scores, np.zeros(len(truth), int), short))
    assert (rates[0][-1], rates[1][-1]) == (1, 1)
    for limit in (0.05, 0.15, 0.2, 1):
        expected = partial_area(fpr, tpr, limit)
        assert partial_area(*rates, limit) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("limit", [0.05, 0.2, 1.0])
def test_areas_of_many_curves_are_those_of_each(limit):
    """Curves with steps, with ties across the limit, and with points on it."""
    fpr = np.array([[0, 0, 0.2, 0.2, 1], [0, 0, 0, 0.9, 1], [0, 0.05, 0.1, 0.6, 1]])
    tpr = np.array([[0, 0.3, 0.5, 0.8, 1], [0, 0.1, 0.6, 0.7, 1], [0, 0.2, 0.2, 1, 1]])
    expected = [partial_area(*curve, limit) for curve in zip(fpr, tpr, strict=True)]
    np.testing.assert_allclose(partial_areas(fpr, tpr, limit), expected)


def test_resampled_curves_are_a_paired_bootstrap():
    """Draws repeat groups, and equal random numbers draw equal groups for two detectors."""
    truth, scores, groups = grouped(1)
    other = scores + np.random.default_rng(5).random(len(scores))
    areas = []
    for found in (scores, other):
        counts = counts_by_group(truth, found, groups, np.unique(found)[::-1])
        rates = resampled_rates(*counts, np.random.default_rng(7), n_draws=50)
        areas.append(partial_areas(*rates, 0.2))
    rng = np.random.default_rng(7)
    for k in range(50):
        drawn = np.concatenate([np.flatnonzero(groups == g) for g in rng.integers(6, size=6)])
        for found, area in zip((scores, other), areas, strict=True):
            fpr, tpr, _ = roc_curve(truth[drawn], found[drawn])
            inside = np.append(fpr[fpr <= 0.2], 0.2)
            heights = np.append(tpr[fpr <= 0.2], np.interp(0.2, fpr, tpr))
            assert area[k] == pytest.approx(auc(inside, heights) / 0.2)


def test_draws_without_foreground_are_repeated():
    """Where a single group has something to be found, every draw that counts has it."""
    alarms = np.array([[1, 4], [0, 4]])
    hits = np.array([[2, 3], [0, 0]])
    rates = resampled_rates(alarms, hits, np.random.default_rng(0), 20)
    assert np.isfinite(rates).all()
    assert np.shape(rates) == (2, 20, 3)


def test_the_background_is_expected_where_it_is_seen_often():
    """The mean is over background alone: no shadow, nothing unknown; five frames at least."""
    X = np.arange(21, dtype=np.float32).reshape(7, 3)
    masks = np.zeros((7, 3), dtype=np.uint8)
    masks[:2, 1] = 50, 170
    masks[2:5, 2] = 255
    expected = expected_background(X, masks)
    assert expected.dtype == np.float32
    np.testing.assert_allclose(expected, [9.0, np.mean([7, 10, 13, 16, 19]), np.nan])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_errors_of_exactly_20_grey_levels_are_not_counted(dtype):
    """Pairs of whole levels count if they are 21 or more apart, however numbers round."""
    X, L = (levels.ravel()[None] for levels in np.mgrid[:256, :256])
    expected = np.mean([abs(int(a) - int(b)) > 20 for a, b in zip(X[0], L[0], strict=True)])
    found = background_errors(*((levels / 255).astype(dtype) for levels in (X, L)), 0 * X, np.nan)
    assert found["peps"] == expected


def test_background_errors_by_hand():
    """Background is compared with the frame, foreground with the expected background."""
    X = np.array([[0.5, 0.5, 1.0, 0.5], [0.5, 0.5, 0.5, 0.5]])
    masks = np.array([[0, 50, 255, 255], [0, 0, 170, 0]], dtype=np.uint8)
    L = np.array([0.5, 0.6, 0.9, 0.55])
    expected = np.array([0.5, 0.5, 0.5, np.nan])
    found = background_errors(X, L, masks, expected)
    # Seen: |0|, |0| of the first pixel, |0.1| of the second, |0.05| of the fourth.
    assert found["age"] == pytest.approx(255 * 0.15 / 4)
    assert found["peps"] == 0.25  # 0.1 is above 20/255, 0.05 is not
    assert found["age-fg"] == pytest.approx(255 * 0.4)
    assert found["peps-fg"] == 1.0
    assert set(background_errors(X, L, masks, np.nan)) == {"age", "peps"}
    assert background_errors(X, L, np.full((2, 4), 170), expected) == {}
