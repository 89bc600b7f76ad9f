"""Growth of a cost with the size of the data: exponents, and tests of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from nmfbench.artefacts.estimate import of_units
from nmfbench.artefacts.finding import NO_PAIR, Finding, Test
from nmfbench.artefacts.frames import select_rows
from nmfbench.artefacts.region import Bounds, Margin

EXPONENT = "exponent of growth"
MATTERS = {EXPONENT: 0.05}
_LINEAR = 1.1  # twice the smallest difference that matters above 1


def exponents(
    frame: pd.DataFrame, method: str, value: str, size: str, at: Mapping[str, Any]
) -> pd.Series:
    """Slope of the logarithm of ``value`` in that of ``size`` for each repeat with all sizes.

    Parameters
    ----------
    frame : DataFrame
    method : str
    value, size : str
        Columns with positive numbers.
    at : mapping
        What stays the same along the sizes.

    Examples
    --------
    >>> frame = pd.DataFrame({"method": "NMF", "repeat": 0, "n": [1, 2, 4], "s": [3.0, 12.0, 48.0]})
    >>> exponents(frame, "NMF", "s", "n", {}).round(6).to_dict()
    {0: 2.0}
    """
    rows = select_rows(frame, at, method=method).dropna(subset=value)
    cells = rows.groupby(["repeat", size])[value].mean().unstack().dropna()
    if cells.shape[1] < 2:
        return pd.Series(dtype=float)
    logs = np.log(cells.columns.to_numpy(float))
    slopes = [np.polyfit(logs, np.log(row), 1)[0] for row in cells.to_numpy()]
    return pd.Series(slopes, cells.index, dtype=float)


def at_most_linear(method: str, value: str, size: str, at: Mapping[str, Any]) -> Test:
    """``value`` grows linearly at most: with an exponent of no more than 1.1, our bound."""

    def test(frame):
        slopes = exponents(frame, method, value, size, at)
        if slopes.empty:
            return Finding.without("not run", "no repeat of this grid has two sizes")
        text = f"{EXPONENT} of the {value} of {method}: {{}} (our bound: at most {_LINEAR:g})"
        return Finding(text, [of_units(slopes, EXPONENT)], Bounds(high=_LINEAR))

    return test


def grows_no_faster(
    method: str,
    rival: str,
    value: str,
    size: str,
    at: Mapping[str, Any],
    *,
    or_linearly: bool = False,
) -> Test:
    """The exponent of a method is not above that of its rival by more than the margin.

    With ``or_linearly`` not above 1 either, where the rival has less: by what does not grow with
    the size.
    """
    least = 1.0 if or_linearly else -np.inf

    def test(frame):
        own, other = (exponents(frame, name, value, size, at) for name in (method, rival))
        gaps = (other.clip(lower=least) - own).dropna()
        if gaps.empty:
            return Finding.without("not run", NO_PAIR)
        found = f"{other.mean():.2f}" + (f", {least:g} where it is less" if least > 0 else "")
        text = (
            f"{EXPONENT} of the {value} of {rival} ({found}) minus that of {method} "
            f"({own.mean():.2f}): {{}}"
        )
        return Finding(text, [of_units(gaps, EXPONENT)], Margin(both=False))

    return test
