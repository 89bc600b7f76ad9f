"""Class contrast: do segments stand out in a matrix of similarities, or would any compact ones?"""

from __future__ import annotations

import numpy as np

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.validation import check_count
from nmfbench.metrics.contrast import class_contrast
from nmfbench.tasks.base import Outcome, ability, timed_fit
from nmfbench.tasks.pixels import cluster_rows, image_row, pixel_graph

__all__ = ["contrast_of_classes", "placed_segments"]


@register_task(
    "class-contrast",
    summary="similarities within segments over those between them, against compact segments of "
    "the same sizes placed at random",
    takes_similarities=True,
    # K-means goes elsewhere after a near tie.
    tolerances={"contrast-*": 1.0, "placed-above-*": 0.1},
    matters={"contrast-*": Ratio(0.05), "placed-above-*": None},
)
def contrast_of_classes(
    data,
    solver,
    rng,
    *,
    image,
    n_components,
    segments=3,
    side=60,
    sigma_brightness=0.1,
    sigma_position=0.167,
    radius=0.333,
    n_placed=200,
):
    r"""Factorize the similarities of the pixels of an image, and look at its segments in them.

    Parameters
    ----------
    data : Bunch
        With ``ids`` and ``image_shapes``, see
        :func:`~nmfbench.datasets.objects.load_segmentation`.
    solver : estimator
        Of symmetric matrices, with ``inits``.
    rng : Generator
        Draws the start, starts K-means and places segments, in this order.
    image : str
    n_components : int
    segments : int, default=3
        Clusters of the rows of H, see :func:`~nmfbench.tasks.pixels.cluster_rows`.
    side, sigma_brightness, sigma_position, radius
        Of the graph, see :func:`~nmfbench.tasks.segmentation.segmentation`.
    n_placed : int, default=200
        Placements of compact segments.

    Returns
    -------
    Outcome
        Metrics for the matrix ``affinity``, V, and ``product``, :math:`H H^T`: ``contrast-...``,
        see :func:`~nmfbench.metrics.contrast.class_contrast`, by the segments;
        ``contrast-...-placed``, the geometric mean over :func:`placed_segments` of their sizes;
        ``placed-above-...``, the share of these with a contrast at least as large.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.3.2, Figure 15.
    """
    check_count(n_placed, "n_placed")
    row = image_row(data, image)
    graph = pixel_graph(
        data.X[row].reshape(data.segmentations[row][0].shape),
        side,
        sigma_brightness=sigma_brightness,
        sigma_position=sigma_position,
        radius=radius,
    )
    V, position = graph.V, graph.position
    inits = ability(solver, "inits", "take one of symmetric matrices, such as mahnmf-sym")
    solver.set_params(n_components=n_components)
    start = inits[solver.init](V, n_components, rng)[0].copy()
    fit, arrays = timed_fit(solver, V, representation=True, W=start, H=start.T)
    H = arrays["W"].astype(np.float64)
    seed = int(rng.integers(2**31))
    labels = cluster_rows(H, position, segments, np.random.default_rng(seed))
    sizes = np.unique(labels, return_counts=True)[1]
    placed = [placed_segments(position, sizes, rng) for _ in range(n_placed)]
    metrics: dict[str, float] = {}
    for name, (A, B) in {"affinity": (V, None), "product": (H, H)}.items():
        own = class_contrast(A, B, labels)
        others = np.array([class_contrast(A, B, other) for other in placed])
        metrics |= {
            f"contrast-{name}": own,
            f"contrast-{name}-placed": float(np.exp(np.log(others).mean())),
            f"placed-above-{name}": float(np.mean(others >= own)),
        }
    return Outcome(metrics, fit)


def placed_segments(position, sizes, rng):
    """Labels of compact segments of given sizes at random places.

    One segment after the other, from the smallest, takes the nearest free pixels around a free
    pixel that is drawn at random; the largest one is what is left, as the background of an image.

    Parameters
    ----------
    position : ndarray of shape (n, 2)
        Of the pixels.
    sizes : sequence of int
        Their sum is n.
    rng : Generator

    Returns
    -------
    ndarray of int of shape (n,)

    Examples
    --------
    >>> line = np.arange(5.0)[:, None]
    >>> labels = placed_segments(line, [2, 3], np.random.default_rng(0))
    >>> np.bincount(labels).tolist()
    [2, 3]
    """
    labels = np.full(len(position), -1)
    for label in np.argsort(sizes, kind="stable"):
        free = np.flatnonzero(labels < 0)
        centre = position[rng.choice(free)]
        distances = ((position[free] - centre) ** 2).sum(axis=1)
        labels[free[np.argsort(distances, kind="stable")[: sizes[label]]]] = label
    return labels
