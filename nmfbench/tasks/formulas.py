"""Formulas of graph-regularised and A-optimal factorizations, checked on given data by search."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.preprocessing import normalize

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.optim.graphs import knn_affinity, smoothness
from nmfbench.solvers.graph.rnmfd import resolve_lam
from nmfbench.tasks.base import Outcome, drawn_start, fit_of, timed_fit
from nmfbench.tasks.convergence import draw_per_class

__all__ = [
    "anp_optima",
    "anp_stationarity",
    "anp_trace",
    "auxiliary_function",
    "huber_loss",
    "rnmfd_stationarity",
]

_NEIGHBORS = 5
_VALUES = np.concatenate([[0.0], np.geomspace(1e-3, 10, 25)])  # of one entry of V


def _images(data, rng, per_class):
    """Samples of unit length, of each class as many."""
    X = np.asarray(data.X, dtype=np.float64)
    return normalize(X if per_class is None else X[draw_per_class(data.y, per_class, rng)])


# -- RNMFD ------------------------------------------------------------------------------------


@register_task(
    "huber-loss",
    summary="minima over the sparse part by search, against Eqs. (19) and (20) of RNMFD",
    matters={"solution-error": 0.02, "value-error": 0.02, "sum-error": 0.02},
    tolerances={"value-error": 1e-12, "sum-error": 1e-12},  # nothing but rounding
)
def huber_loss(data, solver, rng, *, n_components, per_class=None, n_points=100):
    """Search for the best sparse entry of errors and weights, and compare with the formulas.

    Parameters
    ----------
    data : Bunch
        With ``X`` and labels ``y``.
    solver : estimator
        RNMFD, of which a fit is measured besides.
    rng : Generator
        Draws samples, the start, errors and weights.
    n_components : int
    per_class : int, optional
        Samples of each class.
    n_points : int, default=100
        Pairs of an error and a weight.

    Returns
    -------
    Outcome
        Metrics ``solution-error``, the largest distance of the minimiser of Eq. (18) from Eq.
        (19), and ``value-error``, of its value from Eq. (20), both for errors of the size 1; and
        ``sum-error``: of the factors of a fit, the squared error with S by Eq. (19) and its
        l1 norm against the sum of Eq. (20), relative.

    References
    ----------
    Guo, Ding & Zhou (2014), Eqs. (18) to (20).
    """
    solutions, values = [], []
    for e, lam in zip(rng.uniform(-1, 1, n_points), rng.uniform(0, 3, n_points), strict=True):
        s, value = _best_entry(e, lam)
        solutions.append(abs(s - _shrunk(e, lam)))
        values.append(abs(value - _huber(e, lam)))
    X = _images(data, rng, per_class)
    solver.set_params(n_components=n_components)
    fit, arrays = timed_fit(
        solver, X, representation=True, **drawn_start(solver, X, n_components, rng)
    )
    E, lam = X - arrays["W"] @ solver.components_, solver.lam_
    S = _shrunk(E, lam)
    total = ((E - S) ** 2).sum() + lam * np.abs(S).sum()
    expected = _huber(E, lam).sum()
    metrics = {
        "solution-error": max(solutions),
        "value-error": max(values),
        "sum-error": abs(total - expected) / expected,
    }
    return Outcome(metrics, fit)


def _best_entry(e, lam):
    """Minimiser and minimum of (e - s)^2 + lam |s|, on either side of the kink."""

    def value(s):
        return (e - s) ** 2 + lam * abs(s)

    sides = [
        minimize_scalar(value, bounds=ends, method="bounded", options={"xatol": 1e-12})
        for ends in ((-2.0, 0.0), (0.0, 2.0))
    ]
    candidates = [0.0, *(found.x for found in sides)]
    best = min(candidates, key=value)
    return best, value(best)


def _shrunk(e, lam):
    """Eq. (19)."""
    return np.where(np.abs(e) > lam / 2, e - lam / 2 * np.sign(e), 0.0)


def _huber(e, lam):
    """Eq. (20)."""
    return np.where(np.abs(e) <= lam / 2, e**2, lam * np.abs(e) - (lam / 2) ** 2)


@register_task(
    "auxiliary-function",
    summary="lowest value of G of Lemma 2 above the objective of one entry, relative",
    matters={"lowest-gap*": 0.02},
)
def auxiliary_function(data, solver, rng, *, n_components, per_class=None, n_entries=10):
    """Compare G of Eq. (22) with the objective along single entries of V.

    Parameters
    ----------
    data : Bunch
        With ``X`` and labels ``y``.
    solver : estimator
        RNMFD, for its weights ``alpha`` and ``beta``.
    rng : Generator
        Draws samples, U, V and entries.
    n_components : int
    per_class : int, optional
    n_entries : int, default=10

    Returns
    -------
    Outcome
        Metrics ``lowest-gap``: the smallest difference of G and F over entries and over values of
        these from 0 to 10, as a share of the objective at V (entries of orthonormal columns are
        at most 1); and
        ``lowest-gap-at-update``, at the value that Eq. (17) gives.

    References
    ----------
    Guo, Ding & Zhou (2014), Lemma 2, Eqs. (17) and (22).
    """
    X, clock = _images(data, rng, per_class), Trace()
    A = knn_affinity(X, _NEIGHBORS)
    D = np.asarray(A.sum(axis=1)).ravel()
    start = drawn_start(solver, X, n_components, rng)
    V, U = start["W"], start["H"].T  # V has a row for each sample
    X = X - _sparse_part(X, V, U)
    alpha, beta = solver.alpha, solver.beta

    def objective(V):
        gram = V.T @ V - np.eye(n_components)
        error = ((X - V @ U.T) ** 2).sum()
        return error + alpha * smoothness(A, V) + beta * (gram**2).sum()

    up = X @ U + alpha * (A @ V) + 2 * beta * V
    down = V @ (U.T @ U) + alpha * D[:, None] * V + 2 * beta * V @ (V.T @ V)
    slope, now, gaps, at_update = 2 * (down - up), objective(V), [], []
    with clock.clock():
        for entry in zip(*(rng.integers(0, n, n_entries) for n in V.shape), strict=True):
            own = V[entry]

            def gap(v, entry=entry, own=own):
                moved = V.copy()
                moved[entry] = v
                step = v - own
                bound = now + slope[entry] * step + down[entry] / own * step**2
                return (bound - objective(moved)) / now

            gaps += [gap(v) for v in _VALUES]
            at_update.append(gap(own * up[entry] / down[entry]))
    metrics = {"lowest-gap": min(gaps), "lowest-gap-at-update": min(at_update)}
    return Outcome(metrics, fit_of(clock, n_entries))


def _sparse_part(X, V, U):
    lam = resolve_lam("q95", X, V, U, np.empty_like(X))
    return _shrunk(X - V @ U.T, lam) if np.isfinite(lam) else 0.0


@register_task(
    "rnmfd-stationarity",
    summary="residual of the KKT conditions of RNMFD at the end of a fit",
    matters={"kkt-residual": 0.02},
)
def rnmfd_stationarity(data, solver, rng, *, n_components, per_class=None):
    """Fit RNMFD and measure how far U and V are from the conditions, S being optimal.

    Parameters
    ----------
    data : Bunch
        With ``X`` and labels ``y``.
    solver : estimator
        RNMFD.
    rng : Generator
        Draws samples and the start.
    n_components : int
    per_class : int, optional

    Returns
    -------
    Outcome
        Metric ``kkt-residual``: the root mean square of the minimum of an entry over its column's
        mean, and of its part of the gradient over the sum of the positive and negative part; of
        the factor in which it is larger.

    References
    ----------
    Guo, Ding & Zhou (2014), Eqs. (12), (15) and (17);
    :func:`nmfbench.optim.stationarity.kkt_residual`.
    """
    X = _images(data, rng, per_class)
    solver.set_params(n_components=n_components)
    fit, arrays = timed_fit(
        solver, X, representation=True, **drawn_start(solver, X, n_components, rng)
    )
    V, U = arrays["W"], solver.components_.T
    A = knn_affinity(X, solver.n_neighbors)
    D = np.asarray(A.sum(axis=1)).reshape(-1, 1)
    clean = X - _shrunk(X - V @ U.T, solver.lam_) if np.isfinite(solver.lam_) else X
    alpha, beta = solver.alpha, solver.beta
    parts = (
        (U, U @ (V.T @ V), clean.T @ V),
        (
            V,
            V @ (U.T @ U) + alpha * D * V + 2 * beta * V @ (V.T @ V),
            clean @ U + alpha * (A @ V) + 2 * beta * V,
        ),
    )
    return Outcome({"kkt-residual": max(_residual(*part) for part in parts)}, fit)


def _residual(factor, up, down):
    means = factor.mean(axis=0)
    sizes = np.divide(factor, means, out=np.zeros_like(factor), where=means > 0)
    total = up + down
    slopes = np.divide(up - down, total, out=np.zeros_like(total), where=total > 0)
    return float(np.sqrt(np.mean(np.minimum(sizes, slopes) ** 2)))


# -- ANP --------------------------------------------------------------------------------------


@register_task(
    "anp-trace",
    summary="the regression of ANP by a least-squares solver, against its formula and its trace",
    matters={"formula-excess": 0.02, "trace-spread": 0.02},
    tolerances={"formula-excess": 1e-9, "trace-spread": 1e-12},  # nothing but rounding
)
def anp_trace(data, solver, rng, *, n_components, per_class=None, n_draws=5):
    """Minimise the regression term of ANP over its coefficients for random V.

    Parameters
    ----------
    data : Bunch
        With ``X`` and labels ``y``: V is the start of a fit of it, and random ones.
    solver : estimator
        ANP, for its ridge ``lam2``.
    rng : Generator
    n_components : int
    per_class : int, optional
    n_draws : int, default=5
        Matrices V, of very different scales.

    Returns
    -------
    Outcome
        Metrics ``formula-excess``, the largest difference of the coefficients of the formula and
        of the least-squares solver, relative to the largest; ``trace-spread``, by how much the
        least value minus the ridge times the trace differs between the V, relative to the size of
        the identity.

    References
    ----------
    Slides on Liu, Yang, Wu & Li (2012), "A-Optimal Non-Negative Projection".
    """
    X, ridge, clock = _images(data, rng, per_class), solver.lam2, Trace()
    first = drawn_start(solver, X, n_components, rng)["W"].T  # their V has a column per sample
    drawn = [10.0 ** rng.uniform(-2, 2) * rng.random(first.shape) for _ in range(n_draws - 1)]
    excess, differences = [], []
    with clock.clock():
        for V in (first, *drawn):
            r, n = V.shape
            # The formula of step 1 is that of the n x n identity.
            W = np.linalg.solve(V.T @ V + ridge * np.eye(n), V.T)
            system = np.vstack([V, np.sqrt(ridge) * np.eye(n)])
            target = np.vstack([np.eye(r), np.zeros((n, r))])
            best = np.linalg.lstsq(system, target, rcond=None)[0]
            excess.append(np.abs(W - best).max() / np.abs(best).max())
            least = ((np.eye(r) - V @ best) ** 2).sum() + ridge * (best**2).sum()
            trace = np.trace(np.linalg.inv(V @ V.T + ridge * np.eye(r)))
            differences.append(least - ridge * trace)
    metrics = {
        "formula-excess": max(excess),
        "trace-spread": np.ptp(differences) / n_components,
    }
    return Outcome(metrics, fit_of(clock, n_draws))


@register_task(
    "anp-stationarity",
    summary="slope of the term of ANP where scale moves from one factor to the other",
    matters={"scale-slope": 0.02, "norm-of-the-representation": Ratio(0.05)},
)
def anp_stationarity(data, solver, rng, *, n_components, per_class=None):
    """Fit ANP and take the derivative of its objective along (U / t, t V) at t = 1.

    Parameters
    ----------
    data : Bunch
        With ``X`` and labels ``y``.
    solver : estimator
        ANP.
    rng : Generator
        Draws samples and the start.
    n_components : int
    per_class : int, optional

    Returns
    -------
    Outcome
        Metrics ``scale-slope``, the size of the derivative relative to the term of the variance,
        by which alone the objective changes there; at a stationary point it is 0. And
        ``norm-of-the-representation``.

    References
    ----------
    Slides on Liu, Yang, Wu & Li (2012), "Here in this paper".
    """
    X = _images(data, rng, per_class)
    solver.set_params(n_components=n_components)
    fit, arrays = timed_fit(
        solver, X, representation=True, **drawn_start(solver, X, n_components, rng)
    )
    W = arrays["W"]
    inverse = np.linalg.inv(W.T @ W + solver.lam2 * np.eye(n_components))
    slope = 2 * np.sum((inverse @ W.T) ** 2)
    metrics = {
        "scale-slope": slope / np.trace(inverse),
        "norm-of-the-representation": np.linalg.norm(W),
    }
    return Outcome(metrics, fit)


@register_task(
    "anp-optima",
    summary="spread of the final objectives of fits from random starts",
    matters={"spread-of-optima": 0.02},
)
def anp_optima(data, solver, rng, *, n_components, per_class=None, n_starts=6):
    """Fit the same images from several random starts.

    Parameters
    ----------
    data : Bunch
        With ``X`` and labels ``y``.
    solver : estimator
    rng : Generator
        Draws samples and starts.
    n_components : int
    per_class : int, optional
    n_starts : int, default=6

    Returns
    -------
    Outcome
        Metric ``spread-of-optima``: the largest objective at the end of a fit over the smallest,
        minus 1.

    References
    ----------
    Slides on Liu, Yang, Wu & Li (2012), "Critiques and questions".
    """
    X, ends, n_iter, clock = _images(data, rng, per_class), [], 0, Trace()
    solver.set_params(n_components=n_components)
    for _ in range(n_starts):
        with clock.clock():
            solver.fit(X, **drawn_start(solver, X, n_components, rng))
        ends.append(solver.objective_)
        n_iter += solver.n_iter_
    return Outcome({"spread-of-optima": max(ends) / min(ends) - 1}, fit_of(clock, n_iter))
