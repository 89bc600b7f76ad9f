"""The graph of the pixels of an image, and clusters of its nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from scipy.spatial import KDTree
from sklearn.preprocessing import normalize

from nmfbench.core.validation import check_choice
from nmfbench.datasets.images import area_averaged
from nmfbench.optim.pixel_graphs import corrupted_affinity, pixel_affinity
from nmfbench.solvers.graph.clusterers import kmeans
from nmfbench.solvers.graph.spectral import normalized_affinity

__all__ = ["PixelGraph", "cluster_rows", "image_row", "pixel_graph", "pixels_of"]

_STARTS = 10  # of K-means


@dataclass(frozen=True)
class PixelGraph:
    """A reduced image, and the graph whose nodes are its pixels.

    Attributes
    ----------
    grey : ndarray of shape (height, width)
        Brightness, from 0 to 1.
    position : ndarray of shape (height * width, 2)
    W : CSR array
        Affinity of the pixels, with a diagonal of ones unless it is corrupted.
    V : CSR array
        :math:`D^{-1/2} W D^{-1/2}`, where D has the row sums of W on its diagonal.
    """

    grey: np.ndarray
    position: np.ndarray
    W: sp.csr_array
    V: sp.csr_array

    def corrupted(self, share, rng) -> PixelGraph:
        """The graph with a share of the entries of V replaced, see :func:`corrupted_affinity`."""
        V = corrupted_affinity(self.V, share, rng)
        scale = sp.diags_array(np.sqrt(self.W.sum(axis=1)))
        return replace(self, V=V, W=(scale @ V @ scale).tocsr())


def pixel_graph(image, side, *, aspect=True, **affinity) -> PixelGraph:
    """The graph of an image that is stretched and reduced.

    Parameters
    ----------
    image : ndarray of shape (height, width)
    side, aspect
        See :func:`pixels_of`.
    **affinity
        ``sigma_brightness``, ``sigma_position`` and ``radius`` of :func:`pixel_affinity`.
    """
    grey, position = pixels_of(image, side, aspect)
    W = pixel_affinity(grey.ravel(), position, **affinity)
    return PixelGraph(grey, position, W, normalized_affinity(W))


def image_row(data, image) -> int:
    """Row of an image in a data set of images.

    Raises
    ------
    ValueError
        If there is no such image, with the names of all.
    """
    check_choice(image, "image", data.ids)
    return data.ids.index(image)


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
