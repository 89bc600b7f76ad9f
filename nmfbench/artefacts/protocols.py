"""Choice of parameters by a protocol: which fits of a method an artefact looks at.

A paper may report the parameters that are best on the test itself; a held-out score, a fixed
default or the agreement of runs choose without it. The paper's protocol decides the paper's
sentence; a claim under another one is ours, see :func:`~nmfbench.artefacts.claim.said_at`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

__all__ = ["best", "by_protocol"]


def best(
    rows: pd.DataFrame, score: str | pd.Series, cell: Sequence[str], among: Sequence[str]
) -> pd.DataFrame:
    """The rows of each cell at the parameters of its highest mean score.

    Parameters
    ----------
    rows : DataFrame
    score : str or Series
        Column; or the scores themselves, by ``cell`` and ``among``.
    cell : sequence of str
        Columns of the places that have a choice each, such as data set and method.
    among : sequence of str
        Columns of the parameters. Of equally good ones the first in sorted order is chosen.

    Examples
    --------
    >>> rows = pd.DataFrame({"method": ["a"] * 4, "p": [1, 1, 3, 3], "ac": [0.5, 0.7, 0.6, 0.4]})
    >>> best(rows, "ac", ["method"], ["p"])["ac"].tolist()
    [0.5, 0.7]
    """
    place = [*cell, *among]
    if isinstance(score, str):
        score = rows.groupby(place, observed=True, dropna=False)[score].mean()
    chosen = score.dropna().groupby(list(cell), observed=True).idxmax()
    return rows[pd.MultiIndex.from_frame(rows[place]).isin(chosen)]


def by_protocol(
    rows: pd.DataFrame, protocols: Mapping[str, Callable[[pd.DataFrame], pd.DataFrame]]
) -> pd.DataFrame:
    """Rows that each protocol chooses, below each other, with a column ``protocol``."""
    parts = [choose(rows).assign(protocol=name) for name, choose in protocols.items()]
    return pd.concat(parts, ignore_index=True)
