"""Numbers as text, and a few of them as a notebook shows them between its paragraphs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["Numbers", "interval", "measured", "number"]


def number(value: float, digits: int = 3) -> str:
    """Significant digits, as a script can read them, too.

    Examples
    --------
    >>> number(0.98765), number(0.00001234, 2), number(math.nan)
    ('0.988', '1.2e-05', '')
    """
    return "" if math.isnan(value) else f"{value:.{digits}g}"


def interval(low: float, high: float) -> str:
    """Both ends, in brackets."""
    return f"[{number(low)}, {number(high)}]"


def measured(effect: float | None, bounds: Sequence[float] | None) -> str:
    """An effect with its interval, as far as they are known.

    Examples
    --------
    >>> measured(0.25, (0.2, 0.3)), measured(0.25, None), measured(None, None)
    ('0.25 [0.2, 0.3]', '0.25', '')
    """
    if effect is None:
        return ""
    return number(effect) if bounds is None else f"{number(effect)} {interval(*bounds)}"


@dataclass(frozen=True, repr=False)
class Numbers:
    """A small table: a column for each name, of one number or of several.

    Parameters
    ----------
    columns : mapping
    digits : int, default=4
        Significant ones.

    Examples
    --------
    >>> Numbers({"trace": 1.74406, "minimum": np.float64(0.17441)})
    trace minimum
    1.744  0.1744
    """

    columns: Mapping[str, Any]
    digits: int = 4

    def _texts(self):
        columns = {name: np.atleast_1d(values) for name, values in self.columns.items()}
        return pd.DataFrame(columns).map(self._text)

    def _text(self, value):
        return f"{value:.0f}" if float(value).is_integer() else f"{value:.{self.digits}g}"

    def __repr__(self):
        return self._texts().to_string(index=False)

    def _repr_html_(self):
        return self._texts().to_html(border=0, index=False, classes="narrow")
