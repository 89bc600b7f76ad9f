r"""Coordinate steps on the Kullback-Leibler divergence, by Newton's method on a reciprocal.

With the others fixed, the divergence as a function of one coefficient w has the slope
:math:`S - p(w)`: S is the sum of the component :math:`h`, and :math:`p(w) = \sum_j x_j h_j / y_j`
the pull of the data, whose derivative is :math:`-q`, :math:`q = \sum_j x_j h_j^2 / y_j^2`.
Newton's method for :math:`1 / p(w) = 1 / S` takes the step

.. math:: d = \frac{p}{q} \Big(\frac{p}{S} - 1\Big).

It is that for :math:`p(w) = S` times p / S. As 1 / p is convex along w and its tangent so lies
below, an upward step is longer than Newton's and still stops short of the minimum, and a downward
step is shorter. A downward step may yet pass the minimum by too much. By
:math:`-\log(1 - u) \le u + u^2` for :math:`u \le 0.6838` the divergence cannot rise if no
:math:`y_j` with :math:`x_j > 0` loses a larger share than that. Otherwise the step is divided by
one plus the largest share that it would take, and the divergence falls by at least half of what
the slope promises.
"""

import numpy as np
from numba import njit

from nmfbench.optim.kernels.kl_sparse import longest, pull_of_row

__all__ = ["kl_newton_csr", "kl_newton_dense"]

_SAFE = 0.6838  # where -log(1 - u) = u + u^2
_PER_FLOOR = 1e12  # a factor's own unit over its floor
_BYTES = 128  # multiple of a row's length in memory: loops over it have no remainder
_FAST = {"reassoc", "contract", "nsz", "nnan"}


@njit(cache=True, fastmath=_FAST, error_model="numpy", forceinline=True)
def _slopes(x, y, before, step, a, least):
    """``y += step before``; then the sums p and q along ``a``.

    A step downwards may cancel all of a y where there are no data, and no quotient by it is finite:
    y is kept at or above ``least``.
    """
    p, q = y.dtype.type(0), y.dtype.type(0)
    for j in range(x.shape[0]):
        value = max(y[j] + step * before[j], least)
        y[j] = value
        share = a[j] / value
        pull = x[j] * share
        p += pull
        q += pull * share
    return p, q


@njit(cache=True, fastmath=_FAST, error_model="numpy", forceinline=True)
def _largest_share(x, y, a):
    """Largest of ``a / y`` where there are data."""
    largest = y.dtype.type(0)
    for j in range(x.shape[0]):
        largest = max(largest, a[j] / y[j] if x[j] > 0 else y.dtype.type(0))
    return largest


@njit(cache=True, error_model="numpy", forceinline=True)
def _row(w, x, y, A, masses, floor, n_sweeps, active, count):
    """Steps in the coefficients ``active[:count]`` of one row, in turn.

    ``A`` has the components as rows, at the places of ``x``; ``y`` is the reconstruction there,
    whose unit is that of a product of two factors.
    """
    least = floor * (floor * w.dtype.type(_PER_FLOOR))
    safe, one, step = w.dtype.type(_SAFE), w.dtype.type(1), w.dtype.type(0)
    before = active[0]
    for sweep in range(n_sweeps):
        for e in range(count):
            k = active[e]
            if sweep > 0 and w[k] <= floor:
                continue
            p, q = _slopes(x, y, A[before], step, A[k], least)
            before, step = k, w.dtype.type(0)
            if masses[k] > 0 and q > 0:
                step = max((p / q) * (p / masses[k] - one), floor - w[k])
                # No share is larger than step / w, as no y is smaller than w times its part.
                if -step > safe * w[k]:
                    share = -step * _largest_share(x, y, A[k])
                    if share > safe:
                        step /= one + share
            elif masses[k] > 0:
                step = floor - w[k]
            moved = max(w[k] + step, floor)
            step = moved - w[k]
            w[k] = moved


@njit(cache=True)
def _choose(active, w, pull, masses, floor):
    """Coefficients above the floor, or wanting to be: all others stay where they are."""
    count = 0
    for k in range(w.shape[0]):
        active[count] = k
        count += w[k] > floor or pull[k] > masses[k]
    return count


@njit(cache=True)
def kl_newton_dense(factor, X, Y, pull, basis, masses, floor, n_sweeps, active):
    """Sweeps of steps over the coefficients of the rows of a factor, in place.

    Parameters
    ----------
    factor : ndarray of shape (n, r), at or above ``floor``
    X : ndarray of shape (n, m), non-negative
    Y : ndarray of shape (n, m), positive
        ``factor @ basis``. Overwritten.
    pull : ndarray of shape (n, r)
        ``(X / Y) @ basis.T``.
    basis : ndarray of shape (r, m), non-negative
    masses : ndarray of shape (r,)
        Sums of the rows of ``basis``.
    floor : float
        In the dtype of ``factor``. No entry becomes smaller.
    n_sweeps : int
    active : ndarray of shape (r + 1,), of integers
        Overwritten.
    """
    for i in range(factor.shape[0]):
        w = factor[i]
        count = _choose(active, w, pull[i], masses, floor)
        if count > 0:
            _row(w, X[i], Y[i], basis, masses, floor, n_sweeps, active, count)


@njit(cache=True)
def kl_newton_csr(factor, data, indices, indptr, other, masses, floor, n_sweeps):
    """As :func:`kl_newton_dense` for CSR data, in time proportional to its entries.

    The components that take part are gathered first, so that all passes are contiguous. Rows are
    short as a rule; they are filled up with entries that add nothing.

    Parameters
    ----------
    factor, masses, floor, n_sweeps
        As there.
    data, indices, indptr : ndarray
        CSR data of shape (n, m), with positive entries.
    other : ndarray of shape (m, r), non-negative
        The components as columns.
    """
    r, multiple = factor.shape[1], _BYTES // factor.itemsize
    most = (longest(indptr) + multiple - 1) // multiple * multiple
    x, y = np.empty(most, factor.dtype), np.empty(most, factor.dtype)
    pull, active = np.empty(r, factor.dtype), np.empty(r + 1, np.intp)
    room = np.empty(r * most, factor.dtype)
    for i in range(factor.shape[0]):
        entries = slice(indptr[i], indptr[i + 1])
        places = indices[entries]
        pull_of_row(y, pull, factor[i], data[entries], places, other)
        count = _choose(active, factor[i], pull, masses, floor)
        if count == 0:
            continue
        size = places.shape[0]
        length = (size + multiple - 1) // multiple * multiple
        for q in range(size):
            x[q] = data[indptr[i] + q]
        x[size:length], y[size:length] = 0, 1
        A = room[: r * length].reshape(r, length)
        _gather(A, other, places, active[:count])
        _row(factor[i], x[:length], y[:length], A, masses, floor, n_sweeps, active, count)


@njit(cache=True)
def _gather(A, other, places, active):
    """``A[k, :size] = other[places, k]`` for the active k, and zero behind."""
    size = places.shape[0]
    for k in active:
        A[k, size:] = 0
    j = 0
    while j + 4 <= size:
        a, b = other[places[j]], other[places[j + 1]]
        c, d = other[places[j + 2]], other[places[j + 3]]
        for k in active:
            A[k, j], A[k, j + 1], A[k, j + 2], A[k, j + 3] = a[k], b[k], c[k], d[k]
        j += 4
    while j < size:
        for k in active:
            A[k, j] = other[places[j], k]
        j += 1
