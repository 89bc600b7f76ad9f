"""Numbers that a paper prints, beside ours.

They are counted apart from sentences. A number is a result in a table or in running text, or the
size of a data set. Ticks of axes, settings, ranges of a parameter for which the paper asserts
something, and orders of growth are not numbers in this sense.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from nmfbench.artefacts.frames import select_rows

__all__ = ["PrintedNumber", "mean_of"]


@dataclass(frozen=True, kw_only=True)
class PrintedNumber:
    """A number that a paper prints, and how to find ours.

    Parameters
    ----------
    key : str
        Name within the artefact, such as ``"orl-gnmf"``.
    what : str
        Quantity, method and data.
    value : float or (float, float)
        As printed; a fraction where the paper prints per cent. Both ends of a range, of which one
        is infinite where the paper prints "at least" or "at most".
    place : str
        Where it is printed.
    metric : str, optional
        Column by which the smallest difference that matters is known. None for the size of a data
        set, which has to be equal.
    ours : callable, optional
        Frame of the artefact -> our value for each repeat, as a Series; :func:`mean_of` makes most
        of them. None where no data set of this package has it.
    data : tuple of str
        Data sets from which ours comes.
    spread : float, optional
        Standard deviation or other spread that the paper prints beside the number.
    per_cent : bool, default=False
        Whether pages show it in per cent.
    """

    key: str
    what: str
    value: float | tuple[float, float]
    place: str
    metric: str | None
    ours: Callable[[pd.DataFrame], pd.Series] | None
    data: tuple[str, ...]
    spread: float | None = None
    per_cent: bool = False

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest value that the paper prints."""
        return self.value if isinstance(self.value, tuple) else (self.value, self.value)


def mean_of(
    column: str, at: Mapping[str, Any], *, over: str | None = None
) -> Callable[[pd.DataFrame], pd.Series]:
    """Mean of a column for each repeat, as :class:`PrintedNumber` needs it.

    Parameters
    ----------
    column : str
    at : mapping
        Rows, see :func:`~nmfbench.artefacts.frames.select_rows`.
    over : str, optional
        A column of which ``at`` lists several values, such as data sets: the mean is that of their
        means, and repeats that lack one of them are left out.

    Examples
    --------
    >>> frame = pd.DataFrame({"repeat": [0, 0, 1], "set": ["a", "b", "a"], "ac": [0.25, 0.75, 1.0]})
    >>> mean_of("ac", {"set": ["a", "b"]}, over="set")(frame).to_dict()
    {0: 0.5}
    """

    def ours(frame):
        rows = select_rows(frame, at)
        if column not in rows:  # no trial so far has measured it
            return pd.Series(dtype=float)
        means = rows.groupby(["repeat", *filter(None, [over])], observed=True)[column].mean()
        if over is not None:
            means = means.unstack(over).reindex(columns=at[over]).mean(axis=1, skipna=False)
        return means.dropna()

    return ours
