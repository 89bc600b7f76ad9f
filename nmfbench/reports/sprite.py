"""One image with all frames of an artefact's clips, of which a page shows a part at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from nmfbench.artefacts.strips import Strip

__all__ = ["Sprite", "Tile", "pack"]

_QUALITY = 20  # of 100: shadows are still seen, and five clips take a quarter of a megabyte
_BLOCK = 16  # pixels that WebP codes together: a tile begins with a block of its own


@dataclass(frozen=True)
class Tile:
    """A view of a clip: its frames lie side by side in the sprite, beginning at the left."""

    name: str
    top: int
    width: int
    height: int


@dataclass(frozen=True)
class Sprite:
    """Image with all frames of some strips, and where they are in it.

    Attributes
    ----------
    image : ndarray of uint8 of shape (height, width, 3)
    clips : list of (Strip, dict of str to list of Tile)
        The tiles by the headings of the columns.
    """

    image: np.ndarray
    clips: list[tuple[Strip, dict[str, list[Tile]]]]

    def save(self, path) -> None:
        """Write the image as WebP."""
        Image.fromarray(self.image).save(path, "WEBP", quality=_QUALITY, method=6)


def pack(strips: Sequence[Strip]) -> Sprite:
    """Put the views of all strips below each other, the frames of each side by side."""
    rows: list[np.ndarray] = []
    clips = []
    for strip in strips:
        columns: dict[str, list[Tile]] = {}
        for heading, views in strip.columns.items():
            for name, images in views.items():
                _, height, width, *_ = images.shape
                tile = Tile(name, sum(map(len, rows)), width, height)
                columns.setdefault(heading, []).append(tile)
                rows.append(_side_by_side(images))
        clips.append((strip, columns))
    widest = max(row.shape[1] for row in rows)
    padded = [np.pad(row, ((0, 0), (0, widest - row.shape[1]), (0, 0))) for row in rows]
    return Sprite(np.concatenate(padded), clips)


def _side_by_side(images):
    colours = images if images.ndim == 4 else np.repeat(images[..., None], 3, axis=-1)
    row = np.concatenate(list(colours), axis=1)
    return np.pad(row, ((0, -len(row) % _BLOCK), (0, 0), (0, 0)), mode="edge")
