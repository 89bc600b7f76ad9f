"""As much of several grids as fits into a time, evenly, in whole repeats.

A unit is one repeat of one artefact: all methods and levels, or none. Which units are computed
depends on what such trials cost before, never on what came out, so that p-values stay valid.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from nmfbench.engine.store import Store
from nmfbench.engine.trials import Trial, canonical

__all__ = ["Costs", "Unit", "run_units", "units_of"]

_OVERHEAD = 1.3  # of a whole trial over its fit, where only the latter is known


@dataclass(frozen=True)
class Unit:
    """One repeat of one artefact.

    Attributes
    ----------
    artefact : str
    repeat : int
    trials : tuple of Trial
        Also those of other artefacts that start from the same fits, so that these come from one
        computation.
    """

    artefact: str
    repeat: int
    trials: tuple[Trial, ...]


def units_of(grids: Mapping[str, Sequence[Trial]]) -> list[Unit]:
    """The units of some artefacts, those of an artefact in the order of their repeats."""
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
    """Seconds that a trial will take, from the records of its like.

    Parameters
    ----------
    store : Store
    trials : iterable of Trial
        Whose costs will be asked for.
    """

    def __init__(self, store: Store, trials: Iterable[Trial]):
        everyone = {t.key: t for trial in trials for t in (trial, trial.base) if t is not None}
        seen: dict[str, list[float]] = {}
        for key, record in store.provenance(everyone).items():
            trial, cost = everyone[key], record["elapsed"]
            if cost is None and trial.base is None and record["seconds"] is not None:
                cost = _OVERHEAD * record["seconds"]
            if cost is not None:
                for kind in _kinds(trial):
                    seen.setdefault(kind, []).append(cost)
        self._known = {kind: fmean(costs) for kind, costs in seen.items()}

    def of(self, trial: Trial) -> float | None:
        """None if nothing like it has been computed."""
        return next((self._known[k] for k in _kinds(trial) if k in self._known), None)


def _kinds(trial):
    """From the nearest kin to the farthest: other repeats, other levels, other parameters."""
    near = [trial.task, trial.dataset, trial.dataset_params, trial.options, trial.solver]
    yield canonical([*near, trial.params, trial.corruption, trial.level])
    yield canonical([*near, trial.params])
    yield canonical(near)


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

    A unit that would not fit is left out, and what follows of its artefact, too. A unit of
    unknown cost is begun, and cut off if need be.

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
        Those that were begun.
    """
    deadline = time.monotonic() + budget
    queues: dict[str, list[Unit]] = {}
    for unit in units:
        queues.setdefault(unit.artefact, []).append(unit)
    spent, begun = dict.fromkeys(queues, 0.0), []
    while queues:
        artefact = min(queues, key=spent.__getitem__)
        unit = queues[artefact].pop(0)
        todo = lacking(unit.trials)
        started = time.monotonic()
        needed = sum((costs.of(t) or 0.0) / (1 if t.timed else jobs) for t in todo)
        if todo and started + needed > deadline:
            del queues[artefact]
            continue
        if not queues[artefact]:
            del queues[artefact]
        if todo:
            compute(todo, deadline)
            begun.append(unit)
        spent[artefact] += time.monotonic() - started
    return begun
