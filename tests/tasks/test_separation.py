"""The task separation, on clips so small that everything can be counted."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator
from scipy.ndimage import median_filter
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.metrics import auc, f1_score, roc_auc_score, roc_curve
from sklearn.utils import Bunch

from nmfbench.core import registry
from nmfbench.datasets.base import load_dataset
from nmfbench.engine.perform import perform
from nmfbench.guests.adapter import Guest
from nmfbench.metrics.detection import partial_area, pooled_rates
from nmfbench.problems.problem import problems_of
from nmfbench.solvers import make_solver
from nmfbench.tasks.separation import chooses_samples, light_gain, separation, spread
from nmfbench.trials.trial import Trial

SHAPE = 5, 4


class Given(BaseEstimator):
    """An estimator whose background is given: a function of the frames."""

    def __init__(self, background=None, n_components=1):
        self.background, self.n_components = background, n_components

    def fit_transform(self, X):
        self.given_ = X
        self.low_rank_ = self.background(X)
        self.sparse_ = np.where(X > 0.9, X - self.low_rank_, 0)
        self.components_ = X[: self.n_components]
        return np.ones((len(X), self.n_components))

    def fit(self, X):
        self.fit_transform(X)
        return self


def black(X):
    return np.zeros_like(X)


def coarse_clip(seed=0, n=12):
    """A clip of 5 x 4 pixels in a few grey levels, so that scores tie, with all codes of masks."""
    rng = np.random.default_rng(seed)
    masks = rng.choice([0, 50, 170, 255], p=[0.5, 0.1, 0.15, 0.25], size=(n, 20)).astype(np.uint8)
    X = (rng.integers(4, size=(n, 20)) + (masks == 255)) / 8
    return Bunch(X=X, image_shape=SHAPE, masks=masks, gt_frames=np.arange(n))


def run(data, solver, seed=0, **options):
    return separation(data, solver, np.random.default_rng(seed), **options)


def area(truth, scores, limit):
    fpr, tpr, _ = roc_curve(truth, scores)
    x = np.append(fpr[fpr <= limit], limit)
    return auc(x, np.append(tpr[fpr <= limit], np.interp(limit, fpr, tpr))) / limit


@pytest.mark.parametrize("seed", range(4))
def test_scores_are_those_of_scikit_learn_on_the_known_pixels(seed):
    """With a black background the grey level is the score; code 170 is left out, 50 is none."""
    data = coarse_clip(seed)
    metrics = run(data, Given(black)).metrics
    known = data.masks != 170
    truth, scores = (data.masks == 255)[known], data.X[known].astype(np.float32)
    assert metrics["auc"] == pytest.approx(roc_auc_score(truth, scores))
    for limit in (0.15, 0.2):
        assert metrics[f"pauc@{limit}"] == pytest.approx(area(truth, scores, limit))
    fpr, tpr, _ = roc_curve(truth, scores)
    assert metrics["tpr@0.05"] == pytest.approx(np.interp(0.05, fpr, tpr))
    assert metrics["f-best"] == pytest.approx(
        max(f1_score(truth, scores >= t) for t in np.unique(scores))
    )
    rule = 2.5 * 1.4826 * np.median(data.X.astype(np.float32))
    assert metrics["threshold-rule"] == pytest.approx(rule)
    assert metrics["f-rule"] == pytest.approx(f1_score(truth, scores > rule, zero_division=0))
    each = [
        roc_auc_score(mask[mask != 170] == 255, frame[mask != 170])
        for mask, frame in zip(data.masks, data.X, strict=True)
    ]
    assert metrics["auc-macro"] == pytest.approx(np.mean(each))


@pytest.mark.parametrize("seed", range(4))
def test_honest_thresholds_come_from_the_other_frames(seed):
    """Each half of the frames is cut where the other half has its best F-measure."""
    data = coarse_clip(seed)
    metrics = run(data, Given(black)).metrics
    known = data.masks != 170
    truth, scores = data.masks == 255, data.X.astype(np.float32)
    detected = np.zeros_like(truth)
    for half in (0, 1):
        own, other = np.zeros_like(known), np.zeros_like(known)
        own[half::2], other[1 - half :: 2] = known[half::2], known[1 - half :: 2]
        levels = sorted(np.unique(scores[other]), reverse=True)
        best = max(levels, key=lambda t: f1_score(truth[other], scores[other] >= t))
        detected[own] = scores[own] >= best
        name = ("odd", "even")[half]
        expected = area(truth[own], scores[own], 0.2)
        assert metrics[f"pauc-{name}@0.2"] == pytest.approx(expected)
    assert metrics["f-honest"] == pytest.approx(f1_score(truth[known], detected[known]))
    assert metrics["pwc"] == pytest.approx(100 * np.mean(truth[known] != detected[known]))


def test_counts_of_frames_make_the_curve():
    """The arrays are enough for the ROC curve of all scored frames, and of some."""
    data = coarse_clip()
    outcome = run(data, Given(black), n_scored=6)
    rows, alarms, hits = (outcome.arrays[name] for name in ("scored", "alarms", "hits"))
    np.testing.assert_array_equal(rows, [0, 2, 4, 7, 9, 11])
    found = partial_area(*pooled_rates(alarms, hits), 0.2)
    assert found == pytest.approx(outcome.metrics["pauc@0.2"])
    odd = pooled_rates(alarms, hits, [1, 0, 1, 0, 1, 0])
    assert partial_area(*odd, 0.2) == pytest.approx(outcome.metrics["pauc-odd@0.2"])


def constant(X):
    return np.full_like(X, 0.5)


def test_the_two_trivial_extremes():
    """L = X finds nothing and loses nothing; a constant keeps no foreground and no background."""
    clip = load_dataset("moving-square", rng=0)
    copied = run(clip, Given(np.copy)).metrics
    assert copied["auc"] == pytest.approx(0.5)  # all scores tie: a straight line
    assert copied["pauc@0.2"] == pytest.approx(0.1)
    assert (copied["age"], copied["peps"], copied["f-rule"], copied["f-otsu"]) == (0, 0, 0, 0)
    assert copied["threshold-rule"] == pytest.approx(2 / 255)
    assert copied["age-fg"] > 0.1 * 255
    flat = run(clip, Given(constant)).metrics
    seen = clip.masks == 0
    assert flat["age"] == pytest.approx(255 * np.abs(clip.X - 0.5)[seen].mean(), rel=1e-4)
    assert flat["age-fg"] > 0.05 * 255
    # The truth is better than both, in each of the three.
    true = run(clip, Given(lambda X: np.tile(clip.background[: X.shape[1]], (len(X), 1)))).metrics
    assert true["auc"] > 0.99 > flat["auc"]
    assert true["age"] < flat["age"]
    assert true["age-fg"] < min(flat["age-fg"], copied["age-fg"]) / 5


def test_the_temporal_mean_stands_beside_every_solver():
    """Metrics with -mean take the mean of the frames as background."""
    data = coarse_clip()
    tiled = run(data, Given(lambda X: np.tile(X.mean(axis=0), (len(X), 1)))).metrics
    other = run(data, Given(black)).metrics
    names = [name for name in other if name.endswith("-mean")]
    assert {"pauc@0.2-mean", "f-rule-mean", "age-mean", "age-fg-mean"} <= set(names)
    for name in names:
        assert other[name] == pytest.approx(tiled[name.removesuffix("-mean")], abs=1e-6), name


def test_expected_backgrounds_are_means_over_background():
    """AGE_fg compares the background found with the mean of the pixel where the mask is 0."""
    data = coarse_clip(n=15)
    metrics = run(data, Given(black)).metrics
    errors = []
    for x, mask in zip(data.X.T, data.masks.T, strict=True):
        if np.sum(mask == 0) >= 5:
            errors += [x[mask == 0].mean()] * int(np.sum(mask == 255))
    assert metrics["age-fg"] == pytest.approx(255 * np.mean(errors), rel=1e-5)


def test_masked_frames_are_used_besides():
    """Where few frames have masks, these are used and scored, whatever the spacing."""
    data = coarse_clip(n=30)
    data.gt_frames, data.masks = np.array([4, 17]), data.masks[[4, 17]]
    solver = Given(black)
    outcome = run(data, solver, n_frames=5)
    rows = [0, 4, 7, 14, 17, 22, 29]
    np.testing.assert_array_equal(solver.given_, data.X[rows].astype(np.float32))
    np.testing.assert_array_equal(outcome.arrays["scored"], [4, 17])
    assert "age" in outcome.metrics
    assert "age-fg" not in outcome.metrics  # no pixel is seen in five of them


def test_a_single_mask_has_no_honest_choice():
    """One scored frame has a curve and a rule, but no halves and no expected background."""
    data = coarse_clip()
    data.gt_frames, data.masks = np.array([3]), data.masks[[3]]
    metrics = run(data, Given(black), light_switch=True).metrics
    assert {"auc", "pauc@0.2", "f-rule", "age"} <= set(metrics)
    assert not {"f-honest", "pauc-odd@0.2", "recall", "age-fg"} & set(metrics)


def test_without_masks_there_are_pictures_only():
    """A clip without masks has thresholds and images, and no score."""
    data = coarse_clip(n=9)
    data.masks = data.gt_frames = None
    outcome = run(data, Given(lambda X: X / 2))
    assert "auc" not in outcome.metrics
    assert outcome.metrics["shown-rule"] == 0
    assert "masks" not in outcome.arrays
    shown = outcome.arrays["shown"]
    assert {3, 6} <= set(shown) <= set(range(9))
    for name, share in (("frames", 1), ("backgrounds", 0.5), ("scores", 0.5)):
        image = outcome.arrays[name]
        assert image.dtype == np.uint8
        assert image.shape[1:] == SHAPE
        pixels = image.reshape(len(shown), -1)
        np.testing.assert_allclose(pixels, 255 * share * data.X[shown], atol=0.51)


def test_no_foreground_is_an_error():
    """A ROC curve of nothing to be found is no number."""
    data = coarse_clip()
    data.masks[:] = 0
    with pytest.raises(ValueError, match="must have foreground"):
        run(data, Given(black))


def test_the_picture_of_most_motion_is_shown():
    """Beside the frames at one and two thirds there is that with most foreground by the median."""
    data = coarse_clip(n=12)
    data.X = np.full((12, 20), 0.5)
    data.X[10, :9] = 1.0
    np.testing.assert_array_equal(run(data, Given(black)).arrays["shown"], [4, 8, 10])


def test_wide_images_are_thinned():
    """Of frames wider than 200 pixels every third pixel is kept, say, in both directions."""
    frames = np.random.default_rng(0).random((4, 100, 450))
    data = Bunch(X=frames.reshape(4, -1), image_shape=(100, 450), masks=None)
    outcome = run(data, Given(black), n_shown=4)
    expected = np.rint(255 * frames[:, ::3, ::3].astype(np.float32)).astype(np.uint8)
    np.testing.assert_array_equal(outcome.arrays["frames"], expected)
    assert outcome.arrays["scores"].shape == (4, 34, 150)


def test_more_frames_may_be_shown():
    """n_shown frames are evenly spaced among the scored ones, with their masks."""
    data = coarse_clip(n=30)
    plain, outcome = (run(data, Given(black), n_scored=10, n_shown=n) for n in (None, 4))
    assert outcome.metrics == plain.metrics
    shown = outcome.arrays["shown"]
    np.testing.assert_array_equal(shown, outcome.arrays["scored"][[0, 3, 6, 9]])
    np.testing.assert_array_equal(outcome.arrays["masks"].reshape(4, -1), data.masks[shown])
    data.masks = data.gt_frames = None
    unmasked = run(data, Given(black), n_shown=3).arrays
    np.testing.assert_array_equal(unmasked["shown"], [0, 14, 29])


def test_scores_may_be_filtered_or_the_solvers_own():
    """post filters each frame's scores by itself; score="own" takes the sparse part."""
    data = coarse_clip()
    scores = data.X.astype(np.float32)
    known = data.masks != 170
    truth = (data.masks == 255)[known]
    filtered = np.array([median_filter(s.reshape(SHAPE), size=3).ravel() for s in scores])
    found = run(data, Given(black), post="median3").metrics["auc"]
    assert found == pytest.approx(roc_auc_score(truth, filtered[known]))
    data.X[0, 0] = 1.0
    own = np.where(data.X > 0.9, data.X, 0)
    found = run(data, Given(black), score="own").metrics["auc"]
    assert found == pytest.approx(roc_auc_score(truth, own[known]))
    for option in ("score", "post"):
        with pytest.raises(ValueError, match=f"{option} must be"):
            run(data, Given(black), **{option: "other"})


def test_double_precision_reaches_a_small_tolerance():
    """In single precision Robust PCA stops at 20 roundings, in double where it is asked to."""
    clip = load_dataset("moving-square", rng=0)
    left = {}
    for dtype in ("float32", "float64"):
        solver = make_solver("rpca-ialm", tol=1e-7)
        run(clip, solver, dtype=dtype)
        assert solver.low_rank_.dtype == dtype
        away = clip.X.astype(dtype) - solver.low_rank_ - solver.sparse_
        left[dtype] = np.linalg.norm(away) / np.linalg.norm(clip.X)
    assert left["float64"] < 1.1e-7 < left["float32"]


def test_the_light_is_switched_off_and_on():
    """The middle third is dimmed smoothly, in steps of 1/255; masks and backgrounds follow."""
    clip = load_dataset("moving-square", rng=0, noise=0)
    solver = Given(black)
    metrics = run(clip, solver, seed=3, light_switch=True).metrics
    gain = light_gain(clip.image_shape, np.random.default_rng(3))
    dimmed = solver.given_[14:27]
    np.testing.assert_array_equal(solver.given_[:14], clip.X[:14].astype(np.float32))
    np.testing.assert_array_equal(solver.given_[27:], clip.X[27:].astype(np.float32))
    np.testing.assert_allclose(dimmed, clip.X[14:27] * gain, atol=0.51 / 255)
    np.testing.assert_allclose(255 * dimmed, np.rint(255 * dimmed), atol=1e-4)
    expected = np.tile(clip.background, (40, 1))
    expected[14:27] *= gain
    assert metrics["age-fg"] == pytest.approx(255 * expected[clip.masks == 255].mean(), rel=1e-4)


def test_the_gain_is_bilinear_between_sixteen_numbers():
    """The corners of a grid of 4 x 4 are uniform in [0.5, 0.8]; between them it is bilinear."""
    corners = 0.5 + 0.3 * np.random.default_rng(8).random((4, 4))
    image = light_gain((24, 32), np.random.default_rng(8)).reshape(24, 32)
    places = np.linspace(0, 1, 4)
    between = RegularGridInterpolator((places, places), corners)
    at = np.stack(np.meshgrid(np.linspace(0, 1, 24), np.linspace(0, 1, 32), indexing="ij"), -1)
    np.testing.assert_allclose(image, between(at), atol=1e-6)


def test_frames_may_be_drawn():
    """One frame of each stretch; solvers of one repeat get the same ones."""
    rows = spread(100, 10, np.random.default_rng(0))
    np.testing.assert_array_equal(rows // 10, np.arange(10))
    assert len(np.unique(rows % 10)) > 3
    data = coarse_clip(n=40)
    first, again, other = Given(black), Given(black), Given(black)
    scored = [
        run(data, solver, seed, n_frames=30, n_scored=8, draw=True).arrays["scored"]
        for solver, seed in ((first, 1), (again, 1), (other, 2))
    ]
    np.testing.assert_array_equal(first.given_, again.given_)
    np.testing.assert_array_equal(scored[0], scored[1])
    assert (first.given_ != other.given_).any()
    assert len(scored[0]) == len(np.unique(scored[0])) == 8


def separable_clip(seed=0):
    """Two pixels whose time series generate all others, one of them bright."""
    rng = np.random.default_rng(seed)
    series = np.array([np.linspace(0.2, 0.9, 12), np.linspace(0.8, 0.1, 12)])
    shares = rng.dirichlet([1, 1], size=20)
    shares[[6, 13]] = np.eye(2)
    data = coarse_clip(seed)
    data.X = (shares @ series).T
    return data


@pytest.mark.parametrize("key", ["spa", "xray-l2", "robust-xray"])
def test_separable_solvers_choose_pixels(key):
    """Anchors are the two pixels that generate the clip, whose background is then the clip."""
    solver = make_solver(key, random_state=0)
    assert chooses_samples(solver)
    metrics = run(separable_clip(), solver, n_components=2).metrics
    assert sorted(solver.anchor_indices_) == [6, 13]
    assert metrics["age"] < 0.01


def test_in_comparisons_solvers_that_choose_pixels_refit_once():
    """Every solver with the parameter has it set to one."""
    (problem, *_) = problems_of("separation", "smoke")
    for key in registry.solvers:
        given = problem.params_of(key).get("refits")
        assert given == (1 if hasattr(make_solver(key), "refits") else None), key


def test_others_see_frames():
    """Components of the others are images, and backgrounds are frames in their order."""
    for key in ("median", "pca", "mahnmf-rri", "godec"):
        assert not chooses_samples(make_solver(key))
    solver = make_solver("pca")
    data = separable_clip()
    run(data, solver, n_components=2)
    assert solver.components_.shape == (2, 20)
    np.testing.assert_allclose(solver.low_rank_, data.X, atol=1e-5)


class Drawer(Given):
    """Draws from the random numbers of the process, as many as there are frames."""

    def fit_transform(self, X):
        self.background = lambda X: np.random.rand(*X.shape).astype(X.dtype)  # noqa: NPY002
        return super().fit_transform(X)


def test_global_random_numbers_are_those_of_the_fit_that_counts():
    """Looking for anchors draws random numbers, and puts the state back."""
    np.random.seed(4)  # noqa: NPY002
    drawn = np.random.rand(12, 20)  # noqa: NPY002
    np.random.seed(4)  # noqa: NPY002
    solver = Drawer()
    run(coarse_clip(), solver)
    np.testing.assert_array_equal(solver.low_rank_, drawn.astype(np.float32))


def test_classes_from_outside():
    """Scikit-learn's PCA is taken as it is: its mean is added, and signs are free."""
    clip = load_dataset("moving-square", rng=0)
    X = clip.X.astype(np.float32)
    model = PCA(2).fit(X)
    residual = np.abs(X - model.inverse_transform(model.transform(X)))[spread(40, 20)]
    found = run(clip, Guest(PCA), n_components=2).metrics["auc"]
    truth = clip.masks[spread(40, 20)] == 255
    assert found == pytest.approx(roc_auc_score(truth.ravel(), residual.ravel()), abs=1e-4)


SOURCE = textwrap.dedent('''
    """Classes of a user's."""
    import numpy as np

    class Brightness:
        """Components alone: the mean frame; weights are found for it."""
        def __init__(self, n_components=1):
            self.n_components = n_components

        def fit(self, X):
            self.components_ = np.tile(X.mean(axis=0), (self.n_components, 1))
            return self

    class Middle:
        """A low-rank part alone."""
        def __init__(self, n_components=1):
            self.n_components = n_components

        def fit(self, X):
            self.low_rank_ = np.tile(np.median(X, axis=0), (len(X), 1))
            return self

    class Pixels:
        """The first samples are the anchors; there is no transform."""
        def __init__(self, n_components=1):
            self.n_components = n_components

        def fit(self, X):
            self.anchor_indices_ = np.arange(self.n_components)
            self.components_ = X[self.anchor_indices_]
            return self
''')


def test_a_class_of_the_users_own(tmp_path):
    """Components are enough, so is a low-rank part; a class with anchors chooses pixels."""
    file = tmp_path / "mine.py"
    file.write_text(SOURCE)
    found = {}
    for name in ("Brightness", "Middle", "Pixels"):
        trial = Trial("separation", "moving-square", f"{file}:{name}")
        found[name] = perform(trial).metrics
    median = perform(Trial("separation", "moving-square", "median")).metrics
    assert found["Middle"] == pytest.approx(median | {"dead-components": 0.0})
    assert 0.9 < found["Brightness"]["auc"] < median["auc"]
    assert 0.5 < found["Pixels"]["auc"] < median["auc"]


def test_the_square_is_where_the_masks_say():
    """Without noise frames are the background but for the square, which never stays long."""
    for seed in range(20):
        clip = load_dataset("moving-square", rng=seed, noise=0)
        moving = clip.masks == 255
        assert (moving.sum(axis=1) == 36).all()
        np.testing.assert_array_equal(clip.X[~moving], np.tile(clip.background, (40, 1))[~moving])
        np.testing.assert_allclose(np.abs(clip.X - clip.background)[moving], 0.2)
        assert moving.mean(axis=0).max() < 0.5
        np.testing.assert_array_equal(np.median(clip.X, axis=0), clip.background)
    first, again, other = (load_dataset("moving-square", rng=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.X, again.X)
    assert (first.X != other.X).any()
    assert 0 <= first.X.min() < first.X.max() <= 1
    for wrong in ({"side": 24}, {"n_frames": 0}, {"noise": -1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            load_dataset("moving-square", rng=0, **wrong)


@pytest.mark.parametrize("profile", ["smoke", "quick", "paper"])
def test_problems_are_clips_and_one_light_switch(profile):
    """One of the problems has the switch; problems of real clips draw their frames."""
    *problems, clock = problems_of("separation", profile)
    assert (clock.timed, clock.label) == (True, problems[-1].label)
    assert sum(bool(p.options.get("light_switch")) for p in problems) == 1
    for problem in problems:
        assert problem.dataset in registry.datasets
        assert problem.options.get("draw", False) is (profile != "smoke")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "params"),
    [
        ("mahnmf-rri", {"n_components": 2}),
        ("mahnmf-hybrid", {"n_components": 2}),
        ("rpca-ialm", {}),
        ("godec", {"n_components": 2, "card": 0.0745}),
        ("robust-xray", {"n_components": 2, "refits": 1}),
        ("robust-nmf-admm", {"n_components": 2}),
        ("robust-lowrank-admm", {"n_components": 2}),
    ],
)
def test_a_clip_of_usual_size_fits_into_memory(key, params):
    """Two hundred frames of 25 000 pixels, with masks and scores, take less than 1.5 GB."""
    code = f"""
import resource
import numpy as np
from nmfbench import make_solver
from nmfbench.datasets.moving_square import moving_square
from nmfbench.tasks.separation import separation
rng = np.random.default_rng(0)
clip = moving_square(rng, n_frames=200, image_shape=(150, 170), side=30)
separation(clip, make_solver({key!r}, **{params!r}), rng)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(run.stdout) * 1024 < 1.5e9
