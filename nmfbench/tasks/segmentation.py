"""Segmentation: do the clusters of the pixels of an image look like what humans draw?"""

from __future__ import annotations

import copy
import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.validation import check_choice
from nmfbench.metrics.contrast import block_means, bound_share, class_contrast
from nmfbench.metrics.segmentation import (
    connected_segments,
    human_scores,
    n_pieces,
    segmentation_scores,
)
from nmfbench.optim.graphs import GraphCache
from nmfbench.tasks.base import Outcome, timed_fit, total_cost
from nmfbench.tasks.pixels import cluster_rows, image_row, pixel_graph

__all__ = ["segmentation"]

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
    unit_rows=False,
):
    r"""Cluster the pixels of an image, and score the segments against every human's.

    The image is reduced, its pixels are the nodes of a graph, see
    :class:`~nmfbench.tasks.pixels.PixelGraph`, and segments go back to its own size, where they are
    scored. A factorization is one of :math:`V = D^{-1/2} W D^{-1/2}`, whose eigenvectors normalised
    cuts use.

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
        Of the graph, see :func:`~nmfbench.tasks.pixels.pixel_graph`.
    corrupted : float, default=0
        Share of the entries of V that are replaced, see
        :func:`~nmfbench.optim.pixel_graphs.corrupted_affinity`.
    features : {"affinity", "brightness", "both"}, default="affinity"
        Samples, which do not matter to a clusterer that takes an affinity: the rows of V,
        brightness, or brightness and position.
    rule : {"kmeans", "argmax"}, default="kmeans"
        Segments of a factorization: K-means of its rows, see
        :func:`~nmfbench.tasks.pixels.cluster_rows`, or the largest entry of each.
    connected : bool, default=False
        Make each connected piece a segment, see
        :func:`~nmfbench.metrics.segmentation.connected_segments`.
    humans : bool, default=False
        Also score each human against the others.
    details : bool, default=False
        Also keep pictures of V and W H, and look at the diagonal terms, if W H is symmetric.
    unit_rows : bool, default=False
        Look at the diagonal terms once the rows of H have unit length.

    Returns
    -------
    Outcome
        Metrics. For each number of segments k, as ``...@k``:

        - :func:`~nmfbench.metrics.segmentation.segmentation_scores`
        - of the segments: ``segments``, how many there are; ``pieces``, how many connected ones;
          ``largest-segment``, its share of the image. ``contrast-affinity``, see
          :func:`~nmfbench.metrics.contrast.class_contrast`, of V
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
        :func:`~nmfbench.metrics.contrast.block_means`: V and W H, with the pixels of a segment
        together, 8 bits, in which 255 is the 99.5 % quantile of both; and ``bound-diagonal@k``,
        with that of the start, the share of the entries of H with :math:`Z_{ii} \le 0`, where
        :math:`Z` is V without the other components: what the authors assume of all.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 5.3.2, Figures 12 to 15; Shi & Malik (2000); Arbelaez et
    al. (2011).
    """
    check_choice(features, "features", ("affinity", "brightness", "both"))
    check_choice(rule, "rule", ("kmeans", "argmax"))
    row = int(rng.integers(len(data.images))) if image is None else image_row(data, image)
    truths = _Truths(list(data.segmentations[row]))
    graph = pixel_graph(
        data.X[row].reshape(truths.shape),
        side,
        aspect=aspect,
        sigma_brightness=sigma_brightness,
        sigma_position=sigma_position,
        radius=radius,
    )
    if corrupted:
        graph = graph.corrupted(corrupted, rng)
    samples = _samples(graph, features, getattr(solver, "accepts_sparse", False))
    seed = int(rng.integers(2**31))

    def cluster(rows, k):
        if rule == "argmax":
            return rows.argmax(axis=1)
        return cluster_rows(rows, graph.position, k, np.random.default_rng(seed))

    metrics: dict[str, float] = {}
    found, matrices = [], []
    fits: list[_Fit] = []
    for k in segments:
        r = k if n_components is None or hasattr(solver, "fit_predict") else n_components
        if not fits or fits[-1].rank != r:
            fits.append(_fit(solver, samples, graph.W, r, np.random.default_rng(seed)))
        fit = fits[-1]
        labels = fit.labels
        if labels is None:
            labels = cluster(fit.H, k)
            metrics |= _at(k, fit.numbers | fit.contrast(labels))
            if details:
                matrices.append(fit.pictures(graph, labels))
                metrics |= _at(k, fit.diagonal(graph.V, unit_rows))
        segmented = _segmented(labels, graph, connected)
        found.append(segmented)
        scores = truths.scores(segmented)
        if features == "affinity":
            scores["contrast-affinity"] = class_contrast(graph.V, None, labels)
        metrics |= _at(k, scores | _sizes(segmented))
        if fit.start is not None:
            scores = truths.scores(_segmented(cluster(fit.start, k), graph, connected))
            metrics |= _at(k, scores | fit.numbers_of_start, "-start")
        metrics |= _at(k, truths.scores_of_stripes(k), "-stripes")
    one = truths.scores_of_stripes(1)
    metrics |= {f"{name}-one": value for name, value in one.items()}
    if humans:
        scores = human_scores(truths.segmentations)
        metrics |= {f"{name}-humans": value for name, value in scores.items()}
    metrics["human-segments"] = float(np.median(truths.counts))
    metrics["graph-zeros"] = 1 - graph.V.nnz / graph.V.shape[0] ** 2
    gains = [
        metrics[f"covering@{k}"] - max(one["covering"], metrics[f"covering-stripes@{k}"])
        for k in segments
    ]
    metrics["gain"] = np.mean(gains)
    arrays = {
        "labels": np.array(found).astype(np.uint16),
        "human": _resized(truths.middle, graph.grey.shape),
        "image": np.rint(255 * graph.grey).astype(np.uint8),
    }
    if matrices:
        arrays["matrices"] = np.array(matrices)
    last = {name: fits[-1].cost[name] for name in ("objective", "stop_reason")}
    return Outcome(metrics, total_cost([fit.cost for fit in fits]) | last, arrays)


class _Truths:
    """What humans drew of an image, at the image's own size."""

    def __init__(self, segmentations):
        self.segmentations = segmentations
        self.shape = segmentations[0].shape
        self.counts = np.array([len(np.unique(drawn)) for drawn in segmentations])

    @property
    def middle(self):
        """A segmentation of the median number of segments."""
        order = np.argsort(self.counts, kind="stable")
        return self.segmentations[int(order[len(order) // 2])]

    def scores(self, segmented):
        """Scores of segments at any size."""
        return segmentation_scores(_resized(segmented, self.shape), self.segmentations)

    def scores_of_stripes(self, k):
        """Scores of k stripes of equal width, which are the same for all fits to an image."""

        def make():
            height, width = self.shape
            stripes = np.arange(width) * k // width
            return segmentation_scores(
                np.broadcast_to(stripes, (height, width)), self.segmentations
            )

        return _OF_STRIPES.get((k, self._digest), make)

    @cached_property
    def _digest(self):
        content = np.array(self.segmentations).tobytes() + repr(self.shape).encode()
        return hashlib.blake2b(content).digest()


@dataclass(frozen=True)
class _Fit:
    """A fit: labels of a clusterer, or factors, and the start of a symmetric solver."""

    rank: int
    cost: dict[str, Any]
    samples: Any
    labels: np.ndarray | None = None
    H: Any = None
    components: Any = None
    start: Any = None

    @cached_property
    def numbers(self):
        return _of_factors(self.samples, self.H, self.components)

    @cached_property
    def numbers_of_start(self):
        numbers = _of_factors(self.samples, self.start, self.start.T)
        del numbers["correlation"]
        return numbers

    def contrast(self, labels):
        return {"contrast-product": class_contrast(self.H, self.components.T, labels)}

    def pictures(self, graph, labels):
        order = _order(labels, self.H, np.sqrt(graph.W.sum(axis=1)))
        return _pictures([graph.V.toarray(), self.H @ self.components], order)

    def diagonal(self, V, unit_rows):
        """What the authors assume of the diagonal terms, if the product is symmetric."""
        if self.start is None:
            return {}
        factors = {"bound-diagonal": self.H, "bound-diagonal-start": self.start}
        if unit_rows:
            factors = {name: normalize(factor) for name, factor in factors.items()}
        return {name: bound_share(V, factor) for name, factor in factors.items()}


def _at(k, numbers, suffix=""):
    return {f"{name}{suffix}@{k}": value for name, value in numbers.items()}


def _samples(graph, features, sparse):
    if features == "affinity":
        return graph.V if sparse else graph.V.toarray()
    grey = graph.grey.reshape(-1, 1)
    return grey if features == "brightness" else np.column_stack([grey, graph.position])


def _segmented(labels, graph, connected):
    """The reduced image in segments."""
    segmented = labels.reshape(graph.grey.shape)
    return connected_segments(segmented) if connected else segmented


def _sizes(segmented):
    sizes = np.bincount(np.unique(segmented, return_inverse=True)[1].ravel())
    return {
        "segments": len(sizes),
        "pieces": n_pieces(segmented),
        "largest-segment": sizes.max() / sizes.sum(),
    }


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


_OF_STRIPES = GraphCache(size=256)


def _fit(solver, samples, W, r, rng) -> _Fit:
    model = copy.deepcopy(solver).set_params(n_components=r)
    known = model.get_params()
    if hasattr(model, "fit_predict"):
        if "affinity" in known:
            model.set_params(affinity=W)
        if "self_similarity" in known:
            model.set_params(self_similarity=True)
        cost, _ = timed_fit(model, samples)
        return _Fit(r, cost, samples, labels=model.labels_)
    start, given = None, {}
    if getattr(model, "symmetric", False) and hasattr(model, "inits"):
        start = model.inits[model.init](samples, r, rng)[0].copy()
        given = {"W": start, "H": start.T}
    cost, arrays = timed_fit(model, samples, representation=True, **given)
    return _Fit(r, cost, samples, H=arrays["W"], components=model.components_, start=start)


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
