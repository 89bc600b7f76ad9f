"""Strips: frames of a clip in several views, which a report lets its reader step through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import binary_dilation

__all__ = ["Strip", "outlined"]

_COLOUR = (255, 140, 0)


@dataclass(frozen=True)
class Strip:
    """Frames of a clip in several views, side by side.

    Parameters
    ----------
    title : str
    frames : sequence of str
        Names of the frames, such as ``"frame 67"``.
    columns : mapping of str to mapping of str to ndarray of uint8
        By heading the views in a column, and by name their images, one for each frame: of shape
        (n_frames, height, width) if they are grey, or with three colours as a last axis.
    first : int, default=0
        Frame that is shown at first, or always where there are no scripts.
    """

    title: str
    frames: Sequence[str]
    columns: Mapping[str, Mapping[str, np.ndarray]]
    first: int = 0


def outlined(images: np.ndarray, foreground: np.ndarray) -> np.ndarray:
    """Grey images with an orange line around the foreground, just outside of it.

    Parameters
    ----------
    images : ndarray of uint8 of shape (n_images, height, width)
    foreground : ndarray of bool of the same shape

    Returns
    -------
    ndarray of uint8 of shape (n_images, height, width, 3)

    Examples
    --------
    >>> image, foreground = np.zeros((1, 3, 3), np.uint8), np.zeros((1, 3, 3), bool)
    >>> foreground[0, 0, 0] = True
    >>> outlined(image, foreground)[0, :, :, 0]
    array([[  0, 255,   0],
           [255, 255,   0],
           [  0,   0,   0]], dtype=uint8)
    """
    across = np.ones((1, 3, 3), dtype=bool)
    line = binary_dilation(foreground, structure=across) & ~foreground
    return np.where(line[..., None], np.array(_COLOUR, np.uint8), images[..., None])
