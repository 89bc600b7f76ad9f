"""A few numbers, as a notebook shows them between its paragraphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["Numbers"]


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
