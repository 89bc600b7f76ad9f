"""A generated clip whose background and foreground are known."""

import numpy as np
from sklearn.utils import Bunch

from nmfbench.core.registry import register_dataset

__all__ = ["moving_square", "rebounding"]


@register_dataset(
    "moving-square",
    kind="video",
    title="Moving square",
    generated=True,
    n_samples=40,
    n_features=768,
    n_classes=None,
    source="generated: a square that moves in front of a gradient",
    licence="none needed",
    scaling="grey levels in [0, 1]",
)
def moving_square(rng, n_frames=40, image_shape=(24, 32), side=6, noise=0.05):
    """A still gradient of grey levels, and in front of it a square that rebounds from the edges.

    In 40 frames of the default shape no pixel is covered in half of them, so that the temporal
    median is the background. The square is darker or brighter by 0.2 than what it covers, so that
    no grey level tells what it is.

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws direction of the gradient, sign and path of the square, and noise.
    n_frames : int, default=40
    image_shape : (int, int), default=(24, 32)
        Height and width.
    side : int, default=6
        Of the square, in pixels.
    noise : float, default=0.05
        Deviation of Gaussian noise; grey levels are clipped to [0, 1].

    Returns
    -------
    Bunch
        The fields of :func:`~nmfbench.datasets.video.load_video`, with a mask of every frame; and
        ``background``, of shape (n_features,).

    Examples
    --------
    >>> clip = moving_square(np.random.default_rng(0), noise=0)
    >>> bool((clip.X == clip.background)[clip.masks == 0].all())
    True
    >>> int((clip.masks == 255).sum(axis=1).max())
    36
    """
    height, width = image_shape
    if not 1 <= side < min(height, width):
        raise ValueError(f"side must be at least 1 and less than height and width, got {side}.")
    if n_frames < 1 or noise < 0:
        raise ValueError(
            f"n_frames must be at least 1 and noise must not be negative, "
            f"got n_frames={n_frames}, noise={noise}."
        )
    angle = rng.uniform(0, 2 * np.pi)
    rows, columns = np.mgrid[:height, :width]
    ramp = np.cos(angle) * columns + np.sin(angle) * rows
    background = 0.3 + 0.4 * (ramp - ramp.min()) / np.ptp(ramp)
    step = rng.choice([-0.2, 0.2])
    # Fast enough across that no pixel stays covered.
    top = rebounding(rng, n_frames, height - side, rng.uniform(0.4, 0.8))
    left = rebounding(rng, n_frames, width - side, rng.uniform(1.2, 1.8))
    moving = np.zeros((n_frames, height, width), dtype=bool)
    for frame, i, j in zip(moving, top, left, strict=True):
        frame[i : i + side, j : j + side] = True
    frames = background + step * moving
    frames = np.clip(frames + noise * rng.standard_normal(frames.shape), 0, 1)
    return Bunch(
        X=frames.reshape(n_frames, -1),
        y=None,
        image_shape=(height, width),
        upper=1.0,
        masks=np.where(moving, 255, 0).astype(np.uint8).reshape(n_frames, -1),
        gt_frames=np.arange(n_frames),
        frame_index=np.arange(1, n_frames + 1),
        background=background.ravel(),
    )


def rebounding(rng, n, room, speed):
    """Whole positions from 0 to ``room`` of a point that rebounds from both ends.

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws where it begins, and in which direction.
    n, room : int
        Positions, and the largest.
    speed : float
        Way from one to the next.

    Returns
    -------
    ndarray of int of shape (n,)
    """
    travelled = rng.uniform(0, 2 * room) + speed * np.arange(n)
    return np.rint(room - np.abs(travelled % (2 * room) - room)).astype(int)
