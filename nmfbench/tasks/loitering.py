"""Loitering: how much of an object that stands still is found in front of its background?"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import distance_transform_edt, find_objects, label
from sklearn.utils import Bunch

from nmfbench.core.registry import register_task
from nmfbench.datasets.moving_square import rebounding
from nmfbench.metrics.background import background_errors, expected_background
from nmfbench.metrics.detection import change_detection, confusion
from nmfbench.tasks.base import Outcome
from nmfbench.tasks.separation import fit_background, rule_threshold

__all__ = ["loitering", "loitering_clip"]

_FOREGROUND, _UNKNOWN = 255, 170  # codes of masks
_AREAS = (0.005, 0.1)  # of a silhouette, as shares of the frame
_WIDEST = 0.2  # of a silhouette, as a share of the width: so that it need not move on one spot
_DRIFT = (0.2, 0.6)  # up or down, in the whole clip, as a share of the height


@register_task(
    "loitering",
    summary="an object that stands still for a share of a clip, by how much of it is found there",
    title="Loitering object",
    score="f-rule",
    score_name="F-measure under the silhouette",
    higher_is_better=True,
    precision="float32",
    # As of separation.
    tolerances={
        "f-rule*": 0.01,
        "recall*": 0.02,
        "fpr*": 0.01,
        "age*": 0.1,
        "peps*": 0.005,
        "threshold-*": 0.01,
    },
    matters={
        "f-rule*": 0.02,
        "recall*": 0.02,
        "fpr*": 0.02,
        "age*": 0.5,
        "peps*": 0.005,
        "threshold-*": None,
    },
)
def loitering(data, solver, rng, *, share, n_components=None, n_frames=100):
    """Find backgrounds ``L`` of a :func:`loitering_clip` and look where its object stands.

    Parameters
    ----------
    data : Bunch
        A clip with masks, see :func:`~nmfbench.datasets.video.load_video`.
    solver : estimator
        See :func:`~nmfbench.tasks.separation.separation`.
    rng : Generator
        Draws the clip: all but the share of the frames is the same for all shares.
    share : float
        Of the frames in which the object stands.
    n_components : int, optional
        Rank; by default the solver's own.
    n_frames : int, default=100

    Returns
    -------
    Outcome
        Metrics; with ``-mean``, of the temporal mean as background:

        - ``f-rule``, ``recall`` and ``fpr`` of the pixels where the object stands, in all frames:
          a pixel is detected with :math:`|L - X|` above ``threshold-rule``, see
          :func:`~nmfbench.tasks.separation.rule_threshold`, and is positive in the frames in which
          the object stands there
        - :func:`~nmfbench.metrics.background.background_errors`, with ``age-fg`` and ``peps-fg`` of
          the same pixels in the same frames; the object on its way is left out

    Notes
    -----
    The best threshold would hide the failure: to call these pixels foreground in all frames
    has an F-measure of 2p / (1 + p) at a share p.
    """
    clip = loitering_clip(data, share, rng, n_frames)
    L, fit, arrays = fit_background(solver, clip.X, n_components)
    del arrays["W"]
    mean = np.broadcast_to(clip.X.mean(axis=0), clip.X.shape)
    reference = {f"{name}-mean": value for name, value in _metrics(clip, mean).items()}
    return Outcome(_metrics(clip, L) | reference, fit, arrays)


def _metrics(clip, L):
    scores = np.abs(L - clip.X)
    threshold = rule_threshold(scores)
    found = scores[:, clip.place] > threshold
    truth = np.broadcast_to(clip.standing[:, None], found.shape)
    detection = change_detection(confusion(truth, found))
    masks = clip.masks.copy()
    masks[~clip.standing] = np.where(masks[~clip.standing] == _FOREGROUND, _UNKNOWN, 0)
    return {
        "f-rule": detection["f"],
        "recall": detection["recall"],
        "fpr": detection["fpr"],
        "threshold-rule": threshold,
        **background_errors(clip.X, L, masks, clip.background),
    }


def loitering_clip(data, share, rng, n_frames=100):
    """A clip of one object, which stands still for a share of the frames, cut from a real clip.

    The object is a connected piece of the foreground of one frame, with its grey levels. It moves
    across the frame and back, so that no other pixel is covered in half of the frames, and jumps to
    the place where it stands and away from it; on its way it does not touch that place.

    Parameters
    ----------
    data : Bunch
        A clip with masks, see :func:`~nmfbench.datasets.video.load_video`.
    share : float
        Of the frames in which the object stands, one after the other.
    rng : numpy.random.Generator
        Draws object, place, way, time and noise, in an order that the share has no part in; the
        frames in which it stands at a lower share are among those at a higher one.
    n_frames : int, default=100

    Returns
    -------
    Bunch
        The fields of :func:`~nmfbench.datasets.video.load_video`, with a mask of every frame.
        ``background``, of shape (n_features,): that of the clip, see
        :func:`~nmfbench.metrics.background.expected_background`, where unknown that of the nearest
        known pixel. ``standing``: in which frames the object stands. ``place``: pixels that it
        covers then; their background is known. ``noise``: standard deviation of the noise, the
        median over pixels of that in the clip.

    Examples
    --------
    >>> from nmfbench import load_dataset
    >>> clip = loitering_clip(load_dataset("moving-square"), 0.3, np.random.default_rng(0))
    >>> int(clip.standing.sum()), len(clip.place)
    (30, 36)
    """
    count = round(share * n_frames)
    if not 0 < count < n_frames:
        raise ValueError(
            f"the object must stand in some of the {n_frames} frames and move in others, got "
            f"share={share}."
        )
    height, width = data.image_shape
    frames = data.X[data.gt_frames].astype(np.float32)
    background = expected_background(frames, data.masks)
    noise = _deviation(frames - background, data.masks)
    background = background.reshape(height, width)
    known = np.isfinite(background)
    nearest = distance_transform_edt(~known, return_distances=False, return_indices=True)

    shape, greys = _silhouette(frames, data.masks, data.image_shape, rng)
    h, w = shape.shape
    top, left = _place(known, shape, rng)
    first = int(rng.random() * (n_frames - count + 1))
    standing = (np.arange(n_frames) >= first) & (np.arange(n_frames) < first + count)
    columns = np.arange(width - w + 1)
    columns = columns[np.abs(columns - left) >= w]
    room = len(columns) - 1
    lefts = columns[rebounding(rng, n_frames, room, 2 * room / n_frames)]  # there and back
    tops = rebounding(rng, n_frames, height - h, rng.uniform(*_DRIFT) * height / n_frames)

    X = np.tile(background[tuple(nearest)], (n_frames, 1, 1))
    masks = np.zeros(X.shape, dtype=np.uint8)
    corners = np.where(standing[:, None], (top, left), np.column_stack([tops, lefts]))
    for frame, mask, (i, j) in zip(X, masks, corners, strict=True):
        frame[i : i + h, j : j + w][shape] = greys
        mask[i : i + h, j : j + w][shape] = _FOREGROUND
    X += noise * rng.standard_normal(X.shape, dtype=np.float32)
    masks = masks.reshape((n_frames, -1))
    return Bunch(
        X=np.clip(X, 0, 1, out=X).reshape(n_frames, -1),
        y=None,
        image_shape=data.image_shape,
        upper=1.0,
        masks=masks,
        gt_frames=np.arange(n_frames),
        frame_index=np.arange(1, n_frames + 1),
        background=background[tuple(nearest)].ravel(),
        standing=standing,
        place=np.flatnonzero(masks[first]),
        noise=noise,
    )


def _deviation(noise, masks):
    """Median over pixels of the deviation where they are background; NaN are unknown."""
    seen = masks == 0
    counts = np.maximum(seen.sum(axis=0), 1)
    squares = np.sum(noise**2, axis=0, where=seen, dtype=np.float64)
    return float(np.sqrt(np.nanmedian(squares / counts)))


def _silhouette(frames, masks, image_shape, rng):
    """Shape and grey levels of an object of sensible size that no edge cuts off."""
    for k in rng.permutation(len(masks)):
        pieces, _ = label(masks[k].reshape(image_shape) == _FOREGROUND)
        sensible = []
        for number, box in enumerate(find_objects(pieces), start=1):
            shape = pieces[box] == number
            inside = all(
                side.start > 0 and side.stop < end
                for side, end in zip(box, image_shape, strict=True)
            )
            fits = _AREAS[0] <= shape.sum() / pieces.size <= _AREAS[1]
            if inside and fits and shape.shape[1] <= _WIDEST * image_shape[1]:
                sensible.append((shape, frames[k].reshape(image_shape)[box][shape]))
        if sensible:
            return sensible[rng.integers(len(sensible))]
    raise ValueError("no mask of the clip has an object of sensible size.")


def _place(known, shape, rng):
    """Top left corner of a place of which all pixels below the silhouette are known."""
    windows = np.lib.stride_tricks.sliding_window_view(known, shape.shape)
    return rng.choice(np.argwhere(windows[..., shape].all(axis=-1)))
