"""Theorem 3 of MahNMF: its closed form against a search, and where sweeps by it end."""

from __future__ import annotations

import numpy as np

from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.optim.graphs import knn_affinity, smoothness
from nmfbench.optim.kernels.ridge_median import graph_sweep, ridge_median
from nmfbench.tasks.base import Outcome, fit_of

__all__ = ["KINDS", "closed_form", "manifold_moves", "ridge_minimum", "search"]

_GOLDEN = (np.sqrt(5) - 1) / 2
_STEPS = 120  # of the search: the bracket falls to 1e-25 of its length
_SWEEPS = 2000  # most of a manifold sub-problem
_ROUNDING = 16 * np.finfo(float).eps
_TRIED = np.concatenate([-np.geomspace(1e-3, 10, 40), np.geomspace(1e-3, 10, 40)])


def _random(rng, p):
    return p, rng.uniform(0.1, 1, len(p)), rng.uniform(0.1, 10), rng.uniform(-1, 2)


def _ties(rng, p):
    return np.round(4 * p) / 4, np.ones(len(p)), 1.0, 0.25 * rng.integers(-4, 9)


def _zeros(rng, p):
    return np.where(rng.random(len(p)) < 0.5, 0.0, p), rng.uniform(0.1, 1, len(p)), 1.0, 0.0


def _on_a_point(rng, p):
    return p, rng.uniform(0.1, 1, len(p)), 1e-3, rng.uniform(-1, 2)


def _between(rng, p):
    # Equal weights of an even number of points: the slope of the distances vanishes between two.
    p = p if len(p) % 2 == 0 else np.append(p, rng.random())
    middle = np.sort(p)[len(p) // 2 - 1 :][:2].mean()
    return p, np.ones(len(p)), rng.uniform(0.1, 10), middle


def _outside(rng, p):
    return p, rng.uniform(0.1, 1, len(p)), 10.0 * len(p), rng.choice([-5.0, 6.0])


def _single(rng, p):
    return p[:1], rng.uniform(0.1, 1, 1), rng.uniform(0.01, 10), rng.uniform(-1, 2)


def _uneven(rng, p):
    return p, 10.0 ** rng.uniform(-6, 6, len(p)), 10.0 ** rng.uniform(-3, 3), rng.uniform(-1, 2)


KINDS = {
    "random": _random,
    "ties": _ties,
    "points at zero": _zeros,
    "minimum on a point": _on_a_point,
    "minimum between two points": _between,
    "minimum outside of all points": _outside,
    "a single point": _single,
    "weights from 1e-6 to 1e6": _uneven,
}
"""By name: random points in [0, 1] -> points, weights, q and c of a function."""


@register_task(
    "ridge-minimum",
    summary="closed form for distances plus a quadratic against a search over one variable",
    matters={"excess": 0.02, "kernel-excess": 0.02, "convexity": 0.02},
    tolerances={"*excess": 1e-12},  # nothing but rounding
)
def ridge_minimum(data, solver, rng, *, kind, most=30):
    r"""Minimise :math:`f(x) = \sum_i a_i |x - p_i| + \frac q2 (x - c)^2` in three ways.

    By the closed form of Theorem 3, see :func:`closed_form`; by :func:`search`; and, over
    :math:`x \ge 0`, by the kernel that the solvers have.

    Parameters
    ----------
    data : Bunch
        With ``X``, of uniform numbers: each row gives the points of a function.
    solver : ignored
    rng : Generator
        Draws numbers of points, weights and quadratics.
    kind : str
        A key of :data:`KINDS`.
    most : int, default=30
        Points of a function.

    Returns
    -------
    Outcome
        Metrics, the worst of all functions: ``excess``, the value at the closed form less the
        smallest value that the search finds, as a share of it; ``kernel-excess``, that of the
        kernel; ``convexity``, the least of :math:`(f(x) - f(x^*)) / (\frac q2 (x - x^*)^2)` over
        80 points x around the closed form :math:`x^*`, which is 1 or more if that is the unique
        minimum of a function as convex as its quadratic.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 4.2, Theorem 3.
    """
    excess, kernel, convexity, clock = [], [], [], Trace()
    for row in data.X:
        p, a, q, c = KINDS[kind](rng, row[: rng.integers(2, most + 1)])

        def f(x, p=p, a=a, q=q, c=c):
            return np.abs(np.subtract.outer(x, p)) @ a + 0.5 * q * (x - c) ** 2

        with clock.clock():
            found = closed_form(p, a, q, c)
        ends = np.array([min(p.min(), c), max(p.max(), c)])
        least, at_zero = f(search(f, *ends)), f(search(f, 0.0, max(ends[1], 0.0)))
        inside = ridge_median(p, a, float(q), float(c), np.inf)
        tried = found + _TRIED
        rises = f(tried) - f(found) + _ROUNDING * f(tried)
        gains = rises / (0.5 * q * _TRIED**2)
        excess.append(f(found) / least - 1)
        kernel.append(f(inside) / at_zero - 1)
        convexity.append(gains.min())
    metrics = {"excess": max(excess), "kernel-excess": max(kernel), "convexity": min(convexity)}
    metrics = {name: float(value) for name, value in metrics.items()}
    return Outcome(metrics, fit_of(clock, len(data.X)), {"excess": np.array(excess)})


def closed_form(points, weights, q, c):
    r"""The minimiser of :math:`\sum_i a_i |x - p_i| + \frac q2 (x - c)^2`, as Theorem 3 has it.

    The slope to the left and to the right of each of the sorted points tells whether the minimum
    is on it, or where the slope vanishes before the first point, after the last, or in between.

    Parameters
    ----------
    points, weights : ndarray of shape (N,)
        Weights are positive.
    q : float
        Positive.
    c : float

    Returns
    -------
    float

    Examples
    --------
    >>> closed_form(np.array([1.0, 3.0]), np.array([1.0, 1.0]), 1.0, 2.0)
    2.0
    >>> closed_form(np.array([1.0]), np.array([5.0]), 1.0, 2.0)
    1.0
    """
    order = np.argsort(points, kind="stable")
    p, a = points[order], weights[order]
    below = np.concatenate([[0.0], np.cumsum(a)])
    slopes = 2 * below - below[-1]  # of the distances, before, between and after the points
    left, right = slopes[:-1] + q * (p - c), slopes[1:] + q * (p - c)
    on = np.flatnonzero((left <= 0) & (right >= 0))
    if len(on):
        return float(p[on[0]])
    return float(c - slopes[np.count_nonzero(right < 0)] / q)


def search(f, low, high):
    """Minimiser of a convex function between two points, by golden sections.

    Parameters
    ----------
    f : callable
        Of one variable, or of as many at once as ``low`` has.
    low, high : float or ndarray

    Returns
    -------
    float or ndarray
        The best of the points at the end, the ends of the first bracket among them.

    Examples
    --------
    >>> round(float(search(lambda x: abs(x - 0.3), 0.0, 1.0)), 9)
    0.3
    """
    ends = low, high
    for _ in range(_STEPS):
        width = _GOLDEN * (high - low)
        a, b = high - width, low + width
        smaller = f(a) <= f(b)
        low, high = np.where(smaller, low, a), np.where(smaller, b, high)
    candidates = np.array([0.5 * (low + high), *ends])
    values = np.array([f(x) for x in candidates])
    return np.take_along_axis(candidates, values.argmin(axis=0)[None], axis=0)[0]


@register_task(
    "manifold-moves",
    summary="what a change of one weight still gains where sweeps of MahNMF-M over W end",
    matters={"single-move": 0.02, "last-fall": None},
    tolerances={"single-move": 1e-12},  # mostly rounding
)
def manifold_moves(data, solver, rng, *, n_components, zeros=0.0):
    r"""Sweep over W by Theorem 3, the basis as it is, and search for a better value of each weight.

    Parameters
    ----------
    data : Bunch
        With ``X``.
    solver : estimator
        MahNMF-M by RRI, for its ``beta`` and ``n_neighbors``.
    rng : Generator
        Draws basis and start.
    n_components : int
    zeros : float, default=0
        Share of the entries of the basis that are zero.

    Returns
    -------
    Outcome
        Metrics ``single-move``, the largest fall of the objective that a change of one weight can
        bring, as a share of the objective; ``last-fall``, that of the last sweep.

    References
    ----------
    Guan et al. (2012), MahNMF, Section 4.2, Eqs. (36)-(37).
    """
    X = data.X.astype(np.float64)
    H = rng.uniform(size=(n_components, X.shape[1]))
    H[rng.random(H.shape) < zeros] = 0.0
    W = rng.uniform(0, 1 / n_components, (len(X), n_components))
    S = knn_affinity(X, solver.n_neighbors)
    penalty = solver.beta * H.sum(axis=1) ** 2
    R, order, clock = X - W @ H, np.arange(len(X)), Trace()

    def objective(W):
        loss = np.abs(X - W @ H).sum()
        return loss + 0.5 * smoothness(S, W * np.sqrt(penalty))

    before, fall, sweeps = objective(W), np.inf, 0
    while fall > 0 and sweeps < _SWEEPS:
        with clock.clock():
            graph_sweep(W, R, H, order, S.indptr, S.indices, S.data, penalty)
        np.subtract(X, W @ H, out=R)
        now = objective(W)
        fall, before, sweeps = (before - now) / now, now, sweeps + 1
    affinity = S.toarray()
    gain = max(_single_moves(X, W, H, affinity, penalty, k).max() for k in range(n_components))
    metrics = {"single-move": float(gain / now), "last-fall": float(max(fall, 0))}
    return Outcome(metrics, fit_of(clock, sweeps, now))


def _single_moves(X, W, H, S, penalty, k):
    """By how much the best change of the weight k of each sample alone lowers the objective."""
    rest = X - W @ H + np.outer(W[:, k], H[k])
    degree, pull = S.sum(axis=1), S @ W[:, k]

    def f(w):
        quadratic = 0.5 * penalty[k] * (degree * w**2 - 2 * pull * w)
        return np.abs(rest - np.outer(w, H[k])).sum(axis=1) + quadratic

    used = H[k] > 0
    top = np.maximum((rest[:, used] / H[k, used]).max(axis=1, initial=0.0), W[:, k])
    return f(W[:, k]) - f(search(f, np.zeros(len(X)), np.maximum(top, W.max())))
