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
        _sink(points, weights, 0, last)


@njit(cache=True, nogil=True)
def _select(points, weights, n, below, total, tilt, ridge):
    """The left-most minimiser of ``sum a |x - p| + ridge / 2 x^2 - tilt x``.

    Of the points, the first ``n`` are at hand, and are only reordered. Those left out lie to the
    left, with the weight ``below``, or to the right; ``total`` is the weight of all. Infinite if
    nothing stops the fall.
    """
    first, last = 0, n
    left, right = -np.inf, np.inf  # the minimum is between them, and no point at hand outside
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

    Returns their number, the weight of the points up to ``low``, and theirs.
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
def symmetric_median(points, weights, n, diagonal, exact):
    r"""The minimiser of :math:`\sum_j a_j |x - p_j| + |d - x^2|` over ``x >= 0``.

    Parameters
    ----------
    points, weights : ndarray of float64
        The first ``n`` are p and a, with positive weights. Reordered.
    n : int
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
    total = 0.0
    for j in range(n):
        total += weights[j]
    if not exact or diagonal <= 0.0:
        m, below, _ = _keep(points, weights, n, 0.0, np.inf)
        if 2.0 * below - total >= 0.0:
            return 0.0
        return max(_select(points, weights, m, below, total, 0.0, 2.0), 0.0)
    rho = np.sqrt(diagonal)
    m, below, inside = _keep(points, weights, n, 0.0, rho)
    slope = 2.0 * (below + inside) - total  # G right of rho
    if slope + 2.0 * rho < 0.0:
        m, below, _ = _keep(points, weights, n, rho, np.inf)
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


@njit(cache=True, nogil=True)
def symmetric_sweep(H, E, order, exact):
    """Minimise ``||E||_1`` over each entry of ``H >= 0`` in turn, column after column.

    Parameters
    ----------
    H : ndarray of shape (r, n)
        Modified in place.
    E : ndarray of shape (n, n)
        ``V - H.T @ H``; kept so. Only its row and its column i change with ``H[:, i]``, and the
        column is written once for all.
    order : ndarray of int
        Of the columns of H: each sees what those before it have become.
    exact : bool
        See :func:`symmetric_median`.

    Notes
    -----
    Selection makes it O(r n^2), where sorting would take O(r n^2 log n).
    """
    r, n = H.shape
    points, weights = np.empty(n), np.empty(n)
    for i in order:
        e = E[i]
        changed = False
        for k in range(r):
            h = H[k]
            x = np.float64(h[i])
            m = 0
            for j in range(n):
                if h[j] > 0 and j != i:
                    points[m] = np.float64(e[j]) / np.float64(h[j]) + x
                    weights[m] = 2.0 * np.float64(h[j])
                    m += 1
            old = h[i]
            new = H.dtype.type(symmetric_median(points, weights, m, e[i] + x * x, exact))
            if new != old:
                changed = True
                for j in range(n):
                    e[j] -= (new - old) * h[j]
                # The loop has taken (new - old) * old from the diagonal, not new^2 - old^2.
                e[i] -= (new - old) * new
                h[i] = new
        if changed:
            for j in range(n):
                E[j, i] = e[j]
