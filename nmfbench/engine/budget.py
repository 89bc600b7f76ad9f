"""As much of several grids as fits into a time, evenly, in complete repeats, and what trials cost.

A unit is one repeat of one artefact: all methods and levels, or none. So a budget is spent where no
test is to be decided: on smaller grids than the paper's, and on records computed again. Otherwise
:mod:`nmfbench.verdicts.scheduler` has the order.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from statistics import fmean, median
from typing import Any

import numpy as np

from nmfbench.core import registry
from nmfbench.records.pending import Held
from nmfbench.records.store import Store
from nmfbench.trials.trial import Trial

__all__ = ["UNKNOWN", "Costs", "Unit", "cpu_of", "run_units", "units_of"]

UNKNOWN = 10.0
"""CPU seconds of a trial of a task of which there is no record."""

_OVERHEAD = 1.3  # of a whole trial over its fit, where only the latter is known
_ROUNDS = 100  # iterations of a solver that does not say how many it does at most
_ALIKE = 2  # kinds of trials that take the same, but for what happens to take longer
_SHORT = 0.05  # seconds of a fit whose clocks are too coarse to compare
_SOME = 20.0  # CPU seconds of a run that count as if they had gone as predicted


@dataclass(frozen=True)
class Unit:
    """One repeat of one artefact.

    Attributes
    ----------
    artefact : str
    repeat : int
    trials : tuple of Trial
        With the trials of other artefacts that start from the same fits, so that a fit and its
        dependents come from one computation.
    """

    artefact: str
    repeat: int
    trials: tuple[Trial, ...]


def units_of(grids: Mapping[str, Sequence[Trial]]) -> list[Unit]:
    """The units of some artefacts; within an artefact in the order of the repeats."""
    from_one_fit: dict[str, list[Trial]] = {}
    for trial in (trial for grid in grids.values() for trial in grid):
        if trial.base is not None:
            from_one_fit.setdefault(trial.base.key, []).append(trial)
    units = []
    for artefact, grid in grids.items():
        repeats: dict[int, dict[str, Trial]] = {}
        for trial in grid:
            shared = from_one_fit.get(trial.base.key if trial.base else trial.key, ())
            repeats.setdefault(trial.repeat, {}).update({t.key: t for t in (trial, *shared)})
        units += [Unit(artefact, k, tuple(found.values())) for k, found in sorted(repeats.items())]
    return units


class Costs:
    """CPU seconds that a trial will take, predicted from the records of similar trials.

    Similar trials are other repeats, else other levels, else other parameters or ranks. A fit is
    predicted by their mean, the rest of a trial by their median, since the first trial of a process
    takes longer. From another rank, size or data set they are scaled: fits take time in proportion
    to samples, features, rank and the most iterations, the rest (data, scores, references) to
    samples and features. There fits are predicted by the median, too: the time that a kernel takes
    to compile, in the first of some small fits, is not in proportion to anything. From other
    parameters, such as a
    tolerance, fits are scaled by what these cost wherever the solver was run with both. Without any
    record of the task it is :data:`UNKNOWN`. During a run predictions are corrected by the ratio of
    measured to predicted costs, by task and solver.

    Parameters
    ----------
    store : Store or Held
    trials : iterable of Trial
        Whose costs are needed.
    """

    def __init__(self, store: Store | Held, trials: Iterable[Trial]):
        self._cells: dict[Trial, _Known] = {}
        self._seen: dict[tuple, list[float]] = {}
        self.learn(store, trials)

    def learn(self, store: Store | Held, trials: Iterable[Trial]) -> None:
        """Predict from the records of some more trials, too."""
        everyone = {t.key: t for trial in trials for t in (trial, trial.base) if t is not None}
        for key, record in store.provenance(everyone).items():
            trial = everyone[key]
            whole = trial.base is None
            if (cost := cpu_of(record, whole=whole)) is None:
                continue
            cell = self._cells.setdefault(trial.prototype, _Known())
            fit = min(cost, _cpu_of_fit(record)) if whole else 0.0
            cell.fits.append(fit)
            if record["elapsed"] is not None:
                cell.rests.append(cost - fit)
        self._predicted: dict[Trial, float] = {}
        self.__dict__.pop("_kin", None)

    @cached_property
    def _kin(self) -> tuple[_Factors, dict[tuple, _Known]]:
        """Factors of parameters, and the sums of all trials of a kind."""
        factors = _factors_of(self._cells)
        found: dict[tuple, _Known] = {}
        for prototype, cell in self._cells.items():
            for kind, size, volume in _kinds(prototype, factors):
                known = found.setdefault(kind, _Known())
                known.fits += [fit / volume for fit in cell.fits]
                known.rests += [rest / size for rest in cell.rests]
        return factors, found

    def of(self, trial: Trial) -> float:
        """CPU seconds of a trial."""
        return self._before(trial) * self._ratio(trial)

    def is_guess(self, trial: Trial) -> bool:
        """Whether there is no record of a trial that should take the same time."""
        nearest = itertools.islice(_kinds(trial.prototype, {}), _ALIKE)
        return not any(kind in self._kin[1] for kind, _, _ in nearest)

    def _before(self, trial):
        """By the records from before the run."""
        prototype = trial.prototype  # as no kind depends on the repeat
        if prototype not in self._predicted:
            self._predicted[prototype] = self._predict(prototype)
        return self._predicted[prototype]

    def _predict(self, trial):
        factors, found = self._kin
        for depth, (kind, size, volume) in enumerate(_kinds(trial, factors)):
            if (known := found.get(kind)) is not None:
                fit = (fmean if depth < _ALIKE else median)(known.fits) * volume
                return fit + median(known.rests) * size if known.rests else _OVERHEAD * fit
        return UNKNOWN

    def see(self, trial: Trial, record: Mapping[str, Any]) -> float:
        """Note the record of a trial of this run, and return its CPU seconds."""
        cost = cpu_of(record, whole=trial.base is None)
        if cost is None:
            return 0.0
        for kind in ((trial.task, trial.solver), ()):
            sums = self._seen.setdefault(kind, [0.0, 0.0])
            sums[0] += cost
            sums[1] += self._before(trial)
        return cost

    def _ratio(self, trial):
        """Measured over predicted costs of this run, for trials alike; close to 1 at first."""
        seen = self._seen.get((trial.task, trial.solver)) or self._seen.get((), [0.0, 0.0])
        return (seen[0] + _SOME) / (seen[1] + _SOME)


@dataclass
class _Known:
    """CPU seconds of some trials, each over what they are in proportion to: of their fits, and the
    rests where records have the seconds of the whole."""

    fits: list[float] = field(default_factory=list)
    rests: list[float] = field(default_factory=list)


def cpu_of(record: Mapping[str, Any], *, whole: bool = True) -> float | None:
    """CPU seconds of a whole trial; None where its record does not say.

    The elapsed seconds of the trial times the share of the processor that its fit had, since the
    machine may have been shared.

    Parameters
    ----------
    record : mapping
        ``elapsed``, ``seconds`` and ``cpu_seconds``, each of which may be None.
    whole : bool, default=True
        Whether the fit is a part of the trial, and not what it starts from.
    """
    elapsed, seconds, cpu = (record[name] for name in ("elapsed", "seconds", "cpu_seconds"))
    if elapsed is None:
        return _OVERHEAD * (seconds if cpu is None else cpu) if whole and seconds else None
    if cpu is None or not seconds or seconds < _SHORT:
        return elapsed
    return elapsed * min(1.0, cpu / seconds)


def _cpu_of_fit(record):
    seconds, cpu = record["seconds"], record["cpu_seconds"]
    return (seconds if cpu is None else cpu) or 0.0


_Factors = Mapping[tuple[str, str], float]
"""Solver and parameters -> how much longer a fit takes than others of the solver."""


def _kinds(trial: Trial, factors: _Factors) -> Iterator[tuple[tuple, float, float]]:
    """From the nearest kin to the farthest, each with what the rest of a trial and its fit are in
    proportion to.

    Other repeats, other levels, other parameters; other ranks and sizes, other data, other solvers.
    """
    near, params = _place(trial), str(trial.params)
    yield (*near, params, trial.corruption, trial.level), 1.0, 1.0
    yield (*near, params), 1.0, 1.0
    size, rank, rounds = _volumes(trial)
    scaled = rounds * factors.get((trial.solver, params), 1.0)
    yield near, 1.0, scaled
    yield (*near[:2], trial.solver, params, "sizes"), size, rounds
    yield (*near[:2], trial.solver, "sizes"), size, scaled
    yield (trial.task, trial.solver, "sizes"), size, scaled
    yield (trial.task,), size, rank


def _place(trial):
    """What trials share that differ in parameters, levels and repeats alone."""
    data = trial.dataset, str(trial.dataset_params)
    return (trial.task, *data, str(trial.options), trial.solver)


def _volumes(trial):
    """Size of the data, that times the rank, and that times the most iterations."""
    known = {**registry.datasets[trial.dataset].info, **trial.dataset_params}
    size = _product(known.get("n_samples"), known.get("n_features"))
    solver, given = registry.solvers[trial.solver].target, trial.options | trial.params
    rank = size * _product(given.get("n_components"))
    most = (given.get("max_iter"), getattr(solver, "max_iter", None))
    return size, rank, rank * next((n for n in most if isinstance(n, int) and n > 0), _ROUNDS)


def _factors_of(cells: Mapping[Trial, _Known]) -> _Factors:
    """What parameters of a solver cost, by all places where it was run with several.

    The logarithm of the seconds of a fit over its volume is modelled as that of the place plus that
    of the parameters, by least squares. Parameters of which nothing is known have the factor 1.
    """
    seen: dict[str, dict[tuple, dict[str, list[float]]]] = {}
    for trial, cell in cells.items():
        if (mean := fmean(cell.fits)) > _SHORT:
            value = math.log(mean / _volumes(trial)[2])
            places = seen.setdefault(trial.solver, {}).setdefault(_place(trial), {})
            places.setdefault(str(trial.params), []).append(value)
    return {
        (solver, params): math.exp(effect)
        for solver, places in seen.items()
        for params, effect in _effects(places.values()).items()
    }


def _effects(places: Iterable[Mapping[str, Sequence[float]]]) -> dict[str, float]:
    """Effects of parameters beside places, by the normal equations of least squares; their
    mean is 0 among all that are compared, directly or through others."""
    several = [values for values in places if len(values) > 1]
    columns = {name: i for i, name in enumerate(dict.fromkeys(p for v in several for p in v))}
    matrix, right = np.zeros((len(columns), len(columns))), np.zeros(len(columns))
    for values in several:
        at = [columns[name] for name in values]
        means = np.array([np.mean(of) for of in values.values()])
        matrix[np.ix_(at, at)] += np.eye(len(at)) - 1 / len(at)
        right[at] += means - means.mean()
    found = np.linalg.pinv(matrix) @ right
    return dict(zip(columns, found.tolist(), strict=True))


def _product(*sizes):
    """As far as the sizes are known."""
    return float(prod(size for size in sizes if isinstance(size, int) and size > 0))


def run_units(
    units: Sequence[Unit],
    compute: Callable[[Sequence[Trial], float], None],
    lacking: Callable[[Sequence[Trial]], Sequence[Trial]],
    *,
    budget: float,
    costs: Costs,
    jobs: int = 1,
) -> list[Unit]:
    """Compute units until the budget is spent, next one of the artefact that had least so far.

    A unit that would not fit is left out, and what follows of its artefact, too. The first of all
    is begun also where that is a guess, as no trial like its own has a record: it is measured then.

    Parameters
    ----------
    units : sequence of Unit
        In the order of preference between artefacts that had equally much.
    compute : callable
        Given trials and a deadline (of ``time.monotonic``) after which none is begun.
    lacking : callable
        Which of some trials have to be computed, with the fits that they start from.
    budget : float
        Seconds.
    costs : Costs
    jobs : int, default=1
        Trials at a time; timed ones run alone.

    Returns
    -------
    list of Unit
        The units that were begun.
    """
    deadline = time.monotonic() + budget
    queues: dict[str, list[Unit]] = {}
    for unit in units:
        queues.setdefault(unit.artefact, []).append(unit)
    spent = dict.fromkeys(queues, 0.0)
    begun: list[Unit] = []
    while queues:
        artefact = min(queues, key=spent.__getitem__)
        unit = queues[artefact].pop(0)
        todo = lacking(unit.trials)
        started = time.monotonic()
        needed = sum(costs.of(t) / (1 if t.timed else jobs) for t in todo)
        guessed = not begun and all(map(costs.is_guess, todo))
        if todo and started + needed > deadline and not guessed:
            del queues[artefact]
            continue
        if not queues[artefact]:
            del queues[artefact]
        if todo:
            compute(todo, deadline)
            begun.append(unit)
        spent[artefact] += time.monotonic() - started
    return begun
