"""Reconstruction: how near do the factors of corrupted samples come to the clean ones?"""

from __future__ import annotations

import numpy as np
from scipy.linalg import orth

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.metrics.factors import relative_error
from nmfbench.tasks.base import SCALED, Outcome, in_units_of

__all__ = ["contamination", "edges", "lopsidedness", "reconstruct", "reconstruction"]


@register_task(
    "reconstruction",
    summary="relative error of reconstructions against the clean samples, training and test",
    score="relative-error-test",
    score_name="relative error against the clean test samples",
    higher_is_better=False,
    based_on="factorization",
    # Zero up to the single precision in which factors are kept: KL keeps the mean, PCA the span.
    tolerances={"mean-error-*": 1e-6, "contamination": 1e-6},
    # Two points of the components' energy, or of their asymmetry.
    matters={"*-error-*": Ratio(0.02), "contamination": 0.02, "lopsidedness": 0.02},
    revisions=SCALED,
)
def reconstruction(data, solver, rng, base):
    r"""Relative error :math:`\|X - W H\|_F / \|X\|_F` with ``X`` the *clean* samples.

    The factors describe the corrupted samples: ``W`` of the fit for the training part, the
    codes on the fitted components for the test part.

    Parameters
    ----------
    data : Bunch
        With ``X``, and ``clean`` where ``X`` is corrupted.
    solver : estimator
        Says how it scales samples, if it does.
    rng : ignored
    base : Outcome
        Of the task ``factorization``.

    Returns
    -------
    Outcome
        Metrics, for the training part and, if there is one, the test part:
        ``relative-error-train`` of the samples, ``mean-error-train`` of their mean,
        ``edge-error-train`` of the :func:`edges` of images. Of the components:
        :func:`contamination` and, of images, :func:`lopsidedness`.

        Arrays, of images only, each of shape (3, n_features) with the clean image, the given one
        and the reconstruction: ``mean-train``, means over the part, and ``example-train``, the
        image of median brightness.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.2, Table 1 and Figures 6, 8 and 9.
    """
    clean = data.get("clean", data.X)
    shape = data.get("image_shape")
    components = base.arrays["components"].astype(float)
    metrics = {"contamination": contamination(components, clean[base.arrays["train"]])}
    if shape is not None:
        metrics["lopsidedness"] = lopsidedness(components, shape)
    arrays = {}
    for part in ("train", "test"):
        rows = base.arrays[part]
        if not len(rows):
            continue
        X, found = clean[rows], reconstruct(base.arrays, part, data.X, solver)
        metrics[f"relative-error-{part}"] = relative_error(X, found)
        metrics[f"mean-error-{part}"] = relative_error(X.mean(axis=0), found.mean(axis=0))
        if shape is not None:
            metrics[f"edge-error-{part}"] = relative_error(edges(X, shape), edges(found, shape))
            # Neither dark nor glaring, and the same for all solvers.
            typical = np.argsort(X.mean(axis=1), kind="stable")[len(X) // 2]
            three = X, data.X[rows], found
            arrays[f"mean-{part}"] = np.array([x.mean(axis=0) for x in three], dtype=np.float32)
            arrays[f"example-{part}"] = np.array([x[typical] for x in three], dtype=np.float32)
    return Outcome(metrics, base.fit, arrays)


def reconstruct(arrays, part, X, solver):
    """Samples as a factorization gives them back.

    Parameters
    ----------
    arrays : mapping
        Of the task ``factorization``.
    part : {"train", "test"}
    X : ndarray
        All samples as they were factorized, of which ``arrays`` has the rows of the parts.
    solver : estimator
        Need not be fitted.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
    """
    codes = arrays["W" if part == "train" else "codes"].astype(float)
    codes = in_units_of(X[arrays[part]], solver, codes, training=X[arrays["train"]])
    found = codes @ arrays["components"].astype(float)
    return found + arrays["mean"] if "mean" in arrays else found


def edges(X, image_shape):
    """Differences between neighbouring pixels, down and across.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Images, row by row.
    image_shape : (int, int)
        Height and width.

    Returns
    -------
    ndarray of shape (n_samples, n_differences)

    Examples
    --------
    >>> edges(np.array([[1.0, 2.0, 4.0, 8.0]]), (2, 2))
    array([[3., 6., 1., 4.]])
    """
    images = np.reshape(X, (-1, *image_shape))
    down, across = np.diff(images, axis=1), np.diff(images, axis=2)
    return np.hstack([down.reshape(len(images), -1), across.reshape(len(images), -1)])


def contamination(components, clean):
    r"""Share of the components' energy that no combination of clean samples explains.

    The mean of :math:`\|b - P b\|^2 / \|b\|^2` over the components ``b``, with ``P`` the
    projection on the span of the clean training samples. A component that is a combination of
    corrupted training samples is the same combination of the clean ones, which ``P`` keeps, and
    of their noise, most of which ``P`` takes away if there are fewer samples than features.

    Parameters
    ----------
    components : ndarray of shape (r, n_features)
        Zero components are left out.
    clean : ndarray of shape (n_samples, n_features)

    Returns
    -------
    float in [0, 1]
        Components of clean samples have a little, too, as far as they are no combinations of
        samples: entries clipped at zero, medians. It is 0 of samples that span everything.

    Examples
    --------
    >>> contamination(np.array([[2.0, 0.0, 0.0], [0.0, 3.0, 3.0]]), np.eye(3)[:2])
    0.25
    """
    alive = components[components.any(axis=1)]
    if not len(alive):
        return 0.0
    basis = orth(clean.T)
    rest = alive - (alive @ basis) @ basis.T
    return float(np.mean((rest**2).sum(axis=1) / (alive**2).sum(axis=1)))


def lopsidedness(components, image_shape):
    r"""How far components are from their mirror images, left and right exchanged.

    The mean of :math:`\|b - b'\|_1 / (2 \|b\|_1)` over the components ``b``, ``b'`` mirrored. An
    upright face is nearly symmetric; a face lit from one side is not.

    Parameters
    ----------
    components : ndarray of shape (r, n_features)
        Zero components are left out.
    image_shape : (int, int)
        Height and width.

    Returns
    -------
    float in [0, 1]
        0 if symmetric, 1 if the left half has nothing where the right half has something.

    Examples
    --------
    >>> lopsidedness(np.array([[1.0, 5.0, 1.0], [0.0, 0.0, 2.0]]), (1, 3))
    0.5
    """
    alive = components[components.any(axis=1)]
    if not len(alive):
        return 0.0
    images = alive.reshape(-1, *image_shape)
    difference = np.abs(images - images[:, :, ::-1]).sum(axis=(1, 2))
    return float(np.mean(difference / (2 * np.abs(alive).sum(axis=1))))
