"""Scores of a segmentation against human segmentations: regions, pairs, boundaries, objects.

A segmentation is an array of labels, of shape (height, width). None of these scores should stand
alone: each has a degenerate segmentation that does well in it.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.ndimage import label
from scipy.spatial import KDTree

from nmfbench.optim.kernels.bipartite_matching import bipartite_matching

__all__ = [
    "HIGHER_IS_BETTER",
    "boundaries",
    "boundary_scores",
    "connected_segments",
    "covering",
    "human_scores",
    "n_pieces",
    "object_iou",
    "rand_index",
    "segmentation_scores",
    "variation_of_information",
]

HIGHER_IS_BETTER = {
    "covering": True,
    "pri": True,
    "vi": False,
    "boundary-f": True,
    "object-iou": True,
}
"""Scores of :func:`segmentation_scores`, and their directions."""

_TOLERANCE = 0.0075  # of the diagonal, between boundary pixels that match
_SMALLEST = 0.005  # of the image, for a segment of its own


def covering(found, truth):
    r"""Mean over pixels of the overlap of their true segment with the best one found.

    .. math:: \frac1N \sum_{R \in G} |R| \max_{R' \in S} \frac{|R \cap R'|}{|R \cup R'|}

    Parameters
    ----------
    found, truth : ndarray of int of shape (height, width)
        S and G.

    Returns
    -------
    float in (0, 1]
        Not symmetric.

    References
    ----------
    Arbelaez et al. (2011), Contour detection and hierarchical image segmentation, Section 3.1.

    Examples
    --------
    >>> covering(np.array([[0, 0, 1, 1]]), np.array([[0, 0, 0, 1]]))
    0.625
    """
    counts = _contingency(truth, found)
    sizes = counts.sum(axis=1)
    overlaps = counts / (sizes[:, None] + counts.sum(axis=0) - counts)
    return float(sizes @ overlaps.max(axis=1) / sizes.sum())


def rand_index(found, truth):
    """Share of the pairs of pixels that are together in both segmentations, or apart in both.

    The mean over humans is the probabilistic Rand index (PRI).

    Parameters
    ----------
    found, truth : ndarray of int of shape (height, width)
        Of two pixels or more.

    Returns
    -------
    float in [0, 1]

    References
    ----------
    Unnikrishnan, Pantofaru & Hebert (2007), Toward objective evaluation of image segmentation
    algorithms.

    Examples
    --------
    >>> rand_index(np.array([[0, 0, 1]]), np.array([[5, 5, 5]])).round(4)
    np.float64(0.3333)
    """
    counts = _contingency(truth, found)
    together, in_truth, in_found = (
        np.sum(n * (n - 1)) / 2 for n in (counts, counts.sum(axis=1), counts.sum(axis=0))
    )
    n = counts.sum()
    return 1 - (in_truth + in_found - 2 * together) / (n * (n - 1) / 2)


def variation_of_information(found, truth):
    """Entropy of each segmentation given the other, in bits: a metric; lower is better.

    Parameters
    ----------
    found, truth : ndarray of int of shape (height, width)

    Returns
    -------
    float, >= 0

    References
    ----------
    Meila (2005), Comparing clusterings: an axiomatic view.

    Examples
    --------
    >>> variation_of_information(np.array([[0, 0, 0, 0]]), np.array([[0, 1, 2, 3]]))
    2.0
    """
    counts = _contingency(truth, found)
    joint, rows, columns = (
        _entropy(n / counts.sum()) for n in (counts, counts.sum(axis=1), counts.sum(axis=0))
    )
    return max(float(2 * joint - rows - columns), 0.0)


def boundaries(segments):
    """Pixels whose right or lower neighbour has another label.

    Examples
    --------
    >>> boundaries(np.array([[0, 0, 1], [0, 2, 1]])).astype(int)
    array([[0, 1, 0],
           [1, 1, 0]])
    """
    found = np.zeros(segments.shape, dtype=bool)
    found[:, :-1] |= segments[:, :-1] != segments[:, 1:]
    found[:-1] |= segments[:-1] != segments[1:]
    return found


def boundary_scores(found, truths):
    """Precision, recall and F-measure of boundaries, matched one to one.

    A boundary pixel matches one within 0.0075 of the diagonal, as many as possible with each
    human. A pixel found is right if any human has one for it; recall counts the pixels of all
    humans.

    Parameters
    ----------
    found : ndarray of int of shape (height, width)
    truths : sequence of such

    Returns
    -------
    precision, recall, f : float
        0 where nothing matches; 1 if no one sees a boundary.

    References
    ----------
    Martin, Fowlkes & Malik (2004), Learning to detect natural image boundaries.
    """
    tolerance = _TOLERANCE * np.hypot(*found.shape)
    points = _Points(found)
    drawn = [_points_of(truth.shape, truth.dtype, truth.tobytes()) for truth in truths]
    total = sum(of_human.count for of_human in drawn)
    if not points.count and not total:
        return 1.0, 1.0, 1.0
    right, matched = np.zeros(points.count, dtype=bool), 0
    for of_human in drawn:
        partners = _matched(points, of_human, tolerance)
        right |= partners
        matched += partners.sum()
    precision = right.mean() if points.count else 0.0
    recall = matched / total if total else 0.0
    both = precision + recall
    return float(precision), float(recall), float(2 * precision * recall / both) if both else 0.0


def object_iou(found, truth):
    """Overlap of a drawn object with the segment found that fits it best.

    The object is the largest true segment that does not touch the border of the image.

    Parameters
    ----------
    found, truth : ndarray of int of shape (height, width)

    Returns
    -------
    float in (0, 1], or None
        Intersection over union; None if every true segment touches the border.

    Examples
    --------
    >>> truth = np.pad(np.ones((2, 2), dtype=int), 1)
    >>> object_iou(np.pad(np.ones((2, 3), dtype=int), ((1, 1), (1, 0))), truth)
    0.6666666666666666
    >>> object_iou(truth, np.arange(16).reshape(4, 4) // 8) is None
    True
    """
    edges = (truth[0], truth[-1], truth[:, 0], truth[:, -1])
    inside = ~np.isin(truth, np.unique(np.concatenate(edges)))
    if not inside.any():
        return None
    labels, sizes = np.unique(truth[inside], return_counts=True)
    is_object = truth == labels[sizes.argmax()]
    counts = _contingency(is_object, found)
    return float((counts[1] / (is_object.sum() + counts[0])).max())


def segmentation_scores(found, truths):
    """All scores of a segmentation, each a mean over humans.

    Parameters
    ----------
    found : ndarray of int of shape (height, width)
    truths : sequence of such

    Returns
    -------
    dict of str to float
        ``covering``; ``pri``; ``vi``, in bits; ``boundary-precision``, ``boundary-recall`` and
        ``boundary-f``, see :func:`boundary_scores`, which pools the humans; ``object-iou``, over
        humans who drew an object, if any did.
    """
    pairs = {"covering": covering, "pri": rand_index, "vi": variation_of_information}
    scores = {name: np.mean([score(found, t) for t in truths]) for name, score in pairs.items()}
    names = ("boundary-precision", "boundary-recall", "boundary-f")
    scores |= zip(names, boundary_scores(found, truths), strict=True)
    overlaps = [iou for iou in (object_iou(found, t) for t in truths) if iou is not None]
    if overlaps:
        scores["object-iou"] = np.mean(overlaps)
    return {name: float(score) for name, score in scores.items()}


def human_scores(truths):
    """Scores of a human against the others, mean over humans: the ceiling.

    Parameters
    ----------
    truths : sequence of ndarray of int of shape (height, width)
        Two at least.

    Returns
    -------
    dict
        As of :func:`segmentation_scores`.
    """
    each = [
        segmentation_scores(own, [*truths[:i], *truths[i + 1 :]]) for i, own in enumerate(truths)
    ]
    names = set.union(*map(set, each))
    return {
        name: float(np.mean([scores[name] for scores in each if name in scores]))
        for name in sorted(names)
    }


def n_pieces(segments):
    """Number of connected pieces, by the four nearest pixels, of all segments together.

    Examples
    --------
    >>> n_pieces(np.array([[0, 1, 0], [1, 1, 0]]))
    3
    """
    return int(_pieces(segments).max()) + 1


def connected_segments(segments):
    """Make each connected piece a segment, and merge segments that are too small.

    Below 0.5 % of the image, the smallest first joins the neighbour with the longest common
    border; of equally long ones that with the lower label.

    Parameters
    ----------
    segments : ndarray of int of shape (height, width)

    Returns
    -------
    ndarray of int of the same shape

    Examples
    --------
    >>> connected_segments(np.array([[0, 0, 1, 0, 0]]))
    array([[0, 0, 2, 1, 1]])
    """
    pieces = _pieces(segments)
    while True:
        sizes = np.bincount(pieces.ravel())
        present = np.flatnonzero(sizes)
        smallest = present[sizes[present].argmin()]
        if len(present) == 1 or sizes[smallest] >= _SMALLEST * pieces.size:
            return np.searchsorted(present, pieces)
        own = np.pad(pieces == smallest, 1)
        labels = np.pad(pieces, 1, constant_values=-1)
        touching = np.concatenate(
            [labels[np.roll(own, by, axis) & ~own] for axis in (0, 1) for by in (-1, 1)]
        )
        pieces[pieces == smallest] = np.bincount(touching[touching >= 0]).argmax()


def _contingency(truth, found):
    """Numbers of pixels with each pair of labels, in double precision."""
    # Labels are small whole numbers: to count pairs of them is ten times as fast as to sort them.
    rows, columns = (np.subtract(n, n.min(), dtype=np.intp).ravel() for n in (truth, found))
    shape = rows.max() + 1, columns.max() + 1
    pairs = np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1])
    counts = pairs.reshape(shape).astype(np.float64)
    return counts[counts.any(axis=1)][:, counts.any(axis=0)]


def _entropy(p):
    p = p[p > 0]
    return -np.sum(p * np.log2(p))


class _Points:
    """Boundary pixels of a segmentation, and a tree of them."""

    def __init__(self, segments):
        found = np.argwhere(boundaries(segments))
        self.count = len(found)
        self.tree = KDTree(found) if len(found) else None


@lru_cache(maxsize=16)
def _points_of(shape, dtype, content):
    """Boundary points of a human segmentation, cached: many segmentations are scored against it."""
    return _Points(np.frombuffer(content, dtype).reshape(shape))


def _matched(points, others, tolerance):
    """Which points have a partner in a largest one-to-one matching with others near them."""
    if not points.count or not others.count:
        return np.zeros(points.count, dtype=bool)
    found = points.tree.sparse_distance_matrix(others.tree, tolerance, output_type="ndarray")
    i, j = found["i"], found["j"]
    order = np.lexsort((j, found["v"], i))  # nearest first
    indptr = np.searchsorted(i[order], np.arange(points.count + 1))
    return bipartite_matching(indptr, j[order], others.count) >= 0


def _pieces(segments):
    """Number of its connected piece, from 0, for each pixel."""
    pieces, used = np.zeros(segments.shape, dtype=np.int64), 0
    for value in np.unique(segments):
        found, count = label(segments == value)
        pieces += np.where(found > 0, found + used - 1, 0)
        used += count
    return pieces
