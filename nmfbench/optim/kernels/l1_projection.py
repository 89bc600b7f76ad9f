"""Least absolute deviations with non-negative coefficients: an exact simplex method.

For one point ``x`` and a basis ``H`` the problem is to minimise ``sum_j |x_j - H[:, j] @ w|`` over
``w >= 0``. It is a linear programme. A vertex makes ``k`` constraints tight: features fitted
exactly, and coefficients at zero. Each pivot lets go of one of them and walks down the piecewise
linear objective along that edge, through as many kinks as it keeps falling (Barrodale and
Roberts 1973, with bounds). Started from an old vertex, a few pivots are enough. Any coefficients
can also be the start: each positive one then is a constraint of its own, at the value it has,
which a pivot lets go of in either direction and which never comes back.
"""

import numpy as np
from numba import njit

_PRICE = 1e-9  # a reduced cost counts as violated beyond this share of its scale
_TINY = 1e-11  # movements and pivots below this share of the largest are rounding
_NEARLY, _LEAST = 1e-6, 1e-300  # movements below this share are of nearly dependent generators
_ZERO = 1e-13  # residuals below this share of the data are zero
_STALL = 25  # pivots without progress before the data are perturbed
_REFRESH = 60  # pivots between two fresh computations of the inverse
_LOST = 1e-10  # residuals of tight features beyond this share of the data: digits were lost
_RESTARTS = 3
_BLOCK = 32  # features looked at together
_NOTHING = 1e-290  # data below this, near the smallest numbers, which have few digits, are zero
_SHIFT = 1e-10  # size of the perturbation relative to the data
_PROOF = 1e-7  # the objective exceeds what its dual proves by no more than this share of the data

OPTIMAL, STOPPED, UNPROVED = 0, 1, 2


@njit(cache=True, nogil=True)
def _first_kink(step, weight, index, n, need):
    """Reorder the kinks so that those passed come first; return how many, or -1 if none exists.

    The objective stops falling at the kink where the cumulated ``weight``, by increasing
    ``step``, reaches ``need``. A quickselect: no full sort.
    """
    lo, hi = 0, n - 1
    while lo <= hi:
        a, b, c = step[lo], step[(lo + hi) >> 1], step[hi]
        pivot = max(min(a, b), min(max(a, b), c))
        below, i, above = lo, lo, hi
        sum_below = 0.0
        sum_equal = 0.0
        while i <= above:
            if step[i] < pivot:
                sum_below += weight[i]
                step[i], step[below] = step[below], step[i]
                weight[i], weight[below] = weight[below], weight[i]
                index[i], index[below] = index[below], index[i]
                below += 1
                i += 1
            elif step[i] > pivot:
                step[i], step[above] = step[above], step[i]
                weight[i], weight[above] = weight[above], weight[i]
                index[i], index[above] = index[above], index[i]
                above -= 1
            else:
                sum_equal += weight[i]
                i += 1
        if need <= sum_below:
            hi = below - 1
        elif need <= sum_below + sum_equal:
            need -= sum_below
            for i in range(below, above + 1):
                need -= weight[i]
                if need <= 0.0:
                    return i
            return above
        else:
            need -= sum_below + sum_equal
            lo = above + 1
    return n - 1  # short of ``need`` by rounding only: the objective is bounded below


@njit(cache=True, nogil=True, fastmath={"contract"})
def _add4(out, f, a, g, b, h, c, i, d):
    for j in range(out.shape[0]):
        out[j] += f * a[j] + g * b[j] + h * c[j] + i * d[j]


@njit(cache=True, nogil=True, fastmath={"contract"})
def _add(out, f, a):
    for j in range(out.shape[0]):
        out[j] += f * a[j]


@njit(cache=True, nogil=True)
def _combine(out, d, H, indptr, indices, data, used):
    """``out = H.T @ d``; ``H`` is dense, or CSR if it has no columns."""
    out[:] = 0.0
    n = 0
    for a in range(d.shape[0]):
        if d[a] != 0.0:
            used[n] = a
            n += 1
    if H.shape[1] > 0:
        e = 0
        while e + 4 <= n:
            a, b, c, f = used[e], used[e + 1], used[e + 2], used[e + 3]
            _add4(out, d[a], H[a], d[b], H[b], d[c], H[c], d[f], H[f])
            e += 4
        while e < n:
            _add(out, d[used[e]], H[used[e]])
            e += 1
    else:
        for e in range(n):
            a = used[e]
            for f in range(indptr[a], indptr[a + 1]):
                out[indices[f]] += d[a] * data[f]


@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz", "contract"})
def _count_kinks(q, r, sign, small, limit):
    """How many residuals change their sign within ``limit``; a float, to be vectorised."""
    count = 0.0
    for j in range(q.shape[0]):
        towards = sign[j] * q[j]
        count += 1.0 if (towards > small) & (sign[j] * r[j] <= limit * towards) else 0.0
    return count


@njit(cache=True, nogil=True)
def _kinks(step, weight, index, q, r, sign, small, limit):
    """List the kinks within ``limit``; return how many and their total weight.

    Most blocks of features have none: counting, which is fast, finds the blocks that have.
    """
    n = 0
    found = 0.0
    for start in range(0, q.shape[0], _BLOCK):
        stop = min(start + _BLOCK, q.shape[0])
        block = slice(start, stop)
        if _count_kinks(q[block], r[block], sign[block], small, limit) == 0.0:
            continue
        for j in range(start, stop):
            towards = sign[j] * q[j]
            if towards > small and sign[j] * r[j] <= limit * towards:
                step[n] = max(sign[j] * r[j], 0.0) / towards
                weight[n] = 2.0 * towards
                found += weight[n]
                index[n] = j
                n += 1
    return n, found


@njit(cache=True, nogil=True, fastmath={"reassoc", "nnan", "nsz"})
def _largest(a):
    total = 0.0
    for j in range(a.shape[0]):
        total = max(total, abs(a[j]))
    return total


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _mean_size(a):
    total = 0.0
    for j in range(a.shape[0]):
        total += abs(a[j])
    return total / max(a.shape[0], 1)


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _dot(a, b):
    total = 0.0
    for j in range(a.shape[0]):
        total += a[j] * b[j]
    return total


@njit(cache=True, nogil=True)
def _gradient(g, sign, H, indptr, indices, data):
    """``g = -H @ sign``."""
    for a in range(g.shape[0]):
        if H.shape[1] > 0:
            g[a] = -_dot(H[a], sign)
        else:
            total = 0.0
            for e in range(indptr[a], indptr[a + 1]):
                total += data[e] * sign[indices[e]]
            g[a] = -total


@njit(cache=True, nogil=True)
def _exchange(inverse, v, p):
    """Replace the constraint at position ``p`` by the one whose coordinates are ``v``."""
    k = v.shape[0]
    scale = 1.0 / v[p]
    for a in range(k):
        row = inverse[a]
        factor = row[p] * scale
        if factor == 0.0:
            continue
        for b in range(k):
            row[b] -= factor * v[b]
        row[p] = factor


@njit(cache=True, nogil=True)
def _coordinates(v, inverse, constraint, m, Ht):
    """``v = (gradient of the constraint) @ inverse``."""
    if constraint >= m:
        for a in range(v.shape[0]):
            v[a] = inverse[constraint - m, a]
        return
    v[:] = 0.0
    for a in range(v.shape[0]):
        factor = Ht[constraint, a]
        if factor == 0.0:
            continue
        row = inverse[a]
        for b in range(v.shape[0]):
            v[b] += factor * row[b]


@njit(cache=True, nogil=True)
def _invert(inverse, basis, bound_is_tight, m, Ht, v, rows):
    """Inverse of the tight constraints, positions rearranged for stability. False if singular."""
    k = basis.shape[0]
    n_rows = 0
    bound_is_tight[:] = False
    for p in range(k):
        if basis[p] >= m:
            bound_is_tight[basis[p] - m] = True
        else:
            rows[n_rows] = basis[p]
            n_rows += 1
    inverse[:] = 0.0
    for a in range(k):
        inverse[a, a] = 1.0
        basis[a] = m + a if bound_is_tight[a] else -1
    for e in range(n_rows):
        _coordinates(v, inverse, rows[e], m, Ht)
        best, largest, scale = -1, 0.0, 0.0
        for p in range(k):
            scale = max(scale, abs(Ht[rows[e], p]))
            size = abs(v[p])
            if basis[p] < 0 and size > largest:
                best, largest = p, size
        if best < 0 or largest <= _TINY * scale:
            return False
        basis[best] = rows[e]
        _exchange(inverse, v, best)
    return True


@njit(cache=True, nogil=True)
def _origin(inverse, basis, bound_is_tight, m):
    """The vertex where all coefficients are zero."""
    inverse[:] = 0.0
    for a in range(basis.shape[0]):
        inverse[a, a] = 1.0
        basis[a] = m + a
    bound_is_tight[:] = True


@njit(cache=True, nogil=True)
def _vertex(w, r, inverse, basis, x, floor, exact, H, indptr, indices, data, used):
    """Coefficients and residuals of the vertex where the constraints of ``basis`` are tight.

    Returns the largest residual of a feature that should be fitted exactly, then set to zero.
    """
    m, k = x.shape[0], w.shape[0]
    w[:] = 0.0
    for p in range(k):
        value = x[basis[p]] if basis[p] < m else -floor[basis[p] - m]
        if value != 0.0:
            for a in range(k):
                w[a] += value * inverse[a, p]
    before = np.inf
    while True:
        for a in range(k):
            w[a] = max(w[a], -floor[a])
        for p in range(k):
            if basis[p] >= m:
                w[basis[p] - m] = -floor[basis[p] - m]
        _combine(r, w, H, indptr, indices, data, used)
        for j in range(m):
            r[j] = x[j] - r[j]
        error = 0.0
        for p in range(k):
            if basis[p] < m:
                error = max(error, abs(r[basis[p]]))
        if error <= exact or error > 0.5 * before:
            break
        before = error
        for p in range(k):  # nearly dependent generators: what is left is solved for again
            if basis[p] < m and r[basis[p]] != 0.0:
                for a in range(k):
                    w[a] += r[basis[p]] * inverse[a, p]
    for p in range(k):
        if basis[p] < m:
            r[basis[p]] = 0.0
    return error


@njit(cache=True, nogil=True)
def _hold(w, held, floor, masses, inverse, basis, tight, m):
    """Make the coefficients ``w`` the start: each is tight, at zero or held at what it is.

    Returns how many are held.
    """
    n_held = 0
    _origin(inverse, basis, tight, m)
    for a in range(w.shape[0]):
        held[a] = w[a] > 0.0 and masses[a] > 0.0
        floor[a] = -w[a] if held[a] else 0.0
        n_held += held[a]
    return n_held


@njit(cache=True, nogil=True)
def _read_signs(sign, r, zero, basis):
    """Signs of the residuals; a zero residual keeps its sign, and tight features have sign 0."""
    for j in range(r.shape[0]):
        if abs(r[j]) > zero:
            sign[j] = 1.0 if r[j] > 0.0 else -1.0
        elif sign[j] == 0.0:
            sign[j] = -1.0
    for p in range(basis.shape[0]):
        if basis[p] < r.shape[0]:
            sign[basis[p]] = 0.0


@njit(cache=True, nogil=True)
def _lower_bound(x, dual, g, masses, total):
    """A bound of the objective from any dual in [-1, 1] and its ``g = -H @ dual``.

    The dual is moved down and shrunk until no generator pairs positively with it.
    """
    excess = 0.0
    for a in range(g.shape[0]):
        if masses[a] > 0.0:
            excess = max(excess, -g[a] / masses[a])
    return max((_dot(dual, x) - excess * total) / (1.0 + excess), 0.0)


@njit(cache=True, nogil=True)
def _price(y, v, g, inverse, basis, held, n_held, masses, m):
    """Position of the constraint to let go of: that of the steepest edge. -1 at the optimum.

    ``y`` becomes the derivative of the objective along each edge, ``v`` a bound of how far each
    moves the fit.
    """
    k = basis.shape[0]
    y[:] = 0.0
    for a in range(k):
        factor = g[a]
        if factor != 0.0:
            for p in range(k):
                y[p] += factor * inverse[a, p]
    v[:] = 0.0
    for a in range(k):
        mass = masses[a]
        for p in range(k):
            v[p] += mass * abs(inverse[a, p])
    best, worst = -1, 0.0
    for p in range(k):
        if basis[p] < m:
            violation = abs(y[p]) - 1.0
            if violation <= _PRICE:
                continue
        else:
            violation = abs(y[p]) if held[basis[p] - m] else -y[p]
            if violation <= _PRICE * masses[basis[p] - m]:
                continue
        if violation > worst * v[p]:
            best, worst = p, violation / v[p]
    if best < 0 and n_held > 0:  # optimal, but not a vertex: move to one
        for p in range(k):
            if basis[p] >= m and held[basis[p] - m]:
                best = p
    return best


@njit(cache=True, nogil=True)
def _next_random(seed):
    """Marsaglia's xorshift: the next state, whose upper 53 bits are a number in [0, 1)."""
    seed ^= seed << np.uint64(13)
    seed ^= seed >> np.uint64(7)
    seed ^= seed << np.uint64(17)
    return seed


@njit(cache=True, nogil=True)
def _perturb(xs, r, sign, floor, tight, masses, shift, seed, largest, total):
    """Move the loose constraints of a degenerate vertex apart, each to its own side."""
    for j in range(xs.shape[0]):
        seed = _next_random(seed)
        amount = shift * largest * (1.0 + float(seed >> np.uint64(11)) / 2.0**53)
        xs[j] += sign[j] * amount
        r[j] += sign[j] * amount
    for a in range(floor.shape[0]):
        seed = _next_random(seed)
        if not tight[a] and masses[a] > 0.0:
            amount = float(seed >> np.uint64(11)) / 2.0**53
            floor[a] += shift * total / masses[a] * (1.0 + amount)
    return seed


@njit(cache=True, nogil=True)
def _read_dual(q, sign, y, basis, positive):
    """``q`` becomes the dual of the last vertex; zero unless the objective is ``positive``."""
    m = q.shape[0]
    for j in range(m):
        q[j] = sign[j] if positive else 0.0
    for p in range(basis.shape[0]):
        if basis[p] < m and positive:
            q[basis[p]] = min(1.0, max(-1.0, y[p]))


@njit(cache=True, nogil=True)
def _solve(
    w, basis, dual, given, careful, x, H, Ht, indptr, indices, data, masses, max_pivots, work
):
    """Solve one point. Returns (objective, pivots, status).

    The start is the vertex ``basis`` or, if ``given``, the coefficients ``w``: the positive ones
    are held at their values until a pivot lets go of them, in the better direction. ``careful``
    goes no further than to the first kink along an edge on which the objective does not fall.
    """
    (held, inverse, tight, v, rows, xs, floor, r, sign, g, y, d, q, step, weight, index) = work
    m, k = x.shape[0], w.shape[0]
    largest = 0.0
    total = 0.0
    for j in range(m):
        xs[j] = x[j]
        largest = max(largest, x[j])
        total += x[j]
    if 0.0 < largest < _NOTHING:
        w[:] = 0.0
        if dual.shape[0] > 0:
            dual[:] = -1.0
        for a in range(k):
            basis[a] = m + a
        return total, 0, OPTIMAL
    held[:] = False
    floor[:] = 0.0
    n_held, error, exact = 0, 0.0, _LOST * largest
    if not given:
        w[:] = 0.0
        given = True
        for p in range(k):
            given = given and basis[p] >= m  # all at zero
        if not given and _invert(inverse, basis, tight, m, Ht, v, rows):
            error = _vertex(w, r, inverse, basis, xs, floor, exact, H, indptr, indices, data, rows)
            given = error > _LOST * largest
        else:
            given = True
    if given:
        n_held = _hold(w, held, floor, masses, inverse, basis, tight, m)
        error = _vertex(w, r, inverse, basis, xs, floor, exact, H, indptr, indices, data, rows)
    zero = _ZERO * largest
    sign[:] = -1.0
    _read_signs(sign, r, zero, basis)
    _gradient(g, sign, H, indptr, indices, data)

    pivots, stalled, since, restarts, status = 0, 0, 0, 0, STOPPED
    # How far residuals moved in recent pivots: where to look for kinks first.
    reach = 0.1 * _mean_size(r) if n_held > 0 else np.inf
    shift, seed = 0.0, np.uint64(88172645463325252)
    while True:
        best = _price(y, v, g, inverse, basis, held, n_held, masses, m)
        renew = since >= _REFRESH
        if renew or best < 0:
            for a in range(k):
                d[a] = max(w[a], 0.0)
        if best < 0:
            # Optimal, unless the inverse has lost digits.
            if since > 0:
                error = _vertex(
                    w, r, inverse, basis, xs, floor, exact, H, indptr, indices, data, rows
                )
                renew = error > _LOST * largest
            if not renew:
                status = OPTIMAL
                break
        if pivots >= max_pivots or restarts > _RESTARTS:
            break
        if renew:
            since = 0
            if _invert(inverse, basis, tight, m, Ht, v, rows):
                error = _vertex(
                    w, r, inverse, basis, xs, floor, exact, H, indptr, indices, data, rows
                )
            else:
                error = np.inf
            if error > _LOST * largest:  # digits lost beyond repair: restart from the present point
                restarts += 1
                for a in range(w.shape[0]):
                    w[a] = d[a]
                n_held = _hold(w, held, floor, masses, inverse, basis, tight, m)
                error = _vertex(
                    w, r, inverse, basis, xs, floor, exact, H, indptr, indices, data, rows
                )
            _read_signs(sign, r, zero, basis)
            _gradient(g, sign, H, indptr, indices, data)
            continue
        pivots += 1
        leaving = basis[best]
        if leaving < m:
            up = -1.0 if y[best] > 0.0 else 1.0
            need = abs(y[best]) - 1.0
        elif held[leaving - m]:  # let go; downwards there is always an end, at zero
            up = -1.0 if y[best] >= -_PRICE * masses[leaving - m] else 1.0
            need = max(-up * y[best], 0.0)
            held[leaving - m] = False
            tight[leaving - m] = False
            floor[leaving - m] = 0.0
            n_held -= 1
        else:
            up = 1.0
            need = -y[best]
        for a in range(k):
            d[a] = up * inverse[a, best]
        _combine(q, d, H, indptr, indices, data, rows)

        # Of dependent generators one can be let go along an edge that leaves the fit as it is.
        slight = 0.0
        if leaving >= m:
            moved = m * _mean_size(q)
            if moved <= _TINY * v[best]:
                q[:] = 0.0
                slight = _TINY * v[best]
            if careful or moved <= _NEARLY * v[best]:
                need = max(need, _LEAST)  # no further than to the first kink

        # The kinks ahead, and the one where the objective stops falling.
        speed = _largest(q)
        small = _TINY * speed
        limit = reach / speed if speed > 0.0 else np.inf
        while True:
            n, found = _kinks(step, weight, index, q, r, sign, small, limit)
            if found > 1.001 * need or limit == np.inf:
                break
            limit = 16.0 * limit if 0.0 < limit * speed < largest else np.inf
        for a in range(k):
            if d[a] < 0.0 and not tight[a] and -d[a] * masses[a] > max(small, slight):
                step[n] = max(w[a] + floor[a], 0.0) / -d[a]
                weight[n] = np.inf
                index[n] = m + a
                n += 1
        at = _first_kink(step, weight, index, n, need)
        if at < 0:  # this edge is rounding
            if since == 0:
                status = OPTIMAL
                break
            length, entering = 0.0, leaving
            since = _REFRESH
            if leaving >= m:
                tight[leaving - m] = True
                floor[leaving - m] = -w[leaving - m]
                held[leaving - m] = w[leaving - m] > 0.0
                n_held += held[leaving - m]
        else:
            length, entering = step[at], index[at]

        if at >= 0:
            for e in range(at):
                j = index[e]
                if j >= m:
                    continue
                factor = 2.0 * sign[j]
                sign[j] = -sign[j]
                for a in range(k):
                    g[a] += factor * Ht[j, a]
            for a in range(k):
                if d[a] != 0.0:
                    w[a] = max(w[a] + length * d[a], -floor[a])
            for j in range(m):
                r[j] -= length * q[j]
            if leaving < m:
                r[leaving] = -length * up
                sign[leaving] = -up
                for a in range(k):
                    g[a] += up * Ht[leaving, a]
            else:
                tight[leaving - m] = False
            _coordinates(v, inverse, entering, m, Ht)
            if entering < m:
                factor = sign[entering]
                for a in range(k):
                    g[a] += factor * Ht[entering, a]
                sign[entering] = 0.0
                r[entering] = 0.0
            else:
                tight[entering - m] = True
                w[entering - m] = -floor[entering - m]
            _exchange(inverse, v, best)
            basis[best] = entering
            since += 1

        reach = max(4.0 * length * speed, 1e-6 * largest)
        if length * speed <= zero:
            stalled += 1
        else:
            stalled = 0
        if stalled == 2 or stalled >= _STALL:
            fit = 0.0
            for j in range(m):
                fit += abs(r[j])
            if fit <= _ZERO * total:
                status = OPTIMAL
                break
        if stalled >= _STALL:
            # A degenerate vertex: move the loose constraints apart, each to its own side.
            shift = _SHIFT if shift == 0.0 else 4.0 * shift
            seed = _perturb(xs, r, sign, floor, tight, masses, shift, seed, largest, total)
            stalled = 0

    for a in range(k):
        if not held[a]:
            floor[a] = 0.0
    lost = False
    if pivots > 0:
        for a in range(k):
            d[a] = max(w[a], 0.0)
        error = _vertex(w, r, inverse, basis, x, floor, exact, H, indptr, indices, data, rows)
        lost = error > exact
    objective = 0.0
    for j in range(m):
        objective += abs(r[j])
    if lost or shift > 0.0:
        # Of nearly dependent generators, this may not be the vertex that the pivots have led to.
        _combine(q, d, H, indptr, indices, data, rows)
        fit = 0.0
        for j in range(m):
            fit += abs(x[j] - q[j])
        if fit < objective - (0.0 if lost else _PROOF * total):
            objective, lost = fit, True
            for a in range(w.shape[0]):
                w[a] = d[a]
    _read_dual(q, sign, y, basis, objective > _ZERO * total)
    if dual.shape[0] > 0:
        for j in range(m):
            dual[j] = q[j]
    if status == OPTIMAL and pivots > 0:
        _gradient(v, q, H, indptr, indices, data)
        bound = _lower_bound(x, q, v, masses, total)
        if objective - bound > _PROOF * total:
            status = UNPROVED
    if n_held > 0 or lost:  # there is no vertex to come back to
        for a in range(k):
            basis[a] = m + a
    return objective, pivots, status


@njit(cache=True, nogil=True)
def _workspace(m, k):
    return (
        np.empty(k, np.bool_),
        np.empty((k, k)),
        np.empty(k, np.bool_),
        np.empty(k),
        np.empty(k, np.int64),
        np.empty(m),
        np.empty(k),
        np.empty(m),
        np.empty(m),
        np.empty(k),
        np.empty(k),
        np.empty(k),
        np.empty(m),
        np.empty(m + k),
        np.empty(m + k),
        np.empty(m + k, np.int64),
    )


@njit(cache=True, nogil=True)
def _load(chosen, stored, m):
    for a in range(chosen.shape[0]):
        c = stored[a]
        chosen[a] = c if c >= 0 else m - 1 - c


@njit(cache=True, nogil=True)
def _store(stored, chosen, m):
    for a in range(chosen.shape[0]):
        c = chosen[a]
        stored[a] = c if c < m else m - 1 - c


@njit(cache=True, nogil=True)
def _begin(w, chosen, start, m):
    for a in range(w.shape[0]):
        w[a] = start[a]
        chosen[a] = m + a


@njit(cache=True, nogil=True)
def _solve_twice(w, chosen, dual, given, x, H, Ht, Hp, Hi, Hd, masses, max_pivots, work):
    """:func:`_solve`, and with more care from zero where its dual does not prove the objective."""
    pivots = 0
    for careful in (False, True):
        if careful:
            w[:] = 0.0
        objective, made, status = _solve(
            w,
            chosen,
            dual,
            given or careful,
            careful,
            x,
            H,
            Ht,
            Hp,
            Hi,
            Hd,
            masses,
            max_pivots,
            work,
        )
        pivots += made
        if status == OPTIMAL or made >= max_pivots:
            break
    return objective, pivots, status


@njit(cache=True, nogil=True)
def lad_dense(W, basis, norms, duals, points, start, X, H, Ht, masses, max_pivots):
    """Project rows ``points`` of dense ``X`` on the cone of ``H``.

    A point whose objective would rise (by rounding) keeps what it has.

    Parameters
    ----------
    W : (n, k) coefficients
    basis : (n, k) tight constraints: feature ``j``, or ``-1 - l`` for coefficient ``l`` at zero
    norms : (n,) objectives
    duals : (len(points), m), or (0, 0) to leave them out
        These four are updated in place; they may have more than ``k`` columns.
    start : (n, k), non-negative, where to start instead of ``basis``; or (0, 0)
    H, Ht : (k, m) and (m, k), float64
    masses : (k,) row sums of ``H``

    Returns
    -------
    pivots, unfinished : int
        Pivots made; points that met ``max_pivots``, or whose dual does not prove the objective
        even after a second solution, from zero.
    """
    m, k = X.shape[1], H.shape[0]
    work = _workspace(m, k)
    x = np.empty(m)
    none = np.empty(0)
    indptr = np.empty(0, np.int64)
    w = np.empty(k)
    chosen = np.empty(k, np.int64)
    given = start.shape[0] > 0
    pivots, unfinished = 0, 0
    for e in range(points.shape[0]):
        i = points[e]
        for j in range(m):
            x[j] = X[i, j]
        _load(chosen, basis[i], m)
        if given:
            _begin(w, chosen, start[i], m)
        dual = duals[e] if duals.shape[0] > 0 else none
        objective, made, status = _solve_twice(
            w, chosen, dual, given, x, H, Ht, indptr, indptr, none, masses, max_pivots, work
        )
        pivots += made
        unfinished += status != OPTIMAL
        if objective <= norms[i]:
            norms[i] = objective
            for a in range(k):
                W[i, a] = w[a]
            _store(basis[i], chosen, m)
    return pivots, unfinished


@njit(cache=True, nogil=True)
def lad_sparse(
    W,
    basis,
    norms,
    duals,
    points,
    start,
    Xp,
    Xi,
    Xd,
    label,
    Ht,
    Hp,
    Hi,
    Hd,
    masses,
    max_pivots,
):
    """As :func:`lad_dense` for CSR ``X`` and ``H``.

    ``label`` (n_features,) numbers the features that occur in ``H`` and is -1 at the others,
    which add to the objective and nothing else. ``Hi``, ``basis`` and the columns of ``duals``
    are labels; ``Ht`` is dense over them.
    """
    m, k = Ht.shape[0], masses.shape[0]
    work = _workspace(m, k)
    x = np.zeros(m)
    H = np.empty((k, 0))
    none = np.empty(0)
    w = np.empty(k)
    chosen = np.empty(k, np.int64)
    given = start.shape[0] > 0
    pivots, unfinished = 0, 0
    for e in range(points.shape[0]):
        i = points[e]
        outside = 0.0
        for f in range(Xp[i], Xp[i + 1]):
            j = label[Xi[f]]
            if j >= 0:
                x[j] = Xd[f]
            else:
                outside += Xd[f]
        _load(chosen, basis[i], m)
        if given:
            _begin(w, chosen, start[i], m)
        dual = duals[e] if duals.shape[0] > 0 else none
        objective, made, status = _solve_twice(
            w, chosen, dual, given, x, H, Ht, Hp, Hi, Hd, masses, max_pivots, work
        )
        pivots += made
        for f in range(Xp[i], Xp[i + 1]):
            j = label[Xi[f]]
            if j >= 0:
                x[j] = 0.0
        unfinished += status != OPTIMAL
        if objective + outside <= norms[i]:
            norms[i] = objective + outside
            for a in range(k):
                W[i, a] = w[a]
            _store(basis[i], chosen, m)
    return pivots, unfinished


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nnan", "nsz"})
def split_residuals(target, dual, X, fit, most, relax):
    """Step of the alternating direction method in the residuals ``z`` and their multipliers.

    All arrays are in single precision.

    Parameters
    ----------
    target : (n, m), overwritten
        What ``W H`` should be near to next: ``X - z + dual``.
    dual : (n, m), changed in place
        Scaled multipliers, of size ``most`` at most, so that ``dual / most`` is a sub-gradient.
        On entry also defines the last ``z``, as ``X + dual - target``.
    X, fit : (n, m)
        The data and the current ``W H``.
    most : (n,)
    relax : float
        Over-relaxation, between 1 and 2.
    """
    over, under = np.float32(relax), np.float32(1 - relax)
    for i in range(X.shape[0]):
        limit = most[i]
        for j in range(X.shape[1]):
            last = X[i, j] + dual[i, j] - target[i, j]
            moved = over * (X[i, j] - fit[i, j]) + under * last + dual[i, j]
            shrunk = max(-limit, min(limit, moved))
            dual[i, j] = shrunk
            target[i, j] = X[i, j] - moved + shrunk + shrunk
