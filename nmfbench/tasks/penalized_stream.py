"""Penalised and bounded cost of bases learned from a stream, beside that of a batch method."""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import normalize

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.metrics.factors import sparseness
from nmfbench.optim.kernels.simplex import project_rows
from nmfbench.solvers.online.base import exact_codes
from nmfbench.tasks.base import Outcome, ability, fit_of
from nmfbench.tasks.online import draw_samples, first_bases, start_at

__all__ = ["penalized_stream", "roughness"]

_ROUNDS, _SWEEPS = 200, 10  # of the batch method


@register_task(
    "penalized-stream",
    summary="penalised cost of bases learned from a stream over that of a batch method",
    needs={"partial_fit": "the class has no partial_fit"},
    matters={
        "cost*": Ratio(0.02),
        "ratio": Ratio(0.02),
        "codes-sparseness": 0.02,
        "roughness": Ratio(0.05),
        "outside": None,
    },
)
def penalized_stream(data, solver, rng, *, n_components, n_samples, n_epochs=2):
    r"""Give a solver a stream, and judge its bases by the cost that it is to minimise.

    .. math:: \frac1n \sum_i \min_{h\ge0} \frac12 \|v_i - W h\|^2 + \lambda \|h\|_1
              + \frac\beta2 \|h\|^2 + \frac\alpha2 \|W\|_F^2

    over bases of unit sum, or in a box. The batch method begins at the same bases, and alternates
    between best coefficients and exact sweeps over the bases.

    Parameters
    ----------
    data : Bunch
        With ``X``: square images, whose rows are scaled to unit norm.
    solver : estimator
        OR-NMF or MOR-NMF, for their penalties and bounds.
    rng : Generator
        Draws samples, first bases and the order.
    n_components, n_samples : int
    n_epochs : int, default=2
        Passes, in one order.

    Returns
    -------
    Outcome
        Metrics ``cost``, ``cost-batch`` and ``ratio``, the first over the second;
        ``codes-sparseness``, Hoyer's, mean over the samples; ``roughness``, of the bases; and of a
        box ``outside``, by how much an entry leaves it, and ``cost-clipped``, that of bases learned
        without the lower bound, raised to it afterwards.

    References
    ----------
    Guan et al. (2012), Online NMF with robust stochastic approximation, Sections III-A to III-C.
    """
    ability(solver, "partial_fit", "take one such as or-nmf or mor-nmf")
    X = normalize(draw_samples(data, rng, n_samples)[0])
    start = first_bases(X, n_components, rng)
    stream = X[np.tile(rng.permutation(len(X)), n_epochs)]
    solver.set_params(n_components=n_components)
    start_at(solver, start, len(X), n_epochs)
    clock, params = Trace(), solver.get_params()
    with clock.clock():
        solver.partial_fit(stream)
    H = np.asarray(solver.components_, dtype=np.float64)
    weights = {
        "lam": params["lam"] if params["penalty"] == "l1" else 0.0,
        "beta": params["beta"] if params["penalty"] == "l2" else 0.0,
    }
    ridge = params["alpha"] if params["penalty"] == "l2" else 0.0
    low, high = params["bounds"] or (0.0, 0.0)
    cost, codes = _cost(X, H, ridge, weights)
    batch, _ = _cost(X, _alternate(X, start, low, high, ridge, weights), ridge, weights)
    metrics = {
        "cost": cost,
        "cost-batch": batch,
        "ratio": cost / batch,
        "codes-sparseness": np.mean([sparseness(row) for row in codes if row.any()] or [0.0]),
        "roughness": roughness(H),
    }
    if low < high:
        open_below = type(solver)(**params | {"bounds": (0.0, high)}).partial_fit(stream)
        clipped = np.clip(np.asarray(open_below.components_, dtype=np.float64), low, high)
        metrics["cost-clipped"] = _cost(X, clipped, ridge, weights)[0]
        metrics["outside"] = max(0.0, low - H.min(), H.max() - high)
    fit = fit_of(clock, n_epochs, cost, stop_reason="max_iter")
    return Outcome({name: float(value) for name, value in metrics.items()}, fit)


def roughness(H):
    """Size of the differences of neighbouring pixels over that of the pixels, of square images.

    Examples
    --------
    >>> roughness(np.array([[1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0]])).round(3).item()
    0.816
    """
    side = round(np.sqrt(H.shape[1]))
    images = H.reshape(-1, side, side)
    squares = sum(np.sum(np.diff(images, axis=axis) ** 2) for axis in (1, 2))
    return np.sqrt(squares / np.sum(images**2))


def _cost(X, H, ridge, weights):
    """The cost, and the best coefficients."""
    codes = exact_codes(X, H, **weights)
    fit = 0.5 * np.sum((X - codes @ H) ** 2) + weights["lam"] * codes.sum()
    fit += 0.5 * weights["beta"] * np.sum(codes**2)
    return fit / len(X) + 0.5 * ridge * np.sum(H**2), codes


def _alternate(X, H, low, high, ridge, weights):
    """Bases by best coefficients and sweeps over the bases, each of which is solved exactly."""
    H = H.copy()
    project_rows(H, low, high)
    for _ in range(_ROUNDS):
        codes = exact_codes(X, H, **weights)
        A, B = codes.T @ codes / len(X) + ridge * np.eye(len(H)), codes.T @ X / len(X)
        for _, k in np.ndindex(_SWEEPS, len(H)):
            if A[k, k] > 0:
                H[k] -= (A[k] @ H - B[k]) / A[k, k]
                project_rows(H[k : k + 1], low, high)
    return H
