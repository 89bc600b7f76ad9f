"""Common parts of image sets: one row an image, read row by row."""

import numpy as np
from sklearn.utils import Bunch

from nmfbench.core.registry import register_dataset

__all__ = ["area_averaged", "load_grey", "load_unscaled", "register_images"]


def load_unscaled(arrays):
    """Images whose values are in [0, 1] already."""
    shape = tuple(int(n) for n in arrays["image_shape"])
    y = arrays["y"].copy() if "y" in arrays else None
    return Bunch(X=arrays["X"].astype(np.float64), y=y, image_shape=shape, upper=1.0)


def load_grey(arrays):
    """Images of grey levels 0 to 255, divided by 255."""
    bunch = load_unscaled(arrays)
    bunch.X /= 255.0
    return bunch


def register_images(rows, loader, scaling):
    """Register a table of image sets that are stored alike."""
    for key, row in rows.items():
        register_dataset(key, kind="images", scaling=scaling, **row)(loader)


def area_averaged(images, shape):
    """Resize images: a new pixel is the mean over the area of the old image that it covers.

    Parameters
    ----------
    images : ndarray of shape (n_images, height, width)
    shape : (int, int)
        New height and width.

    Returns
    -------
    ndarray of shape (n_images, new height, new width)

    Examples
    --------
    >>> area_averaged(np.array([[[0.0, 3.0, 6.0]]]), (1, 2))
    array([[[1., 5.]]])
    """
    rows, columns = (_coverage(*sides) for sides in zip(images.shape[1:], shape, strict=True))
    return rows @ images @ columns.T


def _coverage(old, new):
    """Weights of ``old`` pixels in each of ``new`` ones along a side; they sum to 1."""
    edges = np.linspace(0, old, new + 1)[:, None]
    pixels = np.arange(old)
    overlaps = np.minimum(edges[1:], pixels + 1) - np.maximum(edges[:-1], pixels)
    return np.maximum(overlaps, 0) * (new / old)
