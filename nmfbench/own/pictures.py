"""A folder of pictures as a matrix, one row for each, in grey levels from 0 to 1."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from nmfbench.core.text import one_line
from nmfbench.own.parsed import Parsed, Refused

__all__ = ["ENDINGS", "from_pictures"]

ENDINGS = (".png", ".jpg", ".jpeg", ".pgm", ".ppm", ".bmp", ".tif", ".tiff", ".gif", ".webp")
"""Of files that count as pictures; others of a folder are left alone."""


def from_pictures(path: Path, options, limit: int) -> Parsed:
    """Read all pictures of a folder and its folders, in the order of their names.

    Parameters
    ----------
    path : Path
    options : dict
        ``image_side``: resize them to a square of so many pixels a side. ``labels="folder"``:
        classes are the folders that they are in.
    limit : int
        Bytes.

    Raises
    ------
    Refused
        If there are none, or they differ in size, or one cannot be read.
    """
    from PIL import Image

    files = sorted(
        Path(folder, name)
        for folder, _, names in os.walk(path)
        for name in names
        if name.lower().endswith(ENDINGS)
    )
    if not files:
        raise Refused(
            f"holds no picture ({' '.join(ENDINGS)}) and no matrix.mtx: name a file or a folder "
            "that does."
        )
    names = [file.relative_to(path).as_posix() for file in files]
    side = options["image_side"]
    sizes = []
    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        for file, name in zip(files, names, strict=True):
            try:
                with Image.open(file) as image:
                    sizes.append(image.size)
            except Exception as error:  # whatever damage makes decoders do
                raise Refused(_unreadable(name, error)) from None
        usual, _ = Counter(sizes).most_common(1)[0]
        odd = [name for name, size in zip(names, sizes, strict=True) if size != usual]
        if odd and side is None:
            raise Refused(
                f"holds pictures of several sizes: {len(files) - len(odd)} of {usual[0]} x "
                f"{usual[1]} pixels, {one_line(odd[0])} and {len(odd) - 1} others of another; give "
                "image_side, pixels a side to resize all to."
            )
        pixels = side * side if side else usual[0] * usual[1]
        if (n_bytes := len(files) * pixels * 8 + max(w * h for w, h in sizes) * 16) > limit:
            raise Refused(
                f"would take {n_bytes / 1e6:.0f} MB in memory, more than the {limit / 1e6:.0f} MB "
                "there are: give image_side, fewer pixels a side."
            )
        rows = np.empty((len(files), pixels))
        for i, (file, name) in enumerate(zip(files, names, strict=True)):
            try:
                with Image.open(file) as image:
                    grey = _grey(image)
            except Exception as error:  # likewise
                raise Refused(_unreadable(name, error)) from None
            rows[i] = (_resized(grey, side) if side else grey).ravel()
    shape = (side, side) if side else (usual[1], usual[0])
    folders = [str(Path(name).parent) for name in names]
    labels = folders if options["labels"] == "folder" else None
    if labels and len(set(labels)) < 2:
        raise Refused(
            "has all pictures in one folder, so labels='folder' tells no classes apart: put each "
            "class into a folder of its own."
        )
    note = f"{len(files)} pictures of {shape[0]} x {shape[1]} pixels, grey levels from 0 to 1"
    return Parsed(rows, names, None, labels, image_shape=shape, notes=[note])


def _grey(image):
    """Grey levels from 0 to 1."""
    if image.mode.startswith("I;16") or image.mode == "I":
        return np.asarray(image, dtype=np.float64) / 65535
    if image.mode == "F":
        return np.asarray(image, dtype=np.float64)
    return np.asarray(image.convert("L"), dtype=np.float64) / 255


def _resized(grey, side):
    from nmfbench.datasets.images import area_averaged  # which is slow to import

    return area_averaged(grey[None], (side, side))


def _unreadable(name, error):
    reason = one_line(error)[:200].rstrip(".") or type(error).__name__
    return (
        f"holds a picture that cannot be read, {one_line(name)} ({reason}): remove or replace it."
    )
