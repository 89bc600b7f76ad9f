"""Inside of MahNMF: round by round along Algorithm 3, and sweep by sweep along Algorithm 1."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from nmfbench.core.matters import Ratio
from nmfbench.core.registry import register_task
from nmfbench.core.trace import Trace
from nmfbench.core.validation import check_count
from nmfbench.optim.projections.manhattan import project_manhattan
from nmfbench.solvers.manhattan.rri import improve
from nmfbench.tasks.base import Outcome, ability, drawn_start, fit_of

__all__ = ["median_sweeps_to_near", "smoothed_rounds"]

_ROUNDING = 1e-12  # a share of the loss that counts as none
_NEAR = 0.02


@register_task(
    "smoothed-rounds",
    summary="gap of smoothing and excess of both sub-problems along the rounds of Algorithm 3",
    needs={"represents": "it has no method represent(X, H, W)"},
    matters={"gap@*": Ratio(0.02), "excess@*": Ratio(0.02), "loss@*": Ratio(0.02)},
)
def smoothed_rounds(data, solver, rng, *, n_components, rounds):
    r"""Solve smoothed sub-problems in turn, with the parameter :math:`\mu_0/t^{decay}` in round t.

    After each of ``rounds`` both sub-problems are compared with their exact solutions.

    Parameters
    ----------
    data : Bunch
        With ``X``.
    solver : estimator
        Smoothing, with methods ``represent`` and ``smoothed_loss`` and parameters ``mu0`` and
        ``decay``.
    rng : Generator
        Draws the start.
    n_components : int
    rounds : sequence of int
        After which to look, in increasing order.

    Returns
    -------
    Outcome
        Metrics by round t. ``gap@t``, the loss less the smoothed loss, as a share of the loss;
        ``excess@t``, the loss over the smallest one that the factor can have on the other one as
        it is, less one: means over the two factors, 1e-12 at least. ``loss@t``, as a share of the
        sum of X.

    References
    ----------
    Guan et al. (2012), MahNMF, Algorithm 3, Theorem 1.
    """
    ability(solver, "smoothed_loss", "take one that smooths the loss, such as mahnmf-ogm")
    X = np.ascontiguousarray(data.X, dtype=np.float64)
    start = drawn_start(solver, X, n_components, rng)
    W, Ht = start["W"].copy(), np.ascontiguousarray(start["H"].T)
    Xt = np.ascontiguousarray(X.T)
    first, decay = solver.mu0, solver.decay
    metrics, clock = {}, Trace()
    for t in range(1, max(rounds) + 1):
        now = clone(solver).set_params(mu0=first / t**decay)
        with clock.clock():
            W = now.represent(X, Ht.T, W)
            Ht = now.represent(Xt, W.T, Ht)
        if t not in rounds:
            continue
        gaps, excesses = [], []
        for data_of, basis, factor in ((X, Ht.T, W), (Xt, W.T, Ht)):
            basis = np.ascontiguousarray(basis)
            loss = np.abs(data_of - factor @ basis).sum()
            best = project_manhattan(data_of, basis, factor)
            least = np.abs(data_of - best @ basis).sum()
            gaps.append((loss - now.smoothed_loss(data_of, basis, factor)[0]) / loss)
            excesses.append(loss / least - 1)
        metrics[f"gap@{t}"] = max(float(np.mean(gaps)), _ROUNDING)
        metrics[f"excess@{t}"] = max(float(np.mean(excesses)), _ROUNDING)
        metrics[f"loss@{t}"] = float(loss / X.sum())
    return Outcome(metrics, fit_of(clock, max(rounds), float(loss), "max_iter"))


@register_task(
    "median-sweeps",
    summary="sweeps of exact updates until the first sub-problem of RRI is near its end",
    matters={"sweeps-to-near": Ratio(0.10), "sweeps": Ratio(0.10), "share-of-first": 0.02},
)
def median_sweeps_to_near(data, solver, rng, *, n_components, most=1000):
    """Sweep over the first factor of a start until no sweep lowers the loss.

    Parameters
    ----------
    data : Bunch
        With ``X``.
    solver : estimator
        RRI, for its parameter ``median``.
    rng : Generator
        Draws the start.
    n_components : int
    most : int, default=1000
        Sweeps.

    Returns
    -------
    Outcome
        Metrics ``sweeps-to-near``, the first after which the loss is within 2 % of the last one;
        ``sweeps``, all of them; ``share-of-first``, the share of the whole fall that the first one
        makes. Array ``losses``, from the start on.

    References
    ----------
    Guan et al. (2012), MahNMF, Algorithm 1.
    """
    check_count(most, "most")
    median = ability(solver, "median", "take RRI, such as mahnmf-rri")
    X = np.ascontiguousarray(data.X, dtype=np.float64)
    start = drawn_start(solver, X, n_components, rng)
    W, Ht = start["W"].copy(), np.ascontiguousarray(start["H"].T)
    residual = X - W @ Ht.T
    after, clock = [np.abs(residual).sum()], Trace()
    for _ in range(most):
        with clock.clock():
            improve(residual, W, Ht, sweeps=1, median=median, threads=1)
        after.append(np.abs(residual).sum())
        if after[-1] >= after[-2]:
            break
    losses = np.array(after)
    near = int(np.flatnonzero(losses <= (1 + _NEAR) * losses[-1])[0])
    fall = losses[0] - losses[-1]
    metrics = {
        "sweeps-to-near": float(max(near, 1)),
        "sweeps": float(len(losses) - 1),
        "share-of-first": float((losses[0] - losses[1]) / fall) if fall > 0 else 1.0,
    }
    fit = fit_of(clock, len(losses) - 1, losses[-1], "converged")
    return Outcome(metrics, fit, {"losses": losses})
