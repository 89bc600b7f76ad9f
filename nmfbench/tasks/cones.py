"""Lemmas and remarks on conical hulls, on instances small enough for linear programmes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.optimize import linprog, minimize, nnls
from sklearn.base import clone

from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.metrics.factors import anchor_recovery
from nmfbench.optim.projections.bregman import GENERATORS
from nmfbench.optim.projections.frobenius import project_frobenius
from nmfbench.optim.projections.manhattan import ManhattanCone, project_manhattan
from nmfbench.tasks.base import CHOOSE, Outcome, ability, fit_of, timed_fit
from nmfbench.tasks.exemplars import halve_each_class, weight_terms
from nmfbench.tasks.separation import spread

__all__ = [
    "admm_projection",
    "cone_subgradients",
    "median_background",
    "nested_anchors",
    "residual_zeros",
    "square_divergence",
    "swapped_divergence",
    "tied_anchors",
]

_ZERO = 1e-7  # residuals, relative to the row's largest entry, up to the tolerance of the LP
_OUTSIDE = 1e-6  # a point counts as inside below this share of the largest row
_CLEARLY = 1e-4  # the same for linear programmes, whose tolerance blurs residuals near the cone
_TIE = 1e-9  # scores this close, relatively, tie
_ANCHORS = {"anchors": "its fit leaves no anchor_indices_"}


# -- instances --------------------------------------------------------------------------------


def separable_rows(components, rng, *, n_inside=20, on_edges=False):
    """Anchors, conic combinations of them all, and on request of each pair, in random order.

    Weights are at least 0.05 before rows are scaled at random, so that no other row is nearly an
    anchor.

    Parameters
    ----------
    components : ndarray of shape (r, n_features)
        The anchors.
    rng : Generator
    n_inside : int, default=20
        Combinations of all anchors.
    on_edges : bool, default=False
        Add two combinations of every pair of anchors.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    anchors : ndarray of int, sorted

    Examples
    --------
    >>> X, anchors = separable_rows(np.eye(3), np.random.default_rng(0), on_edges=True)
    >>> X.shape, len(anchors)
    ((29, 3), 3)
    """
    r = len(components)
    rows = [np.eye(r), rng.uniform(0.05, 1, size=(n_inside, r))]
    if on_edges:
        for pair in combinations(range(r), 2):
            row = np.zeros((2, r))
            row[:, pair] = rng.uniform(0.05, 1, size=(2, 2))
            rows.append(row)
    weights = np.vstack(rows)
    order = rng.permutation(len(weights))
    X = (weights @ components)[order] * rng.uniform(0.2, 1, size=(len(order), 1))
    return X, np.sort(np.flatnonzero(order < r))


def coarse(X, rng):
    """Rows with many ties: of the entries 0, 1 and 2, a feature of zeros, and a row twice."""
    levels = rng.integers(0, 3, size=X.shape).astype(np.float64)
    levels[:, 0] = 0
    levels[-1] = levels[0]
    return levels[levels.any(axis=1)]


def _instance(data, rng, degenerate):
    return coarse(data.X, rng) if degenerate else data.X


# -- linear programmes ------------------------------------------------------------------------


def l1_weights(x, H):
    """Weights ``w >= 0`` of least ``|x - w H|_1``, by a linear programme."""
    k, m = H.shape
    cost = np.repeat([0.0, 1.0], [k, 2 * m])
    found = linprog(cost, A_eq=np.hstack([H.T, np.eye(m), -np.eye(m)]), b_eq=x, method="highs")
    return found.x[:k]


def subgradient(x, H, residual):
    """The D of Lemmas 3.1 and 3.2 with the largest product with ``x``, or None without one.

    Entries are the signs of the residual, and free in [-1, 1] where that is zero; the product
    with no row of ``H`` may be positive.
    """
    free = np.abs(residual) <= _ZERO * x.max()
    low, high = (np.where(free, end, np.sign(residual)) for end in (-1.0, 1.0))
    rows = H / H.sum(axis=1, keepdims=True)
    bounds = np.column_stack([low, high])
    found = linprog(-x, A_ub=rows, b_ub=np.full(len(H), _ZERO), bounds=bounds, method="highs")
    return found.x if found.status == 0 else None


def _outside(X, H):
    """Rows clearly outside the cone of ``H`` with their residuals."""
    found = []
    for i, x in enumerate(X):
        residual = x - l1_weights(x, H) @ H
        if np.abs(residual).sum() > _CLEARLY * X.sum(axis=1).max():
            found.append((i, residual))
    return found


# -- lemmas of the l1 loss --------------------------------------------------------------------


@register_task(
    "cone-subgradients",
    summary="exterior points without the subgradient that Lemmas 3.1 and 3.2 promise",
    needs=_ANCHORS,
    matters={"without-subgradient": 1.0, "exterior-points": None},
    version=2,  # points nearer to the cone than the LP can resolve are left out
)
def cone_subgradients(data, solver, rng, *, n_components, degenerate=False):
    """Look for the subgradient of the two lemmas at every exterior point of every step.

    Parameters
    ----------
    data : Bunch
        With ``X``.
    solver : estimator
        With ``anchor_indices_`` in order of selection: their beginnings are the cones.
    rng : Generator
    n_components : int
    degenerate : bool, default=False
        Put :func:`coarse` rows in the place of the data.

    Returns
    -------
    Outcome
        Metrics ``exterior-points``, counted for each step, and ``without-subgradient``, for how
        many of them the linear programme is infeasible or its optimum not positive.

    References
    ----------
    Kumar & Sindhwani (2015), Lemmas 3.1 and 3.2.
    """
    X = _instance(data, rng, degenerate)
    solver.set_params(n_components=n_components)
    fit, _ = timed_fit(solver, X)
    anchors = ability(solver, "anchor_indices_", CHOOSE)
    points = missing = 0
    for k in range(1, len(anchors) + 1):
        H = X[anchors[:k]]
        for i, residual in _outside(X, H):
            D = subgradient(X[i], H, residual)
            points += 1
            missing += D is None or D @ X[i] <= 0
    return Outcome({"exterior-points": points, "without-subgradient": missing}, fit)


@register_task(
    "tied-anchors",
    summary="ties of the selection that Remark 2 does not describe",
    needs=_ANCHORS,
    matters={"ties": None, "wrong-ties": 1.0, "tied-points": None},
    version=2,  # as that of cone-subgradients
)
def tied_anchors(data, solver, rng, *, on_edges=False, n_cones=4):
    """Choose p so that two anchors attain the maximum of Eq. (3.3), and see what else does.

    Between two positive vectors whose maxima are at different anchors there is one where two
    anchors tie. Anchors and exterior points are random.

    Parameters
    ----------
    data : Bunch
        With ``components``, the anchors of :func:`separable_rows`.
    solver : estimator
        RobustXRAY, which is called on the tied rows alone.
    rng : Generator
    on_edges : bool, default=False
        Whether rows between two anchors tie with them.
    n_cones : int, default=4

    Returns
    -------
    Outcome
        Metrics ``ties``; ``tied-points``, in all; and ``wrong-ties``: two tied rows that are not
        both new anchors, or more of which the solver does not return the new anchors and no
        others.

    References
    ----------
    Kumar & Sindhwani (2015), Remark 2.
    """
    X, anchors = separable_rows(data.components, rng, on_edges=on_edges)
    fit, _ = timed_fit(clone(solver).set_params(n_components=len(anchors)), X)
    ties = wrong = tied_points = 0
    for _ in range(n_cones):
        known = rng.choice(anchors, size=rng.integers(1, len(anchors) - 1), replace=False)
        H, new = X[known], np.setdiff1d(anchors, known)
        outside = _outside(X, H)
        i, residual = outside[rng.integers(len(outside))]
        D = subgradient(X[i], H, residual)
        p = None if D is None else _tying_vector(X @ D, X, new, rng)
        if p is None:
            continue
        scores = (X @ D) / (X @ p)
        tied = np.flatnonzero(scores >= scores.max() * (1 - _TIE))
        ties, tied_points = ties + 1, tied_points + len(tied)
        expected = np.intersect1d(tied, new)
        found = tied
        if len(tied) > 2:
            again = clone(solver).set_params(n_components=len(tied)).fit(X[tied])
            found = tied[again.anchor_indices_]
        wrong += len(expected) < 2 or set(found.tolist()) != set(expected.tolist())
    return Outcome({"ties": ties, "tied-points": tied_points, "wrong-ties": wrong}, fit)


def _tying_vector(products, X, new, rng, n_tries=50):
    """A positive vector by which two of the rows ``new`` have the largest score; None if none."""

    def best(p):
        return new[np.argmax(products[new] / (X[new] @ p))]

    low = np.exp(rng.standard_normal(X.shape[1]))
    for _ in range(n_tries):
        high = np.exp(rng.standard_normal(X.shape[1]))
        if best(high) != best(low):
            break
    else:
        return None
    first, (a, b) = best(low), (0.0, 1.0)
    while a < (middle := (a + b) / 2) < b:
        a, b = (middle, b) if best((1 - middle) * low + middle * high) == first else (a, middle)
    return (1 - a) * low + a * high


@register_task(
    "residual-zeros",
    summary="zeros in the residual of the exterior point, and what the subgradient with -1 does",
    needs=_ANCHORS,
    matters={
        "largest-share-of-zeros": 0.02,
        "mean-share-of-zeros": 0.02,
        "largest-product": 0.02,
        "lemma-failures": None,
        "selections": None,
    },
)
def residual_zeros(
    data, solver, rng, *, n_components=None, view="samples", n_frames=200, weighting="counts"
):
    """Replay the selections of RobustXRAY and look at the residual of each exterior point.

    Parameters
    ----------
    data : Bunch
        With ``X``; of texts with labels ``y``, too.
    solver : estimator
        RobustXRAY, with the exterior point of largest residual.
    rng : Generator
        Draws the split of a collection of texts.
    n_components : int, optional
        By default the number of true anchors.
    view : {"samples", "pixels", "texts"}, default="samples"
        Whether the solver chooses among the samples, among the pixels of a clip, or among the
        training half of a collection of texts.
    n_frames : int, default=200
        Frames of a clip, evenly spaced.
    weighting : {"counts", "l1", "tfidf"}, default="counts"
        Of the words of texts, see :func:`~nmfbench.tasks.exemplars.weight_terms`.

    Returns
    -------
    Outcome
        Over the selections metrics ``largest-share-of-zeros`` and ``mean-share-of-zeros`` of a
        residual; ``largest-product``, of a D that is -1 at zeros with an anchor of unit sum;
        ``lemma-failures``, where its product with the exterior point is not positive; and
        ``selections``.

    References
    ----------
    Kumar & Sindhwani (2015), Remark 1.
    """
    X = data.X
    if view == "texts":
        X = weight_terms(
            X[rng.permutation(halve_each_class(np.asarray(data.y), rng)[0])], weighting
        )
    elif view == "pixels":
        X = np.ascontiguousarray(X[spread(len(X), n_frames)].T)
    X = X.astype(np.float64)
    solver.set_params(n_components=n_components or len(data.anchors))
    fit, _ = timed_fit(solver, X)
    anchors = ability(solver, "anchor_indices_", CHOOSE)
    cone, shares, largest, failures = ManhattanCone(X, len(anchors)), [], -np.inf, 0
    for k, anchor in enumerate(anchors):
        i = int(np.argmax(cone.norms))
        x, residual = _dense(X, [i])[0], cone.residual(i)
        zero = np.abs(residual) <= 1e-9 * x.max()
        D = np.where(zero, -1.0, np.sign(residual))
        shares.append(zero.mean())
        failures += D @ x <= 1e-12 * x.sum()
        if k:
            H = _dense(X, anchors[:k])
            largest = max(largest, float((H @ D / H.sum(axis=1)).max()))
        cone.extend(_dense(X, [anchor]))
    metrics = {
        "largest-share-of-zeros": np.max(shares),
        "mean-share-of-zeros": np.mean(shares),
        "lemma-failures": failures,
        "selections": len(anchors),
    }
    if len(anchors) > 1:
        metrics["largest-product"] = largest
    return Outcome(metrics, fit, {"share-of-zeros": np.array(shares)})


def _dense(X, indices):
    rows = X[indices]
    return rows.toarray() if hasattr(rows, "toarray") else rows


@register_task(
    "admm-projection",
    summary="l1 projections by ADMM above the optimum of a linear programme, by tolerance",
    matters={"excess*": 0.02, "iterations": None},
    tolerances={"excess*": 1e-12},  # a ratio close to one, less one
)
def admm_projection(data, solver, rng, *, n_components, degenerate=False, exponents=(2, 4, 6, 8)):
    r"""Project the rows on random ones by the paper's ADMM, and compare with the optimum.

    .. math:: \min_{W\ge0,Z} \|Z\|_1 \quad\text{s.t.}\quad W H + Z = X,

    with soft thresholding for Z, exact non-negative least squares for W, and the stop rule of Boyd
    et al. on primal and dual residuals, the absolute and the relative tolerance being equal.

    Parameters
    ----------
    data : Bunch
        With ``X``.
    solver : ignored
    rng : Generator
    n_components : int
        Rows of H, drawn from ``X``.
    degenerate : bool, default=False
        Put :func:`coarse` rows in the place of the data.
    exponents : sequence of int
        Tolerances, as negative powers of ten, from the largest on.

    Returns
    -------
    Outcome
        Metrics ``excess-k``, by which share of the optimum the objective is above it at the
        tolerance 10 to the minus k, and ``iterations``, until the last.

    References
    ----------
    Kumar & Sindhwani (2015), Section 3, projection step; Boyd et al. (2011), Section 3.3.
    """
    X = _instance(data, rng, degenerate)
    H = X[rng.choice(len(X), size=n_components, replace=False)]
    H, clock = H[H.any(axis=1)], Trace()
    weights = np.array([l1_weights(x, H) for x in X])
    optimum = np.abs(X - weights @ H).sum()
    with clock.clock():
        found, n_iter = _admm(X, H, [10.0**-k for k in exponents])
    excess = [np.abs(X - W @ H).sum() / optimum - 1 for W in found]
    metrics = {f"excess-{k}": e for k, e in zip(exponents, excess, strict=True)}
    return Outcome(metrics | {"iterations": n_iter}, fit_of(clock, n_iter))


_MOST = 100_000  # iterations


def _admm(X, H, tolerances):
    """The weights when each tolerance is met first, and the number of iterations."""
    rho = 1 / np.abs(X).mean()
    Z, U, W = np.zeros_like(X), np.zeros_like(X), None
    left, found, n_iter = list(tolerances), [], 0
    while left and n_iter < _MOST:
        n_iter += 1
        W = project_frobenius(X - Z - U, H, W)
        fitted, before = W @ H, Z
        V = X - fitted - U
        Z = np.sign(V) * np.maximum(np.abs(V) - 1 / rho, 0)
        U = U + fitted + Z - X
        primal = np.linalg.norm(fitted + Z - X)
        dual = rho * np.linalg.norm((Z - before) @ H.T)
        size = max(map(np.linalg.norm, (fitted, Z, X)))
        price = rho * np.linalg.norm(U @ H.T)
        while (
            left
            and primal <= left[0] * (np.sqrt(X.size) + size)
            and (dual <= left[0] * (np.sqrt(W.size) + price))
        ):
            found.append(W)
            left.pop(0)
    return found + [W] * len(left), n_iter


@register_task(
    "median-background",
    summary="the pixel-wise median against the best background of rank 1 with equal weights",
    matters={"excess*": 0.02, "distance": 0.02},
    tolerances={"excess*": 1e-12},  # as above
)
def median_background(data, solver, rng, *, constant=1.0, n_frames=51, n_pixels=500):
    """Compare ``c h`` with the pixel-wise median where all weights of rank 1 are c.

    Parameters
    ----------
    data : Bunch
        A clip.
    solver : estimator
        The temporal median, with ``low_rank_`` once fitted.
    rng : Generator
        Draws the pixels.
    constant : float, default=1
        The weight c of every frame.
    n_frames, n_pixels : int
        Frames, evenly spaced, and pixels that are looked at. The minimiser is unique for an odd
        number of frames.

    Returns
    -------
    Outcome
        Metrics ``excess``: by which share the l1 distance of the frames from the median is above
        the least one of c h with h non-negative, by trial of every break point; ``excess-of-fit``,
        the same of the projection on the vector of constants; and ``distance``, the largest
        difference of c times that projection from the median (grey levels from 0 to 1).

    References
    ----------
    Kumar & Sindhwani (2015), Section 5.3.
    """
    frames = data.X[spread(len(data.X), n_frames)].astype(np.float64)
    X = frames[:, rng.choice(frames.shape[1], min(n_pixels, frames.shape[1]), replace=False)]
    fit, _ = timed_fit(solver, X)
    median = ability(solver, "low_rank_", "take median")[0]
    # A sum of absolute differences has its minimum over h >= 0 at a break point, or at 0.
    points = np.vstack([X, np.zeros(X.shape[1])]) / constant
    costs = np.array([np.abs(X - constant * h).sum(axis=0) for h in points])
    least = costs.min(axis=0).sum()
    h = project_manhattan(np.ascontiguousarray(X.T), np.full((1, len(X)), constant)).ravel()
    metrics = {
        "excess": np.abs(X - median).sum() / least - 1,
        "excess-of-fit": np.abs(X - constant * h).sum() / least - 1,
        "distance": np.abs(constant * h - median).max(),
    }
    return Outcome(metrics, fit)


# -- Bregman divergences, and all methods -----------------------------------------------------


def _first_anchor(X, heights):
    """The first anchor of XRAY-l2: its residuals are the rows."""
    return int(np.argmax(X @ X[np.argmax((X**2).sum(axis=1))] / heights))


@register_task(
    "square-divergence",
    summary="share of the anchors of XRAY-l2 that Eq. (4.5) selects at the same step with x^2",
    needs=_ANCHORS,
    matters={"same-anchors": 0.02},
)
def square_divergence(data, solver, rng, *, n_components):
    """Run Algorithm 1 with Eq. (4.5) for the function x squared beside XRAY-l2.

    Parameters
    ----------
    data : Bunch
        With ``X``.
    solver : estimator
        XRAY-l2 with the exterior point of largest residual. Both get one vector p, drawn here.
    rng : Generator
    n_components : int

    Returns
    -------
    Outcome
        Metric ``same-anchors``: the share of selections in which both choose the same row.

    References
    ----------
    Kumar & Sindhwani (2015), Section 4, Eq. (4.5).
    """
    X, square = data.X, GENERATORS["frobenius"]
    p = rng.uniform(0.5, 1.5, X.shape[1])
    solver.set_params(n_components=n_components, p=p)
    fit, _ = timed_fit(solver, X)
    theirs, heights = ability(solver, "anchor_indices_", CHOOSE), X @ p
    anchors: list[int] = []
    for _ in theirs:
        H = X[anchors]
        Y = np.array([nnls(H.T, x)[0] @ H for x in X]) if anchors else np.zeros_like(X)
        i = np.argmax(square.divergence(X, Y).sum(axis=1))
        anchors.append(int(np.argmax(X @ square.weighted_residual(X[i], Y[i]) / heights)))
    return Outcome({"same-anchors": np.mean(np.array(anchors) == theirs)}, fit)


@register_task(
    "swapped-divergence",
    summary="anchors found without noise where the arguments of the divergence are swapped",
    matters={"anchor-recovery": 0.02},
)
def swapped_divergence(data, solver, rng, *, on_edges=False):
    """Select anchors by the criterion for a projection that minimises D(X_A B, X).

    Parameters
    ----------
    data : Bunch
        With ``components``, the anchors of :func:`separable_rows`.
    solver : estimator
        XRAY under a Bregman divergence, for its ``generator`` and its ``selection`` of the
        exterior point. The first anchor is that of XRAY-l2.
    rng : Generator
    on_edges : bool, default=False
        Whether there are rows between two anchors.

    Returns
    -------
    Outcome
        Metric ``anchor-recovery``.

    References
    ----------
    Kumar & Sindhwani (2015), Section 4, last paragraph.
    """
    X, true = separable_rows(data.components, rng, n_inside=8, on_edges=on_edges)
    divergence, clock = ability(solver, "generator", "take xray-kl or xray-is"), Trace()
    heights = X.sum(axis=1)
    anchors = [_first_anchor(X, heights)]
    with clock.clock():
        while len(anchors) < len(true):
            H = X[anchors]
            Y = np.array([_swapped_projection(x, H, divergence) for x in X])
            distance = divergence.divergence(Y, X).sum(axis=1)
            distance[anchors] = 0
            outside = np.flatnonzero(distance > _OUTSIDE * distance.max())
            i = rng.choice(outside) if solver.selection == "rand" else np.argmax(distance)
            D = divergence.d1(X[i]) - divergence.d1(Y[i])
            anchors.append(int(np.argmax(X @ D / heights)))
    metrics = {"anchor-recovery": anchor_recovery(np.unique(anchors), true)}
    return Outcome(metrics, fit_of(clock, len(anchors)))


def _swapped_projection(x, H, divergence):
    """The point ``w H`` of the cone with the least divergence D(w H, x)."""

    def value(w):
        y = np.maximum(w @ H, 1e-12 * x.max())
        return divergence.divergence(y, x).sum(), H @ (divergence.d1(y) - divergence.d1(x))

    start = np.full(len(H), x.sum() / H.sum())
    settings = {"ftol": 0.0, "gtol": 1e-10, "maxiter": 1000}
    found = minimize(value, start, jac=True, bounds=[(0, None)] * len(H), options=settings)
    return found.x @ H


@register_task(
    "nested-anchors",
    summary="selections of a fit, and whether it contains the fits of lower ranks",
    needs=_ANCHORS,
    matters={"selections-per-anchor": 0.02, "lower-ranks-contained": 0.02},
)
def nested_anchors(data, solver, rng, *, n_components):
    """Fit a rank and all lower ones, from one seed.

    Parameters
    ----------
    data : Bunch
        With ``X``.
    solver : estimator
        With ``anchor_indices_`` in order of selection.
    rng : ignored
    n_components : int

    Returns
    -------
    Outcome
        Metrics ``selections-per-anchor``, iterations over the rank, and ``lower-ranks-contained``:
        the share of lower ranks whose anchors are the first ones of the fit.

    References
    ----------
    Kumar & Sindhwani (2015), Section 1, on Kumar et al. (2013).
    """
    solver.set_params(n_components=n_components)
    fit, _ = timed_fit(solver, data.X)
    anchors = ability(solver, "anchor_indices_", CHOOSE)
    same = []
    for k in range(1, n_components):
        lower = clone(solver).set_params(n_components=k).fit(data.X).anchor_indices_
        same.append(lower.tolist() == anchors[:k].tolist())
    metrics = {
        "selections-per-anchor": fit["n_iter"] / n_components,
        "lower-ranks-contained": np.mean(same),
    }
    return Outcome(metrics, fit)
