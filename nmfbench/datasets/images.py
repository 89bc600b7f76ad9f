"""Common parts of image sets: one row an image, read row by row."""

import numpy as np
from sklearn.utils import Bunch

from nmfbench.core.registry import register_dataset

__all__ = ["load_grey", "load_unscaled", "register_images"]


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
