"""From a trial to a result: data, corruption, solver, task, in that order."""

from __future__ import annotations

import copy
import math
import random
from contextlib import nullcontext
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Bunch

from nmfbench.core import registry
from nmfbench.corruptions import corrupt
from nmfbench.datasets.base import load_dataset
from nmfbench.optim.graphs import GraphCache, shared_graphs
from nmfbench.solvers import make_solver
from nmfbench.tasks.base import Outcome
from nmfbench.trials.trial import precision_of

__all__ = ["TrialCache", "perform"]


@dataclass
class TrialCache:
    """Data and neighbour graphs of the trials before, as the next ones of a grid often need them.

    Whoever computes several trials owns one, and passes it to :func:`perform`. Outcomes have the
    same bits with and without.

    Attributes
    ----------
    data : dict of str to Bunch
        Of the last trial.
    graphs : GraphCache
        Of trials that are not timed, whose seconds therefore depend on the trials before.
    """

    data: dict[str, Bunch] = field(default_factory=dict)
    graphs: GraphCache = field(default_factory=GraphCache)


def perform(
    trial,
    base: Outcome | None = None,
    cache: TrialCache | None = None,
    *,
    perturbation: int | None = None,
) -> Outcome:
    """Compute one trial.

    Parameters
    ----------
    trial : Trial
    base : Outcome, optional
        Of ``trial.base``, where it is known already; otherwise that trial is computed first.
    cache : TrialCache, optional
        Of the trials before; by default the trial stands alone.
    perturbation : int, optional
        Change the data in the last place of the precision of the fit, at random by this seed.

    Raises
    ------
    FloatingPointError
        If a metric is not a finite number, or the objective is NaN.
    ValueError
        If the seconds or iterations of the fit are negative or infinite.
    """
    if base is None and trial.base is not None:
        base = perform(trial.base, cache=cache, perturbation=perturbation)
    cache = cache or TrialCache()
    data = _data_of(trial, cache.data)
    if perturbation is not None:
        precision = np.dtype(precision_of(trial.task, trial.options))
        _perturb(data, precision, np.random.default_rng(perturbation))
    guest = ":" in trial.solver
    if guest and base is not None:
        solver = _Factorized("fixes_scale" in base.arrays)
    else:
        solver = make_solver(trial.solver, **trial.params)
        if "random_state" in solver.get_params():
            solver.set_params(random_state=trial.random_state)
    # For estimators that use the global states.
    random.seed(trial.random_state)
    np.random.seed(trial.random_state)  # noqa: NPY002
    task = registry.tasks[trial.task].target
    given = () if base is None else (base,)
    with nullcontext() if trial.timed else shared_graphs(cache.graphs):
        outcome = task(data, solver, trial.rng("split"), *given, **trial.own_options)
    if guest and getattr(solver, "fixes_scale", False):
        outcome.arrays["fixes_scale"] = np.array(True)
    return _checked(outcome)


@dataclass(frozen=True)
class _Factorized:
    """A fitted external class as a task sees it: its code is not run again.

    So whatever that code does to its process, it does not do to the metrics of the factors.
    """

    fixes_scale: bool


def _data_of(trial, last):
    """The data of a trial, corrupted: its own copy, whatever it does to them."""
    fields = (trial.dataset, trial.dataset_params, trial.stand_in, trial.repeat)
    key = repr((*fields, trial.corruption, trial.level, trial.data_version))
    if key not in last:
        data = load_dataset(
            trial.dataset, rng=trial.rng("data"), stand_in=trial.stand_in, **trial.dataset_params
        )
        if trial.corruption is not None:
            data = corrupt(data, trial.corruption, trial.level, trial.rng("corruption"))
        last.clear()
        last[key] = data
    return copy.deepcopy(last[key])


def _perturb(data, precision, rng):
    """Make about half of all numbers of the data but labels one unit smaller in the last place.

    Zeros stay.
    """

    def perturbed(value):
        if isinstance(value, list):
            return [perturbed(part) for part in value]
        if sp.issparse(value):
            value.data = perturbed(value.data)
        elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
            unit = max(np.finfo(precision).eps, np.finfo(value.dtype).eps)
            value *= (1 - unit * rng.integers(0, 2, value.shape)).astype(value.dtype)
        return value

    data.update((name, perturbed(v)) for name, v in data.items() if name not in ("y", "Y"))


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
    for name in ("seconds", "cpu_seconds", "n_iter"):
        if fit.get(name) is not None and not 0 <= fit[name] < math.inf:
            raise ValueError(f"the fit gives {name} = {fit[name]}, a number from 0 is needed.")
    if objective is not None and math.isinf(objective):
        fit["objective"] = None  # as a divergence of data with zeros may be
    return Outcome(metrics, fit, outcome.arrays)
