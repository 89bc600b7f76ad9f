"""Largest one-to-one matching of two sets of points of which some pairs may match."""

import numpy as np
from numba import njit

__all__ = ["bipartite_matching"]


@njit(cache=True, nogil=True)
def bipartite_matching(indptr, indices, n_columns):
    """Match as many rows as possible with columns, one to one.

    Parameters
    ----------
    indptr, indices : ndarray of int
        For each row the columns that it may match, as in a CSR matrix; those to try first come
        first.
    n_columns : int

    Returns
    -------
    partners : ndarray of int64 of shape (n_rows,)
        The column of each row, or -1.

    Notes
    -----
    Rows take free columns first. Then alternating paths are searched in depth from each row left
    over; a column is visited once in a round, and rounds are made until one finds no path. That no
    path is left says that the matching is largest (Berge).
    """
    n_rows = len(indptr) - 1
    partners, owners = np.full(n_rows, -1), np.full(n_columns, -1)
    for row in range(n_rows):
        for at in range(indptr[row], indptr[row + 1]):
            if owners[indices[at]] < 0:
                partners[row], owners[indices[at]] = indices[at], row
                break
    visited = np.full(n_columns, -1)
    place = np.empty(n_rows, dtype=np.int64)  # the next column of a row to be looked at
    path = np.empty(n_rows + 1, dtype=np.int64)
    found, lap = True, 0
    while found:
        found = False
        for row in range(n_rows):
            place[row] = indptr[row]
        for start in range(n_rows):
            if partners[start] >= 0:
                continue
            path[0], depth = start, 0
            while depth >= 0:
                row = path[depth]
                if place[row] == indptr[row + 1]:
                    depth -= 1
                    continue
                column = indices[place[row]]
                place[row] += 1
                if visited[column] == lap:
                    continue
                visited[column] = lap
                if owners[column] >= 0:
                    depth += 1
                    path[depth] = owners[column]
                    continue
                for i in range(depth + 1):  # each row of the path takes the column it came to
                    taker = path[i]
                    own = indices[place[taker] - 1]
                    partners[taker], owners[own] = own, taker
                found = True
                break
        lap += 1
    return partners
