"""Equal brightness: errors of reconstructed images once a common factor is taken out."""

from __future__ import annotations

import numpy as np

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.metrics.factors import relative_error
from nmfbench.tasks.base import Outcome
from nmfbench.tasks.reconstruction import reconstruct

__all__ = ["as_bright_as", "equal_brightness"]


@register_task(
    "equal-brightness",
    summary="errors of reconstructions that are as bright as the clean samples",
    based_on="factorization",
    matters={"*-error-*": Ratio(0.02), "brightness-*": Ratio(0.05)},
)
def equal_brightness(data, solver, rng, base):
    r"""Compare reconstructions with clean samples as pictures, each as bright as the clean one.

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
        Metrics, for the training part and, if there is one, the test part: the relative errors
        ``scaled-mean-error-train`` of the mean image and ``scaled-image-error-train`` of all
        images, each scaled first, see :func:`as_bright_as`; ``brightness-train``, the sum of the
        mean reconstruction over that of the mean clean image.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.2.2, Figure 9.
    """
    clean = data.get("clean", data.X)
    metrics = {}
    for part in ("train", "test"):
        rows = base.arrays[part]
        if not len(rows):
            continue
        X, found = clean[rows].astype(float), reconstruct(base.arrays, part, data.X, solver)
        for name, truth, image in (
            ("mean", X.mean(axis=0, keepdims=True), found.mean(axis=0, keepdims=True)),
            ("image", X, found),
        ):
            error = relative_error(truth, as_bright_as(image, truth))
            metrics[f"scaled-{name}-error-{part}"] = float(error)
        metrics[f"brightness-{part}"] = float(found.sum() / X.sum())
    return Outcome(metrics, base.fit)


def as_bright_as(images, wanted):
    """Images times factors that make the sum of each that of the wanted one; dark ones stay.

    Examples
    --------
    >>> as_bright_as(np.array([[1.0, 3.0], [0.0, 0.0]]), np.array([[2.0, 6.0], [1.0, 1.0]]))
    array([[2., 6.],
           [0., 0.]])
    """
    sums = images.sum(axis=1, keepdims=True)
    scale = np.divide(
        wanted.sum(axis=1, keepdims=True), sums, out=np.ones_like(sums), where=sums > 0
    )
    return images * scale
