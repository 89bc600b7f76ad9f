"""From a trial to a result: data, corruption, solver, task, in that order."""

from __future__ import annotations

import copy
import math
import random

import numpy as np
from sklearn.utils import Bunch

from nmfbench.core import registry
from nmfbench.corruptions import corrupt
from nmfbench.datasets.base import load_dataset
from nmfbench.tasks.base import Outcome

__all__ = ["make_solver", "perform"]


def make_solver(key, **params):
    """Build a registered solver.

    Parameters
    ----------
    key : str
        Registered name, such as ``"robust-xray"``.
    **params
        Its parameters.

    Returns
    -------
    estimator
        Unfitted, in scikit-learn's style.

    Raises
    ------
    UnknownNameError
        If no solver has that name; the message lists the nearest ones.
    ValueError
        If the solver has no such parameter.
    """
    solver = registry.solvers[key].target()
    return solver.set_params(**params) if params else solver


def perform(trial, base: Outcome | None = None) -> Outcome:
    """Compute one trial.

    Parameters
    ----------
    trial : Trial
    base : Outcome, optional
        Of ``trial.base``, where it is known already; otherwise that trial is computed first.

    Raises
    ------
    FloatingPointError
        If a metric is not a finite number, or the objective is NaN.
    """
    if base is None and trial.base is not None:
        base = perform(trial.base)
    data = _data_of(trial)
    solver = make_solver(trial.solver, **trial.params)
    if "random_state" in solver.get_params():
        solver.set_params(random_state=trial.random_state)
    # For estimators that use the global states.
    random.seed(trial.random_state)
    np.random.seed(trial.random_state)  # noqa: NPY002
    task = registry.tasks[trial.task].target
    given = () if base is None else (base,)
    return _checked(task(data, solver, trial.rng("split"), *given, **trial.own_options))


def _data_of(trial):
    """The data of a trial, corrupted: its own copy, whatever it does to them."""
    fields = (trial.dataset, trial.dataset_params, trial.stand_in, trial.repeat)
    key = repr((*fields, trial.corruption, trial.level, trial.data_version))
    if key not in _LAST:
        data = load_dataset(
            trial.dataset, rng=trial.rng("data"), stand_in=trial.stand_in, **trial.dataset_params
        )
        if trial.corruption is not None:
            data = corrupt(data, trial.corruption, trial.level, trial.rng("corruption"))
        _LAST.clear()
        _LAST[key] = data
    return copy.deepcopy(_LAST[key])


_LAST: dict[str, Bunch] = {}
"""The data of the last trial: the next one of a grid often has the same."""


def _checked(outcome: Outcome) -> Outcome:
    """The outcome as plain numbers, none of them NaN."""
    metrics = {name: float(value) for name, value in outcome.metrics.items()}
    bad = [name for name, value in metrics.items() if not math.isfinite(value)]
    fit = dict(outcome.fit)
    objective = fit.get("objective")
    if objective is not None and math.isnan(objective):
        bad.append("objective")
    if bad:
        raise FloatingPointError(f"not a finite number: {', '.join(bad)}.")
    if objective is not None and math.isinf(objective):
        fit["objective"] = None  # as a divergence of data with zeros may be
    return Outcome(metrics, fit, outcome.arrays)
