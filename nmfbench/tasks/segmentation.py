"""Segmentation: do the clusters of the pixels of an image look like what humans draw?"""

from __future__ import annotations

import copy
import hashlib
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial import KDTree
from sklearn.preprocessing import normalize

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.datasets.images import area_averaged
from nmfbench.metrics.contrast import block_means, bound_share, class_contrast
from nmfbench.metrics.segmentation import (
    connected_segments,
    human_scores,
    n_pieces,
    segmentation_scores,
)
from nmfbench.optim.graphs import GraphCache
from nmfbench.optim.pixel_graphs import corrupted_affinity, pixel_affinity
from nmfbench.solvers.graph.clusterers import kmeans
from nmfbench.solvers.graph.spectral import normalized_affinity
from nmfbench.tasks.base import Outcome, timed_fit, total_cost

__all__ = [
    "cluster_rows",
    "pixels_of",
    "segmentation",
]

_STARTS = 10  # of K-means
_CELLS = 216  # a side of a picture of a matrix: blocks of 4 x 4 at 864 pixels


@register_task(
    "segmentation",
    summary="agreement of clusters of the pixels of an image with the segments that humans drew",
    score="gain",
    score_name="covering above that of one segment and of stripes",
    higher_is_better=True,
    takes_similarities=True,
    # K-means goes elsewhere after a near tie.
    tolerances={
        "gain": 0.03,
        "covering*": 0.05,
        "pri*": 0.05,
        "vi*": 0.2,
        "boundary-*": 0.05,
        "object-iou*": 0.1,
        "largest-segment@*": 0.1,
        "segments@*": 1,
        "pieces@*": 30,
        "contrast-*": 1.0,
        "residual-ratio*": 0.01,
        "zero-rows*": 0.02,
        "correlation@*": 0.02,
        "bound-diagonal*": 0.02,
    },
    matters={
        "gain": 0.02,
        "covering*": 0.02,
        "pri*": 0.02,
        "vi*": 0.1,
        "boundary-*": 0.02,
        "object-iou*": 0.02,
        "contrast-*": Ratio(0.05),
        "correlation*": 0.02,
        "residual-ratio*": Ratio(0.02),
        "bound-diagonal*": 0.02,
        "zero-rows*": 0.02,
        "largest-segment@*": 0.02,
        "segments@*": None,
        "pieces@*": None,
        "human-segments": None,
        "graph-zeros": None,
    },
)
def segmentation(
    data,
    solver,
    rng,
    *,
    image=None,
    segments=(3, 4, 5),
    n_components=None,
    side=60,
    sigma_brightness=0.1,
    sigma_position=0.167,
    radius=0.333,
    aspect=True,
    corrupted=0.0,
    features="affinity",
    rule="kmeans",
    connected=False,
    humans=False,
    details=False,
):
    r"""Cluster the pixels of an image, and score the segments against every human's.

    The image is reduced, its pixels are the nodes of a graph, see :func:`pixel_affinity`, and
    segments go back to its own size, where they are scored. A factorization is one of
    :math:`V = D^{-1/2} W D^{-1/2}`, whose eigenvectors normalised cuts use.

    Parameters
    ----------
    data : Bunch
        With ``images`` by row of ``X``, see
        :func:`~nmfbench.datasets.objects.load_segmentation`.
    solver : estimator
        A clusterer that takes an affinity gets W as such, with its diagonal; a solver of symmetric
        matrices V, from the start it would make, which is scored by itself, too.
    rng : Generator
        Draws the image, if ``image`` is None; corruption, starts, and K-means.
    image : str, optional
        Its id; by default one is drawn.
    segments : sequence of int, default=(3, 4, 5)
        Numbers of segments.
    n_components : int, optional
        Rank of a factorization, which then is one for all numbers of segments; by default, and
        for clusterers, there is a fit for each, of that rank.
    side : int, default=60
        Pixels of the longer side of the reduced image.
    sigma_brightness, sigma_position, radius, aspect
        Of the graph, see :func:`pixel_affinity`.
    corrupted : float, default=0
        Share of the entries of V that are replaced, see :func:`corrupted_affinity`.
    features : {"affinity", "brightness", "both"}, default="affinity"
        Samples, which do not matter to a clusterer that takes an affinity: the rows of V,
        brightness, or brightness and position.
    rule : {"kmeans", "argmax"}, default="kmeans"
        Segments of a factorization: K-means of its rows, see :func:`cluster_rows`, or the largest
        entry of each.
    connected : bool, default=False
        Make each connected piece a segment, see
        :func:`~nmfbench.metrics.segmentation.connected_segments`.
    humans : bool, default=False
        Also score each human against the others.
    details : bool, default=False
        Also keep pictures of V and W H, and look at the diagonal terms, if W H is symmetric.

    Returns
    -------
    Outcome
        Metrics. For each number of segments k, as ``...@k``:

        - :func:`~nmfbench.metrics.segmentation.segmentation_scores`
        - of the segments: ``segments``, how many there are; ``pieces``, how many connected ones;
          ``largest-segment``, its share of the image. ``contrast-affinity``, see
          :func:`class_contrast`, of V
        - of a factorization: ``residual-ratio``, :math:`\|V-WH\|_1/\|V\|_1`, which is 1 for zero
          factors; ``zero-rows``, their share; ``contrast-product``, of W H; ``correlation`` of V
          and W H off the diagonal
        - of the start of a symmetric solver the scores, ``residual-ratio`` and ``zero-rows``, as
          ``...-start@k``
        - scores of stripes, k of equal width from left to right, as ``...-stripes@k``

        Then ``...-one``, scores of one segment; ``...-humans``, scores of human segmentations, if
        requested; ``human-segments``, their median number; ``graph-zeros``, share of the zeros of
        V; and ``gain``, covering minus the larger covering of one segment or of stripes, mean over
        k.

        Arrays. ``labels`` of shape (len(segments), height, width) of the reduced image;
        ``human``, that of the median number of segments, and ``image``, of its grey levels, of 8
        bits, as large.

        Details are the array ``matrices`` of shape (len(segments), 2, n, n), see
        :func:`block_means`: V and W H, with the pixels of a segment together, 8 bits, in which 255
        is the 99.5 % quantile of both; and ``bound-diagonal@k``, with that of the start, the share
        of the entries of H with :math:`Z_{ii} \le 0`, where :math:`Z` is V without the other
        components: what the authors assume of all.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.3.2, Figures 12 to 15; Shi & Malik (2000); Arbelaez et
    al. (2011).
    """
    if features not in ("affinity", "brightness", "both"):
        raise ValueError(f"features must be affinity, brightness or both, got {features!r}.")
    if rule not in ("kmeans", "argmax"):
        raise ValueError(f"rule must be kmeans or argmax, got {rule!r}.")
    row = _row_of(data, image, rng)
    truths = list(data.segmentations[row])
    native = truths[0].shape
    grey, position = pixels_of(data.X[row].reshape(native), side, aspect)
    W = pixel_affinity(
        grey.ravel(),
        position,
        sigma_brightness=sigma_brightness,
        sigma_position=sigma_position,
        radius=radius,
    )
    V = normalized_affinity(W)
    if corrupted:
        V = corrupted_affinity(V, corrupted, rng)
        scale = sp.diags_array(np.sqrt(W.sum(axis=1)))
        W = (scale @ V @ scale).tocsr()
    samples = {
        "affinity": V if getattr(solver, "accepts_sparse", False) else V.toarray(),
        "brightness": grey.reshape(-1, 1),
        "both": np.column_stack([grey.ravel(), position]),
    }[features]
    seed = int(rng.integers(2**31))
    digest = hashlib.blake2b(np.array(truths).tobytes() + repr(native).encode()).digest()

    def score(labels):
        reduced = labels.reshape(grey.shape)
        reduced = connected_segments(reduced) if connected else reduced
        return segmentation_scores(_resized(reduced, native), truths), reduced

    metrics: dict[str, Any] = {}
    fits, found, matrices = [], [], []
    fitted = None
    for k in segments:
        r = k if n_components is None or hasattr(solver, "fit_predict") else n_components
        if fitted is None or r != fitted[0]:
            fitted = (r, *_fit(solver, samples, W, r, np.random.default_rng(seed)))
            _, fit, H, components, start, known = fitted
            fits.append(fit)
            of_fit = {} if H is None else _of_factors(samples, H, components)
            of_start = {} if start is None else _of_factors(samples, start, start.T)
            of_start.pop("correlation", None)
        labels = known

        def cluster(rows, k=k):
            if rule == "argmax":
                return rows.argmax(axis=1)
            return cluster_rows(rows, position, k, np.random.default_rng(seed))

        if labels is None:
            labels = cluster(H)
            numbers = of_fit | {"contrast-product": class_contrast(H, components.T, labels)}
            if details:
                order = _order(labels, H, np.sqrt(W.sum(axis=1)))
                matrices.append(_pictures([V.toarray(), H @ components], order))
                if start is not None:
                    numbers["bound-diagonal"] = bound_share(V, H)
                    numbers["bound-diagonal-start"] = bound_share(V, start)
            metrics |= {f"{name}@{k}": value for name, value in numbers.items()}
        scores, reduced = score(labels)
        found.append(reduced)
        if features == "affinity":
            scores["contrast-affinity"] = class_contrast(V, None, labels)
        sizes = np.bincount(np.unique(reduced, return_inverse=True)[1].ravel())
        scores |= {
            "segments": len(sizes),
            "pieces": n_pieces(reduced),
            "largest-segment": sizes.max() / sizes.sum(),
        }
        metrics |= {f"{name}@{k}": value for name, value in scores.items()}
        if start is not None:
            numbers = score(cluster(start))[0] | of_start
            metrics |= {f"{name}-start@{k}": value for name, value in numbers.items()}
        numbers = _scores_of_stripes(k, truths, digest)
        metrics |= {f"{name}-stripes@{k}": value for name, value in numbers.items()}
    numbers = _scores_of_stripes(1, truths, digest)
    metrics |= {f"{name}-one": value for name, value in numbers.items()}
    if humans:
        metrics |= {f"{name}-humans": value for name, value in human_scores(truths).items()}
    drawn = np.array([len(np.unique(truth)) for truth in truths])
    metrics["human-segments"] = float(np.median(drawn))
    metrics["graph-zeros"] = 1 - V.nnz / V.shape[0] ** 2
    metrics["gain"] = np.mean(
        [
            metrics[f"covering@{k}"]
            - max(metrics["covering-one"], metrics[f"covering-stripes@{k}"])
            for k in segments
        ]
    )
    fit = total_cost(fits) | {name: fits[-1][name] for name in ("objective", "stop_reason")}
    middle = truths[int(np.argsort(drawn, kind="stable")[len(drawn) // 2])]
    arrays = {
        "labels": np.array(found).astype(np.uint16),
        "human": _resized(middle, grey.shape),
        "image": np.rint(255 * grey).astype(np.uint8),
    }
    if matrices:
        arrays["matrices"] = np.array(matrices)
    return Outcome(metrics, fit, arrays)


def pixels_of(image, side, aspect=True):
    """Brightness and position of the pixels of an image that is stretched and reduced.

    Parameters
    ----------
    image : ndarray of shape (height, width)
        Grey levels; the smallest becomes 0 and the largest 1.
    side : int
        New pixels of the longer side. A smaller image stays as large as it is.
    aspect : bool, default=True
        A unit of position is the longer side in both directions; otherwise each side is one.

    Returns
    -------
    grey : ndarray of shape (new height, new width)
    position : ndarray of shape (new height * new width, 2)
        Row and column.

    Examples
    --------
    >>> grey, position = pixels_of(np.array([[2.0, 2.0, 4.0, 6.0]]), 2)
    >>> grey, position[:, 1]
    (array([[0.  , 0.75]]), array([0., 1.]))
    """
    if side < 2:
        raise ValueError(f"side must be at least 2, got {side}.")
    low, high = image.min(), image.max()
    stretched = (image - low) / (high - low) if high > low else np.zeros(image.shape)
    factor = min(side / max(image.shape), 1)
    shape = tuple(max(round(n * factor), 1) for n in image.shape)
    position = np.indices(shape).reshape(2, -1).T.astype(float)
    lengths = np.maximum(np.array(shape) - 1, 1)
    position /= lengths.max() if aspect else lengths
    return area_averaged(stretched[None], shape)[0], position


def cluster_rows(H, position, k, rng):
    """K-means of the rows of ``H``, scaled to unit length; a zero row joins its nearest neighbour.

    Parameters
    ----------
    H : ndarray of shape (n, r)
    position : ndarray of shape (n, 2)
        Where the samples lie. A zero row has no direction, so the label of the nearest row that
        is not zero is taken.
    k : int
        Clusters; no more than rows that are not zero.
    rng : Generator
        Ten starts.

    Returns
    -------
    ndarray of int of shape (n,)

    Examples
    --------
    >>> H = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 3.0]])
    >>> labels = cluster_rows(H, np.arange(5.0)[:, None], 2, np.random.default_rng(0))
    >>> labels == labels[0]
    array([ True,  True,  True, False, False])
    """
    known = np.flatnonzero(H.any(axis=1))
    labels = np.zeros(len(H), dtype=np.int32)
    if len(known):
        rows = normalize(H[known].astype(np.float64))
        labels[known] = kmeans(rows, min(k, len(known)), rng, n_init=_STARTS).labels_
        zero = np.setdiff1d(np.arange(len(H)), known)
        labels[zero] = labels[known[KDTree(position[known]).query(position[zero])[1]]]
    return labels


def _pictures(matrices, order):
    """Block means of reordered matrices in 8 bits, on one scale."""
    blocks = [block_means(A[np.ix_(order, order)], _CELLS) for A in matrices]
    white = np.quantile(blocks, 0.995)
    return np.rint(255 * np.clip(np.asarray(blocks) / (white or 1), 0, 1)).astype(np.uint8)


def _order(labels, H, scale):
    """Samples by label, within a label by the strongest component of it, times ``scale``."""
    strongest = np.empty(len(H))
    for label in np.unique(labels):
        own = labels == label
        strongest[own] = (scale[own, None] * H[own])[:, H[own].sum(axis=0).argmax()]
    return np.lexsort((-strongest, labels))


def _row_of(data, image, rng):
    if image is None:
        return int(rng.integers(len(data.images)))
    if image not in data.ids:
        raise ValueError(f"image must be one of {', '.join(data.ids)}, got {image!r}.")
    return data.ids.index(image)


def _scores_of_stripes(k, truths, digest):
    """Scores of k stripes of equal width, which are the same for all fits to an image."""

    def make():
        height, width = truths[0].shape
        return segmentation_scores(
            np.broadcast_to(np.arange(width) * k // width, (height, width)), truths
        )

    return _OF_STRIPES.get((k, digest), make)


_OF_STRIPES = GraphCache(size=256)


def _fit(solver, samples, W, r, rng):
    """Cost, factors, start and labels of a fit, as far as it has them."""
    model = copy.deepcopy(solver).set_params(n_components=r)
    known = model.get_params()
    if hasattr(model, "fit_predict"):
        if "affinity" in known:
            model.set_params(affinity=W)
        if "self_similarity" in known:
            model.set_params(self_similarity=True)
        fit, _ = timed_fit(model, samples)
        return fit, None, None, None, model.labels_
    start, given = None, {}
    if getattr(model, "symmetric", False) and hasattr(model, "inits"):
        start = model.inits[model.init](samples, r, rng)[0].copy()
        given = {"W": start, "H": start.T}
    fit, arrays = timed_fit(model, samples, representation=True, **given)
    return fit, arrays["W"], model.components_, start, None


def _of_factors(V, W, H):
    """Fit of the product to V, off the diagonal too, and zero rows."""
    dense = V.toarray() if sp.issparse(V) else V
    product = W @ H
    numbers = {
        "residual-ratio": np.abs(dense - product).sum() / np.abs(dense).sum(),
        "zero-rows": 1 - W.any(axis=1).mean(),
        "correlation": 0.0,
    }
    if dense.shape[0] == dense.shape[1]:
        off = ~np.eye(len(dense), dtype=bool)
        a, b = dense[off], product[off]
        if np.ptp(a) > 0 and np.ptp(b) > 0:
            numbers["correlation"] = np.corrcoef(a, b)[0, 1]
    return numbers


def _nearest(new, old):
    """Index of the old pixel at the centre of each new one, along a side."""
    return ((np.arange(new) + 0.5) * old / new).astype(int)


def _resized(labels, shape):
    """Labels at another size: each pixel has that of the one at its centre."""
    rows, columns = (_nearest(*sides) for sides in zip(shape, labels.shape, strict=True))
    return labels[np.ix_(rows, columns)]
