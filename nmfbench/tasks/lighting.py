"""Lighting: does a low-rank part of the images of one person at a time lose their shadows?"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import uniform_filter

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.tasks.base import SCALED, Outcome, low_rank_of, timed_fit, total_cost
from nmfbench.tasks.convergence import draw_per_class
from nmfbench.tasks.identity import recognised
from nmfbench.tasks.reconstruction import lopsidedness
from nmfbench.tasks.separation import spread

__all__ = ["detail", "lighting", "numbers_of_subject"]

_DARK = 0.25  # of the median image: what is darker is shadow
_BOX = 5  # pixels of the side of a mean that is taken off, for detail
_SPLITS = 10  # into gallery and probes
_SHOWN = 4, 6  # subjects, and images of each


@register_task(
    "lighting",
    summary="shadows and brightness in the low-rank parts of the images of one subject at a time",
    score="shadow-error",
    score_name="mean distance from the median image where there is shadow, in grey levels",
    higher_is_better=False,
    precision="float32",
    # Stopping rules may end a fit an iteration sooner.
    tolerances={
        "asymmetry*": 0.01,
        "lift": 0.1,
        "shadow-error*": 0.3,
        "spread": 0.01,
        "detail*": 0.005,
        "identity*": 0.005,
        "dead-components": 0.1,
    },
    matters={
        "asymmetry*": Ratio(0.05),
        "lift": Ratio(0.05),
        "spread": Ratio(0.05),
        "detail*": Ratio(0.05),
        "shadow-error*": 0.5,  # grey levels
        "identity*": 0.02,
        "dead-components": None,
    },
    revisions=SCALED,
)
def lighting(data, solver, rng, *, n_components=None, n_classes=None, gallery=7):
    r"""Fit the images of each subject, and compare low-rank parts ``L`` with images ``X``.

    Images are samples, in single precision. No lighting angle is needed.

    Parameters
    ----------
    data : Bunch
        Aligned faces ``X`` of ``image_shape``, with subjects ``y``.
    solver : estimator
        With ``low_rank_`` once fitted, which then is L; else ``inverse_transform`` of the
        representation is.
    rng : Generator
        Draws subjects, if ``n_classes`` is given, and galleries.
    n_components : int, optional
        Rank; by default the solver's own.
    n_classes : int, optional
        Number of subjects to keep, drawn at random; by default all.
    gallery : int, default=7
        Known images of each subject, drawn at random.

    Returns
    -------
    Outcome
        Metrics, means over subjects of :func:`numbers_of_subject`, where there are shadows, and of

        - ``identity``, the share of the images whose L has the largest cosine with that of a
          gallery image of the same subject, among all subjects, mean of 10 galleries. Labels went
          into the fits, so that one picture a subject scores 1: an upper bound. The task
          ``identity`` asks without labels
        - ``identity-images``, the same of the images
        - ``dead-components`` of the factors

        Arrays. ``subjects``, all of these by subject, in a field each, NaN where there is no
        shadow. Of the first four subjects: ``shown``, their labels, and of six images each, evenly
        spaced by mean brightness from the darkest to the brightest, ``images``, ``low-rank`` and
        ``residuals`` :math:`|X - L|`, of 8 bits; grey levels outside [0, 1] are clipped.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.4.2, Figures 18 and 19.
    """
    y, X = np.asarray(data.y), data.X.astype(np.float32)
    labels = np.unique(y)
    if n_classes is not None:
        if n_classes > len(labels):
            raise ValueError(f"n_classes is {n_classes}, but the data have {len(labels)} classes.")
        labels = np.sort(rng.choice(labels, n_classes, replace=False))
        kept = np.isin(y, labels)
        y, X = y[kept], X[kept]
    if n_components is not None:
        solver.set_params(n_components=n_components)
    L, fits, rows = np.empty_like(X), [], []
    for label in labels:
        own = y == label
        fit, arrays = timed_fit(solver, X[own], representation=True)
        W = arrays["W"]
        L[own] = low_rank_of(solver, W, X[own])
        dead = ~(W.any(axis=0) & solver.components_.any(axis=1))
        numbers = numbers_of_subject(X[own], L[own], data.image_shape)
        fits.append(fit)
        rows.append(numbers | {"dead-components": dead.sum()})
    galleries = [draw_per_class(y, gallery, rng) for _ in range(_SPLITS)]
    for name, images in (("identity", L), ("identity-images", X)):
        for row, share in zip(rows, _identity(images, y, galleries), strict=True):
            row[name] = share

    dtype = [("subject", labels.dtype)] + [(name, float) for name in rows[0]]
    subjects = np.array(
        [(label, *row.values()) for label, row in zip(labels, rows, strict=True)], dtype=dtype
    )
    known = {name: subjects[name][np.isfinite(subjects[name])] for name in rows[0]}
    metrics = {name: values.mean() for name, values in known.items() if len(values)}
    return Outcome(metrics, total_cost(fits), {"subjects": subjects} | _pictures(X, L, y, labels))


def numbers_of_subject(X, L, image_shape):
    """Shadow, brightness and detail in low-rank parts of the images of one subject.

    Parameters
    ----------
    X, L : ndarray of shape (n_images, n_pixels)
    image_shape : (int, int)

    Returns
    -------
    dict of str to float
        - ``asymmetry``, see :func:`~nmfbench.tasks.reconstruction.lopsidedness`, of L as a ratio
          to that of X; ``asymmetry-median``, that of the median image, which no light explains
        - ``lift``, the mean of L as a ratio to that of X, and ``shadow-error``, the mean of
          :math:`|L - m|` in grey levels of 255, both over pixels that are darker than a quarter
          of the median image m; ``shadow-error-images``, that of X
        - ``spread``, the deviation of the mean brightness of L over images as a ratio to that
          of X
        - ``detail``, the mean of :func:`detail` of L and m; ``detail-images``, that of X and m

        NaN where there is nothing to compare with.

    Examples
    --------
    >>> X = np.array([[8.0, 8.0, 8.0], [2.0, 8.0, 8.0], [1.0, 8.0, 8.0]]) / 10
    >>> found = numbers_of_subject(X, np.full_like(X, 0.5), (1, 3))
    >>> {name: round(found[name], 2) for name in ("asymmetry", "spread", "detail")}
    {'asymmetry': 0.0, 'spread': 0.0, 'detail': 0.0}
    """
    middle = np.median(X, axis=0)
    dark = _DARK * middle > X
    light = lopsidedness(X, image_shape)
    return {
        "asymmetry": _ratio(lopsidedness(L, image_shape), light),
        "asymmetry-median": _ratio(lopsidedness(middle[None], image_shape), light),
        "lift": _ratio(L[dark].sum(dtype=float), X[dark].sum(dtype=float)),
        "shadow-error": _ratio(255 * np.abs(L - middle)[dark].sum(dtype=float), dark.sum()),
        "shadow-error-images": _ratio(255 * np.abs(X - middle)[dark].sum(dtype=float), dark.sum()),
        "spread": _ratio(*(np.std(images.mean(axis=1, dtype=float)) for images in (L, X))),
        "detail": float(np.mean(detail(L, middle, image_shape))),
        "detail-images": float(np.mean(detail(X, middle, image_shape))),
    }


def detail(images, reference, image_shape):
    """Correlation of each image with a reference, without what is smooth in either.

    Means over 5 x 5 pixels, with reflected edges, are taken off first. A smooth image has none.

    Parameters
    ----------
    images : ndarray of shape (n_images, n_pixels)
    reference : ndarray of shape (n_pixels,)
    image_shape : (int, int)

    Returns
    -------
    ndarray of shape (n_images,)

    Examples
    --------
    >>> image = np.random.default_rng(0).random(36)
    >>> detail(np.array([image, 0.5 * image + 0.1, 0 * image]), image, (6, 6)).round(3)
    array([1., 1., 0.])
    """
    fine, wanted = (_fine(part, image_shape) for part in (images, reference[None]))
    return (fine @ wanted.T)[:, 0]


def _fine(images, image_shape):
    """Images less local means, centred, and of length 1 unless only rounding is left."""
    pixels = np.reshape(images, (-1, *image_shape)).astype(float)
    fine = (pixels - uniform_filter(pixels, (0, _BOX, _BOX))).reshape(len(pixels), -1)
    fine -= fine.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(fine, axis=1, keepdims=True)
    rounding = np.finfo(np.float32).eps * np.linalg.norm(pixels.reshape(fine.shape), axis=1)
    visible = lengths > rounding[:, None]
    return np.where(visible, fine / np.where(visible, lengths, 1), 0)


def _ratio(a, b):
    return float(a / b) if b else np.nan


def _identity(images, y, galleries):
    """Shares of the images of each subject that are recognised, mean over galleries."""
    shares = []
    for known in galleries:
        probes = np.setdiff1d(np.arange(len(y)), known)
        right = recognised(images[known], y[known], images[probes], y[probes])
        shares.append([right[y[probes] == label].mean() for label in np.unique(y)])
    return np.mean(shares, axis=0)


def _pictures(X, L, y, labels):
    """Eight-bit images of a few subjects: the same for all solvers."""
    subjects, each = _SHOWN
    shown = labels[:subjects]
    rows = []
    for label in shown:
        own = np.flatnonzero(y == label)
        by_brightness = own[np.argsort(X[own].mean(axis=1), kind="stable")]
        rows.append(by_brightness[spread(len(own), each)])
    parts = {"images": X, "low-rank": L, "residuals": np.abs(X - L)}
    pictures = {
        name: np.array([np.rint(255 * np.clip(part[r], 0, 1)) for r in rows]).astype(np.uint8)
        for name, part in parts.items()
    }
    return pictures | {"shown": shown}
