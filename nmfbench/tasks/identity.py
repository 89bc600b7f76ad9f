"""Identity: are people recognised on low-rank parts of images that were found without labels?"""

from __future__ import annotations

import numpy as np

from nmfbench.core.registry import register_task
from nmfbench.tasks.base import Outcome, split_of
from nmfbench.tasks.recognition import nearest_cosine

__all__ = ["identity", "recognised"]


@register_task(
    "identity",
    summary="accuracy of the nearest training image, of low-rank parts fitted without labels",
    title="Identity in low-rank parts",
    score="accuracy",
    score_name="accuracy of the nearest training image by low-rank parts",
    higher_is_better=True,
    based_on="factorization",
    tolerances={"accuracy*": 0.02},
    matters={"accuracy*": 0.02},
)
def identity(data, solver, rng, base):
    """Classify the test images of a factorization by the nearest training image.

    Both as the factorization has them: the fit's own low-rank part of the training images, and
    the projection of the test images on its components. The nearest is that of the largest cosine
    over pixels.

    Parameters
    ----------
    data : Bunch
        With ``X`` and labels ``y``.
    solver, rng : ignored
    base : Outcome
        Of the task ``factorization``, with training and test samples.

    Returns
    -------
    Outcome
        Metrics ``accuracy``, and ``accuracy-images`` of the images themselves. Low-rank parts that
        are zero count as errors.

    References
    ----------
    After Guan et al. (2012), MahNMF, Section 5.4.2.
    """
    arrays = base.arrays
    train, test = split_of(base)
    y, H = np.asarray(data.y), arrays["components"]
    mean = arrays.get("mean", np.zeros(H.shape[1], dtype=H.dtype))
    known, probes = (arrays[name] @ H + mean for name in ("W", "codes"))
    pairs = {"accuracy": (known, probes), "accuracy-images": (data.X[train], data.X[test])}
    metrics = {
        name: recognised(gallery, y[train], images, y[test]).mean()
        for name, (gallery, images) in pairs.items()
    }
    return Outcome(metrics, base.fit)


def recognised(gallery, labels, probes, true):
    """Whether each probe has the label of the gallery image of the largest cosine.

    Parameters
    ----------
    gallery : ndarray of shape (n_gallery, n_pixels)
    labels : ndarray of shape (n_gallery,)
    probes : ndarray of shape (n_probes, n_pixels)
        Zero probes are not recognised.
    true : ndarray of shape (n_probes,)

    Returns
    -------
    ndarray of bool of shape (n_probes,)

    Examples
    --------
    >>> recognised(np.eye(2), np.array([7, 8]), np.array([[3, 1], [0, 0]]), np.array([7, 7]))
    array([ True, False])
    """
    return (labels[nearest_cosine(probes, gallery)] == true) & probes.any(axis=1)
