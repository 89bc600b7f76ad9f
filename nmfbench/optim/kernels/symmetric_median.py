r"""Exact updates of the entries of H in ``||V - H H^T||_1``, one after the other.

As a function of one entry this is

.. math:: \varphi(x) = 2\sum_{j\ne i}|Z_{ij}-h_jx| + |Z_{ii}-x^2| \qquad (x \ge 0),

which is not convex where :math:`Z_{ii} > 0`.
"""

import numpy as np
from numba import njit

__all__ = ["symmetric_median", "symmetric_sweep"]


@njit(cache=True, nogil=True)
def _sink(points, weights, i, n):
    """Restore a heap, with the largest point first, below its place ``i``."""
    while True:
        child = 2 * i + 1
        if child >= n:
            return
        if child + 1 < n and points[child + 1] > points[child]:
            child += 1
        if points[i] >= points[child]:
            return
        points[i], points[child] = points[child], points[i]
        weights[i], weights[child] = weights[child], weights[i]
        i = child


@njit(cache=True, nogil=True)
def _sort(points, weights, n):
    """Sort the first ``n`` points, and their weights with them."""
    for i in range(n // 2 - 1, -1, -1):
        _sink(points, weights, i, n)
    for last in range(n - 1, 0, -1):
        points[0], points[last] = points[last], points[0]
        weights[0], weights[last] = weights[last], weights[0]
        _sink(points, weights, np.intp(0), last)


@njit(cache=True, nogil=True)
def _select(points, weights, n, below, total, tilt, ridge):
    """The left-most minimiser of ``sum a |x - p| + ridge / 2 x^2 - tilt x``.

    The first ``n`` points are candidates, and are only reordered. Points left out lie to the
    left, with the weight ``below``, or to the right; ``total`` is the weight of all. Infinite if
    nothing stops the fall.
    """
    first, last = 0, n
    left, right = -np.inf, np.inf  # bounds of the minimum and of the candidates
    while first < last:
        a, b, c = points[first], points[(first + last) // 2], points[last - 1]
        pivot = max(min(a, b), min(max(a, b), c))
        less, more, j = first, last, first  # [first, less) < pivot < [more, last)
        under, equal = 0.0, 0.0
        while j < more:
            p, w = points[j], weights[j]
            if p > pivot:
                more -= 1
                points[j], weights[j] = points[more], weights[more]
                points[more], weights[more] = p, w
                continue
            if p < pivot:
                under += w
                points[j], weights[j] = points[less], weights[less]
                points[less], weights[less] = p, w
                less += 1
            else:
                equal += w
            j += 1
        slope = 2.0 * (below + under) - total - tilt  # left of the pivot
        if ridge > 0.0:  # the pivot may be infinite
            slope += ridge * pivot
        if slope >= 0.0:
            right, last = pivot, less
        elif slope + 2.0 * equal >= 0.0:
            return pivot
        else:
            left, first = pivot, more
            below += under + equal
    if ridge == 0.0:
        return right
    return min(max((total + tilt - 2.0 * below) / ridge, left), right)


@njit(cache=True, nogil=True)
def _keep(points, weights, n, low, high):
    """Move the points in ``(low, high]`` to the front.

    Returns their number, the weight of the points up to ``low``, and their own weight.
    """
    m = 0
    below = 0.0
    inside = 0.0
    for j in range(n):
        p = points[j]
        if p <= low:
            below += weights[j]
        elif p <= high:
            inside += weights[j]
            points[j], points[m] = points[m], p
            weights[j], weights[m] = weights[m], weights[j]
            m += 1
    return m, below, inside


@njit(cache=True, nogil=True)
def symmetric_median(points, weights, n, left, diagonal, exact):
    r"""The minimiser of :math:`\sum_j a_j |x - p_j| + |d - x^2|` over ``x >= 0``.

    Parameters
    ----------
    points, weights : ndarray of float64
        The first ``n`` are p and a, with positive weights. Reordered.
    n : int
    left : float
        Weight of further points, none of them positive.
    diagonal : float
        d, of any sign.
    exact : bool
        If false, the rule of the paper: ``x ** 2`` for the last term, whatever the sign of d.

    Returns
    -------
    float

    Notes
    -----
    If :math:`d \le 0` this is the median with a ridge, q = 2 and c = 0. Otherwise let
    :math:`\rho = \sqrt d` and let G be the slope of the sum.

    Right of :math:`\rho` the function is convex. If its slope there is negative, the minimum is
    right of it, and so is the median of the points, left of which the function falls.

    If not, no point right of :math:`\rho` is needed. Left of it the function is concave between
    points, so that the minimum is at 0, at :math:`\rho` or at a point. It falls up to the median,
    and rises from where :math:`G \ge 2\rho \ge 2x`. Between these two points, both of which are
    selected in linear time, few are left: those which the weight :math:`\rho` of the middle
    reaches. They are sorted and visited.
    """
    total = left
    for j in range(n):
        total += weights[j]
    if not exact or diagonal <= 0.0:
        m, below, _ = _keep(points, weights, n, 0.0, np.inf)
        below += left
        if 2.0 * below - total >= 0.0:
            return 0.0
        return max(_select(points, weights, m, below, total, 0.0, 2.0), 0.0)
    rho = np.sqrt(diagonal)
    m, below, inside = _keep(points, weights, n, 0.0, rho)
    below += left
    slope = 2.0 * (below + inside) - total  # G right of rho
    if slope + 2.0 * rho < 0.0:
        m, below, _ = _keep(points, weights, n, rho, np.inf)
        below += left
        return max(_select(points, weights, m, below, total, 0.0, 2.0), rho)
    if slope < 0.0:
        return rho
    low, high = 0.0, rho
    if 2.0 * below - total < 0.0:
        low = _select(points, weights, m, below, total, 0.0, 0.0)
    elif 2.0 * below - total >= 2.0 * rho:
        return 0.0
    if slope >= 2.0 * rho:
        high = max(_select(points, weights, m, below, total, 2.0 * rho, 0.0), low)
    if low > 0.0 or high < rho:
        m, inside, _ = _keep(points, weights, m, low, high)
        below += inside
    _sort(points, weights, m)
    x, value = low, 0.0  # less that at low
    best, least = low, 0.0
    for j in range(m + 1):
        after = points[j] if j < m else high
        value += (2.0 * below - total) * (after - x) - (after - x) * (after + x)
        if value < least:
            best, least = after, value
        x = after
        if j < m:
            below += weights[j]
    return best


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz"})
def _beyond(e, h, m, shift):
    """Sum of the ``h`` whose point ``e / h`` is right of ``shift``, without a division."""
    found = 0.0
    for j in range(m):
        found += h[j] if e[j] > shift * h[j] else 0.0
    return found


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz"})
def _negative(e, h, m):
    """Sum of the ``h`` where ``e`` is negative."""
    found = 0.0
    for j in range(m):
        found += h[j] if e[j] < 0.0 else 0.0
    return found


@njit(cache=True, nogil=True)
def _shifted(e, h, m, x, left, total, points, weights):
    """The minimiser of ``sum 2 h |e - h (y - x)| + y^2`` over ``y >= 0``, from ``y = x``.

    ``left`` is the weight of further points, none of them positive, and ``total`` that of all. The
    slopes on both sides of x tell whether to stay, and else in which direction to go. Slopes cost
    no division, and a few of them, by false position and bisection in turn, leave few points
    between ``low``, where the function falls, and ``high``, where it does not.
    """
    after = _beyond(e, h, m, 0.0)
    slope = total - 4.0 * after + 2.0 * x  # right of x
    if slope < 0.0:
        low, right_of_low, falling = x, after, slope
        high, right_of_high, rising = 0.5 * total, 0.0, total
    else:
        if x == 0.0 or 2.0 * left + 4.0 * _negative(e, h, m) - total + 2.0 * x <= 0.0:
            return x
        low, right_of_low = 0.0, _beyond(e, h, m, -x)
        falling = total - 4.0 * right_of_low
        if falling >= 0.0:
            return 0.0
        high, right_of_high, rising = x, after, slope
    for step in range(_PROBES):
        if right_of_low - right_of_high <= _FEW * total:
            break
        share = 0.5 if step % 2 else falling / (falling - rising)
        middle = low + share * (high - low)
        if not low < middle < high:
            break
        beyond = _beyond(e, h, m, middle - x)
        slope = total - 4.0 * beyond + 2.0 * middle
        if slope < 0.0:
            low, right_of_low, falling = middle, beyond, slope
        else:
            high, right_of_high, rising = middle, beyond, slope
    k, beyond = 0, 0.0
    for j in range(m):
        if e[j] > (low - x) * h[j]:
            beyond += h[j]
            if e[j] <= (high - x) * h[j] and h[j] > 0.0:
                points[k] = e[j] / h[j] + x
                weights[k] = 2.0 * h[j]
                k += 1
    found = _select(points, weights, k, total - 2.0 * beyond, total, 0.0, 2.0)
    return min(max(found, low), high)


@njit(cache=True, nogil=True)
def symmetric_sweep(H, indptr, indices, data, order, exact):
    """Minimise ``||V - H.T @ H||_1`` over each entry of ``H >= 0`` in turn.

    Parameters
    ----------
    H : ndarray of shape (r, n)
        Modified in place, column after column.
    indptr, indices, data : ndarray
        V, symmetric and non-negative, as a CSR matrix without explicit zeros.
    order : ndarray of int
        Of the columns of H: each sees what those before it have become.
    exact : bool
        See :func:`symmetric_median`.

    Notes
    -----
    Where V is zero the residual is never positive, so that these places have one slope for all
    ``x >= 0``: the sum of a row of H without its entries elsewhere. An update costs no more than
    the entries of a row of V, whose residual is made of H each time, and a sweep O(r nnz(V)).
    Selection makes it so, where sorting would take a logarithm more.
    """
    r, n = H.shape
    points, weights, e = np.empty(n), np.empty(n), np.empty(n)
    near = np.empty((r, n))  # the entries of H where a row of V has some
    sums = np.zeros(r)
    for k in range(r):
        for j in range(n):
            sums[k] += H[k, j]
    for i in order:
        m, own = np.intp(0), 0.0
        for at in range(indptr[i], indptr[i + 1]):
            j = indices[at]
            if j == i:
                own = np.float64(data[at])
                continue
            e[m] = data[at]
            for k in range(r):
                near[k, m] = H[k, j]
            m += 1
        for k in range(r):
            x, h = np.float64(H[k, i]), near[k]
            own -= x * x
            for j in range(m):
                e[j] -= x * h[j]
        for k in range(r):
            x, h = np.float64(H[k, i]), near[k]
            inside = 0.0
            for j in range(m):
                inside += h[j]
            left = 2.0 * max(sums[k] - x - inside, 0.0) if m < n - 1 else 0.0
            diagonal = own + x * x
            if not exact or diagonal <= 0.0:
                found = _shifted(e, h, m, x, left, left + 2.0 * inside, points, weights)
            else:
                count, nonpositive = np.intp(0), left
                for j in range(m):
                    if e[j] + x * h[j] <= 0.0:
                        nonpositive += 2.0 * h[j]
                    elif h[j] > 0.0:
                        points[count] = e[j] / h[j] + x
                        weights[count] = 2.0 * h[j]
                        count += 1
                found = symmetric_median(points, weights, count, nonpositive, diagonal, exact)
            new = np.float64(H.dtype.type(found))
            if new != x:
                for j in range(m):
                    e[j] -= (new - x) * h[j]
                own = diagonal - new * new
                sums[k] += new - x
                H[k, i] = new


_PROBES = 14
_FEW = 0.01  # of the weight of all points
