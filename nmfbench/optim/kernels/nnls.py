"""Non-negative least squares from Gram products, one row at a time, exactly."""

import numpy as np
from numba import njit

__all__ = ["nnls_gram", "nnls_row"]

_DEPENDENT = 1e-13  # squared pivots below this share of the diagonal are rounding
_SWEEPS = 4  # of coordinate descent, to guess the support of a row


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _factor(L, G, support, start, size):
    """Rows ``start`` to ``size`` of the Cholesky factor of ``G`` on ``support``.

    Returns the position of the first column that depends on those before it, else ``size``.
    """
    for i in range(start, size):
        row = G[support[i]]
        diagonal = row[support[i]]
        for j in range(i):
            value = row[support[j]]
            for k in range(j):
                value -= L[i, k] * L[j, k]
            value /= L[j, j]
            L[i, j] = value
            diagonal -= value * value
        if diagonal <= _DEPENDENT * row[support[i]]:
            return i
        L[i, i] = np.sqrt(diagonal)
    return size


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _solve(z, L, c, support, size):
    """``z`` such that ``L L^T z = c[support]``."""
    for i in range(size):
        value = c[support[i]]
        for k in range(i):
            value -= L[i, k] * z[k]
        z[i] = value / L[i, i]
    for i in range(size - 1, -1, -1):
        z[i] /= L[i, i]
        for k in range(i):
            z[k] -= L[i, k] * z[i]


@njit(cache=True, nogil=True)
def _drop_zeros(w, support, size):
    """Remove from ``support`` what has become zero; return its size and the first change."""
    kept, first = 0, size
    for k in range(size):
        if w[support[k]] > 0:
            support[kept] = support[k]
            kept += 1
        elif first == size:
            first = k
    return kept, min(first, kept)


@njit(cache=True, nogil=True)
def _least_squares(w, z, L, G, c, support, size, valid):
    """Move ``w`` to the least-squares solution on its support, leaving out what turns negative.

    Each partial step ends where the first coefficient reaches zero (Lawson & Hanson, steps 6 to
    11), so that the loss never rises. The first ``valid`` rows of ``L`` are up to date.
    """
    while size > 0:
        dependent = _factor(L, G, support, valid, size)
        if dependent < size:
            w[support[dependent]] = 0.0
            for k in range(dependent, size - 1):
                support[k] = support[k + 1]
            size -= 1
            valid = dependent
            continue
        _solve(z, L, c, support, size)
        step, blocking = 1.0, -1
        for k in range(size):
            if z[k] <= 0:
                old = w[support[k]]
                limit = old / (old - z[k]) if old > 0 else 0.0
                if limit < step or blocking < 0:
                    step, blocking = limit, k
        if blocking < 0:
            for k in range(size):
                w[support[k]] = z[k]
            valid = size
            break
        for k in range(size):
            w[support[k]] += step * (z[k] - w[support[k]])
        w[support[blocking]] = 0.0
        for k in range(size):
            w[support[k]] = max(w[support[k]], 0.0)
        size, valid = _drop_zeros(w, support, size)
    return size, valid


@njit(cache=True, nogil=True)
def _gradient(g, G, c, w):
    """``g = c - G w``, the descent direction, using only the non-zero entries of ``w``."""
    r = c.shape[0]
    for j in range(r):
        g[j] = c[j]
    for k in range(r):
        if w[k] != 0:
            for j in range(r):
                g[j] -= w[k] * G[k, j]


@njit(cache=True, nogil=True)
def nnls_row(w, c, G, root, tol, max_iter, L, g, z, support, refused):
    """:func:`nnls_gram` for one row. ``root`` is the square root of the diagonal of ``G``.

    The last five are workspace, of shapes (r, r) and (r,). Returns whether it came to an end.
    """
    r = w.shape[0]
    scale = 0.0
    for j in range(r):
        if root[j] > 0:
            scale = max(scale, c[j] / root[j])
        if not (root[j] > 0 and w[j] > 0):
            w[j] = 0.0
    if scale <= 0:  # no row of H makes an acute angle with this row of X
        w[:] = 0.0
        return True

    _gradient(g, G, c, w)
    optimal = True
    for j in range(r):
        bound = tol * scale * root[j]
        if g[j] > bound or (w[j] > 0 and g[j] < -bound):
            optimal = False
            break
    if optimal:
        return True
    for _ in range(_SWEEPS):
        for j in range(r):
            if root[j] == 0:
                continue
            new = max(w[j] + g[j] / G[j, j], 0.0)
            change = new - w[j]
            if change != 0:
                w[j] = new
                for k in range(r):
                    g[k] -= change * G[j, k]

    size = np.intp(0)
    for j in range(r):
        refused[j] = False
        if w[j] > 0:
            support[size] = j
            size += 1
    valid = np.intp(0)
    iteration, added = 0, -1
    while True:
        size, valid = _least_squares(w, z, L, G, c, support, size, valid)
        if added >= 0:
            if w[added] > 0:
                refused[:] = False
            else:  # its gradient was rounding: try the others before it again
                refused[added] = True
        _gradient(g, G, c, w)
        added, steepest = -1, tol * scale
        for j in range(r):
            if w[j] == 0 and root[j] > 0 and not refused[j] and g[j] > steepest * root[j]:
                added, steepest = j, g[j] / root[j]
        if added < 0:
            return True
        if iteration == max_iter:
            return False
        iteration += 1
        support[size] = added
        size += 1


@njit(cache=True, nogil=True)
def nnls_gram(W, G, C, tol, max_iter):
    """Each row ``w`` of ``W`` becomes the minimiser of ``w G w - 2 C[i] w`` over ``w >= 0``.

    With ``G = H H^T`` and ``C = X H^T`` that is the non-negative least-squares problem
    ``min ||X - W H||^2``. A row that satisfies the optimality conditions already is left as it
    is. Otherwise a few sweeps of coordinate descent guess its support, and the active-set
    method of Lawson and Hanson, on a Cholesky factor of the Gram matrix, makes it exact.

    Parameters
    ----------
    W : ndarray of shape (n, r), changed in place
        Where to start; negative entries count as zero.
    G : ndarray of shape (r, r)
    C : ndarray of shape (n, r)
    tol : float
        Largest violation of the optimality conditions, relative to ``|h_l|`` and to the
        largest ``C[i, k] / |h_k|``.
    max_iter : int
        Most coefficients to add in one row.

    Returns
    -------
    int
        Number of rows that used up ``max_iter``.
    """
    n, r = W.shape
    L = np.empty((r, r))
    g = np.empty(r)
    z = np.empty(r)
    root = np.empty(r)
    support = np.empty(r, dtype=np.intp)
    refused = np.empty(r, dtype=np.bool_)
    for j in range(r):
        root[j] = np.sqrt(max(G[j, j], 0.0))
    unfinished = 0
    for i in range(n):
        finished = nnls_row(W[i], C[i], G, root, tol, max_iter, L, g, z, support, refused)
        unfinished += not finished
    return unfinished
