"""Regions that claims name for an effect: a lead, a margin, bounds.

A region places an estimate: the probability, two-sided, that it would lie as far inside of the
region, or outside, were its true value at the border; and of a lead, that there is none of the
smallest difference that matters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from scipy import special

from nmfbench.artefacts.estimate import Estimate
from nmfbench.core.matters import Ratio
from nmfbench.core.matters import margin as margin_of
from nmfbench.stats.pooled import t_ratio

__all__ = ["Bounds", "Lead", "Margin", "Place", "Region", "Smallest"]

Smallest = Callable[[str], float | Ratio | None]
"""Metric -> its smallest difference that matters."""


class Place(NamedTuple):
    """p-values of an estimate in a region, two-sided.

    Attributes
    ----------
    inside, outside : float
        Of the claim, and of its contrary.
    no_lead : float
        That it leads by less than the smallest difference that matters; 1 where nobody asks.

    Of an estimate whose mean is an array, as of draws, they are arrays.
    """

    inside: float
    outside: float
    no_lead: float = 1.0


def _between(estimate, low, high):
    """Both p-values of a place between two ends, in the scale of the mean."""
    if estimate.exact:
        within = low <= estimate.mean <= high
        return Place(0.0 if within else 1.0, 1.0 if within else 0.0)
    nearest = np.minimum(
        t_ratio(estimate.mean - low, estimate.error),
        t_ratio(high - estimate.mean, estimate.error),
    )
    inside, outside = (_two_sided(side, estimate) for side in (nearest, -nearest))
    return Place(np.minimum(inside, 1.0), np.minimum(outside, 1.0))


def _two_sided(ratio, estimate):
    """p-value of a t ratio; by the function itself, as the distribution checks its arguments for
    thirty times as long."""
    return 2 * special.stdtr(estimate.freedom, -ratio)


def _scale(estimate, number):
    """A bound in the scale of the mean."""
    if not estimate.ratio:
        return number
    return float(np.log(number)) if number > 0 else -np.inf


def _distance(estimate, difference):
    """A difference, of a size as a share, in the scale of the mean."""
    if isinstance(difference, Ratio) != estimate.ratio:
        kind = "sizes, by ratios" if isinstance(difference, Ratio) else "scores, by differences"
        raise TypeError(f"{estimate.value!r} is to be compared as {kind} are.")
    return float(np.log1p(difference.share)) if estimate.ratio else float(difference)


@dataclass(frozen=True)
class Lead:
    """Above 0, and of ratios above 1: one side is ahead of the other.

    Where it is not known to be, it may be known to have *no lead* by the smallest difference that
    matters.
    """

    factor: float = 1.0
    whose: Literal["ours"] = "ours"

    def place(self, estimate: Estimate, smallest: Smallest) -> Place:
        place = _between(estimate, 0.0, np.inf)
        delta = self.delta(estimate, smallest)
        if delta is None:
            return place._replace(no_lead=np.ones_like(place.inside)[()])
        short = t_ratio(_distance(estimate, delta) - estimate.mean, estimate.error)
        return place._replace(no_lead=np.minimum(_two_sided(short, estimate), 1.0))

    def delta(self, estimate: Estimate, smallest: Smallest) -> float | Ratio | None:
        """The smallest lead that matters."""
        delta = None if estimate.value is None else smallest(estimate.value)
        if delta is None or self.factor == 1:
            return delta
        if isinstance(delta, Ratio):
            return Ratio(self.factor * delta.share)
        return self.factor * delta

    def number(self, estimate: Estimate, smallest: Smallest):
        """No number of the claim's own: the sign decides."""
        return None

    def scaled(self, factor: float) -> Lead:
        return replace(self, factor=self.factor * factor)


@dataclass(frozen=True)
class Margin:
    """Within a margin of a number: alike, and not worse.

    Parameters
    ----------
    size : float or Ratio, optional
        The paper's, where it prints one; by default twice the smallest difference that matters.
    both : bool, default=True
        On both sides of the number; otherwise not further below it.
    around : float, default=0
    whose : {"paper", "ours"}
    """

    size: float | Ratio | None = None
    both: bool = True
    around: float = 0.0
    whose: Literal["paper", "ours"] = "ours"
    factor: float = 1.0

    def place(self, estimate: Estimate, smallest: Smallest) -> Place:
        width = _distance(estimate, self.number(estimate, smallest))
        high = self.around + width if self.both else np.inf
        return _between(estimate, self.around - width, high)

    def delta(self, estimate: Estimate, smallest: Smallest) -> float | Ratio | None:
        """The smallest difference that matters, which the margin is twice of."""
        return None if estimate.value is None else smallest(estimate.value)

    def number(self, estimate: Estimate, smallest: Smallest) -> float | Ratio:
        """The margin."""
        size = self.size
        if size is None:
            delta = self.delta(estimate, smallest)
            if delta is None:
                raise TypeError(f"{estimate.value!r} has no smallest difference, so no margin.")
            size = margin_of(delta)
        if isinstance(size, Ratio):
            return Ratio(self.factor * size.share)
        return self.factor * size

    def scaled(self, factor: float) -> Margin:
        return replace(self, factor=self.factor * factor)


@dataclass(frozen=True)
class Bounds:
    """Between two numbers, of which one may be infinite: a bound, a factor, a share.

    Parameters
    ----------
    low, high : float
        Of ratios, as ratios.
    whose : {"paper", "ours"}
        "paper" if it is printed there or follows from a theorem, "ours" if we chose it.
    measured_from : float, default=0
        Where the scale begins on which halves are taken: 1 for a share that should be near 1.
    """

    low: float = -np.inf
    high: float = np.inf
    whose: Literal["paper", "ours"] = "ours"
    measured_from: float = 0.0

    def place(self, estimate: Estimate, smallest: Smallest) -> Place:
        return _between(estimate, _scale(estimate, self.low), _scale(estimate, self.high))

    def delta(self, estimate: Estimate, smallest: Smallest) -> None:
        return None

    def number(self, estimate: Estimate, smallest: Smallest) -> float | tuple[float, ...]:
        """The bound, or both."""
        finite = tuple(float(end) for end in (self.low, self.high) if np.isfinite(end))
        return finite[0] if len(finite) == 1 else finite

    def scaled(self, factor: float) -> Bounds:
        """With bounds at ``factor`` times their distance from ``measured_from``.

        Examples
        --------
        >>> Bounds(0.95, measured_from=1.0).scaled(0.5).low
        0.975
        """
        start = self.measured_from
        ends = (start + factor * (end - start) for end in (self.low, self.high))
        low, high = ends
        if np.isfinite(self.low) and np.isfinite(self.high) and not start:
            # A range of ratios or scores has no natural start: it widens around its middle.
            low, high = _widened(self.low, self.high, factor)
        return replace(self, low=low, high=high)


def _widened(low, high, factor):
    if low > 0:
        middle, half = np.sqrt(low * high), np.log(high / low) / 2
        return float(middle * np.exp(-factor * half)), float(middle * np.exp(factor * half))
    middle, half = (low + high) / 2, (high - low) / 2
    return middle - factor * half, middle + factor * half


Region = Lead | Margin | Bounds
