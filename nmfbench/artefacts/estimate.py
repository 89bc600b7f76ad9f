"""Effects, as far as observations tell: a mean with its standard error and what it is a mean of.

Observations are independent units: repeats as a rule, which draw data, noise, split and start;
frames of a clip, which are a series; or runs within data sets or images, which are its blocks.
Positive sizes, such as times, costs and numbers of rounds, are compared as logarithms and shown as
ratios.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

__all__ = ["Estimate", "of_blocks", "of_left_out", "of_units", "standard_error"]


@dataclass(frozen=True)
class Estimate:
    """An effect with its standard error.

    Parameters
    ----------
    mean : float
        A logarithm, if it is that of a ratio.
    error : float
        Standard error of the mean; 0 where nothing varies.
    freedom : float
        Degrees of freedom behind the error.
    n : int
        Independent observations.
    value : str, optional
        Metric or column that is compared, which has a smallest difference that matters; by default
        none has.
    name : str, optional
        Tells it apart from the other ones of a test, such as "OMF in seconds".
    ratio : bool, default=False
    exact : bool, default=False
        A number that no sample is behind, such as the largest value of all trials.
    reading : str, optional
        At which reading of a setting that the paper leaves open, see
        :func:`~nmfbench.artefacts.finding.at_each_reading`.
    """

    mean: float
    error: float
    freedom: float
    n: int
    value: str | None = None
    name: str = ""
    ratio: bool = False
    exact: bool = False
    reading: str = ""

    @property
    def shown(self) -> float:
        """The effect as readers see it: of logarithms the ratio."""
        return float(np.exp(self.mean) if self.ratio else self.mean)

    def interval(self, level: float) -> tuple[float, float]:
        """Both ends of the t interval of a confidence level, as readers see them.

        Examples
        --------
        >>> low, high = of_units([1.0, 2.0, 3.0]).interval(0.95)
        >>> round(low, 2), round(high, 2)
        (-0.48, 4.48)
        """
        half = stats.t.ppf((1 + level) / 2, self.freedom) * self.error if self.error else 0.0
        ends = np.array([self.mean - half, self.mean + half])
        low, high = np.exp(ends) if self.ratio else ends
        return float(low), float(high)


def standard_error(values: np.ndarray) -> float:
    """Of a mean; 0 of a single value.

    scipy's ``sem`` gives the same bits, and checks its arguments for thirty times as long.
    """
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def of_units(
    values: Sequence[float], value: str | None = None, name: str = "", *, ratio: bool = False
) -> Estimate:
    """The mean of independent observations; of ratios, the values are their logarithms.

    Its t interval holds its level where observations are nearly normal: at a level of 5 % it errs
    in 5 % of cases there, in up to 12 % of shares that lie close to 1 (simulated, five to twenty
    observations), which is why sizes are compared as logarithms.

    Examples
    --------
    >>> of_units([1.0, 2.0, 3.0]).mean
    2.0
    """
    observed = np.asarray(values, dtype=float)
    n = len(observed)
    error = standard_error(observed)
    mean = float(observed.mean()) if n else float("nan")
    return Estimate(mean, error, n - 1, n, value, name, ratio)


def of_blocks(
    groups: Sequence[Sequence[float]],
    value: str | None = None,
    name: str = "",
    *,
    ratio: bool = False,
) -> Estimate:
    """The mean over blocks of the means of the observations within them.

    Blocks, such as data sets or images, are taken as they are: the estimate is for these, and
    varies as runs within them do. Their variances may differ; the degrees of freedom are Welch and
    Satterthwaite's. Of blocks with a single observation there is no estimate.

    Parameters
    ----------
    groups : sequence of array-like
        Observations of each block.

    Examples
    --------
    >>> found = of_blocks([[1.0, 3.0], [10.0, 12.0]])
    >>> found.mean, round(found.error, 3), round(found.freedom, 1), found.n
    (6.5, 0.707, 2.0, 4)
    """
    blocks = [np.asarray(group, dtype=float) for group in groups]
    sizes = np.array([len(block) for block in blocks])
    mean = float(np.mean([block.mean() for block in blocks])) if blocks else float("nan")
    if not blocks or sizes.min() < 2:
        fewest = int(sizes.min()) if blocks else 0
        return Estimate(mean, 0.0, 0, fewest, value, name, ratio)
    squares = np.array([block.var(ddof=1) / len(block) for block in blocks])
    total = squares.sum()
    freedom = total**2 / (squares**2 / (sizes - 1)).sum() if total else sizes.sum() - len(sizes)
    error = float(np.sqrt(total)) / len(blocks)
    return Estimate(mean, error, float(freedom), int(sizes.sum()), value, name, ratio)


def of_left_out(
    effect: float,
    left_out: Sequence[float],
    value: str | None = None,
    name: str = "",
    *,
    n: int | None = None,
) -> Estimate:
    """An effect that is no mean, by the jackknife: without each observation in turn.

    Parameters
    ----------
    effect : float
        Of all observations.
    left_out : array-like of shape (k,)
        Without each of them, or without each batch of a series.
    n : int, optional
        Observations, if they are left out in batches.

    Examples
    --------
    >>> found = of_left_out(2.0, [2.5, 2.0, 1.5])  # the mean of 1, 2 and 3
    >>> found == of_units([1.0, 2.0, 3.0])
    True
    """
    without = np.asarray(left_out, dtype=float)
    k = len(without)
    if k < 2 or np.isnan(without).any():
        return Estimate(effect, 0.0, 0, min(k, 1), value, name)
    pseudo = k * effect - (k - 1) * without
    return Estimate(effect, standard_error(pseudo), k - 1, n or k, value, name)
