"""Means of many cells of a few runs each, whose deviation from run to run is taken to be the same.

Two or three runs estimate a deviation badly, but the runs of all cells of a block together suffice:
the variance within cells is pooled over the block, as in an analysis of variance.
"""

from __future__ import annotations

import numpy as np

__all__ = ["pooled_means", "t_ratio"]


def pooled_means(groups, block):
    """Mean of each cell, with a standard error from the variance pooled over its block.

    Parameters
    ----------
    groups : SeriesGroupBy
        One value for each independent run, grouped by block and cell.
    block : str
        Key of the groups that names the block.

    Returns
    -------
    DataFrame
        By the keys of the groups: ``mean``, ``error`` and ``freedom``, the degrees of freedom of
        the pooled variance; with none the error is 0.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"set": "a", "x": [1, 1, 2, 2], "score": [0.0, 2.0, 5.0, 7.0]})
    >>> pooled_means(runs.groupby(["set", "x"])["score"], "set").reset_index().values.tolist()
    [['a', 1, 1.0, 1.0, 2], ['a', 2, 6.0, 1.0, 2]]
    """
    cells = groups.agg(["mean", "count", "var"])
    freedom = (cells["count"] - 1).groupby(block).transform("sum")
    squares = (cells["var"].fillna(0) * (cells["count"] - 1)).groupby(block).transform("sum")
    error = np.sqrt(squares / freedom.clip(lower=1) / cells["count"])
    return cells[["mean"]].assign(error=error, freedom=freedom)


def t_ratio(values, errors):
    """Values over their standard errors, where an error may be 0.

    A difference that never varies is certain, and no difference at all is none.

    Parameters
    ----------
    values, errors : array-like of shape (n,)

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> t_ratio([1.0, -0.5, 0.0], [0.5, 0.0, 0.0])
    array([  2., -inf,   0.])
    """
    values, errors = np.asarray(values, dtype=float), np.asarray(errors, dtype=float)
    certain = np.where(values == 0, 0.0, np.copysign(np.inf, values))
    return np.divide(values, errors, out=certain, where=errors > 0)
