"""Corruptions of images, the levels at which they are studied, and how their harm is measured."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from nmfbench.problems.problem import Problem

__all__ = ["NOISES", "Noise", "at_levels"]


@dataclass(frozen=True)
class Noise:
    """A corruption, and the axis along which it does harm.

    Parameters
    ----------
    corruption : str
    title, axis : str
        Its name, and that of its dose.
    levels, quick : tuple of float
        Of the study of breakdown: the whole grid, and the quick one.
    dose : callable, optional
        Makes of a level a number that grows with the harm, 0 for clean data.
    from_clean : bool, default=True
        Clean data are the left end of the curves.
    """

    corruption: str
    title: str
    axis: str
    levels: tuple[float, ...]
    quick: tuple[float, ...]
    dose: Callable[[float], float] = float
    from_clean: bool = True


_SCALES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0)

NOISES = {
    noise.corruption: noise
    for noise in (
        Noise(
            "occlusion",
            "occlusion",
            "side, share of the image's",
            (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8),
            (0.1, 0.2, 0.4),
        ),
        Noise("laplace", "Laplace", "scale", _SCALES, (0.1, 0.2, 0.4)),
        Noise(
            "salt-pepper",
            "salt & pepper",
            "share of pixels",
            (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8),
            (0.1, 0.25, 0.5),
        ),
        Noise("gaussian", "Gaussian", "deviation", _SCALES, (0.1, 0.2, 0.4)),
        Noise(
            "poisson",
            "Poisson",
            "deviation at white, 1/√counts",
            (400.0, 100.0, 50.0, 25.0, 12.0, 6.0, 3.0, 2.0, 1.0, 0.5),
            (100.0, 25.0, 3.0),
            dose=lambda counts: 1 / math.sqrt(counts),
        ),
        Noise(
            "sparse-laplace",
            "sparse Laplace",
            "deviation before the cut",
            (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.5),
            (0.1, 0.3, 0.7),
        ),
        Noise(
            "exponential",
            "exponential",
            "factor on the mean",
            (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0),
            (0.25, 1.0, 4.0),
            from_clean=False,
        ),
    )
}
"""By corruption."""


def at_levels(clean: Problem, levels) -> list[Problem]:
    """A problem on clean data, and the same at each corruption and level.

    Parameters
    ----------
    clean : Problem
    levels : iterable of (str, float)
        Corruptions of :data:`NOISES`, and their levels.
    """
    return [clean] + [
        replace(
            clean,
            label=f"{clean.label}, {NOISES[corruption].title} {level:g}",
            corruption=corruption,
            level=level,
        )
        for corruption, level in levels
    ]
