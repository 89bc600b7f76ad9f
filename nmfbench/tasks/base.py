"""Outcome of a task, and the timed fit of a solver."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nmfbench.core.trace import Trace
from nmfbench.optim.init import INITS

__all__ = [
    "CHOOSE",
    "SCALED",
    "Outcome",
    "ability",
    "drawn_start",
    "fit_of",
    "in_units_of",
    "low_rank_of",
    "split_of",
    "timed_fit",
    "total_cost",
]


CHOOSE = "take one that chooses samples, such as spa or robust-xray"
"""Remedy for a solver without ``anchor_indices_``."""


SCALED = dict.fromkeys(
    (
        "anp",
        "dnmf",
        "drcc",
        "gnmf",
        "ignmf",
        "kmeans",
        "lnmf",
        "ncuts",
        "nlcf",
        "nsdr",
        "rcc",
        "rnmfd",
    ),
    1,
)
"""Revisions of tasks that once took the scaled samples of these solvers for the samples."""


@dataclass
class Outcome:
    """Result of a task on one trial.

    Attributes
    ----------
    metrics : dict of str to float
        Numbers for tables and claims. A NaN makes the trial a failure.
    fit : dict
        ``seconds``, ``cpu_seconds``, ``n_iter``, ``objective``, ``stop_reason`` of the fit.
    arrays : dict of str to ndarray
        What later questions may need: anchors, curves, factors. ``trace`` among them.
    """

    metrics: dict[str, float]
    fit: dict[str, Any]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)


def ability(solver, name: str, remedy: str):
    """Attribute or method that a task needs of a solver.

    Parameters
    ----------
    solver : estimator
        Fitted, if it is an attribute of the fit.
    name : str
    remedy : str
        Solvers that have it, for the error message.

    Raises
    ------
    TypeError
        If the solver does not have it.
    """
    found = getattr(solver, name, None)
    if found is None:
        raise TypeError(f"{type(solver).__name__} has no {name}, which this task needs: {remedy}.")
    return found


def drawn_start(solver, X, n_components, rng, init="uniform") -> dict[str, np.ndarray]:
    """Initial factors for a fit, as keyword arguments.

    Parameters
    ----------
    solver : estimator
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    n_components : int
    rng : Generator
        Not used for a solver that takes no factors.
    init : str, default="uniform"
        A key of :data:`nmfbench.optim.init.INITS`.

    Returns
    -------
    dict
        ``W`` and ``H``; empty for a solver that takes no factors.
    """
    if not getattr(solver, "takes_factors", False):
        return {}
    W, Ht = INITS[init](X, n_components, rng)
    return {"W": W, "H": np.ascontiguousarray(Ht.T)}


def fit_of(clock: Trace, n_iter: int, objective=None, stop_reason=None) -> dict[str, Any]:
    """The dict :attr:`Outcome.fit` of a task that has a clock of its own."""
    return {
        "seconds": float(clock.seconds),
        "cpu_seconds": float(clock.cpu_seconds),
        "n_iter": int(n_iter),
        "objective": None if objective is None else float(objective),
        "stop_reason": stop_reason,
    }


def total_cost(fits) -> dict[str, Any]:
    """The dict :attr:`Outcome.fit` of a task that fits several times: sums, and no objective."""
    sums = {name: sum(fit[name] for fit in fits) for name in ("seconds", "cpu_seconds", "n_iter")}
    return sums | {"objective": None, "stop_reason": None}


def split_of(factorization):
    """Training and test samples, as rows of the data, of an outcome of ``factorization``."""
    train, test = (factorization.arrays[name] for name in ("train", "test"))
    if not len(test):
        raise ValueError("there is no test sample: train_per_class must be given and smaller.")
    return train, test


def timed_fit(solver, X, *, representation=False, **fit_params):
    """Fit a solver and say what it cost.

    A built-in solver reports the seconds of its own clock, which leaves out compilation and the
    evaluation of the objective; for any other estimator the wall time of the call counts.

    Parameters
    ----------
    solver : estimator
    X : array-like
    representation : bool, default=False
        Also ask for the representation ``W`` of the samples, which the fit ends with.
    **fit_params
        Initial factors.

    Returns
    -------
    fit : dict
        For :attr:`Outcome.fit`.
    arrays : dict
        ``trace``, if the solver keeps one, and ``W``, if requested.
    """
    clock, arrays = Trace(), {}
    with clock.clock():
        if representation:
            arrays["W"] = solver.fit_transform(X, **fit_params)
        else:
            solver.fit(X, **fit_params)
    trace = getattr(solver, "trace_", None)
    if trace is not None:
        clock.seconds, clock.cpu_seconds = trace["seconds"][-1], trace["cpu_seconds"][-1]
    fit = fit_of(
        clock,
        np.max(getattr(solver, "n_iter_", 0)),
        getattr(solver, "objective_", None),
        getattr(solver, "stop_reason_", None),
    )
    return fit, (arrays if trace is None else arrays | {"trace": trace})


def in_units_of(X, solver, W, training=None):
    """Representation whose product with the components stands for the samples as they are.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    solver : estimator
        One that scales samples first has a method ``sample_scale``; it may be unfitted.
    W : ndarray of shape (n_samples, n_components)
        Representation of the samples, as the solver gives it.
    training : ndarray or CSR matrix of shape (n_training_samples, n_features), optional
        Samples of the fit; by default ``X``.

    Returns
    -------
    ndarray of shape (n_samples, n_components)
        ``W`` itself, of most solvers.
    """
    scale = getattr(solver, "sample_scale", None)
    return W if scale is None else W * scale(X, training)[:, None]


def low_rank_of(solver, W, X):
    """The low-rank part that a fit found of its data.

    Parameters
    ----------
    solver : estimator
        Fitted.
    W : ndarray of shape (n_samples, n_components)
        Representation of the samples of the fit.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Those samples.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        ``low_rank_`` of a solver that has it, else what the representation stands for, in the
        unit of ``X``.
    """
    if hasattr(solver, "low_rank_"):
        return solver.low_rank_
    return solver.inverse_transform(in_units_of(X, solver, W))
