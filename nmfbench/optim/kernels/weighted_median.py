r"""Weighted medians of a residual: exact minimisation of the l1 loss over one coordinate.

With ``w`` a row of the basis and ``e`` the residual of a sample, the loss as a function of a
shift d of the sample's coordinate is :math:`\sum_j |e_j - d w_j| = \sum_j w_j |e_j / w_j - d|`. It
is least at the weighted median of the points :math:`e_j / w_j`. Guan et al. (2012), Eqs. (5)-(7).

Nearly all time goes into passes over vectors in cache, for signs and shifts of residuals. With
vectors of 256 bits, as the reference target has them, they take 1.5 to 1.7 times what they do
with 512.
"""

import numpy as np
from numba import njit

__all__ = ["absolute_sum", "median_sweeps", "median_sweeps_csr"]

_REASSOCIATE = {"reassoc", "contract", "nsz"}
_ROWS = 16  # samples that take turns, while a row of the basis is in cache
_SHORT = 24  # up to this number of points are sorted by insertion
_LONG = 150  # from here on the pivot is a median of nine


@njit(cache=True, nogil=True)
def median_sweeps(residual, factor, basis, inverse, masses, upper, n_sweeps, by_sorting):
    """Minimise over one coordinate of every sample after the other, in place.

    Samples are independent, so a few make all their sweeps while their residual is in cache.

    Parameters
    ----------
    residual : ndarray of shape (n, m)
        ``X - factor @ basis``. Modified in place.
    factor : ndarray of shape (n, r), with entries in [0, upper]
        Modified in place.
    basis, inverse : ndarray of shape (r, m), non-negative
        The basis, and its reciprocals (anything finite where it is zero). A coordinate whose row
        of the basis is zero is left as it is.
    masses : ndarray of shape (r,)
        Sums of the rows of ``basis``, in float64.
    upper : float, in the precision of ``factor``
        Largest value of a coordinate; ``inf`` for none.
    n_sweeps : int
    by_sorting : bool
        Sort the points, as the paper does, instead of selecting the median.
    """
    n, m = residual.shape
    points = np.empty((2, m + 1), residual.dtype)
    weights = np.empty((2, m + 1), residual.dtype)
    for start in range(0, n, _ROWS):
        for _ in range(n_sweeps):
            for k in range(basis.shape[0]):
                w, v, mass = basis[k], inverse[k], masses[k]
                for i in range(start, min(start + _ROWS, n)):
                    e, x = residual[i], factor[i, k]
                    shift = _shift(e, w, v, mass, 0.0, x, upper, by_sorting, points, weights)
                    # The residual must lose what the coordinate, which is rounded, really gains.
                    moved = min(max(x + shift, e.dtype.type(0)), upper)
                    if moved != x:
                        factor[i, k] = moved
                        _subtract(e, w, moved - x)


@njit(cache=True, nogil=True)
def median_sweeps_csr(
    factor,
    data,
    indices,
    indptr,
    other,
    masses,
    upper,
    n_sweeps,
    by_sorting,
    first,
    last,
    work,
    beside,
    active,
):
    """As :func:`median_sweeps` for CSR data, in time proportional to its entries.

    Where the data are zero, the loss is linear in the coordinates, as nothing is negative. So all
    zeros of a row are one point, below which no coordinate can go, with the weight that the row
    of the basis has there. Only the residual of the entries is formed, from the data.

    Parameters
    ----------
    factor, masses, upper, n_sweeps, by_sorting
        As there.
    data, indices, indptr : ndarray
        CSR data of shape (n, m), with positive entries.
    other : ndarray of shape (m, r), non-negative
        The basis as columns.
    first, last : int
        The coordinates to minimise over, the last one excluded.
    work : ndarray of shape (r + 6, most + 1), in the precision of ``factor``
        Overwritten; ``most`` is the largest number of entries of a row.
    beside, active : ndarray of shape (r,) and (r + 1,), in float64 and of integers
        Overwritten.
    """
    r = factor.shape[1]
    zero = factor.dtype.type(0)
    points, weights = work[r : r + 2], work[r + 2 : r + 4]
    for i in range(factor.shape[0]):
        start, size = indptr[i], indptr[i + 1] - indptr[i]
        A, inverse, e = work[:r, :size], work[r + 4, :size], work[r + 5, :size]
        for k in range(r):
            beside[k] = masses[k]
        for j in range(size):
            e[j] = data[start + j]
            _subtract(beside, other[indices[start + j]], 1.0)
        # Zero is best, whatever the others are, for coordinates with half of their weight beside.
        count = 0
        for k in range(first, last):
            active[count] = k
            count += masses[k] > 0 and (factor[i, k] > 0 or 2 * beside[k] < masses[k])
        if count == 0:
            continue
        for j in range(size):
            partner = other[indices[start + j]]
            for k in range(r):
                A[k, j] = partner[k]
        for k in range(r):
            if factor[i, k] > 0:
                _subtract(e, A[k], factor[i, k])
        for _ in range(n_sweeps):
            for a in range(count):
                k = active[a]
                w, x, mass, rest = A[k], factor[i, k], masses[k], max(beside[k], 0.0)
                shift = -x
                if 2 * rest < mass:
                    _invert(inverse, w)
                    shift = _shift(e, w, inverse, mass, rest, x, upper, by_sorting, points, weights)
                moved = min(max(x + shift, zero), upper)
                if moved != x:
                    factor[i, k] = moved
                    _subtract(e, w, moved - x)


@njit(cache=True, nogil=True, error_model="numpy")
def _invert(inverse, w):
    """Reciprocals, zero where ``w`` is and finite elsewhere."""
    largest = np.finfo(w.dtype).max
    zero, one = w.dtype.type(0), w.dtype.type(1)
    for j in range(w.shape[0]):
        inverse[j] = min(one / w[j], largest) if w[j] > 0 else zero


@njit(cache=True, nogil=True)
def _shift(e, w, inverse, mass, beside, x, upper, by_sorting, points, weights):
    """Step of the coordinate ``x``: to the left-most minimiser, cut to ``[-x, upper - x]``.

    ``beside`` is the weight of points at or below ``-x`` that are not among the others.
    """
    zero, infinity = e.dtype.type(0), e.dtype.type(np.inf)
    if mass <= 0:
        return zero
    if by_sorting:
        count = _gather(e, w, inverse, -infinity, infinity, points[0], weights[0])
        if count == 0 and beside > 0:
            return -x
        median = _sorted_median(points[0, :count], weights[0, :count], 0.5 * mass - beside)
        return min(max(median, -x), upper - x)
    # No shift is the first pivot: the signs alone say on which side of it the median lies.
    above, below = _signed_masses(e, w)
    if 2 * above > mass:
        if x >= upper:
            return zero
        count = _gather(e, w, inverse, zero, infinity, points[0], weights[0])
        median = _select(points, weights, count, mass - above, 0.5 * mass)
        return min(median, upper - x)
    if 2 * (below + beside) < mass or x == 0:
        return zero
    below = beside + _mass_below(e, w, inverse, -x)
    if 2 * below >= mass:
        return -x
    count = _gather(e, w, inverse, -x, zero, points[0], weights[0])
    return _select(points, weights, count, below, 0.5 * mass)


@njit(cache=True, nogil=True, fastmath=_REASSOCIATE)
def _signed_masses(e, w):
    """Weight of the points above zero, and below."""
    above, below = 0.0, 0.0
    for j in range(e.shape[0]):
        above += w[j] if e[j] > 0 else 0.0
        below += w[j] if e[j] < 0 else 0.0
    return above, below


@njit(cache=True, nogil=True, fastmath=_REASSOCIATE)
def _mass_below(e, w, inverse, bound):
    """Weight of the points at or below ``bound``."""
    total = 0.0
    for j in range(e.shape[0]):
        total += w[j] if e[j] * inverse[j] <= bound else 0.0
    return total


@njit(cache=True, nogil=True)
def _gather(e, w, inverse, low, high, points, weights):
    """Collect the points strictly between two bounds, and their weights; return how many."""
    count = 0
    for j in range(e.shape[0]):
        point = e[j] * inverse[j]
        points[count] = point  # always written, so that there is no branch to mispredict
        weights[count] = w[j]
        count += (point > low) & (point < high) & (w[j] > 0)
    return count


@njit(cache=True, nogil=True)
def _sorted_median(points, weights, half):
    """The first point at which the running weight reaches ``half``, after sorting."""
    if len(points) == 0:  # all are infinite
        return points.dtype.type(0)
    total = 0.0
    order = np.argsort(points)
    for a in order:
        total += weights[a]
        if total >= half:
            return points[a]
    return points[order[-1]]


@njit(cache=True, nogil=True)
def _select(points, weights, count, base, half):
    """As sorting would find it, in expected linear time; ``base`` is the weight left of all.

    Points above the pivot go to the second buffer, those below stay in the first.
    """
    p, q = points[0], points[1]
    v, w = weights[0], weights[1]
    if count == 0:  # rounding of the sums
        return p.dtype.type(0)
    while count > _SHORT:
        pivot = _pivot(p, count)
        less, more = 0, 0
        left, equal = 0.0, 0.0
        for a in range(count):
            point, weight = p[a], v[a]
            q[more], w[more] = point, weight
            more += point > pivot
            p[less], v[less] = point, weight
            less += point < pivot
            left += weight if point < pivot else 0.0
            equal += weight if point == pivot else 0.0
        if base + left >= half:
            count = less
        elif base + left + equal >= half or more == 0:
            return pivot
        else:
            base += left + equal
            count = more
            p, q = q, p
            v, w = w, v
    for a in range(1, count):
        point, weight, b = p[a], v[a], a - 1
        while b >= 0 and p[b] > point:
            p[b + 1], v[b + 1] = p[b], v[b]
            b -= 1
        p[b + 1], v[b + 1] = point, weight
    for a in range(count):
        base += v[a]
        if base >= half:
            return p[a]
    return p[count - 1]


@njit(cache=True, nogil=True)
def _pivot(p, n):
    if n < _LONG:
        return _middle(p[0], p[n // 2], p[n - 1])
    s = n // 9
    return _middle(
        _middle(p[0], p[s], p[2 * s]),
        _middle(p[3 * s], p[4 * s], p[5 * s]),
        _middle(p[6 * s], p[7 * s], p[8 * s]),
    )


@njit(cache=True, nogil=True)
def _middle(a, b, c):
    return max(min(a, b), min(max(a, b), c))


@njit(cache=True, nogil=True, fastmath=_REASSOCIATE)
def _subtract(e, w, shift):
    for j in range(e.shape[0]):
        e[j] -= shift * w[j]


@njit(cache=True, nogil=True, fastmath=_REASSOCIATE)
def absolute_sum(residual):
    """Sum of the absolute values, in float64, without a second array."""
    total = 0.0
    for i in range(residual.shape[0]):
        e = residual[i]
        for j in range(e.shape[0]):
            total += abs(e[j])
    return total
