"""Objects that stand still: the composed clip, the task on it, and where methods break down."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from nmfbench.datasets.base import dataset_available, load_dataset
from nmfbench.papers.mahnmf.studies.loitering import BREAKDOWN, LEFT, MEAN, MEDIAN, F, frame
from nmfbench.solvers import make_solver
from nmfbench.tasks.loitering import loitering, loitering_clip
from nmfbench.tasks.separation import separation


def bright_square(seed=0, **params):
    """A moving square that is brighter than the background anywhere."""
    data = load_dataset("moving-square", rng=seed, **{"noise": 0.02} | params)
    data.X[data.masks == 255] = 0.9
    return data


SQUARE = bright_square()


def composed(share=0.3, seed=0, data=SQUARE, **options):
    return loitering_clip(data, share, np.random.default_rng(seed), **options)


def run(solver, share=0.3, seed=0, data=SQUARE, **options):
    options |= {"share": share}
    return loitering(data, solver, np.random.default_rng(seed), **options).metrics


class Given(BaseEstimator):
    """An estimator whose background is given: a function of the frames."""

    def __init__(self, background=None, n_components=1):
        self.background, self.n_components = background, n_components

    def fit_transform(self, X):
        self.low_rank_ = self.background(X)
        self.components_ = X[: self.n_components]
        return np.ones((len(X), self.n_components))

    def fit(self, X):
        self.fit_transform(X)
        return self


@pytest.mark.parametrize("seed", range(5))
def test_the_object_stands_at_one_place_and_moves_elsewhere(seed):
    """It covers its place in all frames of one stretch, and no pixel of it in any other."""
    clip = composed(seed=seed)
    covered = clip.masks == 255
    at = np.flatnonzero(clip.standing)
    np.testing.assert_array_equal(at, np.arange(at[0], at[0] + 30))
    for frame_ in at:
        np.testing.assert_array_equal(np.flatnonzero(covered[frame_]), clip.place)
    assert not covered[~clip.standing][:, clip.place].any()
    assert (covered.sum(axis=1) == len(clip.place)).all()
    moving = covered[~clip.standing]
    assert len(np.unique(moving, axis=0)) > 20
    assert moving.sum(axis=0).max() < 50


def test_only_the_share_differs_between_shares():
    """Place, way and noise are the same; frames at a lower share are among those at a higher."""
    few, many = composed(0.2), composed(0.7)
    np.testing.assert_array_equal(few.place, many.place)
    assert not (few.standing & ~many.standing).any()
    alike = few.standing == many.standing
    assert 0 < alike.sum() < len(alike)
    np.testing.assert_array_equal(few.X[alike], many.X[alike])
    elsewhere = composed(0.2, seed=1)
    assert not np.array_equal(few.place, elsewhere.place)


def test_background_and_noise_are_those_of_the_clip():
    """Where nothing moves there is the known background with noise of the measured deviation."""
    data = bright_square(n_frames=200, noise=0.03)
    clip = composed(data=data)
    np.testing.assert_allclose(clip.background, data.background, atol=0.02)
    assert clip.noise == pytest.approx(0.03, rel=0.05)
    away = (clip.X - clip.background)[clip.masks == 0]
    assert away.std() == pytest.approx(clip.noise, rel=0.05)
    object_ = clip.X[clip.standing][:, clip.place]
    assert object_.mean() == pytest.approx(0.9, abs=0.005)


def test_the_object_never_stands_where_the_background_is_unknown():
    """A pixel without background takes the nearest one, and is no part of the place."""
    data = load_dataset("moving-square", rng=0)
    image = np.zeros(data.image_shape, dtype=bool)
    image[:, :10] = True
    hidden = np.flatnonzero(image)
    data.masks[:, hidden] = np.where(data.masks[:, hidden] == 255, 255, 170)
    for seed in range(5):
        clip = composed(seed=seed, data=data)
        assert not np.isin(clip.place, hidden).any()
        assert np.isfinite(clip.X).all()
        background = clip.background.reshape(data.image_shape)
        expected = np.repeat(background[:, 10:11], 10, axis=1)
        np.testing.assert_array_equal(background[:, :10], expected)


def test_the_true_background_finds_the_object_and_a_copy_of_the_frames_does_not():
    """The two extremes: nothing of the object in the background, and all of it."""
    clip = composed()
    known = run(Given(lambda X: np.tile(clip.background, (len(X), 1))))
    assert known["age-fg"] == pytest.approx(0, abs=1e-6)
    assert known["recall"] > 0.99
    assert known["f-rule"] > 0.95
    assert known["fpr"] < 0.05
    copied = run(Given(np.copy))
    assert (copied["f-rule"], copied["recall"], copied["age"]) == (0, 0, 0)
    away = np.abs(clip.X - clip.background)[clip.standing][:, clip.place]
    assert copied["age-fg"] == pytest.approx(255 * away.mean(), rel=1e-5)


@pytest.mark.parametrize(("share", "seed"), [(0.2, 0), (0.5, 1), (0.8, 2)])
def test_the_score_by_counting(share, seed):
    """Every number is that of loops over frames and pixels, by the definitions in the docstring."""
    clip = composed(share, seed)
    rng = np.random.default_rng(10 + seed)
    L = clip.background + rng.laplace(0, 0.04, clip.X.shape)
    L[:, clip.place[::2]] += 0.6 * rng.random((len(L), len(clip.place[::2])))
    L = L.astype(np.float32)
    found = run(Given(lambda X: L), share, seed)

    n, m = clip.X.shape
    away = [[abs(float(L[i, j]) - float(clip.X[i, j])) for j in range(m)] for i in range(n)]
    ordered = sorted(error for row in away for error in row)
    middle = (ordered[(n * m - 1) // 2] + ordered[n * m // 2]) / 2
    threshold = max(2 / 255, 2.5 * 1.4826 * middle)

    place = set(np.flatnonzero(clip.masks[np.flatnonzero(clip.standing)[0]] == 255))
    counts = {"hit": 0, "alarm": 0, "miss": 0, "right": 0}
    behind, under = [], []
    for i in range(n):
        for j in range(m):
            if j in place:
                names = ("hit", "miss") if clip.standing[i] else ("alarm", "right")
                counts[names[0] if away[i][j] > threshold else names[1]] += 1
            if clip.masks[i, j] == 0:
                behind.append(away[i][j])
            elif clip.standing[i]:
                under.append(abs(float(L[i, j]) - float(clip.background[j])))
    precision = counts["hit"] / (counts["hit"] + counts["alarm"])
    recall = counts["hit"] / (counts["hit"] + counts["miss"])
    expected = {
        "threshold-rule": threshold,
        "recall": recall,
        "fpr": counts["alarm"] / (counts["alarm"] + counts["right"]),
        "f-rule": 2 * precision * recall / (precision + recall),
        "age": 255 * np.mean(behind),
        "peps": np.mean([error > 20 / 255 for error in behind]),
        "age-fg": 255 * np.mean(under),
        "peps-fg": np.mean([error > 20 / 255 for error in under]),
    }
    assert 0.1 < recall < 1
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-5)


def test_metrics_of_the_temporal_mean_stand_beside():
    """Those with ``-mean`` are what the temporal mean as background gives."""
    beside = run(make_solver("median"))
    own = run(Given(lambda X: np.broadcast_to(X.mean(axis=0), X.shape)))
    for name in ("f-rule", "age", "age-fg", "threshold-rule"):
        assert beside[f"{name}-mean"] == own[name] != beside[name]


def assert_the_median_breaks_down_at_half(data, seed):
    """Its scores at shares below one half and above, and at one half, where it is half-way."""
    low, below, half, above, high = (
        run(make_solver("median"), share, seed, data) for share in (0.1, 0.4, 0.5, 0.6, 0.9)
    )
    assert min(low["f-rule"], below["f-rule"]) > 0.85
    assert max(above["f-rule"], high["f-rule"]) < 0.3
    ends = below["age-fg"], above["age-fg"]
    assert 0.3 < (half["age-fg"] - ends[0]) / (ends[1] - ends[0]) < 0.7


@pytest.mark.parametrize("seed", range(5))
def test_the_median_breaks_down_above_one_half_and_not_below(seed):
    """The median is what most frames show."""
    assert_the_median_breaks_down_at_half(bright_square(seed), seed)


@pytest.mark.skipif(
    not dataset_available("video-hallandmonitor"), reason="third-party data, not on this machine"
)
def test_the_median_breaks_down_above_one_half_on_the_real_clip():
    """The same with an object and a background of the study."""
    assert_the_median_breaks_down_at_half(load_dataset("video-hallandmonitor"), seed=0)


def test_separation_scores_the_clip():
    """The clip has all fields that the task separation looks at."""
    metrics = separation(composed(), make_solver("median"), np.random.default_rng(0)).metrics
    assert metrics["pauc@0.2"] > 0.8


@pytest.mark.parametrize("share", [0, 0.001, 1, -0.5])
def test_a_share_leaves_frames_of_both_kinds(share):
    """An object that never stands, or never moves, is an error that says so."""
    with pytest.raises(ValueError, match=f"stand in some of the 100 frames .*share={share}"):
        composed(share)


def test_a_clip_without_an_object_of_sensible_size_is_an_error():
    """Foreground that an edge cuts off, or that fills the frame, is no silhouette."""
    data = load_dataset("moving-square", rng=0)
    data.masks[:] = 0
    data.masks.reshape(-1, *data.image_shape)[:, :6, :6] = 255
    data.masks.reshape(-1, *data.image_shape)[:, 10:12, 2:30] = 255
    with pytest.raises(ValueError, match="no mask of the clip has an object of sensible size"):
        composed(data=data)


# -- the study --------------------------------------------------------------------------------


def breakdowns(**curves):
    """Breakdown of methods with these F-measures at shares of 0.1, 0.4, 0.6 and 0.9."""
    rows = [
        {"method": method.replace("_", " "), "share": share, "repeat": 0, F: f, LEFT: 1.0}
        | {f"{F}-mean": 0.5, f"{LEFT}-mean": 1.0}
        for method, values in curves.items()
        for share, f in zip((0.1, 0.4, 0.6, 0.9), values, strict=True)
    ]
    return frame(pd.DataFrame(rows)).groupby("method")[BREAKDOWN].first()


def test_breakdown_is_where_half_of_the_first_score_is_lost():
    """It is interpolated; without one it is the last share, and the first if lost from there."""
    found = breakdowns(
        median=(0.8, 0.8, 0.0, 0.0),
        early=(0.8, 0.0, 0.0, 0.0),
        never=(0.6, 0.4, 0.4, 0.31),
        lost=(0.39, 0.39, 0.39, 0.39),
    )
    assert found[MEDIAN] == pytest.approx(0.5)
    assert found["early"] == pytest.approx(0.25)
    assert (found["never"], found["lost"], found[MEAN]) == (0.9, 0.1, 0.9)
