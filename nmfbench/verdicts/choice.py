"""Choice of the trials that an artefact is judged on: one profile, or its largest grid."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from nmfbench.artefacts.artefact import Artefact
from nmfbench.artefacts.finding import MIN_UNITS
from nmfbench.datasets.base import dataset_available
from nmfbench.records.store import Store
from nmfbench.trials.trial import Trial

__all__ = ["Grid", "choose_grid"]

_CHUNK = 50  # trials looked up at a time; the first one without a record ends the look at a repeat


@dataclass(frozen=True)
class Grid:
    """Trials that an artefact is judged on.

    Attributes
    ----------
    profile : {"smoke", "quick", "paper"}
    trials : list of Trial
        Each once: all of the profile, or only its complete repeats.
    whole, repeats : int
        Repeats of the profile of which every trial has a record, and all.
    total : int
        Trials of the profile.
    """

    profile: str
    trials: list[Trial]
    whole: int
    repeats: int
    total: int

    @property
    def left_out(self) -> int:
        """Trials of the profile that are not judged: their repeats are not whole, or arrays of them
        stayed behind."""
        return self.total - len(self.trials)


def choose_grid(
    artefact: Artefact,
    store: Store,
    *,
    profile: str | None = None,
    stand_in: bool = False,
    without: Collection[str] = (),
) -> Grid:
    """The grid of a profile, or the largest one of whole repeats.

    A repeat of a profile is whole if every trial of it has a record, done or failed. Without a
    profile an artefact is judged on whole repeats alone: of the paper grid if it has enough of
    them, else of the part of it that is planned, else of that part without what further readings of
    claims take, which are open then, else of the quick grid, and if none has enough,
    of the one that has most trials in whole repeats. Enough are five, fewer than which decide
    nothing, or all repeats of a grid that has fewer. Grids on the data themselves come before
    grids on stand-ins.
    The smoke grid serves if neither of the two has a whole repeat, and the quick grid as far as it
    is there if no repeat of any grid is whole.

    The rule looks at which trials have a record, and never at what came out.

    Parameters
    ----------
    artefact : Artefact
    store : Store
    profile : {"smoke", "quick", "paper"}, optional
        Take all trials of this profile, with a record or without.
    stand_in : bool, default=False
        Where real data are missing, look at stand-ins, too.
    without : collection of str, optional
        Keys of records that do not count, since one of their arrays was not imported.
    """
    without = frozenset(without)
    if profile is not None:
        return _all_of(artefact, store, profile, stand_in, without)
    known: list[Grid] = []
    for substitute in (False, True) if stand_in else (False,):
        for name, trials in _candidates(artefact, substitute):
            grid = _whole_repeats(name, trials, store, without)
            if grid.whole >= min(MIN_UNITS, grid.repeats) > 0:
                return grid
            known.append(grid)
    largest = max(known, key=lambda grid: len(grid.trials))  # of equal ones the first
    if largest.trials:
        return largest
    for substitute in (False, True) if stand_in else (False,):
        trials = _plan(artefact, "smoke", substitute)
        smoke = None if trials is None else _whole_repeats("smoke", trials, store, without)
        if smoke is not None and smoke.trials:
            return smoke
    return _all_of(artefact, store, "quick", stand_in, without)


def _candidates(artefact, substitute):
    """Profiles with their trials, in the order in which they are preferred."""
    paper = _plan(artefact, "paper", substitute)
    if paper is not None:
        yield "paper", paper
        if artefact.planned is not None and artefact.planned.part:
            paper = artefact.planned.trials(paper)
            yield "paper", paper
        usual = [trial for trial in paper if not artefact.further(trial)]
        if len(usual) < len(paper):
            yield "paper", usual
    quick = _plan(artefact, "quick", substitute)
    if quick is not None:
        yield "quick", quick


def _plan(artefact, profile, substitute):
    """Trials of a profile; None for stand-ins if all real data are available."""
    if not substitute:
        return artefact.plan(profile)
    names = {trial.dataset for trial in artefact.plan(profile) if not trial.stand_in}
    if all(map(dataset_available, names)):
        return None
    return artefact.plan(profile, stand_in=True)


def _all_of(artefact, store, profile, stand_in, without):
    trials = _distinct(artefact.plan(profile, stand_in=stand_in))
    held = store.status(trial.key for trial in trials).keys() - without
    repeats = _by_repeat(trials)
    whole = sum(all(trial.key in held for trial in each) for each in repeats.values())
    chosen = [trial for trial in trials if trial.key not in without]
    return Grid(profile, chosen, whole, len(repeats), len(trials))


def _whole_repeats(profile, trials: Sequence[Trial], store, without) -> Grid:
    repeats = _by_repeat(trials)
    whole = [k for k, each in repeats.items() if _all_held(each, store, without)]
    if len(whole) == len(repeats):
        chosen = _distinct(trials)
        return Grid(profile, chosen, len(whole), len(repeats), len(chosen))
    kept = set(whole)
    chosen = _distinct(trial for trial in trials if trial.repeat in kept)
    # Keys of all trials of a paper's grid would take long, and are not needed to count them.
    total = len(set(trials)) if chosen else len(trials)
    return Grid(profile, chosen, len(whole), len(repeats), total)


def _by_repeat(trials) -> dict[int, list[Trial]]:
    found: dict[int, list[Trial]] = {}
    for trial in trials:
        found.setdefault(trial.repeat, []).append(trial)
    return found


def _all_held(trials: Iterable[Trial], store, without) -> bool:
    remaining = iter(trials)
    while keys := {trial.key for trial in islice(remaining, _CHUNK)}:
        if not keys.isdisjoint(without) or len(store.status(keys)) < len(keys):
            return False
    return True


def _distinct(trials: Iterable[Trial]) -> list[Trial]:
    return list({trial.key: trial for trial in trials}.values())
