"""Batches of trials in the order of expected verdicts per CPU second.

A batch has all missing trials of an artefact up to its next look that may be expected to decide
anything, with the fits that they start from. Next is the one whose artefact may be expected to
decide most open tests per CPU second, by its next look or a later one, where tests count that
become decidable in other artefacts with the same trials. So outcomes choose what is computed, which
p-values allow for: an artefact is tested at looks that are fixed in its plan and nowhere between
them, looks before the last one decide by p < 0.001 alone (Haybittle 1971, Peto 1976), and the
number of repeats of the last one depends on no outcome. When a look is reached is left to the
scheduler, and does not change how often the look errs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from nmfbench.artefacts.plan import Plan
from nmfbench.core.text import counted
from nmfbench.engine.budget import Costs
from nmfbench.records.pending import Held, missing
from nmfbench.records.store import Store
from nmfbench.trials.trial import Trial
from nmfbench.verdicts.prospects import Expected, Outlook, Prospects
from nmfbench.verdicts.verdict import Look

__all__ = ["Account", "Agenda", "Batch", "Computed", "Pending", "Step", "looks_of", "run_batches"]

_OVERRUN = 2.0  # times the prediction that a batch may take,
_GRACE = 60.0  # and CPU seconds more, before it is predicted again


class Pending:
    """Trials of some grids that have to be computed, kept up while a run goes on.

    Parameters
    ----------
    trials : iterable of Trial
        With the timed rivals of other artefacts.
    store : Store
    again : set of str, optional
        Keys of imported records that count as missing.
    held : Held, optional
        Records that the store has of the trials.
    **asked
        Of :func:`~nmfbench.records.pending.missing`.
    """

    def __init__(
        self,
        trials: Iterable[Trial],
        store: Store,
        *,
        again: Set[str] = frozenset(),
        held: Held | None = None,
        **asked,
    ):
        self._plan = {trial.key: trial for trial in trials}
        self._store, self._asked = store, asked
        self.again = set(again)
        self._look(held or store)

    def _look(self, store):
        asked = self.asked
        self.lacking = {trial.key for trial in missing(self._plan.values(), store, **asked)}
        bases = {b.key: b for key in self.lacking if (b := self._plan[key].base) is not None}
        unmade = {base.key for base in missing(bases.values(), store, **asked)}
        unmade |= store.imported(bases)
        self._unmade = {key: bases[key] for key in unmade}
        self._from: dict[str, list[str]] = {key: [] for key in unmade}
        self._rivals: dict[str, set[str]] = {}
        for key, trial in self._plan.items():
            if trial.base is not None and trial.base.key in unmade:
                self._from[trial.base.key].append(key)
            if trial.timed and key in self.lacking:
                self._rivals.setdefault(trial.timed_problem, set()).add(key)

    @property
    def asked(self) -> dict[str, Any]:
        """Arguments of :func:`~nmfbench.records.pending.missing`."""
        return self._asked | {"recompute": self._asked.get("recompute") or self.again}

    def compute_again(self, keys: Set[str]) -> None:
        """Count imported records as missing, of which an array that is read stayed behind."""
        if not keys <= self.again:
            self.again |= keys
            self._look(self._store)

    def whole(self, keys: Iterable[str]) -> dict[str, Trial]:
        """Trials with all that has to be computed together with them.

        That are timed rivals on the same problem, so that they are timed on one machine, and the
        fits that have to be made, with all that starts from these, so that it comes from one
        computation.
        """
        found = {key: self._plan[key] for key in keys}
        for problem in {trial.timed_problem for trial in found.values() if trial.timed}:
            rivals = self._rivals.get(problem, set()) & self.lacking
            found |= {key: self._plan[key] for key in sorted(rivals)}
        bases = (trial.base for trial in list(found.values()) if trial.base is not None)
        for key in {base.key for base in bases} & self._unmade.keys():
            found[key] = self._unmade[key]
            found |= {sibling: self._plan[sibling] for sibling in self._from[key]}
        return found

    def remove(self, keys: Iterable[str]) -> None:
        """Take away trials that have been computed."""
        for key in keys:
            self.lacking.discard(key)
            self._unmade.pop(key, None)


@dataclass(frozen=True)
class Step:
    """A look ahead of an artefact, with the trials that are missing until then."""

    look: Look
    keys: frozenset[str]
    expected: Expected


@dataclass(frozen=True)
class Batch:
    """Missing trials of an artefact, or of several that share trials, up to a look.

    That is the next look which may be expected to decide anything, so that the deadline of a run
    leaves time for it; the very next one, if no look ahead may.

    Attributes
    ----------
    artefacts : tuple of str
    keys : frozenset of str
        Of the trials, without the fits that they start from.
    expected : Expected
        Of all artefacts whose look is reached.
    seconds : float
        CPU seconds.
    rate : float
        Expected value per CPU second, by the next look or a later one.
    """

    artefacts: tuple[str, ...]
    keys: frozenset[str]
    expected: Expected
    seconds: float
    rate: float


class Agenda:
    """Open tests of some artefacts, with the trials and the CPU time that they need.

    Parameters
    ----------
    grids : mapping
        Artefact -> planned trials.
    plans : mapping
        Artefact -> :class:`~nmfbench.artefacts.plan.Plan`.
    pending : Pending
    costs : Costs
    prospects : callable
        Artefact -> its :class:`~nmfbench.verdicts.prospects.Prospects` by the records now there.
    final : bool, default=True
        Whether the last look of a plan is final.
    """

    def __init__(
        self,
        grids: Mapping[str, Sequence[Trial]],
        plans: Mapping[str, Plan],
        pending: Pending,
        costs: Costs,
        prospects: Callable[[str], Outlook | Prospects],
        *,
        final: bool = True,
    ):
        self.grids, self.plans, self.pending, self.costs = grids, plans, pending, costs
        self._prospects_of, self._final = prospects, final
        self.prospects: dict[str, Outlook | Prospects] = {}
        self._expected: dict[tuple[str, Look], Expected] = {}
        self._look(grids)

    @property
    def open(self) -> int:
        """Open tests of all artefacts."""
        return sum(len(prospects.open) for prospects in self.prospects.values())

    def refresh(self, keys: Iterable[str]) -> None:
        """Look again at the artefacts that have some of the trials."""
        keys = set(keys)
        self._look(n for n, trials in self.grids.items() if any(t.key in keys for t in trials))

    def _look(self, names):
        for name in names:
            self.prospects[name] = self._prospects_of(name)
            self._expected = {k: e for k, e in self._expected.items() if k[0] != name}
        again = (prospects.behind for prospects in self.prospects.values())
        self.pending.compute_again(set().union(*again))

    def steps(self, name: str) -> list[Step]:
        """Looks ahead of an artefact, each with all trials that are missing until then."""
        plan, found = self.plans[name], []
        missing = [t for t in self.grids[name] if t.key in self.pending.lacking]
        for look in looks_of(plan, final=self._final):
            keys = frozenset(t.key for t in missing if getattr(t, plan.unit) < look.repeats)
            if keys:
                if (name, look) not in self._expected:
                    self._expected[name, look] = self.prospects[name].expected(look)
                found.append(Step(look, keys, self._expected[name, look]))
        return found

    def batches(self) -> list[Batch]:
        """Next batches, the one with the most expected verdicts per CPU second first."""
        steps = {name: _worth(found) for name in self.grids if (found := self.steps(name))}
        everything = self.pending.whole(self.pending.lacking)
        cost = {key: self.costs.of(trial) for key, trial in everything.items()}

        def seconds(keys):
            return sum(cost[key] for key in self.pending.whole(keys))

        batches: list[Batch] = []
        for group in [*((name,) for name in steps), *_sharing(steps)]:
            now = _union(steps[name][0].keys for name in group)
            rate = 0.0
            for ahead in range(max(len(steps[name]) for name in group)):
                keys = _union(steps[name][: ahead + 1][-1].keys for name in group)
                rate = max(rate, _reached(steps, keys).value / max(seconds(keys), 1e-3))
            batches.append(Batch(group, now, _reached(steps, now), seconds(now), rate))
        return sorted(batches, key=lambda batch: (-batch.rate, batch.seconds))


def _worth(steps: list[Step]) -> list[Step]:
    """The steps from the first one on that is expected to decide anything; all if none is."""
    first = (i for i, step in enumerate(steps) if step.expected.value > 0)
    return steps[next(first, 0) :]


def looks_of(plan: Plan, *, final: bool) -> list[Look]:
    """Looks of a plan; ``final``: whether the last one is."""
    return [Look(n, plan.repeats, final and n == plan.repeats) for n in plan.looks]


def _union(sets) -> frozenset[str]:
    return frozenset().union(*sets)


def _reached(steps, keys) -> Expected:
    """Expected of the last look of each artefact that some trials complete."""
    value = verdicts = 0.0
    for ahead in steps.values():
        complete = [step.expected for step in ahead if step.keys <= keys]
        if complete:
            value += complete[-1].value
            verdicts += complete[-1].verdicts
    return Expected(value, verdicts)


def _sharing(steps) -> list[tuple[str, ...]]:
    """Groups of artefacts whose next looks share trials, directly or through others."""
    groups: list[tuple[list[str], set[str]]] = []
    for name, (step, *_) in steps.items():
        apart, names, keys = [], [name], set(step.keys)
        for group in groups:
            if keys.isdisjoint(group[1]):
                apart.append(group)
            else:
                names, keys = group[0] + names, keys | group[1]
        groups = [*apart, (names, keys)]
    return [tuple(names) for names, _ in groups if len(names) > 1]


@dataclass(frozen=True)
class Computed:
    """Result of computing a batch: keys with a record now, CPU seconds, failures by a limit."""

    keys: set[str]
    seconds: float
    beyond_limits: int = 0


@dataclass
class Account:
    """Seconds and verdicts of the batches that an artefact led.

    Attributes
    ----------
    batches : int
    predicted, spent : float
        CPU seconds.
    expected : float
        Verdicts, of batches that were computed whole.
    decided : int
        Open tests decided after them, in whichever artefact.
    """

    batches: int = 0
    predicted: float = 0.0
    spent: float = 0.0
    expected: float = 0.0
    decided: int = 0


@dataclass
class _Course:
    """Speed of a run so far: seconds that passed and CPU seconds of its trials."""

    passed: float = 60.0
    computed: float = 60.0
    held_back: set[str] = field(default_factory=set)
    once: set[str] = field(default_factory=set)


def run_batches(
    agenda: Agenda,
    compute: Callable[[Sequence[Trial], float, float], Computed],
    *,
    deadline: float,
    jobs: int = 1,
    one_look: bool = False,
    all_planned: bool = False,
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, Account]:
    """Compute batches, best first, until none fits before the deadline.

    A batch that takes far more CPU seconds than predicted is left where it is, and the next is
    chosen by what was seen. A batch with trials that exceed a limit of time or memory is set back
    once: the artefact comes again when no other has a batch that fits.

    Parameters
    ----------
    agenda : Agenda
    compute : callable
        Given trials, a deadline of ``time.monotonic`` after which none is begun, and CPU seconds
        after which none is begun, either.
    deadline : float
    jobs : int, default=1
        Trials at a time; timed ones run alone.
    one_look : bool, default=False
        End with the next look of each artefact.
    all_planned : bool, default=False
        Go on with batches that are expected to decide nothing.
    say : callable
        Given a line of progress.

    Returns
    -------
    dict of str to Account
        By artefact.
    """
    course = _Course()
    accounts: dict[str, Account] = {}
    begun: set[str] = set()
    total = agenda.open

    def fits(batch):
        trials = agenda.pending.whole(batch.keys)
        share = {True: 1, False: jobs}
        seconds = sum(agenda.costs.of(t) / share[t.timed] for t in trials.values())
        return time.monotonic() + seconds * course.passed / course.computed <= deadline

    while True:
        batches = [
            batch
            for batch in agenda.batches()
            if (all_planned or batch.rate > 0) and begun.isdisjoint(batch.artefacts)
        ]
        batches.sort(key=lambda batch: not course.held_back.isdisjoint(batch.artefacts))
        batch = next(filter(fits, batches), None)
        if batch is None:
            return accounts
        course.held_back.difference_update(batch.artefacts)
        name, before = " and ".join(batch.artefacts), agenda.open
        say(
            f"{_progress(total, before)}; next: {name}, "
            f"{in_time(batch.seconds)}, {batch.expected.verdicts:.1f} expected"
        )
        started = time.monotonic()
        most = _OVERRUN * batch.seconds + _GRACE
        trials = list(agenda.pending.whole(batch.keys).values())
        done = compute(trials, deadline, most)
        course.passed += (time.monotonic() - started) * jobs
        course.computed += done.seconds
        agenda.pending.remove(done.keys)
        agenda.refresh(done.keys)
        whole = agenda.pending.lacking.isdisjoint(batch.keys)
        overrun = done.seconds >= most and not whole
        if overrun:
            say(f"{name} takes longer than predicted; its cost is predicted again")
        account = accounts.setdefault(batch.artefacts[0], Account())
        account.batches += 1
        account.predicted += batch.seconds
        account.spent += done.seconds
        account.expected += batch.expected.verdicts if whole else 0.0
        account.decided += before - agenda.open
        if one_look and not overrun:
            begun.update(batch.artefacts)
        if done.beyond_limits and course.once.isdisjoint(batch.artefacts):
            course.once.update(batch.artefacts)
            course.held_back.update(batch.artefacts)
            say(
                f"{name}: {done.beyond_limits} trials exceeded a limit of time or memory; other "
                "artefacts come first now, once (--time-limit and --memory-limit allow more)"
            )
        if not done.keys:  # the deadline, or nothing that can be computed
            begun.update(batch.artefacts)


def _progress(total, still):
    """How many of the tests that were open are decided; a larger grid opens some again.

    Examples
    --------
    >>> _progress(52, 41)
    '11 of 52 open tests decided'
    >>> _progress(52, 62)
    '62 open tests, of which 10 had been decided'
    """
    if still > total:
        return f"{counted(still, 'open test')}, of which {still - total} had been decided"
    return f"{total - still} of {total} open tests decided"


def in_time(seconds: float) -> str:
    """CPU time in the unit that suits it.

    Examples
    --------
    >>> in_time(20), in_time(900), in_time(9000)
    ('20 s', '15 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
