"""Separation: how well does what a background leaves of a clip show the moving objects?"""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import median_filter, zoom
from sklearn.metrics import roc_curve

from nmfbench.core.randomness import same_global_states
from nmfbench.core.registry import register_task
from nmfbench.core.validation import check_choice
from nmfbench.metrics.background import background_errors, expected_background
from nmfbench.metrics.detection import (
    best_threshold,
    change_detection,
    confusion,
    counts_by_group,
    otsu,
    partial_area,
    short_thresholds,
)
from nmfbench.tasks.base import SCALED, Outcome, low_rank_of, timed_fit

__all__ = [
    "chooses_samples",
    "fit_background",
    "light_gain",
    "rule_threshold",
    "separation",
    "spread",
]

_LIMITS = (0.2, 0.15)  # of false-alarm rates, for partial areas; the first is the score's
_RATES = (0.01, 0.05, 0.1)  # of false alarms, at which hit rates are given
_ACROSS = 200  # pixels of an image that is kept, at most
_UNKNOWN, _FOREGROUND = 170, 255  # codes of masks; others count as background
_DEVIATIONS = 2.5 * 1.4826  # times the median of scores: 2.5 robust deviations


@register_task(
    "separation",
    summary="moving objects of a clip, by the distance of its frames from the background found",
    title="Background and foreground",
    score="pauc@0.2",
    score_name="mean hit rate at false-alarm rates up to 0.2",
    higher_is_better=True,
    precision="float32",
    # Thresholds lie between scores that hardly differ; one iteration more may move them.
    tolerances={
        "pauc*": 0.003,
        "auc*": 0.003,
        "tpr@*": 0.01,
        "f-*": 0.01,
        "recall": 0.02,
        "specificity": 0.01,
        "fpr": 0.01,
        "fnr": 0.02,
        "precision": 0.02,
        "pwc": 1.0,
        "age*": 0.1,
        "peps*": 0.005,
        "threshold-*": 0.01,
        "shown-*": 0.01,
        "dead-components": 1,
    },
    # Two points of rates; of wrong pixels half a per cent, as of pEPs.
    matters={
        "pauc*": 0.02,
        "auc*": 0.02,
        "tpr@*": 0.02,
        "f-*": 0.02,
        "recall": 0.02,
        "specificity": 0.02,
        "precision": 0.02,
        "fpr": 0.02,
        "fnr": 0.02,
        "pwc": 0.5,
        "age*": 0.5,
        "peps*": 0.005,
        "threshold-*": None,
        "shown-*": None,
        "dead-components": None,
    },
    revisions=SCALED,
)
def separation(
    data,
    solver,
    rng,
    *,
    n_components=None,
    n_frames=200,
    n_scored=20,
    draw=False,
    light_switch=False,
    score="residual",
    post=None,
    n_shown=None,
    dtype="float32",
):
    r"""Find backgrounds ``L`` of the frames ``X`` and score :math:`|X - L|` against the masks.

    Frames are samples. A solver whose components are samples gets the transpose, so that it
    chooses pixels, see :func:`chooses_samples`.

    Parameters
    ----------
    data : Bunch
        A clip, see :func:`~nmfbench.datasets.video.load_video`. Without masks nothing is scored.
    solver : estimator
        With ``low_rank_`` once fitted, which then is the background; else ``inverse_transform`` of
        the representation is.
    rng : Generator
        Draws the frames, if ``draw``, and the light.
    n_components : int, optional
        Rank; by default the solver's own.
    n_frames : int, default=200
        Frames used, evenly spaced; all of a shorter clip. Where not every frame has a mask those
        that have one are used besides.
    n_scored : int, default=20
        Frames scored, evenly spaced among the used ones that have a mask.
    draw : bool, default=False
        Draw frames instead, used and scored ones: one from each of as many equal stretches.
    light_switch : bool, default=False
        Dim the middle third of the clip by :func:`light_gain`, in steps of 1/255.
    score : {"residual", "own"}, default="residual"
        ``"own"`` scores by the magnitude of the solver's ``sparse_`` instead.
    post : {"median3"}, optional
        Filter the scores by the median over 3 x 3 pixels.
    n_shown : int, optional
        Frames of which images are kept, evenly spaced among the scored ones, or among all where
        none is scored. By default three: those at one and two thirds, and the one that differs
        most from the temporal median.
    dtype : {"float32", "float64"}, default="float32"
        Precision of frames, fit and scores.

    Returns
    -------
    Outcome
        Metrics, where clip and masks allow:

        - of the ROC curve of all scored frames together: ``auc``; ``pauc@0.2`` and ``pauc@0.15``,
          see :func:`~nmfbench.metrics.detection.partial_area`, with ``-odd`` and ``-even`` of every
          second scored frame; ``tpr@0.01``, ... at false-alarm rates; ``auc-macro`` and
          ``pauc-macro@0.2``, means over frames that have a foreground
        - F-measures by threshold: ``f-best``, the best; ``f-honest``, that of every second scored
          frame at the best threshold of the others; ``f-rule`` and ``f-otsu``, at
          ``threshold-rule`` and ``threshold-otsu``, which need no mask, and above which the
          shares ``shown-rule`` and ``shown-otsu`` of the pixels are
        - at the honest thresholds the other metrics of
          :func:`~nmfbench.metrics.detection.change_detection`
        - :func:`~nmfbench.metrics.background.background_errors` of all used frames that have a mask
        - all of these, except those by parts, for the temporal mean as background, for comparison,
        with ``-mean``
        - ``dead-components`` of the factors

        Arrays. Of scored frames: ``scored``, their rows in the clip; ``alarms`` and ``hits``, see
        :func:`~nmfbench.metrics.detection.counts_by_group`, at ``thresholds``, which make curves of
        any of them. Of the frames shown: ``shown``, their rows in the clip; ``frames``,
        ``backgrounds``, ``scores`` and ``masks``, 8-bit images of shape (n_shown, height, width),
        of wider frames than 200 pixels every second pixel, or third, and so on; grey levels
        outside [0, 1] are clipped.

    Notes
    -----
    Mask code 170 is not scored, and shadows count as background. The rule for thresholds is 2.5
    robust deviations, 1.4826 times the median of all scores of the clip each, but at least 2/255.

    References
    ----------
    Kumar & Sindhwani (2015), Section 5.3, Figure 7; Guan et al. (2012), MahNMF, Section 5.4.1;
    changedetection.net.
    """
    check_choice(score, "score", ("residual", "own"))
    if post not in (None, "median3"):
        raise ValueError(f"post must be median3 or None, got {post!r}.")
    clip = _clip_of(data, rng, n_frames, n_scored, draw, light_switch, dtype)
    L, fit, arrays = fit_background(solver, clip.X, n_components)
    away = L - clip.X if score == "residual" else _as_frames(solver, solver.sparse_, clip.X)
    scores = _filtered(np.abs(away), data.image_shape, post)

    W = arrays.pop("W")
    dead = ~(W.any(axis=0) & solver.components_.any(axis=1))
    metrics = {"dead-components": float(dead.sum())} | _thresholds(clip, scores)
    if len(clip.scored):
        truth, found, frames = _elements(clip, scores)
        curve = roc_curve(truth, found, drop_intermediate=False)
        metrics |= _of_curve(curve, truth, found, metrics)
        metrics |= _of_parts(truth, found, frames) | _errors(clip, L)
        arrays |= _counts(curve, truth, found, frames)
        arrays["scored"] = clip.rows[clip.scored]
        reference = _of_temporal_mean(clip, data.image_shape, post)
        metrics |= {f"{name}-mean": value for name, value in reference.items()}
    return Outcome(metrics, fit, arrays | _pictures(clip, L, scores, data.image_shape, n_shown))


@dataclass(frozen=True)
class _Clip:
    """Frames of a clip that are used.

    Attributes
    ----------
    rows : ndarray of int
        In the clip.
    X : ndarray of shape (n_frames, n_pixels)
    marked, scored : ndarray of int
        Which of them have a mask, and which are scored.
    masks : ndarray of uint8 of shape (n_marked, n_pixels)
    expected : ndarray
        Backgrounds of the marked ones, or one for all, as the masks tell.
    """

    rows: np.ndarray
    X: np.ndarray
    marked: np.ndarray
    scored: np.ndarray
    masks: np.ndarray
    expected: np.ndarray

    def masks_of(self, frames):
        """Masks of frames that are marked."""
        return self.masks[np.searchsorted(self.marked, frames)]


def _clip_of(data, rng, n_frames, n_scored, draw, light_switch, dtype):
    n, drawn = len(data.X), rng if draw else None
    has_mask = [] if data.get("masks") is None else data.gt_frames
    rows = spread(n, n_frames, drawn)
    if len(has_mask) < n:
        rows = np.union1d(rows, has_mask).astype(int)
    _, marked, of_mask = np.intersect1d(rows, has_mask, return_indices=True)
    masks = np.zeros((0, data.X.shape[1]), dtype=np.uint8)
    if len(marked):
        masks = data.masks[of_mask]
    scored = marked[spread(len(marked), n_scored, drawn)]
    X = data.X[rows].astype(dtype)
    dimmed = np.full(len(rows), light_switch) & (n <= 3 * rows) & (3 * rows < 2 * n)
    bright = ~dimmed[marked]
    expected = expected_background(X[marked[bright]], masks[bright])
    if light_switch:
        gain = light_gain(data.image_shape, rng)
        X[dimmed] = np.rint(255 * X[dimmed] * gain) / 255
        expected = np.where(bright[:, None], expected, expected * gain)
    return _Clip(rows, X, marked, scored, masks, expected)


def _filtered(scores, image_shape, post):
    if post == "median3":
        for frame in scores:
            frame[:] = median_filter(frame.reshape(image_shape), size=3).ravel()
    return scores


def _thresholds(clip, scores):
    """Thresholds that need no mask, and the shares of pixels above them."""
    part = scores[clip.scored] if len(clip.scored) else scores
    thresholds = {"rule": rule_threshold(scores), "otsu": otsu(part)}
    shares = {f"shown-{name}": np.mean(part > t) for name, t in thresholds.items()}
    return {f"threshold-{name}": t for name, t in thresholds.items()} | shares


def _elements(clip, scores):
    """Truth, score and number of the frame of each pixel of the scored frames that is known."""
    masks = clip.masks_of(clip.scored)
    known = masks != _UNKNOWN
    truth = (masks == _FOREGROUND)[known]
    if not _both_kinds(truth):
        raise ValueError("the scored frames must have foreground and background.")
    return truth, scores[clip.scored][known], np.nonzero(known)[0]


def _both_kinds(truth):
    return truth.any() and not truth.all()


def _of_curve(curve, truth, scores, thresholds):
    """Areas under the ROC curve of all scored frames, hit rates on it, and F-measures."""
    fpr, tpr, levels = curve
    metrics = {"auc": partial_area(fpr, tpr)}
    metrics |= {f"pauc@{limit}": partial_area(fpr, tpr, limit) for limit in _LIMITS}
    metrics |= {f"tpr@{rate}": np.interp(rate, fpr, tpr) for rate in _RATES}
    metrics["f-best"] = best_threshold(fpr, tpr, levels, truth.mean())[1]
    for name in ("rule", "otsu"):
        counts = confusion(truth, scores > thresholds[f"threshold-{name}"])
        metrics[f"f-{name}"] = change_detection(counts)["f"]
    return metrics


def _of_parts(truth, scores, frames):
    """Areas of every second frame, metrics at thresholds of the others, and means over frames."""
    metrics: dict[str, float] = {}
    odd = frames % 2 == 0  # the first frame is number one
    halves = {"odd": odd, "even": ~odd}
    if all(_both_kinds(truth[half]) for half in halves.values()):
        best = {}
        for name, half in halves.items():
            fpr, tpr, levels = roc_curve(truth[half], scores[half], drop_intermediate=False)
            areas = {limit: partial_area(fpr, tpr, limit) for limit in _LIMITS}
            metrics |= {f"pauc-{name}@{limit}": area for limit, area in areas.items()}
            best[name] = best_threshold(fpr, tpr, levels, truth[half].mean())[0]
        detected = scores >= np.where(odd, best["even"], best["odd"])
        found = change_detection(confusion(truth, detected))
        metrics |= {"f-honest": found.pop("f")} | found
    single = ((truth[frames == k], scores[frames == k]) for k in np.unique(frames))
    curves = [roc_curve(*pair)[:2] for pair in single if _both_kinds(pair[0])]
    if curves:
        limit = _LIMITS[0]
        metrics["auc-macro"] = np.mean([partial_area(fpr, tpr) for fpr, tpr in curves])
        parts = [partial_area(fpr, tpr, limit) for fpr, tpr in curves]
        metrics[f"pauc-macro@{limit}"] = np.mean(parts)
    return metrics


def _errors(clip, L):
    L = np.broadcast_to(L, clip.X.shape)[clip.marked]
    return background_errors(clip.X[clip.marked], L, clip.masks, clip.expected)


def _counts(curve, truth, scores, frames):
    """Numbers of which ROC curves are made, of all or of some of the scored frames."""
    thresholds = short_thresholds(curve[0], curve[2])
    alarms, hits = counts_by_group(truth, scores, frames, thresholds)
    return {"thresholds": thresholds, "alarms": alarms, "hits": hits}


def _of_temporal_mean(clip, image_shape, post):
    """Metrics of the temporal mean as background."""
    mean = clip.X.mean(axis=0, dtype=np.float64).astype(clip.X.dtype)
    scores = _filtered(np.abs(clip.X - mean), image_shape, post)
    truth, found, _ = _elements(clip, scores)
    curve = roc_curve(truth, found, drop_intermediate=False)
    return _of_curve(curve, truth, found, _thresholds(clip, scores)) | _errors(clip, mean)


def _pictures(clip, L, scores, image_shape, n_shown):
    """Eight-bit images of a few frames: the same for all solvers."""
    among = clip.scored if len(clip.scored) else np.arange(len(clip.X))
    if n_shown is None:
        distance = np.abs(clip.X[among] - np.median(clip.X, axis=0))
        busiest = (distance > _DEVIATIONS * np.median(distance)).sum(axis=1).argmax()
        chosen = np.unique([len(among) // 3, 2 * len(among) // 3, busiest])
    else:
        chosen = spread(len(among), n_shown)
    shown = among[chosen]
    images = {"frames": clip.X, "backgrounds": L, "scores": scores}
    pictures = {
        name: np.rint(255 * np.clip(array[shown], 0, 1)).astype(np.uint8)
        for name, array in images.items()
    }
    if len(clip.scored):
        pictures["masks"] = clip.masks_of(shown)
    step = -(-image_shape[1] // _ACROSS)
    pictures = {
        name: np.ascontiguousarray(flat.reshape(-1, *image_shape)[:, ::step, ::step])
        for name, flat in pictures.items()
    }
    return pictures | {"shown": clip.rows[shown]}


def fit_background(solver, X, n_components=None):
    """Fit a solver to frames, and say which background it finds behind each.

    Parameters
    ----------
    solver : estimator
        One whose components are samples gets the transpose, see :func:`chooses_samples`.
    X : ndarray of shape (n_frames, n_pixels)
    n_components : int, optional
        By default the solver's own.

    Returns
    -------
    L : ndarray of the shape and precision of ``X``
        ``low_rank_``, or else the reconstruction of the representation.
    fit, arrays : dict
        See :func:`~nmfbench.tasks.base.timed_fit`; ``W`` is among the arrays.
    """
    if n_components is not None:
        solver.set_params(n_components=n_components)
    samples = np.ascontiguousarray(X.T) if chooses_samples(solver) else X
    fit, arrays = timed_fit(solver, samples, representation=True)
    return _as_frames(solver, low_rank_of(solver, arrays["W"], samples), X), fit, arrays


def _as_frames(solver, found, X):
    """The value that a fit found for each entry, with frames as rows, in the precision of X."""
    turned = hasattr(solver, "anchor_indices_")
    found = np.asarray(found.T if turned else found, dtype=X.dtype)
    if found.shape != X.shape:
        raise ValueError(f"what was found has shape {found.shape}, the frames {X.shape}.")
    return found


def rule_threshold(scores):
    """A threshold that needs no mask: 2.5 robust deviations of all scores, at least 2/255."""
    return max(2 / 255, _DEVIATIONS * float(np.median(scores)))


def chooses_samples(solver):
    """Whether the components of a solver are some of the samples, as separable solvers have it.

    A fit of a copy to tiny data shows it: it leaves ``anchor_indices_``.

    Examples
    --------
    >>> from nmfbench.solvers.separable.spa import SPA
    >>> from nmfbench.solvers.frobenius.mu import MU
    >>> chooses_samples(SPA()), chooses_samples(MU())
    (True, False)
    """
    tiny = np.random.default_rng(0).random((12, 8), dtype=np.float32)
    with same_global_states(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = copy.deepcopy(solver).set_params(n_components=2).fit(tiny)
    return hasattr(fitted, "anchor_indices_")


def spread(n, k, rng=None):
    """Rows evenly spaced over ``n``, from the first to the last; all if there are no more than k.

    Parameters
    ----------
    n, k : int
    rng : Generator, optional
        Draws one from each of k equal stretches instead.

    Returns
    -------
    ndarray of int of shape (min(n, k),)

    Examples
    --------
    >>> spread(10, 4), spread(3, 4)
    (array([0, 3, 6, 9]), array([0, 1, 2]))
    """
    if n <= k:
        return np.arange(n)
    if rng is None:
        return np.rint(np.linspace(0, n - 1, k)).astype(int)
    return np.floor((np.arange(k) + rng.random(k)) * n / k).astype(int)


def light_gain(image_shape, rng):
    """A smooth image of factors from 0.5 to 0.8: bilinear between 4 x 4 uniform random numbers.

    Parameters
    ----------
    image_shape : (int, int)
    rng : Generator

    Returns
    -------
    ndarray of float32 of shape (n_pixels,)
    """
    corners = 0.5 + 0.3 * rng.random((4, 4))
    gain = zoom(corners, np.divide(image_shape, 4), order=1, mode="nearest")
    return gain.ravel().astype(np.float32)
